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

mod table;

use std::marker::PhantomData;

use self::table::{BATCH, Table, with_batch};
use super::buffer::Buffer;
use super::hash::{Folded, StateHash};
use super::index::Index;
use super::sorted::{Runs, number_of};
use super::store::{MOST_STATES, STEPS, Store};
use crate::memory::{Halt, reserve};
use crate::spill::Spilled;

/// The most states that a table has room for.
const MOST: usize = 1 << 28;

/// The same where the index moves to the disk as soon as possible, and the number of states that are stored before.
const FEW: usize = 60;
const SOON: u32 = 5;

/// The share of the memory that is left for what grows while a table is filled.
const SLACK: u64 = 16;

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
            assert_eq!(delayed.runs.states(), self.arena.len() as u64, "each state of the arena is in one run");
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
        assert_eq!(keys.len(), end - first, "each waiting state has a key");
        let kept = runs.look_up(sorted, |at| table.state(at), |_| {})?;
        sorted.truncate(kept);
        table.is_new.resize(end, false);
        sorted.iter().for_each(|&entry| table.is_new.set(number_of(entry) as usize, true));
        debug_assert_eq!(table.is_new[first..].count_ones(), kept, "the new states are those that no run has");
        for (at, &key) in (first..end).zip(&**keys) {
            if table.is_new[at] {
                self.push_resolved(&table.words[at * table.stride..][..table.stride], key)?;
                debug_assert!(
                    fresh.last().is_none_or(|&last| last < key),
                    "states are stored in the order of their keys"
                );
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
mod tests;
