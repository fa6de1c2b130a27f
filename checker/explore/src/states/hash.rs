//! The hash of packed states: a folded multiplication per word.
//!
//! Every bit of a state reaches the high half of the hash, which gives both the position and the fragment in the
//! visited set. The set is right with any hash: the tests run it with a constant one.

use std::ops::BitXor;

/// A hash function on packed states.
pub trait StateHash {
    /// The hash of a packed state.
    fn hash(words: &[u64]) -> u64;
}

/// The hash in use.
#[derive(Clone, Copy, Debug)]
pub struct Folded;

const SEED: u64 = 0x243f_6a88_85a3_08d3;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl StateHash for Folded {
    #[inline]
    fn hash(words: &[u64]) -> u64 {
        #[cfg(any(test, feature = "mutants"))]
        if CONSTANT.get() {
            return 0;
        }
        words.iter().fold(SEED, |hash, &word| fold(hash ^ word))
    }
}

/// The two halves of the product with an odd constant, xored.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
fn fold(word: u64) -> u64 {
    let product = u128::from(word) * u128::from(FACTOR);
    ((product >> 64) as u64).bitxor(product as u64).rotate_left(32).wrapping_mul(FACTOR)
}

#[cfg(any(test, feature = "mutants"))]
thread_local! {
    /// Whether searches on this thread hash every state to the same number.
    pub static CONSTANT: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// The worst hash there is: for tests.
#[cfg(test)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Constant;

#[cfg(test)]
impl StateHash for Constant {
    fn hash(_: &[u64]) -> u64 {
        u64::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_half_spreads_neighbours() {
        for shift in [0, 7, 21, 40, 63 - 12] {
            let mut buckets = vec![0u32; 4096];
            for value in 0..4096u64 {
                buckets[usize::try_from(Folded::hash(&[value << shift]) >> 52).expect("12 bits")] += 1;
            }
            let worst = buckets.iter().max().copied().unwrap_or(0);
            assert!(worst <= 12, "{worst} states in one bucket for fields at bit {shift}");
        }
    }

    #[test]
    fn the_order_of_words_counts() {
        assert_ne!(Folded::hash(&[1, 2]), Folded::hash(&[2, 1]));
        assert_ne!(Folded::hash(&[0]), Folded::hash(&[0, 0]));
    }
}
