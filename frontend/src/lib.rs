//! Text to [`Model`](model::Model): languages, diagnostics, the typed intermediate form, its printer and verifier, and the
//! one reference interpreter.
//!
//! The line through this crate: [`source`] decodes, [`syntax`] parses text to a tree, [`lower`] resolves and types the tree
//! into a [`model`], [`interpret`] defines what the model means. [`sequential`] is the same line for the sequential language.
//! Nothing here reads a file or prints.

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
mod ids;
pub mod interpret;
pub mod lower;
pub mod model;
pub mod sequential;
pub mod source;
pub mod syntax;
