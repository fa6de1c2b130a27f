//! Formulas of linear temporal logic: lines `name: formula` of a property file.
//!
//! A line that begins with white space continues the one before. `G F X U W R`, `[]` and `<>` are operators, whatever the model
//! declares; `U W R` bind tighter than `and` and `or` and group to the right; `->` is `imply`, but behind the bare name of a
//! process. Atoms are the largest conditions without temporal operators.

use ltl::Formula;

use super::ast::{Expr, ExprKind, Infix, Name, UnaryOp};
use super::expressions::{Tall, infix};
use super::parser::Parser;
use super::token::TokenKind;
use crate::syntax::temporal::{Temporal1, Temporal2};
use crate::text::Parse;

/// A named formula.
#[derive(Clone, Debug)]
pub(in crate::dve) struct Line {
    pub(in crate::dve) name: Name,
    pub(in crate::dve) formula: Formula<Expr>,
}

/// The lines of a property file, and the operators in them that are words.
#[derive(Default)]
pub(in crate::dve) struct Lines {
    pub(in crate::dve) list: Vec<Line>,
    pub(in crate::dve) words: Vec<Name>,
}

type Part = Formula<Tall>;

/// The precedence of the operators that are no part of formulas.
const CONDITION: u8 = 4;

impl Parser<'_> {
    /// The lines of a property file.
    pub(super) fn lines(&mut self) -> Lines {
        let mut lines = Lines::default();
        while self.kind() != TokenKind::End {
            match self.line(&mut lines.words) {
                Ok(line) => lines.list.push(line),
                Err(_) => {
                    self.bump();
                    while !self.begins_line() {
                        self.bump();
                    }
                }
            }
        }
        lines
    }

    fn line(&mut self, words: &mut Vec<Name>) -> Parse<Line> {
        let name = self.name("the name of a property")?;
        self.expect(TokenKind::Colon)?;
        let formula = self.formula(1, words)?;
        self.eat(TokenKind::Semicolon);
        if !self.begins_line() {
            let help = "each property has a line of its own";
            return Err(self.expected("an operator or the end of the line", Some(help)));
        }
        Ok(Line { name, formula: formula.map(&mut |atom| atom.expr.clone()) })
    }

    /// Whether the current token is the first of its line, without white space before it, or the end.
    fn begins_line(&self) -> bool {
        self.kind() == TokenKind::End || self.starts_line()
    }

    /// The operator between formulas at the current token, and its precedence.
    fn between(&self) -> Option<(Infix, u8)> {
        match self.kind() {
            TokenKind::Arrow => Some((Infix::Imply, 1)),
            kind => infix(kind).filter(|&(_, level)| level < CONDITION),
        }
    }

    /// A formula of operators that bind at least as tightly as a level.
    fn formula(&mut self, level: u8, words: &mut Vec<Name>) -> Parse<Part> {
        let mut left = self.until(words)?;
        while !self.begins_line()
            && let Some((op, own)) = self.between().filter(|&(_, own)| own >= level)
        {
            self.bump();
            // Implications group to the right.
            let tighter = if op == Infix::Imply { own } else { own + 1 };
            let right = self.nested(|parser| parser.formula(tighter, words))?;
            left = self.joined(op, left, right)?;
        }
        Ok(left)
    }

    /// Two operands under an operator: one condition if both are.
    fn joined(&mut self, op: Infix, left: Part, right: Part) -> Parse<Part> {
        match (left, right) {
            (Formula::Atom(one), Formula::Atom(other)) => {
                let (span, below) = (one.expr.span.to(other.expr.span), one.height.max(other.height));
                self.node(ExprKind::Binary(op, Box::new(one.expr), Box::new(other.expr)), span, below)
                    .map(Formula::Atom)
            }
            (left, right) => Ok(match op {
                Infix::And => Formula::And(vec![left, right]),
                Infix::Or => Formula::Or(vec![left, right]),
                _ => Formula::Implies(Box::new(left), Box::new(right)),
            }),
        }
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
        if self.eat(TokenKind::Not) || self.eat(TokenKind::Exclamation) {
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
            let inner = self.nested(|parser| parser.formula(1, words))?;
            self.expect(TokenKind::ParenClose)?;
            return Ok(inner);
        }
        self.binary(CONDITION).map(Formula::Atom)
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

    /// Whether a temporal operator, or `->` between formulas, stands inside the parentheses that open here.
    fn is_temporal_group(&self) -> bool {
        let mut open = 0usize;
        for ahead in 0.. {
            limits::work(1);
            match self.kind_at(ahead) {
                TokenKind::ParenOpen => open += 1,
                TokenKind::ParenClose if open == 1 => return false,
                TokenKind::ParenClose => open -= 1,
                TokenKind::End => return false,
                TokenKind::Name => {
                    let word = self.text_of(self.span_at(ahead));
                    let before = |back: usize| ahead.checked_sub(back).map(|at| self.kind_at(at));
                    // `P.s`, or `P->x`: behind the bare name of a process.
                    let is_variable = before(1) == Some(TokenKind::Arrow) && before(2) == Some(TokenKind::Name);
                    let is_part = before(1) == Some(TokenKind::Dot) || is_variable && before(3) != Some(TokenKind::Dot);
                    if !is_part && (Temporal1::of(word).is_some() || Temporal2::of(word).is_some()) {
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
