//! The observer of a search.

use std::ops::{ControlFlow, Range};

use super::space::StateSpace;

/// The observer of a search. Every method may end the search.
pub trait Observer<S: StateSpace> {
    /// A start has no state.
    fn start_failed(&mut self, _: &S, _: &S::FailedStart) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// States were stored.
    fn stored(&mut self, _: &S, _: Range<u32>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A state was expanded.
    fn expanded(&mut self, _: &S, _: u32, _: &S::Expansion) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The findings so far.
    fn found(&self) -> Found {
        Found::default()
    }

    /// Restores the counts of a saved search, after all its findings were found again.
    fn keep(&mut self, deadlocks: u64, faults: bool) {
        let _ = (deadlocks, faults);
    }
}

/// The findings of an observer.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Found {
    /// The states with a finding, ascending (`None`: in a start), and whether it was found by expanding them.
    pub places: Vec<(Option<u32>, bool)>,
    /// The number of deadlocks that were expanded.
    pub deadlocks: u64,
    /// Whether any step or start faults.
    pub faults: bool,
}

/// Observes nothing.
pub struct NoObserver;

impl<S: StateSpace> Observer<S> for NoObserver {}
