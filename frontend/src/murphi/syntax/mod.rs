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

use ltl::Formula;

use self::ast::{File, Item, Property, PropertyKind, Rule, RuleKind, Text};
use self::cursor::Parser;
use self::token::{TokenKind, Tokens, tokens};
use crate::diagnostics::Diagnostics;
use crate::source::Span;
use crate::text::{Line, Lines};

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

/// Parses a file of questions: declarations of invariants, or lines `name: condition` and `name: formula`; faults go to the sink.
pub(super) fn parse_questions(text: &str, sink: &mut Diagnostics) -> (File, Lines<ast::ExprKind>) {
    let Tokens { list, .. } = tokens(text, sink);
    let mut parser = Parser::new(text, list, sink);
    if parser.kind_at(1) != TokenKind::Colon {
        return (parser.file(), Lines { list: Vec::new(), words: Vec::new() });
    }
    let mut lines = parser.lines();
    let mut items = Vec::new();
    let mut formulas = Vec::new();
    for Line { name, formula } in lines.list {
        let Formula::Atom(condition) = formula else {
            formulas.push(Line { name, formula });
            continue;
        };
        let span = condition.span;
        let property = Property {
            kind: PropertyKind::Invariant,
            name: Some(Text { text: name.text, span: name.span }),
            condition,
        };
        items.push(Item::Rule(Rule { kind: RuleKind::Property(property), span }));
    }
    lines.list = formulas;
    (File { items }, lines)
}

/// Parses a property file; faults go to the sink.
pub(super) fn parse_lines(text: &str, sink: &mut Diagnostics) -> Lines<ast::ExprKind> {
    let Tokens { list, .. } = tokens(text, sink);
    Parser::new(text, list, sink).lines()
}
