//! Text to tree: the tokens, the tree and the parser of DVE.
//!
//! The parser never fails: it reports, skips to a place where it can continue, and returns the parts that it understood.

pub(super) mod ast;
mod expressions;
mod parser;
mod processes;
mod token;

pub(super) use self::parser::{parse, parse_expression, parse_lines};
