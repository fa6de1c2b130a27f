//! The line from text to report, written as Rust:
//!
//! ```text
//! text -> Model -> (smaller net) -> (slice) -> Csp -> ColouredGraph -> Group -> ValidatedGroup -> check -> Report
//! ```
//!
//! [`read`](fn@crate::read) makes the model; [`detect`] runs the stages from the model to its group, and [`check`] runs them all. Each stage is a
//! function of another crate.
//! This file puts them in order, and it is the only place that orders reductions: a net is made smaller first, slicing makes another model, the
//! group belongs to that model, and the quotient and partial order belong to the search of that model
//! (`checker::stacking` lists the combinations that the search refuses). Each formula has a separate run.

use std::time::{Duration, Instant};

use checker::{
    Answer, AtImages, Control, Fairness, LimitKind, Outcome, QueryKind, Question, Reduction, ReductionKind, Refusal,
    Report, Representative, Unsaved, Verdict,
};
use engine::SparsePermutation;
use ltl::Properties as _;
use slicing::reduce::{Abstracted, Method, Refused};
use symmetry::Strategy;

use crate::all_runs::{self, Wrong};
use crate::detection::{Coverage, Effort, Proposal, Proved, Seconds, Undetected};
use crate::explained;
use crate::forgetting;
use crate::found::Found;
use crate::images::Images;
use crate::language::{Language, Trace, split};
use crate::slice::{Cut, Sliced, Slicing, bring_back};
use crate::stack::Stack;
use crate::starts::Starts;
use crate::structural;
use crate::task::{Done, Task, refused};

/// The time for reporting the results that were found before a limit or a signal came.
pub const GRACE: Duration = Duration::from_secs(1);

/// The reason why a line gave no report.
#[derive(Clone, Debug)]
pub enum Error {
    /// A method of slicing that was requested by name does not preserve the question.
    NotPreserved(Refused),
    /// The checkpoint belongs to this model and question, but to another reduction of the model.
    OtherReductions,
    /// The content of the checkpoint does not belong to a search of this model; the reason.
    Contradicted(String),
    /// A fault of the tool.
    Internal(String),
}

/// The reductions that the user allows.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Whether a smaller net may stand in the place of a net. Counts are then those of the smaller net.
    pub structural: bool,
    /// The choice whether and how the model is sliced.
    pub slicing: Slicing,
    /// The variables that bounded slicing replaces.
    pub replace: Abstracted,
    /// Whether values of dead variables may be forgotten.
    pub dead_values: bool,
    /// The strategy that proposes symmetries; `None` for no quotient.
    pub symmetry: Option<Strategy>,
    /// Whether the group may move the starts of the model.
    pub starts: Starts,
    /// Whether invariants that the group moves are checked at images of the states.
    pub images: Images,
    /// Whether created rebecs may be renumbered and collected.
    pub heap_symmetry: bool,
    /// The choice of representatives.
    pub representative: Representative,
    /// Whether orbits are counted by size.
    pub counts_orbits: bool,
    /// Whether a quotient may be given up as slower than a plain search: its counts are then those of the plain search.
    pub gives_up: bool,
    /// Whether partial order reduction may be used.
    pub partial_order: bool,
    /// Whether the message flow is used to prove that no queue overflows.
    pub proves_bounds: bool,
    /// Whether an earlier run proved that no queue overflows.
    pub overflow_excluded: bool,
}

impl Default for Plan {
    /// Every reduction that is sound for the question and loses no information: counts of nets are those of the net.
    fn default() -> Plan {
        Plan {
            structural: false,
            slicing: Slicing::Auto,
            replace: Abstracted::new(),
            dead_values: true,
            symmetry: Some(Strategy::Constraint),
            starts: Starts::Auto,
            images: Images::Auto,
            heap_symmetry: true,
            representative: Representative::Auto,
            counts_orbits: false,
            gives_up: true,
            partial_order: true,
            proves_bounds: false,
            overflow_excluded: false,
        }
    }
}

/// Model x Question -> Report: the reachability run, then a separate run for each formula, or one for all of branching time without reductions.
pub fn check<L: Language>(
    model: &L,
    question: &Question<L::Properties>,
    plan: &Plan,
    control: &mut dyn Control,
) -> Result<Report<Trace<L>>, Error> {
    let started = Instant::now();
    // Without a group or a slice of its own, no formula of branching time needs a graph of its own.
    let is_shared = plan.symmetry.is_none() && matches!(plan.slicing, Slicing::Off);
    let (safety, formulas) = split(&question.properties, is_shared);
    let order: Vec<String> = L::declared(&question.properties).iter().map(|(name, _)| (*name).to_owned()).collect();
    let count = |properties: &L::Properties| L::declared(properties).len();
    let of_runs = formulas.iter().map(count).sum::<usize>();
    assert_eq!(count(&safety) + of_runs, order.len(), "each property is in one run");
    let whole = question.properties.clone();
    let question = Question { properties: safety, whole, ..question.clone_without_properties() };
    let mut found = Found::whole();
    let mut report = run(Task { model, question: &question, plan }, &mut found, control)?;
    let is_excluded = |answer: &Answer<_>| answer.kind == QueryKind::Overflow && answer.verdict == Verdict::Holds;
    let overflow_excluded = report.answers.iter().any(is_excluded);
    for formula in formulas {
        let is_branching = formula.formulas().iter().any(|(_, formula)| formula.is_branching());
        let fairness = if is_branching { Fairness::None } else { question.fairness };
        let reachability = Question {
            fairness,
            deadlock: false,
            overflow: false,
            assertions: false,
            faults: false,
            properties: formula,
            keep_going: false,
            ..question.clone_without_properties()
        };
        let plan = Plan { overflow_excluded, ..plan.clone() };
        let found = found.for_others();
        let mut own = of_formula(model, &reachability, plan.clone(), found, Wrong::default(), control)?;
        for run in own.answers.iter_mut().filter_map(|answer| answer.run.as_mut()) {
            run.reductions.splice(0..0, std::mem::take(&mut own.reductions));
            if let (Some(used), Some(strategy)) = (&mut run.group, plan.symmetry) {
                used.detector = strategy.name().to_owned();
            }
        }
        let is_asked =
            |answer: &Answer<_>| reachability.properties.formulas().iter().any(|(name, _)| *name == answer.name);
        assert!(own.answers.iter().all(is_asked), "a run of formulas answers these only");
        explained::note_antecedents(model, &reachability.properties, &mut own);
        explained::write_texts(model, &reachability.properties, &mut own);
        let interrupted = own.limit.filter(|limit| limit.kind == LimitKind::Interrupt);
        report.limit = report.limit.or(interrupted);
        report.answers.extend(own.answers);
    }
    report.seconds = started.elapsed().as_secs_f64();
    let place = |name: &str| order.iter().position(|known| known == name);
    report.answers.sort_by_key(|answer| match answer.kind {
        QueryKind::Invariant | QueryKind::Ltl | QueryKind::Ctl | QueryKind::Cover | QueryKind::Recovery => {
            place(&answer.name)
        }
        QueryKind::Deadlock | QueryKind::Overflow | QueryKind::Assertion | QueryKind::Error => None,
    });
    assert!(
        order.iter().all(|name| report.answers.iter().any(|one| one.name == *name)),
        "every property has an answer"
    );
    let built_in = [QueryKind::Deadlock, QueryKind::Overflow, QueryKind::Assertion, QueryKind::Error];
    let answered = report.answers.iter().filter(|answer| !built_in.contains(&answer.kind)).count();
    assert_eq!(answered, order.len(), "every property has one answer");
    report.verdict = report.verdict_of_answers();
    report.assert_sound();
    Ok(report)
}

/// One formula: of all runs first where fairness is assumed, then of the fair ones.
pub(crate) fn of_formula<L: Language>(
    model: &L,
    question: &Question<L::Properties>,
    plan: Plan,
    mut found: Found<L>,
    wrong: Wrong,
    control: &mut dyn Control,
) -> Done<L> {
    // Where fairness is not followed through a quotient, or partial order stands in its place, no group is looked for.
    let unfair = plan.symmetry.and_then(|_| model.unfair_quotient(question, plan.clone()));
    let requested = plan.symmetry;
    let plan = Plan { symmetry: requested.filter(|_| unfair.is_none()), ..plan };
    let mut first = None;
    if let Some(of_all) = all_runs::question(model, question, &plan) {
        found.is_trial = true;
        let of_all = Task { model, question: &of_all, plan: &plan };
        let report = run(of_all, &mut found, &mut Unsaved(control))?;
        first = all_runs::taken(report, wrong);
        found.is_trial = false;
    }
    let mut report = match first {
        Some(report) => report,
        None => run(Task { model, question, plan: &plan }, &mut found, &mut Unsaved(control))?,
    };
    if let (Some(_), Some(reason)) = (requested, unfair) {
        report.reductions.push(Reduction::refused(ReductionKind::Symmetry, reason));
    }
    Ok(report)
}

/// The line, top to bottom, for one question: Model -> (smaller net) -> (slice) -> Csp -> ColouredGraph -> Group -> ValidatedGroup -> check -> Report.
fn run<L: Language>(task: Task<'_, L>, found: &mut Found<L>, control: &mut dyn Control) -> Done<L> {
    // Model -> (smaller net): all later stages belong to the smaller net, where the question is one that it keeps. `structural` calls `sliced`.
    structural::run(task, found, control)
}

/// Model -> (slice) -> Csp -> ColouredGraph -> Group -> ValidatedGroup -> check -> Report.
pub(crate) fn sliced<L: Language>(task: Task<'_, L>, found: &mut Found<L>, control: &mut dyn Control) -> Done<L> {
    let Task { question, plan, .. } = task;
    // Model -> (slice): all later stages belong to the slice, where the question is one that a slice answers.
    let cut = match sliced_in_time(task, control)? {
        Sliced::Whole => return forgetting::run(task, found, control),
        Sliced::Refused(reason) => {
            return Ok(refused(forgetting::run(task, found, control)?, ReductionKind::Slicing, reason));
        }
        Sliced::Cut(cut) => cut,
    };
    // (slice) -> Csp -> ColouredGraph -> Group -> ValidatedGroup -> check -> Report: `reduced`, by way of a model that forgets the values of
    // dead variables (`forgetting`) and of one with further starts (`starts`), which each call the stages behind them.
    let is_there = |(name, _): &(&str, _)| L::declared(&cut.properties).iter().any(|(own, _)| own == name);
    assert!(L::declared(&question.properties).iter().all(is_there), "a slice answers every property");
    let own = Question { properties: cut.properties.clone(), ..question.clone_without_properties() };
    let mut report = forgetting::run(Task { model: &cut.model, question: &own, plan }, found, control)?;
    // The parts of the slice are not those of the model.
    report.executed = None;
    if found.is_trial && report.verdict != Verdict::Holds {
        return Ok(report);
    }
    // The way back: a violation of the slice is shown on the model, or else the model itself is checked.
    let (mut report, considered) = match brought_back_in_time(task.model, report, &cut) {
        Ok(report) => (report, Reduction { kind: ReductionKind::Slicing, outcome: Outcome::Sliced(cut.effect) }),
        Err(reason) => {
            (forgetting::run(task, found, &mut Unsaved(control))?, Reduction::refused(ReductionKind::Slicing, reason))
        }
    };
    report.reductions.insert(0, considered);
    Ok(report)
}

/// The slice of a model, unless its share of the time is over first.
fn sliced_in_time<'m, L: Language>(task: Task<'m, L>, control: &mut dyn Control) -> Result<Sliced<'m, L>, Error> {
    let Task { model, question, plan } = task;
    let slice = || model.slice(question, plan.slicing, &plan.replace, control);
    let watch = limits::watch();
    // Step-wise refinement checks slices on the way, so it may use all the remaining time; without any it ends with its first slice.
    let is_refined = plan.slicing == Slicing::By(Method::StepWise);
    let sliced = if is_refined { watch.enter(slice) } else { watch.share(1, 3).run(slice) };
    sliced.unwrap_or_else(|stopped| Ok(Sliced::Refused(Refusal::Stopped(stopped.to_string()))))
}

/// The report of a slice with every violation shown on the model.
fn brought_back_in_time<L: Language>(
    model: &L,
    report: Report<Trace<L>>,
    cut: &Cut<'_, L>,
) -> Result<Report<Trace<L>>, Refusal> {
    let is_over = || limits::watch().consult().is_err();
    let brought = limits::watch().or_afterwards(GRACE).run(|| bring_back(model, report, &*cut.lift, &is_over));
    brought.unwrap_or_else(|stopped| Err(Refusal::Stopped(stopped.to_string())))
}

/// Model -> Csp -> ColouredGraph -> Group -> ValidatedGroup -> check -> Report, with the reductions in the order in which they are stacked.
pub(crate) fn reduced<L: Language>(task: Task<'_, L>, found: &mut Found<L>, control: &mut dyn Control) -> Done<L> {
    reduced_at(task, (&task.question.properties, &[]), found, control)
}

/// As [`reduced`], with the properties that the group keeps, and the invariants that are checked at images instead (`images`).
pub(crate) fn reduced_at<L: Language>(
    task: Task<'_, L>,
    (kept, images): (&L::Properties, &[AtImages]),
    found: &mut Found<L>,
    control: &mut dyn Control,
) -> Done<L> {
    let Task { model, question, plan } = task;
    let has_state = |at: &AtImages| at.elements.first().is_some_and(SparsePermutation::is_identity);
    assert!(images.iter().all(has_state), "an invariant is checked at the state itself, too");
    let is_trial = found.is_trial;
    // Model -> Csp -> ColouredGraph -> Group -> ValidatedGroup is `detect`: the symmetries of this model that fix the question of this run.
    let group = match plan.symmetry {
        Some(_) if found.is_asymmetric(model) => Some(Ok(None)),
        Some(strategy) => Some(found.group(model, kept, strategy).map(Some)),
        None => None,
    };
    // ValidatedGroup -> check -> Report: the search, in the quotient and with partial order where both are sound (`stack`).
    Stack::new(task, group).at_images(images).search(question, is_trial, control)
}

/// The proved symmetries of a model.
pub struct Detected<L: Language> {
    /// Their group.
    pub group: L::Group,
    /// The extent to which the candidates show the symmetries of the model.
    pub coverage: Coverage,
    /// The time of each stage.
    pub seconds: Seconds,
    /// Whether a whole detection may find more: this one was brief, and its graph or its proofs took too many steps.
    pub is_cut_short: bool,
}

/// Model x Properties -> Csp -> ColouredGraph -> Group -> ValidatedGroup, next to the symmetries that the text of the model proves without a graph.
///
/// # Errors
/// The reason why the strategy finds no symmetry.
pub fn detect<L: Language>(
    model: &L,
    properties: &L::Properties,
    strategy: Strategy,
) -> Result<Detected<L>, Undetected> {
    detect_by(model, properties, strategy, Effort::Whole)
}

/// [`detect`] with an effort.
///
/// # Errors
/// As there.
pub(crate) fn detect_by<L: Language>(
    model: &L,
    properties: &L::Properties,
    strategy: Strategy,
    effort: Effort,
) -> Result<Detected<L>, Undetected> {
    if !L::STRATEGIES.contains(&strategy) {
        return Err(Undetected::NotApplicable(strategy));
    }
    let mut seconds = Seconds::default();
    let by_text = timed(&mut seconds.lower, || model.candidates_by_text(properties, strategy, effort));
    let proved = by_text.as_ref().map(|text| &text.proposal.candidates);
    let by_graph = match by_text.as_ref().map(|text| text.graph_steps) {
        None => Some(proposed_by_graph(model, properties, strategy, proved, &mut seconds)?),
        Some(None) => None,
        Some(Some(steps)) => {
            let started = Instant::now();
            let drawn =
                limits::at_most(steps, || proposed_by_graph(model, properties, strategy, proved, &mut seconds).ok())
                    .flatten();
            if drawn.is_none() {
                seconds.lower += started.elapsed().as_secs_f64();
            }
            drawn
        }
    };
    let (is_cut, is_bounded) = (by_graph.is_none(), by_text.as_ref().is_some_and(|text| text.is_brief));
    let Proved { group, coverage } = timed(&mut seconds.validate, || {
        let proved = model.validate(properties, by_text, by_graph);
        model.extended(properties, proved)
    });
    let is_cut_short = is_bounded && (is_cut || coverage.undecided);
    Ok(Detected { group, coverage, seconds, is_cut_short })
}

/// Model x Properties -> Csp -> ColouredGraph -> automorphisms -> candidates, next to those that are proved already.
pub(crate) fn proposed_by_graph<L: Language>(
    model: &L,
    properties: &L::Properties,
    strategy: Strategy,
    proved: Option<&L::Candidates>,
    seconds: &mut Seconds,
) -> Result<Proposal<L::Candidates>, Undetected> {
    let csp = timed(&mut seconds.lower, || model.constraints(properties, strategy, proved))?;
    let graph = timed(&mut seconds.graph, || model.coloured_graph(&csp));
    Ok(timed(&mut seconds.search, || {
        let found = csp::automorphisms(graph.as_ref());
        model.candidates(properties, &csp, &graph, &found)
    }))
}

/// Runs a stage and adds its time.
fn timed<T>(seconds: &mut f64, stage: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let made = stage();
    *seconds += started.elapsed().as_secs_f64();
    made
}

/// The group of a model inside a check. The search for it may use a third of the remaining time and half of the memory,
/// so that the state space search has the rest. The symmetries that were proved by then are used.
///
/// Soundness: a group of an incomplete search consists of proved symmetries; it may be too small.
pub(crate) fn detect_in_time<L: Language>(
    model: &L,
    properties: &L::Properties,
    strategy: Strategy,
    effort: Effort,
) -> Result<Detected<L>, String> {
    let watch = limits::watch();
    let share = watch.share(1, 3).within(None, watch.max_memory().map(|most| most / 2));
    match share.run(|| detect_by(model, properties, strategy, effort)) {
        Ok(found) => found.map_err(|reason| reason.to_string()),
        Err(stopped) if stopped.is_share => {
            Err(format!("{stopped}; its share was used up before a symmetry was proved"))
        }
        Err(stopped) => Err(format!("{stopped}, before the symmetries were found")),
    }
}

#[cfg(test)]
mod tests;
