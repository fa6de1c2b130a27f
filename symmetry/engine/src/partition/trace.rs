//! Node invariants: one word per splitter that a refinement processes.
//!
//! The first path records the words; every other path compares its words with them and stops at the first that differs. A word is a sum
//! over the vertices reached, so it does not depend on the order in which they were reached.
//!
//! If several children of a node may have to be tried, the words of all children of the first path's node are kept as well, each sequence
//! with the number of children that have it ([`Siblings`]). An image of that node has as many children with each sequence of words, so a
//! survey of the children of a node refutes the node at the first child that is one too many.
//!
//! # Soundness
//!
//! Words are hashes of data that every automorphism preserves, so an automorphic image of the recorded path is never refuted. A collision
//! only delays a refutation: leaves are certified edge by edge.

use std::ops::Range;
use std::sync::Arc;

/// Scrambles a word (a multiply and xor-shift finaliser).
#[inline]
pub(crate) fn mix(value: u64) -> u64 {
    let mut word = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 29)
}

/// The words of the children of a node.
#[derive(Debug)]
pub(crate) struct Siblings {
    /// Different sequences of words, ascending.
    words: Vec<Vec<u64>>,
    /// The number of children with each sequence.
    pub(crate) counts: Vec<u32>,
    /// The number of the sequence of the child on the path.
    pub(crate) recorded: usize,
}

impl Siblings {
    /// The siblings with the words of all children, each sequence with a number of children that have it; `recorded` are those of the
    /// child on the path.
    pub(crate) fn new(mut all: Vec<(Vec<u64>, u32)>, recorded: &[u64]) -> Self {
        all.sort_unstable();
        let counts = all.chunk_by(|a, b| a.0 == b.0).map(|alike| alike.iter().map(|(_, many)| many).sum()).collect();
        let mut words: Vec<Vec<u64>> = all.into_iter().map(|(words, _)| words).collect();
        words.dedup();
        let recorded = words.partition_point(|words| words.as_slice() < recorded);
        Self { words, counts, recorded }
    }
}

/// The treatment of the next word.
#[derive(Debug, Default)]
enum Mode {
    /// It is recorded.
    #[default]
    Record,
    /// It must be the word recorded at this place.
    Compare(usize),
    /// It must continue one of the sequences `siblings[range]`, which agree on the first `depth` words.
    Among { siblings: Arc<Siblings>, range: Range<usize>, depth: usize },
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

    /// Compares with the sequences of `siblings`.
    pub(crate) fn compare_among(&mut self, siblings: Arc<Siblings>) {
        let range = 0..siblings.words.len();
        self.mode = Mode::Among { siblings, range, depth: 0 };
    }

    /// Whether all words since the comparison began were the recorded ones, up to exactly word `end`.
    pub(crate) fn is_at(&self, end: usize) -> bool {
        matches!(self.mode, Mode::Compare(cursor) if cursor == end)
    }

    /// The number of the sequence that consists of all words since the comparison with siblings began.
    pub(crate) fn sibling(&self) -> Option<usize> {
        let Mode::Among { siblings, range, depth } = &self.mode else { return None };
        // A sequence precedes those of which it is a prefix.
        siblings.words[range.clone()].first().filter(|words| words.len() == *depth).map(|_| range.start)
    }

    /// The words recorded from `start` to `end`.
    pub(crate) fn recorded(&self, (start, end): (usize, usize)) -> &[u64] {
        &self.words[start..end]
    }

    /// The words recorded.
    pub(crate) fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// Records or compares one word; `false` when it was not expected.
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
            Mode::Among { siblings, range, depth } => {
                let open = &siblings.words[range.clone()];
                let low = open.partition_point(|words| words.get(*depth) < Some(&word));
                let high = open.partition_point(|words| words.get(*depth) <= Some(&word));
                *range = range.start + low..range.start + high;
                *depth += 1;
                low < high
            }
        }
    }
}
