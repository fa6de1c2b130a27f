//! The obvious explorer: the reference interpreter and a hash map. Tests compare the fast path with it.

use std::collections::{BTreeSet, VecDeque};

use frontend::interpret::{Bounds, FaultClass, FaultKind, State, Stop, starts, successors};
use frontend::model::{Model, RebecId};
use rustc_hash::FxHashMap;

/// A fault of a step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FaultEntry {
    /// Its class.
    pub class: FaultClass,
    /// The rebec that serves.
    pub rebec: RebecId,
    /// A rendering of the fault.
    pub description: String,
}

/// The counts of a plain exploration.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NaiveCounts {
    /// Reachable states, initial ones included.
    pub states: u64,
    /// Pairs (rebec, distinct successor).
    pub transitions: u64,
    /// States in which no rebec has a message.
    pub deadlocks: u64,
    /// The greatest distance of a state from an initial one.
    pub depth: u64,
    /// The faults met.
    pub faults: BTreeSet<FaultEntry>,
    /// Whether everything was explored.
    pub complete: bool,
}

/// Explores a verified model breadth first, by the reference interpreter only.
///
/// # Complexity
/// Time and memory of whole states: for small models.
pub fn explore(model: &Model, bounds: &Bounds, max_states: usize) -> NaiveCounts {
    let mut counts = NaiveCounts { complete: true, ..NaiveCounts::default() };
    let mut depths: FxHashMap<State, u64> = FxHashMap::default();
    let mut queue = VecDeque::new();
    for start in starts(model, bounds) {
        match start.result {
            Ok(state) => discover(&mut depths, &mut queue, state, 0),
            Err((rebec, stop)) => counts.stopped(rebec, stop),
        }
    }
    while let Some(state) = queue.pop_front() {
        if depths.len() > max_states {
            counts.complete = false;
            break;
        }
        let depth = depths[&state];
        counts.deadlocks += u64::from(state.is_deadlock());
        counts.depth = counts.depth.max(depth);
        let mut distinct = BTreeSet::new();
        for step in successors(model, bounds, &state) {
            match step.result {
                Ok(next) => {
                    distinct.insert((step.rebec, next.clone()));
                    discover(&mut depths, &mut queue, next, depth + 1);
                }
                Err(stop) => counts.stopped(step.rebec, stop),
            }
        }
        counts.transitions += distinct.len() as u64;
    }
    counts.states = depths.len() as u64;
    counts
}

fn discover(depths: &mut FxHashMap<State, u64>, queue: &mut VecDeque<State>, state: State, depth: u64) {
    if !depths.contains_key(&state) {
        depths.insert(state.clone(), depth);
        queue.push_back(state);
    }
}

impl NaiveCounts {
    fn stopped(&mut self, rebec: RebecId, stop: Stop) {
        match stop {
            Stop::Limit(_) => self.complete = false,
            Stop::Fault(fault) => {
                self.faults.insert(fault_entry(rebec, &fault.kind));
            }
        }
    }
}

/// A fault as an entry of [`NaiveCounts::faults`].
pub(crate) fn fault_entry(rebec: RebecId, fault: &FaultKind) -> FaultEntry {
    FaultEntry { class: fault.class(), rebec, description: format!("{fault:?}") }
}
