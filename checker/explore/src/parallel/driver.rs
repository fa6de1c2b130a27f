//! The driver of a search on several threads: rounds, exchanges, and the steps that forks cannot take.
//!
//! It holds the totals, the clock and the only space that numbers local states. It waits for workers with a timeout, so that
//! a signal or the end of the time is seen while they work; they then stop before their next state, and the round is
//! forgotten.
//!
//! Rounds grow as long as they are short and little is put off. Where the states of the next round have their numbers already, as
//! in all levels of many rounds, it is begun before the last one is stored: a worker always has something to do, and none waits for
//! the others unless it is a whole round ahead.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::account::Happened;
use super::alone::FOR_ONE;
use super::merge::{Outbox, key};
use super::worker::{Command, Done, Fresh, PutOff, Reply, Round, owner};
use crate::memory::Full;
use crate::report::{Limit, Progress};
use crate::search::{End, Handed, Pace, Sharded, Summary, limit_of, limit_of_stop};
use crate::watch::{Sighting, Sightings, Watch, Watched};

/// How long the driver waits before it looks at the clock.
const LOOK: Duration = Duration::from_millis(20);

/// Rounds that take longer are cut.
const LONG: Duration = Duration::from_millis(60);

/// States of a round.
const LEAST: u32 = 512;
const MOST: u32 = 1 << 14;

/// Rounds have at most one state for so many bytes that the search may take: successors on the way are a few hundredths of them.
const BYTES_FOR_ONE: u64 = 1 << 13;

/// Rounds that the driver expands itself before it tries the workers again.
const DIRECT: u32 = 16;

/// A worker is not there any more.
#[derive(Debug)]
pub(super) struct Gone;

/// The ends of the channels to and from a worker.
pub(super) struct Link<S: Watched + Sharded> {
    pub(super) to: Sender<Command<S::Learnt>>,
    pub(super) from: Receiver<Reply<S::Fault>>,
}

/// A round that workers were told to expand.
struct UnderWay<S: Watched + Sharded> {
    /// Behind its last state.
    to: u32,
    /// What they were told of before.
    fresh: Vec<Fresh>,
    /// What came of it, by worker, if all have answered.
    replies: Vec<Reply<S::Fault>>,
}

/// What came of the expansion of a round.
struct Expanded<S: Watched + Sharded> {
    happened: Happened<S::Fault>,
    /// By worker that filled them, and by owner.
    boxes: Vec<Vec<Outbox>>,
    /// By owner, the successors of what was put off.
    last: Vec<Outbox>,
    learnt: Option<Arc<S::Learnt>>,
    /// How many states were put off.
    put_off: usize,
}

/// The driver.
pub(super) struct Driver<'d, 'c, S: Watched + Sharded> {
    pub(super) space: &'d mut S,
    pace: Pace<'c>,
    stop: &'d AtomicBool,
    links: Vec<Link<S>>,
    pub(super) own: Sightings<S>,
    pub(super) expansion: S::Expansion,
    pub(super) keeps_going: bool,
    pub(super) totals: Totals,
    /// The first sighting of each question.
    pub(super) seen: Vec<Sighting<S::Fault>>,
    /// The rounds that workers expand, or will without being told more, in order.
    under_way: VecDeque<UnderWay<S>>,
    most_under_way: usize,
    /// The new states of the last rounds that workers are to be told of.
    pub(super) untold: Vec<Fresh>,
    /// Buffers of workers: given back to the system, each would halt all workers for a moment.
    pub(super) spare_done: Vec<Vec<Done>>,
    pub(super) spare_keys: Vec<Vec<u64>>,
    deadlocks: u64,
    faults: bool,
    bytes: u64,
    /// With the index of a worker on the disk: what happened in the rounds that do not count yet, and the end of the last one.
    unresolved: Happened<S::Fault>,
    stored: Option<u32>,
    /// Whether something may wait to be looked up, for how much there is room, and whether it should be stored.
    waits: bool,
    room: usize,
    is_due: bool,
    /// What ended the search while workers worked.
    pub(super) stopped: Option<Limit>,
    size: u32,
    least: u32,
    direct: u32,
    /// How many states the last round stored.
    fresh: u32,
}

/// Where the search is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    pub(super) handed: Handed,
    pub(super) states: u32,
    pub(super) left_out: u64,
}

impl<'d, 'c, S: Watched + Sharded> Driver<'d, 'c, S> {
    /// A driver that goes on from where a search on one thread was.
    pub(super) fn new(
        space: &'d mut S,
        own: Sightings<S>,
        (pace, stop): (Pace<'c>, &'d AtomicBool),
        links: Vec<Link<S>>,
        handed: Handed,
        from: u32,
    ) -> Driver<'d, 'c, S> {
        let totals = Totals { handed, states: handed.states, left_out: space.left_out() };
        let least = from.clamp(2, LEAST);
        Driver {
            space,
            pace,
            stop,
            links,
            own,
            expansion: S::Expansion::default(),
            keeps_going: false,
            totals,
            seen: Vec::new(),
            under_way: VecDeque::new(),
            most_under_way: 1,
            untold: Vec::new(),
            spare_done: Vec::new(),
            spare_keys: Vec::new(),
            deadlocks: 0,
            faults: false,
            bytes: 0,
            unresolved: Happened::default(),
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

    /// Goes through all rounds; what ended the search early.
    pub(super) fn run(&mut self) -> Result<Option<End>, Gone> {
        loop {
            self.begin_rounds(None)?;
            let Some(UnderWay { to, fresh, replies }) = self.under_way.pop_front() else { return Ok(None) };
            if let Some(end) = self.ended_by_pace() {
                return Ok(Some(end));
            }
            let started = Instant::now();
            let replies = if replies.is_empty() { self.receive_all()? } else { replies };
            // No worker holds them any more.
            self.spare_keys.extend(fresh.into_iter().flat_map(|fresh| fresh.keys).filter_map(Arc::into_inner));
            let expanded = self.expanded(replies);
            if let Some(limit) = self.stopped {
                return Ok(Some(End::Limit(limit)));
            }
            let put_off = expanded.put_off;
            let from = self.stored.unwrap_or(self.totals.handed.next);
            let happened = self.store(expanded, to)?;
            if let Some(limit) = self.stopped {
                return Ok(Some(End::Limit(limit)));
            }
            let before = self.totals.states;
            self.unresolved.append(happened);
            self.stored = Some(to);
            if self.is_resolved() || self.must_resolve(to) {
                self.resolve()?;
                if let Some(limit) = self.stopped {
                    return Ok(Some(End::Limit(limit)));
                }
                self.stored = None;
                let happened = std::mem::take(&mut self.unresolved);
                if let Some(end) = self.account(happened, to) {
                    return Ok(Some(end));
                }
            }
            self.fresh = self.totals.states - before;
            self.pace_rounds(put_off, (to - from) as usize, started.elapsed());
        }
    }

    /// Whether everything that came of the rounds so far is stored: nothing waits.
    fn is_resolved(&self) -> bool {
        !self.waits
    }

    /// Whether what waits should be stored before the next round: there is none without it, no room for more, or something
    /// happened that may end the search.
    fn must_resolve(&self, to: u32) -> bool {
        let Totals { handed, states, .. } = self.totals;
        let is_last = self.under_way.is_empty() && to >= states;
        let is_long = (to - handed.next) as usize * FOR_ONE >= self.room;
        is_last || is_long || self.is_due || self.unresolved.ends(self.keeps_going)
    }

    /// Has the workers store what waits.
    fn resolve(&mut self) -> Result<(), Gone> {
        if self.is_resolved() {
            return Ok(());
        }
        for link in &self.links {
            let keys = self.spare_keys.pop().unwrap_or_default();
            link.to.send(Command::Resolve(keys)).map_err(|_| Gone)?;
        }
        // Workers answer in the order of what they are told.
        for round in 0..self.under_way.len() {
            if self.under_way[round].replies.is_empty() {
                self.under_way[round].replies = self.receive_all()?;
            }
        }
        let mut happened = Happened::default();
        for mut reply in self.receive_all()? {
            happened.keys.push(Arc::new(std::mem::take(&mut reply.keys)));
            self.take(reply, &mut happened);
        }
        self.unresolved.append(happened);
        Ok(())
    }

    /// Has the workers go on with the next rounds without waiting for each other, as far as these are known. The next one is if its
    /// states have numbers, and if the round before does not end their level. `stored` is the end of the round that is
    /// being stored.
    fn begin_rounds(&mut self, stored: Option<u32>) -> Result<(), Gone> {
        while self.under_way.len() < self.most_under_way {
            let Totals { handed, states, .. } = &mut self.totals;
            let end = if self.waits { *states } else { handed.level_end };
            let from = match self.under_way.back().map(|round| round.to).or(stored).or(self.stored) {
                Some(last) if last < end => last,
                Some(_) => break,
                None => {
                    if handed.next == handed.level_end && handed.next < *states {
                        handed.level_end = *states;
                        handed.at_depth += 1;
                    }
                    handed.next
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

    /// What ends the search before a round.
    fn ended_by_pace(&mut self) -> Option<End> {
        if let Some(limit) = self.pace.ended() {
            return Some(End::Limit(limit));
        }
        let bytes = self.space.bytes(self.bytes + self.totals.handed.held);
        if bytes > self.space.most_bytes() {
            return Some(End::Limit(limit_of(self.space, Full::Memory)));
        }
        self.show();
        None
    }

    /// Shows progress, if it is time to.
    pub(super) fn show(&mut self) {
        let Totals { handed, states, .. } = self.totals;
        if self.pace.is_showing() {
            let memory = self.space.bytes(self.bytes + handed.held);
            self.pace.show(Progress {
                states: u64::from(states),
                transitions: handed.transitions,
                frontier: u64::from(states - handed.next),
                depth: handed.depth,
                memory,
                seconds: 0.0,
            });
        }
    }

    /// Has the workers expand a round.
    fn expand(&mut self, from: u32, to: u32) -> Result<(), Gone> {
        let is_direct = self.direct > 0;
        let Handed { at_depth: depth, level_end, .. } = self.totals.handed;
        let fresh = std::mem::take(&mut self.untold);
        for link in &self.links {
            let done = self.spare_done.pop().unwrap_or_default();
            let round = Round { from, to, depth, level_end, fresh: fresh.clone(), done, is_direct };
            link.to.send(Command::Expand(round)).map_err(|_| Gone)?;
        }
        self.under_way.push_back(UnderWay { to, fresh, replies: Vec::new() });
        Ok(())
    }

    /// Puts together what came of the expansion of a round, and takes the steps that were put off.
    fn expanded(&mut self, replies: Vec<Reply<S::Fault>>) -> Expanded<S> {
        let mut happened = Happened::default();
        let mut put_off: Vec<(u32, PutOff)> = Vec::new();
        let mut boxes: Vec<Vec<Outbox>> = Vec::new();
        for (worker, mut reply) in (0..).zip(replies) {
            put_off.extend(reply.put_off.drain(..).map(|state| (worker, state)));
            boxes.push(std::mem::take(&mut reply.boxes));
            self.take(reply, &mut happened);
        }
        put_off.sort_unstable_by_key(|(_, state)| state.number);
        let many = put_off.len();
        let mark = self.space.mark();
        self.space.hold_elsewhere(self.totals.states);
        let last = self.take_steps(put_off, &mut happened);
        let learnt = if many > 0 { self.space.learnt(&mark).map(Arc::new) } else { None };
        Expanded { happened, boxes, last, learnt, put_off: many }
    }

    /// Has the workers store what came of a round, and go on with the next ones.
    fn store(&mut self, expanded: Expanded<S>, to: u32) -> Result<Happened<S::Fault>, Gone> {
        let Expanded { mut happened, mut boxes, last, learnt, .. } = expanded;
        let states = self.totals.states.saturating_add(self.fresh);
        for ((worker, link), last) in self.links.iter().enumerate().zip(last) {
            let boxes = boxes.iter_mut().map(|boxes| std::mem::take(&mut boxes[worker])).collect();
            let keys = self.spare_keys.pop().unwrap_or_default();
            let learnt = learnt.clone();
            link.to.send(Command::Store { boxes, last, learnt, states, keys }).map_err(|_| Gone)?;
        }
        let before = self.under_way.len();
        self.begin_rounds(Some(to))?;
        // Workers answer in the order of what they are told.
        for round in 0..before {
            if self.under_way[round].replies.is_empty() {
                self.under_way[round].replies = self.receive_all()?;
            }
        }
        for mut reply in self.receive_all()? {
            happened.keys.push(Arc::new(std::mem::take(&mut reply.keys)));
            self.take(reply, &mut happened);
        }
        Ok(happened)
    }

    /// One reply of each worker.
    fn receive_all(&mut self) -> Result<Vec<Reply<S::Fault>>, Gone> {
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

    /// Waits for a worker, with an eye on the clock.
    fn receive(&mut self, worker: usize) -> Result<Reply<S::Fault>, Gone> {
        loop {
            match self.links[worker].from.recv_timeout(LOOK) {
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Disconnected) => return Err(Gone),
                Err(RecvTimeoutError::Timeout) => self.look(),
            }
        }
    }

    pub(super) fn look(&mut self) {
        if self.stopped.is_none() {
            self.stopped = self.pace.ended();
            if self.stopped.is_some() {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Takes over what a worker tells.
    fn take(&mut self, reply: Reply<S::Fault>, happened: &mut Happened<S::Fault>) {
        if let Some(stopped) = reply.stopped {
            self.stopped = self.stopped.or(Some(limit_of_stop(stopped)));
            self.stop.store(true, Ordering::Relaxed);
        }
        if !reply.done.is_empty() {
            happened.done.push(reply.done);
        }
        happened.found.extend(reply.found);
        happened.skip(reply.skipped);
        happened.fail(reply.failed);
        self.deadlocks += reply.deadlocks;
        self.faults |= reply.faults;
    }

    /// Takes the steps that were put off, in order; the successors, by owner, packed as at the end.
    fn take_steps(&mut self, put_off: Vec<(u32, PutOff)>, happened: &mut Happened<S::Fault>) -> Vec<Outbox> {
        let mut boxes = vec![Outbox::default(); self.links.len()];
        let mut successors: Vec<(u64, usize, Vec<u32>)> = Vec::new();
        let (mut state, mut done) = (Vec::new(), Vec::new());
        for (worker, PutOff { number, local, fields }) in put_off {
            self.look();
            if self.stopped.is_some() {
                return boxes;
            }
            state.clear();
            self.space.pack(&fields, &mut state);
            let transitions = match self.space.steps(&state, &mut self.expansion) {
                Ok(transitions) => transitions,
                Err(full) => {
                    happened.fail(Some((key(number, 0), full)));
                    break;
                }
            };
            let stride = self.space.store().stride();
            for (place, state) in S::packed(&self.expansion).chunks_exact(stride).enumerate() {
                let owner = owner(self.space.shard_hash(state), boxes.len());
                successors.push((key(number, place), owner, self.space.fields(state)));
            }
            done.push(Done { number, transitions, leaves_out: S::leaves_out(&self.expansion) });
            happened.skip(self.space.bound_of(&self.expansion).map(|limit| (number, limit)));
            self.own.expanded(self.space, number, (worker, local), &self.expansion);
        }
        for (key, owner, fields) in successors {
            boxes[owner].keys.push(key);
            self.space.pack(&fields, &mut boxes[owner].words);
        }
        happened.done.push(done);
        happened.found.append(&mut self.own.found);
        boxes
    }

    /// Chooses the size of the next round.
    fn pace_rounds(&mut self, put_off: usize, states: usize, took: Duration) {
        if self.direct > 0 {
            self.direct -= 1;
        } else if put_off * 2 > states {
            self.direct = DIRECT;
        }
        // What is met for the first time is put off once more by a round that was begun before it is known.
        self.most_under_way = if put_off * 64 > states { 1 } else { 2 };
        let is_hard = self.direct == 0 && put_off * 8 > states;
        let size = if is_hard || took > LONG { self.size / 2 } else { self.size.saturating_mul(2) };
        let most = u32::try_from(self.space.most_bytes() / BYTES_FOR_ONE).map_or(MOST, |most| most.min(MOST));
        self.size = size.clamp(self.least, most.max(self.least));
    }

    /// The summary, and what was seen; nothing is sent to workers any more.
    pub(super) fn ended(mut self, watch: &mut Watch<S>, end: Option<End>) -> (Summary, Vec<Sighting<S::Fault>>) {
        // A round that is under way does not count.
        self.stop.store(true, Ordering::Relaxed);
        self.links.clear();
        let Totals { handed, states, left_out } = self.totals;
        watch.count(self.deadlocks + self.own.deadlocks, self.faults || self.own.faults);
        self.space.set_left_out(left_out);
        (handed.summary(u64::from(states), end), self.seen)
    }
}
