//! Executions of a model, and the replay of one by the reference semantics only.
//!
//! Every sequence of states that a search finds is replayed here before it is shown.

use super::interpret::{Fault, State, Step, starts, successors};
use super::program::{Program, RuleId};
pub use crate::interpret::trace::ReplayError;

/// An execution.
///
/// Invariant: the start and all steps but the last have a state; a start without one has no steps behind it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Trace {
    /// Its start.
    pub start: Step,
    /// Its steps.
    pub steps: Vec<Step>,
    /// The index of the state to which the last one goes back, if the run repeats for ever. The index of the last state itself means that
    /// the run has ended there, in a state without steps or by a fault.
    pub cycle_from: Option<usize>,
}

impl Trace {
    /// The execution of a start without steps.
    pub fn new(start: Step) -> Trace {
        Trace { start, steps: Vec::new(), cycle_from: None }
    }

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

    /// The last step, or the start, and its fault, if it faults.
    pub fn stop(&self) -> Option<(&Step, &Fault)> {
        let last = self.steps.last().unwrap_or(&self.start);
        last.result.as_ref().err().map(|fault| (last, fault))
    }

    /// Turns the trace into a run that returns to the state of an index. Returns whether it does: the last state equals that one, and
    /// if the cycle has no step, the state has none or the last step faults there.
    pub fn close(&mut self, program: &Program, cycle_from: usize) -> bool {
        let closes = match (self.state(cycle_from), self.state(self.steps.len())) {
            (Some(state), Some(_)) if cycle_from == self.steps.len() => successors(program, state).is_empty(),
            (Some(state), Some(last)) => state == last,
            (Some(_), None) => cycle_from + 1 == self.steps.len() && self.stop().is_some(),
            _ => false,
        };
        if closes {
            self.cycle_from = Some(cycle_from);
        }
        closes
    }
}

/// The instance of a rule, or of a start state, that faults.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Faulting {
    /// The rule, or the start state, by its number among them.
    pub rule: RuleId,
    /// The values of its rulesets and the slots of its choices.
    pub values: Vec<i32>,
}

impl Faulting {
    /// Whether a step is the faulting one.
    fn is(&self, step: &Step) -> bool {
        step.result.is_err() && step.rule == self.rule && step.values == self.values
    }
}

/// Finds, by the reference semantics only, a start that gives the first state, and for each following state a step that
/// gives it. `last` requires a final step of an instance that faults; with no states it requires a start that does. Of
/// several fitting steps the first is taken.
///
/// # Errors
/// The index at which nothing fits.
///
/// # Panics
/// If the program is not one that [`parse`](super::parse) gave.
pub fn replay(program: &Program, states: &[State], last: Option<&Faulting>) -> Result<Trace, ReplayError> {
    let gives = |step: &Step, state: &State| step.result.as_ref() == Ok(state);
    let start = starts(program).into_iter().find(|start| match (states.first(), last) {
        (Some(state), _) => gives(start, state),
        (None, Some(last)) => last.is(start),
        (None, None) => false,
    });
    let mut trace = Trace::new(start.ok_or(ReplayError { index: 0 })?);
    for (index, pair) in states.windows(2).enumerate() {
        let found = successors(program, &pair[0]).into_iter().find(|step| gives(step, &pair[1]));
        trace.steps.push(found.ok_or(ReplayError { index: index + 1 })?);
    }
    if let (Some(state), Some(last)) = (states.last(), last) {
        let found = successors(program, state).into_iter().find(|step| last.is(step));
        trace.steps.push(found.ok_or(ReplayError { index: states.len() })?);
    }
    Ok(trace)
}
