//! All states of the workers in one space again, where the memory is too short for several threads.
//!
//! Each worker has tables of its own and a table for waiting successors, so that several threads need more memory than one. Where a
//! worker ends for want of it, the states that count go to one store in the order of their numbers, and the search continues as
//! one on one thread whose index is on the disk (`alone`). The rounds that did not count are expanded again.
//!
//! Soundness: each state that counts belongs to one worker, which has its number; states that workers stored in rounds that do
//! not count have none, and are left behind.
//!
//! Complexity: every state is read and written once, and sorted.

use super::worker::Worker;
use crate::memory::Halt;
use crate::search::{Handover, Sharded};
use crate::states::{Ascending, Cursor, NO_PARENT, Store};
use crate::watch::{TimedViolation, Watch, Watched};

/// States that are read together.
const BATCH: u32 = 256;

/// Steps of the watch that a state costs.
const STEPS: u64 = 8;

/// The states of one worker.
struct Part<P> {
    store: Store,
    packing: P,
    globals: Ascending,
    /// The next state, and its number for all.
    cursor: Cursor,
    next: Option<u32>,
    /// States from the next one on, packed as in the joined store.
    words: Vec<u64>,
    used: usize,
}

/// Whether the states of all workers can be read, and more can be written.
pub(super) fn is_possible<S: Watched + Sharded>(workers: &[Worker<S>]) -> bool {
    let is_good = |store: &Store| store.is_whole().is_ok() && store.spilled().failure.is_none();
    workers.iter().all(|worker| is_good(worker.space.store()))
}

/// Moves the numbered states of the workers to the space, which has none, and drops the workers; their violations go to the watch.
///
/// # Errors
/// A state cannot be read or written, or the watch stopped.
pub(super) fn join<S: Watched + Sharded>(
    space: &mut S,
    watch: &mut Watch<S>,
    handover: &Handover,
    workers: Vec<Worker<S>>,
    seen: Vec<TimedViolation<S::Fault>>,
) -> Result<(), Halt> {
    for TimedViolation { query, place: (worker, local), last, .. } in seen {
        let number = workers[worker as usize].globals.get(local);
        if let Some(number) = number.filter(|_| !watch.is_violated(query)) {
            watch.see(query, number, last);
        }
    }
    let mut parts: Vec<Part<S::Packing>> = workers.into_iter().map(Part::new).collect();
    let files = parts.first().and_then(|part| part.store.spilling());
    space.store_mut().spill_to(files);
    space.store_mut().may_delay(true);
    // Too little is left: that is why the index goes to the disk.
    let _: Result<(), Halt> = space.settle(0, handover.held);
    for number in 0..handover.states {
        limits::poll(STEPS)?;
        let part = parts.iter_mut().find(|part| part.next == Some(number)).expect("each state has one owner");
        part.move_one(space)?;
    }
    assert!(
        parts.iter().all(|part| part.next.is_none_or(|next| next >= handover.states)),
        "no state that counts is left behind"
    );
    assert_eq!(space.store().len(), handover.states, "each state is stored once");
    parts.iter().for_each(|part| space.store_mut().has_spilled(part.store.spilled()));
    space.store().is_whole()
}

impl<P> Part<P> {
    fn new<S: Watched + Sharded<Packing = P>>(worker: Worker<S>) -> Part<P> {
        let Worker { mut space, globals, .. } = worker;
        let (packing, tuning) = (space.packing(), space.store().tuning());
        let mut store = std::mem::replace(space.store_mut(), Store::new(1, 0, tuning));
        store.end_index();
        let cursor = Cursor::default();
        let next = globals.next(&mut cursor.clone());
        Part { store, packing, globals, cursor, next, words: Vec::new(), used: 0 }
    }

    /// Appends the next state to the store of a space.
    fn move_one<S: Sharded<Packing = P>>(&mut self, space: &mut S) -> Result<(), Halt> {
        let local = self.cursor.at;
        if self.used == self.words.len() {
            (self.words, self.used) = (Vec::new(), 0);
            for state in local..self.globals.len().min(local + BATCH) {
                self.store.read(state, &mut self.words);
            }
            self.store.is_whole()?;
            space.repack(&self.packing, std::iter::once(&mut self.words));
        }
        let stride = space.store().stride();
        let state = &self.words[self.used..self.used + stride];
        let parent = self.store.parent(local);
        assert!(parent == NO_PARENT || Some(parent) < self.next, "a parent is older than its child");
        space.store_mut().append(state, parent)?;
        self.used += stride;
        self.globals.next(&mut self.cursor);
        self.next = self.globals.next(&mut self.cursor.clone());
        Ok(())
    }
}
