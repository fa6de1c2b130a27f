//! The state graph of a model, for export.

use explore::branching::Edges;
use explore::question::{Limits, SearchOrder};
use explore::report::Limit;
use explore::search::{Clock, NoObserver, explore};
use frontend::murphi::interpret::{Deadlock, State};
use frontend::murphi::program::Program;

use super::space::Space;

/// An explored state graph. States are numbered from 0 in breadth-first order, initial ones first.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The states.
    pub states: Vec<State>,
    /// The number of initial states.
    pub initial: u64,
    /// The targets of each state, in the order of the steps of the reference semantics that have a successor.
    pub targets: Vec<Vec<u32>>,
}

/// Explores a model breadth first.
///
/// # Errors
/// The limit that ended the exploration, if it is known.
pub fn explore_graph(program: &Program, limits: &Limits) -> Result<Graph, Option<Limit>> {
    let mut space = Space::new(program, None, Deadlock::Stuttering, limits);
    space.edges = Some(Edges::new());
    let clock = &mut ();
    let summary = explore(&mut space, &mut NoObserver, Clock::new(clock), limits, SearchOrder::BreadthFirst);
    let summary = summary.expect("an export goes on from no checkpoint");
    if !summary.complete {
        return Err(summary.limit);
    }
    let edges = space.edges.as_ref().expect("the steps are kept");
    assert!(edges.is_whole(), "a complete search expands every state");
    let count = space.store.len();
    Ok(Graph {
        states: (0..count).map(|number| space.state(number)).collect(),
        initial: u64::from(space.store.initial()),
        targets: (0..count as usize).map(|state| edges.of(state).to_vec()).collect(),
    })
}
