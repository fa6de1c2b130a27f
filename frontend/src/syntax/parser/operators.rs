//! The tables of operators: which token is which operator, and how tightly it binds.

use crate::syntax::ast::{BinaryOp, Temporal1, Temporal2, UnaryOp};
use crate::syntax::token::TokenKind;

/// An operator between two operands, below the ternary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Infix {
    /// `||`
    Or,
    /// `&&`
    And,
    /// Any other.
    Binary(BinaryOp),
    /// `instanceof`, whose right side is a type.
    InstanceOf,
}

/// The operator that a token is, and its level: a greater one binds tighter. All associate to the left.
pub(super) fn infix(kind: TokenKind) -> Option<(Infix, u8)> {
    use BinaryOp::*;
    let (op, level) = match kind {
        TokenKind::PipePipe => return Some((Infix::Or, 1)),
        TokenKind::AmpAmp => return Some((Infix::And, 2)),
        TokenKind::InstanceOf => return Some((Infix::InstanceOf, 7)),
        TokenKind::Pipe => (BitOr, 3),
        TokenKind::Caret => (BitXor, 4),
        TokenKind::Amp => (BitAnd, 5),
        TokenKind::EqualEqual => (Equal, 6),
        TokenKind::NotEqual => (NotEqual, 6),
        TokenKind::Less => (Less, 7),
        TokenKind::LessEqual => (LessEqual, 7),
        TokenKind::Greater => (Greater, 7),
        TokenKind::GreaterEqual => (GreaterEqual, 7),
        TokenKind::ShiftLeft => (ShiftLeft, 8),
        TokenKind::ShiftRight => (ShiftRight, 8),
        TokenKind::ShiftRightUnsigned => (ShiftRightUnsigned, 8),
        TokenKind::Plus => (Add, 9),
        TokenKind::Minus => (Subtract, 9),
        TokenKind::PlusPercent => (Rotate, 9),
        TokenKind::Star => (Multiply, 10),
        TokenKind::Slash => (Divide, 10),
        TokenKind::Percent => (Remainder, 10),
        _ => return None,
    };
    Some((Infix::Binary(op), level))
}

/// `=` and the compound assignments.
pub(super) fn assignment(kind: TokenKind) -> Option<Option<BinaryOp>> {
    use BinaryOp::*;
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

/// `G`, `F`, `X`.
pub(super) fn temporal1(word: &str) -> Option<Temporal1> {
    Some(match word {
        "G" => Temporal1::Globally,
        "F" => Temporal1::Finally,
        "X" => Temporal1::Next,
        _ => return None,
    })
}

/// `U`, `W`, `R`.
pub(super) fn temporal2(word: &str) -> Option<Temporal2> {
    Some(match word {
        "U" => Temporal2::Until,
        "W" => Temporal2::WeakUntil,
        "R" => Temporal2::Release,
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
