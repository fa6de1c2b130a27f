//! The operators of CTL without kept steps: the steps of a state are computed again whenever they are needed.
//!
//! Each operator is its fixed point, written down: `EU` adds states of which a step leads to the set, and `EG` takes away states of which
//! none does, in sweeps over all states until one changes nothing. States are swept from the last to the first, since most
//! steps lead to later ones. Only a bit for each state is kept, so that a graph is decided whose steps do not fit into memory.
//!
//! Soundness: the same fixed points as those of [`Graph`](super::Graph), with which a test compares them. Where the steps of a state cannot
//! be computed again, the result is none.
//!
//! Complexity: the steps of all states for each sweep; at worst as many sweeps as states.

use bitvec::vec::BitVec;

use super::evaluate::{Relation, Truth, Wrong};

/// The steps of a state, computed again.
pub(super) trait Again {
    /// Visits the targets of the steps of a state; an error if they cannot be computed.
    fn targets(&mut self, state: u32, visit: &mut dyn FnMut(u32)) -> Result<(), ()>;
}

/// The relation whose steps are computed again.
pub(super) struct Sweeps<T> {
    steps: T,
    ends: BitVec,
    /// The number of sweeps so far.
    pub(super) count: u64,
    /// Whether the steps of some state could not be computed: then no truth counts.
    pub(super) has_failed: bool,
}

impl<T: Again> Sweeps<T> {
    /// The relation of steps, and of states in which a run may end.
    pub(super) fn new(steps: T, ends: BitVec) -> Sweeps<T> {
        Sweeps { steps, ends, count: 0, has_failed: false }
    }

    /// Whether a step of a state leads to a set.
    fn leads(&mut self, state: usize, set: &Truth) -> bool {
        limits::work(1);
        let (mut leads, states) = (false, self.ends.len());
        let mut is_known = true;
        let number = u32::try_from(state).expect("states have numbers of 32 bits");
        let found = self.steps.targets(number, &mut |to| {
            is_known &= (to as usize) < states;
            leads |= set.get(to as usize).is_some_and(|bit| *bit);
        });
        self.has_failed |= found.is_err() || !is_known;
        leads
    }
}

impl<T: Again> Relation for Sweeps<T> {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn next(&mut self, set: &Truth, wrong: Wrong) -> Truth {
        self.count += 1;
        let leads = |state: usize| {
            let stays = self.ends[state] && set[state] && !wrong.ends_without_next();
            stays || self.leads(state, set)
        };
        (0..set.len()).map(leads).collect()
    }

    fn until(&mut self, through: &Truth, goal: Truth) -> Truth {
        let mut found = goal;
        loop {
            self.count += 1;
            let mut has_grown = false;
            for state in (0..found.len()).rev() {
                if through[state] && !found[state] && self.leads(state, &found) {
                    found.set(state, true);
                    has_grown = true;
                }
            }
            if !has_grown || self.has_failed {
                return found;
            }
        }
    }

    fn always(&mut self, set: Truth, wrong: Wrong) -> Truth {
        let mut left = set;
        loop {
            self.count += 1;
            let mut has_shrunk = false;
            for state in (0..left.len()).rev() {
                let stays = self.ends[state] && !wrong.ends_without_next();
                if left[state] && !stays && !self.leads(state, &left) {
                    left.set(state, false);
                    has_shrunk = true;
                }
            }
            if !has_shrunk || self.has_failed || wrong.keeps_cut_states() {
                return left;
            }
        }
    }

    fn targets(&mut self, state: u32) -> Vec<u32> {
        let (mut targets, states) = (Vec::new(), self.ends.len());
        let found = self.steps.targets(state, &mut |to| targets.push(to));
        self.has_failed |= found.is_err() || targets.iter().any(|&to| to as usize >= states);
        if self.has_failed { Vec::new() } else { targets }
    }

    fn may_end(&self, state: u32) -> bool {
        self.ends[state as usize]
    }
}
