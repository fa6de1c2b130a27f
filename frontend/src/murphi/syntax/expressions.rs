//! Expressions of Murphi.
//!
//! Chains of `&` and of `|` are one node with many operands.

use super::ast::{Alias, BinaryOp, Expr, ExprKind, Name, UnaryOp};
use super::cursor::Parser;
use super::operators::{Op, level};
use super::token::TokenKind;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::text::{Conditions, Join, Marks, Parse, Tall, marks};

type ExprWithHeight = Tall<ExprKind>;

impl Parser<'_> {
    /// An expression of any form.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        Ok(self.tall()?.expr)
    }

    /// An expression that ends at a word. After a fault in it, the parser continues at this word if it finds it before the
    /// end of the statement.
    pub(super) fn expression_before(&mut self, stop: TokenKind) -> Parse<Expr> {
        let start = self.span();
        match self.expression() {
            Err(reported) if !self.skip_to(stop) => Err(reported),
            Err(_) => Ok(Expr { kind: ExprKind::Missing, span: self.span_from(start) }),
            parsed => parsed,
        }
    }

    /// A variable, or a part of one.
    pub(super) fn designator(&mut self) -> Parse<Expr> {
        let start = self.span();
        let name = self.name("a variable")?;
        let base = self.node(ExprKind::Name(name.text), start, 0)?;
        Ok(self.postfix(base)?.expr)
    }

    fn tall(&mut self) -> Parse<ExprWithHeight> {
        self.nested(|parser| parser.levelled(Parser::conditional))
    }

    /// `a ? b : c`, or an expression of operators that bind tighter.
    fn conditional(&mut self) -> Parse<ExprWithHeight> {
        let condition = self.climb(level::IMPLIES)?;
        if !self.eat(TokenKind::Question) {
            return Ok(condition);
        }
        let then = self.tall()?;
        self.expect(TokenKind::Colon)?;
        let otherwise = self.tall()?;
        let span = condition.expr.span.to(otherwise.expr.span);
        let below = condition.height.max(then.height).max(otherwise.height);
        let [condition, then, otherwise] = [condition, then, otherwise].map(|part| Box::new(part.expr));
        self.node(ExprKind::Conditional(condition, then, otherwise), span, below)
    }

    pub(super) fn prefix(&mut self) -> Parse<ExprWithHeight> {
        let start = self.span();
        let op = match self.kind() {
            TokenKind::Minus if self.kind_at(1) == TokenKind::Number => {
                self.bump();
                return self.number(start, true);
            }
            TokenKind::Minus => UnaryOp::Negate,
            TokenKind::Not => UnaryOp::Not,
            TokenKind::Tilde => UnaryOp::Complement,
            TokenKind::Plus => {
                self.bump();
                return self.nested(|parser| parser.binary(UnaryOp::Negate.operand()));
            }
            _ => {
                let operand = self.operand()?;
                return self.postfix(operand);
            }
        };
        self.bump();
        self.prefixed_by(start, |inner| ExprKind::Unary(op, inner), |parser| parser.binary(op.operand()))
    }

    /// Fields and indices after an operand.
    fn postfix(&mut self, mut base: ExprWithHeight) -> Parse<ExprWithHeight> {
        loop {
            let start = base.expr.span;
            base = if self.eat(TokenKind::Dot) {
                let field = self.name("the name of a field")?;
                self.node(ExprKind::Field(Box::new(base.expr), field), self.span_from(start), base.height)?
            } else if self.eat(TokenKind::BracketOpen) {
                let index = self.tall()?;
                self.expect(TokenKind::BracketClose)?;
                let below = base.height.max(index.height);
                let kind = ExprKind::Index(Box::new(base.expr), Box::new(index.expr));
                self.node(kind, self.span_from(start), below)?
            } else {
                return Ok(base);
            };
        }
    }

    fn operand(&mut self) -> Parse<ExprWithHeight> {
        let start = self.span();
        match self.kind() {
            TokenKind::Number => self.number(start, false),
            TokenKind::Fraction => Err(self.report(
                codes::MURPHI_REAL,
                start,
                "real numbers are not supported",
                Some("use integers, scaled if necessary"),
            )),
            TokenKind::True | TokenKind::False => {
                let value = self.bump().kind == TokenKind::True;
                self.node(ExprKind::Boolean(value), start, 0)
            }
            TokenKind::Undefined => {
                self.bump();
                self.node(ExprKind::Undefined, start, 0)
            }
            TokenKind::ParenOpen => self.between(TokenKind::MARKS.parentheses, Parser::tall),
            TokenKind::Name => self.named(),
            TokenKind::Forall | TokenKind::ForallSign | TokenKind::Exists | TokenKind::ExistsSign => self.quantified(),
            TokenKind::IsUndefined | TokenKind::IsMember => self.predicate(),
            TokenKind::MultisetCount => self.count(),
            _ => Err(self.expected("an expression", None)),
        }
    }

    /// A decimal number; an octal one after a leading zero, or a hexadecimal one after `0x`.
    fn number(&mut self, start: Span, negative: bool) -> Parse<ExprWithHeight> {
        let digits = self.bump().span;
        let digits = self.text_of(digits);
        let span = self.span_from(start);
        let hexadecimal = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
        let is_octal = hexadecimal.is_none() && digits.len() > 1 && digits.starts_with('0');
        let magnitude = match hexadecimal {
            Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16),
            None if is_octal => i64::from_str_radix(digits, 8),
            None => digits.parse::<i64>(),
        };
        if is_octal
            && let Ok(value) = magnitude
            && value > 7
        {
            let message = format!("`{digits}` is read as an octal number, {value}");
            let help = "rumur reads it so and CMurphi does not: write it without the leading zero";
            self.remark(Diagnostic::warning(codes::MURPHI_OCTAL, span, message).help(help));
        }
        let value = magnitude.ok().and_then(|value| i32::try_from(if negative { -value } else { value }).ok());
        if value.is_none() {
            let help = "integers lie between -2147483648 and 2147483647; a leading zero makes a number octal";
            self.report(codes::MURPHI_NUMBER, span, "the number does not fit into 32 bits", Some(help));
        }
        self.node(value.map_or(ExprKind::Missing, ExprKind::Integer), span, 0)
    }

    /// A name, or a call.
    fn named(&mut self) -> Parse<ExprWithHeight> {
        let start = self.span();
        let name = self.name("a name")?;
        if self.kind() != TokenKind::ParenOpen {
            return self.node(ExprKind::Name(name.text), start, 0);
        }
        let mut below = 0;
        let arguments = self.arguments_below(&mut below)?;
        self.node(ExprKind::Call(name, arguments), self.span_from(start), below)
    }

    fn arguments_below(&mut self, below: &mut usize) -> Parse<Vec<Expr>> {
        self.expect(TokenKind::ParenOpen)?;
        let list = self.list(TokenKind::ParenClose, Parser::tall)?;
        *below = list.iter().map(|argument| argument.height).max().unwrap_or(0);
        Ok(list.into_iter().map(|argument| argument.expr).collect())
    }

    /// `(a, b, ..)` after the name of a procedure.
    pub(super) fn arguments(&mut self) -> Parse<Vec<Expr>> {
        self.arguments_below(&mut 0)
    }

    fn quantified(&mut self) -> Parse<ExprWithHeight> {
        let start = self.span();
        let forall = matches!(self.bump().kind, TokenKind::Forall | TokenKind::ForallSign);
        let binders = self.nested(Parser::binders)?;
        self.expect_do()?;
        let body = self.tall()?;
        self.expect_end(&[if forall { TokenKind::EndForall } else { TokenKind::EndExists }])?;
        // Each binder is one level: later stages take them one by one.
        let below = body.height + binders.len() - 1;
        self.node(ExprKind::Quantified(forall, binders, Box::new(body.expr)), self.span_from(start), below)
    }

    /// `isundefined(place)` or `ismember(value, type)`
    fn predicate(&mut self) -> Parse<ExprWithHeight> {
        let start = self.span();
        let undefined = self.bump().kind == TokenKind::IsUndefined;
        self.expect(TokenKind::ParenOpen)?;
        let operand = self.tall()?;
        let inner = Box::new(operand.expr);
        let kind = if undefined {
            ExprKind::IsUndefined(inner)
        } else {
            self.expect(TokenKind::Comma)?;
            ExprKind::IsMember(inner, Box::new(self.nested(Parser::type_expression)?))
        };
        self.expect(TokenKind::ParenClose)?;
        self.node(kind, self.span_from(start), operand.height)
    }

    fn count(&mut self) -> Parse<ExprWithHeight> {
        let start = self.bump().span;
        self.expect(TokenKind::ParenOpen)?;
        let slot = self.slot()?;
        self.expect(TokenKind::Comma)?;
        let condition = self.tall()?;
        self.expect(TokenKind::ParenClose)?;
        let kind = ExprKind::MultisetCount(Box::new(slot), Box::new(condition.expr));
        self.node(kind, self.span_from(start), condition.height)
    }

    /// `slot : multiset`
    pub(super) fn slot(&mut self) -> Parse<Alias> {
        let name: Name = self.name("a name for the slot")?;
        self.expect(TokenKind::Colon)?;
        let value = self.nested(Parser::designator)?;
        Ok(Alias { name, value })
    }
}

impl Conditions for TokenKind {
    const MARKS: Marks<TokenKind> = marks!(TokenKind);
    const LINE: &'static str = "each property has a line of its own; `^` and `? :` stand in parentheses";
    const LOOSEST: u8 = level::IMPLIES;

    fn title(cursor: &mut Parser<'_>) -> Parse<Name> {
        match cursor.text() {
            Some(text) => Ok(Name { text: text.text, span: text.span }),
            None => cursor.name("the name of a property"),
        }
    }

    fn connective(op: Op) -> Option<Join> {
        match op {
            Op::Binary(BinaryOp::Implies) => Some(Join::Implies),
            Op::Or => Some(Join::Or),
            Op::And => Some(Join::And),
            Op::Binary(_) => None,
        }
    }

    fn negates(self) -> bool {
        self == TokenKind::Not
    }

    fn condition(cursor: &mut Parser<'_>) -> Parse<ExprWithHeight> {
        cursor.binary(level::COMPARISON)
    }

    fn not(inner: Expr) -> ExprKind {
        ExprKind::Unary(UnaryOp::Not, Box::new(inner))
    }
}
