//! One run: a model and a question in, a report out.

use std::time::{Duration, Instant};

use frontend::model::{Expr, Formula, Model};
use ltl::Automaton;

use crate::actors::{HeapSymmetry, Space, Symmetry};
use crate::memory::Full;
use crate::parallel::{self, Explored, Shared};
use crate::partial_order::PartialOrder;
use crate::question::{Fairness, Question, SearchOrder, Threads};
use crate::reductions::{Quotient, Reductions};
use crate::report::{Answer, AskedKind, Control, InternalError, LimitKind, Report, Unsaved, Unwatched, Verdict};
use crate::search::{Begun, Pace, Sharded, Summary, begin, explore, limit_of};
use crate::spill::Spilled;
use crate::stacking::{stack, stack_for_formulas};
use crate::temporal::{self, Runs};
use crate::told::{Told, orbits, settle};
use crate::watch::{Watch, Watched};

/// Answers a question about a verified model.
///
/// # Errors
/// A counterexample that the reference interpreter does not confirm: a fault of the checker.
pub fn check(model: &Model, question: &Question, control: &mut dyn Control) -> Result<Report, InternalError> {
    check_reduced(model, question, Reductions::default(), control)
}

/// As [`check`], leaving out what the reductions allow.
///
/// # Errors
/// As there.
pub fn check_reduced(
    model: &Model,
    question: &Question,
    reductions: Reductions<'_>,
    control: &mut dyn Control,
) -> Result<Report, InternalError> {
    let report = checked(model, question, (reductions, true), control)?;
    let is_open = report.answers.iter().any(|answer| answer.verdict == Verdict::Inconclusive);
    let creates = reductions.partial_order && reductions.heap_symmetry && !model.creatable.is_empty();
    if creates && is_open && report.limit.is_some_and(|limit| limit.kind == LimitKind::Rebecs) {
        // A creation that comes first may take the room of another one: the bound is met where it need not be.
        return checked(model, question, (reductions, false), &mut Unsaved(control));
    }
    Ok(report)
}

/// One try, with or without partial order of creations.
fn checked(
    model: &Model,
    question: &Question,
    (reductions, creations): (Reductions<'_>, bool),
    control: &mut dyn Control,
) -> Result<Report, InternalError> {
    let limits = &question.limits;
    let mut stack = stack(model, question, reductions, creations);
    let (mut told, symmetry) = quotient(model, question, (stack.quotient, stack.heap_symmetry));
    // With partial order the stored orbits are not all of them.
    told.counts_orbits &= stack.partial_order.is_none();
    told.reductions.append(&mut stack.refused);
    let plain = || Space::new(model, &question.bounds, limits.max_states, limits.max_memory);
    let of_formula = || {
        let stack = stack_for_formulas(model, question, reductions);
        let (mut told, symmetry) = quotient(model, question, (stack.quotient, stack.heap_symmetry));
        told.reductions.extend(stack.refused);
        let mut space = plain();
        if stack.heap_symmetry {
            space.renumber(HeapSymmetry::default());
        }
        let mut space = reduced(space, symmetry, stack.partial_order);
        if question.fairness == Fairness::Weak {
            space.follow();
        }
        (space, told)
    };
    let with_heap = || {
        let mut space = plain();
        if stack.heap_symmetry {
            space.renumber(HeapSymmetry::default());
        }
        space
    };
    // What renumbering leaves undecided is counted in one place.
    let threads = if stack.heap_symmetry { Threads { most: 1, ..question.threads } } else { question.threads };
    let question = &Question { threads, ..question.clone() };
    run(|| reduced(with_heap(), symmetry, stack.partial_order), (of_formula, plain), question, told, control)
}

/// The automaton of the runs that violate a formula, and the conditions that its propositions stand for; nothing if it would be
/// too large.
pub fn violating(formula: &Formula) -> Option<(Automaton, Vec<Expr>)> {
    temporal::violating::<Space<'_>>(formula)
}

/// A space that leaves out what these reductions allow.
fn reduced<'m>(mut space: Space<'m>, symmetry: Option<Symmetry>, partial_order: Option<PartialOrder>) -> Space<'m> {
    if let Some(symmetry) = symmetry {
        space.reduce(symmetry);
    }
    space.expand_alone(partial_order);
    space
}

/// What is told of a quotient, and its symmetries if representatives can be found.
fn quotient(
    model: &Model,
    question: &Question,
    (quotient, heap_symmetry): (Option<Quotient<'_>>, bool),
) -> (Told, Option<Symmetry>) {
    let Some(Quotient { group, representative, counts_orbits }) = quotient else { return (Told::default(), None) };
    assert!(group.is_for(model, &question.properties), "the group was validated for something else");
    let symmetry = Symmetry::new(model, group, representative);
    let name = symmetry.as_ref().map(|symmetry| symmetry.name(heap_symmetry));
    let mut told = Told::quotient((group.group(), group.model_order()), representative, name);
    told.keeps_fault_classes = group.certificate().keeps_fault_classes;
    told.counts_orbits = counts_orbits;
    (told, symmetry)
}

/// Answers a question about the model of a state space: the reachability run, unless only formulas are asked, then a run of
/// its own for each formula.
///
/// # Errors
/// As [`check`].
pub(crate) fn run<S: Runs + Sharded>(
    reduced: impl FnOnce() -> S,
    (of_formula, plain): (impl Fn() -> (S, Told), impl Fn() -> S),
    question: &Question<S::Properties>,
    told: Told,
    control: &mut dyn Control,
) -> Result<Report<S::Trace>, InternalError> {
    let started = Instant::now();
    let asked = S::BUILT_IN.iter().any(|&kind| question.asks(kind));
    let formulas = S::formulas(&question.properties);
    let is_reachability = asked || formulas.is_empty() || S::has_invariants(&question.properties);
    let found = if is_reachability { Some(reachability(reduced(), question, told, control)?) } else { None };
    let mut answers = Vec::with_capacity(formulas.len());
    for formula in formulas {
        answers.push(answered((&of_formula, &plain), formula, question, control)?);
    }
    let mut report = match found {
        None => of_formulas(answers),
        Some(report) => with_formulas(report, answers),
    };
    report.unwatched = unwatched::<S>(question);
    report.seconds = started.elapsed().as_secs_f64();
    report.verdict = report.verdict_of_answers();
    Ok(report)
}

/// Answers a formula; where a run in the quotient violates it that is not followed to one of the model, by the model itself.
fn answered<S: Runs>(
    (of_formula, plain): (&impl Fn() -> (S, Told), &impl Fn() -> S),
    formula: (&str, &Formula<S::Condition>),
    question: &Question<S::Properties>,
    control: &mut dyn Control,
) -> Result<Answer<S::Trace>, InternalError> {
    let started = Instant::now();
    if let Some(answer) = temporal::answer(of_formula(), formula, (question, Duration::ZERO), control)? {
        return Ok(answer);
    }
    let told =
        Told::refused("a run that violates the formula exists by the quotient; it was looked for in the model itself");
    let again = temporal::answer((plain(), told), formula, (question, started.elapsed()), control)?;
    match again {
        Some(answer) if answer.verdict != Verdict::Holds => Ok(answer),
        _ => {
            Err(InternalError(format!("the quotient has a run that violates `{}`, and the model has none", formula.0)))
        }
    }
}

/// A report with the answers to formulas in their places.
fn with_formulas<T>(mut report: Report<T>, answers: Vec<Answer<T>>) -> Report<T> {
    for answer in answers {
        let mut known = report.answers.iter_mut();
        if let Some(place) = known.find(|known| known.kind == AskedKind::Ltl && known.name == answer.name) {
            *place = answer;
        }
    }
    report
}

/// Answers everything but formulas.
fn reachability<S: Watched + Sharded>(
    mut space: S,
    question: &Question<S::Properties>,
    mut told: Told,
    control: &mut dyn Control,
) -> Result<Report<S::Trace>, InternalError> {
    let mut watch = Watch::new(&space, question);
    space.store_mut().spill_to(control.spilling());
    let Explored { mut summary, spaces: mut shards, fault } = searched(&mut space, &mut watch, question, control)?;
    let threads = u32::try_from(shards.len()).map_or(1, |workers| workers.max(1));
    // Where a search ends early, how far it looked ahead is not told.
    let has_cut_ties = !summary.complete || shards.iter().chain([&space]).any(S::has_cut_ties);
    settle(told.group.as_mut(), &mut told.reductions, has_cut_ties);
    let mut answers = watch.answers(&mut space, &summary, told.keeps_fault_classes);
    if !are_readable(&space, &shards) {
        // What was seen, or its trace, may have been read wrongly.
        watch.forget();
        summary = Summary { complete: false, limit: Some(limit_of(&space, Full::Disk)), ..summary };
        answers = watch.answers(&mut space, &summary, told.keeps_fault_classes);
    }
    let answers = answers?;
    if let Some(group) = told.group.as_mut().filter(|group| told.counts_orbits && summary.complete && group.exact) {
        group.orbits = if shards.is_empty() { orbits(std::slice::from_mut(&mut space)) } else { orbits(&mut shards) };
        if !are_readable(&space, &shards) {
            group.orbits = None;
        }
    }
    Ok(Report {
        verdict: Verdict::Inconclusive,
        complete: summary.complete,
        exact: true,
        answers,
        unwatched: Vec::new(),
        states: summary.states,
        transitions: summary.transitions,
        depth: summary.depth,
        deadlock_states: (question.keep_going && summary.complete).then(|| watch.deadlocks()),
        limit: summary.limit,
        reductions: told.reductions.into_iter().chain(space.reductions()).collect(),
        group: told.group,
        threads,
        fault,
        spilled: spilled(&space, &shards),
        seconds: 0.0,
    })
}

/// Whether all states could be read so far.
fn are_readable<S: Watched>(space: &S, shards: &[S]) -> bool {
    shards.iter().chain([space]).all(|space| space.store().is_whole().is_ok())
}

/// What all spaces put elsewhere.
fn spilled<S: Watched>(space: &S, shards: &[S]) -> Spilled {
    let mut spilled = Spilled::default();
    shards.iter().chain([space]).for_each(|space| spilled.add(space.store().spilled()));
    spilled
}

/// Searches, on one thread as long as little waits or more are not wanted; with the spaces that have the states, if the search
/// was shared out.
fn searched<S: Watched + Sharded>(
    space: &mut S,
    watch: &mut Watch<S>,
    question: &Question<S::Properties>,
    control: &mut dyn Control,
) -> Result<Explored<S>, InternalError> {
    let alone = |summary| Explored { summary, spaces: Vec::new(), fault: None };
    let (limits, started) = (&question.limits, Instant::now());
    let is_deep = question.order == SearchOrder::DepthFirst;
    // A checkpoint has an index that is in memory; and only a breadth-first search may look successors up later.
    space.store_mut().may_delay(!is_deep && !control.is_saved());
    let (is_shared, delays) = (question.threads.most > 1 && !is_deep, space.store().delays());
    if !is_shared && !delays {
        let pace = Pace::new(control, limits.timeout);
        return Ok(alone(explore(space, watch, pace, limits, question.order)?));
    }
    let from = if is_shared { question.threads.from } else { u32::MAX };
    let shared = Shared {
        workers: question.threads.most as usize,
        from,
        max_depth: limits.max_depth,
        watch: &|space| Watch::new(space, question),
        #[cfg(test)]
        panics_at: None,
    };
    let begun = begin(space, watch, Pace::new(&mut *control, limits.timeout), limits, from);
    let pace = Pace::since(control, limits.timeout, started);
    match begun {
        Begun::Over(summary) => Ok(alone(summary)),
        Begun::Wide(handed) => parallel::explore(space, watch, handed, pace, &shared),
        Begun::Full(handed) => Ok(alone(parallel::explore_alone(space, watch, handed, pace, &shared))),
    }
}

/// The report when only formulas are asked: the figures are those of the largest run.
fn of_formulas<T>(answers: Vec<Answer<T>>) -> Report<T> {
    let runs = || answers.iter().filter_map(|answer| answer.run.as_ref());
    Report {
        verdict: Verdict::Inconclusive,
        complete: runs().all(|run| run.complete),
        exact: true,
        unwatched: Vec::new(),
        states: runs().map(|run| run.system_states).max().unwrap_or(0),
        transitions: runs().map(|run| run.transitions).max().unwrap_or(0),
        depth: 0,
        deadlock_states: None,
        limit: runs().find_map(|run| run.limit),
        reductions: Vec::new(),
        group: None,
        threads: 1,
        fault: None,
        spilled: Spilled::default(),
        seconds: 0.0,
        answers,
    }
}

/// What was not asked.
fn unwatched<S: Watched>(question: &Question<S::Properties>) -> Vec<Unwatched> {
    let unasked = S::BUILT_IN.iter().filter(|&&kind| !question.asks(kind));
    let unwatched = unasked.filter_map(|kind| match kind {
        AskedKind::Deadlock => Some(Unwatched::Deadlock),
        AskedKind::Overflow => Some(Unwatched::Overflow),
        AskedKind::Error => Some(Unwatched::Error),
        AskedKind::Assertion => Some(Unwatched::Assertion),
        AskedKind::Invariant | AskedKind::Ltl => None,
    });
    unwatched.collect()
}
