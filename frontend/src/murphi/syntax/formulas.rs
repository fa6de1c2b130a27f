//! Formulas of linear temporal logic: lines `name: formula` of a property file.
//!
//! A line that begins with white space continues the one before. `G F X U W R`, `[]` and `<>` are operators, whatever the model
//! declares; `U W R` bind tighter than `&` and `|` and group to the right. Atoms are the largest conditions without temporal
//! operators, so that `!isundefined(x) & x = 1` stays one condition, which is evaluated from left to right.

use ltl::Formula;

use super::ast::{BinaryOp, Expr, ExprKind, Name, UnaryOp};
use super::cursor::Parser;
use super::expressions::ExprWithHeight;
use super::operators::{Infix, Level};
use super::token::TokenKind;
use crate::syntax::temporal::{Temporal1, Temporal2};
use crate::text::Parse;

/// A named formula.
#[derive(Clone, Debug)]
pub(in crate::murphi) struct Line {
    pub(in crate::murphi) name: Name,
    pub(in crate::murphi) formula: Formula<Expr>,
}

/// The lines of a property file, and the operators in them that are words.
pub(in crate::murphi) struct Lines {
    pub(in crate::murphi) list: Vec<Line>,
    pub(in crate::murphi) words: Vec<Name>,
}

type Part = Formula<ExprWithHeight>;

impl Parser<'_> {
    /// The lines of a property file.
    pub(super) fn lines(&mut self) -> Lines {
        let mut list = Vec::new();
        let mut words = Vec::new();
        while self.kind() != TokenKind::EndOfText {
            match self.line(&mut words) {
                Ok(line) => list.push(line),
                Err(_) => {
                    self.bump();
                    while !self.begins_line() {
                        self.bump();
                    }
                }
            }
        }
        Lines { list, words }
    }

    fn line(&mut self, words: &mut Vec<Name>) -> Parse<Line> {
        let name = match self.text() {
            Some(text) => Name { text: text.text, span: text.span },
            None => self.name("the name of a property")?,
        };
        self.expect(TokenKind::Colon)?;
        let formula = self.formula(Level::Implies, words)?;
        self.semicolons();
        if !self.begins_line() {
            let help = "each property has a line of its own; `^` and `? :` stand in parentheses";
            return Err(self.expected("an operator or the end of the line", Some(help)));
        }
        Ok(Line { name, formula: formula.map(&mut |atom| atom.expr.clone()) })
    }

    /// Whether the current token is the first of its line, without white space before it, or the end.
    fn begins_line(&self) -> bool {
        self.kind() == TokenKind::EndOfText || self.starts_line()
    }

    /// A formula of operators that bind at least as tightly as a level.
    fn formula(&mut self, level: Level, words: &mut Vec<Name>) -> Parse<Part> {
        let mut left = self.until(words)?;
        while !self.begins_line()
            && let Some(op) = Infix::of(self.kind()).filter(|op| op.level() >= level)
        {
            let tighter = match op {
                Infix::Binary(BinaryOp::Implies) => Level::Implies,
                Infix::And(level) | Infix::Or(level) => level.tighter(),
                Infix::Binary(_) | Infix::Conditional => return Ok(left),
            };
            self.bump();
            let right = self.nested(|parser| parser.formula(tighter, words))?;
            left = self.joined(op, left, right)?;
        }
        Ok(left)
    }

    /// Two operands under an operator: one condition if both are.
    fn joined(&mut self, op: Infix, left: Part, right: Part) -> Parse<Part> {
        let (one, other) = match (left, right) {
            (Formula::Atom(one), Formula::Atom(other)) => (one, other),
            (left, right) => {
                return Ok(match op {
                    Infix::And(_) => Formula::And(vec![left, right]),
                    Infix::Or(_) => Formula::Or(vec![left, right]),
                    _ => Formula::Implies(Box::new(left), Box::new(right)),
                });
            }
        };
        let (span, below) = (one.expr.span.to(other.expr.span), one.height.max(other.height));
        let kind = match op {
            Infix::And(_) => ExprKind::And(vec![one.expr, other.expr]),
            Infix::Or(_) => ExprKind::Or(vec![one.expr, other.expr]),
            _ => ExprKind::Binary(BinaryOp::Implies, Box::new(one.expr), Box::new(other.expr)),
        };
        self.node(kind, span, below).map(Formula::Atom)
    }

    /// `f U g` and the like, to the right.
    fn until(&mut self, words: &mut Vec<Name>) -> Parse<Part> {
        let left = self.prefixed(words)?;
        let Some(op) = self.word().filter(|_| !self.begins_line()).and_then(Temporal2::of) else { return Ok(left) };
        self.take_word(words);
        let right = self.nested(|parser| parser.until(words))?;
        Ok(op.on(Box::new(left), Box::new(right)))
    }

    /// A formula behind prefix operators, one in parentheses, or a condition.
    fn prefixed(&mut self, words: &mut Vec<Name>) -> Parse<Part> {
        let start = self.span();
        if let Some(op) = self.word().and_then(Temporal1::of) {
            self.take_word(words);
            let inner = self.nested(|parser| parser.prefixed(words))?;
            return Ok(op.on(Box::new(inner)));
        }
        if let Some(op) = self.symbol_at(0) {
            self.bump();
            self.bump();
            let inner = self.nested(|parser| parser.prefixed(words))?;
            return Ok(op.on(Box::new(inner)));
        }
        if self.eat(TokenKind::Not) {
            return match self.nested(|parser| parser.prefixed(words))? {
                Formula::Atom(inner) => {
                    let kind = ExprKind::Unary(UnaryOp::Not, Box::new(inner.expr));
                    self.node(kind, self.span_from(start), inner.height).map(Formula::Atom)
                }
                formula => Ok(Formula::Not(Box::new(formula))),
            };
        }
        if self.kind() == TokenKind::ParenOpen && self.is_temporal_group() {
            self.bump();
            let inner = self.nested(|parser| parser.formula(Level::Implies, words))?;
            self.expect(TokenKind::ParenClose)?;
            return Ok(inner);
        }
        self.binary(Level::Comparison).map(Formula::Atom)
    }

    /// The text of the current token, if it is a name.
    fn word(&self) -> Option<&str> {
        (self.kind() == TokenKind::Name).then(|| self.text_of(self.span()))
    }

    fn take_word(&mut self, words: &mut Vec<Name>) {
        let span = self.bump().span;
        words.push(Name { text: self.text_of(span).into(), span });
    }

    /// `[]` or `<>`, so many tokens ahead: no condition has one after the other.
    fn symbol_at(&self, ahead: usize) -> Option<Temporal1> {
        match (self.kind_at(ahead), self.kind_at(ahead + 1)) {
            (TokenKind::BracketOpen, TokenKind::BracketClose) => Some(Temporal1::Globally),
            (TokenKind::Less, TokenKind::Greater) => Some(Temporal1::Finally),
            _ => None,
        }
    }

    /// Whether a temporal operator stands inside the parentheses that open here.
    fn is_temporal_group(&self) -> bool {
        let mut open = 0usize;
        for ahead in 0.. {
            limits::work(1);
            match self.kind_at(ahead) {
                TokenKind::ParenOpen => open += 1,
                TokenKind::ParenClose if open == 1 => return false,
                TokenKind::ParenClose => open -= 1,
                TokenKind::EndOfText => return false,
                TokenKind::Name => {
                    let word = self.text_of(self.span_at(ahead));
                    if Temporal1::of(word).is_some() || Temporal2::of(word).is_some() {
                        return true;
                    }
                }
                _ if self.symbol_at(ahead).is_some() => return true,
                _ => {}
            }
        }
        false
    }
}
