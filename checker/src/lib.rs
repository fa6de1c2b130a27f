//! The explicit-state checker: a model and a question in, a report out.
//!
//! A state is a vector of numbers of local states, packed into bits (`states`). A step is looked up in tables that the
//! reference interpreter fills; a search (`search`) visits packed states and tells a watch (`watch`) what it finds;
//! counterexamples are replayed by the reference interpreter. [`naive`] does the same without any of this.

#![forbid(unsafe_code)]

mod check;
mod graph;
mod memory;
mod question;
mod report;
mod search;
mod states;
#[cfg(test)]
mod testing;
mod watch;

pub mod naive;

pub use check::check;
pub use graph::{Edge, Explored, explore_graph};
pub use question::{Limits, Question, SearchOrder};
pub use report::{Answer, AskedKind, Control, InternalError, Limit, LimitKind, Progress, Report, Unwatched, Verdict};
