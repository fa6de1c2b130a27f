//! A worker: the states of one shard, and a fork of the space to expand them.
//!
//! A round has two halves. First the worker expands its states of the round, in the order of their numbers, and sorts
//! the successors by their owners into boxes. Where the fork meets a value without a number, the state is deferred.
//! Then the worker receives the values that were numbered meanwhile, and stores the successors that the boxes of all
//! workers hold for it.
//!
//! Two rounds may be in progress: then the next one is expanded before the last one is stored.
//!
//! Invariant: `globals[n]` is the number of the state that the store has as `n`, ascending; states of the last rounds may have
//! none yet. Parents are numbers for all.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use super::merge::{Merge, Outbox, key, number, parts};
use super::messages::{Command, Deferred, Done, Fresh, Reply, Round};
use crate::memory::{Halt, bytes_of, work_on};
use crate::report::{Limit, LimitKind};
use crate::search::{Expansion as _, Sharded};
use crate::states::{Ascending, Cursor, Probes};
use crate::watch::{ViolationLog, Watched};

/// The number of states that enter the store together.
const BATCH: usize = 32;

/// Places for successors that were passed on lately.
const RECENT: usize = 1 << 13;

/// Successors that were passed on lately, each at its own place: the owner would find a second copy to be known.
///
/// Invariant: each word is a state that was passed on and is packed as states are now; only states of one word are
/// here.
#[derive(Default)]
struct Recent(Vec<u64>);

impl Recent {
    /// Whether a state was passed on lately; it counts as passed on from now on.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "below the number of places")]
    fn has(&mut self, state: &[u64], hash: u64) -> bool {
        let &[word] = state else { return false };
        if self.0.is_empty() {
            self.0.resize(RECENT, word);
            return false;
        }
        let place = (hash.wrapping_mul(SPREAD) >> (u64::BITS - RECENT.trailing_zeros())) as usize;
        std::mem::replace(&mut self.0[place], word) == word
    }
}

/// States on their way into the store.
#[derive(Default)]
struct Batch {
    states: Outbox,
    probes: Probes,
}

/// A worker.
pub(super) struct Worker<S: Watched + Sharded> {
    pub(super) index: u32,
    pub(super) shards: usize,
    pub(super) space: S,
    pub(super) globals: Ascending,
    /// The next state to expand.
    pub(super) next: Cursor,
    pub(super) max_depth: Option<u64>,
    pub(super) violation_log: ViolationLog<S>,
    expansion: S::Expansion,
    current: Vec<u64>,
    recent: Recent,
    spare: Vec<Outbox>,
    /// With the index on the disk: the number of states that were checked.
    looked_at: u32,
    /// The most bytes that the reply to one half of a round held. With the index on the disk, the store counts the keys of new states.
    in_transit: u64,
    /// The packings of the rounds that are expanded and not yet stored.
    packings: VecDeque<S::Packing>,
    /// The first batch is requested from the index, the second is scanned for, the last is stored.
    batches: [Batch; 3],
    /// Known to be wrong: ends in a panic when it expands this state.
    #[cfg(any(test, feature = "mutants"))]
    pub(super) panics_at: Option<u32>,
    /// The expansion of this state finds too little memory.
    #[cfg(any(test, feature = "mutants"))]
    pub(super) short_at: Option<u32>,
}

/// Words of the successors of one state from which on memory is requested for them before they are passed on.
const MANY: usize = 1 << 14;

/// Replies of one worker that others hold at a time: those of two expanded rounds and of one that is stored.
const IN_FLIGHT: u64 = 3;

/// An odd factor.
const SPREAD: u64 = 0xd6e8_feb8_6659_fd93;

/// The worker that owns a state with this hash.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "below the number of shards")]
pub(super) fn owner(hash: u64, shards: usize) -> usize {
    let mixed = (hash ^ hash >> 32).wrapping_mul(SPREAD);
    ((u128::from(mixed) * shards as u128) >> 64) as usize
}

impl<S: Watched + Sharded> Worker<S> {
    /// A worker without states.
    pub(super) fn new(index: u32, shards: usize, space: S, violation_log: ViolationLog<S>) -> Worker<S> {
        Worker {
            index,
            shards,
            space,
            globals: Ascending::new(shards.ilog2()),
            next: Cursor::default(),
            max_depth: None,
            violation_log,
            expansion: S::Expansion::default(),
            current: Vec::new(),
            recent: Recent::default(),
            spare: Vec::new(),
            looked_at: 0,
            in_transit: 0,
            packings: VecDeque::new(),
            batches: Default::default(),
            #[cfg(any(test, feature = "mutants"))]
            panics_at: None,
            #[cfg(any(test, feature = "mutants"))]
            short_at: None,
        }
    }

    /// Carries out commands until the driver sends no more.
    pub(super) fn work(
        mut self,
        commands: &Receiver<Command<S::Learnt>>,
        replies: &Sender<Reply<S::Fault>>,
        stop: &AtomicBool,
        watch: &limits::Watch,
    ) -> Worker<S> {
        while let Ok(command) = commands.recv() {
            let one = || match command {
                Command::Expand(round) => self.expand(round, stop),
                Command::Store { boxes, last, learnt, keys, states } => {
                    // All workers grow in the same round: they would wait for each other.
                    self.space.store_mut().expect(states / u32::try_from(self.shards).expect("few workers"));
                    self.store(boxes, last, learnt.as_deref(), keys)
                }
                Command::Resolve(keys) => self.resolve(keys),
            };
            // The driver then ends the search, and the round does not count.
            let mut reply =
                watch.run(one).unwrap_or_else(|stopped| Reply { stopped: Some(stopped), ..Reply::new(Vec::new()) });
            let store = self.space.store();
            (reply.waits, reply.room, reply.is_due) = (store.is_delayed(), store.room_to_wait(), store.is_due());
            reply.found = std::mem::take(&mut self.violation_log.found);
            reply.deadlocks = std::mem::take(&mut self.violation_log.deadlocks);
            reply.faults = self.violation_log.faults;
            let keys = if store.is_delayed() { bytes_of::<u64>(reply.keys.capacity()) } else { 0 };
            self.in_transit = self.in_transit.max(reply.held() - keys);
            reply.bytes = self.space.bytes(self.own_bytes() + IN_FLIGHT * self.in_transit);
            if replies.send(reply).is_err() {
                break;
            }
        }
        self
    }

    /// The first half of a round.
    fn expand(&mut self, mut round: Round, stop: &AtomicBool) -> Reply<S::Fault> {
        for Fresh { keys, first } in std::mem::take(&mut round.fresh) {
            number(self.index as usize, &keys, first, |number| self.globals.push(number));
        }
        assert!(self.globals.len() <= self.space.store().len(), "only stored states have numbers");
        if round.from == round.to {
            // It is there for the numbers.
            return Reply::new(Vec::new());
        }
        self.space.limit(round.most_bytes);
        let mut reply = Reply::new(self.boxes());
        self.packings.push_back(self.space.packing());
        reply.done = std::mem::take(&mut round.done);
        reply.done.clear();
        if let Err(cause) = self.settle() {
            reply.failed = Some((key(round.from, 0), cause));
            return reply;
        }
        let mut next = self.next;
        while let Some(number) = self.globals.next(&mut next).filter(|&number| number < round.to) {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let local = self.next.at;
            self.next = next;
            let depth = round.depth + u64::from(number >= round.level_end);
            if self.max_depth.is_some_and(|most| depth >= most) && !self.space.is_deadlock(local) {
                reply.skipped = reply.skipped.or(Some((number, Limit { kind: LimitKind::Depth, value: depth })));
                continue;
            }
            match self.step(&round, number, local, &mut reply) {
                Ok(()) => {}
                Err(Halt::Deferred) => {
                    let fields = self.space.fields(&self.space.store().state(local));
                    let may_end = self.violation_log.may_end(&self.space, local);
                    reply.deferred.push(Deferred { number, local, fields, may_end });
                }
                Err(cause) => {
                    reply.failed = Some((key(number, 0), cause));
                    break;
                }
            }
        }
        reply
    }

    /// Expands a state.
    #[inline]
    fn step(&mut self, round: &Round, number: u32, local: u32, reply: &mut Reply<S::Fault>) -> Result<(), Halt> {
        #[cfg(any(test, feature = "mutants"))]
        assert!(self.panics_at != Some(number), "a worker that is to panic");
        #[cfg(any(test, feature = "mutants"))]
        if self.short_at == Some(number) {
            return Err(Halt::Memory);
        }
        if round.is_direct {
            return Err(Halt::Deferred);
        }
        self.current.clear();
        self.space.store().read(local, &mut self.current);
        self.space.store().is_whole()?;
        let transitions = self.or_delayed(|worker| worker.space.steps(&worker.current, &mut worker.expansion))?;
        let words = S::packed(&self.expansion).len();
        if words >= MANY {
            self.make_room(bytes_of::<u64>(words))?;
        }
        self.space.shard_hashes(&self.expansion, |place, state, hash| {
            work_on(state.len());
            let is_recent = self.recent.has(state, hash);
            reply.boxes[owner(hash, self.shards)].push(key(number, place), state, is_recent);
        });
        reply.done.push(Done { number, transitions, leaves_out: S::leaves_out(&self.expansion) });
        if reply.skipped.is_none() {
            reply.skipped = self.space.bound_of(&self.expansion).map(|limit| (number, limit));
        }
        self.violation_log.expanded(&self.space, number, (self.index, local), &self.expansion);
        Ok(())
    }

    /// Makes room for the successors of one state that others will hold.
    #[cold]
    fn make_room(&mut self, bytes: u64) -> Result<(), Halt> {
        // A box that grows has up to twice the bytes of its content.
        let bytes = bytes.saturating_mul(2 * IN_FLIGHT);
        self.or_delayed(|worker| worker.space.store_mut().request(bytes))?;
        self.space.store_mut().charge(bytes);
        Ok(())
    }

    /// The second half of a round.
    fn store(
        &mut self,
        mut boxes: Vec<Outbox>,
        last: Outbox,
        learnt: Option<&S::Learnt>,
        keys: Vec<u64>,
    ) -> Reply<S::Fault> {
        let mut reply = Reply::new(Vec::new());
        reply.keys = keys;
        reply.keys.clear();
        if learnt.is_some() {
            self.recent.0.clear();
        }
        let packing = self.packings.pop_front().expect("a round is expanded before it is stored");
        if let Err(cause) = learnt.map_or(Ok(()), |learnt| self.learn(learnt)) {
            reply.failed = Some((0, cause));
            return reply;
        }
        self.space.repack(&packing, boxes.iter_mut().map(|full| &mut full.words));
        boxes.push(last);
        let stride = self.space.store().stride();
        assert!(boxes.iter().all(|of| of.words.len() == of.keys.len() * stride), "each key has its state");
        let mut merged = Merge::new(&boxes);
        while !self.space.store().is_delayed()
            && merged.next(stride, BATCH, &mut self.batches[0].states)
            && self.advance(&mut reply)
        {}
        // Batches in progress are stored, unless there was no room for a batch before them.
        while !self.space.store().is_delayed()
            && reply.failed.is_none()
            && self.batches.iter().any(|batch| !batch.states.keys.is_empty())
        {
            self.advance(&mut reply);
        }
        if self.space.store().is_delayed() {
            self.wait(merged, &mut reply);
        }
        self.batches.iter_mut().for_each(|batch| batch.states.clear());
        self.spare = boxes;
        reply
    }

    /// Stores the last batch, and takes the others one step further; returns whether there was room.
    fn advance(&mut self, reply: &mut Reply<S::Fault>) -> bool {
        let Worker { space, batches, .. } = self;
        let [probed, scanned, last] = batches;
        let store = space.store_mut();
        store.probe(&probed.states.words, &mut probed.probes);
        store.touch(&mut scanned.probes);
        let (before, keys) = (store.len(), &last.states.keys);
        let (mut stored, new) = (0, &mut reply.keys);
        let parents = |at: usize| parts(keys[at]).0;
        let inserted = store.insert_probed(&last.states.words, &last.probes, parents, |at, _, is_new| {
            stored = at + 1;
            if is_new {
                new.push(keys[at]);
            }
        });
        let is_short = inserted == Err(Halt::Memory) && store.delays();
        if let (Err(cause), false) = (inserted, is_short) {
            reply.failed = Some((keys[stored], cause));
        }
        last.states.forget(stored, store.stride());
        let after = store.len();
        let fresh = &reply.keys[reply.keys.len() - (after - before) as usize..];
        for (number, &key) in (before..after).zip(fresh) {
            self.violation_log.stored(&self.space, number, parts(key), self.index);
        }
        if is_short {
            self.delay(reply);
            return false;
        }
        self.batches.rotate_right(1);
        reply.failed.is_none()
    }

    /// Moves the index to the disk.
    fn delay(&mut self, reply: &mut Reply<S::Fault>) {
        if let Err(cause) = self.space.store_mut().delay() {
            reply.failed = Some((0, cause));
        }
        // The driver receives their numbers together with those of the next ones.
        self.space.store_mut().return_keys(std::mem::take(&mut reply.keys));
        self.looked_at = self.space.store().len();
    }

    /// Lets the batches and the unmerged successors wait; a round whose successors cannot all be looked up does not
    /// count.
    fn wait(&mut self, mut merged: Merge<'_>, reply: &mut Reply<S::Fault>) {
        let stride = self.space.store().stride();
        let Worker { space, batches, .. } = self;
        let store = space.store_mut();
        // The last one comes first.
        for Batch { states, .. } in batches.iter_mut().rev() {
            if reply.failed.is_none() {
                reply.failed = store.wait_all(&states.words, |at| states.keys[at]).err().map(|cause| (0, cause));
            }
            states.clear();
        }
        let states = &mut batches[0].states;
        while reply.failed.is_none() && merged.next(stride, BATCH, states) {
            reply.failed = store.wait_all(&states.words, |at| states.keys[at]).err().map(|cause| (0, cause));
            states.clear();
        }
    }

    /// Stores the waiting successors.
    fn resolve(&mut self, keys: Vec<u64>) -> Reply<S::Fault> {
        let mut reply = Reply::new(Vec::new());
        reply.keys = keys;
        reply.keys.clear();
        let store = self.space.store_mut();
        if let Err(cause) = store.resolve().and_then(|()| store.copy_fresh(&mut reply.keys)) {
            reply.failed = Some((0, cause));
        }
        let end = self.space.store().len();
        if self.space.store().is_delayed() {
            let new = (end - self.looked_at) as usize;
            assert!(new <= reply.keys.len() || reply.failed.is_some(), "each new state has its key");
            let first = reply.keys.len() - new.min(reply.keys.len());
            for (number, &key) in (self.looked_at..end).zip(&reply.keys[first..]) {
                self.violation_log.stored(&self.space, number, parts(key), self.index);
            }
            self.looked_at = end;
        }
        reply
    }

    /// Passes to the store how much memory is left to it; the index moves to the disk where that is too little.
    fn settle(&mut self) -> Result<(), Halt> {
        let (own, in_transit) = (self.own_bytes(), IN_FLIGHT * self.in_transit);
        self.or_delayed(|worker| worker.space.settle(own, in_transit))
    }

    /// Takes over the values that another space numbered; the index moves to the disk where there is otherwise no
    /// room to pack states.
    fn learn(&mut self, learnt: &S::Learnt) -> Result<(), Halt> {
        self.or_delayed(|worker| worker.space.learn(learnt))
    }

    /// Does something; again with the index on the disk where there is otherwise no room for it.
    #[inline]
    fn or_delayed<R>(&mut self, mut attempt: impl FnMut(&mut Self) -> Result<R, Halt>) -> Result<R, Halt> {
        loop {
            match attempt(self) {
                Ok(done) => return Ok(done),
                Err(cause) => self.delay_for(cause)?,
            }
        }
    }

    /// Moves the index to the disk, unless it is there or another cause stopped an attempt.
    #[cold]
    fn delay_for(&mut self, cause: Halt) -> Result<(), Halt> {
        let store = self.space.store_mut();
        if cause != Halt::Memory || !store.delays() || store.is_delayed() {
            return Err(cause);
        }
        self.looked_at = store.len();
        store.delay()
    }

    /// Empty boxes, one per worker.
    fn boxes(&mut self) -> Vec<Outbox> {
        let mut boxes = std::mem::take(&mut self.spare);
        boxes.resize_with(self.shards, Outbox::default);
        boxes.iter_mut().for_each(Outbox::clear);
        boxes
    }

    fn own_bytes(&self) -> u64 {
        self.expansion.bytes()
            + self.globals.bytes()
            + bytes_of::<u64>(self.recent.0.capacity())
            + self.spare.iter().map(Outbox::bytes).sum::<u64>()
            + self.batches.iter().map(|batch| batch.states.bytes() + batch.probes.bytes()).sum::<u64>()
    }
}
