//! What is asked of a model, and how far the search may go.

use std::time::Duration;

use frontend::interpret::Bounds;
use frontend::model::PropertySet;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// Report states in which no rebec has a message.
    pub deadlock: bool,
    /// Report queue overflow.
    pub overflow: bool,
    /// Report failed `assertion(..)`.
    pub assertions: bool,
    /// Report every other run-time fault.
    pub faults: bool,
    /// The invariants and formulas asked.
    pub properties: PropertySet,
    /// Explore everything instead of stopping at the first violation.
    pub keep_going: bool,
    /// The order of exploration.
    pub order: SearchOrder,
    /// Bounds on the search.
    pub limits: Limits,
    /// Bounds on each step.
    pub bounds: Bounds,
}

impl Default for Question {
    fn default() -> Question {
        Question {
            deadlock: true,
            overflow: true,
            assertions: true,
            faults: true,
            properties: PropertySet::default(),
            keep_going: false,
            order: SearchOrder::BreadthFirst,
            limits: Limits::default(),
            bounds: Bounds::default(),
        }
    }
}

/// The order of exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchOrder {
    /// Level by level: counterexamples are shortest.
    BreadthFirst,
    /// Along one path first.
    DepthFirst,
}

/// Bounds on the search; `None` is unbounded. A bound that ends the search makes the verdict inconclusive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// States stored.
    pub max_states: Option<u64>,
    /// Steps from an initial state.
    pub max_depth: Option<u64>,
    /// Bytes of memory of the search.
    pub max_memory: Option<u64>,
    /// Wall-clock time.
    pub timeout: Option<Duration>,
}
