//! Limits of a search: a number of nodes and a callback that may ask it to stop.

/// How much a search may cost. A search that runs out says so; it never guesses.
#[derive(Default)]
pub struct Budget<'a> {
    max_nodes: Option<u64>,
    interrupt: Option<&'a dyn Fn() -> bool>,
    nodes: u64,
    exhausted: bool,
}

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

    /// Stops at the next node once `interrupt` returns true.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: &'a dyn Fn() -> bool) -> Self {
        self.interrupt = Some(interrupt);
        self
    }

    /// Nodes visited so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
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
}
