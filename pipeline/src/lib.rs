//! The line from text to report as a library: text and options in, a typed report out.
//!
//! ```
//! let text = "type AG : 0..2; proc P(done : BOOL[AG]) = sum a:AG . [!done[a]] finish(a) { done[a] := 1; } -> P; init P(done = 0);";
//! let report = pipeline::check_text("race.lpe", text, &pipeline::Options::default())?;
//! assert_eq!(report.verdict(), checker::Verdict::Violated); // all are done: no step is left
//! assert_eq!(report.states(), 4); // one per number of agents that are done
//! # Ok::<(), pipeline::Failure>(())
//! ```
//!
//! [`line`](mod@line) fixes the order of all stages; [`read`](mod@read) makes models from texts, [`slice`](mod@slice) checks a question on a
//! smaller model, [`detection`] holds the findings of detectors, and [`Language`] lists the requirements of the line on
//! a language ([`actors`], [`process`] and [`murphi`]). Nothing here touches files or terminals.

#![forbid(unsafe_code)]

pub mod actors;
pub mod comparison;
pub mod contest;
pub mod coverage;
pub mod detection;
pub mod explain;
pub mod images;
pub mod language;
pub mod line;
pub mod murphi;
pub mod process;
pub mod read;
pub mod slice;
pub mod stamp;
pub mod starts;
pub mod structural;
mod task;

mod all_runs;
#[cfg(test)]
mod branching_tests;
mod explained;
mod forgetting;
mod found;
mod payoff;
mod stack;
mod text;

pub use images::Images;
pub use language::{Language, State, Trace};
pub use line::{Error, GRACE, Plan, check};
pub use process::{DVE, PNML, PROMELA};
pub use read::{
    AnyModel, LanguageName, Reading, Unread, include, listed, read, read_formulas, read_process_formulas,
    read_properties, read_questions,
};
pub use slice::Slicing;
pub use starts::Starts;
pub use text::{AnyReport, Failure, Options, check_text};
