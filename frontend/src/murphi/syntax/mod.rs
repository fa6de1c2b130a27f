//! Text to tree: the tokens, the tree and the parser of Murphi.
//!
//! The parser never fails: it reports, skips to a place where it can continue, and returns the parts that it understood.
//! It reads what CMurphi and rumur read, extensions of either included.

pub mod ast;
mod cursor;
mod declarations;
mod expressions;
mod operators;
mod rules;
mod statements;
mod token;

use self::ast::File;
use self::cursor::Parser;
use self::token::{Tokens, tokens};
use crate::diagnostics::Diagnostics;
use crate::source::Span;
use crate::text::Lines;

pub(super) use self::operators::level;

/// A parsed text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree, of what was understood.
    pub file: File,
    /// The comments, in order.
    pub comments: Vec<Span>,
}

/// Parses a text; faults go to the sink.
pub fn parse(text: &str, sink: &mut Diagnostics) -> Parsed {
    let Tokens { list, comments } = tokens(text, sink);
    Parsed { file: Parser::new(text, list, sink).file(), comments }
}

/// Parses a property file; faults go to the sink.
pub(super) fn parse_lines(text: &str, sink: &mut Diagnostics) -> Lines<ast::ExprKind> {
    let Tokens { list, .. } = tokens(text, sink);
    Parser::new(text, list, sink).lines()
}
