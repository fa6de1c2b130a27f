//! The tables of operators: the operator of each token, and its level of binding.

use crate::model::BinaryOp;
use crate::syntax::ast::{self, UnaryOp};
use crate::syntax::temporal::Temporal2;
use crate::syntax::token::TokenKind;
use crate::text::Words;

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
    match kind {
        TokenKind::PipePipe => Some((Infix::Or, 1)),
        TokenKind::AmpAmp => Some((Infix::And, 2)),
        TokenKind::PlusPercent => Some((Infix::Binary(ast::BinaryOp::Rotate), 10)),
        TokenKind::InstanceOf => Some((Infix::InstanceOf, 8)),
        _ => {
            let op = BinaryOp::of(kind.fixed_text()?)?;
            Some((Infix::Binary(ast::BinaryOp::On(op)), 4 + op.on_numbers().level()))
        }
    }
}

/// `=` and the compound assignments.
pub(super) fn assignment(kind: TokenKind) -> Option<Option<BinaryOp>> {
    if kind == TokenKind::Assign {
        return Some(None);
    }
    let op = BinaryOp::of(kind.fixed_text()?.strip_suffix('=')?)?;
    (!op.on_numbers().is_comparison()).then_some(Some(op))
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
