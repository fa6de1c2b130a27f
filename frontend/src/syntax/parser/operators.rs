//! The tables of operators: the operator of each token, and its level of binding.

use crate::model::BinaryOp::{self, *};
use crate::syntax::ast::{self, UnaryOp};
use crate::syntax::temporal::Temporal2;
use crate::syntax::token::TokenKind;

/// An operator between two operands, below the ternary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Infix {
    /// `||`
    Or,
    /// `&&`
    And,
    /// Any other.
    Binary(ast::BinaryOp),
    /// `instanceof`, whose right side is a type.
    InstanceOf,
    /// `U`, `W`, `R`, in property files.
    Temporal(Temporal2),
}

/// The level of `U W R`: it binds more tightly than `&&` and more loosely than every operator of conditions, right
/// associative, as in SPIN and Spot.
pub(super) const TEMPORAL: u8 = 3;

/// The operator that a token denotes, and its level: a greater one binds tighter. All associate to the left, except
/// those of the level [`TEMPORAL`].
pub(super) fn infix(kind: TokenKind) -> Option<(Infix, u8)> {
    let (op, level) = match kind {
        TokenKind::PipePipe => return Some((Infix::Or, 1)),
        TokenKind::AmpAmp => return Some((Infix::And, 2)),
        TokenKind::PlusPercent => return Some((Infix::Binary(ast::BinaryOp::Rotate), 10)),
        TokenKind::InstanceOf => return Some((Infix::InstanceOf, 8)),
        TokenKind::Pipe => (BitOr, 4),
        TokenKind::Caret => (BitXor, 5),
        TokenKind::Amp => (BitAnd, 6),
        TokenKind::EqualEqual => (Equal, 7),
        TokenKind::NotEqual => (NotEqual, 7),
        TokenKind::Less => (Less, 8),
        TokenKind::LessEqual => (LessEqual, 8),
        TokenKind::Greater => (Greater, 8),
        TokenKind::GreaterEqual => (GreaterEqual, 8),
        TokenKind::ShiftLeft => (ShiftLeft, 9),
        TokenKind::ShiftRight => (ShiftRight, 9),
        TokenKind::ShiftRightUnsigned => (ShiftRightUnsigned, 9),
        TokenKind::Plus => (Add, 10),
        TokenKind::Minus => (Subtract, 10),
        TokenKind::Star => (Multiply, 11),
        TokenKind::Slash => (Divide, 11),
        TokenKind::Percent => (Remainder, 11),
        _ => return None,
    };
    Some((Infix::Binary(ast::BinaryOp::On(op)), level))
}

/// `=` and the compound assignments.
pub(super) fn assignment(kind: TokenKind) -> Option<Option<BinaryOp>> {
    Some(Some(match kind {
        TokenKind::Assign => return Some(None),
        TokenKind::PlusAssign => Add,
        TokenKind::MinusAssign => Subtract,
        TokenKind::StarAssign => Multiply,
        TokenKind::SlashAssign => Divide,
        TokenKind::PercentAssign => Remainder,
        TokenKind::AmpAssign => BitAnd,
        TokenKind::PipeAssign => BitOr,
        TokenKind::CaretAssign => BitXor,
        TokenKind::ShiftLeftAssign => ShiftLeft,
        TokenKind::ShiftRightAssign => ShiftRight,
        TokenKind::ShiftRightUnsignedAssign => ShiftRightUnsigned,
        _ => return None,
    }))
}

/// The prefix operators other than `++` and `--`.
pub(super) fn prefix(kind: TokenKind) -> Option<UnaryOp> {
    Some(match kind {
        TokenKind::Not => UnaryOp::Not,
        TokenKind::Minus => UnaryOp::Minus,
        TokenKind::Plus => UnaryOp::Plus,
        TokenKind::Tilde => UnaryOp::Complement,
        _ => return None,
    })
}

/// Whether an operand can start with this token.
pub(super) fn starts_operand(kind: TokenKind) -> bool {
    use TokenKind::{Character, False, Float, Identifier, Integer, New, Not, Null, ParenOpen, Question, Text};
    matches!(
        kind,
        Identifier
            | Integer
            | Float
            | Text
            | Character
            | ParenOpen
            | Not
            | TokenKind::Tilde
            | Question
            | New
            | TokenKind::This
            | TokenKind::True
            | False
            | Null
    )
}
