//! The state graph, transition by transition, for export.

use explore::graph::Graph;
use explore::question::Limits;
use frontend::interpret::{Bounds, State};
use frontend::model::{Model, RebecId, ServerId};

use super::expand::Expansion;
use super::space::Space;

/// A transition: one (rebec, distinct successor) of a state.
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

/// Explores a verified model breadth first: the transitions of a state are in the order of the rebec, then of the successor.
pub fn explore_graph(model: &Model, bounds: &Bounds, limits: &Limits) -> Graph<State, Edge> {
    let mut space = Space::new(model, bounds, limits.max_states, limits.max_memory);
    Graph::new(&mut space, limits, Space::state, edges)
}

fn edges(space: &Space<'_>, from: u32, expansion: &Expansion) -> Vec<Edge> {
    let words = space.store.state(from);
    let edge = |&(slot, to): &(u32, u32)| {
        let slot = slot as usize;
        let message = space.tables.oldest(slot, space.get(&words, slot)).expect("a rebec that moves has a message");
        Edge { from: from.into(), rebec: RebecId::from_index(slot), server: message.server, to: to.into() }
    };
    expansion.successors.iter().map(edge).collect()
}
