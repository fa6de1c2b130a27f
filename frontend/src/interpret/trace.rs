//! Executions: the start of a run, its steps, and the replay of a run by the reference semantics only.
//!
//! Every sequence of states that a search finds, by reductions, symmetry or packed states, is replayed here before it
//! is shown: [`replay`] searches for a start and steps that give exactly these states, and fails if there are none.

use std::fmt;

use super::{Bounds, Fault, Message, State, Stop, starts, step_results, successors};
use crate::model::{Model, RebecId, Value};
use crate::source::Span;

/// A choice that was made.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Choice {
    /// The statement that contains the choice.
    pub span: Span,
    /// The index of the option.
    pub option: u32,
    /// Its value.
    pub value: Value,
}

/// A step: one rebec serves its oldest message.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The rebec.
    pub rebec: RebecId,
    /// The message.
    pub message: Message,
    /// The choices that were made, in order.
    pub choices: Vec<Choice>,
    /// The state afterwards, or the reason why there is none.
    pub result: Result<State, Stop>,
}

/// A way to start.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Start {
    /// The values of the feature variables.
    pub features: Vec<bool>,
    /// The arguments in `main` that have more than one possibility: the rebec, the index of the parameter, the value.
    pub arguments: Vec<(RebecId, usize, Value)>,
    /// The constructors with choices, in the order in which they ran.
    pub choices: Vec<(RebecId, Vec<Choice>)>,
    /// The initial state, or the rebec whose constructor stopped and the reason.
    pub result: Result<State, (RebecId, Stop)>,
}

/// An execution.
///
/// Invariants: all steps but the last have a state; there are no steps if the start has none.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Trace {
    /// The start.
    pub start: Start,
    /// Its steps.
    pub steps: Vec<Step>,
    /// For a lasso, the index of the state that the last state equals and from which the run repeats. The index of the
    /// last state itself means that the run has ended there, by a deadlock or a fault, and this state repeats for ever.
    pub cycle_from: Option<usize>,
}

impl Trace {
    /// The state of an index: 0 is the initial state, `i + 1` the one after `steps[i]`.
    pub fn state(&self, index: usize) -> Option<&State> {
        match index.checked_sub(1) {
            None => self.start.result.as_ref().ok(),
            Some(step) => self.steps.get(step)?.result.as_ref().ok(),
        }
    }

    /// All states in order.
    pub fn states(&self) -> impl Iterator<Item = &State> + '_ {
        (0..=self.steps.len()).map_while(|index| self.state(index))
    }

    /// The reason why the trace ends without a state, and the rebec whose body ended it.
    pub fn stop(&self) -> Option<(RebecId, &Stop)> {
        match (&self.start.result, self.steps.last()) {
            (Err((rebec, stop)), _) => Some((*rebec, stop)),
            (Ok(_), Some(Step { rebec, result: Err(stop), .. })) => Some((*rebec, stop)),
            _ => None,
        }
    }

    /// Turns the trace into a lasso that returns to the state of an index. Returns whether the lasso closes: the last
    /// state equals that one, and if the cycle has no step, the state is a deadlock or the last step faults there.
    pub fn close(&mut self, cycle_from: usize) -> bool {
        let closes = match (self.state(cycle_from), self.state(self.steps.len())) {
            (Some(state), Some(_)) if cycle_from == self.steps.len() => state.is_deadlock(),
            (Some(state), Some(last)) => state == last,
            (Some(_), None) => cycle_from + 1 == self.steps.len() && matches!(self.stop(), Some((_, Stop::Fault(_)))),
            _ => false,
        };
        if closes {
            self.cycle_from = Some(cycle_from);
        }
        closes
    }
}

/// A sequence of states that is not an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplayError {
    /// The index of the first state that no start (for 0) or no step gives; one past the last state if nothing gives
    /// the final fault.
    pub index: usize,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the reference semantics does not give entry {} of the execution", self.index)
    }
}

impl std::error::Error for ReplayError {}

/// Finds, by the reference semantics only, a start that gives `states[0]`, and for each following state a step that
/// gives it. `last` requires a final step of a rebec that ends in a fault; with no states it requires a constructor
/// that does. Of several fitting starts or steps the first is taken.
///
/// # Errors
/// The index at which nothing fits.
///
/// # Complexity
/// The successors of every state are computed once.
pub fn replay(
    model: &Model,
    bounds: &Bounds,
    states: &[State],
    last: Option<(RebecId, &Fault)>,
) -> Result<Trace, ReplayError> {
    replay_moves(model, bounds, states, &[], last)
}

/// As [`replay`], with the rebec of each step where one is given: the first steps are those of the given rebecs.
///
/// # Errors
/// As there.
///
/// # Complexity
/// As there.
pub fn replay_moves(
    model: &Model,
    bounds: &Bounds,
    states: &[State],
    movers: &[RebecId],
    last: Option<(RebecId, &Fault)>,
) -> Result<Trace, ReplayError> {
    let wanted = states.first();
    let fits = |start: &Start| match (&start.result, wanted, last) {
        (Ok(state), Some(wanted), _) => state == wanted,
        (Err((rebec, Stop::Fault(fault))), None, Some(last)) => (*rebec, fault) == last,
        _ => false,
    };
    let start = starts(model, bounds).find(fits).ok_or(ReplayError { index: 0 })?;
    let mut steps = Vec::with_capacity(states.len());
    for (index, pair) in states.windows(2).enumerate() {
        let fits = |step: &Step| {
            step.result.as_ref() == Ok(&pair[1]) && movers.get(index).is_none_or(|&mover| mover == step.rebec)
        };
        let found = successors(model, bounds, &pair[0]).into_iter().find(fits);
        steps.push(found.ok_or(ReplayError { index: index + 1 })?);
    }
    if let (Some(state), Some((rebec, fault))) = (states.last(), last) {
        let ends = |step: &Step| matches!(&step.result, Err(Stop::Fault(found)) if found == fault);
        let found = step_results(model, bounds, state, rebec).into_iter().find(ends);
        steps.push(found.ok_or(ReplayError { index: states.len() })?);
    }
    Ok(Trace { start, steps, cycle_from: None })
}
