//! Initial states: every valuation of the features, every combination of arguments in `main`, and with dialect 2.1 every
//! branch of the constructors, run in the order of `main`.
//!
//! Features and arguments are counted like an odometer, the last argument fastest. For each of their combinations the
//! constructors are searched depth first, with one level, and one copy of the state, per constructor that has several branches or a
//! choice, so that at most one path is held at a time.

use std::collections::VecDeque;

use super::run::Entry;
use super::serve::{Outcome, branches};
use super::step::complete;
use super::trace::{Choice, Start};
use super::{Bounds, ExecutionLimit, Heap, Message, Rebec, State, Stop};
use crate::model::{Constructor, Dialect, Model, RebecId, Value};

/// The greatest number of ways to start that are enumerated; after them comes one that ends in
/// [`ExecutionLimit::Work`].
pub const MAX_STARTS: usize = 1_000_000;

/// All ways to start a model; see [`starts`].
pub struct Starts<'a> {
    model: &'a Model,
    bounds: Bounds,
    /// One per feature, then one per argument of an instance.
    wheels: Vec<OdometerDigit>,
    levels: Vec<Level>,
    given: usize,
    phase: Phase,
}

/// One position of the odometer.
struct OdometerDigit {
    digit: usize,
    size: usize,
}

/// A constructor with several branches or a choice that has run, with the branches that are still to be followed.
struct Level {
    rebec: RebecId,
    before: State,
    outcomes: std::vec::IntoIter<Outcome>,
    chosen: Vec<Choice>,
}

#[derive(PartialEq, Eq)]
enum Phase {
    /// The wheels are at a combination that has not begun.
    Fresh,
    /// The levels hold the remaining branches of the combination.
    Branching,
    Finished,
}

/// All ways to start a model, not deduplicated. After [`MAX_STARTS`] of them comes a last one whose result is
/// [`ExecutionLimit::Work`].
///
/// # Panics
/// While iterating, if the model is not verified.
pub fn starts<'a>(model: &'a Model, bounds: &Bounds) -> Starts<'a> {
    let features = model.features.iter().map(|_| 2);
    let arguments = model.instances.iter().flat_map(|instance| instance.arguments.iter().map(Vec::len));
    let wheels: Vec<OdometerDigit> = features.chain(arguments).map(|size| OdometerDigit { digit: 0, size }).collect();
    assert!(wheels.iter().all(|wheel| wheel.size > 0), "every argument has a value");
    Starts { model, bounds: *bounds, wheels, levels: Vec::new(), given: 0, phase: Phase::Fresh }
}

impl Iterator for Starts<'_> {
    type Item = Start;

    fn next(&mut self) -> Option<Start> {
        loop {
            let result = match self.phase {
                Phase::Finished => return None,
                Phase::Fresh => {
                    self.phase = Phase::Branching;
                    debug_assert!(self.levels.is_empty(), "the branches of the arguments before are done");
                    let state = self.bare();
                    self.descend(state, 0)
                }
                Phase::Branching => match self.backtrack() {
                    Some(result) => result,
                    None => {
                        self.phase = if self.turn() { Phase::Fresh } else { Phase::Finished };
                        continue;
                    }
                },
            };
            self.given += 1;
            if self.given > MAX_STARTS {
                self.phase = Phase::Finished;
                return Some(self.start(Err((RebecId(0), Stop::Limit(ExecutionLimit::Work)))));
            }
            return Some(self.start(result));
        }
    }
}

impl Starts<'_> {
    /// Turns the odometer; returns whether it reached a new combination.
    fn turn(&mut self) -> bool {
        limits::work(1);
        for wheel in self.wheels.iter_mut().rev() {
            wheel.digit += 1;
            if wheel.digit < wheel.size {
                return true;
            }
            wheel.digit = 0;
        }
        false
    }

    fn features(&self) -> Vec<bool> {
        self.wheels[..self.model.features.len()].iter().map(|wheel| wheel.digit == 1).collect()
    }

    /// The arguments of an instance in the current combination.
    fn arguments(&self, instance: usize) -> Vec<Value> {
        let before: usize = self.model.instances[..instance].iter().map(|instance| instance.arguments.len()).sum();
        let wheels = self.wheels[self.model.features.len() + before..].iter();
        let possible = &self.model.instances[instance].arguments;
        debug_assert!(wheels.len() >= possible.len(), "every argument has its wheel");
        possible.iter().zip(wheels).map(|(values, wheel)| values[wheel.digit]).collect()
    }

    /// The state before any constructor runs; with dialect 2.0 this is an initial state.
    fn bare(&self) -> State {
        let model = self.model;
        let mut rebecs = Vec::with_capacity(model.instances.len());
        for (index, instance) in model.instances.iter().enumerate() {
            let class = model.class(instance.class);
            let server = if model.dialect == Dialect::Rebeca20 { class.server("initial") } else { None };
            let message = |server| {
                let arguments = self.arguments(index);
                Message { server, sender: RebecId::from_index(index), arguments }
            };
            let queue: VecDeque<Message> = server.map(message).into_iter().collect();
            rebecs.push(Some(Rebec { values: class.initial_values(&instance.known), queue }));
        }
        State { features: self.features(), rebecs }
    }

    /// Runs the constructors from an instance on, along the first branch of each.
    fn descend(&mut self, mut state: State, first: usize) -> Result<State, (RebecId, Stop)> {
        for index in first..self.model.instances.len() {
            let model = self.model;
            let Some(constructor) = &model.class(model.instances[index].class).constructor else { continue };
            if model.dialect == Dialect::Rebeca20 {
                continue;
            }
            let rebec = RebecId::from_index(index);
            let mut outcomes = self.construct(&state, rebec, constructor).into_iter();
            if outcomes.len() == 1 && outcomes.as_slice()[0].choices.is_empty() {
                let outcome = outcomes.next().expect("there is one");
                complete(model, &mut state, rebec, outcome).map_err(|stop| (rebec, stop))?;
                continue;
            }
            let is_later = self.levels.last().is_none_or(|level| level.rebec < rebec);
            debug_assert!(is_later, "constructors run in the order of `main`");
            self.levels.push(Level { rebec, before: state, outcomes, chosen: Vec::new() });
            state = self.follow().expect("a body has at least one branch")?;
        }
        Ok(state)
    }

    fn construct(&self, state: &State, rebec: RebecId, constructor: &Constructor) -> Vec<Outcome> {
        let model = self.model;
        let heap = if model.creatable.is_empty() { Heap::default() } else { state.heap(model) };
        branches(&Entry {
            model,
            bounds: &self.bounds,
            features: &state.features,
            heap: &heap,
            rebec,
            values: &state.rebec(rebec).expect("the rebecs of `main` are in every state").values,
            body: &constructor.body,
            sender: rebec,
            arguments: &self.arguments(rebec.index()),
        })
    }

    /// Follows the next branch of the innermost constructor, if it has one.
    fn follow(&mut self) -> Option<Result<State, (RebecId, Stop)>> {
        let level = self.levels.last_mut()?;
        let mut outcome = level.outcomes.next()?;
        level.chosen = std::mem::take(&mut outcome.choices);
        let (mut state, rebec) = (level.before.clone(), level.rebec);
        Some(complete(self.model, &mut state, rebec, outcome).map(|()| state).map_err(|stop| (rebec, stop)))
    }

    /// The next branch within the current combination.
    fn backtrack(&mut self) -> Option<Result<State, (RebecId, Stop)>> {
        while let Some(level) = self.levels.last() {
            let next = level.rebec.index() + 1;
            match self.follow() {
                Some(Ok(state)) => return Some(self.descend(state, next)),
                Some(Err(stop)) => return Some(Err(stop)),
                None => {
                    self.levels.pop();
                }
            }
        }
        None
    }

    fn start(&self, result: Result<State, (RebecId, Stop)>) -> Start {
        debug_assert!(result.iter().all(|state| state.is_of(self.model)), "a start has every variable");
        let mut arguments = Vec::new();
        for (index, instance) in self.model.instances.iter().enumerate() {
            let rebec = RebecId::from_index(index);
            let values = self.arguments(index).into_iter().enumerate();
            let open = values.filter(|&(parameter, _)| instance.arguments[parameter].len() > 1);
            arguments.extend(open.map(|(parameter, value)| (rebec, parameter, value)));
        }
        let chosen = self.levels.iter().filter(|level| !level.chosen.is_empty());
        let choices = chosen.map(|level| (level.rebec, level.chosen.clone())).collect();
        Start { features: self.features(), arguments, choices, result }
    }
}
