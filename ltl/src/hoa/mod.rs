//! Automata in the HOA format, version 1: reading ([`parse`]) and writing ([`print()`]).
//!
//! The reader accepts Buchi automata, plain or generalised, with acceptance on states or on edges and labels over named
//! propositions. Every other construct of the format gives an error with its place. The language of the model decides
//! the meaning of the propositions.
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

use crate::automaton::Automaton;

/// An automaton with its names.
#[derive(Clone, Default, Debug)]
pub struct Hoa {
    /// The `name:`, if there is one.
    pub name: Option<(String, Place)>,
    /// The names of the propositions, in order.
    pub propositions: Vec<(String, Place)>,
    /// The automaton over them.
    pub automaton: Automaton,
}

/// A range of bytes of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

/// The kinds of faults in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HoaErrorKind {
    /// The text is not of the format.
    Syntax,
    /// The format allows it, but the reader does not support it: another acceptance condition, or an automaton that is
    /// too large.
    Unsupported,
}

/// The first place of a text that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HoaError {
    /// The kind of error.
    pub kind: HoaErrorKind,
    /// The place.
    pub place: Place,
    /// The fault, in one line.
    pub message: String,
}

impl std::fmt::Display for HoaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for HoaError {}
