//! A Rebeca model against its sequential form: printed, read back, explored level by level by both reference
//! interpreters, and checked.
//!
//! Each level must have the same number of states, of transitions (process and distinct successor), of deadlocks and
//! of (state, process) pairs with a faulting step; the checker must have the same counts of states and deadlocks for
//! the process and give the verdicts about invariants and formulas that it gives on the model.

use std::collections::HashSet;
use std::hash::Hash;

use checker::{Fairness, Limits, QueryKind, Question, SearchOrder, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::interpret::{Bounds, FaultKind, Stop, starts, successors};
use frontend::model::{Model, PropertyKind, PropertySet};
use frontend::sequential::{self, Options, Sequential, from_actors, interpret, parse, print::print, spans, verify};

use crate::harness::check;

/// The result of the comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Compared {
    /// The model has no sequential form: the codes and messages.
    Refused(String),
    /// More states than requested, or a run that a bound of the tool ends: not compared to the end.
    Large,
    /// The same state space.
    Same {
        /// The states.
        states: usize,
        /// The transitions of the model.
        transitions: usize,
        /// The enabled instances of the process: more where choices lead to one state.
        instances: usize,
        /// The deadlocks.
        deadlocks: usize,
        /// The (state, process) pairs with a faulting step.
        faults: usize,
    },
}

/// One level of a breadth-first search.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Level {
    states: usize,
    transitions: usize,
    deadlocks: usize,
    faults: usize,
}

/// The steps of a state: steps without successor are `None`.
type Steps<S> = Vec<(usize, Option<S>)>;

/// The levels of a state space with at most so many states, and the number of all steps with a successor.
fn levels<S: Clone + Eq + Hash>(
    first: Vec<S>,
    most: usize,
    mut steps: impl FnMut(&S) -> Option<Steps<S>>,
) -> Option<(Vec<Level>, usize)> {
    let mut seen: HashSet<S> = HashSet::new();
    let mut level: Vec<S> = first.into_iter().filter(|state| seen.insert(state.clone())).collect();
    let (mut found, mut instances) = (Vec::new(), 0);
    while !level.is_empty() {
        let mut counts = Level { states: level.len(), ..Level::default() };
        let mut next = Vec::new();
        for state in &level {
            let steps = steps(state)?;
            counts.deadlocks += usize::from(steps.is_empty());
            let faulting: HashSet<usize> = steps.iter().filter(|step| step.1.is_none()).map(|step| step.0).collect();
            counts.faults += faulting.len();
            instances += steps.iter().filter(|step| step.1.is_some()).count();
            let distinct: HashSet<(usize, S)> =
                steps.into_iter().filter_map(|(process, after)| Some((process, after?))).collect();
            counts.transitions += distinct.len();
            for (_, after) in distinct {
                if seen.insert(after.clone()) {
                    next.push(after);
                }
            }
        }
        found.push(counts);
        if seen.len() > most {
            return None;
        }
        level = next;
    }
    Some((found, instances))
}

/// The levels of a model; nothing where a bound of the tool or a server without end is met.
fn of_actors(model: &Model, bounds: &Bounds, most: usize) -> Option<(Vec<Level>, usize)> {
    let first: Vec<_> = starts(model, bounds).map(|start| start.result.ok()).collect::<Option<_>>()?;
    levels(first, most, |state| {
        let steps = successors(model, bounds, state).into_iter().map(|step| match step.result {
            Ok(after) => Some((step.rebec.index(), Some(after))),
            Err(Stop::Fault(fault)) if !matches!(fault.kind, FaultKind::Endless | FaultKind::TooDeep) => {
                Some((step.rebec.index(), None))
            }
            Err(_) => None,
        });
        steps.collect()
    })
}

/// The levels of a process whose first parameter is the number of the rebec that acts.
fn of_process(process: &Sequential, most: usize) -> Option<(Vec<Level>, usize)> {
    let first = interpret::initial_states(process).collect();
    levels(first, most, |state| {
        let steps = interpret::successors(process, state).into_iter();
        let actor =
            |step: &interpret::SeqStep| step.parameters.first().map_or(0, |&rebec| rebec.unsigned_abs() as usize);
        Some(steps.map(|step| (actor(&step), step.result.ok())).collect())
    })
}

/// The sequential form, printed and read back, or its refusal.
///
/// # Errors
/// The fault of the text.
pub fn converted(model: &Model, properties: &PropertySet) -> Result<Result<Sequential, String>, String> {
    let mut sink = Diagnostics::new();
    let Some(process) = from_actors(model, properties, &mut sink) else {
        let messages: Vec<String> =
            sink.list.iter().map(|found| format!("{}: {}", found.code, found.message)).collect();
        return if sink.has_errors() { Ok(Err(messages.join("; "))) } else { Err("refused without an error".into()) };
    };
    let text = print(&process);
    let mut sink = Diagnostics::new();
    let again = parse(&text, &Options::default(), &mut sink).model;
    let again = again.ok_or_else(|| format!("the printed form is refused: {:?}\n{text}", sink.list))?;
    if let Some(broken) = verify::verify(&again).first() {
        return Err(format!("the form that was read back is broken: {broken:?}\n{text}"));
    }
    if print(&again) != text {
        return Err(format!("printed again it is another text:\n{text}\n{}", print(&again)));
    }
    if spans::without_spans(again.clone()) != process {
        return Err(format!("the printed form reads back as another one:\n{text}"));
    }
    Ok(Ok(again))
}

/// Compares a model with its sequential form.
///
/// # Errors
/// The difference.
pub fn compare(model: &Model, properties: &PropertySet, bounds: &Bounds, most: usize) -> Result<Compared, String> {
    let process = match converted(model, properties)? {
        Ok(process) => process,
        Err(reason) => return Ok(Compared::Refused(reason)),
    };
    let Some((expected, _)) = of_actors(model, bounds, most) else { return Ok(Compared::Large) };
    let Some((found, instances)) = of_process(&process, most) else {
        return Err(format!("the process has more states\n{}", print(&process)));
    };
    if expected != found {
        return Err(format!("levels of the model {expected:?}\nlevels of the process {found:?}\n{}", print(&process)));
    }
    let sum = |of: fn(&Level) -> usize| found.iter().map(of).sum::<usize>();
    let states = sum(|level| level.states);
    let deadlocks = sum(|level| level.deadlocks);
    checked(model, properties, bounds, &process, (states, instances, deadlocks))?;
    let (transitions, faults) = (sum(|level| level.transitions), sum(|level| level.faults));
    Ok(Compared::Same { states, transitions, instances, deadlocks, faults })
}

/// The answers about formulas that were compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Formulas {
    /// All of them.
    pub compared: usize,
    /// Those of formulas that hold on the fair runs only, where the process says who is fair.
    pub fair: usize,
}

/// Compares the verdicts about the formulas of a model with those of its sequential form: on all runs, and on the fair ones where the form says
/// who is fair.
///
/// # Errors
/// The difference.
pub fn compare_formulas(
    model: &Model,
    properties: &PropertySet,
    bounds: &Bounds,
    most: u64,
) -> Result<Formulas, String> {
    let mut counts = Formulas::default();
    let Ok(process) = converted(model, properties)? else { return Ok(counts) };
    let limits = Limits { max_states: Some(most), ..Limits::default() };
    let own = properties.properties.iter().filter(|property| matches!(property.kind, PropertyKind::Ltl(_)));
    let printed = process.properties.iter().filter(|one| matches!(one.kind, sequential::PropertyKind::Ltl(_)));
    for (own, printed) in own.zip(printed) {
        let answers = |fairness| {
            let question = Question {
                bounds: *bounds,
                limits,
                properties: PropertySet { definitions: Vec::new(), properties: vec![own.clone()] },
                fairness,
                ..nothing()
            };
            let of_model = checker::check(model, &question, &mut ()).map_err(|error| error.0)?;
            let question = Question { limits, properties: vec![printed.clone()], fairness, ..nothing() };
            let of_process = checker::sequential::check(&process, &question, &mut ()).map_err(|error| error.0)?;
            let verdict = |found: Option<Verdict>| found.ok_or_else(|| format!("no answer about {}", own.name));
            let of_model = verdict(of_model.answers.first().map(|answer| answer.verdict))?;
            Ok::<_, String>([of_model, verdict(of_process.answers.first().map(|answer| answer.verdict))?])
        };
        let mut verdicts = vec![answers(Fairness::None)?];
        if process.fair.is_some() {
            verdicts.push(answers(Fairness::Weak)?);
        }
        if verdicts.iter().flatten().any(|verdict| *verdict == Verdict::Inconclusive) {
            continue;
        }
        if verdicts.iter().any(|[of_model, of_process]| of_model != of_process) {
            return Err(format!("{}: verdicts of model and process {verdicts:?}\n{}", own.name, print(&process)));
        }
        counts.compared += verdicts.len();
        counts.fair += usize::from(verdicts.first() != verdicts.last());
    }
    Ok(counts)
}

/// A question about no more than its properties.
fn nothing<P: Default>() -> Question<P> {
    Question { deadlock: false, overflow: false, assertions: false, faults: false, ..Question::default() }
}

/// Compares the reports of the checker on the model and on the process.
fn checked(
    model: &Model,
    properties: &PropertySet,
    bounds: &Bounds,
    process: &Sequential,
    counts: (usize, usize, usize),
) -> Result<(), String> {
    // Separate runs answer formulas (`compare_formulas`).
    let mut requested = properties.clone();
    requested.properties.retain(|property| !matches!(property.kind, PropertyKind::Ltl(_)));
    let question = Question { bounds: *bounds, properties: requested, ..Question::default() };
    let expected = check(model, &question, SearchOrder::BreadthFirst, true)?;
    let question: Question<Vec<sequential::Property>> = Question {
        properties: process
            .properties
            .iter()
            .filter(|p| matches!(p.kind, PropertyKind::Invariant(_)))
            .cloned()
            .collect(),
        keep_going: true,
        overflow: false,
        assertions: false,
        ..Question::default()
    };
    let found = checker::sequential::check(process, &question, &mut ()).map_err(|error| error.0)?;
    let (states, instances, deadlocks) = counts;
    // The reference counts states without steps; where some of them may end, the model is compared with its form.
    let deadlocks = if process.ends.is_some() { found.deadlock_states } else { Some(deadlocks as u64) };
    let reference = (states as u64, instances as u64, deadlocks);
    if (found.states, found.transitions, found.deadlock_states) != reference {
        let found = (found.states, found.transitions, found.deadlock_states);
        return Err(format!(
            "(states, transitions, deadlocks) by the checker {found:?}, by the reference {reference:?}"
        ));
    }
    if (expected.states, expected.deadlock_states) != (reference.0, reference.2) {
        return Err(format!("states of the model by the checker: {}", expected.states));
    }
    let invariants = |answers: Vec<(QueryKind, Verdict)>| -> Vec<Verdict> {
        answers.into_iter().filter(|answer| answer.0 == QueryKind::Invariant).map(|answer| answer.1).collect()
    };
    let of_model = invariants(expected.answers.iter().map(|answer| (answer.kind, answer.verdict)).collect());
    let of_process = invariants(found.answers.iter().map(|answer| (answer.kind, answer.verdict)).collect());
    if of_model != of_process {
        return Err(format!("verdicts about invariants: {of_model:?} and {of_process:?}"));
    }
    Ok(())
}
