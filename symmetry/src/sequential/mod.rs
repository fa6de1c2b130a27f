//! Symmetries of sequential models: permutations of the literals of the state, proved on the ground summands.
//!
//! The candidates come from `csp`; a [`ValidatedGroup`] can be made in no other way than by validation. `diagram` holds functions
//! of the state, `symbolic` evaluates instances to them, `instances` grounds a process, `check` compares what a permutation makes
//! of it with what it is, `parametric` does this for summands with many instances at once, `group` puts the proved ones together.
//!
//! Architecture invariant: of `csp` only the numbering of literals is used, and what is told of parameters, which is checked; the
//! semantics is evaluated anew.

mod check;
mod diagram;
mod group;
mod instances;
mod labels;
mod names;
mod pairing;
mod parametric;
mod rejection;
mod scalar;
mod solved;
mod symbolic;
mod terms;
#[cfg(test)]
mod tests;
mod wide;

pub use group::{Rejected, ValidatedGroup};
pub use names::{Description, Names};
pub use rejection::Rejection;
pub use scalar::rules;
