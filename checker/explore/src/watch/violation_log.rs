//! The violations of workers, with the time at which a search on one thread would have had them.
//!
//! Time is (number of the expanded state, event in its visit): successors are stored one by one, then the state
//! itself is examined, its faulting steps in order. So the least violation of a question is the one that a search on
//! one thread keeps, and the least of all is the one at which it stops.

use super::{Query, Violation, Watch, Watched, may_end};
use crate::report::QueryKind;
use crate::search::Expansion;

/// The time of a violation.
pub type Time = (u32, u64);

/// The event of a visit that has stored all successors.
pub const STORED: u64 = 1 << 32;

/// A state: the worker that has it, and its number there.
pub(super) type Place = (u32, u32);

/// A violation of a question.
#[derive(Debug)]
pub struct TimedViolation<F> {
    /// The question.
    pub query: usize,
    /// The time at which the search on one thread would see it.
    pub time: Time,
    /// The last state.
    pub place: Place,
    /// The fault of the last step.
    pub last: Option<F>,
}

/// The violations of one worker. It examines states in the order of time, and keeps the first violation of each
/// question.
pub struct ViolationLog<S: Watched> {
    queries: Vec<Query<S>>,
    ends: Vec<S::Invariant>,
    seen: Vec<bool>,
    /// The violations since they were last taken.
    pub found: Vec<TimedViolation<S::Fault>>,
    /// The number of deadlocks that were expanded.
    pub deadlocks: u64,
    /// Whether any step faults.
    pub faults: bool,
}

impl<S: Watched> ViolationLog<S> {
    /// No violations yet of the questions of a new watch.
    pub fn new(watch: Watch<S>) -> ViolationLog<S> {
        let seen = vec![false; watch.queries.len()];
        ViolationLog { queries: watch.queries, ends: watch.ends, seen, found: Vec::new(), deadlocks: 0, faults: false }
    }

    /// Examines a state that was stored at a time.
    pub fn stored(&mut self, space: &S, number: u32, time: Time, worker: u32) {
        for (at, query) in self.queries.iter_mut().enumerate() {
            let Some(invariant) = query.invariant.as_mut().filter(|_| !self.seen[at]) else { continue };
            if !space.holds(invariant, number) {
                self.seen[at] = true;
                self.found.push(TimedViolation { query: at, time, place: (worker, number), last: None });
            }
        }
    }

    /// Whether a run may end in a state of this space.
    pub fn may_end(&mut self, space: &S, number: u32) -> bool {
        may_end(&mut self.ends, space, number)
    }

    /// Examines a state that was expanded; `global` is its number for all, `place.1` that in the space.
    pub fn expanded(&mut self, space: &S, global: u32, place: Place, expansion: &S::Expansion) {
        let may_end = expansion.is_deadlock() && self.may_end(space, place.1);
        self.expanded_elsewhere(space, global, place, may_end, expansion);
    }

    /// As `expanded`, for a state that another space has stored.
    pub fn expanded_elsewhere(
        &mut self,
        space: &S,
        global: u32,
        place: Place,
        may_end: bool,
        expansion: &S::Expansion,
    ) {
        if expansion.is_deadlock() && !may_end {
            self.deadlocks += 1;
            self.see(QueryKind::Deadlock, (global, STORED), place, || None);
        }
        let stopped = space.stopped(expansion);
        self.faults |= stopped > 0;
        for at in 0..stopped {
            if let Some(kind) = space.kind_of_fault(expansion, at) {
                let time = (global, STORED + at as u64);
                self.see(kind, time, place, || Some(space.fault(place.1, expansion, at)));
            }
        }
    }

    fn see(&mut self, kind: QueryKind, time: Time, place: Place, last: impl FnOnce() -> Option<S::Fault>) {
        let Some(at) = self.queries.iter().position(|query| query.kind == kind) else { return };
        if !std::mem::replace(&mut self.seen[at], true) {
            self.found.push(TimedViolation { query: at, time, place, last: last() });
        }
    }
}

impl<S: Watched> Watch<S> {
    /// Whether the search explores everything in spite of violations.
    pub fn keeps_going(&self) -> bool {
        self.keep_going
    }

    /// The questions without a violation, if the search ends when there is none.
    pub fn undecided(&self) -> Option<Vec<usize>> {
        let open = || (0..self.queries.len()).filter(|&query| !self.is_violated(query)).collect();
        self.until_decided.then(open)
    }

    /// The states of the earlier violations, by question.
    pub fn states(&self) -> impl Iterator<Item = (usize, u32)> {
        self.queries.iter().enumerate().filter_map(|(at, query)| Some((at, query.violation.as_ref()?.state?)))
    }

    /// Whether a question is violated.
    pub fn is_violated(&self, query: usize) -> bool {
        self.queries[query].violation.is_some()
    }

    /// Gives the state of a violation another number.
    pub fn renumber(&mut self, query: usize, number: u32) {
        if let Some(violation) = &mut self.queries[query].violation {
            violation.state = Some(number);
        }
    }

    /// Takes over a violation in a state.
    pub fn see(&mut self, query: usize, number: u32, last: Option<S::Fault>) {
        assert!(!self.is_violated(query), "the first violation of a question is kept");
        self.queries[query].violation = Some(Violation { state: Some(number), last });
    }

    /// Takes over the counts of workers.
    pub fn count(&mut self, deadlocks: u64, faults: bool) {
        self.deadlocks += deadlocks;
        self.faults |= faults;
    }
}
