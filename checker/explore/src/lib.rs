//! Explicit-state search over any state space.
//!
//! A language gives its states as packed words and its steps as an [`search::StateSpace`]; this crate stores the states exactly
//! ([`states`]), visits them ([`search`], on several threads [`parallel`]), chooses one state per orbit of a group ([`quotient`]),
//! watches for deadlocks, faults and invariants ([`watch`]), and decides formulas of linear temporal logic ([`temporal`]).
//! [`run::run`] is one run of all of them: a question in, a report out.
//!
//! # Invariants
//!
//! - No language is known here: Cargo shows that the crate depends on none. Conditions, faults and traces are types of the space.
//! - `holds` is said of a finished exact search only: states are compared whole, and every limit makes the verdict inconclusive.
//! - Counterexamples are replayed by the space's reference semantics before they are reported.
//! - Numbers of states, of transitions and of the report do not depend on the number of threads.

#![forbid(unsafe_code)]

pub mod checkpoint;
pub mod memory;
pub mod parallel;
pub mod plan;
pub mod question;
pub mod quotient;
pub mod reductions;
pub mod report;
pub mod run;
pub mod search;
pub mod spill;
pub mod states;
pub mod temporal;
pub mod tuning;
pub mod unsearched;
pub mod watch;
