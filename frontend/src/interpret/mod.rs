//! The reference interpreter: the obvious, unoptimised definition of initial states and successors.
//!
//! This is the only semantics of the project. Everything faster is tested against it, and every counterexample is replayed
//! by it. It favours the plain over the quick: states are vectors of values, a step clones the state, and the choices of a
//! server are enumerated by running its body again with each sequence of decisions.
//!
//! Source: [Jag10] Definitions 3 to 6, with the points of `docs/semantics.md`.

mod fault;
mod state;

pub use fault::{ExecutionLimit, Fault, FaultClass, FaultKind, Stop};
pub use state::{Heap, Message, Rebec, State};

/// Bounds that keep each step finite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// How many rebecs of one class `new` may make; past it the step ends in [`ExecutionLimit::Rebecs`].
    pub max_rebecs: u32,
    /// How many statements one path through a server may execute; past it the server faults with
    /// [`FaultKind::Endless`].
    pub max_statements: u32,
    /// How many statements all paths through one server may execute together; past it the step ends in
    /// [`ExecutionLimit::Work`].
    pub max_work: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { max_rebecs: 64, max_statements: 100_000, max_work: 50_000_000 }
    }
}
