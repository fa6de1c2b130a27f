//! Text to [`Model`](model::Model): languages, diagnostics, the typed intermediate form, its printer and verifier, and the
//! one reference interpreter.
//!
//! The order of the stages: [`source`] decodes, [`syntax`] parses text to a tree, [`lower`] resolves names and types of
//! the tree and makes a [`model`], [`interpret`] defines the meaning of the model. [`sequential`] has the same stages
//! for the sequential language. Nothing here reads a file or prints.

#![forbid(unsafe_code)]

pub mod diagnostics;
mod ids;
pub mod interpret;
pub mod lower;
pub mod model;
pub mod sequential;
pub mod source;
pub mod syntax;
