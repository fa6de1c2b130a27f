//! Searching: one loop body for every order of exploration, and the bounds that end a search.
//!
//! A search stores the initial states, then visits stored states in an order of its own ([`breadth_first`],
//! [`depth_first`]). A visit expands one state, tells the observer what was found, and looks at the bounds. An observer
//! may end the search.

mod breadth_first;
mod depth_first;
mod expand;
mod pace;

use std::ops::{ControlFlow, Range};

use frontend::interpret::{ExecutionLimit, Start, Stop, starts};
use frontend::model::RebecId;

pub(crate) use expand::Expansion;
pub(crate) use pace::Pace;

use crate::memory::Full;
use crate::question::{Limits, SearchOrder};
use crate::report::{Limit, LimitKind, Progress};
use crate::states::{NO_PARENT, Space};

/// Who looks at what a search finds. Every method may end the search.
pub(crate) trait Observer {
    /// A constructor faults: there is no initial state here.
    fn start_stopped(&mut self, space: &Space<'_>, rebec: RebecId, stop: &Stop) -> ControlFlow<()>;

    /// States were stored.
    fn stored(&mut self, space: &Space<'_>, numbers: Range<u32>) -> ControlFlow<()>;

    /// A state was expanded.
    fn expanded(&mut self, space: &Space<'_>, number: u32, expansion: &Expansion) -> ControlFlow<()>;
}

/// Why a search ended before every stored state was expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// The observer has seen enough.
    Observer,
    /// A bound.
    Limit(Limit),
}

/// What a search did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Summary {
    /// Whether every reachable state was stored and expanded.
    pub(crate) complete: bool,
    /// The first bound that kept it from that.
    pub(crate) limit: Option<Limit>,
    /// Pairs (rebec, distinct successor) of the expanded states.
    pub(crate) transitions: u64,
    /// The greatest depth of a stored state, or the longest path of a depth-first search.
    pub(crate) depth: u64,
}

/// A running search.
pub(crate) struct Search<'s, 'm, O> {
    space: &'s mut Space<'m>,
    observer: &'s mut O,
    pace: Pace<'s>,
    limits: &'s Limits,
    expansion: Expansion,
    transitions: u64,
    expanded: u64,
    depth: u64,
    /// The first bound that left something out without ending the search.
    skipped: Option<Limit>,
    settled_at: u64,
    /// Bytes that the order of exploration holds.
    frontier_bytes: u64,
}

/// Explores a space.
pub(crate) fn explore<'s, O: Observer>(
    space: &'s mut Space<'_>,
    observer: &'s mut O,
    pace: Pace<'s>,
    limits: &'s Limits,
    order: SearchOrder,
) -> Summary {
    let mut search = Search {
        space,
        observer,
        pace,
        limits,
        expansion: Expansion::default(),
        transitions: 0,
        expanded: 0,
        depth: 0,
        skipped: None,
        settled_at: 0,
        frontier_bytes: 0,
    };
    let run = search.start().and_then(|()| match order {
        SearchOrder::BreadthFirst => breadth_first::run(&mut search),
        SearchOrder::DepthFirst => depth_first::run(&mut search),
    });
    let ended_by = match run {
        Err(End::Limit(limit)) => Some(limit),
        Ok(()) | Err(End::Observer) => None,
    };
    Summary {
        complete: run.is_ok() && search.skipped.is_none(),
        limit: ended_by.or(search.skipped),
        transitions: search.transitions,
        depth: search.depth,
    }
}

impl<O: Observer> Search<'_, '_, O> {
    /// Stores the initial states.
    fn start(&mut self) -> Result<(), End> {
        self.settle()?;
        let (model, bounds) = (self.space.model(), *self.space.bounds());
        for Start { result, .. } in starts(model, &bounds) {
            match result {
                Ok(state) => {
                    let (number, is_new) =
                        self.space.insert_initial(&state, NO_PARENT).map_err(|full| self.limit_of(full))?;
                    if is_new {
                        self.settle()?;
                        end_if(self.observer.stored(self.space, number..number + 1))?;
                    }
                }
                Err((rebec, stop)) => {
                    self.note(&stop);
                    end_if(self.observer.start_stopped(self.space, rebec, &stop))?;
                }
            }
            self.tick()?;
        }
        Ok(())
    }

    /// Visits a state at a depth: expands it unless the depth is the limit. Its successors are in `expansion.successors`
    /// afterwards.
    #[inline]
    fn visit(&mut self, number: u32, depth: u64) -> Result<(), End> {
        if self.limits.max_depth.is_some_and(|most| depth >= most) && !self.space.is_deadlock(number) {
            self.expansion.successors.clear();
            self.skipped = self.skipped.or(Some(Limit { kind: LimitKind::Depth, value: depth }));
            return Ok(());
        }
        let before = self.space.store.len();
        let expanded = self.expansion.expand(self.space, number);
        let after = self.space.store.len();
        if after > before {
            self.depth = self.depth.max(depth + 1);
            end_if(self.observer.stored(self.space, before..after))?;
        }
        expanded.map_err(|full| self.limit_of(full))?;
        self.expanded += 1;
        self.transitions += self.expansion.successors.len() as u64;
        for at in 0..self.expansion.stopped.len() {
            let stop = self.expansion.stopped[at].stop(self.space);
            self.note(&stop);
        }
        end_if(self.observer.expanded(self.space, number, &self.expansion))?;
        self.tick()
    }

    /// Remembers a bound of the tool that ended a step.
    fn note(&mut self, stop: &Stop) {
        let Stop::Limit(limit) = stop else { return };
        let bounds = self.space.bounds();
        let limit = match limit {
            ExecutionLimit::Rebecs(_) => Limit { kind: LimitKind::Rebecs, value: u64::from(bounds.max_rebecs) },
            ExecutionLimit::Work => Limit { kind: LimitKind::Work, value: bounds.max_work },
        };
        self.skipped = self.skipped.or(Some(limit));
    }

    /// Looks at the bounds on memory when tables may have grown, and at the others once in a while.
    #[inline]
    fn tick(&mut self) -> Result<(), End> {
        let missed = self.space.tables.misses() != self.settled_at;
        if missed || self.pace.is_due() { self.look() } else { Ok(()) }
    }

    #[cold]
    fn look(&mut self) -> Result<(), End> {
        self.settle()?;
        if let Some(limit) = self.pace.ended() {
            return Err(End::Limit(limit));
        }
        if self.pace.is_showing() {
            let states = u64::from(self.space.store.len());
            self.pace.show(Progress {
                states,
                transitions: self.transitions,
                frontier: states - self.expanded,
                depth: self.depth,
                memory: self.space.bytes(self.own_bytes()),
                seconds: 0.0,
            });
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<(), End> {
        self.settled_at = self.space.tables.misses();
        let own = self.own_bytes();
        self.space.settle(own).map_err(|full| self.limit_of(full))
    }

    fn own_bytes(&self) -> u64 {
        self.expansion.bytes() + self.frontier_bytes
    }

    fn limit_of(&self, full: Full) -> End {
        End::Limit(match full {
            Full::States => Limit { kind: LimitKind::States, value: u64::from(self.space.store.most()) },
            Full::Memory => Limit { kind: LimitKind::Memory, value: self.space.most_bytes() },
        })
    }
}

fn end_if(flow: ControlFlow<()>) -> Result<(), End> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(End::Observer),
    }
}
