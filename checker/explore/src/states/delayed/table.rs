//! The table of the states in memory whose index is on the disk.

use bitvec::vec::BitVec;

use crate::memory::Halt;
use crate::states::buffer::Buffer;
use crate::states::hash::StateHash;
use crate::states::index::{Index, States};
use crate::states::sorted::entry;
use crate::tuning::Tuning;

/// States that are prefetched together.
pub(super) const BATCH: usize = 16;

/// States in memory.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) stride: usize,
    pub(super) words: Buffer,
    pub(super) index: Index,
    /// The states that are stored, and in no run.
    pub(super) is_new: BitVec<u64>,
    /// The number of resolved states.
    pub(super) resolved: usize,
    /// The number of states that there is room for.
    pub(super) most: usize,
}

/// The room of a table for so many states: a batch fits into an empty one, however small it is.
pub(super) fn with_batch(most: usize) -> usize {
    most.max(BATCH)
}

impl Table {
    /// A table without room.
    pub(super) fn empty(stride: usize, tuning: &Tuning) -> Table {
        let (words, is_new) = (Buffer::default(), BitVec::new());
        Table { stride, words, index: Index::with_room(0, tuning), is_new, resolved: 0, most: 0 }
    }

    pub(super) fn new(stride: usize, most: usize, tuning: &Tuning) -> Result<Table, Halt> {
        let count = u32::try_from(most).expect("at most MOST");
        let words = Buffer::with_room(with_batch(most).checked_mul(stride).ok_or(Halt::Memory)?)?;
        Ok(Table { words, index: Index::with_room(count, tuning), most, ..Table::empty(stride, tuning) })
    }

    pub(super) fn len(&self) -> usize {
        self.words.len() / self.stride
    }

    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.is_new.clear();
        self.index.clear();
        self.resolved = 0;
    }

    pub(super) fn state(&self, at: u32) -> &[u64] {
        &self.words[at as usize * self.stride..][..self.stride]
    }

    /// Adds a state; returns whether it was absent.
    pub(super) fn insert<H: StateHash>(&mut self, hash: u64, state: &[u64]) -> bool {
        let Table { stride, words, index, .. } = self;
        let of = |at: u32| &words[at as usize * *stride..][..*stride];
        let Err(free) = index.find(hash, |at| of(at) == state) else { return false };
        let number = u32::try_from(words.len() / *stride).expect("at most MOST");
        let states = States { fetch: |_| {}, hash: |at| H::hash(of(at)) };
        let inserted = index.insert(free, hash, number, states, |_| Ok(()));
        debug_assert!(inserted.is_ok(), "nothing refuses");
        words.extend_from_slice(state);
        true
    }

    /// Lets the processor fetch the entry that a look-up reads first.
    pub(super) fn fetch(&self, hash: u64) {
        self.index.fetch(hash);
    }

    /// The entries of some states, ascending.
    pub(super) fn sort<H: StateHash>(&self, numbers: impl Iterator<Item = usize>, to: &mut Buffer) {
        to.clear();
        numbers.for_each(|at| {
            let at = u32::try_from(at).expect("at most MOST");
            to.push(entry(H::hash(self.state(at)), at));
        });
        to.sort_unstable();
    }
}
