//! Text to [`Model`](model::Model): languages, diagnostics, the typed intermediate form, its printer and verifier, and the
//! one reference interpreter.
//!
//! The line through this crate: [`source`] decodes, [`syntax`] parses text to a tree, [`lower`] resolves and types the tree
//! into a [`model`], [`interpret`] defines what the model means. [`sequential`] is the same line for the sequential language.
//! Nothing here reads a file or prints.

#![forbid(unsafe_code)]

pub mod diagnostics;
mod ids;
pub mod interpret;
pub mod lower;
pub mod model;
pub mod sequential;
pub mod source;
pub mod syntax;
