//! Packed states one after the other, each in as few whole bytes as its layout has bits.
//!
//! States lie in chunks of a fixed number, so that nothing is moved as the arena grows; only the first chunk grows by
//! doubling as long as it is small. Words of a state are read whole, and cut.
//!
//! When memory is short the first chunks move to a file ([`Spill`]); the last one stays. States that are not in
//! memory, and the words of the last state of a chunk that are not whole, are read on a separate path
//! ([`Arena::far`]): states in memory are read as if there were no file.
//!
//! States of more than a word are stored as pairs of halves instead ([`Tree`]) where memory is short and that is
//! smaller; there are then no chunks, and every read takes the separate path.
//!
//! Invariant: state `n` begins at byte `size * (n % 2^shift)` of chunk `n / 2^shift`; bits outside its `size` bytes are 0.

mod elsewhere;

use super::pages::{HUGE, Pages};
use super::spill::Spill;
use super::tree::Tree;
use crate::tuning::Tuning;

/// A chunk has more than one state: its last one is read on a separate path.
const LEAST_SHIFT: u32 = 2;

/// The most bytes of a chunk: it is written to a file at once.
const MOST_BYTES: usize = 64 << 20;

/// States of the first chunk at first.
const FIRST: usize = 1 << 9;

/// Bytes of a word.
const WORD: usize = size_of::<u64>();

/// The arena.
#[derive(Clone, Debug)]
pub(super) struct Arena {
    size: usize,
    /// The bits of the last word of a state.
    last: u64,
    /// The number of states of a chunk, as a power of two.
    shift: u32,
    /// Chunks in the file hold nothing.
    chunks: Vec<Pages>,
    len: usize,
    /// The number of states that have room.
    capacity: usize,
    spill: Option<Box<Spill>>,
    tree: Option<Box<Tree>>,
    /// The number of states from which pairs of halves are tried again.
    tried: usize,
    tuning: &'static Tuning,
}

/// The most states of a chunk whose states have so many bytes, as a power of two.
fn most_shift(size: usize) -> u32 {
    (MOST_BYTES / size).max(1).ilog2().max(LEAST_SHIFT)
}

impl Arena {
    /// No states, of so many bytes each; at least one.
    pub(super) fn new(size: usize, tuning: &'static Tuning) -> Arena {
        let size = size.max(1);
        let last = u64::MAX >> (WORD * 8 - 8 * ((size - 1) % WORD + 1));
        Arena {
            size,
            last,
            shift: tuning.chunk_shift.1.min(most_shift(size)),
            chunks: Vec::new(),
            len: 0,
            capacity: 0,
            spill: None,
            tree: None,
            tried: tuning.enough_for_halves,
            tuning,
        }
    }

    /// The thresholds for changes of the storage.
    pub(super) fn tuning(&self) -> &'static Tuning {
        self.tuning
    }

    /// An empty arena for states of so many bytes, in chunks as here, with its own file.
    pub(super) fn renewed(&self, size: usize) -> Arena {
        let mut new = Arena::new(size, self.tuning);
        new.shift = self.shift.min(new.shift);
        new.spill = self.spill().map(|spill| Box::new(spill.another()));
        new
    }

    /// Bytes of a state.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Words of a state.
    #[inline]
    pub(super) fn stride(&self) -> usize {
        self.size.div_ceil(WORD)
    }

    /// The number of states.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The chunk of a state, and its place there.
    #[inline]
    fn place(&self, number: usize) -> (usize, usize) {
        (number >> self.shift, (number & ((1 << self.shift) - 1)) * self.size)
    }

    /// The words of a state, if they are in memory and can be read whole.
    #[inline]
    fn near(&self, number: u32) -> Option<&[[u8; WORD]]> {
        let (chunk, start) = self.place(number as usize);
        let bytes = self.chunks.get(chunk)?.bytes().get(start..start + self.stride() * WORD)?;
        Some(bytes.as_chunks().0)
    }

    /// The words of a state that is not in memory or cannot be read whole.
    #[cold]
    fn far(&self, number: u32, to: &mut [u64]) {
        if let Some(tree) = &self.tree {
            return tree.read(number, to);
        }
        let (chunk, start) = self.place(number as usize);
        let bytes = &mut bytemuck::cast_slice_mut::<u64, u8>(&mut *to)[..self.size];
        match &self.spill {
            Some(spill) if chunk < spill.len() => spill.read(chunk, start, bytes),
            _ => match self.chunks[chunk].bytes().get(start..start + self.size) {
                Some(found) => bytes.copy_from_slice(found),
                // Rewriting did not come to its end, and the store says so.
                None => bytes.fill(0),
            },
        }
        to.iter_mut().for_each(|word| *word = u64::from_le(*word));
        if let Some(last) = to.last_mut() {
            *last &= self.last;
        }
    }

    #[cold]
    fn far_word(&self, number: u32) -> u64 {
        let mut words = vec![0; self.stride()];
        self.far(number, &mut words);
        words[0]
    }

    /// The first word of a state.
    #[inline]
    pub(super) fn first(&self, number: u32) -> u64 {
        let Some(words) = self.near(number) else { return self.far_word(number) };
        let word = u64::from_le_bytes(words[0]);
        if self.size < WORD { word & self.last } else { word }
    }

    /// Lets the processor fetch a state, without waiting for it.
    #[inline]
    pub(super) fn fetch(&self, number: u32) {
        let (chunk, start) = self.place(number as usize);
        if let Some(chunk) = self.chunks.get(chunk) {
            chunk.fetch(start);
        }
    }

    /// Writes the words of a state to as many words.
    #[inline]
    pub(super) fn copy(&self, number: u32, to: &mut [u64]) {
        let Some(words) = self.near(number) else { return self.far(number, to) };
        for (to, word) in to.iter_mut().zip(words) {
            *to = u64::from_le_bytes(*word);
        }
        if let Some(last) = to.last_mut() {
            *last &= self.last;
        }
    }

    /// Appends the words of a state.
    #[inline]
    pub(super) fn read(&self, number: u32, to: &mut Vec<u64>) {
        if self.size <= WORD {
            to.push(self.first(number));
            return;
        }
        let first = to.len();
        to.resize(first + self.stride(), 0);
        self.copy(number, &mut to[first..]);
    }

    /// Whether a stored state equals the given one.
    #[inline(always)]
    pub(super) fn holds(&self, number: u32, state: &[u64]) -> bool {
        if self.size <= WORD {
            return self.first(number) == state[0];
        }
        let Some(words) = self.near(number) else { return self.far_holds(number, state) };
        let (Some((last, words)), Some((end, state))) = (words.split_last(), state.split_last()) else { return false };
        words.iter().zip(state).all(|(word, of_state)| u64::from_le_bytes(*word) == *of_state)
            && u64::from_le_bytes(*last) & self.last == *end
    }

    #[cold]
    fn far_holds(&self, number: u32, state: &[u64]) -> bool {
        if let Some(tree) = &self.tree {
            return tree.holds(number, state) && !self.is_lost();
        }
        let mut words = vec![0; self.stride()];
        self.far(number, &mut words);
        words == state && !self.is_lost()
    }

    /// Whether a state fits: its last word has no bits outside.
    pub(super) fn fits(&self, state: &[u64]) -> bool {
        state.len() == self.stride() && state[state.len() - 1] & !self.last == 0
    }

    /// Appends a state; there is room.
    #[inline]
    pub(super) fn push(&mut self, state: &[u64]) {
        debug_assert!(self.fits(state), "a state has the bits of its layout");
        let (chunk, start) = self.place(self.len);
        self.len += 1;
        let Some(bytes) = self.chunks.get_mut(chunk).map(Pages::bytes_mut) else { return self.push_far(state) };
        // Nothing lies behind the state yet, so whole words are written, except at the end of the chunk.
        for (at, word) in state.iter().enumerate() {
            let to = &mut bytes[start + at * WORD..];
            match to.first_chunk_mut() {
                Some(to) => *to = word.to_le_bytes(),
                None => to.copy_from_slice(&word.to_le_bytes()[..to.len()]),
            }
        }
    }

    #[cold]
    fn push_far(&mut self, state: &[u64]) {
        let tree = self.tree.as_mut().expect("without chunks there are pairs");
        tree.push(state, u64::MAX);
    }

    /// Replaces a state in memory.
    fn set(&mut self, number: u32, state: &[u64]) {
        debug_assert!(self.fits(state), "a rewritten state has the bits of its layout");
        let (chunk, start) = self.place(number as usize);
        let to = &mut self.chunks[chunk].bytes_mut()[start..start + self.size];
        for (to, word) in to.chunks_mut(WORD).zip(state) {
            to.copy_from_slice(&word.to_le_bytes()[..to.len()]);
        }
    }

    /// Whether there is room for one more state.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        self.len < self.capacity
    }

    /// The most bytes that [`grow`](Arena::grow) takes until the first state is written.
    pub(super) fn growth(&self) -> u64 {
        if let Some(tree) = &self.tree {
            return tree.growth();
        }
        let used = (self.place(self.len).1) as u64;
        // The first chunk is copied.
        self.bytes_of(self.next_chunk()).min(used.next_multiple_of(HUGE as u64) + HUGE as u64)
    }

    /// The number of states of the next chunk to grow. Mapped memory is reserved whole: its pages are taken as they
    /// are written.
    fn next_chunk(&self) -> usize {
        let (chunk, double) = (1 << self.shift, (self.capacity * 2).max(FIRST));
        if double > chunk || self.bytes_of(double) >= HUGE as u64 { chunk } else { double }
    }

    fn bytes_of(&self, states: usize) -> u64 {
        (states * self.size).next_multiple_of(WORD) as u64
    }

    /// Makes room for more states.
    pub(super) fn grow(&mut self) {
        if let Some(tree) = &self.tree {
            self.capacity = self.len + tree.ahead();
            return;
        }
        let states = self.next_chunk();
        let bytes = self.bytes_of(states);
        let mut pages = Pages::zeroed(usize::try_from(bytes).expect("it fits into the address space"));
        if self.capacity < 1 << self.shift {
            if let Some(old) = self.chunks.pop() {
                let used = self.len * self.size;
                pages.bytes_mut()[..used].copy_from_slice(&old.bytes()[..used]);
            }
            self.capacity = states;
        } else {
            self.capacity += states;
        }
        self.chunks.push(pages);
        self.move_all_to_disk();
    }

    /// The number of states that have room.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Bytes allocated, the last chunk as far as it is used.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes_with(0)
    }

    /// The same with so many more states, as far as there is room.
    pub(super) fn bytes_with(&self, more: usize) -> u64 {
        if let Some(tree) = &self.tree {
            return tree.bytes();
        }
        let blocks = self.spill().map_or(0, Spill::bytes);
        let Some((last, full)) = self.chunks.split_last() else { return blocks };
        let used = (self.len + more).min(self.capacity) - (full.len() << self.shift);
        let held = full[self.spill().map_or(0, Spill::len).min(full.len())..].iter();
        blocks + held.map(|chunk| chunk.held(self.size << self.shift)).sum::<u64>() + last.held(used * self.size)
    }

    /// States in memory.
    pub(super) fn held(&self) -> usize {
        if let Some(tree) = &self.tree {
            return tree.roots.held();
        }
        self.len - self.spill().map_or(0, |spill| spill.len() << self.shift).min(self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::SMALL;

    #[test]
    fn states_come_back_through_every_size() {
        let mut arena = Arena::new(1, &SMALL);
        let mut naive: Vec<Vec<u64>> = Vec::new();
        let mut read = Vec::new();
        for size in [1, 2, 7, 8, 9, 15, 16, 17, 24] {
            let mask = |at: usize| u64::MAX >> (64 - 8 * (size - at * 8).min(8));
            arena.rewrite(size, u64::MAX, |old, new| {
                new.fill(0);
                new[..old.len()].copy_from_slice(old);
            });
            naive.iter_mut().for_each(|state| state.resize(size.div_ceil(8), 0));
            for number in 0..1_000u64 {
                let word = |at| (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 + at as u64) & mask(at);
                let state: Vec<u64> = (0..size.div_ceil(8)).map(word).collect();
                if !arena.has_room() {
                    arena.grow();
                }
                assert!(arena.fits(&state));
                arena.push(&state);
                naive.push(state);
            }
            for (number, state) in naive.iter().enumerate() {
                let number = u32::try_from(number).expect("small");
                read.clear();
                arena.read(number, &mut read);
                assert_eq!((&read, arena.first(number)), (state, state[0]));
                assert!(arena.holds(number, state));
            }
            assert!(arena.bytes() >= (arena.len() * size) as u64);
        }
        assert!(arena.len() > 1 << SMALL.chunk_shift.1);
        assert!(!arena.holds(5, &naive[6]));
    }

    #[test]
    fn a_chunk_is_bounded_by_bytes_for_every_width_of_a_state() {
        for size in [1, 16, 17, 1 << 10, 9 << 10, 1 << 20, 1 << 30] {
            for memory in [1 << 20, 1 << 30, u64::MAX] {
                let mut arena = Arena::new(size, &crate::tuning::SHIPPED);
                assert!(size << arena.shift <= MOST_BYTES.max(size << LEAST_SHIFT));
                arena.fit(memory);
                assert!(size << arena.shift <= MOST_BYTES.max(size << LEAST_SHIFT));
                assert!(arena.renewed(size * 2).shift <= arena.shift);
            }
        }
    }

    #[test]
    fn states_that_are_too_large_do_not_fit() {
        assert!(Arena::new(9, &SMALL).fits(&[u64::MAX, 255]) && !Arena::new(9, &SMALL).fits(&[0, 256]));
        assert!(!Arena::new(3, &SMALL).fits(&[1 << 24]) && !Arena::new(3, &SMALL).fits(&[0, 0]));
    }
}
