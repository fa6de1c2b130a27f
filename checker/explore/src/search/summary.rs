//! The end of a search: its work, and what another driver needs to continue it.

use crate::report::Limit;

/// The reason that a search ended before every stored state was expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The observer has seen enough.
    Observer,
    /// A bound.
    Limit(Limit),
}

/// The work of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Whether every reachable state was stored and expanded.
    pub complete: bool,
    /// The first bound that kept the search from being complete.
    pub limit: Option<Limit>,
    /// Transitions of the expanded states, as the language counts them.
    pub transitions: u64,
    /// The greatest depth of a stored state, or the longest path of a depth-first search.
    pub depth: u64,
    /// States stored.
    pub states: u64,
}

/// A breadth-first search that another driver continues.
#[derive(Clone, Copy, Debug)]
pub struct Handover {
    /// The state that is visited next.
    pub next: u32,
    /// States stored.
    pub states: u32,
    /// Bytes of the process outside the search.
    pub held: u64,
    /// Bytes that are kept for the heap: counted against the limit, used by nobody yet.
    pub kept: u64,
    /// The depth of the state before the next one.
    pub at_depth: u64,
    /// The first state of the next level.
    pub level_end: u32,
    /// Transitions so far.
    pub transitions: u64,
    /// The greatest depth of a stored state.
    pub depth: u64,
    /// The first bound that left out a state or a step.
    pub skipped: Option<Limit>,
}

impl Handover {
    /// The work of the search, and its end.
    pub fn summary(&self, states: u64, end: Option<End>) -> Summary {
        assert!(u64::from(self.next) <= states, "a state that was visited is stored");
        let ended_by = match end {
            Some(End::Limit(limit)) => Some(limit),
            Some(End::Observer) | None => None,
        };
        Summary {
            complete: end.is_none() && self.skipped.is_none(),
            limit: ended_by.or(self.skipped),
            transitions: self.transitions,
            depth: self.depth,
            states,
        }
    }
}
