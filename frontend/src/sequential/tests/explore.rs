//! A plain explorer: every state once, in breadth-first order, by the reference semantics only.

use rustc_hash::FxHashSet;

use crate::sequential::interpret::{State, evaluate, initial_states, successors};
use crate::sequential::{PropertyKind, Sequential};

/// The result of an exploration.
#[derive(Default, Debug)]
pub(super) struct Found {
    pub(super) states: usize,
    /// Enabled instances with a successor.
    pub(super) transitions: usize,
    pub(super) deadlocks: usize,
    /// The texts of the faults of steps, in the order in which they were found, and the number of steps that fault.
    pub(super) faults: Vec<String>,
    /// The names of the violated assertions.
    pub(super) violated: Vec<String>,
}

/// Explores all states.
pub(super) fn explore(model: &Sequential) -> Found {
    let mut found = Found::default();
    let mut seen: FxHashSet<State> = FxHashSet::default();
    let mut level: Vec<State> = initial_states(model).filter(|state| seen.insert(state.clone())).collect();
    while !level.is_empty() {
        let mut next = Vec::new();
        for state in level {
            check(model, &state, &mut found);
            let steps = successors(model, &state);
            let may_end = |ends| evaluate(model, ends, &state, &[]) == Ok(1);
            found.deadlocks += usize::from(steps.is_empty() && !model.ends.as_ref().is_some_and(may_end));
            for step in steps {
                match step.result {
                    Ok(after) => {
                        found.transitions += 1;
                        if seen.insert(after.clone()) {
                            next.push(after);
                        }
                    }
                    Err(fault) => found.faults.push(model.fault_text(&fault.kind)),
                }
            }
        }
        level = next;
    }
    found.states = seen.len();
    found
}

fn check(model: &Sequential, state: &State, found: &mut Found) {
    for property in &model.properties {
        if let PropertyKind::Invariant(condition) = &property.kind
            && evaluate(model, condition, state, &[]) != Ok(1)
            && !found.violated.contains(&property.name)
        {
            found.violated.push(property.name.clone());
        }
    }
}
