//! The operators of Murphi and their precedence.

use super::ast::{BinaryOp, UnaryOp};
use super::token::TokenKind;

/// The precedence of an operator: later levels bind tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::murphi) enum Level {
    /// `? :`
    Conditional,
    /// `->`
    Implies,
    /// `||`
    DoubleOr,
    /// `&&`
    DoubleAnd,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `&`
    And,
    /// `!`
    Not,
    /// `= != < <= > >=`
    Comparison,
    /// `<< >>`
    Shift,
    /// `+ -`
    Sum,
    /// `* / %` and the operand of a prefix `-`
    Product,
    /// `~`
    Complement,
    /// Operands.
    Operand,
}

impl Level {
    /// The next tighter level.
    pub(in crate::murphi) fn tighter(self) -> Level {
        use Level::{
            And, Comparison, Complement, Conditional, DoubleAnd, DoubleOr, Implies, Not, Operand, Or, Product, Shift,
            Sum, Xor,
        };
        const LEVELS: [Level; 14] = [
            Conditional,
            Implies,
            DoubleOr,
            DoubleAnd,
            Or,
            Xor,
            And,
            Not,
            Comparison,
            Shift,
            Sum,
            Product,
            Complement,
            Operand,
        ];
        LEVELS[(self as usize + 1).min(LEVELS.len() - 1)]
    }
}

/// An infix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Infix {
    /// `? :`
    Conditional,
    /// `|` or `||`
    Or(Level),
    /// `&` or `&&`
    And(Level),
    /// Any other.
    Binary(BinaryOp),
}

impl Infix {
    /// The infix operator that a token is.
    pub(super) fn of(kind: TokenKind) -> Option<Infix> {
        Some(match kind {
            TokenKind::Question => Infix::Conditional,
            TokenKind::Or => Infix::Or(Level::DoubleOr),
            TokenKind::Bar => Infix::Or(Level::Or),
            TokenKind::And => Infix::And(Level::DoubleAnd),
            TokenKind::Ampersand => Infix::And(Level::And),
            TokenKind::Implies => Infix::Binary(BinaryOp::Implies),
            TokenKind::Caret => Infix::Binary(BinaryOp::Xor),
            TokenKind::Equal | TokenKind::EqualEqual => Infix::Binary(BinaryOp::Equal),
            TokenKind::NotEqual => Infix::Binary(BinaryOp::NotEqual),
            TokenKind::Less => Infix::Binary(BinaryOp::Less),
            TokenKind::LessEqual => Infix::Binary(BinaryOp::LessEqual),
            TokenKind::Greater => Infix::Binary(BinaryOp::Greater),
            TokenKind::GreaterEqual => Infix::Binary(BinaryOp::GreaterEqual),
            TokenKind::ShiftLeft => Infix::Binary(BinaryOp::ShiftLeft),
            TokenKind::ShiftRight => Infix::Binary(BinaryOp::ShiftRight),
            TokenKind::Plus => Infix::Binary(BinaryOp::Add),
            TokenKind::Minus => Infix::Binary(BinaryOp::Subtract),
            TokenKind::Star => Infix::Binary(BinaryOp::Multiply),
            TokenKind::Slash => Infix::Binary(BinaryOp::Divide),
            TokenKind::Percent => Infix::Binary(BinaryOp::Remainder),
            _ => return None,
        })
    }

    /// Its precedence.
    pub(super) fn level(self) -> Level {
        match self {
            Infix::Conditional => Level::Conditional,
            Infix::Or(level) | Infix::And(level) => level,
            Infix::Binary(op) => op.level(),
        }
    }
}

impl BinaryOp {
    /// Its precedence.
    pub(in crate::murphi) fn level(self) -> Level {
        match self {
            BinaryOp::Implies => Level::Implies,
            BinaryOp::Xor => Level::Xor,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => Level::Shift,
            BinaryOp::Add | BinaryOp::Subtract => Level::Sum,
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => Level::Product,
            _ => Level::Comparison,
        }
    }

    /// Whether two of them in a row need parentheses.
    pub(in crate::murphi) fn is_chained(self) -> bool {
        !matches!(self.level(), Level::Implies | Level::Comparison)
    }
}

impl UnaryOp {
    /// The loosest level of its operand.
    pub(in crate::murphi) fn operand(self) -> Level {
        match self {
            UnaryOp::Negate => Level::Complement,
            UnaryOp::Not => Level::Comparison,
            UnaryOp::Complement => Level::Operand,
        }
    }
}
