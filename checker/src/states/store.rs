//! The visited set: exact, in the order of discovery, with a parent for each state.
//!
//! Packed states lie one after the other in an arena; the place of a state is its number, so the arena is also the queue of
//! a breadth-first search. The index is an open-addressing table of (32 bits of hash, number + 1). The position of an entry
//! is a prefix of its fragment, so the index doubles without looking at the arena. Whole states are compared, never hashes
//! alone.
//!
//! Invariants: `words.len() == stride * parents.len()`; every number is in the index once; the index is at most 3/4 full.
//!
//! Complexity: expected O(stride) an insertion; `8 * stride + 4` bytes a state and 8 an index entry.

use std::io;
use std::marker::PhantomData;

use super::hash::{Folded, StateHash};
use super::pages::Words;
use crate::checkpoint::{Damaged, Reader, Saved, Writer};
use crate::memory::{Full, bytes_of};

/// The parent of an initial state.
pub(crate) const NO_PARENT: u32 = u32::MAX;

/// The most states a store holds: a number and its successor fit into 32 bits, and [`NO_PARENT`] is none.
pub(crate) const MOST_STATES: u32 = u32::MAX - 1;

const FIRST_INDEX: usize = 1 << 10;
const FRAGMENT: u64 = !0 << 32;

/// The visited set.
#[derive(Clone, Debug)]
pub(crate) struct Store<H = Folded> {
    stride: usize,
    words: Vec<u64>,
    parents: Vec<u32>,
    index: Words,
    most: u32,
    allowance: u64,
    hash: PhantomData<H>,
}

/// The number in an index entry.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
fn number_of(entry: u64) -> u32 {
    (entry as u32) - 1
}

impl<H: StateHash> Store<H> {
    /// An empty set of states of `stride` words, at most `most` of them.
    pub(crate) fn new(stride: usize, most: u64) -> Store<H> {
        Store {
            stride,
            words: Vec::new(),
            parents: Vec::new(),
            index: Words::zeroed(FIRST_INDEX),
            most: u32::try_from(most).unwrap_or(u32::MAX).min(MOST_STATES),
            allowance: u64::MAX,
            hash: PhantomData,
        }
    }

    /// How many states are stored.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "at most MOST_STATES")]
    pub(crate) fn len(&self) -> u32 {
        self.parents.len() as u32
    }

    /// Words of a packed state.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// How many states may be stored.
    pub(crate) fn most(&self) -> u32 {
        self.most
    }

    /// The packed state of a number.
    #[inline]
    pub(crate) fn state(&self, number: u32) -> &[u64] {
        let start = number as usize * self.stride;
        &self.words[start..start + self.stride]
    }

    /// The state from which a state was first reached; [`NO_PARENT`] for an initial one.
    pub(crate) fn parent(&self, number: u32) -> u32 {
        self.parents[number as usize]
    }

    /// The numbers from an initial state to a state, along the parents.
    pub(crate) fn path(&self, number: u32) -> Vec<u32> {
        let parent = |&at: &u32| Some(self.parent(at)).filter(|&parent| parent != NO_PARENT);
        let mut path: Vec<u32> = std::iter::successors(Some(number), parent).collect();
        path.reverse();
        path
    }

    /// How many initial states there are, when they were stored first: the states without a parent.
    pub(crate) fn initial(&self) -> u32 {
        let initial = self.parents.iter().take_while(|&&parent| parent == NO_PARENT).count();
        u32::try_from(initial).unwrap_or(u32::MAX)
    }

    /// Gives a state another parent, whose own line does not pass it.
    pub(crate) fn set_parent(&mut self, number: u32, parent: u32) {
        self.parents[number as usize] = parent;
    }

    /// Bytes allocated.
    pub(crate) fn bytes(&self) -> u64 {
        bytes_of::<u64>(self.words.capacity() + self.index.len()) + bytes_of::<u32>(self.parents.capacity())
    }

    /// How many bytes the store may allocate from now on, those it has included.
    pub(crate) fn allow(&mut self, bytes: u64) {
        self.allowance = bytes;
    }

    /// The number of a state, and whether it is new.
    ///
    /// # Errors
    /// The state is new and there is no room.
    #[cfg(test)]
    pub(crate) fn insert(&mut self, state: &[u64], parent: u32) -> Result<(u32, bool), Full> {
        self.insert_hashed(state, H::hash(state), parent)
    }

    /// The hash of a state, and the index entry where the search for it begins. Asking for several states before inserting
    /// them lets the processor fetch the entries side by side.
    #[inline]
    pub(crate) fn probe(&self, state: &[u64]) -> (u64, u64) {
        let hash = H::hash(state);
        (hash, self.index[self.position(hash)])
    }

    /// The number of a state with the given hash, and whether it is new.
    ///
    /// # Errors
    /// The state is new and there is no room.
    #[inline]
    pub(crate) fn insert_hashed(&mut self, state: &[u64], hash: u64, parent: u32) -> Result<(u32, bool), Full> {
        let fragment = hash & FRAGMENT;
        let mut at = self.position(fragment);
        loop {
            let entry = self.index[at];
            if entry == 0 {
                break;
            }
            if entry & FRAGMENT == fragment && self.holds(number_of(entry), state) {
                return Ok((number_of(entry), false));
            }
            at = (at + 1) & (self.index.len() - 1);
        }
        self.push(state, parent, fragment, at)
    }

    /// Stores packed states that lie one after the other, and hands out the place and the number of each. `probes` is a
    /// buffer.
    ///
    /// # Errors
    /// There is no room for all: those before are stored.
    #[inline]
    pub(crate) fn insert_each(
        &mut self,
        states: &[u64],
        probes: &mut Vec<(u64, u64)>,
        parent: u32,
        mut each: impl FnMut(usize, u32),
    ) -> Result<(), Full> {
        self.insert_all(states, probes, |_| parent, |at, number, _| each(at, number))
    }

    /// Stores packed states that lie one after the other, each with a parent of its own, and hands out the place and the number
    /// of each, and whether it is new. `probes` is a buffer.
    ///
    /// # Errors
    /// There is no room for all: those before are stored.
    #[inline]
    pub(crate) fn insert_all(
        &mut self,
        states: &[u64],
        probes: &mut Vec<(u64, u64)>,
        parent: impl Fn(usize) -> u32,
        mut each: impl FnMut(usize, u32, bool),
    ) -> Result<(), Full> {
        let stride = self.stride;
        probes.clear();
        probes.extend(states.chunks_exact(stride).map(|state| self.probe(state)));
        self.touch(probes);
        for (at, (state, &(hash, _))) in states.chunks_exact(stride).zip(&*probes).enumerate() {
            let (number, is_new) = self.insert_hashed(state, hash, parent(at))?;
            each(at, number, is_new);
        }
        Ok(())
    }

    /// Reads the states that the probed entries most likely mean, one after the other, so that the processor fetches them side
    /// by side.
    #[inline]
    pub(crate) fn touch(&self, probes: &[(u64, u64)]) {
        let mut read = 0;
        for &(hash, entry) in probes {
            if entry != 0 && (entry ^ hash) & FRAGMENT == 0 {
                read ^= self.words[number_of(entry) as usize * self.stride];
            }
        }
        std::hint::black_box(read);
    }

    #[inline]
    fn holds(&self, number: u32, state: &[u64]) -> bool {
        // One word is the common case and needs no loop.
        if self.stride == 1 { self.words[number as usize] == state[0] } else { self.state(number) == state }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "below the length of the index")]
    fn position(&self, fragment: u64) -> usize {
        (fragment >> (u64::BITS - self.index.len().trailing_zeros())) as usize
    }

    /// Stores a new state whose entry belongs at `at`, the first free place.
    fn push(&mut self, state: &[u64], parent: u32, fragment: u64, at: usize) -> Result<(u32, bool), Full> {
        let number = self.len();
        if number >= self.most {
            return Err(Full::States);
        }
        self.reserve()?;
        let entry = fragment | (u64::from(number) + 1);
        if (self.parents.len() + 1) * 4 > self.index.len() * 3 {
            self.double_index()?;
            self.place(entry);
        } else {
            self.index[at] = entry;
        }
        self.words.extend_from_slice(state);
        self.parents.push(parent);
        Ok((number, true))
    }

    fn place(&mut self, entry: u64) {
        let mut at = self.position(entry & FRAGMENT);
        while self.index[at] != 0 {
            at = (at + 1) & (self.index.len() - 1);
        }
        self.index[at] = entry;
    }

    /// Makes room for one more state in the arena: half as much again.
    fn reserve(&mut self) -> Result<(), Full> {
        if self.parents.len() < self.parents.capacity() && self.words.len() + self.stride <= self.words.capacity() {
            return Ok(());
        }
        let more = (self.parents.len() / 2).max(FIRST_INDEX / 2).min((self.most - self.len()) as usize);
        self.ask(bytes_of::<u64>(more * self.stride) + bytes_of::<u32>(more))?;
        self.words.reserve_exact(more * self.stride);
        self.parents.reserve_exact(more);
        Ok(())
    }

    fn double_index(&mut self) -> Result<(), Full> {
        let double = self.index.len() * 2;
        self.ask(bytes_of::<u64>(double))?;
        let old = std::mem::replace(&mut self.index, Words::zeroed(double));
        for &entry in old.iter() {
            if entry != 0 {
                self.place(entry);
            }
        }
        Ok(())
    }

    fn ask(&self, bytes: u64) -> Result<(), Full> {
        if self.bytes().saturating_add(bytes) <= self.allowance { Ok(()) } else { Err(Full::Memory) }
    }

    /// Rewrites every state by `convert`, from the old words to `stride` new ones, and indexes all again. `convert` is
    /// injective; numbers and parents stay.
    ///
    /// # Errors
    /// There is no room; the store is then unchanged.
    ///
    /// # Complexity
    /// O(states * conversion).
    pub(crate) fn rewrite(&mut self, stride: usize, mut convert: impl FnMut(&[u64], &mut [u64])) -> Result<(), Full> {
        if stride == self.stride {
            let mut old = vec![0; stride];
            for state in self.words.chunks_exact_mut(stride) {
                old.copy_from_slice(state);
                convert(&old, state);
            }
        } else {
            let capacity = self.parents.capacity() * stride;
            self.ask(bytes_of::<u64>(capacity))?;
            let mut words = Vec::with_capacity(capacity);
            words.resize(self.parents.len() * stride, 0);
            for (old, new) in self.words.chunks_exact(self.stride).zip(words.chunks_exact_mut(stride)) {
                convert(old, new);
            }
            (self.words, self.stride) = (words, stride);
        }
        self.index.fill(0);
        for number in 0..self.len() {
            let fragment = H::hash(self.state(number)) & FRAGMENT;
            self.place(fragment | (u64::from(number) + 1));
        }
        Ok(())
    }
}

impl<H: StateHash> Saved for Store<H> {
    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.len(self.stride)?;
        to.u32s(&self.parents)?;
        to.u64s(&self.words)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damaged> {
        let stride = usize::try_from(from.u64()?).ok().filter(|&stride| stride > 0).ok_or(Damaged)?;
        let parents = from.u32s()?;
        let words = from.u64s()?;
        if parents.len() >= MOST_STATES as usize || parents.len().checked_mul(stride) != Some(words.len()) {
            return Err(Damaged);
        }
        // A parent is stored before its children, but by a depth-first search; so much keeps paths finite here.
        if parents.iter().enumerate().any(|(number, &parent)| parent != NO_PARENT && parent as usize >= number) {
            return Err(Damaged);
        }
        (self.stride, self.parents, self.words) = (stride, parents, words);
        let least = (self.parents.len() * 4).div_ceil(3) + 1;
        self.index = Words::zeroed(least.next_power_of_two().max(FIRST_INDEX));
        for number in 0..self.len() {
            let fragment = H::hash(self.state(number)) & FRAGMENT;
            self.place(fragment | (u64::from(number) + 1));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::hash::Constant;
    use super::*;

    fn random(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *seed >> 33
    }

    /// Inserts random states, rewrites to more words half-way, and compares with a map after each insertion.
    fn against_a_map<H: StateHash>(rounds: u64, distinct: u64, stride: usize) {
        let mut seed = rounds;
        let mut store: Store<H> = Store::new(stride, u64::MAX);
        let mut map: HashMap<Vec<u64>, u32> = HashMap::new();
        for round in 0..rounds {
            if round == rounds / 2 {
                store
                    .rewrite(stride + 1, |old, new| {
                        new[0] = 5;
                        new[1..].copy_from_slice(old);
                    })
                    .expect("there is room");
                map = map.into_iter().map(|(key, number)| ([vec![5], key].concat(), number)).collect();
            }
            let mut state: Vec<u64> = (0..stride).map(|_| random(&mut seed) % distinct).collect();
            if round >= rounds / 2 {
                state.insert(0, 5);
            }
            let next = u32::try_from(map.len()).expect("small");
            let expected = map.get(&state).copied();
            assert_eq!(store.insert(&state, next), Ok((expected.unwrap_or(next), expected.is_none())));
            map.entry(state).or_insert(next);
        }
        assert_eq!(store.len() as usize, map.len());
        for (state, &number) in &map {
            assert_eq!((store.state(number), store.parent(number)), (&state[..], number));
        }
    }

    #[test]
    fn it_is_a_map_from_states_to_numbers() {
        against_a_map::<Folded>(40_000, 30_000, 1);
        against_a_map::<Folded>(20_000, 40, 2);
        against_a_map::<Folded>(5_000, 6, 5);
    }

    #[test]
    fn it_is_exact_under_a_constant_hash() {
        against_a_map::<Constant>(1_500, 900, 1);
        against_a_map::<Constant>(1_500, 30, 2);
    }

    #[test]
    fn it_refuses_new_states_past_the_bound_and_still_finds_old_ones() {
        let mut store: Store = Store::new(1, 2);
        assert_eq!(store.insert(&[7], NO_PARENT), Ok((0, true)));
        assert_eq!(store.insert(&[8], 0), Ok((1, true)));
        assert_eq!(store.insert(&[9], 0), Err(Full::States));
        assert_eq!(store.insert(&[7], 1), Ok((0, false)));
    }

    #[test]
    fn it_stays_within_its_allowance() {
        let mut store: Store = Store::new(1, u64::MAX);
        store.allow(100_000);
        let refused = (0..1 << 20).find_map(|state| store.insert(&[state], 0).err());
        assert_eq!(refused, Some(Full::Memory));
        assert!(store.bytes() <= 100_000);
        assert!(store.len() > 1_000);
        assert_eq!(store.insert(&[0], 0), Ok((0, false)));
    }
}
