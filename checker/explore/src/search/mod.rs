//! The search: one loop body for every order of exploration, and the bounds that end a search.
//!
//! A search stores the initial states, then visits stored states in its own order (`breadth_first`,
//! `depth_first`). A visit expands one state, passes its steps to the observer, and checks the bounds. An observer
//! may end the search.

mod breadth_first;
mod clock;
mod confirm;
mod depth_first;
mod lookahead;
mod observer;
mod resume;
mod space;
mod summary;

use std::ops::ControlFlow;
use std::time::Duration;

use limits::Watch;

pub use clock::{Clock, limit_of as limit_of_stop};
pub use lookahead::{Lookahead, Precomputed};
pub use observer::{Found, NoObserver, Observer};
use resume::Restored;
pub use space::{Expansion, Sharded, StateSpace, Tally};
pub use summary::{End, Handover, Summary};

use crate::checkpoint::Damaged;
use crate::memory::{Halt, bytes_of};
use crate::question::{Limits, SearchOrder};
use crate::quotient::MOST_NODES;
use crate::report::{Limit, LimitKind, Progress};

/// The number of reads from the disk between two checks of the clock.
const READS: u64 = 64;

/// States of a round of several workers, and the share of the memory in which these have room.
const ROUND: u64 = 512;
const ROOM: u64 = 8;

/// The time that a stopped search may take to put its findings together.
pub const GRACE: Duration = Duration::from_millis(500);

/// The share of the memory that is kept for the heap, and the share of what is held before that comes to it: code is read from its
/// file when it is first run.
const HEAP: u64 = 16;
const CODE: u64 = 8;

/// A running search.
pub struct Search<'s, S: StateSpace, O> {
    /// The space.
    pub space: &'s mut S,
    observer: &'s mut O,
    clock: Clock<'s>,
    limits: &'s Limits,
    /// Visits between two checks of the clock.
    visits: u32,
    /// The steps of the last state visited.
    pub expansion: S::Expansion,
    transitions: u64,
    expanded: u64,
    depth: u64,
    /// The first bound that left out a state or a step without ending the search.
    skipped: Option<Limit>,
    settled_at: u64,
    /// The number of reads from the disk at the last check.
    read_at: u64,
    /// Bytes of the process outside the search.
    held: u64,
    /// Bytes that are kept for the heap: counted against the limit, used by nobody yet.
    kept: u64,
    /// Bytes that the order of exploration holds.
    pub frontier_bytes: u64,
    /// The position of a breadth-first search.
    position: Option<Position>,
    /// The number of states that the observer has received.
    observed: u32,
    /// While a state is being expanded: the number of earlier expansions that left out steps.
    expanding: Option<u64>,
    /// The number of expansions that left out steps before a visit that found no room.
    unfinished: Option<u64>,
    /// Whether initial states are being stored.
    is_starting: bool,
    /// Starts that were stored, or have no state.
    started: usize,
    /// Known to be wrong: the observer does not receive the states of a stopped visit.
    #[cfg(any(test, feature = "mutants"))]
    pub forgets_stopped: bool,
}

/// The position of a breadth-first search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Position {
    /// The state that is visited next.
    next: u32,
    /// The depth of the state before it.
    depth: u64,
    /// The first state of the next level.
    level_end: u32,
}

/// Explores a space, from a checkpoint if the control has one.
///
/// # Errors
/// The checkpoint is not one of this space.
pub fn explore<'s, S: StateSpace, O: Observer<S>>(
    space: &'s mut S,
    observer: &'s mut O,
    clock: Clock<'s>,
    limits: &'s Limits,
    order: SearchOrder,
) -> Result<Summary, Damaged> {
    Search::new(space, observer, clock, limits).run(order)
}

/// The end of the first part of a breadth-first search.
#[derive(Clone, Copy, Debug)]
pub enum FirstPart {
    /// The search is over.
    Over(Summary),
    /// The requested number of states wait.
    Wide(Handover),
    /// Memory is short, and the index may go to the disk.
    ShortOfMemory(Handover),
}

/// Explores a space breadth-first until so many states wait, or until the index is to move to the disk; then the
/// search is handed over.
pub fn begin<'s, S: StateSpace, O: Observer<S>>(
    space: &'s mut S,
    observer: &'s mut O,
    clock: Clock<'s>,
    limits: &'s Limits,
    wide: u32,
) -> FirstPart {
    let mut search = Search::new(space, observer, clock, limits);
    let begun = search.stoppable(Search::start);
    let is_started = begun.is_ok();
    let run = match begun.and_then(|()| search.stoppable(|search| breadth_first::run(search, wide))) {
        Ok(true) => Ok(()),
        Ok(false) => return FirstPart::Wide(search.handover()),
        Err(End::Limit(limit)) if is_started && limit.kind == LimitKind::Memory && search.space.store().delays() => {
            // The next driver repeats the visit that found no room.
            search.unfinished.into_iter().for_each(|left_out| search.space.set_left_out(left_out));
            return FirstPart::ShortOfMemory(search.handover());
        }
        Err(end) => Err(end),
    };
    FirstPart::Over(search.summary(run))
}

/// The bytes that count against a limit on memory in addition to the search, of a process that uses so many bytes, and the unused part of them
/// yet: what the heap cannot use again is not counted anywhere, so a little is kept for it. Nothing where the process does not say.
fn set_aside(used: u64, most: u64) -> (u64, u64) {
    if used == 0 {
        return (0, 0);
    }
    if used >= most / 2 {
        // The limit is passed anyway.
        return (most / 2, 0);
    }
    let held = used.saturating_add(used / CODE).saturating_add(most / HEAP).min(most / 2 + most / HEAP);
    (held, held.saturating_sub(used))
}

impl<'s, S: StateSpace, O: Observer<S>> Search<'s, S, O> {
    /// A search that has visited nothing.
    pub fn new(space: &'s mut S, observer: &'s mut O, clock: Clock<'s>, limits: &'s Limits) -> Search<'s, S, O> {
        let (held, kept) = set_aside(clock.held(), space.most_bytes());
        Search {
            held,
            kept,
            visits: space.store().tuning().visits,
            space,
            observer,
            clock,
            limits,
            expansion: S::Expansion::default(),
            transitions: 0,
            expanded: 0,
            depth: 0,
            skipped: None,
            settled_at: 0,
            read_at: 0,
            frontier_bytes: 0,
            position: None,
            observed: 0,
            expanding: None,
            unfinished: None,
            is_starting: false,
            started: 0,
            #[cfg(any(test, feature = "mutants"))]
            forgets_stopped: false,
        }
    }

    /// Explores the space, from a checkpoint if the control has one.
    ///
    /// # Errors
    /// The checkpoint is not one of this space.
    pub fn run(mut self, order: SearchOrder) -> Result<Summary, Damaged> {
        let resumed = self.clock.control().resumed();
        // So that the restored search stays within it.
        let is_within = self.settle();
        let begun = match resumed {
            Some(saved) => match self.restore(saved)? {
                Restored::Visiting => is_within,
                Restored::Starting => is_within.and_then(|()| self.stoppable(Search::start)),
            },
            None => self.stoppable(Search::start),
        };
        let run = begun.and_then(|()| {
            self.stoppable(|search| match order {
                SearchOrder::BreadthFirst => breadth_first::run(search, u32::MAX).map(|_| ()),
                SearchOrder::DepthFirst => depth_first::run(search),
            })
        });
        Ok(self.summary(run))
    }

    /// Runs a part of the search under its watch, which may stop it within one step.
    pub fn stoppable<R>(&mut self, part: impl FnOnce(&mut Self) -> Result<R, End>) -> Result<R, End> {
        // A search that is over before it begins still has its first states and its checkpoint.
        let watch = self.watch().or_afterwards(GRACE);
        watch.run(|| part(self)).unwrap_or_else(|stopped| {
            let _ = watch.or_afterwards(GRACE).run(|| self.observe_rest());
            Err(End::Limit(limit_of_stop(stopped)))
        })
    }

    /// The watch of the search.
    pub fn watch(&self) -> Watch {
        self.clock.watch().clone()
    }

    /// Passes to the observer the states that were stored before the search was stopped, so that it examines every
    /// stored state, and keeps a checkpoint.
    #[cold]
    fn observe_rest(&mut self) {
        let states = self.space.store().len();
        #[cfg(any(test, feature = "mutants"))]
        let states = if self.forgets_stopped { self.observed } else { states };
        if self.observed < states {
            // The observer cannot end a search that has ended.
            let _ = self.observer.stored(self.space, self.observed..states);
            self.observed = states;
        }
        if let Some(left_out) = self.expanding.take() {
            self.keep_unfinished(left_out);
        } else if self.is_starting {
            self.keep_last();
        }
        self.is_starting = false;
    }

    /// Whether the search may be shared among workers: the states are copied for that, and the successors of all states of a round are
    /// in memory at a time.
    fn may_share(&self) -> bool {
        let store = self.space.store();
        let of_round = bytes_of::<u64>(self.expansion.len() * store.stride()).saturating_mul(ROUND);
        store.bytes().max(of_round) <= self.space.most_bytes() / ROOM
    }

    /// The work of the search, and its end.
    pub fn summary(&self, run: Result<(), End>) -> Summary {
        let ended_by = match run {
            Err(End::Limit(limit)) => Some(limit),
            Ok(()) | Err(End::Observer) => None,
        };
        Summary {
            complete: run.is_ok() && self.skipped.is_none(),
            limit: ended_by.or(self.skipped),
            transitions: self.transitions,
            depth: self.depth,
            states: u64::from(self.space.store().len()),
        }
    }

    /// The position of the search, between two visits.
    fn handover(&self) -> Handover {
        let states = self.space.store().len();
        let position = self.position.unwrap_or(Position { next: 0, depth: 0, level_end: states });
        Handover {
            next: position.next,
            states,
            held: self.held,
            kept: self.kept,
            at_depth: position.depth,
            level_end: position.level_end,
            transitions: self.transitions,
            depth: self.depth,
            skipped: self.skipped,
        }
    }

    /// Stores the initial states.
    pub fn start(&mut self) -> Result<(), End> {
        self.is_starting = true;
        let started = self.store_starts();
        self.is_starting = false;
        started
    }

    fn store_starts(&mut self) -> Result<(), End> {
        self.settle()?;
        for start in self.space.starts().skip(self.started) {
            match start {
                Ok(state) => {
                    let inserted = self.space.insert_initial(&state);
                    let (number, is_new) = match inserted {
                        Ok(inserted) => inserted,
                        Err(cause) => {
                            self.keep_last();
                            return Err(self.limit_of(cause));
                        }
                    };
                    if is_new {
                        assert_eq!(number, self.observed, "initial states are observed in the order of their numbers");
                        self.settle()?;
                        let flow = self.observer.stored(self.space, number..number + 1);
                        self.observed = number + 1;
                        end_if(flow)?;
                    }
                }
                Err(failed) => {
                    self.skipped = self.skipped.or(self.space.bound_of_start(&failed));
                    end_if(self.observer.start_failed(self.space, &failed))?;
                }
            }
            self.started += 1;
            self.tick()?;
        }
        Ok(())
    }

    /// Visits a state at a depth: expands it unless the depth is the limit; returns whether it did. Its successors
    /// are in `expansion` afterwards. A state may be visited again.
    #[inline]
    pub fn visit(&mut self, number: u32, depth: u64) -> Result<bool, End> {
        if self.limits.max_depth.is_some_and(|most| depth >= most) && !self.space.is_deadlock(number) {
            self.expansion.clear();
            self.skipped = self.skipped.or(Some(Limit { kind: LimitKind::Depth, value: depth }));
            return Ok(false);
        }
        let (before, left_out) = (self.space.store().len(), self.space.left_out());
        self.expanding = Some(left_out);
        let expanded = self.space.expand(number, &mut self.expansion);
        let after = self.space.store().len();
        assert!(after >= before, "a visit forgets no state");
        if after > before {
            debug_assert_eq!(self.observed, before, "every state that was stored before was observed");
            self.depth = self.depth.max(depth + 1);
            let flow = self.observer.stored(self.space, before..after);
            self.observed = after;
            end_if(flow)?;
        }
        if let Err(cause) = expanded.and_then(|()| self.space.store().is_whole()) {
            self.expanding = None;
            self.keep_unfinished(left_out);
            return Err(self.limit_of(cause));
        }
        debug_assert!(self.expansion.successors().all(|to| to < after), "every successor is stored");
        let flow = self.observer.expanded(self.space, number, &self.expansion);
        self.expanding = None;
        self.expanded += 1;
        self.transitions += self.expansion.len() as u64;
        self.space.count_executions(&self.expansion);
        self.skipped = self.skipped.or_else(|| self.space.bound_of(&self.expansion));
        end_if(flow)?;
        self.tick()?;
        Ok(true)
    }

    /// Visits a state whose steps are known: checks the bounds.
    #[inline]
    pub fn again(&mut self) -> Result<(), End> {
        self.tick()
    }

    /// Checks the bounds on memory when tables may have grown, and the other bounds at intervals.
    #[inline]
    fn tick(&mut self) -> Result<(), End> {
        // Where states are read from the disk, much time may pass in few visits.
        let missed = self.space.growth() != self.settled_at || self.space.store().reads() >= self.read_at + READS;
        let words = self.expansion.len() * self.space.store().stride();
        if missed || self.clock.is_due(self.visits, words) { self.look() } else { Ok(()) }
    }

    /// Checks the bounds, and keeps a checkpoint where one is due.
    #[cold]
    fn look(&mut self) -> Result<(), End> {
        self.read_at = self.space.store().reads();
        let settled = self.settle();
        let ended = self.clock.ended();
        let is_over = settled.is_err() || ended.is_some();
        if self.can_be_saved() && self.clock.control().is_checkpoint_due(is_over) {
            self.save();
        }
        settled?;
        if let Some(limit) = ended {
            return Err(End::Limit(limit));
        }
        if self.clock.is_showing() {
            let states = u64::from(self.space.store().len());
            self.clock.show(Progress {
                states,
                transitions: self.transitions,
                frontier: states.saturating_sub(self.expanded),
                depth: self.depth,
                memory: self.space.bytes(self.own_bytes() - self.kept),
                seconds: 0.0,
            });
        }
        Ok(())
    }

    /// Keeps a checkpoint from which the visit that found no room is repeated: its stored successors are found then, and whether it leaves out
    /// steps is counted then. This search counts it.
    #[cold]
    fn keep_unfinished(&mut self, left_out: u64) {
        self.unfinished = Some(left_out);
        if let Some(position) = &mut self.position {
            position.next -= 1;
        }
        let counted = self.space.left_out();
        self.space.set_left_out(left_out);
        self.keep_last();
        self.space.set_left_out(counted);
    }

    /// Keeps a checkpoint before the search ends.
    #[cold]
    fn keep_last(&mut self) {
        if self.can_be_saved() && self.clock.control().is_checkpoint_due(true) {
            self.save();
        }
    }

    /// Whether a search can continue from the position of this one: a breadth-first one, or one that has not begun to
    /// visit states.
    fn can_be_saved(&self) -> bool {
        self.position.is_some() || self.is_starting
    }

    fn settle(&mut self) -> Result<(), End> {
        self.settled_at = self.space.growth();
        let own = self.own_bytes() - self.held;
        self.space.settle(own, self.held).map_err(|cause| self.limit_of(cause))
    }

    fn own_bytes(&self) -> u64 {
        self.expansion.bytes() + self.frontier_bytes + self.held
    }

    fn limit_of(&self, cause: Halt) -> End {
        End::Limit(limit_of(self.space, self.clock.watch(), cause))
    }
}

/// The bound behind a refusal of the store in a search under a watch.
pub fn limit_of<S: StateSpace>(space: &S, watch: &Watch, cause: Halt) -> Limit {
    let (kind, value) = match cause {
        Halt::States => (LimitKind::States, u64::from(space.store().most())),
        Halt::Memory => (LimitKind::Memory, space.most_bytes()),
        Halt::Work => (LimitKind::Representative, MOST_NODES as u64),
        Halt::Disk => (LimitKind::Disk, space.store().spilled().bytes),
        // Time and signals stop all watches of a search; the room for a part of it is that of the watch of this part.
        Halt::Stopped => match watch.consult() {
            Err(stopped) => return limit_of_stop(stopped),
            Ok(()) => (LimitKind::Memory, space.most_bytes()),
        },
        Halt::Deferred => unreachable!("only forks defer, and this is none"),
    };
    Limit { kind, value }
}

fn end_if(flow: ControlFlow<()>) -> Result<(), End> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(End::Observer),
    }
}

#[cfg(test)]
mod tests {
    use super::{HEAP, set_aside};

    #[test]
    fn memory_in_use_excludes_the_kept_part() {
        for (used, most) in [(10, u64::MAX), (10, 320), (300, 320), (0, 320), (1 << 30, 1 << 32)] {
            let (held, kept) = set_aside(used, most);
            assert!(held - kept <= used && held <= most / 2 + most / HEAP, "{used} {most}");
        }
        assert_eq!(set_aside(10, 320), (31, 21));
        assert_eq!(set_aside(10, u64::MAX).0 - set_aside(10, u64::MAX).1, 10);
    }
}
