//! Limits of one computation that are the same on every machine: nodes of a search tree, elementary steps, and the size of chains of
//! stabilisers.
//!
//! A search visits nodes; computations with groups spend steps (about one read or write each). The watch of the thread counts both, and
//! unwinds when time, memory or a signal stops the computation.

use std::fmt;

/// The cost of a node in addition to its refinement, in steps.
const NODE: u64 = 64;

/// The limit of the cost of a computation. A computation that exceeds it reports this; it never guesses.
#[derive(Default)]
pub struct Budget {
    max_nodes: Option<u64>,
    max_steps: Option<u64>,
    max_chain: Option<usize>,
    nodes: u64,
    steps: u64,
    exhausted: bool,
}

/// The error of a computation that its [`Budget`] cut off; its result is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetExhausted;

impl fmt::Display for BudgetExhausted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the budget of the computation is exhausted")
    }
}

impl std::error::Error for BudgetExhausted {}

impl Budget {
    /// No limit.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Limits the computation to `nodes` nodes of the search tree.
    #[must_use]
    pub fn with_max_nodes(mut self, nodes: u64) -> Self {
        self.max_nodes = Some(nodes);
        self
    }

    /// Limits the computation to `steps` elementary steps with groups. The same computation always takes the same number.
    #[must_use]
    pub fn with_max_steps(mut self, steps: u64) -> Self {
        self.max_steps = Some(steps);
        self
    }

    /// Limits each chain of stabilisers to base points whose orbits have `points` points together.
    #[must_use]
    pub fn with_max_chain(mut self, points: usize) -> Self {
        self.max_chain = Some(points);
        self
    }

    /// A budget of at most `steps` of the remaining steps; [`Budget::settle`] takes its steps.
    pub(crate) fn share(&self, steps: u64) -> Self {
        let left = self.max_steps.map_or(u64::MAX, |limit| limit.saturating_sub(self.steps));
        let max_steps = Some(steps.min(left));
        Self { max_steps, max_chain: self.max_chain, exhausted: self.exhausted, ..Self::default() }
    }

    /// Counts the steps of a share.
    pub(crate) fn settle(&mut self, share: &Self) {
        self.steps = self.steps.saturating_add(share.steps);
    }

    /// Nodes visited so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Steps taken so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether a limit was reached.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Counts a node; `false` when the search must stop.
    pub(crate) fn visit(&mut self) -> bool {
        if self.exhausted {
            return false;
        }
        limits::work(NODE);
        if self.max_nodes.is_some_and(|limit| self.nodes >= limit) {
            self.exhausted = true;
            return false;
        }
        self.nodes += 1;
        true
    }

    /// Counts steps.
    ///
    /// # Errors
    ///
    /// When the computation must stop.
    pub(crate) fn spend(&mut self, steps: usize) -> Result<(), BudgetExhausted> {
        self.steps = self.steps.saturating_add(steps as u64);
        limits::work(steps as u64);
        self.exhausted |= self.max_steps.is_some_and(|limit| self.steps > limit);
        if self.exhausted { Err(BudgetExhausted) } else { Ok(()) }
    }

    /// Admits a chain whose orbits have `points` points together.
    ///
    /// # Errors
    ///
    /// When that is more than the limit.
    pub(crate) fn admit(&mut self, points: usize) -> Result<(), BudgetExhausted> {
        self.exhausted |= self.max_chain.is_some_and(|limit| points > limit);
        if self.exhausted { Err(BudgetExhausted) } else { Ok(()) }
    }
}

/// The result of a computation without limits.
pub(crate) fn unlimited<T>(compute: impl FnOnce(&mut Budget) -> Result<T, BudgetExhausted>) -> T {
    compute(&mut Budget::unlimited()).expect("no limit")
}
