//! Executions of a model in any language: a start, its steps, and for a lasso the state to which it returns.
//!
//! Every sequence of states that a search finds, by reductions, symmetry or packed states, is replayed by the reference semantics of its
//! language before it is shown: [`replay`] searches for steps that give exactly these states, and fails if there are none.

use std::fmt;

/// A start or a step, with the state to which it leads.
pub trait Outcome {
    /// A state of the model.
    type State: PartialEq;

    /// The state, if there is one.
    fn state(&self) -> Option<&Self::State>;

    /// Whether a fault of the model is the reason that there is none.
    fn faults(&self) -> bool {
        self.state().is_none()
    }
}

/// An execution.
///
/// Invariants: all steps but the last have a state; there are no steps if the start has none.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Trace<Start, Step = Start> {
    /// The start.
    pub start: Start,
    /// Its steps.
    pub steps: Vec<Step>,
    /// For a lasso, the index of the state that the last state equals and from which the run repeats. The index of the
    /// last state itself means that the run has ended there, by a deadlock or a fault, and this state repeats for ever.
    pub cycle_from: Option<usize>,
}

impl<Start: Outcome, Step: Outcome<State = Start::State>> Trace<Start, Step> {
    /// The execution of a start without steps.
    pub fn new(start: Start) -> Self {
        Trace { start, steps: Vec::new(), cycle_from: None }
    }

    /// The state of an index: 0 is the initial state, `i + 1` the one after `steps[i]`.
    pub fn state(&self, index: usize) -> Option<&Start::State> {
        match index.checked_sub(1) {
            None => self.start.state(),
            Some(step) => self.steps.get(step)?.state(),
        }
    }

    /// All states in order.
    pub fn states(&self) -> impl Iterator<Item = &Start::State> + '_ {
        (0..=self.steps.len()).map_while(|index| self.state(index))
    }

    /// The state at which the execution has arrived; none behind a fault or a limit.
    pub fn last_state(&self) -> Option<&Start::State> {
        self.state(self.steps.len())
    }

    /// Whether the last step, or the start, ends in a fault.
    pub fn faults(&self) -> bool {
        self.steps.last().map_or_else(|| self.start.faults(), Outcome::faults)
    }

    /// Takes a step.
    ///
    /// # Panics
    /// If the execution has ended before.
    pub fn take(&mut self, step: Step) {
        assert!(self.last_state().is_some(), "a step starts at a state");
        assert!(self.cycle_from.is_none(), "a lasso takes no further step");
        self.steps.push(step);
    }

    /// Turns the trace into a lasso that returns to the state of an index. Returns whether the lasso closes: the last
    /// state equals that one, and if the cycle has no step, the state has no steps (`is_end`) or the last step faults there.
    pub fn close(&mut self, cycle_from: usize, is_end: impl FnOnce(&Start::State) -> bool) -> bool {
        let closes = match (self.state(cycle_from), self.last_state()) {
            (Some(state), Some(_)) if cycle_from == self.steps.len() => is_end(state),
            (Some(state), Some(last)) => state == last,
            (Some(_), None) => cycle_from + 1 == self.steps.len() && self.faults(),
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

/// The execution of a start through given states. `next` gives a step with its index from the first of two states to the second, and `last`,
/// where it is given, the final step that faults in the last state.
///
/// # Errors
/// The index at which there is none.
pub fn replay<Start: Outcome, Step: Outcome<State = Start::State>>(
    start: Option<Start>,
    states: &[Start::State],
    mut next: impl FnMut(usize, &Start::State, &Start::State) -> Option<Step>,
    last: Option<impl FnOnce(&Start::State) -> Option<Step>>,
) -> Result<Trace<Start, Step>, ReplayError> {
    let mut trace = Trace::new(start.ok_or(ReplayError { index: 0 })?);
    for (index, pair) in states.windows(2).enumerate() {
        trace.take(next(index, &pair[0], &pair[1]).ok_or(ReplayError { index: index + 1 })?);
    }
    if let (Some(state), Some(last)) = (states.last(), last) {
        trace.take(last(state).ok_or(ReplayError { index: states.len() })?);
    }
    assert!(trace.states().eq(states), "the execution has the states that were to be found");
    Ok(trace)
}
