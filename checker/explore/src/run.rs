//! One run on any state space: the reachability run, then a separate run for each formula.

use std::time::{Duration, Instant};

use ltl::{Formula, Properties};

use crate::branching;
use crate::executions;
use crate::finding::{Finding, Open};
use crate::growth::{Growing, LEVELS, Measure, growing, last_levels};
use crate::memory::Halt;
use crate::parallel::{self, Explored, Shared};
use crate::plan::{Plan, data_in_use, orbits, settle};
use crate::question::{Question, SearchOrder};
use crate::reductions::Refusal;
use crate::report::{Answer, Control, InternalError, QueryKind, Report, Unwatched, Verdict};
use crate::search::{Clock, FirstPart, GRACE, Sharded, Summary, begin, explore, limit_of, limit_of_stop};
use crate::spill::Spilled;
use crate::temporal::{self, Answered, Runs};
use crate::unsearched::unanswered;
use crate::watch::{Watch, Watched};

/// Answers a question about the model of a state space: by the reachability run, unless the question has formulas
/// only, then by a separate run for each formula. A space and its plan are made when the run begins that they are for.
///
/// # Errors
/// As `check`.
pub fn run<S: Runs + Sharded, B: Copy>(
    of_states: impl FnOnce() -> (S, Plan),
    of_formula: impl Fn() -> (S, Plan),
    plain: impl Fn() -> S,
    question: &Question<S::Properties, B>,
    control: &mut dyn Control,
) -> Result<Report<S::Trace>, InternalError> {
    let started = Instant::now();
    let requested = S::BUILT_IN.iter().any(|&kind| question.includes(kind));
    let formulas = question.properties.formulas();
    let is_reachability = requested || formulas.is_empty() || !question.properties.invariants().is_empty();
    let found = if is_reachability {
        let (space, plan) = of_states();
        Some(reachability(space, question, plan, control)?)
    } else {
        None
    };
    let mut answers = Vec::with_capacity(formulas.len());
    let (branching, linear): (Vec<_>, Vec<_>) = formulas.into_iter().partition(|(_, formula)| formula.is_branching());
    if !branching.is_empty() {
        answers.extend(branching_answers(&of_formula, &branching, question, control)?);
    }
    for (name, formula) in linear {
        answers.push(answered(&of_formula, &plain, (name, formula), question, control)?);
    }
    let mut report = match found {
        None => of_runs(answers),
        Some(report) => with_answers(report, answers),
    };
    report.unwatched = unwatched::<S, B>(question);
    report.seconds = started.elapsed().as_secs_f64();
    report.verdict = report.verdict_of_answers();
    Ok(report)
}

/// Answers formulas of branching time by one run, unless it is stopped.
///
/// # Errors
/// As `check`.
fn branching_answers<S: Runs, B: Copy>(
    of_formula: &impl Fn() -> (S, Plan),
    formulas: &[(&str, &Formula<S::Condition>)],
    question: &Question<S::Properties, B>,
    control: &mut dyn Control,
) -> Result<Vec<Answer<S::Trace>>, InternalError> {
    let answers = || {
        let (space, plan) = of_formula();
        branching::answers(space, plan, formulas, question, control)
    };
    let none = |stopped| Ok(formulas.iter().map(|(name, _)| unanswered(name, QueryKind::Ctl, stopped)).collect());
    limits::watch().or_afterwards(GRACE).run(answers).unwrap_or_else(none)
}

/// Answers a named formula, unless it is stopped.
///
/// # Errors
/// As `check`.
pub fn answered<S: Runs, B: Copy>(
    of_formula: &impl Fn() -> (S, Plan),
    plain: &impl Fn() -> S,
    (name, formula): (&str, &Formula<S::Condition>),
    question: &Question<S::Properties, B>,
    control: &mut dyn Control,
) -> Result<Answer<S::Trace>, InternalError> {
    let answer = || searched_for(of_formula, plain, name, formula, question, control);
    let none = |stopped| Ok(unanswered(name, QueryKind::of_formula(formula), stopped));
    limits::watch().or_afterwards(GRACE).run(answer).unwrap_or_else(none)
}

/// Answers a formula. Where a run in the quotient violates it but cannot be followed to one of the model, the model
/// itself answers.
fn searched_for<S: Runs, B: Copy>(
    of_formula: &impl Fn() -> (S, Plan),
    plain: &impl Fn() -> S,
    name: &str,
    formula: &Formula<S::Condition>,
    question: &Question<S::Properties, B>,
    control: &mut dyn Control,
) -> Result<Answer<S::Trace>, InternalError> {
    let started = Instant::now();
    let (space, plan) = of_formula();
    if formula.is_branching() {
        let mut answers = branching::answers(space, plan, &[(name, formula)], question, control)?;
        return Ok(answers.pop().expect("an answer to each formula"));
    }
    if let Answered::Settled(answer) = temporal::answer(space, plan, name, formula, question, Duration::ZERO, control)?
    {
        return Ok(*answer);
    }
    let plan = Plan::refused(Refusal::ViolatedInQuotient);
    let again = temporal::answer(plain(), plan, name, formula, question, started.elapsed(), control)?;
    match again {
        Answered::Settled(answer) if answer.verdict != Verdict::Holds => Ok(*answer),
        Answered::Settled(_) | Answered::InQuotientOnly => {
            Err(InternalError(format!("the quotient has a run that violates `{name}`, and the model has none")))
        }
    }
}

/// Answers a question without formulas.
///
/// # Errors
/// As `check`.
pub fn reached<S: Watched + Sharded, B: Copy>(
    space: S,
    question: &Question<S::Properties, B>,
    plan: Plan,
    control: &mut dyn Control,
) -> Result<Report<S::Trace>, InternalError> {
    let started = Instant::now();
    let mut report = reachability(space, question, plan, control)?;
    report.unwatched = unwatched::<S, B>(question);
    report.seconds = started.elapsed().as_secs_f64();
    report.verdict = report.verdict_of_answers();
    Ok(report)
}

/// A report with the answers to formulas in their places.
pub fn with_answers<T>(mut report: Report<T>, answers: Vec<Answer<T>>) -> Report<T> {
    for answer in answers {
        let is_formula = |kind| matches!(kind, QueryKind::Ltl | QueryKind::Ctl);
        let mut known = report.answers.iter_mut();
        match known.find(|known| is_formula(known.kind) && known.name == answer.name) {
            Some(place) => *place = answer,
            None => {
                assert!(!is_formula(answer.kind), "each formula has a place in the report");
                report.answers.push(answer);
            }
        }
    }
    report
}

/// Answers everything but formulas.
fn reachability<S: Watched + Sharded, B: Copy>(
    mut space: S,
    question: &Question<S::Properties, B>,
    mut plan: Plan,
    control: &mut dyn Control,
) -> Result<Report<S::Trace>, InternalError> {
    let mut watch = Watch::new(&space, question);
    let outer = limits::watch();
    space.store_mut().spill_to(control.spilling());
    let Explored { mut summary, spaces: mut shards, levels, has_cut_ties, is_counted, fault } =
        searched(&mut space, &mut watch, question, control)?;
    let threads = u32::try_from(shards.len()).map_or(1, |workers| workers.max(1));
    // Where a search ends early, cut ties of its lookahead are not reported.
    let has_cut_ties = !summary.complete || has_cut_ties || shards.iter().chain([&space]).any(S::has_cut_ties);
    settle(plan.group.as_mut(), &mut plan.reductions, has_cut_ties);
    // What follows computes steps again.
    let counts = if is_counted { executions::sum(shards.iter().chain([&space]).map(S::executions)) } else { None };
    let mut answers = watch.answers(&mut space, &summary, plan.keeps_fault_classes);
    if !are_readable(&space, &shards) {
        // A violation, or its trace, may have been read wrongly.
        watch.forget();
        summary = Summary { complete: false, limit: Some(limit_of(&space, &outer, Halt::Disk)), ..summary };
        answers = watch.answers(&mut space, &summary, plan.keeps_fault_classes);
    }
    let answers = answers?;
    if let Some(group) = plan.group.as_mut().filter(|group| plan.counts_orbits && summary.complete && group.exact) {
        let spaces = if shards.is_empty() { std::slice::from_mut(&mut space) } else { &mut shards };
        let counted = || orbits(spaces, plan.keeps_transitions);
        group.orbits = outer.or_afterwards(GRACE).run(counted).unwrap_or_default();
        if !are_readable(&space, &shards) {
            group.orbits = None;
        }
    }
    assert!(!summary.complete || summary.limit.is_none(), "no limit ended a complete search");
    let spaces = if shards.is_empty() { std::slice::from_ref(&space) } else { &shards };
    let stored: u64 = spaces.iter().map(|space| u64::from(space.store().len())).sum();
    assert!(!summary.complete || summary.states == stored, "every state of a complete search is counted once");
    let is_counted =
        is_counted && summary.complete && space.left_out() == 0 && shards.iter().all(|one| one.left_out() == 0);
    let mut data = Vec::new();
    if summary.complete && !plan.data.is_empty() {
        let spaces = if shards.is_empty() { std::slice::from_mut(&mut space) } else { &mut shards };
        let counted = || data_in_use(spaces, &plan.data);
        data = outer.or_afterwards(GRACE).run(counted).unwrap_or_default();
        if !are_readable(&space, &shards) {
            data.clear();
        }
    }
    let mut grown = Vec::new();
    if question.order == SearchOrder::BreadthFirst && summary.limit.is_some() && fault.is_none() {
        let spaces = if shards.is_empty() { std::slice::from_ref(&space) } else { &shards };
        let measured = || measured(spaces, levels, &summary, &plan.measures);
        grown = outer.or_afterwards(GRACE).run(measured).unwrap_or_default();
        if !are_readable(&space, &shards) {
            grown.clear();
        }
    }
    let executed = counts.filter(|_| is_counted).map(|counts| counts.into_iter().map(Some).collect());
    let unshown = answers.iter().find_map(|answer| match answer.finding {
        Finding::Open(Open::Unshown(stopped)) => Some(limit_of_stop(stopped)),
        _ => None,
    });
    Ok(Report {
        complete: summary.complete,
        states: summary.states,
        transitions: summary.transitions,
        depth: summary.depth,
        deadlock_states: (question.keep_going && summary.complete).then(|| watch.deadlocks()),
        limit: unshown.or(summary.limit),
        reductions: plan.reductions.into_iter().chain(space.reductions()).collect(),
        group: plan.group,
        data,
        growing: grown,
        executed,
        threads,
        fault,
        spilled: spilled(&space, &shards),
        ..of_runs(answers)
    })
}

/// The variables that grow in each of the last levels of a search; `levels` where its states are in several spaces.
fn measured<S: Watched>(
    spaces: &[S],
    levels: Option<Vec<Vec<u32>>>,
    summary: &Summary,
    measures: &[Measure],
) -> Vec<Growing> {
    if measures.is_empty() || summary.depth <= LEVELS as u64 {
        return Vec::new();
    }
    let of_one = || match spaces {
        [space] => last_levels(vec![Box::new((0..).zip(space.store().parents()))], LEVELS),
        _ => None,
    };
    levels.or_else(of_one).map_or_else(Vec::new, |starts| growing(spaces, &starts, measures))
}

/// Whether all states could be read so far.
fn are_readable<S: Watched>(space: &S, shards: &[S]) -> bool {
    shards.iter().chain([space]).all(|space| space.store().is_whole().is_ok())
}

/// The states that all spaces moved to the disk.
fn spilled<S: Watched>(space: &S, shards: &[S]) -> Spilled {
    let mut spilled = Spilled::default();
    shards.iter().chain([space]).for_each(|space| spilled.add(space.store().spilled()));
    spilled
}

/// Searches, on one thread as long as few states wait or the caller wants no more threads; returns the spaces that
/// have the states, if the search was shared among workers.
fn searched<S: Watched + Sharded, B: Copy>(
    space: &mut S,
    watch: &mut Watch<S>,
    question: &Question<S::Properties, B>,
    control: &mut dyn Control,
) -> Result<Explored<S>, InternalError> {
    let (limits, started) = (&question.limits, limits::watch().world().now());
    let is_deep = question.order == SearchOrder::DepthFirst;
    // A checkpoint has an index that is in memory; and only a breadth-first search may defer looking successors up.
    space.store_mut().may_delay(!is_deep && !control.is_saved());
    let (is_shared, delays) = (question.threads.most > 1 && !is_deep, space.store().delays());
    if !is_shared && !delays {
        let clock = Clock::new(control);
        return Ok(Explored::single(explore(space, watch, clock, limits, question.order)?));
    }
    let from = if is_shared { question.threads.from } else { u32::MAX };
    let shared = Shared {
        workers: question.threads.most as usize,
        from,
        max_depth: limits.max_depth,
        watch: &|space| Watch::new(space, question),
        #[cfg(any(test, feature = "mutants"))]
        panics_at: None,
        #[cfg(any(test, feature = "mutants"))]
        short_at: None,
    };
    let begun = begin(space, watch, Clock::new(&mut *control), limits, from);
    let clock = Clock::since(control, started);
    match begun {
        FirstPart::Over(summary) => Ok(Explored::single(summary)),
        FirstPart::Wide(handover) => parallel::explore(space, watch, handover, clock, &shared),
        FirstPart::ShortOfMemory(handover) => {
            Ok(Explored::single(parallel::explore_with_index_on_disk(space, watch, handover, clock, &shared)))
        }
    }
}

/// The report when each answer has a run of its own: the figures are those of the largest run.
pub fn of_runs<T>(answers: Vec<Answer<T>>) -> Report<T> {
    let runs = || answers.iter().filter_map(|answer| answer.run.as_ref());
    Report {
        verdict: Verdict::Inconclusive,
        complete: runs().all(|run| run.complete),
        exact: true,
        unwatched: Vec::new(),
        states: runs().map(|run| run.system_states).max().unwrap_or(0),
        transitions: runs().map(|run| run.transitions).max().unwrap_or(0),
        depth: runs().map(|run| run.depth).max().unwrap_or(0),
        deadlock_states: None,
        limit: runs().find_map(|run| run.limit),
        reductions: Vec::new(),
        group: None,
        data: Vec::new(),
        growing: Vec::new(),
        executed: None,
        threads: 1,
        fault: None,
        spilled: Spilled::default(),
        seconds: 0.0,
        answers,
    }
}

/// The checks that were not requested.
pub fn unwatched<S: Watched, B: Copy>(question: &Question<S::Properties, B>) -> Vec<Unwatched> {
    let unrequested = S::BUILT_IN.iter().filter(|&&kind| !question.includes(kind));
    let unwatched = unrequested.filter_map(|kind| match kind {
        QueryKind::Deadlock => Some(Unwatched::Deadlock),
        QueryKind::Overflow => Some(Unwatched::Overflow),
        QueryKind::Error => Some(Unwatched::Error),
        QueryKind::Assertion => Some(Unwatched::Assertion),
        QueryKind::Invariant | QueryKind::Ltl | QueryKind::Ctl | QueryKind::Cover | QueryKind::Recovery => None,
    });
    unwatched.collect()
}
