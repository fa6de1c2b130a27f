//! Limits of a computation: nodes of a search tree, elementary steps, and a callback that may ask it to stop.
//!
//! A search visits nodes; computations with groups spend steps (about one read or write each). The callback is
//! consulted at every node, and after every [`STEPS_PER_CONSULTATION`] steps.

use std::fmt;

/// Steps between two consultations of the callback, at most: well below a millisecond.
const STEPS_PER_CONSULTATION: u64 = 1 << 16;

/// How much a computation may cost. A computation that runs out says so; it never guesses.
#[derive(Default)]
pub struct Budget<'a> {
    max_nodes: Option<u64>,
    max_steps: Option<u64>,
    interrupt: Option<&'a dyn Fn() -> bool>,
    nodes: u64,
    steps: u64,
    next_consultation: u64,
    exhausted: bool,
}

/// A computation was cut off by its [`Budget`]; nothing is known of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetExhausted;

impl fmt::Display for BudgetExhausted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the budget of the computation is exhausted")
    }
}

impl std::error::Error for BudgetExhausted {}

impl<'a> Budget<'a> {
    /// No limit.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// At most `nodes` nodes of the search tree.
    #[must_use]
    pub fn with_max_nodes(mut self, nodes: u64) -> Self {
        self.max_nodes = Some(nodes);
        self
    }

    /// At most `steps` elementary steps of computations with groups. The same computation always takes the same number.
    #[must_use]
    pub fn with_max_steps(mut self, steps: u64) -> Self {
        self.max_steps = Some(steps);
        self
    }

    /// Stops at the next consultation once `interrupt` returns true.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: &'a dyn Fn() -> bool) -> Self {
        self.interrupt = Some(interrupt);
        self
    }

    /// A budget with the callback of this one and at most `steps` of the steps that are left; its steps go to
    /// [`Budget::settle`].
    pub(crate) fn share(&self, steps: u64) -> Self {
        let left = self.max_steps.map_or(u64::MAX, |limit| limit.saturating_sub(self.steps));
        let max_steps = Some(steps.min(left));
        Self { interrupt: self.interrupt, max_steps, exhausted: self.exhausted, ..Self::default() }
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

    /// Whether a limit was met.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Counts a node; `false` when the search must stop.
    pub(crate) fn visit(&mut self) -> bool {
        if self.exhausted {
            return false;
        }
        if self.max_nodes.is_some_and(|limit| self.nodes >= limit) || self.interrupt.is_some_and(|stop| stop()) {
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
        if self.steps >= self.next_consultation {
            self.next_consultation = self.steps.saturating_add(STEPS_PER_CONSULTATION);
            self.exhausted |= self.interrupt.is_some_and(|stop| stop());
        }
        self.exhausted |= self.max_steps.is_some_and(|limit| self.steps > limit);
        if self.exhausted { Err(BudgetExhausted) } else { Ok(()) }
    }
}

/// The result of a computation without limits.
pub(crate) fn unlimited<T>(compute: impl FnOnce(&mut Budget<'_>) -> Result<T, BudgetExhausted>) -> T {
    compute(&mut Budget::unlimited()).expect("no limit")
}
