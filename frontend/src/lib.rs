//! Text to [`Model`](model::Model): languages, diagnostics, the typed intermediate form, its printer and verifier, and the
//! one reference interpreter.
//!
//! The order of the stages: [`source`] decodes, [`syntax`] parses text to a tree, [`lower`] resolves names and types of
//! the tree and makes a [`model`], [`interpret`] defines the meaning of the model. [`sequential`] has the same stages
//! for the sequential language. Nothing here reads a file or prints.

//! # Example
//!
//! ```
//! use frontend::diagnostics::Diagnostics;
//! use frontend::sequential::{Options, interpret, parse};
//!
//! let text = "type AG : 0..2; proc P(done : BOOL[AG]) = sum a:AG . [!done[a]] finish(a) { done[a] := 1; } -> P; init P(done = 0);";
//! let mut diagnostics = Diagnostics::new();
//! let model = parse(text, &Options::default(), &mut diagnostics).model.expect("a process");
//! let start = interpret::initial_states(&model).next().expect("a start");
//! assert_eq!(interpret::successors(&model, &start).len(), 3); // each of the three agents may finish
//! ```

#![forbid(unsafe_code)]

pub mod diagnostics;
pub mod dve;
pub mod execution;
mod ids;
pub mod interpret;
pub mod lower;
pub mod model;
pub mod murphi;
mod operators;
pub mod parts;
pub mod pnml;
pub mod promela;
pub mod sequential;
pub mod source;
pub mod syntax;
mod text;
pub mod unread;
mod walk;
