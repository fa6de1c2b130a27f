//! Automata in the HOA format, version 1: read ([`parse`]) and written ([`print()`]).
//!
//! What is read is a Buchi automaton, plain or generalised, with acceptance on states or on edges and labels over named
//! propositions; everything else that the format can say gets a diagnostic. What the propositions mean is up to the language
//! of the model.
//!
//! Source: the format is \[HOA15\]'s.

mod label;
mod read;
mod token;
mod write;

#[cfg(test)]
mod tests;

pub use read::parse;
pub use write::print;

use crate::model::Automaton;
use crate::source::Span;

/// An automaton with its names.
#[derive(Clone, Default, Debug)]
pub struct Hoa {
    /// The `name:`, if there is one.
    pub name: Option<(String, Span)>,
    /// The names of the propositions, in order.
    pub propositions: Vec<(String, Span)>,
    /// The automaton over them.
    pub automaton: Automaton,
}
