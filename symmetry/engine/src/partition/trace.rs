//! Node invariants: one word for every splitter a refinement processed.
//!
//! The first path records; every other path compares and stops at the first word that differs. A word is a sum over
//! the vertices reached, so it does not depend on the order in which they were reached.
//!
//! Where several children of a node may have to be tried, the words of all children of the first path are kept as
//! well: a node that is an image of the first path's has children with the same words, so one child with other words
//! refutes it.
//!
//! # Soundness
//!
//! Words are hashes of data that every automorphism preserves, so an automorphic image of the recorded path is never
//! refused. A collision only delays a refusal: leaves are certified edge by edge.

use std::ops::Range;
use std::sync::Arc;

/// Scrambles a word (a multiply and xor-shift finaliser).
pub(crate) fn mix(value: u64) -> u64 {
    let mut word = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 29)
}

/// Sorted sequences of words, one for each child of a node.
pub(crate) type Siblings = Arc<Vec<Vec<u64>>>;

/// What happens to the next word.
#[derive(Debug, Default)]
enum Mode {
    /// It is recorded.
    #[default]
    Record,
    /// It must be the word recorded at this place.
    Compare(usize),
    /// It must continue one of the sequences `siblings[range]`, which agree on the first `depth` words.
    Among { siblings: Siblings, range: Range<usize>, start: usize, depth: usize, is_recorded: bool },
}

/// A sequence of words, being recorded or being compared.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    words: Vec<u64>,
    mode: Mode,
}

impl Trace {
    /// Number of words recorded.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// Compares with the words recorded from `start` on.
    pub(crate) fn compare_from(&mut self, start: usize) {
        self.mode = Mode::Compare(start);
    }

    /// Compares with `siblings`, noting whether the words are also those recorded from `start` on.
    pub(crate) fn compare_among(&mut self, siblings: Siblings, start: usize) {
        let range = 0..siblings.len();
        self.mode = Mode::Among { siblings, range, start, depth: 0, is_recorded: true };
    }

    /// Whether all words since the comparison began were the recorded ones, up to exactly word `end`.
    pub(crate) fn is_at(&self, end: usize) -> bool {
        match self.mode {
            Mode::Record => false,
            Mode::Compare(cursor) => cursor == end,
            Mode::Among { start, depth, is_recorded, .. } => is_recorded && start + depth == end,
        }
    }

    /// The words recorded.
    pub(crate) fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// Records or compares one word; `false` when nothing expected it.
    pub(crate) fn accept(&mut self, word: u64) -> bool {
        match &mut self.mode {
            Mode::Record => {
                self.words.push(word);
                true
            }
            Mode::Compare(cursor) => {
                let same = self.words.get(*cursor) == Some(&word);
                *cursor += 1;
                same
            }
            Mode::Among { siblings, range, start, depth, is_recorded } => {
                *is_recorded &= self.words.get(*start + *depth) == Some(&word);
                let open = &siblings[range.clone()];
                let low = open.partition_point(|words| words.get(*depth) < Some(&word));
                let high = open.partition_point(|words| words.get(*depth) <= Some(&word));
                *range = range.start + low..range.start + high;
                *depth += 1;
                low < high
            }
        }
    }
}
