//! The state graph of a process, transition by transition, for export.

use std::ops::ControlFlow;

use frontend::sequential::Sequential;
use frontend::sequential::interpret::State;

use super::space::{Expansion, Space};
use explore::question::{Limits, SearchOrder};
use explore::report::{Control, Limit};
use explore::search::{Clock, Expansion as _, Observer, StateSpace, Summary, explore};

/// A transition: one enabled instance of a summand in a state. States are numbered from 0 in breadth-first order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The state.
    pub from: u64,
    /// The successor.
    pub to: u64,
}

/// An explored state graph.
#[derive(Debug)]
pub struct Explored<'m> {
    space: Space<'m>,
    summary: Summary,
}

/// Explores a verified process breadth first and hands out every transition: those of a state in the order of the
/// steps of the reference semantics that have a successor. Faulting steps have none.
pub fn explore_graph<'m>(
    model: &'m Sequential,
    limits: &Limits,
    control: &mut dyn Control,
    sink: &mut dyn FnMut(Edge),
) -> Explored<'m> {
    let mut space = Space::new(model, limits.max_states, limits.max_memory);
    let clock = Clock::new(control);
    let summary = explore(&mut space, &mut Exporter { sink }, clock, limits, SearchOrder::BreadthFirst);
    let summary = summary.expect("an export resumes no checkpoint");
    Explored { space, summary }
}

impl Explored<'_> {
    /// The number of states.
    pub fn states(&self) -> u64 {
        u64::from(self.space.store().len())
    }

    /// The number of initial states, which come first.
    pub fn initial_states(&self) -> u64 {
        u64::from(self.space.store().initial())
    }

    /// The number of transitions that were handed out.
    pub fn transitions(&self) -> u64 {
        self.summary.transitions
    }

    /// Whether the graph has every reachable state with all its transitions.
    pub fn is_complete(&self) -> bool {
        self.summary.complete
    }

    /// The limit that ended the exploration early, if one did.
    pub fn limit(&self) -> Option<Limit> {
        self.summary.limit
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
    fn expanded(&mut self, _: &Space<'m>, number: u32, expansion: &Expansion) -> ControlFlow<()> {
        for to in expansion.successors() {
            (self.sink)(Edge { from: u64::from(number), to: u64::from(to) });
        }
        ControlFlow::Continue(())
    }
}
