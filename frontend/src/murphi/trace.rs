//! Executions of a model, and the replay of one by the reference semantics only.

use super::interpret::{Fault, State, Step, starts, successors};
use super::program::{Program, RuleId};
use crate::execution::{self, Outcome, ReplayError};

/// An execution.
pub type Trace = execution::Trace<Step>;

impl Outcome for Step {
    type State = State;

    fn state(&self) -> Option<&State> {
        self.result.as_ref().ok()
    }
}

impl Trace {
    /// The last step, or the start, and its fault, if it faults.
    pub fn stop(&self) -> Option<(&Step, &Fault)> {
        let last = self.steps.last().unwrap_or(&self.start);
        last.result.as_ref().err().map(|fault| (last, fault))
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
    let start = starts(program).into_iter().find(|start| match (states.first(), last) {
        (Some(state), _) => start.state() == Some(state),
        (None, Some(last)) => last.is(start),
        (None, None) => false,
    });
    let find = |state: &State, fits: &dyn Fn(&Step) -> bool| successors(program, state).into_iter().find(fits);
    let next = |_, before: &State, after: &State| find(before, &|step| step.state() == Some(after));
    execution::replay(start, states, next, last.map(|last| move |state: &State| find(state, &|step| last.is(step))))
}
