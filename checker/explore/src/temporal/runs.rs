//! The interface of a state space to the search for runs, in addition to safety: conditions with values, the
//! processes of steps, and executions that end in a cycle.

use std::hash::Hash;

use ltl::Bits;
use rustc_hash::FxHashMap;

use crate::report::InternalError;
use crate::watch::Watched;

/// The mover of a step that belongs to no process.
pub const NOBODY: u32 = u32::MAX;

/// A condition, or its negation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Literal<C> {
    /// The condition.
    pub condition: C,
    /// Whether it is not negated.
    pub is_positive: bool,
}

/// A state space whose infinite runs can be searched.
pub trait Runs: Watched {
    /// A condition without the negations around it, comparable with others.
    fn plain(condition: &Self::Condition) -> Literal<Self::Condition>;

    /// The value of a condition in a stored state; nothing where its evaluation faults.
    fn value(&self, condition: &mut Self::Invariant, number: u32) -> Option<bool>;

    /// Whether the conditions of a formula count in the states inside of the step that leaves a state, too.
    fn counts_inside(&self, _name: &str) -> bool {
        false
    }

    /// Notes from now on which of these conditions hold inside of steps. One that has no value there does not hold there.
    fn note_inside(&mut self, _conditions: &[Self::Condition]) {}

    /// The noted conditions, by number, that hold in some state inside of the step to each successor; empty where none is noted, or no
    /// step has states inside.
    fn inside(_expansion: &Self::Expansion) -> &[Bits] {
        &[]
    }

    /// Whether there are processes of which fairness can be assumed.
    fn has_processes(&self) -> bool;

    /// The processes of the steps with a successor, in the order of the successors; [`NOBODY`] for none.
    fn movers(expansion: &Self::Expansion) -> impl Iterator<Item = u32>;

    /// Sets the bits of the processes that have a step in a state, faulting ones included.
    fn enabled(&self, number: u32, expansion: &Self::Expansion, processes: &mut Vec<u64>);

    /// Whether this is a quotient that follows the processes on the way to representatives.
    fn follows(&self) -> bool;

    /// Whether a run ends with a faulting step of a state just expanded.
    fn ends_with(&self, expansion: &Self::Expansion, at: usize) -> bool {
        self.kind_of_fault(expansion, at).is_some()
    }

    /// The ways that each successor takes processes, by number; shorter than the successors where processes stay.
    fn moves(expansion: &Self::Expansion) -> &[u32];

    /// The process to which a process is taken, by the number of the way.
    fn moved(&self, moves: u32, process: u32) -> u32;

    /// The number of processes in every state, where it follows them.
    fn processes(&self) -> usize;

    /// The execution along stored states whose steps belong to these processes. With a fault it ends in it; the cycle goes
    /// back to the state of an index, or is the last state for ever.
    ///
    /// # Errors
    /// The reference semantics does not confirm it, or it does not close.
    fn lasso(&mut self, run: &Lasso, fault: Option<&Self::Fault>) -> Result<Self::Trace, InternalError>;

    /// Whether an execution along a cycle of stored states may never return to a state, though the cycle is one of
    /// the model: such a cycle has no counterexample here.
    fn may_not_close(&self) -> bool {
        false
    }

    /// The value of a condition in each state of an execution, by the reference semantics.
    fn reference_value(&self, condition: &Self::Condition, trace: &Self::Trace, at: usize) -> Option<bool>;

    /// The index of the state to which the last state of an execution goes back.
    fn cycle_from(trace: &Self::Trace) -> Option<usize>;

    /// The number of states of an execution.
    fn states(trace: &Self::Trace) -> usize;

    /// The name of a process that has a step in every state of the cycle of an execution and never takes one; nothing if the
    /// execution is fair.
    fn starved(&self, trace: &Self::Trace) -> Option<String>;
}

/// A run that repeats itself, by numbers of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// Its states; the last equals the one at `cycle_from`, unless the last repeats for ever.
    pub states: Vec<u32>,
    /// The processes of the steps between them.
    pub movers: Vec<u32>,
    /// The noted conditions that hold inside of these steps.
    pub inside: Vec<Bits>,
    /// The index of the state to which the last one goes back.
    pub cycle_from: usize,
}

/// The most states of an execution that is followed along representatives until it closes.
pub const MOST_UNROLLED: usize = 1 << 20;

/// The states of a run of a quotient: its cycle of representatives is followed until a state returns, for at most so
/// many states. `execution` finds states along representatives, always the same ones behind the same state.
///
/// The time is linear in the execution, whose length is doubled until it closes.
///
/// # Errors
/// The run does not close, or there is no such execution.
pub fn unrolled<T: Eq + Hash>(
    run: &Lasso,
    most: usize,
    mut execution: impl FnMut(&[u32]) -> Result<Vec<T>, InternalError>,
) -> Result<(Vec<T>, usize), InternalError> {
    assert!(run.cycle_from + 1 < run.states.len(), "a cycle has a step");
    let cycle = &run.states[run.cycle_from + 1..];
    let mut rounds = 1;
    loop {
        let mut path = run.states[..=run.cycle_from].to_vec();
        (0..rounds).for_each(|_| path.extend_from_slice(cycle));
        let mut states = execution(&path)?;
        assert_eq!(states.len(), path.len(), "an execution has a state for each one that it follows");
        let at = |round: usize| run.cycle_from + round * cycle.len();
        limits::work(path.len() as u64);
        let mut first: FxHashMap<&T, usize> = FxHashMap::default();
        let closes = (0..=rounds).find_map(|end| Some((first.insert(&states[at(end)], end)?, end)));
        if let Some((start, end)) = closes {
            states.truncate(at(end) + 1);
            return Ok((states, at(start)));
        }
        rounds *= 2;
        if rounds.saturating_mul(cycle.len()) > most {
            return Err(InternalError("the run of a counterexample does not return to a state".to_owned()));
        }
    }
}

/// Sets a bit.
pub fn set_bit(bits: &mut Vec<u64>, index: u32) {
    let (word, bit) = (index as usize / 64, index % 64);
    if bits.len() <= word {
        bits.resize(word + 1, 0);
    }
    bits[word] |= 1 << bit;
}
