//! What workers see of what is asked, with the time at which a search on one thread would have seen it.
//!
//! Time is (number of the expanded state, what happens in its visit): successors are stored one by one, then the state itself is
//! looked at, its faulting steps in order. So the least sighting of a question is the one that a search on one thread keeps,
//! and the least of all is the one at which it stops.

use super::{Asked, Violation, Watch, Watched};
use crate::report::AskedKind;
use crate::search::Expansion;

/// When something was seen.
pub type Time = (u32, u64);

/// What happens when a visit has stored all successors.
pub const STORED: u64 = 1 << 32;

/// A state: the worker that has it, and its number there.
pub(super) type Place = (u32, u32);

/// Something that answers a question with no.
#[derive(Debug)]
pub struct Sighting<F> {
    /// The question.
    pub asked: usize,
    /// When the search on one thread would see it.
    pub time: Time,
    /// The last state.
    pub place: Place,
    /// The fault of the last step.
    pub last: Option<F>,
}

/// What one worker sees. It looks at states in the order of time, so that it looks for the first sighting of each question.
pub struct Sightings<S: Watched> {
    asked: Vec<Asked<S>>,
    seen: Vec<bool>,
    /// What was seen since it was last asked.
    pub found: Vec<Sighting<S::Fault>>,
    /// How many deadlocks were expanded.
    pub deadlocks: u64,
    /// Whether any step faults.
    pub faults: bool,
}

impl<S: Watched> Sightings<S> {
    /// Nothing was seen of the questions of a watch, which is new.
    pub fn new(watch: Watch<S>) -> Sightings<S> {
        let seen = vec![false; watch.asked.len()];
        Sightings { asked: watch.asked, seen, found: Vec::new(), deadlocks: 0, faults: false }
    }

    /// A state was stored at a time.
    pub fn stored(&mut self, space: &S, number: u32, time: Time, worker: u32) {
        for (at, asked) in self.asked.iter_mut().enumerate() {
            let Some(invariant) = asked.invariant.as_mut().filter(|_| !self.seen[at]) else { continue };
            if !space.holds(invariant, number) {
                self.seen[at] = true;
                self.found.push(Sighting { asked: at, time, place: (worker, number), last: None });
            }
        }
    }

    /// A state was expanded; `global` is its number for all, `place.1` that in the space.
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
    /// Whether everything is explored whatever is seen.
    pub fn keeps_going(&self) -> bool {
        self.keep_going
    }

    /// The states of the violations that were seen before, by question.
    pub fn states(&self) -> impl Iterator<Item = (usize, u32)> {
        self.asked.iter().enumerate().filter_map(|(at, asked)| Some((at, asked.violation.as_ref()?.state?)))
    }

    /// Whether a question is answered with no.
    pub fn is_violated(&self, asked: usize) -> bool {
        self.asked[asked].violation.is_some()
    }

    /// Gives the state of a violation another number.
    pub fn renumber(&mut self, asked: usize, number: u32) {
        if let Some(violation) = &mut self.asked[asked].violation {
            violation.state = Some(number);
        }
    }

    /// Takes over what was seen in a state.
    pub fn see(&mut self, asked: usize, number: u32, last: Option<S::Fault>) {
        self.asked[asked].violation = Some(Violation { state: Some(number), last });
    }

    /// Takes over what workers counted.
    pub fn count(&mut self, deadlocks: u64, faults: bool) {
        self.deadlocks += deadlocks;
        self.faults |= faults;
    }
}
