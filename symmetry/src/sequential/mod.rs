//! Symmetries of sequential models: permutations of the literals of the state, proved on the ground summands.
//!
//! The candidates come from `csp`; a [`ValidatedGroup`] can be made in no other way than by validation. `equivariance` proves candidates
//! from the text of the process, whatever its size. The others are proved on functions of the state: `diagram` holds them, `symbolic`
//! evaluates instances to them, `instances` grounds a process, `check` compares the image of the process under a permutation with the
//! process, `relation` does it for the steps of each label as a set, `group` builds the group of the proved candidates, and `extended` makes it larger where labels and constants allow.
//!
//! Architecture invariant: from `csp` the validator uses only the numbering of literals; it evaluates the semantics independently. `lowered` passes proved symmetries on
//! to the lowering there, from which candidates come.

mod check;
mod diagram;
mod equivariance;
mod extended;
mod group;
mod instances;
mod labels;
mod lowered;
mod names;
mod operation;
mod pairing;
mod rejection;
mod relation;
mod scalar;
mod solved;
mod symbolic;
mod terms;
#[cfg(test)]
mod tests;
mod why;
mod wide;

pub use csp::Literals;
pub use equivariance::{DataSort, NearSymmetry, Obstacle, Obstruction, WrongData, data, keeps_values_of, moves_as_one};
pub use group::{
    Candidate, Kept, Rejected, ValidatedGroup, live_values, proved_by_text, text_keeps_summands, text_proves,
    text_proves_in_any_order,
};
pub use lowered::constraints;
pub use names::{Description, Names};
pub use rejection::Rejection;
pub use scalar::rules;
pub use why::{Finding, family, near, why};
