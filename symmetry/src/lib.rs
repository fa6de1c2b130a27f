//! Symmetries of Rebeca models: detectors propose candidates, the validator proves them.
//!
//! ```text
//! Model -> ColouredGraph -> candidates -> ValidatedGroup
//! ```
//!
//! A candidate is a [`ModelPermutation`]: images of the rebecs of `main` and, for each rebec, a rotation of each scalar set or, where
//! rotations do not suffice, places of its variables and images of their values. [`detect`] finds candidates as automorphisms of coloured
//! graphs. [`validate`](mod@validate) proves each of them on the model, without a graph. A [`ValidatedGroup`] can be made in no other
//! way, and is cut to the stabiliser of the given properties.
//!
//! Architecture invariant: `validate` and `group` import nothing of `detect`.

//! # Example
//!
//! ```
//! use frontend::diagnostics::Diagnostics;
//! use frontend::sequential::{Options, parse};
//! use symmetry::sequential::ValidatedGroup;
//!
//! let text = "type AG : 0..2; proc P(done : BOOL[AG]) = sum a:AG . [!done[a]] finish(a) { done[a] := 1; } -> P; init P(done = 0);";
//! let model = parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a process");
//! let found = csp::detect_graph(&model, &[]).expect("small enough");
//! let group = ValidatedGroup::new(&model, &[], found.generators); // each generator is proved on the model
//! assert_eq!((group.order().to_string(), group.is_exact()), ("6".to_owned(), true));
//! ```

#![forbid(unsafe_code)]

pub mod classify;
pub mod detect;
pub mod group;
pub mod murphi;
pub mod permutation;
pub mod property;
pub mod sequential;
pub mod strategy;
pub mod validate;

mod cubes;
mod ground;
mod topology;

pub use classify::{Kind, Rule, kind, rules};
pub use detect::Proposal;
pub use group::{Fingerprint, Rejected, ValidatedGroup};
pub use permutation::{ModelPermutation, NotAPermutation, Points};
pub use strategy::Strategy;
pub use validate::{Certificate, Prover, Rejection, Validator};

#[cfg(test)]
mod tests;
