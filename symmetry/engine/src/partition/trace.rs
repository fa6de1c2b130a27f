//! Node invariants: one word for every splitter a refinement processed.
//!
//! The first path records; every other path compares and stops at the first word that differs. A word is a sum over
//! the vertices reached, so it does not depend on the order in which they were reached.
//!
//! Where several children of a node may have to be tried, the words of all children of the first path's node are kept as
//! well, with how many children have the same ([`Siblings`]): an image of that node has as many children with each sequence of
//! words, so a survey of the children of a node refutes it at the first that is one too many.
//!
//! # Soundness
//!
//! Words are hashes of data that every automorphism preserves, so an automorphic image of the recorded path is never
//! refused. A collision only delays a refusal: leaves are certified edge by edge.

use std::ops::Range;
use std::sync::Arc;

use crate::graph::index;

/// Scrambles a word (a multiply and xor-shift finaliser).
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
    /// How many children have each.
    pub(crate) counts: Vec<u32>,
    /// That of the child on the path.
    pub(crate) recorded: usize,
}

impl Siblings {
    /// From the words of each child; `recorded` are those of the child on the path.
    pub(crate) fn new(mut all: Vec<Vec<u64>>, recorded: &[u64]) -> Self {
        all.sort_unstable();
        let counts = all.chunk_by(|a, b| a == b).map(|alike| index(alike.len())).collect();
        all.dedup();
        let recorded = all.partition_point(|words| words.as_slice() < recorded);
        Self { words: all, counts, recorded }
    }

    /// How many children have the words of the child on the path.
    pub(crate) fn alike(&self) -> u32 {
        self.counts[self.recorded]
    }
}

/// What happens to the next word.
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

    /// Compares with `siblings`.
    pub(crate) fn compare_among(&mut self, siblings: Arc<Siblings>) {
        let range = 0..siblings.words.len();
        self.mode = Mode::Among { siblings, range, depth: 0 };
    }

    /// Whether all words since the comparison began were the recorded ones, up to exactly word `end`.
    pub(crate) fn is_at(&self, end: usize) -> bool {
        matches!(self.mode, Mode::Compare(cursor) if cursor == end)
    }

    /// The number of the sequence of words that all words since the comparison with siblings began are.
    pub(crate) fn sibling(&self) -> Option<usize> {
        let Mode::Among { siblings, range, depth } = &self.mode else { return None };
        // A sequence stands before those that it begins.
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
