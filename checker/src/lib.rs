//! The explicit-state checker: a model and a question in, a report out.
//!
//! The search itself knows no language and is a separate crate, [`explore`]. `actors` is the state space of Rebeca
//! models: vectors of numbers of local states, with steps looked up in tables that the reference interpreter fills.
//! [`sequential`] is that of processes in sequential form: vectors of values, with steps by compiled summands;
//! [`murphi`] that of models of Murphi, with steps by their reference interpreter. The
//! reference interpreter replays counterexamples. [`naive`] explores actor models without any of this.

//! # Example
//!
//! ```
//! use checker::{Question, Verdict, sequential::check};
//! use frontend::diagnostics::Diagnostics;
//! use frontend::sequential::{Options, parse};
//!
//! let text = "type AG : 0..2; proc P(done : BOOL[AG]) = sum a:AG . [!done[a]] finish(a) { done[a] := 1; } -> P; init P(done = 0);";
//! let model = parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a process");
//! let report = check(&model, &Question { keep_going: true, ..Question::default() }, &mut ())?;
//! assert_eq!((report.verdict, report.states, report.deadlock_states), (Verdict::Violated, 8, Some(1)));
//! # Ok::<(), checker::InternalError>(())
//! ```

#![forbid(unsafe_code)]

mod actors;
mod check;
mod checkpoint;
mod confirmed;
mod partial_order;
mod patch;
mod question;
mod stacking;
mod stubborn;
#[cfg(test)]
mod tests;
mod trial;

#[doc(hidden)]
pub mod kernels;
pub mod murphi;
pub mod naive;
pub mod nets;
pub mod sequential;
mod tuning;

pub use actors::{Edge, explore_graph};
pub use check::{check, check_reduced, violating};
pub use explore::checkpoint::Damaged;
pub use explore::finding::{Finding, Open, Place, RunEnd};
pub use explore::graph::Graph;
pub use explore::growth::Growing;
pub use explore::question::{Emptiness, Fairness, Limits, SearchOrder, Threads};
pub use explore::reductions::{
    AtImages, GeneratorNames, GroupNames, GroupUsed, NetSize, Orbits, Outcome, Reduction, ReductionKind, Refinement,
    RefinementEnd, Refusal, Representative, SliceEffect, StructuralEffect, StructuralRules,
};
pub use explore::report::{
    Branch, Control, DataUse, Explanation, InternalError, Limit, LimitKind, Note, Progress, QueryKind, Run, Unsaved,
    Unwatched, Verdict,
};
pub use explore::search::limit_of_stop;
pub use explore::spill::{SpillFile, Spilled, Spilling};
pub use explore::temporal::ViolatingRuns;
pub use explore::unsearched::stopped_report;
pub use explore::watch::FaultText;
pub use question::{Answer, Question, Quotient, Reductions, Report};
pub use stacking::{unfair_quotient, unfair_quotient_of_process};
