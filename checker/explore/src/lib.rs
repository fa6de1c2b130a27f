//! Explicit-state search over any state space.
//!
//! A language gives its states as packed words and its steps as an [`search::StateSpace`]; this crate stores the states exactly
//! ([`states`]), visits them ([`search`], on several threads [`parallel`]), chooses one state per orbit of a group ([`quotient`]),
//! watches for deadlocks, faults and invariants ([`watch`]), and decides formulas of linear ([`temporal`]) and branching
//! temporal logic ([`branching`]).
//! [`run::run`] is one run of all of them: a question in, a report out.
//!
//! # Invariants
//!
//! - The crate knows no language: Cargo shows that it depends on none. Conditions, faults and traces are types of the
//!   space.
//! - Only a finished exact search reports `holds`: states are compared whole, and every limit makes the verdict
//!   inconclusive.
//! - The space's reference semantics replays every counterexample before it is reported.
//! - Numbers of states, of transitions and of the report do not depend on the number of threads.

//! # Example
//!
//! The store of a search: states are packed words, and the first number of a state is kept.
//!
//! ```
//! use explore::states::{NO_PARENT, Store};
//! use explore::tuning::SHIPPED;
//!
//! let mut store: Store = Store::new(8, u64::MAX, &SHIPPED);
//! assert_eq!(store.insert(&[7], NO_PARENT), Ok((0, true)));
//! assert_eq!(store.insert(&[9], 0), Ok((1, true)));
//! assert_eq!(store.insert(&[7], 1), Ok((0, false)));
//! assert_eq!(store.path(1), [0, 1]);
//! ```

#![forbid(unsafe_code)]

pub mod branching;
pub mod checkpoint;
pub mod executions;
pub mod finding;
pub mod graph;
pub mod growth;
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
