//! The driver of a search on several threads: rounds, exchanges, and the steps that forks cannot take.
//!
//! The driver holds the totals, the clock and the only space that numbers local states. It waits for workers with a
//! timeout, so that it sees a signal or the end of the time while they work; they then stop before their next state,
//! and the driver discards the round.
//!
//! Rounds grow as long as they are short and few states are deferred. Where the states of the next round have their
//! numbers already, as in all levels of many rounds, the next round begins before the last one is stored: a worker
//! always has something to do, and none waits for the others unless it is a whole round ahead.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use super::account::{RoundEvents, Totals};
use super::index_on_disk::WAITING_PER_STATE;
use super::merge::{Outbox, key};
use super::messages::{Command, Deferred, Done, Fresh, Link, Reply, Round, WorkerEnded};
use super::room::share;
use super::worker::owner;
use crate::memory::Halt;
use crate::report::{Limit, Progress};
use crate::search::{Clock, End, Handover, Sharded, Summary, limit_of_stop};
use crate::watch::{TimedViolation, ViolationLog, Watch, Watched};

/// The interval at which the driver reads the clock.
const LOOK: Duration = Duration::from_millis(20);

/// Rounds that take longer are shortened.
const LONG: Duration = Duration::from_millis(60);

/// The least number of states of a round.
const LEAST: u32 = 512;
const MOST: u32 = 1 << 14;

/// Rounds have at most one state per so many bytes that the search may take: successors in transit are a few
/// hundredths of them.
const BYTES_PER_STATE: u64 = 1 << 13;

/// The number of rounds that the driver expands itself before it tries the workers again.
const DIRECT: u32 = 16;

/// The end of a search.
pub(super) struct Ended<'c, F> {
    pub(super) summary: Summary,
    /// The first violation of each question.
    pub(super) seen: Vec<TimedViolation<F>>,
    /// The position, where the memory is too short for several threads.
    pub(super) short: Option<Handover>,
    pub(super) clock: Clock<'c>,
}

/// A round that workers are expanding.
struct InFlight<S: Watched + Sharded> {
    /// The state behind its last one.
    to: u32,
    /// The new states that the workers received with the round.
    fresh: Vec<Fresh>,
    /// The replies, by worker, if all have answered.
    replies: Vec<Reply<S::Fault>>,
}

/// The result of the expansion of a round.
struct Expanded<S: Watched + Sharded> {
    events: RoundEvents<S::Fault>,
    /// The successors, by the worker that found them and by owner.
    boxes: Vec<Vec<Outbox>>,
    /// The successors of the deferred states, by owner.
    last: Vec<Outbox>,
    learnt: Option<Arc<S::Learnt>>,
    /// The number of deferred states.
    deferred: usize,
}

/// The driver.
pub(super) struct Driver<'d, 'c, S: Watched + Sharded> {
    pub(super) space: &'d mut S,
    pub(super) clock: Clock<'c>,
    stop: &'d AtomicBool,
    links: Vec<Link<S>>,
    pub(super) own: ViolationLog<S>,
    pub(super) expansion: S::Expansion,
    pub(super) keeps_going: bool,
    /// The questions whose violations end the search together.
    pub(super) undecided: Option<Vec<usize>>,
    pub(super) totals: Totals,
    /// The first violation of each question.
    pub(super) seen: Vec<TimedViolation<S::Fault>>,
    /// The rounds that workers expand, or will expand without another message, in order.
    in_flight: VecDeque<InFlight<S>>,
    most_in_flight: usize,
    /// The new states of the last rounds that workers have not received yet.
    pub(super) unsent: Vec<Fresh>,
    /// Buffers of workers, kept for reuse: if they were given back to the system, each would halt all workers for a
    /// moment.
    pub(super) spare_done: Vec<Vec<Done>>,
    pub(super) spare_keys: Vec<Vec<u64>>,
    pub(super) deadlocks: u64,
    faults: bool,
    /// The bytes that the workers hold.
    pub(super) bytes: u64,
    /// Whether workers move their index to the disk where memory is short.
    pub(super) delays: bool,
    /// Whether the search ended because there is too little memory for several threads.
    is_short: bool,
    /// With the index of a worker on the disk: the events of the rounds that do not count yet, and the end of the
    /// last one.
    unresolved: RoundEvents<S::Fault>,
    stored: Option<u32>,
    /// Whether successors may wait to be looked up, for how many there is room, and whether they should be stored.
    waits: bool,
    room: usize,
    is_due: bool,
    /// The limit that ended the search while workers worked.
    pub(super) stopped: Option<Limit>,
    size: u32,
    least: u32,
    direct: u32,
    /// The number of states that the last round stored.
    fresh: u32,
}

impl<'d, 'c, S: Watched + Sharded> Driver<'d, 'c, S> {
    /// A driver that continues from the position of a search on one thread.
    pub(super) fn new(
        space: &'d mut S,
        own: ViolationLog<S>,
        clock: Clock<'c>,
        stop: &'d AtomicBool,
        links: Vec<Link<S>>,
        handover: Handover,
        from: u32,
    ) -> Driver<'d, 'c, S> {
        let totals = Totals { handover, states: handover.states, left_out: space.left_out() };
        let least = from.clamp(2, LEAST);
        Driver {
            space,
            clock,
            stop,
            links,
            own,
            expansion: S::Expansion::default(),
            keeps_going: false,
            undecided: None,
            totals,
            seen: Vec::new(),
            in_flight: VecDeque::new(),
            most_in_flight: 1,
            unsent: Vec::new(),
            spare_done: Vec::new(),
            spare_keys: Vec::new(),
            deadlocks: 0,
            faults: false,
            bytes: 0,
            delays: false,
            is_short: false,
            unresolved: RoundEvents::default(),
            stored: None,
            waits: false,
            room: 0,
            is_due: false,
            stopped: None,
            size: least * 2,
            least,
            direct: 0,
            fresh: 0,
        }
    }

    /// Goes through all rounds; returns the event that ended the search early.
    pub(super) fn run(&mut self) -> Result<Option<End>, WorkerEnded> {
        loop {
            self.begin_rounds(None)?;
            let Some(InFlight { to, fresh, replies }) = self.in_flight.pop_front() else {
                assert_eq!(self.totals.handover.next, self.totals.states, "every state is expanded");
                return Ok(None);
            };
            if let Some(end) = self.reached_limit() {
                return Ok(Some(end));
            }
            let started = Instant::now();
            let replies = if replies.is_empty() { self.receive_all()? } else { replies };
            // No worker holds them any more.
            self.spare_keys.extend(fresh.into_iter().flat_map(|fresh| fresh.keys).filter_map(Arc::into_inner));
            let expanded = self.expanded(replies);
            if let Some(limit) = self.stopped.or_else(|| self.falls_short(&expanded.events)) {
                return Ok(Some(End::Limit(limit)));
            }
            let deferred = expanded.deferred;
            let from = self.stored.unwrap_or(self.totals.handover.next);
            let events = self.store(expanded, to)?;
            if let Some(limit) = self.stopped {
                return Ok(Some(End::Limit(limit)));
            }
            if let Some(limit) = self.falls_short(&events) {
                return Ok(Some(End::Limit(limit)));
            }
            let before = self.totals.states;
            self.unresolved.append(events);
            self.stored = Some(to);
            if self.is_resolved() || self.must_resolve(to) {
                self.resolve()?;
                if let Some(limit) = self.stopped {
                    return Ok(Some(End::Limit(limit)));
                }
                self.stored = None;
                let events = std::mem::take(&mut self.unresolved);
                if let Some(limit) = self.falls_short(&events) {
                    return Ok(Some(End::Limit(limit)));
                }
                if let Some(end) = self.account(events, to) {
                    return Ok(Some(end));
                }
            }
            assert!(self.totals.states >= before && from <= to, "a round forgets no state");
            self.fresh = self.totals.states - before;
            self.adjust_rounds(deferred, (to - from) as usize, started.elapsed());
        }
    }

    /// The limit on memory, where events say that it is too short for several threads.
    fn falls_short(&mut self, events: &RoundEvents<S::Fault>) -> Option<Limit> {
        self.is_short = self.delays && events.is_short(self.keeps_going);
        self.is_short.then(|| self.limit_of(Halt::Memory))
    }

    /// Lets the workers end what they do, and passes to them the numbers of all states that count, if others are to have these
    /// states.
    pub(super) fn publish_numbers(&mut self) -> Result<(), WorkerEnded> {
        if !self.is_short {
            return Ok(());
        }
        let end = self.totals.states;
        self.expand(end, end)?;
        while let Some(round) = self.in_flight.pop_front() {
            if round.replies.is_empty() {
                self.receive_all()?;
            }
        }
        Ok(())
    }

    /// Whether the results of all rounds so far are stored: nothing waits.
    fn is_resolved(&self) -> bool {
        !self.waits
    }

    /// Whether the waiting successors should be stored before the next round: there is no round without them, no room
    /// for more, or an event may end the search.
    fn must_resolve(&self, to: u32) -> bool {
        let Totals { handover, states, .. } = self.totals;
        let is_last = self.in_flight.is_empty() && to >= states;
        let is_long = (to - handover.next) as usize * WAITING_PER_STATE >= self.room;
        is_last || is_long || self.is_due || self.unresolved.ends(self.keeps_going)
    }

    /// Lets the workers store the waiting successors.
    fn resolve(&mut self) -> Result<(), WorkerEnded> {
        if self.is_resolved() {
            return Ok(());
        }
        for link in &self.links {
            let keys = self.spare_keys.pop().unwrap_or_default();
            link.to.send(Command::Resolve(keys)).map_err(|_| WorkerEnded)?;
        }
        // Workers answer in the order of their messages.
        for round in 0..self.in_flight.len() {
            if self.in_flight[round].replies.is_empty() {
                self.in_flight[round].replies = self.receive_all()?;
            }
        }
        let mut events = RoundEvents::default();
        for mut reply in self.receive_all()? {
            events.keys.push(Arc::new(std::mem::take(&mut reply.keys)));
            self.take(reply, &mut events);
        }
        self.unresolved.append(events);
        Ok(())
    }

    /// Lets the workers continue with the next rounds without waiting for each other, as far as these are known. The
    /// next round is known if its states have numbers, and if the round before does not end their level. `stored` is
    /// the end of the round that is being stored.
    fn begin_rounds(&mut self, stored: Option<u32>) -> Result<(), WorkerEnded> {
        while self.in_flight.len() < self.most_in_flight {
            let Totals { handover, states, .. } = &mut self.totals;
            let end = if self.waits { *states } else { handover.level_end };
            let from = match self.in_flight.back().map(|round| round.to).or(stored).or(self.stored) {
                Some(last) if last < end => last,
                Some(_) => break,
                None => {
                    if handover.next == handover.level_end && handover.next < *states {
                        handover.level_end = *states;
                        handover.at_depth += 1;
                    }
                    handover.next
                }
            };
            let to = (*states).min(from.saturating_add(self.size));
            if to <= from {
                break;
            }
            self.expand(from, to)?;
        }
        Ok(())
    }

    /// Shows progress, if it is due.
    pub(super) fn show(&mut self) {
        let Totals { handover, states, .. } = self.totals;
        if self.clock.is_showing() {
            let memory = self.space.bytes(self.bytes + handover.held - handover.kept);
            self.clock.show(Progress {
                states: u64::from(states),
                transitions: handover.transitions,
                frontier: u64::from(states - handover.next),
                depth: handover.depth,
                memory,
                seconds: 0.0,
            });
        }
    }

    /// Lets the workers expand a round.
    fn expand(&mut self, from: u32, to: u32) -> Result<(), WorkerEnded> {
        let is_direct = self.direct > 0;
        let Handover { at_depth: depth, level_end, .. } = self.totals.handover;
        let fresh = std::mem::take(&mut self.unsent);
        let most_bytes = share(self.space, self.totals.handover.held, self.links.len());
        for link in &self.links {
            let done = self.spare_done.pop().unwrap_or_default();
            let round = Round { from, to, most_bytes, depth, level_end, fresh: fresh.clone(), done, is_direct };
            link.to.send(Command::Expand(round)).map_err(|_| WorkerEnded)?;
        }
        self.in_flight.push_back(InFlight { to, fresh, replies: Vec::new() });
        Ok(())
    }

    /// Combines the results of the expansion of a round, and takes the deferred steps.
    fn expanded(&mut self, replies: Vec<Reply<S::Fault>>) -> Expanded<S> {
        let mut events = RoundEvents::default();
        let mut deferred: Vec<(u32, Deferred)> = Vec::new();
        let mut boxes: Vec<Vec<Outbox>> = Vec::new();
        for (worker, mut reply) in (0..).zip(replies) {
            deferred.extend(reply.deferred.drain(..).map(|state| (worker, state)));
            boxes.push(std::mem::take(&mut reply.boxes));
            self.take(reply, &mut events);
        }
        deferred.sort_unstable_by_key(|(_, state)| state.number);
        assert!(deferred.is_sorted_by(|(_, one), (_, next)| one.number < next.number), "a state has one owner");
        let many = deferred.len();
        let mark = self.space.mark();
        self.space.hold_elsewhere(self.totals.states);
        // A round that does not count numbers nothing.
        let deferred = if self.delays && events.is_short(self.keeps_going) { Vec::new() } else { deferred };
        let last = self.take_steps(deferred, &mut events);
        let learnt = if many > 0 { self.space.learnt(&mark).map(Arc::new) } else { None };
        Expanded { events, boxes, last, learnt, deferred: many }
    }

    /// Lets the workers store the results of a round, and continue with the next ones.
    fn store(&mut self, expanded: Expanded<S>, to: u32) -> Result<RoundEvents<S::Fault>, WorkerEnded> {
        let Expanded { mut events, mut boxes, last, learnt, .. } = expanded;
        let states = self.totals.states.saturating_add(self.fresh);
        for ((worker, link), last) in self.links.iter().enumerate().zip(last) {
            let boxes = boxes.iter_mut().map(|boxes| std::mem::take(&mut boxes[worker])).collect();
            // With the index on the disk, none come before the successors are looked up.
            let keys = if self.waits { Vec::new() } else { self.spare_keys.pop().unwrap_or_default() };
            let learnt = learnt.clone();
            link.to.send(Command::Store { boxes, last, learnt, states, keys }).map_err(|_| WorkerEnded)?;
        }
        let before = self.in_flight.len();
        self.begin_rounds(Some(to))?;
        // Workers answer in the order of their messages.
        for round in 0..before {
            if self.in_flight[round].replies.is_empty() {
                self.in_flight[round].replies = self.receive_all()?;
            }
        }
        for mut reply in self.receive_all()? {
            events.keys.push(Arc::new(std::mem::take(&mut reply.keys)));
            self.take(reply, &mut events);
        }
        Ok(events)
    }

    /// One reply of each worker.
    fn receive_all(&mut self) -> Result<Vec<Reply<S::Fault>>, WorkerEnded> {
        (self.bytes, self.waits, self.is_due, self.room) = (0, false, false, 0);
        let mut replies = Vec::new();
        for worker in 0..self.links.len() {
            let reply = self.receive(worker)?;
            self.bytes += reply.bytes;
            self.waits |= reply.waits;
            self.is_due |= reply.is_due;
            self.room += reply.room;
            replies.push(reply);
        }
        Ok(replies)
    }

    /// Waits for a worker, and checks the clock meanwhile.
    fn receive(&mut self, worker: usize) -> Result<Reply<S::Fault>, WorkerEnded> {
        loop {
            match self.links[worker].from.recv_timeout(LOOK) {
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Disconnected) => return Err(WorkerEnded),
                Err(RecvTimeoutError::Timeout) => self.look(),
            }
        }
    }

    pub(super) fn look(&mut self) {
        if self.stopped.is_none() {
            self.stopped = self.clock.ended();
            if self.stopped.is_some() {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Takes over the reply of a worker.
    fn take(&mut self, reply: Reply<S::Fault>, events: &mut RoundEvents<S::Fault>) {
        if let Some(stopped) = reply.stopped {
            self.stopped = self.stopped.or(Some(limit_of_stop(stopped)));
            self.stop.store(true, Ordering::Relaxed);
        }
        if !reply.done.is_empty() {
            events.done.push(reply.done);
        }
        events.found.extend(reply.found);
        events.skip(reply.skipped);
        events.fail(reply.failed);
        events.deadlocks += reply.deadlocks;
        self.faults |= reply.faults;
    }

    /// Takes the deferred steps, in order; returns the successors, by owner, packed as at the end.
    fn take_steps(&mut self, deferred: Vec<(u32, Deferred)>, events: &mut RoundEvents<S::Fault>) -> Vec<Outbox> {
        let mut boxes = vec![Outbox::default(); self.links.len()];
        let mut successors: Vec<(u64, usize, Vec<u32>)> = Vec::new();
        let (mut state, mut done) = (Vec::new(), Vec::new());
        for (worker, Deferred { number, local, fields, may_end }) in deferred {
            self.look();
            if self.stopped.is_some() {
                return boxes;
            }
            state.clear();
            self.space.pack(&fields, &mut state);
            let transitions = match self.space.steps(&state, &mut self.expansion) {
                Ok(transitions) => transitions,
                Err(cause) => {
                    events.fail(Some((key(number, 0), cause)));
                    break;
                }
            };
            let stride = self.space.store().stride();
            for (place, state) in S::packed(&self.expansion).chunks_exact(stride).enumerate() {
                let owner = owner(self.space.shard_hash(state), boxes.len());
                successors.push((key(number, place), owner, self.space.fields(state)));
            }
            done.push(Done { number, transitions, leaves_out: S::leaves_out(&self.expansion) });
            events.skip(self.space.bound_of(&self.expansion).map(|limit| (number, limit)));
            self.own.expanded_elsewhere(self.space, number, (worker, local), may_end, &self.expansion);
        }
        for (key, owner, fields) in successors {
            boxes[owner].keys.push(key);
            self.space.pack(&fields, &mut boxes[owner].words);
        }
        events.done.push(done);
        events.found.append(&mut self.own.found);
        events.deadlocks += std::mem::take(&mut self.own.deadlocks);
        boxes
    }

    /// Chooses the size of the next round.
    fn adjust_rounds(&mut self, deferred: usize, states: usize, took: Duration) {
        if self.direct > 0 {
            self.direct -= 1;
        } else if deferred * 2 > states {
            self.direct = DIRECT;
        }
        // A new value is deferred once more by a round that began before the value was known.
        self.most_in_flight = if deferred * 64 > states { 1 } else { 2 };
        let is_hard = self.direct == 0 && deferred * 8 > states;
        let size = if is_hard || took > LONG { self.size / 2 } else { self.size.saturating_mul(2) };
        let most = u32::try_from(self.space.most_bytes() / BYTES_PER_STATE).map_or(MOST, |most| most.min(MOST));
        self.size = size.clamp(self.least, most.max(self.least));
    }

    /// The summary, and the violations; workers receive no more messages.
    pub(super) fn ended(mut self, watch: &mut Watch<S>, end: Option<End>) -> Ended<'c, S::Fault> {
        // A round in progress does not count.
        self.stop.store(true, Ordering::Relaxed);
        self.links.clear();
        let Totals { handover, states, left_out } = self.totals;
        watch.count(self.deadlocks + self.own.deadlocks, self.faults || self.own.faults);
        self.space.set_left_out(left_out);
        let short = self.is_short.then_some(Handover { states, ..handover });
        Ended { summary: handover.summary(u64::from(states), end), seen: self.seen, short, clock: self.clock }
    }
}
