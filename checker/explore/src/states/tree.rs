//! States as pairs of halves: a half that many states share is stored once.
//!
//! The words of a state are cut into a left and a right half. Each half is looked up in its own table, which is exact
//! like that of states, and the state is stored as the numbers of its halves in as few whole bytes as both take. When
//! a number needs more bits, all pairs are rewritten. Global states of many parts differ from each other in few of
//! them, so halves repeat.
//!
//! Invariants: a table holds each half once; `roots[n]` is `left + right * 2^widths[0]` of state `n`; equal states have equal
//! pairs.
//!
//! Complexity: a read of a state is three reads; a new state costs two more look-ups.
//!
//! Source: tree compression after \[LPW11\], with one level, and pairs packed to their bits.

use super::arena::Arena;
use super::hash::{Folded, StateHash};
use super::index::{Index, States};
use crate::tuning::Tuning;

/// Spare bits when the numbers of halves need more.
const SPARE: u32 = 1;

/// The states.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    halves: [Half; 2],
    widths: [u32; 2],
    /// Words of the left half.
    split: usize,
    pub(super) roots: Arena,
}

/// All left halves, or all right ones.
#[derive(Clone, Debug)]
struct Half {
    arena: Arena,
    index: Index,
}

impl Half {
    fn new(bytes: usize, tuning: &'static Tuning) -> Half {
        Half { arena: Arena::new(bytes, tuning), index: Index::new(tuning) }
    }

    fn bytes(&self) -> u64 {
        self.arena.bytes() + self.index.bytes()
    }

    /// The number of a half, which is stored if it is new.
    fn intern(&mut self, half: &[u64]) -> u32 {
        let Half { arena, index } = self;
        let hash = Folded::hash(half);
        let free = match index.find(hash, |number| arena.holds(number, half)) {
            Ok(number) => return number,
            Err(free) => free,
        };
        let number = u32::try_from(arena.len()).expect("fewer halves than states");
        let hash_of = |number| {
            let mut words = vec![0; arena.stride()];
            arena.copy(number, &mut words);
            Folded::hash(&words)
        };
        let inserted =
            index.insert(free, hash, number, States { fetch: |number| arena.fetch(number), hash: hash_of }, |_| Ok(()));
        debug_assert!(inserted.is_ok(), "nothing refuses");
        if !arena.has_room() {
            arena.grow();
        }
        arena.push(half);
        number
    }

    /// The most bytes that are added when so many more halves are stored.
    fn growth(&self, more: usize) -> u64 {
        let room = if self.arena.capacity() - self.arena.len() < more { self.arena.growth() } else { 0 };
        // One segment of the index exists twice, and becomes half as large again; small ones are doubled.
        room + (more * self.arena.size()) as u64 + self.index.bytes() / 4
    }
}

fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

fn bits(count: usize) -> u32 {
    usize::BITS - count.leading_zeros()
}

fn number(bits: u64) -> u32 {
    u32::try_from(bits).expect("numbers have 32 bits")
}

impl Tree {
    /// No states, of so many bytes each, more than a word; `roots` is an arena for pairs.
    pub(super) fn new(size: usize, roots: &Arena) -> Tree {
        let split = size.div_ceil(size_of::<u64>()) / 2;
        let left = split * size_of::<u64>();
        assert!(0 < left && left < size, "both halves of a state have bytes");
        let tuning = roots.tuning();
        Tree {
            halves: [Half::new(left, tuning), Half::new(size - left, tuning)],
            widths: [4; 2],
            split,
            roots: roots.renewed(1),
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes_of_halves() + self.roots.bytes()
    }

    /// Bytes of the halves, without the pairs.
    pub(super) fn bytes_of_halves(&self) -> u64 {
        self.halves.iter().map(Half::bytes).sum()
    }

    /// Bytes of a pair.
    pub(super) fn size(&self) -> usize {
        self.roots.size()
    }

    /// Stores the halves of a state only.
    pub(super) fn learn(&mut self, state: &[u64]) {
        let (left, right) = state.split_at(self.split);
        self.halves[0].intern(left);
        self.halves[1].intern(right);
    }

    /// Writes the words of a state to as many words.
    pub(super) fn read(&self, at: u32, to: &mut [u64]) {
        let root = self.roots.first(at);
        let (left, right) = to.split_at_mut(self.split);
        self.halves[0].arena.copy(number(root & mask(self.widths[0])), left);
        self.halves[1].arena.copy(number(root >> self.widths[0]), right);
    }

    /// Whether a stored state equals the given one.
    pub(super) fn holds(&self, at: u32, state: &[u64]) -> bool {
        let root = self.roots.first(at);
        let (left, right) = state.split_at(self.split);
        self.halves[0].arena.holds(number(root & mask(self.widths[0])), left)
            && self.halves[1].arena.holds(number(root >> self.widths[0]), right)
    }

    /// Appends a state; `most` is the number of bytes that the pairs may take when they are rewritten.
    pub(super) fn push(&mut self, state: &[u64], most: u64) {
        let (left, right) = state.split_at(self.split);
        let numbers = [self.halves[0].intern(left), self.halves[1].intern(right)];
        if (0..2).any(|half| u64::from(numbers[half]) > mask(self.widths[half])) {
            self.widen(most);
        }
        if !self.roots.has_room() {
            self.roots.grow();
        }
        self.roots.push(&[u64::from(numbers[0]) | u64::from(numbers[1]) << self.widths[0]]);
        debug_assert!(self.holds(number(self.roots.len() as u64 - 1), state), "a pair of halves gives its state back");
    }

    /// Gives the numbers of both halves the bits that they need and some more, as far as pairs take no further byte.
    fn widen(&mut self, most: u64) {
        let old = self.widths;
        for (width, half) in self.widths.iter_mut().zip(&self.halves) {
            let needed = bits(half.arena.len() - 1);
            if needed > *width {
                *width = (needed + SPARE).min(u32::BITS);
            }
        }
        let bytes = (self.widths[0] + self.widths[1]).div_ceil(u8::BITS);
        let mut half = 0;
        while self.widths[0] + self.widths[1] < bytes * u8::BITS {
            self.widths[half] += u32::from(self.widths[half] < u32::BITS);
            half = 1 - half;
        }
        let fits = |(half, width): (&Half, u32)| half.arena.len() as u64 <= mask(width) + 1;
        assert!(self.halves.iter().zip(self.widths).all(fits), "the number of each half fits into its bits");
        let new = self.widths[0];
        self.roots.rewrite(bytes as usize, most, |from, to| {
            to[0] = from[0] & mask(old[0]) | (from[0] >> old[0]) << new;
        });
    }

    /// The most bytes that storing [`Tuning::pairs_ahead`] states takes, without rewriting pairs.
    pub(super) fn growth(&self) -> u64 {
        let room = if self.roots.capacity() - self.roots.len() < self.roots.tuning().pairs_ahead {
            self.roots.growth()
        } else {
            0
        };
        room + (self.roots.tuning().pairs_ahead * self.size()) as u64
            + self.halves.iter().map(|half| half.growth(self.roots.tuning().pairs_ahead)).sum::<u64>()
    }

    /// The number of states that may be stored when [`growth`](Tree::growth) was granted.
    pub(super) fn ahead(&self) -> usize {
        self.roots.tuning().pairs_ahead
    }

    /// Gives pairs room for the numbers of all present halves; no pair is stored.
    pub(super) fn fit(&mut self) {
        self.widen(u64::MAX);
    }
}
