//! Node invariants: one word for every splitter a refinement processed.
//!
//! The first path records; every other path compares and stops at the first word that differs. A word is a sum over
//! the vertices reached, so it does not depend on the order in which they were reached.
//!
//! # Soundness
//!
//! Words are hashes of data that every automorphism preserves, so an automorphic image of the recorded path is never
//! refused. A collision only delays a refusal: leaves are certified edge by edge.

/// Scrambles a word (a multiply and xor-shift finaliser).
pub(crate) fn mix(value: u64) -> u64 {
    let mut word = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 29)
}

/// A sequence of words, being recorded or being compared.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    words: Vec<u64>,
    /// Place of the next word to compare, or `None` while recording.
    cursor: Option<usize>,
}

impl Trace {
    /// Number of words recorded.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// Compares from word `start` on.
    pub(crate) fn compare_from(&mut self, start: usize) {
        self.cursor = Some(start);
    }

    /// Whether the comparison has reached exactly word `end`.
    pub(crate) fn is_at(&self, end: usize) -> bool {
        self.cursor == Some(end)
    }

    /// The words recorded.
    pub(crate) fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// Records or compares one word; `false` when it differs from the one recorded.
    pub(crate) fn accept(&mut self, word: u64) -> bool {
        match &mut self.cursor {
            None => {
                self.words.push(word);
                true
            }
            Some(cursor) => {
                let same = self.words.get(*cursor) == Some(&word);
                *cursor += 1;
                same
            }
        }
    }
}
