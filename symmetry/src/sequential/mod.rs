//! Symmetries of sequential models: permutations of the literals of the state, proved on the ground summands.
//!
//! The candidates come from `csp`; a [`ValidatedGroup`] can be made in no other way than by validation.

mod group;

pub use group::{Rejected, Rejection, ValidatedGroup};
