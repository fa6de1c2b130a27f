//! The reference interpreter: the obvious, unoptimised definition of initial states and successors.
//!
//! This is the only semantics of the project. Every faster implementation is tested against it, and it replays every
//! counterexample. It prefers plain code to fast code: states are vectors of values, a step clones the state, and the
//! choices of a server are enumerated by running its body again with each sequence of decisions.
//!
//! Source: \[Jag10\] Definitions 3 to 6, with the points of `docs/semantics.md`.

pub mod arithmetic;
pub mod trace;

mod describe;
mod evaluate;
mod fault;
mod longest;
mod perform;
mod run;
mod serve;
mod start;
mod state;
mod step;

pub use describe::{describe_fault, describe_limit};
pub use evaluate::{evaluate_in_state, evaluate_remote};
pub use fault::{ExecutionLimit, Fault, FaultClass, FaultKind, Stop};
pub use longest::most_statements;
pub use perform::passes;
pub use serve::{Activation, Effect, Outcome, Served, may_create, outcomes, serve};
pub use start::{MAX_STARTS, Starts, starts};
pub use state::{Heap, Message, Rebec, State};
pub use step::{chosen, deliver, step_results, successors};
pub use trace::{Choice, Start, Step};

/// Bounds that keep each step finite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The greatest number of rebecs of one class that `new` may create; past it the step ends in
    /// [`ExecutionLimit::Rebecs`].
    pub max_rebecs: u32,
    /// The greatest number of statements that one call of a server, method or constructor may execute, without those of
    /// the calls it makes; past it the server faults with [`FaultKind::Endless`].
    pub max_statements: u32,
    /// The greatest number of nested calls of methods and constructors, the server included; past it the server faults
    /// with [`FaultKind::TooDeep`].
    pub max_calls: u32,
    /// The greatest number of statements that all paths through one server may execute together; past it the step ends
    /// in [`ExecutionLimit::Work`].
    pub max_work: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { max_rebecs: 64, max_statements: 100_000, max_calls: 1_000_000, max_work: 50_000_000 }
    }
}

#[cfg(test)]
mod tests;
