//! The sightings of workers, with the time at which a search on one thread would have had them.
//!
//! Time is (number of the expanded state, event in its visit): successors are stored one by one, then the state
//! itself is examined, its faulting steps in order. So the least sighting of a question is the one that a search on
//! one thread keeps, and the least of all is the one at which it stops.

use super::{Asked, Violation, Watch, Watched};
use crate::report::AskedKind;
use crate::search::Expansion;

/// The time of a sighting.
pub type Time = (u32, u64);

/// The event of a visit that has stored all successors.
pub const STORED: u64 = 1 << 32;

/// A state: the worker that has it, and its number there.
pub(super) type Place = (u32, u32);

/// A violation of a question.
#[derive(Debug)]
pub struct Sighting<F> {
    /// The question.
    pub asked: usize,
    /// The time at which the search on one thread would see it.
    pub time: Time,
    /// The last state.
    pub place: Place,
    /// The fault of the last step.
    pub last: Option<F>,
}

/// The sightings of one worker. It examines states in the order of time, and keeps the first sighting of each
/// question.
pub struct Sightings<S: Watched> {
    asked: Vec<Asked<S>>,
    seen: Vec<bool>,
    /// The sightings since they were last taken.
    pub found: Vec<Sighting<S::Fault>>,
    /// The number of deadlocks that were expanded.
    pub deadlocks: u64,
    /// Whether any step faults.
    pub faults: bool,
}

impl<S: Watched> Sightings<S> {
    /// No sightings yet of the questions of a new watch.
    pub fn new(watch: Watch<S>) -> Sightings<S> {
        let seen = vec![false; watch.asked.len()];
        Sightings { asked: watch.asked, seen, found: Vec::new(), deadlocks: 0, faults: false }
    }

    /// Examines a state that was stored at a time.
    pub fn stored(&mut self, space: &S, number: u32, time: Time, worker: u32) {
        for (at, asked) in self.asked.iter_mut().enumerate() {
            let Some(invariant) = asked.invariant.as_mut().filter(|_| !self.seen[at]) else { continue };
            if !space.holds(invariant, number) {
                self.seen[at] = true;
                self.found.push(Sighting { asked: at, time, place: (worker, number), last: None });
            }
        }
    }

    /// Examines a state that was expanded; `global` is its number for all, `place.1` that in the space.
    pub fn expanded(&mut self, space: &S, global: u32, place: Place, expansion: &S::Expansion) {
        if !expansion.is_enabled() {
            self.deadlocks += 1;
            self.see(AskedKind::Deadlock, (global, STORED), place, || None);
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

    fn see(&mut self, kind: AskedKind, time: Time, place: Place, last: impl FnOnce() -> Option<S::Fault>) {
        let Some(at) = self.asked.iter().position(|asked| asked.kind == kind) else { return };
        if !std::mem::replace(&mut self.seen[at], true) {
            self.found.push(Sighting { asked: at, time, place, last: last() });
        }
    }
}

impl<S: Watched> Watch<S> {
    /// Whether the search explores everything in spite of sightings.
    pub fn keeps_going(&self) -> bool {
        self.keep_going
    }

    /// The states of the earlier violations, by question.
    pub fn states(&self) -> impl Iterator<Item = (usize, u32)> {
        self.asked.iter().enumerate().filter_map(|(at, asked)| Some((at, asked.violation.as_ref()?.state?)))
    }

    /// Whether a question is violated.
    pub fn is_violated(&self, asked: usize) -> bool {
        self.asked[asked].violation.is_some()
    }

    /// Gives the state of a violation another number.
    pub fn renumber(&mut self, asked: usize, number: u32) {
        if let Some(violation) = &mut self.asked[asked].violation {
            violation.state = Some(number);
        }
    }

    /// Takes over a sighting in a state.
    pub fn see(&mut self, asked: usize, number: u32, last: Option<S::Fault>) {
        self.asked[asked].violation = Some(Violation { state: Some(number), last });
    }

    /// Takes over the counts of workers.
    pub fn count(&mut self, deadlocks: u64, faults: bool) {
        self.deadlocks += deadlocks;
        self.faults |= faults;
    }
}
