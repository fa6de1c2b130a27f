//! The operators of Murphi and their precedence.

use super::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use super::cursor::Parser;
use super::token::TokenKind;
use crate::diagnostics::codes;
use crate::text::{Grouping, Infix, Operators, Parse, Tall, Words};

/// The levels of operators: greater ones bind tighter.
pub(in crate::murphi) mod level {
    /// `? :`
    pub(in crate::murphi) const CONDITIONAL: u8 = 0;
    /// `->`
    pub(in crate::murphi) const IMPLIES: u8 = 1;
    /// `||`
    pub(in crate::murphi) const DOUBLE_OR: u8 = 2;
    /// `&&`
    pub(in crate::murphi) const DOUBLE_AND: u8 = 3;
    /// `|`
    pub(in crate::murphi) const OR: u8 = 4;
    /// `^`
    pub(in crate::murphi) const XOR: u8 = 5;
    /// `&`
    pub(in crate::murphi) const AND: u8 = 6;
    /// `!`
    pub(in crate::murphi) const NOT: u8 = 7;
    /// `= != < <= > >=`
    pub(in crate::murphi) const COMPARISON: u8 = 8;
    /// `<< >>`
    pub(in crate::murphi) const SHIFT: u8 = 9;
    /// `+ -`
    pub(in crate::murphi) const SUM: u8 = 10;
    /// `* / %` and the operand of a prefix `-`
    pub(in crate::murphi) const PRODUCT: u8 = 11;
    /// `~`
    pub(in crate::murphi) const COMPLEMENT: u8 = 12;
    /// Operands.
    pub(in crate::murphi) const OPERAND: u8 = 13;
}

/// An infix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    /// `|` or `||`
    Or,
    /// `&` or `&&`
    And,
    /// Any other.
    Binary(BinaryOp),
}

impl Operators for TokenKind {
    type Op = Op;

    fn infix(parser: &Parser<'_>) -> Option<Infix<Op>> {
        let list = |op, level| Some(Infix { op, level, grouping: Grouping::List });
        let op = match parser.kind() {
            TokenKind::Or => return list(Op::Or, level::DOUBLE_OR),
            TokenKind::Bar => return list(Op::Or, level::OR),
            TokenKind::And => return list(Op::And, level::DOUBLE_AND),
            TokenKind::Ampersand => return list(Op::And, level::AND),
            TokenKind::EqualEqual => BinaryOp::Equal,
            kind => BinaryOp::of(kind.fixed_text()?)?,
        };
        let grouping = if op.is_chained() { Grouping::Left } else { Grouping::NonAssociative };
        Some(Infix { op: Op::Binary(op), level: op.level(), grouping })
    }

    fn operand(parser: &mut Parser<'_>) -> Parse<Tall<ExprKind>> {
        parser.prefix()
    }

    fn join(op: Op, left: Expr, right: Expr) -> ExprKind {
        match op {
            Op::Binary(op) => ExprKind::Binary(op, Box::new(left), Box::new(right)),
            list => TokenKind::list(list, vec![left, right]),
        }
    }

    fn list(op: Op, operands: Vec<Expr>) -> ExprKind {
        if op == Op::And { ExprKind::And(operands) } else { ExprKind::Or(operands) }
    }

    fn report_chain(parser: &mut Parser<'_>, op: Op) {
        let Op::Binary(op) = op else { return };
        let message = format!("`{}` cannot be chained", op.symbol());
        parser.report(codes::MURPHI_CHAINED, parser.span(), message, Some("put one of them into parentheses"));
    }
}

impl BinaryOp {
    /// Its precedence.
    pub(in crate::murphi) fn level(self) -> u8 {
        match self {
            BinaryOp::Implies => level::IMPLIES,
            BinaryOp::Xor => level::XOR,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => level::SHIFT,
            BinaryOp::Add | BinaryOp::Subtract => level::SUM,
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => level::PRODUCT,
            _ => level::COMPARISON,
        }
    }

    /// Whether two of them in a row need no parentheses.
    pub(in crate::murphi) fn is_chained(self) -> bool {
        !matches!(self.level(), level::IMPLIES | level::COMPARISON)
    }
}

impl UnaryOp {
    /// The loosest level of its operand.
    pub(in crate::murphi) fn operand(self) -> u8 {
        match self {
            UnaryOp::Negate => level::COMPLEMENT,
            UnaryOp::Not => level::COMPARISON,
            UnaryOp::Complement => level::OPERAND,
        }
    }
}
