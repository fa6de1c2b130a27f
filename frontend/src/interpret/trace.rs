//! Executions of actors, and the replay of one by the reference semantics only.

use super::{Bounds, Fault, Message, State, Stop, starts, step_results, successors};
use crate::execution::{self, Outcome, ReplayError};
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
pub type Trace = execution::Trace<Start, Step>;

impl Outcome for Start {
    type State = State;

    fn state(&self) -> Option<&State> {
        self.result.as_ref().ok()
    }

    fn faults(&self) -> bool {
        matches!(self.result, Err((_, Stop::Fault(_))))
    }
}

impl Outcome for Step {
    type State = State;

    fn state(&self) -> Option<&State> {
        self.result.as_ref().ok()
    }

    fn faults(&self) -> bool {
        matches!(self.result, Err(Stop::Fault(_)))
    }
}

impl Trace {
    /// The reason why the trace ends without a state, and the rebec whose body ended it.
    pub fn stop(&self) -> Option<(RebecId, &Stop)> {
        match (&self.start.result, self.steps.last()) {
            (Err((rebec, stop)), _) => Some((*rebec, stop)),
            (Ok(_), Some(Step { rebec, result: Err(stop), .. })) => Some((*rebec, stop)),
            _ => None,
        }
    }
}

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
    let next = |index: usize, before: &State, after: &State| {
        let is_mover = |step: &Step| movers.get(index).is_none_or(|&mover| mover == step.rebec);
        let gives = |step: &Step| step.state() == Some(after) && is_mover(step);
        successors(model, bounds, before).into_iter().find(gives)
    };
    let last = last.map(|(rebec, fault)| {
        move |state: &State| {
            let ends = |step: &Step| matches!(&step.result, Err(Stop::Fault(found)) if found == fault);
            step_results(model, bounds, state, rebec).into_iter().find(ends)
        }
    });
    execution::replay(starts(model, bounds).find(fits), states, next, last)
}
