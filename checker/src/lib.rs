//! The explicit-state checker: a model and a question in, a report out.
//!
//! A search (`search`) visits packed states (`states`) and tells a watch (`watch`) what it finds; both know no language.
//! `parallel` goes on with a wide breadth-first search on several threads, state by state as on one.
//! `actors` is the state space of Rebeca models: vectors of numbers of local states, with steps looked up in tables that
//! the reference interpreter fills. [`sequential`] is that of processes in sequential form: vectors of values, with steps
//! by compiled summands. Counterexamples are replayed by the reference interpreter. [`naive`] explores actor models
//! without any of this.

#![forbid(unsafe_code)]

mod actors;
mod check;
mod checkpoint;
mod memory;
mod parallel;
mod partial_order;
mod question;
mod quotient;
mod reductions;
mod report;
mod search;
mod spill;
mod stacking;
mod states;
mod temporal;
#[cfg(test)]
mod testing;
mod told;
mod unsearched;
mod watch;

#[doc(hidden)]
pub mod kernels;
pub mod naive;
pub mod sequential;

pub use actors::{Edge, Explored, explore_graph};
pub use check::{check, check_reduced, violating};
pub use checkpoint::Damaged;
pub use question::{Emptiness, Fairness, Limits, Question, SearchOrder, Threads};
pub use reductions::{GeneratorNames, GroupNames, GroupUsed, Orbits, Quotient, Reduction, Reductions, Representative};
pub use report::{
    Answer, AskedKind, Control, InternalError, Limit, LimitKind, Progress, Report, Run, Unsaved, Unwatched, Verdict,
};
pub use search::limit_of_stop;
pub use spill::{SpillFile, Spilled, Spilling};
pub use stacking::{unfair_quotient, unfair_quotient_of_process};
