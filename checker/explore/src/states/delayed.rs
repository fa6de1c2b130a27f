//! A visited set whose index is on the disk: successors wait, and are looked up together.
//!
//! If the index does not fit into memory, sorted runs of all states on the disk ([`Runs`]) and a table in memory
//! replace it. The table holds each waiting successor once, with a key for the time at which it was met; the keys
//! ascend. To resolve is to search the runs for all waiting states in one pass: a state that no run has is new, and
//! is stored in the order of its keys. The table keeps resolved states as long as there is room, since most
//! successors are met again soon. When the table is full, its new states are written as one more run, and it is
//! emptied.
//!
//! The arena moves all states but the last ones to the disk, and is read in the order of numbers, as a breadth-first
//! search does.
//!
//! Invariants: each state of the arena is in exactly one place: in one run, or in the table marked as new; the
//! waiting states are the end of the table.
//!
//! Soundness: a state is new if neither the table nor a run has it, and whole states are compared in both. Its number
//! is the one that a store in memory would give if it received the same states in the order of the keys.
//!
//! Source: delayed duplicate detection, \[SD98\] and \[Korf04\]; the numbers are ours.

use std::marker::PhantomData;

use bitvec::vec::BitVec;

use super::buffer::Buffer;
use super::hash::{Folded, StateHash};
use super::index::{Index, States};
use super::sorted::{Runs, entry, number_of};
use super::store::{MOST_STATES, STEPS, Store};
use crate::memory::{Halt, reserve};
use crate::spill::Spilled;
use crate::tuning::Tuning;

/// The most states that a table has room for.
const MOST: usize = 1 << 28;

/// The same where the index moves to the disk as soon as possible, and the number of states that are stored before.
const FEW: usize = 60;
const SOON: u32 = 5;

/// The share of the memory that is left for what grows while a table is filled.
const SLACK: u64 = 16;

/// States that are prefetched together.
const BATCH: usize = 16;

/// The table, and the runs.
#[derive(Debug)]
pub(super) struct Delayed<H = Folded> {
    runs: Runs<H>,
    table: Table,
    /// The keys of what waits.
    keys: Buffer,
    /// The keys of what was stored since the last query.
    fresh: Vec<u64>,
    /// Entries that are sorted, a buffer.
    sorted: Buffer,
    /// Why nothing can be stored any more, where a look-up or a run did not come to its end.
    failed: Option<Halt>,
    /// Whether the keys of new states are copied.
    are_copied: bool,
    /// Known to be wrong: what is found on the disk is stored again.
    #[cfg(test)]
    pub(super) forgets: bool,
    hash: PhantomData<H>,
}

/// States in memory.
#[derive(Debug)]
struct Table {
    stride: usize,
    words: Buffer,
    index: Index,
    /// The states that are stored, and in no run.
    is_new: BitVec<u64>,
    /// The number of resolved states.
    resolved: usize,
    /// The number of states that there is room for.
    most: usize,
}

/// Only stores with an index in memory are copied.
impl<H> Clone for Delayed<H> {
    fn clone(&self) -> Delayed<H> {
        unreachable!("states on the disk are not copied")
    }
}

/// Bytes that a state of a table takes: its words, its key while it waits, its entry while it is looked up, its key
/// when it is new, its place in the index, a bit, and the notes of the search about the states that it expands
/// meanwhile; and a copy of its key on the way to those who number the states, if these are others.
fn bytes_each(stride: usize, are_copied: bool) -> u64 {
    (stride * size_of::<u64>()) as u64 + (3 + u64::from(are_copied)) * 8 + 5 + 1 + 4
}

/// The room of a table for so many states: a batch fits into an empty one, however small it is.
fn with_batch(most: usize) -> usize {
    most.max(BATCH)
}

impl Table {
    /// A table without room.
    fn empty(stride: usize, tuning: &Tuning) -> Table {
        let (words, is_new) = (Buffer::default(), BitVec::new());
        Table { stride, words, index: Index::with_room(0, tuning), is_new, resolved: 0, most: 0 }
    }

    fn new(stride: usize, most: usize, tuning: &Tuning) -> Result<Table, Halt> {
        let count = u32::try_from(most).expect("at most MOST");
        let words = Buffer::with_room(with_batch(most).checked_mul(stride).ok_or(Halt::Memory)?)?;
        Ok(Table { words, index: Index::with_room(count, tuning), most, ..Table::empty(stride, tuning) })
    }

    fn len(&self) -> usize {
        self.words.len() / self.stride
    }

    fn clear(&mut self) {
        self.words.clear();
        self.is_new.clear();
        self.index.clear();
        self.resolved = 0;
    }

    fn state(&self, at: u32) -> &[u64] {
        &self.words[at as usize * self.stride..][..self.stride]
    }

    /// Adds a state; returns whether it was absent.
    fn insert<H: StateHash>(&mut self, hash: u64, state: &[u64]) -> bool {
        let Table { stride, words, index, .. } = self;
        let of = |at: u32| &words[at as usize * *stride..][..*stride];
        let Err(free) = index.find(hash, index.scan(hash), |at| of(at) == state) else { return false };
        let number = u32::try_from(words.len() / *stride).expect("at most MOST");
        let states = States { fetch: |_| {}, hash: |at| H::hash(of(at)) };
        let inserted = index.insert(free, hash, number, states, |_| Ok(()));
        debug_assert!(inserted.is_ok(), "nothing refuses");
        words.extend_from_slice(state);
        true
    }

    /// Lets the processor fetch the entry that a look-up reads first.
    fn fetch(&self, hash: u64) {
        self.index.fetch(hash);
    }

    /// The entries of some states, ascending.
    fn sort<H: StateHash>(&self, numbers: impl Iterator<Item = usize>, to: &mut Buffer) {
        to.clear();
        numbers.for_each(|at| {
            let at = u32::try_from(at).expect("at most MOST");
            to.push(entry(H::hash(self.state(at)), at));
        });
        to.sort_unstable();
    }
}

impl<H: StateHash> Delayed<H> {
    /// Bytes held, with those that the next look-up takes.
    pub(super) fn bytes(&self) -> u64 {
        self.runs.bytes() + self.table.most as u64 * bytes_each(self.table.stride, self.are_copied)
    }

    pub(super) fn runs(&self) -> &Runs<H> {
        &self.runs
    }

    /// Notes a state that is to be stored, unless it is known; returns whether there was room in the table.
    fn wait(&mut self, hash: u64, state: &[u64], key: u64) {
        debug_assert!(self.keys.last().is_none_or(|&last| last < key), "keys ascend");
        if self.table.insert::<H>(hash, state) {
            self.keys.push(key);
        }
    }
}

impl<H: StateHash> Store<H> {
    /// Sets whether the index, rather than the first states, moves to the disk where memory is short.
    pub fn may_delay(&mut self, may: bool) {
        let files = self.spilling().filter(|_| may);
        self.may_delay = files.is_some();
        let is_soon = files.is_some_and(|files| files.delays());
        self.stop = if is_soon { self.most.min(SOON) } else { self.most };
    }

    /// Sets that the keys of new states are copied for others, who number the states: that takes room.
    pub fn copy_keys(&mut self) {
        self.copies_keys = true;
    }

    /// Whether the index may move to the disk.
    pub fn delays(&self) -> bool {
        self.may_delay
    }

    /// Whether the index is on the disk.
    #[inline]
    pub fn is_delayed(&self) -> bool {
        self.delayed.is_some()
    }

    /// Moves the index to the disk, and all states.
    ///
    /// # Errors
    /// They cannot be moved, there is no room for the least table, or a signal came: nothing can be stored any more.
    pub fn delay(&mut self) -> Result<(), Halt> {
        self.is_whole()?;
        let Some(files) = self.spilling() else { return Err(Halt::Memory) };
        self.index = Index::new(self.tuning());
        let runs = Runs::new(files, self.tuning().page, self.size());
        self.delayed = Some(Box::new(Delayed {
            table: Table::empty(self.stride(), self.tuning()),
            runs,
            keys: Buffer::default(),
            fresh: Vec::new(),
            sorted: Buffer::default(),
            failed: None,
            are_copied: self.copies_keys,
            #[cfg(test)]
            forgets: false,
            hash: PhantomData,
        }));
        self.write_runs()
    }

    /// Drops the runs and the table: nothing is stored any more.
    pub fn end_delay(&mut self) {
        if let Some(runs) = self.delayed.take().map(|delayed| delayed.runs) {
            self.ended.add(Spilled { bytes: runs.written(), failure: runs.failure().cloned(), compressed: false });
            self.is_lost |= runs.is_lost();
        }
    }

    /// Drops every index, in memory or on the disk: states are only read from now on.
    pub fn end_index(&mut self) {
        self.end_delay();
        self.index = Index::new(self.tuning());
    }

    /// Counts what other stores wrote whose states moved to this one.
    pub fn has_spilled(&mut self, spilled: Spilled) {
        self.ended.add(spilled);
    }

    /// Appends a state that is different from all others, before [`Store::delay`] makes the index of all.
    ///
    /// # Errors
    /// It cannot be moved to the disk.
    pub fn append(&mut self, state: &[u64], parent: u32) -> Result<(), Halt> {
        self.push_resolved(state, u64::from(parent) << u32::BITS)
    }

    /// Moves all full chunks of the arena to the disk.
    fn move_all_to_disk(&mut self) -> Result<(), Halt> {
        while self.arena.move_to_disk(self.allowance) {}
        match self.arena.spill().is_some_and(|spill| spill.statistics().failure.is_none()) {
            true => Ok(()),
            false => Err(Halt::Memory),
        }
    }

    /// Rewrites the runs from all states of the arena.
    pub(super) fn write_runs(&mut self) -> Result<(), Halt> {
        let written = self.try_to_write_runs();
        if let Some(delayed) = &mut self.delayed {
            delayed.failed = written.err();
        }
        written
    }

    fn try_to_write_runs(&mut self) -> Result<(), Halt> {
        let (size, stride, tuning) = (self.size(), self.stride(), self.tuning());
        if let Some(delayed) = &mut self.delayed {
            delayed.runs.clear(size);
            delayed.table = Table::empty(stride, tuning);
        }
        self.move_all_to_disk()?;
        let most = self.make_table()?;
        let (mut at, mut words, mut state) = (0, Buffer::default(), Vec::new());
        if let Some(delayed) = &mut self.delayed {
            words = std::mem::take(&mut delayed.table.words);
        }
        while at < self.len() {
            let end = self.len().min(at.saturating_add(u32::try_from(most).unwrap_or(u32::MAX)));
            words.clear();
            for number in at..end {
                limits::poll(STEPS)?;
                state.clear();
                self.arena.read(number, &mut state);
                words.extend_from_slice(&state);
            }
            self.is_whole()?;
            if let Some(delayed) = &mut self.delayed {
                delayed.table.words = words;
                delayed.write_run(|_| true)?;
                words = std::mem::take(&mut delayed.table.words);
            }
            at = end;
        }
        if let Some(delayed) = &mut self.delayed {
            words.clear();
            delayed.table.words = words;
        }
        Ok(())
    }

    /// Empties the table, and shrinks it where memory requires that; returns the number of states that it has room
    /// for.
    fn make_table(&mut self) -> Result<usize, Halt> {
        let Store { arena, parents, delayed, allowance, room, .. } = &mut *self;
        let Some(delayed) = delayed else { return Err(Halt::Memory) };
        let held = arena.bytes() + arena.growth() + parents.bytes() + parents.bytes() / 8 + delayed.runs.bytes();
        let most_bytes = (*allowance).min(*room);
        let room =
            (most_bytes - most_bytes / SLACK).saturating_sub(held) / bytes_each(arena.stride(), delayed.are_copied);
        let is_soon = arena.spill().is_some_and(|spill| spill.files().delays());
        let most = usize::try_from(room).unwrap_or(usize::MAX).min(if is_soon { FEW } else { MOST });
        if most < arena.tuning().least_waiting {
            return Err(Halt::Memory);
        }
        let Delayed { table, keys, fresh, sorted, .. } = &mut **delayed;
        if table.stride == arena.stride() && table.most <= most && table.most > 0 {
            // Memory that is given back to the heap returns in other places.
            table.clear();
            return Ok(table.most);
        }
        let most = if table.most > 0 { most - most / 8 } else { most };
        (*keys, *sorted) = (Buffer::default(), Buffer::default());
        // The old one goes before the new one comes.
        *table = Table::empty(arena.stride(), arena.tuning());
        *table = Table::new(arena.stride(), most, arena.tuning())?;
        (*keys, *sorted) = (Buffer::with_room(with_batch(most))?, Buffer::with_room(with_batch(most))?);
        fresh.shrink_to(most);
        reserve(fresh, most.saturating_sub(fresh.len()))?;
        Ok(most)
    }

    /// Lets packed states wait that lie one after the other; their keys ascend. Some may be resolved.
    ///
    /// # Errors
    /// As [`Store::resolve`].
    pub fn wait_all(&mut self, states: &[u64], key: impl Fn(usize) -> u64) -> Result<(), Halt> {
        let stride = self.stride();
        if let Some(cause) = self.delayed.as_ref().and_then(|delayed| delayed.failed) {
            return Err(cause);
        }
        for (batch, states) in states.chunks(BATCH * stride).enumerate() {
            let mut hashes = [0; BATCH];
            let Some(delayed) = &mut self.delayed else { return Err(Halt::Memory) };
            for (hash, state) in hashes.iter_mut().zip(states.chunks_exact(stride)) {
                *hash = H::hash(state);
                delayed.table.fetch(*hash);
            }
            if delayed.table.len() + BATCH > delayed.table.most {
                self.resolve()?;
                self.empty_table()?;
            }
            let Some(delayed) = &mut self.delayed else { return Err(Halt::Memory) };
            for (at, state) in states.chunks_exact(stride).enumerate() {
                delayed.wait(hashes[at], state, key(batch * BATCH + at));
            }
        }
        Ok(())
    }

    /// Whether so many states wait that they should be resolved.
    pub fn is_due(&self) -> bool {
        self.delayed.as_ref().is_some_and(|delayed| {
            let Table { most, .. } = delayed.table;
            delayed.fresh.len() > most / 2 || delayed.table.len() + most / 8 > most
        })
    }

    /// Stores the waiting states that are new.
    ///
    /// # Errors
    /// There is no room, a read or a write fails, or a signal came: some of them are stored.
    pub fn resolve(&mut self) -> Result<(), Halt> {
        let Some(mut delayed) = self.delayed.take() else { return Ok(()) };
        let resolved = delayed.failed.map_or_else(|| self.resolve_in(&mut delayed), Err);
        delayed.failed = resolved.err();
        self.delayed = Some(delayed);
        resolved
    }

    fn resolve_in(&mut self, delayed: &mut Delayed<H>) -> Result<(), Halt> {
        let Delayed { runs, table, keys, fresh, sorted, .. } = delayed;
        let (first, end) = (table.resolved, table.len());
        table.sort::<H>(first..end, sorted);
        #[cfg(test)]
        if delayed.forgets {
            runs.clear(self.arena.size());
        }
        let kept = runs.look_up(sorted, |at| table.state(at), |_| {})?;
        sorted.truncate(kept);
        table.is_new.resize(end, false);
        sorted.iter().for_each(|&entry| table.is_new.set(number_of(entry) as usize, true));
        for (at, &key) in (first..end).zip(&**keys) {
            if table.is_new[at] {
                self.push_resolved(&table.words[at * table.stride..][..table.stride], key)?;
                fresh.push(key);
            }
        }
        keys.clear();
        table.resolved = end;
        Ok(())
    }

    fn push_resolved(&mut self, state: &[u64], key: u64) -> Result<(), Halt> {
        if self.len() >= MOST_STATES {
            return Err(Halt::States);
        }
        if !self.arena.has_room() {
            self.arena.grow();
            self.move_all_to_disk()?;
        }
        self.arena.push(state);
        self.parents.push(super::sorted::prefix(key));
        Ok(())
    }

    /// Writes the new states of the table as a run, and empties it; all states are resolved.
    fn empty_table(&mut self) -> Result<(), Halt> {
        let Some(delayed) = &mut self.delayed else { return Ok(()) };
        let is_new = std::mem::take(&mut delayed.table.is_new);
        let written = delayed.failed.map_or_else(|| delayed.write_run(|at| is_new[at]), Err);
        let emptied = written.and_then(|()| self.make_table().map(drop));
        if let Some(delayed) = &mut self.delayed {
            delayed.failed = emptied.err();
        }
        emptied
    }

    /// Exchanges a buffer for the keys of all states that were stored since the last call, whose numbers are the last
    /// ones; empties the table if hardly any state fits into it.
    ///
    /// # Errors
    /// As [`Store::resolve`], which was called before.
    pub fn take_fresh(&mut self, to: &mut Vec<u64>) -> Result<(), Halt> {
        let Some(delayed) = &mut self.delayed else { return Ok(()) };
        std::mem::swap(&mut delayed.fresh, to);
        delayed.fresh.clear();
        self.empty_if_full()
    }

    fn empty_if_full(&mut self) -> Result<(), Halt> {
        let is_full = |delayed: &Delayed<H>| delayed.table.len() * 4 > delayed.table.most * 3;
        if self.delayed.as_deref().is_some_and(is_full) { self.empty_table() } else { Ok(()) }
    }

    /// The same keys, which are copied: [`Store::copy_keys`].
    ///
    /// # Errors
    /// As [`Store::take_fresh`], or there is no room.
    pub fn copy_fresh(&mut self, to: &mut Vec<u64>) -> Result<(), Halt> {
        let Some(delayed) = &mut self.delayed else { return Ok(()) };
        reserve(to, delayed.fresh.len())?;
        to.append(&mut delayed.fresh);
        self.empty_if_full()
    }

    /// Takes back keys of states that are stored already, the last ones; they are handed out with the next ones.
    pub fn return_keys(&mut self, keys: Vec<u64>) {
        let Some(delayed) = &mut self.delayed else { return };
        if delayed.fresh.capacity() > keys.capacity() {
            delayed.fresh.clear();
            delayed.fresh.extend_from_slice(&keys);
        } else {
            delayed.fresh = keys;
        }
    }

    /// Shrinks the table, so that the store has as many bytes as are left to it.
    pub(super) fn shrink_table(&mut self) -> Result<(), Halt> {
        self.resolve()?;
        self.empty_table()
    }

    /// Rewrites every state, as [`Store::rewrite`] does. Once all are rewritten, the layout is the new one whatever becomes of the
    /// runs: where these cannot be written, that is what the next look-up says.
    pub(super) fn rewrite_delayed(
        &mut self,
        bytes: usize,
        convert: impl FnMut(&[u64], &mut [u64]),
    ) -> Result<(), Halt> {
        self.resolve()?;
        self.move_all_to_disk()?;
        if let Some(delayed) = &mut self.delayed {
            delayed.table = Table::empty(self.arena.stride(), self.arena.tuning());
            // They are of no use whether all states are rewritten or not.
            delayed.failed = Some(Halt::Memory);
        }
        // The buffers of the table are still there: hardly anything stays in memory.
        self.arena.rewrite_elsewhere(bytes, self.allowance / u64::from(u8::BITS * 8), convert)?;
        self.granted = 0;
        let _: Result<(), Halt> = self.write_runs();
        self.is_whole()
    }

    /// The approximate number of states that may wait.
    pub fn room_to_wait(&self) -> usize {
        self.delayed.as_ref().map_or(0, |delayed| delayed.table.most)
    }
}

impl<H: StateHash> Delayed<H> {
    /// Writes some states of the table as a run.
    fn write_run(&mut self, is_written: impl Fn(usize) -> bool) -> Result<(), Halt> {
        let Delayed { runs, table, sorted, .. } = self;
        table.sort::<H>((0..table.len()).filter(|&at| is_written(at)), sorted);
        runs.add(sorted, |at| table.state(at))
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::super::hash::Constant;
    use super::super::sorted::tests::Bytes;
    use super::*;
    use crate::spill::{SpillFile, Spilling};
    use crate::states::NO_PARENT;
    use crate::tuning::SMALL;

    #[derive(Debug)]
    struct Files;

    impl Spilling for Files {
        fn file(&self) -> io::Result<Box<dyn SpillFile>> {
            Ok(Box::new(Bytes::default()))
        }

        fn delays(&self) -> bool {
            true
        }
    }

    /// Whether a store whose index is on the disk has the states, numbers and parents of one in memory, also when
    /// states are rewritten half-way.
    fn is_as_in_memory<H: StateHash>(rounds: u32, distinct: u64, forgets: bool) -> bool {
        let (mut naive, mut delayed): (Store<H>, Store<H>) =
            (Store::new(8, u64::MAX, &SMALL), Store::new(8, u64::MAX, &SMALL));
        delayed.spill_to(Some(Arc::new(Files)));
        delayed.may_delay(true);
        for store in [&mut naive, &mut delayed] {
            (0..4).for_each(|state| assert!(store.insert(&[state], NO_PARENT).is_ok()));
        }
        delayed.delay().expect("there is room");
        let (mut seed, mut fresh, mut stored) = (distinct, Vec::new(), Vec::new());
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 33
        };
        for round in 0..rounds {
            if let Some(delayed) = &mut delayed.delayed {
                delayed.forgets = forgets;
            }
            let portion: Vec<u64> = (0..random() % 30).map(|_| random() % distinct).collect();
            let packed: Vec<u64> = match naive.stride() {
                1 => portion,
                _ => portion.into_iter().flat_map(|state| [7, state]).collect(),
            };
            let key = |place| u64::from(round) << 32 | place as u64;
            delayed.wait_all(&packed, key).expect("there is room");
            for state in packed.chunks(naive.stride()) {
                naive.insert(state, round).expect("there is room");
            }
            if round % 3 == 0 {
                delayed.resolve().expect("there is room");
                delayed.take_fresh(&mut fresh).expect("there is room");
                stored.append(&mut fresh);
                if stored.len() + 4 != naive.len() as usize || delayed.len() != naive.len() {
                    return false;
                }
            }
            if round == rounds / 2 {
                for store in [&mut naive, &mut delayed] {
                    let rewritten = store.rewrite(16, |old, new| new.copy_from_slice(&[7, old[0]]));
                    rewritten.expect("there is room");
                }
            }
        }
        assert!(stored.is_sorted() && delayed.spilled().bytes > 300);
        (0..delayed.len()).all(|number| {
            *delayed.state(number) == *naive.state(number) && delayed.parent(number) == naive.parent(number)
        })
    }

    #[test]
    fn an_index_on_the_disk_gives_the_numbers_of_one_in_memory() {
        for distinct in [40, 300, 3_000] {
            assert!(is_as_in_memory::<Folded>(301, distinct, false), "{distinct} states");
            assert!(is_as_in_memory::<Constant>(61, distinct, false), "{distinct} states of one hash");
        }
    }

    /// Files that take so many writes.
    #[derive(Debug)]
    struct Failing(Arc<AtomicU64>);

    #[derive(Debug)]
    struct FailingFile(Bytes, Arc<AtomicU64>);

    impl Spilling for Failing {
        fn file(&self) -> io::Result<Box<dyn SpillFile>> {
            Ok(Box::new(FailingFile(Bytes::default(), Arc::clone(&self.0))))
        }

        fn delays(&self) -> bool {
            true
        }
    }

    impl SpillFile for FailingFile {
        fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
            let left = self.1.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            left.map_err(|_| io::Error::from(io::ErrorKind::StorageFull))?;
            self.0.write_at(at, bytes)
        }

        fn read_at(&mut self, at: u64, to: &mut [u8]) -> io::Result<()> {
            self.0.read_at(at, to)
        }
    }

    /// Rewrites states where so many writes succeed, under a watch; whether that came to its end. States are the old ones or the new ones, as
    /// the store says, and nothing can be stored afterwards unless all went well.
    fn is_rewritten(writes: u64, watch: &limits::Watch) -> bool {
        let left = Arc::new(AtomicU64::new(u64::MAX));
        let mut store: Store<Folded> = Store::new(8, u64::MAX, &SMALL);
        store.spill_to(Some(Arc::new(Failing(Arc::clone(&left)))));
        store.may_delay(true);
        assert!(store.insert(&[0], NO_PARENT).is_ok());
        store.delay().expect("there is room");
        let states: Vec<u64> = (0..600).map(|state| state * 3).collect();
        store.wait_all(&states, |at| at as u64).and_then(|()| store.resolve()).expect("there is room");
        left.store(writes, Ordering::Relaxed);
        let rewrite = || store.rewrite(16, |old, new| new.copy_from_slice(&[7, old[0]]));
        let Ok(rewritten) = watch.run(rewrite) else { return false };
        for (number, &state) in (0..).zip(&states) {
            let expected = if rewritten.is_ok() { vec![7, state] } else { vec![state] };
            assert_eq!(*store.state(number), *expected, "{writes} writes");
        }
        left.store(u64::MAX, Ordering::Relaxed);
        let mut more = vec![1; store.stride()];
        more[store.stride() - 1] = 1;
        let stored = store.wait_all(&more, |_| 1 << 40).and_then(|()| store.resolve());
        assert!(stored.is_err() || (rewritten.is_ok() && store.len() == 601), "{writes} writes");
        rewritten.is_ok() && stored.is_ok()
    }

    #[test]
    fn a_disk_that_is_full_while_states_are_rewritten_leaves_old_ones_or_new_ones() {
        let needed = (0..10_000).find(|&writes| is_rewritten(writes, &limits::Watch::unlimited()));
        assert!(needed.is_some_and(|writes| writes > 10), "{needed:?}");
    }

    #[test]
    fn a_watch_that_stops_while_states_are_rewritten_leaves_old_ones_or_new_ones() {
        let needed = (1..10_000).find(|&looks| {
            let watch = limits::Watch::new(Arc::<limits::Counting>::default(), Some(Duration::from_secs(looks)), None);
            is_rewritten(u64::MAX, &watch)
        });
        assert!(needed.is_some_and(|looks| looks > 2), "{needed:?}");
    }

    #[test]
    fn a_look_up_that_forgets_the_runs_is_caught() {
        assert!(!is_as_in_memory::<Folded>(301, 300, true));
    }
}
