//! Text to tree: the tokens, the tree and the parser of `.lpe`.
//!
//! The parser never fails: it reports, skips to a place where it can continue, and returns the parts that it
//! understood.

pub(super) mod ast;
mod expressions;
mod parser;
mod summands;
mod token;

pub(super) use expressions::binary_level;
pub(super) use parser::parse;
pub(super) use token::{is_name, is_word, written};
