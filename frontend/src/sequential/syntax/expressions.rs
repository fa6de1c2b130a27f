//! Expressions and formulas of `.lpe`.
//!
//! Chains of `&&` and of `||` are one node with many operands.

use super::ast::{Binder, Expr, ExprKind};
use super::parser::Parser;
use super::token::TokenKind;
use crate::diagnostics::{Diagnostic, codes};
use crate::sequential::BinaryOp;
use crate::source::Span;
use crate::syntax::temporal::{TIGHT, Temporal1, Temporal2};
use crate::text::{Grouping, Infix, Operators, Parse, Tall, Words};

type ExprWithHeight = Tall<ExprKind>;

const IMPLIES: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const TEMPORAL: u8 = 3;

/// The level of an operator that is no function; a greater one binds tighter.
pub(in crate::sequential) fn binary_level(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Xor => 5,
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => 6,
        _ => 4,
    }
}

/// An infix operator.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Op {
    Implies,
    Temporal(Temporal2),
    Or,
    And,
    Binary(BinaryOp),
}

const PARENTHESES: [TokenKind; 2] = [TokenKind::ParenOpen, TokenKind::ParenClose];

impl Operators for TokenKind {
    type Op = Op;

    fn infix(parser: &Parser<'_>) -> Option<Infix<Op>> {
        let on = |op: BinaryOp| {
            let grouping = if op.is_comparison() { Grouping::NonAssociative } else { Grouping::Left };
            Infix { op: Op::Binary(op), level: binary_level(op), grouping }
        };
        Some(match parser.kind() {
            TokenKind::Implies => Infix { op: Op::Implies, level: IMPLIES, grouping: Grouping::Right },
            TokenKind::Arrow if parser.mode.temporal => {
                Infix { op: Op::Implies, level: IMPLIES, grouping: Grouping::Right }
            }
            TokenKind::Name if parser.mode.temporal => {
                let op = Op::Temporal(Temporal2::of(parser.text_of(parser.span()))?);
                // As in SPIN and Spot.
                Infix { op, level: TEMPORAL, grouping: Grouping::Right }
            }
            TokenKind::Or | TokenKind::Bar => Infix { op: Op::Or, level: OR, grouping: Grouping::List },
            TokenKind::And | TokenKind::Ampersand => Infix { op: Op::And, level: AND, grouping: Grouping::List },
            TokenKind::EqualEqual => on(BinaryOp::Equal),
            TokenKind::Caret => on(BinaryOp::Xor),
            TokenKind::Percent => on(BinaryOp::Modulo),
            kind => on(BinaryOp::of(kind.fixed_text()?)?),
        })
    }

    fn operand(parser: &mut Parser<'_>) -> Parse<ExprWithHeight> {
        parser.unary()
    }

    fn join(op: Op, left: Expr, right: Expr) -> ExprKind {
        let (left, right) = (Box::new(left), Box::new(right));
        match op {
            Op::Binary(op) => ExprKind::Binary(op, left, right),
            Op::Temporal(op) => ExprKind::Temporal2(op, left, right),
            _ => ExprKind::Implies(left, right),
        }
    }

    fn list(op: Op, operands: Vec<Expr>) -> ExprKind {
        if op == Op::And { ExprKind::And(operands) } else { ExprKind::Or(operands) }
    }

    /// Reports a spelling of another language.
    fn check_operator(parser: &mut Parser<'_>, _: Op) {
        let meant = match parser.kind() {
            TokenKind::EqualEqual => "=",
            TokenKind::Percent => "mod",
            TokenKind::Ampersand => "&&",
            TokenKind::Bar => "||",
            TokenKind::Caret => "xor",
            _ => return,
        };
        let message = format!("there is no operator {}", parser.kind().describe());
        parser.report(codes::LPE_FOREIGN_OPERATOR, parser.span(), message, Some(&format!("write `{meant}`")));
    }

    fn report_chain(parser: &mut Parser<'_>, _: Op) {
        let help = "join two comparisons by `&&`, or put one into parentheses";
        parser.report(codes::LPE_CHAINED_COMPARISON, parser.span(), "comparisons cannot be chained", Some(help));
    }

    /// Remarks on `U W R` without parentheses next to `&&` or `||`: these operators used to bind more loosely.
    fn check_operand(parser: &mut Parser<'_>, operand: &Expr) {
        let ExprKind::Temporal2(_, left, right) = &operand.kind else { return };
        if parser.mode.temporal && operand.span == left.span.to(right.span) {
            let [message, help] = TIGHT;
            parser.remark(Diagnostic::warning(codes::TIGHT_TEMPORAL, operand.span, message).help(help));
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

    fn unary(&mut self) -> Parse<ExprWithHeight> {
        let start = self.span();
        match self.kind() {
            TokenKind::Minus if self.next_kind() == TokenKind::Number => {
                self.bump();
                self.number(start, true)
            }
            TokenKind::Minus | TokenKind::Not => {
                let not = self.bump().kind == TokenKind::Not;
                self.prefixed_by(start, if not { ExprKind::Not } else { ExprKind::Negate }, Parser::unary)
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
            TokenKind::ParenOpen => self.between(PARENTHESES, Parser::tall),
            TokenKind::PopCount => {
                self.bump();
                let inner = self.between(PARENTHESES, Parser::tall)?;
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
        let (span, value) = self.decimal(start, negative);
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
            return self.operation(|left, right| ExprKind::Binary(op, left, right));
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

    /// `op(a, b)`
    fn operation(&mut self, kind: impl FnOnce(Box<Expr>, Box<Expr>) -> ExprKind) -> Parse<ExprWithHeight> {
        let start = self.bump().span;
        self.expect(TokenKind::ParenOpen)?;
        let left = self.tall()?;
        self.expect(TokenKind::Comma)?;
        let right = self.tall()?;
        self.expect(TokenKind::ParenClose)?;
        let below = left.height.max(right.height);
        let kind = kind(Box::new(left.expr), Box::new(right.expr));
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
        self.prefixed_by(start, |inner| ExprKind::Temporal1(op, inner), Parser::unary)
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
        self.operation(|left, right| ExprKind::Temporal2(op, left, right))
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
