//! Murphi: the language of CMurphi and rumur, `.m`.
//!
//! [`syntax`] makes a tree of a text, [`print`](mod@print) writes a tree.

pub mod print;
pub mod syntax;
#[cfg(test)]
mod tests;

/// The deepest nesting of an expression, statement, rule or type.
pub const MAX_NESTING: usize = 256;
