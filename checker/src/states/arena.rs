//! Packed states one after the other, each in as few whole bytes as its layout has bits.
//!
//! States lie in chunks of a fixed number, so that nothing is moved as the arena grows; only the first chunk grows by
//! doubling as long as it is small. A chunk ends in spare bytes: every word of a state is read and written whole, and cut.
//!
//! Invariant: state `n` begins at byte `size * (n % CHUNK)` of chunk `n / CHUNK`; bits outside its `size` bytes are 0.

use super::pages::{HUGE, Pages};

/// States of a chunk: with the spare bytes, as many huge pages as a state has bytes, twice.
const CHUNK: usize = if cfg!(test) { 1 << 12 } else { (1 << 22) - WORD };

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
    chunks: Vec<Pages>,
    len: usize,
    /// How many states have room.
    capacity: usize,
}

#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    let (word, _) = bytes[at..].split_first_chunk::<WORD>().expect("spare bytes");
    u64::from_le_bytes(*word)
}

impl Arena {
    /// No states, of so many bytes each; at least one.
    pub(super) fn new(size: usize) -> Arena {
        let size = size.max(1);
        let last = u64::MAX >> (WORD * 8 - 8 * ((size - 1) % WORD + 1));
        Arena { size, last, chunks: Vec::new(), len: 0, capacity: 0 }
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

    /// How many states there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The first word of a state.
    #[inline]
    pub(super) fn first(&self, number: u32) -> u64 {
        let number = number as usize;
        let word = word(self.chunks[number / CHUNK].bytes(), (number % CHUNK) * self.size);
        if self.size < WORD { word & self.last } else { word }
    }

    /// Has the processor fetch a state, without waiting for it.
    #[inline]
    pub(super) fn fetch(&self, number: u32) {
        let number = number as usize;
        self.chunks[number / CHUNK].fetch((number % CHUNK) * self.size);
    }

    /// The words of a state, to as many.
    #[inline]
    pub(super) fn copy(&self, number: u32, to: &mut [u64]) {
        let number = number as usize;
        let bytes = self.chunks[number / CHUNK].bytes();
        let start = (number % CHUNK) * self.size;
        for (at, to) in to.iter_mut().enumerate() {
            *to = word(bytes, start + at * WORD);
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
        let number = number as usize;
        let bytes = self.chunks[number / CHUNK].bytes();
        let (start, stride) = ((number % CHUNK) * self.size, self.stride());
        to.extend((0..stride - 1).map(|at| word(bytes, start + at * WORD)));
        to.push(word(bytes, start + (stride - 1) * WORD) & self.last);
    }

    /// Whether a state is this one.
    #[inline]
    pub(super) fn holds(&self, number: u32, state: &[u64]) -> bool {
        if self.size <= WORD {
            return self.first(number) == state[0];
        }
        let number = number as usize;
        let bytes = self.chunks[number / CHUNK].bytes();
        let (start, stride) = ((number % CHUNK) * self.size, self.stride());
        (0..stride).all(|at| {
            let mask = if at + 1 == stride { self.last } else { u64::MAX };
            word(bytes, start + at * WORD) & mask == state[at]
        })
    }

    /// Whether a state fits: its last word has no bits outside.
    pub(super) fn fits(&self, state: &[u64]) -> bool {
        state.len() == self.stride() && state[state.len() - 1] & !self.last == 0
    }

    /// Appends a state; there is room.
    #[inline]
    pub(super) fn push(&mut self, state: &[u64]) {
        let number = self.len;
        self.len += 1;
        let start = (number % CHUNK) * self.size;
        let bytes = self.chunks[number / CHUNK].bytes_mut();
        // Nothing lies behind it yet, so whole words are written.
        for (at, word) in state.iter().enumerate() {
            bytes[start + at * WORD..][..WORD].copy_from_slice(&word.to_le_bytes());
        }
    }

    /// Replaces a state.
    pub(super) fn set(&mut self, number: u32, state: &[u64]) {
        let number = number as usize;
        let start = (number % CHUNK) * self.size;
        let to = &mut self.chunks[number / CHUNK].bytes_mut()[start..start + self.size];
        for (to, word) in to.chunks_mut(WORD).zip(state) {
            to.copy_from_slice(&word.to_le_bytes()[..to.len()]);
        }
    }

    /// Whether there is room for one more state.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        self.len < self.capacity
    }

    /// Bytes that [`grow`](Arena::grow) takes at most until the first state is written.
    pub(super) fn growth(&self) -> u64 {
        let (bytes, used) = (self.bytes_of(self.next_chunk()), (self.len % CHUNK * self.size) as u64);
        // The first chunk is copied.
        bytes.min(used.next_multiple_of(HUGE as u64) + HUGE as u64)
    }

    /// How many states the chunk will have that grows next. What is mapped is whole at once: it is taken as it is written.
    fn next_chunk(&self) -> usize {
        let double = (self.capacity * 2).max(FIRST);
        if double > CHUNK || self.bytes_of(double) >= HUGE as u64 { CHUNK } else { double }
    }

    fn bytes_of(&self, states: usize) -> u64 {
        (states * self.size + WORD) as u64
    }

    /// Makes room for more states.
    pub(super) fn grow(&mut self) {
        let states = self.next_chunk();
        let bytes = self.bytes_of(states);
        let mut pages = Pages::zeroed(usize::try_from(bytes).expect("it fits into the address space"));
        if self.capacity < CHUNK {
            if let Some(old) = self.chunks.pop() {
                let used = self.len * self.size;
                pages.bytes_mut()[..used].copy_from_slice(&old.bytes()[..used]);
            }
            self.capacity = states;
        } else {
            self.capacity += states;
        }
        self.chunks.push(pages);
    }

    /// How many states have room.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Bytes allocated, the last chunk as far as it is used.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes_with(0)
    }

    /// The same with so many states more, as far as there is room.
    pub(super) fn bytes_with(&self, more: usize) -> u64 {
        let Some((last, full)) = self.chunks.split_last() else { return 0 };
        let used = (self.len + more).min(self.capacity) - full.len() * CHUNK;
        full.iter().map(|chunk| chunk.held(CHUNK * self.size)).sum::<u64>() + last.held(used * self.size + WORD)
    }

    /// Rewrites every state by `convert` to one of `size` bytes. At no time more than one chunk is there twice.
    pub(super) fn rewrite(&mut self, size: usize, mut convert: impl FnMut(&[u64], &mut [u64])) {
        let mut new = Arena::new(size);
        let (mut from, mut to) = (Vec::with_capacity(self.stride()), vec![0; new.stride()]);
        let is_same = new.size == self.size;
        for number in 0..self.len {
            from.clear();
            let at = u32::try_from(number).expect("numbers have 32 bits");
            self.read(at, &mut from);
            convert(&from, &mut to);
            if is_same {
                self.set(at, &to);
                continue;
            }
            if !new.has_room() {
                if number > 0 && number % CHUNK == 0 {
                    self.chunks[(number / CHUNK) - 1] = Pages::Heap(Vec::new());
                }
                new.grow();
            }
            new.push(&to);
        }
        if !is_same {
            *self = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_come_back_through_every_size() {
        let mut arena = Arena::new(1);
        let mut naive: Vec<Vec<u64>> = Vec::new();
        let mut read = Vec::new();
        for size in [1, 2, 7, 8, 9, 15, 16, 17, 24] {
            let mask = |at: usize| u64::MAX >> (64 - 8 * (size - at * 8).min(8));
            arena.rewrite(size, |old, new| {
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
        assert!(arena.len() > CHUNK);
        assert!(!arena.holds(5, &naive[6]));
    }

    #[test]
    fn states_that_are_too_large_do_not_fit() {
        assert!(Arena::new(9).fits(&[u64::MAX, 255]) && !Arena::new(9).fits(&[0, 256]));
        assert!(!Arena::new(3).fits(&[1 << 24]) && !Arena::new(3).fits(&[0, 0]));
    }
}
