//! The receivers to which other rebecs may send before a given rebec moves.
//!
//! For each rebec `r` of `main` and each kind of message `m`: the rebecs whose queues may receive a message when `m`
//! and its consequences are served, while `r` serves nothing. A message to `r` is put into its queue and stays there.
//! A created rebec is never held back, as one stand-in represents several.
//!
//! Invariants: `reached(r, m)` is the least solution of
//! `reached(r, m) = {} if m is to r, else the union over m -> n of {receiver of n} + reached(r, n)`; a first message to a rebec
//! made in the step adds nothing itself, as that queue did not exist before.
//!
//! Complexity: rebecs x arrows x the longest way, in words of sets.

use bitvec::vec::BitVec;

use super::flow::{Flow, Rebecs};
use frontend::model::RebecId;

/// Words of all sets together; above it there is no reduction.
const MAX_WORDS: usize = 1 << 22;

/// The sets, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Between {
    /// The number of rebecs with a separate row.
    rows: usize,
    kinds: usize,
    words: usize,
    sets: Vec<u64>,
}

impl Between {
    /// The sets of the messages of a model with so many rebecs in `main`; `None` if they are too large.
    pub(crate) fn new(flow: &Flow, instances: usize) -> Option<Between> {
        let (rows, kinds) = (instances + 1, flow.kinds.len());
        let words = flow.rebecs.div_ceil(64);
        if rows.checked_mul(kinds)?.checked_mul(words)? > MAX_WORDS {
            return None;
        }
        let mut between = Between { rows, kinds, words, sets: Vec::with_capacity(rows * kinds * words) };
        for row in 0..rows {
            let held_back = (row < instances).then(|| RebecId::from_index(row));
            for set in solve(flow, held_back) {
                between.sets.extend_from_slice(set.as_raw_slice());
            }
        }
        let sets = between.rows * between.kinds;
        assert_eq!(between.sets.len(), sets * between.words, "each row has a set for each kind of message");
        Some(between)
    }

    /// Whether serving a message and its consequences, while a rebec serves nothing, may send to a member of a set.
    #[inline]
    pub(crate) fn reaches(&self, rebec: RebecId, kind: u32, set: &[u64]) -> bool {
        let row = rebec.index().min(self.rows - 1);
        let at = (row * self.kinds + kind as usize) * self.words;
        self.sets[at..at + self.words].iter().zip(set).any(|(a, b)| a & b != 0)
    }

    /// Words of a set.
    pub(crate) fn words(&self) -> usize {
        self.words
    }
}

/// One row. Kinds are visited in turn until no set grows; numbering follows discovery, so backwards is mostly the
/// right order.
fn solve(flow: &Flow, held_back: Option<RebecId>) -> Vec<Rebecs> {
    let mut sets: Vec<Rebecs> = vec![BitVec::repeat(false, flow.rebecs); flow.kinds.len()];
    let mut grew = true;
    while grew {
        grew = false;
        for (at, kind) in flow.kinds.iter().enumerate().rev() {
            if Some(kind.receiver) == held_back {
                continue;
            }
            let mut set = std::mem::take(&mut sets[at]);
            let before = set.count_ones();
            for arrow in &flow.sends[at] {
                let to = arrow.to as usize;
                if to != at {
                    set |= &sets[to];
                }
                if !arrow.is_birth {
                    set.set(flow.kinds[to].receiver.index(), true);
                }
            }
            grew |= set.count_ones() > before;
            sets[at] = set;
        }
    }
    sets
}
