//! The state graph, transition by transition, for export.

use std::ops::ControlFlow;

use frontend::interpret::{Bounds, State};
use frontend::model::{Model, RebecId, ServerId};

use super::expand::Expansion;
use super::space::Space;
use explore::question::{Limits, SearchOrder};
use explore::report::{Control, Limit};
use explore::search::{Clock, Observer, Summary, explore};

/// A transition: one (rebec, distinct successor) of a state. States are numbered from 0 in breadth-first order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The state.
    pub from: u64,
    /// The rebec that serves.
    pub rebec: RebecId,
    /// The server it runs.
    pub server: ServerId,
    /// The successor.
    pub to: u64,
}

/// An explored state graph.
#[derive(Debug)]
pub struct Explored<'m> {
    space: Space<'m>,
    initial: u64,
    transitions: u64,
    complete: bool,
    limit: Option<Limit>,
}

/// Explores a verified model breadth first and hands out every transition, in the order of its source state, then of
/// the rebec, then of the successor. Faulting steps have none.
pub fn explore_graph<'m>(
    model: &'m Model,
    bounds: &Bounds,
    limits: &Limits,
    control: &mut dyn Control,
    sink: &mut dyn FnMut(Edge),
) -> Explored<'m> {
    let mut space = Space::new(model, bounds, limits.max_states, limits.max_memory);
    let clock = Clock::new(control);
    let summary = explore(&mut space, &mut Exporter { sink }, clock, limits, SearchOrder::BreadthFirst);
    let summary = summary.expect("an export resumes no checkpoint");
    let initial = u64::from(space.store.initial());
    let Summary { complete, limit, transitions, .. } = summary;
    Explored { space, initial, transitions, complete, limit }
}

impl Explored<'_> {
    /// The number of states.
    pub fn states(&self) -> u64 {
        u64::from(self.space.store.len())
    }

    /// The number of initial states, which come first.
    pub fn initial_states(&self) -> u64 {
        self.initial
    }

    /// The number of transitions that were handed out.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// Whether the graph has every reachable state with all its transitions.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The limit that ended the exploration early, if one did.
    pub fn limit(&self) -> Option<Limit> {
        self.limit
    }

    /// A state.
    ///
    /// # Panics
    /// If there is no state of this number.
    pub fn state(&self, number: u64) -> State {
        self.space.state(u32::try_from(number).expect("a number of a state"))
    }
}

/// Hands out the transitions of each expanded state.
struct Exporter<'a> {
    sink: &'a mut dyn FnMut(Edge),
}

impl<'m> Observer<Space<'m>> for Exporter<'_> {
    fn expanded(&mut self, space: &Space<'m>, number: u32, expansion: &Expansion) -> ControlFlow<()> {
        let words = space.store.state(number);
        for &(slot, to) in &expansion.successors {
            let slot = slot as usize;
            let message = space.tables.oldest(slot, space.get(&words, slot)).expect("a rebec that moves has a message");
            (self.sink)(Edge {
                from: u64::from(number),
                rebec: RebecId::from_index(slot),
                server: message.server,
                to: u64::from(to),
            });
        }
        ControlFlow::Continue(())
    }
}
