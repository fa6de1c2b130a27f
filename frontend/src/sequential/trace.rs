//! Executions of a process, and the replay of one by the reference semantics only.

use super::interpret::{SeqFault, SeqStep, State, is_initial, step, successors};
use super::{Sequential, SummandId};
use crate::execution::{self, Outcome, ReplayError};

/// An execution.
pub type Trace = execution::Trace<State, SeqStep>;

impl Outcome for State {
    type State = State;

    fn state(&self) -> Option<&State> {
        Some(self)
    }
}

impl Outcome for SeqStep {
    type State = State;

    fn state(&self) -> Option<&State> {
        self.result.as_ref().ok()
    }
}

impl Trace {
    /// The last step and its fault, if it faults.
    pub fn stop(&self) -> Option<(&SeqStep, &SeqFault)> {
        let last = self.steps.last()?;
        last.result.as_ref().err().map(|fault| (last, fault))
    }
}

/// The instance of a summand whose step faults.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Faulting {
    /// The summand.
    pub summand: SummandId,
    /// The values of its parameters.
    pub parameters: Vec<i32>,
}

/// Finds, by the reference semantics only, for each state after the first a step that gives it; the first state must be
/// initial. `last` requires a final step of an instance that ends in a fault. Of several fitting steps the first is
/// taken.
///
/// # Errors
/// The index at which nothing fits.
///
/// # Complexity
/// The successors of every state are computed once.
///
/// # Panics
/// If the process is not verified, or `last` does not fit its summand.
pub fn replay(model: &Sequential, states: &[State], last: Option<&Faulting>) -> Result<Trace, ReplayError> {
    replay_where(model, states, &|_, _| true, last)
}

/// As [`replay`], where each step, by its index, has to be wanted.
///
/// # Errors
/// As there.
///
/// # Complexity
/// As there.
///
/// # Panics
/// As there.
pub fn replay_where(
    model: &Sequential,
    states: &[State],
    is_wanted: &dyn Fn(usize, &SeqStep) -> bool,
    last: Option<&Faulting>,
) -> Result<Trace, ReplayError> {
    let start = states.first().filter(|state| is_initial(model, state)).cloned();
    let next = |index: usize, before: &State, after: &State| {
        let gives = |step: &SeqStep| step.state() == Some(after) && is_wanted(index, step);
        successors(model, before).into_iter().find(gives)
    };
    let last = last.map(|last| {
        |state: &State| step(model, state, last.summand, &last.parameters).filter(|step| step.result.is_err())
    });
    execution::replay(start, states, next, last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Diagnostics;
    use crate::sequential::{Options, parse};

    fn counter() -> Sequential {
        let text = "type N : 0..2; proc P(n : N, m : BOOL) = sum k:BOOL . [k = 1] up(n) { n := n + k; } -> P;
                    init P(n = 0, m = *);";
        parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a model")
    }

    #[test]
    fn executions_are_found_again() {
        let model = counter();
        let states = [vec![0, 1], vec![1, 1], vec![2, 1]];
        let trace = replay(&model, &states, None).expect("an execution");
        assert!(trace.states().eq(&states));
        assert_eq!(trace.steps[1].arguments, [1]);
        let last = Faulting { summand: SummandId(0), parameters: vec![1] };
        let trace = replay(&model, &states, Some(&last)).expect("an execution");
        assert_eq!((trace.steps.len(), trace.state(3)), (3, None));
        assert!(trace.stop().is_some());
    }

    #[test]
    fn other_sequences_are_refused() {
        let model = counter();
        let refused = |states: &[State], last| replay(&model, states, last).map_err(|error| error.index);
        assert_eq!(refused(&[vec![1, 0]], None), Err(0));
        assert_eq!(refused(&[vec![0, 2]], None), Err(0));
        assert_eq!(refused(&[vec![0, 0], vec![2, 0]], None), Err(1));
        assert_eq!(refused(&[vec![0, 0], vec![1, 1]], None), Err(1));
        let last = Faulting { summand: SummandId(0), parameters: vec![1] };
        assert_eq!(refused(&[vec![0, 0]], Some(&last)), Err(1));
    }

    #[test]
    fn a_lasso_must_close() {
        let text = "proc P(x : BIT) = [true] flip { x := 1 - x; } -> P; init P(x = 0);";
        let model = parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a model");
        let mut trace = replay(&model, &[vec![0], vec![1], vec![0]], None).expect("an execution");
        let mut closes = |index| trace.close(index, |state| successors(&model, state).is_empty());
        assert!(!closes(1) && !closes(2) && !closes(7) && closes(0));
        assert_eq!(trace.cycle_from, Some(0));
    }
}
