//! Expressions and formulas of `.lpe`.
//!
//! Precedence climbing: `binary(level)` takes operators that bind at least as tightly as `level`. `&&` and `||` chains are
//! one node with many operands. The height of every node is known when it is made, and limited: later stages may recurse.

use super::ast::{Binder, Expr, ExprKind};
use super::parser::Parser;
use super::token::TokenKind;
use crate::diagnostics::{Diagnostic, codes};
use crate::sequential::BinaryOp;
use crate::source::Span;
use crate::syntax::temporal::{TIGHT, Temporal1, Temporal2};
use crate::text::{Parse, Tall, Words};

type ExprWithHeight = Tall<ExprKind>;

/// An infix operator.
#[derive(Clone, Copy, PartialEq)]
enum Infix {
    Implies,
    Temporal(Temporal2),
    Or,
    And,
    Binary(BinaryOp),
}

const IMPLIES: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
/// As in SPIN and Spot.
const TEMPORAL: u8 = 3;
const COMPARISON: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;

impl Infix {
    fn level(self) -> u8 {
        match self {
            Infix::Implies => IMPLIES,
            Infix::Temporal(_) => TEMPORAL,
            Infix::Or => OR,
            Infix::And => AND,
            Infix::Binary(op) if op.is_comparison() => COMPARISON,
            Infix::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Xor) => SUM,
            Infix::Binary(_) => PRODUCT,
        }
    }
}

impl Parser<'_> {
    /// An expression of any form.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        Ok(self.tall()?.expr)
    }

    fn tall(&mut self) -> Parse<ExprWithHeight> {
        self.nested(|parser| parser.binary(IMPLIES))
    }

    fn binary(&mut self, level: u8) -> Parse<ExprWithHeight> {
        self.levelled(|parser| parser.operators(level))
    }

    fn operators(&mut self, level: u8) -> Parse<ExprWithHeight> {
        let mut left = self.unary()?;
        let mut compared = false;
        while let Some(op) = self.infix().filter(|op| op.level() >= level) {
            if op.level() == COMPARISON && std::mem::replace(&mut compared, op.level() == COMPARISON) {
                let help = "join two comparisons by `&&`, or put one into parentheses";
                let message = "comparisons cannot be chained";
                self.report(codes::LPE_CHAINED_COMPARISON, self.span(), message, Some(help));
            }
            left = match op {
                Infix::And | Infix::Or => self.chain(op, left)?,
                _ => self.two_sided(op, left)?,
            };
        }
        Ok(left)
    }

    /// The operands of a chain of `&&` or `||`.
    fn chain(&mut self, op: Infix, first: ExprWithHeight) -> Parse<ExprWithHeight> {
        let mut height = first.height;
        self.check_reading(&first.expr);
        let mut list = vec![first.expr];
        while self.infix() == Some(op) {
            self.take_infix();
            let operand = self.binary(op.level() + 1)?;
            height = height.max(operand.height);
            self.check_reading(&operand.expr);
            list.push(operand.expr);
        }
        let span = list[0].span.to(list[list.len() - 1].span);
        self.node(if op == Infix::And { ExprKind::And(list) } else { ExprKind::Or(list) }, span, height)
    }

    /// Remarks on `U W R` without parentheses next to `&&` or `||`: these operators used to bind more loosely.
    fn check_reading(&mut self, operand: &Expr) {
        let ExprKind::Temporal2(_, left, right) = &operand.kind else { return };
        if self.mode.temporal && operand.span == left.span.to(right.span) {
            let [message, help] = TIGHT;
            self.remark(Diagnostic::warning(codes::TIGHT_TEMPORAL, operand.span, message).help(help));
        }
    }

    fn two_sided(&mut self, op: Infix, left: ExprWithHeight) -> Parse<ExprWithHeight> {
        self.take_infix();
        let to_the_right = matches!(op, Infix::Implies | Infix::Temporal(_));
        let right =
            if to_the_right { self.nested(|parser| parser.binary(op.level()))? } else { self.binary(op.level() + 1)? };
        let span = left.expr.span.to(right.expr.span);
        let below = left.height.max(right.height);
        let (left, right) = (Box::new(left.expr), Box::new(right.expr));
        let kind = match op {
            Infix::Binary(op) => ExprKind::Binary(op, left, right),
            Infix::Temporal(op) => ExprKind::Temporal2(op, left, right),
            _ => ExprKind::Implies(left, right),
        };
        self.node(kind, span, below)
    }

    /// The infix operator at the current place.
    fn infix(&self) -> Option<Infix> {
        Some(match self.kind() {
            TokenKind::Implies => Infix::Implies,
            TokenKind::Arrow if self.mode.temporal => Infix::Implies,
            TokenKind::Name if self.mode.temporal => Infix::Temporal(Temporal2::of(self.text_of(self.span()))?),
            TokenKind::Or | TokenKind::Bar => Infix::Or,
            TokenKind::And | TokenKind::Ampersand => Infix::And,
            TokenKind::Equal | TokenKind::EqualEqual => Infix::Binary(BinaryOp::Equal),
            TokenKind::NotEqual => Infix::Binary(BinaryOp::NotEqual),
            TokenKind::Less => Infix::Binary(BinaryOp::Less),
            TokenKind::LessEqual => Infix::Binary(BinaryOp::LessEqual),
            TokenKind::Greater => Infix::Binary(BinaryOp::Greater),
            TokenKind::GreaterEqual => Infix::Binary(BinaryOp::GreaterEqual),
            TokenKind::Plus => Infix::Binary(BinaryOp::Add),
            TokenKind::Minus => Infix::Binary(BinaryOp::Subtract),
            TokenKind::Xor | TokenKind::Caret => Infix::Binary(BinaryOp::Xor),
            TokenKind::Star => Infix::Binary(BinaryOp::Multiply),
            TokenKind::Slash => Infix::Binary(BinaryOp::Divide),
            TokenKind::Mod | TokenKind::Percent => Infix::Binary(BinaryOp::Modulo),
            _ => return None,
        })
    }

    /// Takes an infix operator; reports a spelling of another language.
    fn take_infix(&mut self) {
        let meant = match self.kind() {
            TokenKind::EqualEqual => Some("="),
            TokenKind::Percent => Some("mod"),
            TokenKind::Ampersand => Some("&&"),
            TokenKind::Bar => Some("||"),
            TokenKind::Caret => Some("xor"),
            _ => None,
        };
        if let Some(meant) = meant {
            let message = format!("there is no operator {}", self.kind().describe());
            self.report(codes::LPE_FOREIGN_OPERATOR, self.span(), message, Some(&format!("write `{meant}`")));
        }
        self.bump();
    }

    fn unary(&mut self) -> Parse<ExprWithHeight> {
        let start = self.span();
        match self.kind() {
            TokenKind::Minus if self.next_kind() == TokenKind::Number => {
                self.bump();
                self.number(start, true)
            }
            TokenKind::Minus | TokenKind::Not => {
                let not = self.bump().kind == TokenKind::Not;
                let inner = self.nested(Parser::unary)?;
                let span = start.to(inner.expr.span);
                let operand = Box::new(inner.expr);
                self.node(if not { ExprKind::Not(operand) } else { ExprKind::Negate(operand) }, span, inner.height)
            }
            TokenKind::Name => self.named(),
            _ => match self.symbol_at(0) {
                Some(op) => {
                    self.check_temporal(op.symbol());
                    self.bump();
                    self.bump();
                    self.temporal1(op, start)
                }
                None => self.primary(),
            },
        }
    }

    fn primary(&mut self) -> Parse<ExprWithHeight> {
        let start = self.span();
        match self.kind() {
            TokenKind::Number => self.number(start, false),
            TokenKind::True | TokenKind::False => {
                let value = i32::from(self.bump().kind == TokenKind::True);
                self.node(ExprKind::Int(value), start, 0)
            }
            TokenKind::ParenOpen => {
                self.bump();
                let inner = self.tall()?;
                self.expect(TokenKind::ParenClose)?;
                Ok(ExprWithHeight {
                    expr: Expr { kind: inner.expr.kind, span: self.span_from(start) },
                    height: inner.height,
                })
            }
            TokenKind::PopCount => {
                self.bump();
                self.expect(TokenKind::ParenOpen)?;
                let inner = self.tall()?;
                self.expect(TokenKind::ParenClose)?;
                self.node(ExprKind::PopCount(Box::new(inner.expr)), self.span_from(start), inner.height)
            }
            TokenKind::Ite => self.ite(),
            TokenKind::Forall | TokenKind::Exists => {
                let all = self.bump().kind == TokenKind::Forall;
                let binder: Binder = self.binder()?;
                let body = self.tall()?;
                let span = self.span_from(start);
                self.node(ExprKind::Quantified(all, binder, Box::new(body.expr)), span, body.height)
            }
            _ => Err(self.expected("an expression", None)),
        }
    }

    fn ite(&mut self) -> Parse<ExprWithHeight> {
        let start = self.bump().span;
        self.expect(TokenKind::ParenOpen)?;
        let condition = self.tall()?;
        self.expect(TokenKind::Comma)?;
        let then = self.tall()?;
        self.expect(TokenKind::Comma)?;
        let otherwise = self.tall()?;
        self.expect(TokenKind::ParenClose)?;
        let below = condition.height.max(then.height).max(otherwise.height);
        let kind = ExprKind::Ite(Box::new(condition.expr), Box::new(then.expr), Box::new(otherwise.expr));
        self.node(kind, self.span_from(start), below)
    }

    fn number(&mut self, start: Span, negative: bool) -> Parse<ExprWithHeight> {
        let digits = self.bump().span;
        let magnitude = self.text_of(digits).parse::<i64>().ok();
        let value = magnitude.and_then(|value| i32::try_from(if negative { -value } else { value }).ok());
        let span = self.span_from(start);
        if value.is_none() {
            let message = "the number does not fit into 32 bits";
            let help = format!("integers lie between {} and {}", i32::MIN, i32::MAX);
            self.report(codes::LPE_NUMBER, span, message, Some(&help));
        }
        self.node(ExprKind::Int(value.unwrap_or(0)), span, 0)
    }

    /// A name with its indices, or a temporal operator.
    fn named(&mut self) -> Parse<ExprWithHeight> {
        let start = self.span();
        let word = self.text_of(start);
        if let (Some(op), true) = (Temporal1::of(word), self.operand_follows()) {
            self.check_temporal(word);
            self.bump();
            return self.temporal1(op, start);
        }
        if self.next_kind() == TokenKind::ParenOpen {
            if let Some(op) = Temporal2::of(word) {
                return self.temporal_call(op, word);
            }
            return self.function(start, word);
        }
        let name = self.name("a name")?;
        let mut below = 0;
        let mut indices = Vec::new();
        while self.eat(TokenKind::BracketOpen) {
            let index = self.tall()?;
            self.expect(TokenKind::BracketClose)?;
            below = below.max(index.height);
            indices.push(index.expr);
        }
        self.node(ExprKind::Access(name, indices), self.span_from(start), below)
    }

    /// `div(a, b)` and the like. Any other `name(..)` is reported, and parsing continues after it.
    fn function(&mut self, start: Span, word: &str) -> Parse<ExprWithHeight> {
        if let Some(op) = BinaryOp::FUNCTIONS.into_iter().find(|op| op.symbol() == word) {
            return self.operation(op);
        }
        let message = format!("there is no function `{word}`");
        let help = "elements of arrays and tables are written `name[index]`; the functions are `ite`, `popcount`, `div`, `rem`, `pow`, `root`, `bitand`, `bitor`, `shl`, `shr`, `ushr`";
        self.report(codes::LPE_FUNCTION, start, message, Some(help));
        let name = self.name("a name")?;
        self.expect(TokenKind::ParenOpen)?;
        let arguments = self.list(TokenKind::ParenClose, Parser::tall)?;
        let below = arguments.iter().map(|argument| argument.height).max().unwrap_or(0);
        let arguments = arguments.into_iter().map(|argument| argument.expr).collect();
        self.node(ExprKind::Access(name, arguments), self.span_from(start), below)
    }

    /// `(a, b)`
    fn pair(&mut self) -> Parse<(ExprWithHeight, ExprWithHeight)> {
        self.expect(TokenKind::ParenOpen)?;
        let left = self.tall()?;
        self.expect(TokenKind::Comma)?;
        let right = self.tall()?;
        self.expect(TokenKind::ParenClose)?;
        Ok((left, right))
    }

    /// `op(a, b)`
    fn operation(&mut self, op: BinaryOp) -> Parse<ExprWithHeight> {
        let start = self.bump().span;
        let (left, right) = self.pair()?;
        let below = left.height.max(right.height);
        let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
        self.node(kind, self.span_from(start), below)
    }

    /// `[]` or `<>` at the token `ahead`.
    fn symbol_at(&self, ahead: usize) -> Option<Temporal1> {
        match (self.kind_at(ahead), self.kind_at(ahead + 1)) {
            (TokenKind::BracketOpen, TokenKind::BracketClose) => Some(Temporal1::Globally),
            (TokenKind::Less, TokenKind::Greater) => Some(Temporal1::Finally),
            _ => None,
        }
    }

    fn temporal1(&mut self, op: Temporal1, start: Span) -> Parse<ExprWithHeight> {
        let inner = self.nested(Parser::unary)?;
        let span = start.to(inner.expr.span);
        self.node(ExprKind::Temporal1(op, Box::new(inner.expr)), span, inner.height)
    }

    /// Whether an operand follows, which shows that the name here is a prefix operator.
    fn operand_follows(&self) -> bool {
        use TokenKind::{Exists, False, Forall, Ite, Name, Not, Number, ParenOpen, PopCount, True};
        match self.next_kind() {
            Name => Temporal2::of(self.text_of(self.next_span())).is_none(),
            Number | ParenOpen | Not | Forall | Exists | Ite | PopCount | True | False => true,
            _ => self.symbol_at(1).is_some(),
        }
    }

    /// `U(f, g)`
    fn temporal_call(&mut self, op: Temporal2, word: &str) -> Parse<ExprWithHeight> {
        self.check_temporal(word);
        let start = self.bump().span;
        let (left, right) = self.pair()?;
        let below = left.height.max(right.height);
        let kind = ExprKind::Temporal2(op, Box::new(left.expr), Box::new(right.expr));
        self.node(kind, self.span_from(start), below)
    }

    /// Reports a temporal operator outside of `ltl`; the tree keeps it, so that it is not reported again as a name.
    fn check_temporal(&mut self, word: &str) {
        if !self.mode.temporal {
            let message = format!("the temporal operator `{word}` stands outside of `ltl`");
            let help = "guards, propositions and assertions speak of one state: state formulas by `ltl name = ..;`";
            self.report(codes::LPE_TEMPORAL, self.span(), message, Some(help));
        }
    }
}
