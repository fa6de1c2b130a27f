//! Successors in transit between workers, in the order in which a search on one thread would store them.
//!
//! The key of a successor is (number of the expanded state, place among its successors). A worker fills its boxes
//! with keys ascending, so the owner merges the boxes that it receives, and sorts the new states among them again by
//! key. The number of a new state is that of the first one plus the number of new states of all workers that have
//! lesser keys.
//!
//! Invariant: keys are ascending in a box, and no two boxes hold the same key.
//!
//! Complexity: linear in the merged successors, times the workers.

use std::sync::Arc;

use crate::memory::bytes_of;

/// Packed successors on the way to one worker.
#[derive(Clone, Debug, Default)]
pub(super) struct Outbox {
    /// One per successor, ascending.
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
    /// Adds a successor, unless it is left out: that cannot be predicted, so there is no branch on it.
    #[inline]
    pub(super) fn push(&mut self, key: u64, state: &[u64], is_left_out: bool) {
        debug_assert!(self.keys.last().is_none_or(|&last| last < key), "keys ascend in a box");
        let kept = usize::from(!is_left_out);
        self.keys.push(key);
        self.keys.truncate(self.keys.len() - 1 + kept);
        match *state {
            [word] => self.words.push(word),
            _ => self.words.extend_from_slice(state),
        }
        self.words.truncate(self.words.len() - state.len() + kept * state.len());
    }

    /// Removes the first successors.
    pub(super) fn forget(&mut self, count: usize, stride: usize) {
        if count == self.keys.len() {
            return self.clear();
        }
        self.keys.drain(..count);
        self.words.drain(..count * stride);
    }

    /// Removes all successors.
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.words.clear();
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<u64>(self.keys.capacity() + self.words.capacity())
    }
}

/// The successors of several boxes, keys ascending.
#[derive(Debug)]
pub(super) struct Merge<'b> {
    /// The boxes that still have successors.
    boxes: Vec<&'b Outbox>,
    /// The number of successors of each that were handed out.
    heads: Vec<usize>,
}

impl<'b> Merge<'b> {
    /// All successors of all boxes.
    pub(super) fn new(boxes: &'b [Outbox]) -> Merge<'b> {
        let boxes: Vec<&Outbox> = boxes.iter().filter(|full| !full.keys.is_empty()).collect();
        Merge { heads: vec![0; boxes.len()], boxes }
    }

    /// Fills an empty box with the next successors, at most so many; returns whether there were any.
    pub(super) fn next(&mut self, stride: usize, most: usize, to: &mut Outbox) -> bool {
        while to.keys.len() < most {
            match self.boxes.len() {
                0 => break,
                2 => self.of_two(stride, most, to),
                _ => self.run(stride, most, to),
            }
            let boxes = &self.boxes;
            if let Some(at) = (0..boxes.len()).find(|&at| self.heads[at] == boxes[at].keys.len()) {
                self.boxes.remove(at);
                self.heads.remove(at);
            }
        }
        !to.keys.is_empty()
    }

    /// Merges two boxes, one successor at a time: the box of the next one cannot be predicted, so there is no branch
    /// on it.
    fn of_two(&mut self, stride: usize, most: usize, to: &mut Outbox) {
        let (one, other) = (self.boxes[0], self.boxes[1]);
        let (mut first, mut second) = (self.heads[0], self.heads[1]);
        while to.keys.len() < most
            && let (Some(&left), Some(&right)) = (one.keys.get(first), other.keys.get(second))
        {
            debug_assert_ne!(left, right, "no two boxes hold the same key");
            let is_left = left < right;
            let (from, head) = if is_left { (one, first) } else { (other, second) };
            to.keys.push(left.min(right));
            if stride == 1 {
                to.words.push(from.words[head]);
            } else {
                to.words.extend_from_slice(&from.words[head * stride..(head + 1) * stride]);
            }
            first += usize::from(is_left);
            second += usize::from(!is_left);
        }
        self.heads.copy_from_slice(&[first, second]);
    }

    /// Takes the next successors that are in one box.
    fn run(&mut self, stride: usize, most: usize, to: &mut Outbox) {
        let (mut least, mut second) = ((u64::MAX, 0), u64::MAX);
        for (at, (full, &head)) in self.boxes.iter().zip(&self.heads).enumerate() {
            let key = full.keys[head];
            if key < least.0 {
                (least, second) = ((key, at), least.0);
            } else {
                second = second.min(key);
            }
        }
        debug_assert!(least.0 < second, "no two boxes hold the same key");
        let (at, room) = (least.1, most - to.keys.len());
        let (full, first) = (self.boxes[at], self.heads[at]);
        let count = full.keys[first..].iter().take(room).take_while(|&&key| key < second).count();
        to.keys.extend_from_slice(&full.keys[first..first + count]);
        to.words.extend_from_slice(&full.words[first * stride..(first + count) * stride]);
        self.heads[at] += count;
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

/// The number of keys below a key.
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
                    all[to].push(key, &[!key, key], true);
                    all[to].push(key, &[key, !key], false);
                }
            }
            let mut merged = Vec::new();
            let (mut merging, mut batch) = (Merge::new(&all), Outbox::default());
            while merging.next(2, 7, &mut batch) {
                assert!(batch.keys.len() <= 7);
                for (&key, state) in batch.keys.iter().zip(batch.words.chunks_exact(2)) {
                    assert_eq!(state, [key, !key]);
                    merged.push(key);
                }
                batch.clear();
            }
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
