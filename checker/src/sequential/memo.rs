//! Results stored by the values that they depend on, in a table of fixed size.
//!
//! A key has one place; a new result replaces the old one there. A memo sleeps at first, so that a single request
//! costs nothing, and gives up where less than half of the requests are repetitions: then every result is computed
//! each time.
//!
//! Invariant: the result in a place is that of the key next to it. Whole keys are compared.
//!
//! Complexity: a look-up is one read; a memo that gives up has stored at most twice as many results as it has places.

use super::gather::Key;
use crate::tuning::TUNING;

/// The memory of a result outside its place.
pub(super) trait Held {
    /// Bytes on the heap.
    fn held(&self) -> u64;
}

/// Results by key.
#[derive(Clone, Debug)]
pub(super) struct Memo<T> {
    places: Vec<Option<(Key, T)>>,
    /// The table has two to the power of so many places.
    size: u32,
    /// Whether keys are places.
    is_direct: bool,
    lookups: u32,
    found: u32,
    has_given_up: bool,
    held: u64,
}

impl<T: Held> Memo<T> {
    /// An empty memo for keys of so many bits, with at most two to the power of `most` places.
    pub(super) fn new(bits: u32, most: u32) -> Memo<T> {
        let (size, is_direct) = (bits.min(most), bits <= most);
        Memo { places: Vec::new(), size, is_direct, lookups: 0, found: 0, has_given_up: false, held: 0 }
    }

    /// The result for a key, if it is stored.
    #[inline]
    pub(super) fn get(&mut self, key: Key) -> Option<&T> {
        if self.has_given_up {
            return None;
        }
        self.lookups = self.lookups.saturating_add(1);
        let place = self.place(key);
        let found = self.places.get(place)?.as_ref().filter(|(known, _)| *known == key);
        self.found = self.found.saturating_add(u32::from(found.is_some()));
        found.map(|(_, result)| result)
    }

    /// Whether results are to be stored now.
    #[inline]
    pub(super) fn is_learning(&mut self) -> bool {
        if self.has_given_up || self.lookups < TUNING.memo_trial {
            return false;
        }
        if self.places.is_empty() {
            (self.lookups, self.found) = (TUNING.memo_trial, TUNING.memo_trial);
            self.places.resize_with(1 << self.size, || None);
        } else if self.lookups >= TUNING.memo_trial + (2 << self.size) {
            self.has_given_up = !self.is_direct && self.found < self.lookups / 2;
            (self.lookups, self.found) = (TUNING.memo_trial, TUNING.memo_trial);
            if self.has_given_up {
                (self.places, self.held) = (Vec::new(), 0);
            }
        }
        !self.has_given_up
    }

    /// Stores a result.
    pub(super) fn put(&mut self, key: Key, result: T) {
        let place = self.place(key);
        if let Some(place) = self.places.get_mut(place) {
            self.held += result.held();
            if let Some((_, old)) = place.replace((key, result)) {
                self.held -= old.held();
            }
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        explore::memory::bytes_of::<Option<(Key, T)>>(self.places.capacity()) + self.held
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "below the number of places")]
    fn place(&self, key: Key) -> usize {
        let [first, second] = key;
        let mixed =
            (first ^ second.wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let at = if self.is_direct { first } else { mixed >> (u64::BITS - self.size) };
        debug_assert!(at < 1 << self.size, "a key has its place in the table");
        at as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Held for u64 {
        fn held(&self) -> u64 {
            1
        }
    }

    /// Requests keys and computes the results that are not stored; returns the number of computed ones.
    fn look_up(memo: &mut Memo<u64>, keys: impl Iterator<Item = u64>) -> usize {
        let mut computed = 0;
        for key in keys {
            let (number, key) = (key, [key, key >> 3]);
            let result = number ^ 0x5555;
            match memo.get(key) {
                Some(&known) => assert_eq!(known, result),
                None => {
                    computed += 1;
                    if memo.is_learning() {
                        memo.put(key, result);
                    }
                }
            }
        }
        computed
    }

    #[test]
    fn repeated_keys_are_computed_once() {
        let mut memo = Memo::new(5, 10);
        assert_eq!(look_up(&mut memo, (0..10_000).map(|at| at % 32)), 32 + 1);
        assert!(memo.bytes() >= 32 * 16);
        let mut memo = Memo::new(60, 10);
        assert!(look_up(&mut memo, (0..10_000).map(|at| (at % 7) << 40)) < 50);
    }

    #[test]
    fn memos_without_repetition_are_given_up() {
        let mut memo = Memo::new(60, 4);
        assert_eq!(look_up(&mut memo, 0..10_000), 10_000);
        assert!(memo.has_given_up && memo.bytes() == 0);
        assert_eq!(look_up(&mut memo, (0..100).map(|_| 9)), 100);
    }
}
