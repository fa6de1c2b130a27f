//! Expressions of models and formulas of property files.
//!
//! There is one function per level where the levels differ in shape (assignment, ternary, unary), and precedence
//! climbing over the table of `operators` between them; `operands` reads the expressions that bind more tightly. In
//! property files an expression is a formula: `U W R` lie between `&&` and the operators of conditions, `->` is lowest,
//! and all four are right associative.
//!
//! Each function returns the tree with its height ([`ExprWithHeight`]), because a chain such as `1 + 1 + ..` grows to the left
//! without recursion: [`Parser::node`] refuses a node that would make the whole tree too deep.

use super::operators::{self, Infix};
use super::{Failed, Mode, Parse, Parser};
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, UnaryOp};
use crate::syntax::temporal::{TIGHT, Temporal1, Temporal2};
use crate::syntax::token::TokenKind;

/// An expression and the number of nodes on the longest path down from it.
pub(super) struct ExprWithHeight {
    pub(super) expr: Expr,
    pub(super) height: usize,
}

/// The greatest lookahead that distinguishes `(c) ? (a) : b` from a cast of a choice.
const CHOICE_LOOKAHEAD: usize = 64;

impl Parser<'_> {
    /// An expression, one level below the current one.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        self.nested(|parser| Ok(parser.any_expression()?.expr))
    }

    /// An expression without assignments and `->`: case labels, the bounds of scalar sets, initialisers.
    pub(super) fn value(&mut self) -> Parse<Expr> {
        self.nested(|parser| Ok(parser.ternary()?.expr))
    }

    fn any_expression(&mut self) -> Parse<ExprWithHeight> {
        if self.mode == Mode::Model { self.assignment() } else { self.implication() }
    }

    pub(super) fn deeper_expression(&mut self) -> Parse<ExprWithHeight> {
        self.nested(Parser::any_expression)
    }

    /// Makes a node over subtrees of height `below`.
    pub(super) fn node(&mut self, kind: ExprKind, span: Span, below: usize) -> Parse<ExprWithHeight> {
        if self.depth + below + 1 > super::MAX_NESTING {
            return Err(self.too_deep(self.span()));
        }
        Ok(ExprWithHeight { expr: Expr { kind, span }, height: below + 1 })
    }

    pub(super) fn leaf(kind: ExprKind, span: Span) -> ExprWithHeight {
        ExprWithHeight { expr: Expr { kind, span }, height: 1 }
    }

    fn assignment(&mut self) -> Parse<ExprWithHeight> {
        let target = self.ternary()?;
        let Some(op) = operators::assignment(self.kind()) else { return Ok(target) };
        self.check_assignable(&target.expr);
        self.bump();
        let value = self.nested(Parser::assignment)?;
        let span = target.expr.span.to(value.expr.span);
        let below = target.height.max(value.height);
        self.node(ExprKind::Assign(op, Box::new(target.expr), Box::new(value.expr)), span, below)
    }

    fn check_assignable(&mut self, target: &Expr) {
        // `a++++++` is reported as one mistake.
        let reported = matches!(&target.kind, ExprKind::Step { operand, .. } if !is_assignable(operand));
        if !is_assignable(target) && !reported {
            let help = "assign to a variable or to an element of an array; `==` compares";
            self.error(codes::NOT_ASSIGNABLE, target.span, "this cannot be assigned to", help);
        }
    }

    /// `f -> g`, right associative.
    fn implication(&mut self) -> Parse<ExprWithHeight> {
        let left = self.ternary()?;
        if self.kind() == TokenKind::FatArrow {
            let message = "`=>` is not an operator of property files";
            self.error(codes::FAT_ARROW, self.span(), message, "write `->` for implication");
        } else if self.kind() != TokenKind::Arrow {
            if operators::assignment(self.kind()).is_some() {
                self.effect_in_property("an assignment", "`==` compares");
                return Err(Failed::Syntax);
            }
            return Ok(left);
        }
        self.bump();
        let right = self.nested(Parser::implication)?;
        self.temporal2(Temporal2::Implies, left, right)
    }

    fn temporal2(&mut self, op: Temporal2, left: ExprWithHeight, right: ExprWithHeight) -> Parse<ExprWithHeight> {
        let span = left.expr.span.to(right.expr.span);
        let below = left.height.max(right.height);
        self.node(ExprKind::Temporal2(op, Box::new(left.expr), Box::new(right.expr)), span, below)
    }

    /// Reports a temporal operator at the current place outside of `LTL`.
    fn check_temporal(&mut self, word: &str) {
        if self.mode != Mode::Ltl {
            let message = format!("the temporal operator `{word}` stands outside of an `LTL` section");
            let help = "`define` and `Assertion` speak about single states: move the formula to `LTL { name: ..; }`";
            let span = self.span();
            self.error(codes::TEMPORAL_OUTSIDE_LTL, span, message, help);
        }
    }

    pub(super) fn effect_in_property(&mut self, what: &str, help: &str) {
        if self.is_new_fault() {
            let message = format!("{what} cannot stand in a property");
            self.error(codes::EFFECT_IN_PROPERTY, self.span(), message, help);
        }
    }

    fn ternary(&mut self) -> Parse<ExprWithHeight> {
        let condition = self.binary(0)?;
        if !self.eat(TokenKind::Question) {
            return Ok(condition);
        }
        let then = self.deeper_expression()?;
        self.expect(TokenKind::Colon)?;
        let other = self.nested(Parser::ternary)?;
        let span = condition.expr.span.to(other.expr.span);
        let below = condition.height.max(then.height).max(other.height);
        let [condition, then, other] = [condition, then, other].map(|part| Box::new(part.expr));
        self.node(ExprKind::Ternary(condition, then, other), span, below)
    }

    /// Binary operators of level `least` and above.
    fn binary(&mut self, least: u8) -> Parse<ExprWithHeight> {
        let mut left = self.unary()?;
        while let Some((op, level)) = self.infix().filter(|&(_, level)| level >= least) {
            if let Infix::Temporal(_) = op {
                self.check_temporal(self.text_of(self.span()));
            }
            self.bump();
            left = match op {
                Infix::Temporal(op) => {
                    let right = self.nested(|parser| parser.binary(level))?;
                    self.temporal2(op, left, right)?
                }
                Infix::InstanceOf => {
                    let class = self.name("a class name")?;
                    let span = left.expr.span.to(class.span);
                    self.node(ExprKind::InstanceOf(Box::new(left.expr), class), span, left.height)?
                }
                Infix::Or | Infix::And => {
                    let right = self.nested(|parser| parser.binary(level + 1))?;
                    self.junction(op == Infix::And, left, right)?
                }
                Infix::Binary(op) => {
                    let right = self.nested(|parser| parser.binary(level + 1))?;
                    let span = left.expr.span.to(right.expr.span);
                    let below = left.height.max(right.height);
                    self.node(ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr)), span, below)?
                }
            };
        }
        Ok(left)
    }

    /// The infix operator at the current place, and its level.
    fn infix(&self) -> Option<(Infix, u8)> {
        if self.kind() == TokenKind::Identifier && self.mode != Mode::Model {
            let op = Temporal2::of(self.text_of(self.span()))?;
            return Some((Infix::Temporal(op), operators::TEMPORAL));
        }
        operators::infix(self.kind())
    }

    /// Remarks on `U W R` without parentheses next to `&&` or `||`: these operators used to bind more loosely.
    fn check_reading(&mut self, operand: &Expr) {
        let ExprKind::Temporal2(_, left, right) = &operand.kind else { return };
        if self.mode == Mode::Ltl && operand.span == left.span.to(right.span) {
            let [message, help] = TIGHT;
            let remark = Diagnostic::warning(codes::TIGHT_TEMPORAL, operand.span, message);
            self.diagnostics.push(remark.help(help));
        }
    }

    /// `left && right` or `left || right`, flattened: operands of the same kind on either side become operands.
    fn junction(&mut self, and: bool, left: ExprWithHeight, right: ExprWithHeight) -> Parse<ExprWithHeight> {
        let span = left.expr.span.to(right.expr.span);
        let mut below = 0;
        let mut operands = Vec::new();
        for side in [left, right] {
            self.check_reading(&side.expr);
            match side.expr.kind {
                ExprKind::And(inner) if and => {
                    below = below.max(side.height - 1);
                    append(&mut operands, inner);
                }
                ExprKind::Or(inner) if !and => {
                    below = below.max(side.height - 1);
                    append(&mut operands, inner);
                }
                kind => {
                    below = below.max(side.height);
                    operands.push(Expr { kind, span: side.expr.span });
                }
            }
        }
        let kind = if and { ExprKind::And(operands) } else { ExprKind::Or(operands) };
        self.node(kind, span, below)
    }

    fn unary(&mut self) -> Parse<ExprWithHeight> {
        let start = self.span();
        if let Some(op) = operators::prefix(self.kind()) {
            self.bump();
            return self.prefix_operator(op, start);
        }
        match self.kind() {
            kind @ (TokenKind::PlusPlus | TokenKind::MinusMinus) => {
                if self.mode != Mode::Model {
                    self.effect_in_property("a step", "write `+ 1` or `- 1`");
                    return Err(Failed::Syntax);
                }
                self.bump();
                let operand = self.nested(Parser::unary)?;
                self.step(kind, true, operand, start)
            }
            TokenKind::ParenOpen if self.at_cast() => {
                self.bump();
                let class = self.bump_name();
                self.bump();
                let operand = self.nested(Parser::unary)?;
                let span = start.to(operand.expr.span);
                self.node(ExprKind::Cast(class, Box::new(operand.expr)), span, operand.height)
            }
            TokenKind::Identifier if self.mode != Mode::Model => self.temporal_prefix(),
            TokenKind::BracketOpen | TokenKind::Less if self.mode != Mode::Model => match self.symbol_at(0) {
                Some(op) => {
                    self.check_temporal(op.symbol());
                    self.bump();
                    self.bump();
                    self.temporal1(op, start)
                }
                None => self.postfix(),
            },
            _ => self.postfix(),
        }
    }

    fn prefix_operator(&mut self, op: UnaryOp, start: Span) -> Parse<ExprWithHeight> {
        let operand = self.nested(Parser::unary)?;
        let span = start.to(operand.expr.span);
        self.node(ExprKind::Unary(op, Box::new(operand.expr)), span, operand.height)
    }

    pub(super) fn step(
        &mut self,
        kind: TokenKind,
        prefix: bool,
        operand: ExprWithHeight,
        start: Span,
    ) -> Parse<ExprWithHeight> {
        self.check_assignable(&operand.expr);
        let span = self.span_from(start);
        let up = kind == TokenKind::PlusPlus;
        self.node(ExprKind::Step { up, prefix, operand: Box::new(operand.expr) }, span, operand.height)
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
        let operand = self.nested(Parser::unary)?;
        let span = start.to(operand.expr.span);
        self.node(ExprKind::Temporal1(op, Box::new(operand.expr)), span, operand.height)
    }

    /// `G f`, `F f`, `X f`, `U(f, g)`, or else an operand, in property files.
    fn temporal_prefix(&mut self) -> Parse<ExprWithHeight> {
        let start = self.span();
        let word = self.text_of(start);
        let next = self.kind_at(1);
        if let Some(op) = Temporal1::of(word)
            && (operators::starts_operand(next)
                || self.symbol_at(1).is_some()
                || (self.mode == Mode::Ltl && !is_access(next)))
        {
            self.check_temporal(word);
            self.bump();
            return self.temporal1(op, start);
        }
        if let Some(op) = Temporal2::of(word)
            && next == TokenKind::ParenOpen
        {
            self.check_temporal(word);
            self.bump();
            let open = self.bump().span;
            let left = self.deeper_expression()?;
            self.expect(TokenKind::Comma)?;
            let right = self.deeper_expression()?;
            self.close(TokenKind::ParenClose, open)?;
            let mut node = self.temporal2(op, left, right)?;
            node.expr.span = self.span_from(start);
            return Ok(node);
        }
        self.postfix()
    }

    /// Whether a cast starts here: `(T)` followed by a token that starts an operand.
    fn at_cast(&self) -> bool {
        if self.kind_at(2) != TokenKind::ParenClose {
            return false;
        }
        let (class, next) = (self.kind_at(1), self.kind_at(3));
        if class.is_primitive() {
            return operators::starts_operand(next)
                || operators::prefix(next).is_some()
                || matches!(next, TokenKind::PlusPlus | TokenKind::MinusMinus);
        }
        let named = self.mode == Mode::Model && class == TokenKind::Identifier && operators::starts_operand(next);
        named && (next != TokenKind::Question || self.is_choice_of_several(3))
    }

    /// Whether a `?(..)` with a comma at its top level starts at the token `ahead`: then it is no ternary.
    fn is_choice_of_several(&self, ahead: usize) -> bool {
        if self.kind_at(ahead + 1) != TokenKind::ParenOpen {
            return false;
        }
        let mut open = 0usize;
        for ahead in ahead + 1..ahead + CHOICE_LOOKAHEAD {
            match self.kind_at(ahead) {
                TokenKind::ParenOpen => open += 1,
                TokenKind::ParenClose if open == 1 => return false,
                TokenKind::ParenClose => open -= 1,
                TokenKind::Comma if open == 1 => return true,
                TokenKind::Semicolon | TokenKind::End => return false,
                _ => {}
            }
        }
        false
    }
}

fn is_assignable(target: &Expr) -> bool {
    matches!(target.kind, ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Field(..))
}

fn is_access(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Dot | TokenKind::BracketOpen)
}

fn append(operands: &mut Vec<Expr>, mut more: Vec<Expr>) {
    if operands.is_empty() {
        *operands = more;
    } else {
        operands.append(&mut more);
    }
}
