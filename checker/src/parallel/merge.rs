//! Successors under way between workers, in the order in which a search on one thread would store them.
//!
//! The key of a successor is (number of the expanded state, place among its successors). A worker fills its boxes with keys
//! ascending, so the boxes that come to a worker are merged, and what is new among them is sorted again by key. The number of
//! a new state is that of the first one plus how many new states of all workers have lesser keys.
//!
//! Invariant: keys are ascending in a box, and no two boxes hold the same key.
//!
//! Complexity: linear in what is merged, times the workers.

use std::sync::Arc;

use crate::memory::bytes_of;

/// Packed successors on the way to one worker.
#[derive(Clone, Debug, Default)]
pub(super) struct Outbox {
    /// One a successor, ascending.
    pub(super) keys: Vec<u64>,
    /// One after the other.
    pub(super) words: Vec<u64>,
}

/// The key of a successor.
#[inline]
pub(super) fn key(expanded: u32, place: usize) -> u64 {
    u64::from(expanded) << 32 | place as u64
}

/// The number of the expanded state, and the place.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the halves are wanted")]
pub(super) fn parts(key: u64) -> (u32, u64) {
    ((key >> 32) as u32, u64::from(key as u32))
}

impl Outbox {
    /// Adds a successor.
    #[inline]
    pub(super) fn push(&mut self, key: u64, state: &[u64]) {
        self.keys.push(key);
        self.words.extend_from_slice(state);
    }

    /// Nothing is under way.
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.words.clear();
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<u64>(self.keys.capacity() + self.words.capacity())
    }
}

/// Hands out keys and packed states of all boxes, keys ascending, in runs from one box, until `each` ends it.
pub(super) fn merge(boxes: &[Outbox], stride: usize, mut each: impl FnMut(&[u64], &[u64]) -> bool) {
    let mut heads = vec![0usize; boxes.len()];
    loop {
        let (mut least, mut second) = ((u64::MAX, usize::MAX), u64::MAX);
        for (at, (full, &head)) in boxes.iter().zip(&heads).enumerate() {
            let Some(&key) = full.keys.get(head) else { continue };
            if least.1 == usize::MAX || key < least.0 {
                if least.1 != usize::MAX {
                    second = least.0;
                }
                least = (key, at);
            } else {
                second = second.min(key);
            }
        }
        let Some(full) = boxes.get(least.1) else { return };
        let first = heads[least.1];
        let end = first + 1 + full.keys[first + 1..].iter().take_while(|&&key| key < second).count();
        heads[least.1] = end;
        if !each(&full.keys[first..end], &full.words[first * stride..end * stride]) {
            return;
        }
    }
}

/// Hands out the numbers of the new states of one worker, when all workers have new states with these keys.
pub(super) fn number(own: usize, all: &[Arc<Vec<u64>>], first: u32, mut numbered: impl FnMut(u32)) {
    let Some(keys) = all.get(own) else { return };
    let mut heads = vec![0usize; all.len()];
    for (index, &key) in keys.iter().enumerate() {
        let mut before = index;
        for (other, keys) in all.iter().enumerate().filter(|&(other, _)| other != own) {
            let head = &mut heads[other];
            while keys.get(*head).is_some_and(|&other| other < key) {
                *head += 1;
            }
            before += *head;
        }
        numbered(first + u32::try_from(before).expect("numbers of states have 32 bits"));
    }
}

/// How many of all keys are below a key.
pub(super) fn below(all: &[Arc<Vec<u64>>], key: u64) -> usize {
    all.iter().map(|keys| keys.partition_point(|&known| known < key)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_sorts_and_numbering_counts() {
        let mut seed = 5u64;
        for boxes in 1..6 {
            let mut all = vec![Outbox::default(); boxes];
            for expanded in 0..400 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let to = usize::try_from(seed >> 33).expect("31 bits") % boxes;
                for place in 0..(seed >> 60) {
                    let key = key(expanded, usize::try_from(place).expect("small"));
                    all[to].push(key, &[key, !key]);
                }
            }
            let mut merged = Vec::new();
            merge(&all, 2, |keys, words| {
                for (&key, state) in keys.iter().zip(words.chunks_exact(2)) {
                    assert_eq!(state, [key, !key]);
                    merged.push(key);
                }
                true
            });
            let keys: Vec<Arc<Vec<u64>>> = all.into_iter().map(|full| Arc::new(full.keys)).collect();
            let mut expected: Vec<u64> = keys.iter().flat_map(|keys| keys.iter().copied()).collect();
            expected.sort_unstable();
            assert_eq!(merged, expected);
            for (own, of) in keys.iter().enumerate() {
                let mut numbers = Vec::new();
                number(own, &keys, 100, |number| numbers.push(number));
                for (&number, &key) in numbers.iter().zip(&**of) {
                    assert_eq!(expected[number as usize - 100], key);
                    assert_eq!(below(&keys, key), number as usize - 100);
                    assert_eq!(u64::from(parts(key).0) << 32 | parts(key).1, key);
                }
                assert_eq!(numbers.len(), of.len());
            }
        }
    }
}
