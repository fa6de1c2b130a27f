//! The visited set: exact, in the order of discovery, with a parent for each state.
//!
//! Packed states lie one after the other in an arena ([`Arena`]); the place of a state is its number, so the arena is
//! also the queue of a breadth-first search, and each state is stored once. The index ([`Index`]) holds numbers with
//! a few bits of the hash; whole states are compared, never hashes alone. Parents of a breadth-first search take two
//! bits ([`Parents`]).
//!
//! When memory is short the first states move to a file, if there is to be one ([`Spilling`]); the index stays, so
//! that most new states are known to be new without a read of the file. Where states may be looked up together, the
//! index moves to the disk instead ([`Delayed`]).
//!
//! Invariants: every number is in the index once; arena and parents have the same length.
//!
//! Complexity: expected O(stride) per insertion; the bytes of a state, about 6 of the index and two bits.

mod batch;
mod renew;
mod room;

use std::marker::PhantomData;
use std::sync::Arc;

use super::arena::Arena;
use super::delayed::Delayed;
use super::hash::{Folded, StateHash};
use super::index::{Free, Index, SEGMENTS, Scan, States};
use super::parents::Parents;
use super::spill::Spill;
use crate::memory::Halt;
use crate::spill::{Spilled, Spilling};
use crate::tuning::Tuning;

pub use self::batch::Probes;

/// The parent of an initial state.
pub const NO_PARENT: u32 = u32::MAX;

/// The most states a store holds: a number and its successor fit into 32 bits, and [`NO_PARENT`] is none.
pub(super) const MOST_STATES: u32 = u32::MAX - 1;

/// Steps of the watch that a state costs, where all states are read.
pub(super) const STEPS: u64 = 8;

/// Words of a state that is copied without allocating.
const SHORT: usize = 4;

/// The words of a stored state.
#[derive(Clone, Debug)]
pub enum StateWords {
    /// Few.
    Short([u64; SHORT], usize),
    /// Many.
    Long(Vec<u64>),
}

impl std::ops::Deref for StateWords {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match self {
            StateWords::Short(words, len) => &words[..*len],
            StateWords::Long(words) => words,
        }
    }
}

/// The visited set.
#[derive(Clone, Debug)]
pub struct Store<H = Folded> {
    pub(super) arena: Arena,
    pub(super) parents: Parents,
    pub(super) index: Index,
    pub(super) most: u32,
    /// The number of states from which an insertion checks for a refusal: `most`, or where the index moves to the
    /// disk.
    pub(super) stop: u32,
    pub(super) allowance: u64,
    /// The number of bytes that were left to it when it was last requested to keep to them.
    pub(super) room: u64,
    /// The number of states that may be stored before the next check of the allowance.
    pub(super) granted: usize,
    /// Whether the index moves to the disk where memory is short.
    pub(super) may_delay: bool,
    /// Whether keys of new states are copied where the index is on the disk.
    pub(super) copies_keys: bool,
    /// The replacement of the index on the disk.
    pub(super) delayed: Option<Box<Delayed<H>>>,
    /// The bytes that a removed replacement wrote.
    pub(super) ended: Spilled,
    /// Whether a removed replacement could not be read.
    pub(super) is_lost: bool,
    pub(super) hash: PhantomData<H>,
}

/// The hash of a stored state.
#[inline(always)]
fn hash_of<H: StateHash>(arena: &Arena, number: u32) -> u64 {
    if arena.stride() == 1 {
        return H::hash(&[arena.first(number)]);
    }
    H::hash(&words_of(arena, number))
}

#[inline]
fn words_of(arena: &Arena, number: u32) -> StateWords {
    let stride = arena.stride();
    if stride <= SHORT {
        let mut words = [0; SHORT];
        arena.copy(number, &mut words[..stride]);
        StateWords::Short(words, stride)
    } else {
        let mut words = vec![0; stride];
        arena.copy(number, &mut words);
        StateWords::Long(words)
    }
}

impl<H: StateHash> Store<H> {
    /// An empty set of states of so many bytes, at most `most` of them.
    pub fn new(bytes: usize, most: u64, tuning: &'static Tuning) -> Store<H> {
        let most = u32::try_from(most).unwrap_or(u32::MAX).min(MOST_STATES);
        Store {
            arena: Arena::new(bytes, tuning),
            parents: Parents::new(0),
            index: Index::new(tuning),
            most,
            stop: most,
            allowance: u64::MAX,
            room: u64::MAX,
            granted: 0,
            may_delay: false,
            copies_keys: false,
            delayed: None,
            ended: Spilled::default(),
            is_lost: false,
            hash: PhantomData,
        }
    }

    /// The thresholds at which the store changes its storage of states.
    pub fn tuning(&self) -> &'static Tuning {
        self.arena.tuning()
    }

    /// An empty set of states of so many bytes that moves states to the disk as this one does.
    pub fn emptied(&self, bytes: usize) -> Store<H> {
        let mut new = Store::new(bytes, u64::from(self.most), self.tuning());
        new.spill_to(self.spilling());
        new.may_delay(self.may_delay);
        new.allow(self.allowance);
        new
    }

    /// Allows states to be moved to the disk when memory is short; nothing is stored.
    pub fn spill_to(&mut self, files: Option<Arc<dyn Spilling>>) {
        self.arena.spill_to(files);
    }

    /// The place on the disk for states.
    pub fn spilling(&self) -> Option<Arc<dyn Spilling>> {
        self.arena.spill().map(|spill| Arc::clone(spill.files()))
    }

    /// The states that were moved to the disk.
    pub fn spilled(&self) -> Spilled {
        let mut spilled = self.arena.spilled();
        spilled.add(self.ended.clone());
        if let Some(runs) = self.delayed.as_ref().map(|delayed| delayed.runs()) {
            let failure = runs.failure().cloned();
            spilled.add(Spilled { bytes: runs.written(), failure, compressed: false });
        }
        spilled
    }

    /// The number of reads of states from the disk.
    pub fn reads(&self) -> u64 {
        self.arena.spill().map_or(0, Spill::reads)
    }

    /// Checks that all states could be read so far.
    ///
    /// # Errors
    /// A state could not be read: its bytes are wrong.
    #[inline]
    pub fn is_whole(&self) -> Result<(), Halt> {
        let is_lost = self.is_lost
            || self.arena.is_lost()
            || self.delayed.as_ref().is_some_and(|delayed| delayed.runs().is_lost());
        if is_lost { Err(Halt::Disk) } else { Ok(()) }
    }

    /// Sets the expected distance of parents of an empty set to about `2^rest`.
    pub fn spread(&mut self, rest: u32) {
        debug_assert!(self.is_empty(), "parents are noted already");
        self.parents = Parents::new(rest);
    }

    /// The number of stored states.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "at most MOST_STATES")]
    pub fn len(&self) -> u32 {
        self.arena.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Words of a packed state.
    #[inline]
    pub fn stride(&self) -> usize {
        self.arena.stride()
    }

    /// Bytes of a stored state.
    pub fn size(&self) -> usize {
        self.arena.size()
    }

    /// The number of states that may be stored.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// The packed state of a number.
    #[inline]
    pub fn state(&self, number: u32) -> StateWords {
        words_of(&self.arena, number)
    }

    /// Appends the words of a state.
    #[inline]
    pub fn read(&self, number: u32, to: &mut Vec<u64>) {
        self.arena.read(number, to);
    }

    /// The state from which a state was first reached; [`NO_PARENT`] for an initial one.
    pub fn parent(&self, number: u32) -> u32 {
        self.parents.get(number)
    }

    /// The parents of all states, in the order of their numbers.
    pub fn parents(&self) -> impl Iterator<Item = u32> + '_ {
        self.parents.iter()
    }

    /// The numbers from an initial state to a state, along the parents.
    pub fn path(&self, number: u32) -> Vec<u32> {
        let parent = |&at: &u32| Some(self.parent(at)).filter(|&parent| parent != NO_PARENT);
        let line = std::iter::successors(Some(number), parent);
        let mut path: Vec<u32> = line.take(self.len() as usize + 1).collect();
        assert!(path.len() <= self.len() as usize, "parents lead to an initial state");
        path.reverse();
        path
    }

    /// The number of initial states, when they were stored first: the states without a parent.
    pub fn initial(&self) -> u32 {
        self.parents.initial()
    }

    /// Gives a state another parent, whose own line does not pass it.
    pub fn set_parent(&mut self, number: u32, parent: u32) {
        self.parents.set(number, parent);
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> u64 {
        let delayed = self.delayed.as_ref().map_or(0, |delayed| delayed.bytes());
        self.arena.bytes() + self.index.bytes() + self.parents.bytes() + delayed
    }

    /// The number of a state, and whether it is new.
    ///
    /// # Errors
    /// The state is new and there is no room.
    #[inline]
    pub fn insert(&mut self, state: &[u64], parent: u32) -> Result<(u32, bool), Halt> {
        let hash = H::hash(state);
        match self.index.find(hash, |number| self.arena.holds(number, state)) {
            Ok(number) => Ok((number, false)),
            Err(free) => self.push(state, hash, free, parent),
        }
    }

    #[inline(always)]
    fn insert_scanned(&mut self, state: &[u64], hash: u64, scan: Scan, parent: u32) -> Result<(u32, bool), Halt> {
        match self.index.find_scanned(hash, scan, |number| self.arena.holds(number, state)) {
            Ok(number) => Ok((number, false)),
            Err(free) => self.push(state, hash, free, parent),
        }
    }

    /// Whether one more state can be stored where an insertion checks for a refusal.
    #[cold]
    fn why_no_more(&self, parent: u32) -> Result<(), Halt> {
        match self.len() {
            number if number >= self.most => Err(Halt::States),
            // All initial states are stored before the index moves to the disk.
            _ if parent == NO_PARENT => Ok(()),
            _ => Err(Halt::Memory),
        }
    }

    /// Announces the number of states that there will soon be, so that the index grows now rather than while they are
    /// stored.
    pub fn expect(&mut self, count: u32) {
        let Store { arena, parents, index, allowance, delayed, .. } = &mut *self;
        if arena.is_spilled() || delayed.is_some() {
            // All states would be read from the disk, in no order.
            return;
        }
        let mean = count as usize / SEGMENTS;
        // Some segments are fuller than others.
        let each = mean + 3 * mean.isqrt();
        let states = States { fetch: |number| arena.fetch(number), hash: |number| hash_of::<H>(arena, number) };
        // Where memory may get short, memory that is not needed yet is left to others.
        index.expect(each, count, states, (*allowance / 2).saturating_sub(arena.bytes() + parents.bytes()));
    }

    /// Stores a new state.
    fn push(&mut self, state: &[u64], hash: u64, free: Free, parent: u32) -> Result<(u32, bool), Halt> {
        let number = self.len();
        if number >= self.stop {
            self.why_no_more(parent)?;
        }
        self.is_whole()?;
        self.reserve()?;
        let Store { arena, parents, index, allowance, .. } = &mut *self;
        let (indexed, mut more) = (index.bytes(), 0);
        let inserted = index.insert(
            free,
            hash,
            number,
            States { fetch: |number| arena.fetch(number), hash: |number| hash_of::<H>(arena, number) },
            |bytes| {
                more = bytes;
                let held = arena.bytes() + parents.bytes() + indexed;
                let fits = held.saturating_add(bytes) <= *allowance && !arena.is_spilled();
                if fits { Ok(()) } else { Err(Halt::Memory) }
            },
        );
        if inserted.is_err() {
            self.grow_index(hash, number, more)?;
        }
        self.arena.push(state);
        self.parents.push(parent);
        debug_assert_eq!(self.parents.len(), self.arena.len(), "every state has its parent");
        Ok((number, true))
    }

    /// Notes an absent number where the index must grow by so many bytes, with the states in their order: states on
    /// the disk are read once.
    #[cold]
    fn grow_index(&mut self, hash: u64, number: u32, more: u64) -> Result<(), Halt> {
        self.request(more)?;
        let Store { arena, index, .. } = &mut *self;
        let mut stopped = None;
        let hashes = (0..number).map_while(|at| {
            stopped = limits::poll(STEPS).err();
            stopped.is_none().then(|| (hash_of::<H>(arena, at), at))
        });
        match index.grow_in_order(hash, number, hashes, || arena.is_lost()) {
            true => Ok(()),
            false => Err(stopped.map_or(Halt::Disk, Halt::from)),
        }
    }
}

#[cfg(test)]
mod tests;
