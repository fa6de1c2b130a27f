//! Symmetries of models of Murphi: values of a range, enumeration or scalar set that are exchanged wherever they are used as
//! the same kind of name.
//!
//! ```text
//! Program -> uses -> blocks of values -> equivariance -> ValidatedGroup
//! ```
//!
//! [`uses`](mod@uses) proposes, from the text and in time near-linear in it; [`equivariance`] proves each block from the
//! text by a walk of its own. The result lists the parts that the proof leaves to the searches: the loops and quantifiers whose order they
//! watch. [`exchange`] adds exchanges of names: variables and members that the text tells apart, but may call otherwise. Every proved block is also tried by the reference interpreter.
//!
//! # Example
//!
//! ```
//! use frontend::diagnostics::Diagnostics;
//! use frontend::murphi::{Options, parse};
//! use symmetry::murphi::ValidatedGroup;
//!
//! let text = "type node: 1 .. 3; var has: array [node] of boolean;
//!     startstate begin for n: node do has[n] := false; end; end;
//!     ruleset n: node do rule !has[n] ==> begin has[n] := true; end; end;";
//! let program = parse(text, &Options::default(), &mut Diagnostics::new()).program.expect("a model");
//! let group = ValidatedGroup::of(&program, &[], false);
//! assert_eq!(group.order().to_string(), "6");
//! ```

mod access;
pub mod action;
mod agreement;
mod collect;
pub mod data;
mod defined;
pub mod equivariance;
pub mod exchange;
mod faults;
mod group;
pub mod keeping;
mod literals;
mod names;
pub mod obstacle;
pub mod order;
mod points;
mod ring;
pub mod roles;
mod slots;
pub mod starts;
mod tries;
pub mod uses;
mod walk;
mod why;

pub use agreement::agrees;
pub use exchange::{Exchange, Moved};
pub use group::{Candidates, ProvedBlock, ValidatedGroup};
pub use literals::{Motion, OnLiterals, motions, on_literals};
pub use obstacle::{Obstacle, Reason};
pub use uses::Block;
pub use why::{Finding, NearSymmetry, near, why};

#[cfg(test)]
mod tests;
