//! Checks a model with further starts in its place, where symmetries of its steps move its starts.
//!
//! A group that is used for a quotient maps starts to starts, so a start that singles out one process cuts it. But states of one orbit
//! under a group that keeps the steps have the same runs up to renaming. So the starts of the model are joined by their images under such
//! permutations, and the whole line goes over the model with all of these starts: everything that is read off a start (live values,
//! constants, the range of a variable) is read off all of them, and its group maps the set of them to itself.
//!
//! # Soundness
//!
//! The group of the other model is validated there as any group. Each of its starts must be the image, under an element of that group,
//! of a start of the model (the language searches for it, whatever proposed the starts). The group keeps steps, deadlocks, faults and
//! each property, so every run of the other model is the image of one of the model, and the verdicts are the same. Violations
//! are shown on the model by the reference semantics. Weak fairness, counts of orbits and checkpoints are left to the model itself.
//!
//! Source: C. N. Ip and D. L. Dill, Better verification through symmetry (1996), where any start of an orbit may stand for it.

use checker::{
    Answer, Control, Fairness, Limit, LimitKind, Outcome, Reduction, ReductionKind, Refusal, Report, Representative,
    Unsaved, Verdict,
};
use frontend::execution::Outcome as _;
use ltl::Properties as _;
use symmetry::Strategy;

use crate::detection::Effort;
use crate::found::Found;
use crate::images::{self, Images};
use crate::language::{Language, State, Trace};
use crate::line::{Error, GRACE, Plan, reduced};
use crate::slice::bring_back;
use crate::task::{Attempt, Done, Task, refused};

/// The most states of a run for which no group that moves the starts is looked for.
const FIXED: u64 = 1 << 15;

/// Whether the group may move the starts of the model.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Starts {
    /// In runs that have more than 32,768 states without that: the counts of small ones say more where starts are fixed.
    #[default]
    Auto,
    /// Never.
    Fixed,
    /// In all runs where the question allows it.
    Moved,
}

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(crate) struct Wrong {
        /// Further starts need not be images of starts.
        takes_any_start,
        /// Runs of the other model are not brought back.
        keeps_runs,
    }
}

/// The way from runs of the model with further starts to those of the model: the image of a run that starts at a start of the model, replayed there.
pub type WayBack<'m, L> = Box<dyn Fn(&Trace<L>) -> Option<Trace<L>> + 'm>;

/// A run that ends as another one does: in a step of the same fault, or in the same cycle.
pub(crate) fn ended_like<L: Language>(
    mut run: Trace<L>,
    other: &Trace<L>,
    steps: &dyn Fn(&State<L>) -> Vec<L::Step>,
    is_alike: &dyn Fn(&L::Step, &L::Step) -> bool,
) -> Option<Trace<L>> {
    if let Some(wanted) = other.steps.last().filter(|step| step.state().is_none()) {
        let last = steps(run.last_state()?);
        run.take(last.into_iter().find(|step| is_alike(step, wanted))?);
    }
    let closes = other.cycle_from.is_none_or(|from| run.close(from, |state| steps(state).is_empty()));
    closes.then_some(run)
}

/// One run: on the model with further starts, where its group is larger and the question allows it.
pub(crate) fn run<L: Language>(task: Task<'_, L>, found: &mut Found<L>, control: &mut dyn Control) -> Done<L> {
    let Task { model, question, plan } = task;
    found.effort = Effort::Whole;
    let is_fair = question.fairness == Fairness::Weak && model.has_processes();
    let is_fair = is_fair && !question.properties.formulas().is_empty();
    let is_auto = plan.representative == Representative::Auto;
    let moves = L::MOVES_STARTS && plan.starts != Starts::Fixed;
    let may_have_images = L::HAS_IMAGES && plan.images != Images::Off && plan.starts != Starts::Moved;
    let has_images = may_have_images && !question.properties.invariants().is_empty();
    let Some(strategy) = plan.symmetry.filter(|_| (moves || has_images) && !is_fair && is_auto) else {
        return reduced(task, found, control);
    };
    // While invariants may be checked at images, symmetries that keep them are not looked for in every way: in runs of few states, too.
    if has_images {
        found.effort = Effort::Brief;
    }
    let attempt = few_or_at_images(task, (strategy, has_images), found, control);
    found.effort = Effort::Whole;
    match attempt? {
        Ok(report) => Ok(report),
        Err(None) if moves => with_moved_starts(task, strategy, found, control),
        Err(None) => reduced(task, found, control),
        Err(Some(refusal)) => Ok(refused(reduced(task, found, &mut Unsaved(control))?, ReductionKind::Images, refusal)),
    }
}

/// The report of a run of few states, or else of one with invariants at images, if there may be any. A refusal is that of a run at images that was begun.
fn few_or_at_images<L: Language>(
    task: Task<'_, L>,
    (strategy, has_images): (Strategy, bool),
    found: &mut Found<L>,
    control: &mut dyn Control,
) -> Attempt<L, Option<Refusal>> {
    if let Some(report) = small(task, found, control)? {
        return Ok(Ok(report));
    }
    if !has_images {
        return Ok(Err(None));
    }
    let moved = limits::share(1, 8, || images::find(task, strategy, found));
    let Some(moved) = moved.ok().flatten() else { return Ok(Err(None)) };
    Ok(images::run(task, (strategy, images::Wrong::default()), &moved, found, control)?.map_err(Some))
}

/// One run in which the group may move the starts.
fn with_moved_starts<L: Language>(
    task: Task<'_, L>,
    strategy: Strategy,
    found: &mut Found<L>,
    control: &mut dyn Control,
) -> Done<L> {
    let Task { model, question, plan } = task;
    let wider = limits::share(1, 8, || model.with_images_of_starts(&question.properties)).ok().flatten();
    let Some(wider) = wider else { return reduced(task, found, control) };
    let refusal = if plan.counts_orbits {
        Refusal::OrbitsCounted
    } else if control.is_saved() {
        Refusal::Saved
    } else {
        match of_wider(task, &wider, (strategy, Wrong::default()), found, control)? {
            Ok(report) => return Ok(report),
            Err(None) => return reduced(task, found, control),
            Err(Some(refusal)) => refusal,
        }
    };
    Ok(refused(reduced(task, found, control)?, ReductionKind::MovedStarts, refusal))
}

/// The report of a run that ends within [`FIXED`] states: its counts say more than those of a group that moves the starts.
fn small<L: Language>(
    task: Task<'_, L>,
    found: &mut Found<L>,
    control: &mut dyn Control,
) -> Result<Option<Report<Trace<L>>>, Error> {
    let Task { question, plan, .. } = task;
    if plan.starts == Starts::Moved || plan.images == Images::On || control.is_saved() {
        return Ok(None);
    }
    let most = FIXED;
    if question.limits.max_states.is_some_and(|own| own <= most) {
        // There is no other run.
        found.effort = Effort::Whole;
        return reduced(task, found, control).map(Some);
    }
    let mut first = question.clone();
    first.limits.max_states = Some(most);
    let report = reduced(Task { question: &first, ..task }, found, &mut Unsaved(control))?;
    let runs = report.answers.iter().filter_map(|answer| answer.run.as_ref()?.limit);
    let is_cut = |limit: Limit| limit.kind == LimitKind::States && limit.value == most;
    let is_over = !report.limit.into_iter().chain(runs).any(is_cut);
    Ok(is_over.then_some(report))
}

/// The report of a run on the model with further starts; without a reason where the group is no larger.
fn of_wider<L: Language>(
    task: Task<'_, L>,
    wider: &L,
    (strategy, wrong): (Strategy, Wrong),
    found: &mut Found<L>,
    control: &mut dyn Control,
) -> Attempt<L, Option<Refusal>> {
    let Task { model, question, plan } = task;
    let order = |group: Result<&L::Group, String>| group.map(|group| L::engine_group(L::of_instances(group)).order());
    let Ok(fixed) = order(found.group(model, &question.properties, strategy)) else { return Ok(Err(None)) };
    let group = found.group(wider, &question.properties, strategy);
    let Ok(group) = group.map(L::of_instances) else { return Ok(Err(None)) };
    if L::engine_group(group).order() <= fixed {
        return Ok(Err(None));
    }
    let watch = limits::watch();
    let back = limits::share(1, 8, || model.way_back(wider, group)).ok().flatten();
    if back.is_none() && !wrong.takes_any_start() {
        return Ok(Err(None));
    }
    // Without its group the model with further starts has more states than the model.
    let kept = Plan { gives_up: false, ..plan.clone() };
    let of_wider = Task { model: wider, question, plan: &kept };
    let mut report = reduced(of_wider, found, &mut Unsaved(control))?;
    // A step from a start that the model does not have is none of it.
    report.executed = None;
    if found.is_trial && report.verdict != Verdict::Holds || wrong.keeps_runs() {
        return Ok(Ok(report));
    }
    let deadlock_states = report.deadlock_states;
    let lift = |answer: &Answer<_>, _: &dyn Fn() -> bool| back.as_ref()?(answer.trace.as_ref()?);
    let bring = || bring_back(model, report, &lift, &|| false);
    let brought =
        watch.or_afterwards(GRACE).run(bring).unwrap_or_else(|stopped| Err(Refusal::Stopped(stopped.to_string())));
    Ok(brought.map_err(Some).map(|mut report| {
        // States of one orbit have steps or none.
        report.deadlock_states = deadlock_states;
        let outcome = Outcome::MovedStarts { fixed: fixed.to_string() };
        report.reductions.insert(0, Reduction { kind: ReductionKind::MovedStarts, outcome });
        report
    }))
}

#[cfg(test)]
mod tests;
