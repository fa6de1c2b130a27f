//! Searching: one loop body for every order of exploration, and the bounds that end a search.
//!
//! A search stores the initial states, then visits stored states in an order of its own ([`breadth_first`],
//! [`depth_first`]). A visit expands one state, tells the observer what was found, and looks at the bounds. An observer
//! may end the search.

mod ahead;
mod breadth_first;
mod depth_first;
mod pace;
mod resume;
mod space;

use std::ops::{ControlFlow, Range};

pub use ahead::{Ahead, Foresight};
pub use pace::Pace;
pub use space::{Expansion, Sharded, StateSpace};

use crate::checkpoint::Damaged;
use crate::memory::Full;
use crate::question::{Limits, SearchOrder};
use crate::quotient::MOST_NODES;
use crate::report::{Limit, LimitKind, Progress};

/// Reads of states elsewhere between two looks at the clock.
const READS: u64 = 64;

/// The share of the memory that is kept for the heap.
const HEAP: u64 = 32;

/// Who looks at what a search finds. Every method may end the search.
pub trait Observer<S: StateSpace> {
    /// A start has no state.
    fn start_failed(&mut self, space: &S, failed: &S::FailedStart) -> ControlFlow<()>;

    /// States were stored.
    fn stored(&mut self, space: &S, numbers: Range<u32>) -> ControlFlow<()>;

    /// A state was expanded.
    fn expanded(&mut self, space: &S, number: u32, expansion: &S::Expansion) -> ControlFlow<()>;

    /// The states in which something was found, and whether it was found by expanding them; and a number to keep.
    fn found(&self) -> (Vec<(Option<u32>, bool)>, u64) {
        (Vec::new(), 0)
    }

    /// Keeps the number again, after all that was found was found again.
    fn keep(&mut self, number: u64) {
        let _ = number;
    }
}

/// Looks at nothing.
pub struct Blind;

impl<S: StateSpace> Observer<S> for Blind {
    fn start_failed(&mut self, _: &S, _: &S::FailedStart) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn stored(&mut self, _: &S, _: Range<u32>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn expanded(&mut self, _: &S, _: u32, _: &S::Expansion) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Why a search ended before every stored state was expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The observer has seen enough.
    Observer,
    /// A bound.
    Limit(Limit),
}

/// What a search did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Whether every reachable state was stored and expanded.
    pub complete: bool,
    /// The first bound that kept it from that.
    pub limit: Option<Limit>,
    /// Transitions of the expanded states, as the language counts them.
    pub transitions: u64,
    /// The greatest depth of a stored state, or the longest path of a depth-first search.
    pub depth: u64,
    /// States stored.
    pub states: u64,
}

/// A breadth-first search that goes on elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Handed {
    /// The state that is visited next.
    pub next: u32,
    /// States stored.
    pub states: u32,
    /// Bytes of the process besides the search.
    pub held: u64,
    /// The depth of the state before the next one.
    pub at_depth: u64,
    /// The first state of the next level.
    pub level_end: u32,
    /// Transitions so far.
    pub transitions: u64,
    /// The greatest depth of a stored state.
    pub depth: u64,
    /// The first bound that left something out.
    pub skipped: Option<Limit>,
}

impl Handed {
    /// What the search did, and how it ended.
    pub fn summary(&self, states: u64, end: Option<End>) -> Summary {
        let ended_by = match end {
            Some(End::Limit(limit)) => Some(limit),
            Some(End::Observer) | None => None,
        };
        Summary {
            complete: end.is_none() && self.skipped.is_none(),
            limit: ended_by.or(self.skipped),
            transitions: self.transitions,
            depth: self.depth,
            states,
        }
    }
}

/// A running search.
pub struct Search<'s, S: StateSpace, O> {
    /// The space.
    pub space: &'s mut S,
    observer: &'s mut O,
    pace: Pace<'s>,
    limits: &'s Limits,
    /// Visits between two looks at the clock.
    visits: u32,
    /// The steps of the last state visited.
    pub expansion: S::Expansion,
    transitions: u64,
    expanded: u64,
    depth: u64,
    /// The first bound that left something out without ending the search.
    skipped: Option<Limit>,
    settled_at: u64,
    /// How many reads of states elsewhere there were at the last look.
    read_at: u64,
    /// Bytes of the process besides the search.
    held: u64,
    /// Bytes that the order of exploration holds.
    pub frontier_bytes: u64,
    /// Where a breadth-first search is.
    position: Option<Position>,
}

/// Where a breadth-first search is.
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
    mut pace: Pace<'s>,
    limits: &'s Limits,
    order: SearchOrder,
) -> Result<Summary, Damaged> {
    let resumed = pace.control().resumed();
    let mut search = Search::new(space, observer, pace, limits);
    // So that what is restored stays within it.
    let is_within = search.settle();
    let begun = match resumed {
        Some(saved) => search.restore(saved).map(|()| is_within)?,
        None => search.start(),
    };
    let run = begun.and_then(|()| match order {
        SearchOrder::BreadthFirst => breadth_first::run(&mut search, u32::MAX).map(|_| ()),
        SearchOrder::DepthFirst => depth_first::run(&mut search),
    });
    Ok(search.summary(run))
}

/// Explores a space breadth-first until so many states wait; then the search is handed over.
pub fn begin<'s, S: StateSpace, O: Observer<S>>(
    space: &'s mut S,
    observer: &'s mut O,
    pace: Pace<'s>,
    limits: &'s Limits,
    wide: u32,
) -> Result<Handed, Summary> {
    let mut search = Search::new(space, observer, pace, limits);
    let begun = search.start();
    let run = match begun.and_then(|()| breadth_first::run(&mut search, wide)) {
        Ok(true) => Ok(()),
        Ok(false) => return Ok(search.handed()),
        Err(end) => Err(end),
    };
    Err(search.summary(run))
}

impl<'s, S: StateSpace, O: Observer<S>> Search<'s, S, O> {
    /// A search that has visited nothing.
    pub fn new(space: &'s mut S, observer: &'s mut O, pace: Pace<'s>, limits: &'s Limits) -> Search<'s, S, O> {
        // What the heap cannot use again is not counted anywhere: a little is kept for it.
        let most = space.most_bytes();
        let held = match pace.held() {
            0 => 0,
            held => held.saturating_add(most / HEAP).min(most / 2),
        };
        Search {
            held,
            visits: space.store().tuning().visits,
            space,
            observer,
            pace,
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
        }
    }

    /// What the search did, and how it ended.
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

    /// Where the search is, between two visits.
    fn handed(&self) -> Handed {
        let states = self.space.store().len();
        let position = self.position.unwrap_or(Position { next: 0, depth: 0, level_end: states });
        Handed {
            next: position.next,
            states,
            held: self.held,
            at_depth: position.depth,
            level_end: position.level_end,
            transitions: self.transitions,
            depth: self.depth,
            skipped: self.skipped,
        }
    }

    /// Stores the initial states.
    pub fn start(&mut self) -> Result<(), End> {
        self.settle()?;
        for start in self.space.starts() {
            match start {
                Ok(state) => {
                    let (number, is_new) = self.space.insert_initial(&state).map_err(|full| self.limit_of(full))?;
                    if is_new {
                        self.settle()?;
                        end_if(self.observer.stored(self.space, number..number + 1))?;
                    }
                }
                Err(failed) => {
                    self.skipped = self.skipped.or(self.space.bound_of_start(&failed));
                    end_if(self.observer.start_failed(self.space, &failed))?;
                }
            }
            self.tick()?;
        }
        Ok(())
    }

    /// Visits a state at a depth: expands it unless the depth is the limit; whether it did. Its successors are in
    /// `expansion` afterwards. A state may be visited again.
    #[inline]
    pub fn visit(&mut self, number: u32, depth: u64) -> Result<bool, End> {
        if self.limits.max_depth.is_some_and(|most| depth >= most) && !self.space.is_deadlock(number) {
            self.expansion.clear();
            self.skipped = self.skipped.or(Some(Limit { kind: LimitKind::Depth, value: depth }));
            return Ok(false);
        }
        let before = self.space.store().len();
        let expanded = self.space.expand(number, &mut self.expansion);
        let after = self.space.store().len();
        if after > before {
            self.depth = self.depth.max(depth + 1);
            end_if(self.observer.stored(self.space, before..after))?;
        }
        if let Err(full) = expanded.and_then(|()| self.space.store().is_whole()) {
            self.keep_unfinished();
            return Err(self.limit_of(full));
        }
        self.expanded += 1;
        self.transitions += self.expansion.len() as u64;
        self.skipped = self.skipped.or_else(|| self.space.bound_of(&self.expansion));
        end_if(self.observer.expanded(self.space, number, &self.expansion))?;
        self.tick()?;
        Ok(true)
    }

    /// Visits a state whose steps are known: looks at the bounds.
    #[inline]
    pub fn again(&mut self) -> Result<(), End> {
        self.tick()
    }

    /// Looks at the bounds on memory when tables may have grown, and at the others once in a while.
    #[inline]
    fn tick(&mut self) -> Result<(), End> {
        // Where states are read from elsewhere, much time may pass in few visits.
        let missed = self.space.growth() != self.settled_at || self.space.store().reads() >= self.read_at + READS;
        if missed || self.pace.is_due(self.visits) { self.look() } else { Ok(()) }
    }

    #[cold]
    fn look(&mut self) -> Result<(), End> {
        self.read_at = self.space.store().reads();
        let settled = self.settle();
        let ended = self.pace.ended();
        let is_over = settled.is_err() || ended.is_some();
        if self.position.is_some() && self.pace.control().is_checkpoint_due(is_over) {
            self.save();
        }
        settled?;
        if let Some(limit) = ended {
            return Err(End::Limit(limit));
        }
        if self.pace.is_showing() {
            let states = u64::from(self.space.store().len());
            self.pace.show(Progress {
                states,
                transitions: self.transitions,
                frontier: states.saturating_sub(self.expanded),
                depth: self.depth,
                memory: self.space.bytes(self.own_bytes()),
                seconds: 0.0,
            });
        }
        Ok(())
    }

    /// Keeps a checkpoint from which the visit that found no room is made again: its successors that are stored are found then.
    #[cold]
    fn keep_unfinished(&mut self) {
        let Some(position) = &mut self.position else { return };
        position.next -= 1;
        if self.pace.control().is_checkpoint_due(true) {
            self.save();
        }
    }

    fn settle(&mut self) -> Result<(), End> {
        self.settled_at = self.space.growth();
        let own = self.own_bytes() - self.held;
        self.space.settle(own, self.held).map_err(|full| self.limit_of(full))
    }

    fn own_bytes(&self) -> u64 {
        self.expansion.bytes() + self.frontier_bytes + self.held
    }

    fn limit_of(&self, full: Full) -> End {
        End::Limit(limit_of(self.space, full))
    }
}

/// The bound that something full stands for.
pub fn limit_of<S: StateSpace>(space: &S, full: Full) -> Limit {
    let (kind, value) = match full {
        Full::States => (LimitKind::States, u64::from(space.store().most())),
        Full::Memory => (LimitKind::Memory, space.most_bytes()),
        Full::Work => (LimitKind::Representative, MOST_NODES as u64),
        Full::Disk => (LimitKind::Disk, space.store().spilled().bytes),
        Full::Stopped(signal) => (LimitKind::Interrupt, u64::from(signal.unsigned_abs())),
        Full::Later => unreachable!("only forks put off, and this is none"),
    };
    Limit { kind, value }
}

fn end_if(flow: ControlFlow<()>) -> Result<(), End> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(End::Observer),
    }
}
