//! The representatives of states that were met lately: many steps lead to the same states.
//!
//! A state has one place, by its hash, where it takes the place of another one. States are compared as a whole.

use crate::memory::{Footprint, bytes_of};

/// The places of a memo.
const PLACES: usize = 1 << 13;

/// The most words of a state that is remembered.
const MOST_WORDS: usize = 64;

/// Packed states with their representatives.
#[derive(Clone, Debug, Default)]
pub(super) struct Memo {
    /// The state and its representative at each place.
    pairs: Vec<u64>,
    /// Whether a place is used.
    is_used: Vec<bool>,
}

/// The place of a state.
fn place(state: &[u64]) -> usize {
    let step = |hash: u64, &word: &u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = state.iter().fold(0, step);
    usize::try_from(hash >> 32).expect("32 bits") % PLACES
}

impl Memo {
    /// The representative of a state, if it is remembered.
    pub(super) fn get(&self, state: &[u64]) -> Option<&[u64]> {
        let (place, stride) = (place(state), state.len());
        if !*self.is_used.get(place)? {
            return None;
        }
        let (known, representative) = self.pairs[2 * place * stride..][..2 * stride].split_at(stride);
        (known == state).then_some(representative)
    }

    /// Remembers the representative of a state.
    pub(super) fn put(&mut self, state: &[u64], representative: &[u64]) {
        let (place, stride) = (place(state), state.len());
        assert_eq!(stride, representative.len(), "a representative is a state");
        if stride > MOST_WORDS {
            return;
        }
        if self.is_used.is_empty() {
            limits::reserve(bytes_of::<u64>(2 * PLACES * stride));
            self.pairs.resize(2 * PLACES * stride, 0);
            self.is_used.resize(PLACES, false);
        }
        debug_assert_eq!(self.pairs.len(), 2 * PLACES * stride, "all states have as many words");
        self.is_used[place] = true;
        let (known, kept) = self.pairs[2 * place * stride..][..2 * stride].split_at_mut(stride);
        known.copy_from_slice(state);
        kept.copy_from_slice(representative);
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add_vec(&self.pairs);
        footprint.add_vec(&self.is_used);
        footprint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_what_was_put() {
        let mut memo = Memo::default();
        for state in 0..20_000u64 {
            memo.put(&[state, state << 40], &[state + 1, 7]);
            assert_eq!(memo.get(&[state, state << 40]), Some(&[state + 1, 7][..]));
        }
        let hits = (0..20_000u64).filter_map(|state| Some((state, memo.get(&[state, state << 40])?)));
        let hits: Vec<(u64, &[u64])> = hits.collect();
        assert!(hits.len() > PLACES / 2 && hits.iter().all(|&(state, found)| found == [state + 1, 7]));
        assert_eq!(memo.get(&[20_001, 0]), None);
    }
}
