//! State graphs, transition by transition, for export.

use std::ops::ControlFlow;

use crate::question::{Limits, SearchOrder};
use crate::report::Limit;
use crate::search::{Clock, Expansion, Observer, StateSpace, explore};

/// Steps of the watch for each word of a state that is decoded: a word holds some elements.
const STEPS: u64 = 16;

/// A transition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The state.
    pub from: u64,
    /// The successor.
    pub to: u64,
}

/// An explored state graph. States are numbered from 0 in breadth-first order.
#[derive(Clone, Debug)]
pub struct Graph<T, E = Edge> {
    /// The states.
    pub states: Vec<T>,
    /// The number of initial states, which come first.
    pub initial: u64,
    /// The transitions of the states that were expanded, in the order of these states, then in that of the steps of the reference semantics
    /// that have a successor. Faulting steps have none.
    pub edges: Vec<E>,
    /// Whether the graph has every reachable state with all its transitions.
    pub complete: bool,
    /// The limit that ended the exploration early, if one did.
    pub limit: Option<Limit>,
}

impl<T, E> Graph<T, E> {
    /// The graph of a space, by the state of each number and the transitions of an expanded state.
    pub fn new<S: StateSpace>(
        space: &mut S,
        limits: &Limits,
        state: impl Fn(&S, u32) -> T,
        edges: fn(&S, u32, &S::Expansion) -> Vec<E>,
    ) -> Graph<T, E> {
        let (mut exporter, mut control) = (Exporter { found: Vec::new(), edges }, ());
        let summary = explore(space, &mut exporter, Clock::new(&mut control), limits, SearchOrder::BreadthFirst);
        let summary = summary.expect("an export resumes no checkpoint");
        let words = space.store().stride() as u64;
        let decoded = |number| {
            limits::work(STEPS * words);
            state(space, number)
        };
        let states: Vec<T> = (0..space.store().len()).map(decoded).collect();
        let initial = u64::from(space.store().initial());
        assert_eq!(states.len() as u64, summary.states, "each state that the search counts is exported");
        assert!(initial <= summary.states, "initial states are states");
        Graph { states, initial, edges: exporter.found, complete: summary.complete, limit: summary.limit }
    }
}

/// The transitions of an expanded state, without what they are steps of.
pub fn edges<S: StateSpace>(_: &S, from: u32, expansion: &S::Expansion) -> Vec<Edge> {
    expansion.successors().map(|to| Edge { from: from.into(), to: to.into() }).collect()
}

/// Collects the transitions of each expanded state.
struct Exporter<S: StateSpace, E> {
    found: Vec<E>,
    edges: fn(&S, u32, &S::Expansion) -> Vec<E>,
}

impl<S: StateSpace, E> Observer<S> for Exporter<S, E> {
    fn expanded(&mut self, space: &S, number: u32, expansion: &S::Expansion) -> ControlFlow<()> {
        self.found.extend((self.edges)(space, number, expansion));
        ControlFlow::Continue(())
    }
}
