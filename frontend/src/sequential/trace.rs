//! Executions of a process, and the replay of one by the reference semantics only.
//!
//! Every sequence of states that a search finds is replayed here before it is shown: [`replay`] searches for steps that
//! give exactly these states, and fails if there are none.

use super::interpret::{SeqFault, SeqStep, State, is_initial, step, successors};
use super::{Sequential, SummandId};
pub use crate::interpret::trace::ReplayError;

/// An execution.
///
/// Invariant: all steps but the last have a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Trace {
    /// The initial state.
    pub start: State,
    /// Its steps.
    pub steps: Vec<SeqStep>,
    /// For a lasso, the index of the state that the last state equals and from which the run repeats. The index of the
    /// last state itself means that the run has ended there, by a deadlock or a fault, and this state repeats for ever.
    pub cycle_from: Option<usize>,
}

impl Trace {
    /// The execution of an initial state without steps.
    pub fn new(start: State) -> Trace {
        Trace { start, steps: Vec::new(), cycle_from: None }
    }

    /// The state of an index: 0 is the initial state, `i + 1` the one after `steps[i]`.
    pub fn state(&self, index: usize) -> Option<&State> {
        match index.checked_sub(1) {
            None => Some(&self.start),
            Some(step) => self.steps.get(step)?.result.as_ref().ok(),
        }
    }

    /// All states in order.
    pub fn states(&self) -> impl Iterator<Item = &State> + '_ {
        (0..=self.steps.len()).map_while(|index| self.state(index))
    }

    /// The last step and its fault, if it faults.
    pub fn stop(&self) -> Option<(&SeqStep, &SeqFault)> {
        let last = self.steps.last()?;
        last.result.as_ref().err().map(|fault| (last, fault))
    }

    /// Turns the trace into a lasso that returns to the state of an index. Returns whether the lasso closes: the last
    /// state equals that one, and if the cycle has no step, the state is a deadlock or the last step faults there.
    pub fn close(&mut self, model: &Sequential, cycle_from: usize) -> bool {
        let closes = match (self.state(cycle_from), self.state(self.steps.len())) {
            (Some(state), Some(_)) if cycle_from == self.steps.len() => successors(model, state).is_empty(),
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
    replay_moves(model, states, &[], last)
}

/// As [`replay`], with the process of weak fairness of each step where one is given (`None`: of no process): the first
/// steps are those of the given processes.
///
/// # Errors
/// As there.
///
/// # Complexity
/// As there.
///
/// # Panics
/// As there.
pub fn replay_moves(
    model: &Sequential,
    states: &[State],
    movers: &[Option<u32>],
    last: Option<&Faulting>,
) -> Result<Trace, ReplayError> {
    let start = states.first().filter(|state| is_initial(model, state)).ok_or(ReplayError { index: 0 })?;
    let mut trace = Trace::new(start.clone());
    for (index, pair) in states.windows(2).enumerate() {
        let mover = |step: &SeqStep| model.fair_process(step.summand, &step.parameters);
        let fits = |step: &SeqStep| {
            step.result.as_ref() == Ok(&pair[1]) && movers.get(index).is_none_or(|&wanted| wanted == mover(step))
        };
        let found = successors(model, &pair[0]).into_iter().find(fits);
        trace.steps.push(found.ok_or(ReplayError { index: index + 1 })?);
    }
    if let (Some(state), Some(last)) = (states.last(), last) {
        let found = step(model, state, last.summand, &last.parameters).filter(|step| step.result.is_err());
        trace.steps.push(found.ok_or(ReplayError { index: states.len() })?);
    }
    Ok(trace)
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
        assert!(!trace.close(&model, 1) && !trace.close(&model, 2) && !trace.close(&model, 7));
        assert!(trace.close(&model, 0));
        assert_eq!(trace.cycle_from, Some(0));
    }
}
