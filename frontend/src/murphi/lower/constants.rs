//! Values of constants, computed when a model is read.

use super::Lowering;
use crate::diagnostics::codes;
use crate::murphi::interpret::{FaultKind, binary, unary};
use crate::murphi::program::{BinaryOp, Expr, ExprKind, TypeId, Types};
use crate::murphi::syntax::ast;
use crate::source::Span;

/// A constant and its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    /// The value.
    pub(super) value: i32,
    /// Its type.
    pub(super) of: TypeId,
}

/// Why an expression has no value that is known.
enum Unknown {
    /// It reads something that is no constant.
    Reads(Span),
    /// It faults.
    Faults(FaultKind, Span),
}

/// The value of an expression without variables. As in rumur, zero divided, shifted or multiplied is zero whatever the
/// other operand.
fn fold(expr: &Expr) -> Result<i32, Unknown> {
    match &expr.kind {
        ExprKind::Value(value) => Ok(*value),
        ExprKind::Unary(op, inner) => unary(*op, fold(inner)?).map_err(|kind| Unknown::Faults(kind, expr.span)),
        ExprKind::Binary(op, left, right) => {
            use BinaryOp::{Divide, Multiply, Remainder, ShiftLeft, ShiftRight};
            let value = fold(left)?;
            match fold(right) {
                Err(Unknown::Reads(_))
                    if value == 0 && matches!(op, Divide | Multiply | Remainder | ShiftLeft | ShiftRight) =>
                {
                    Ok(0)
                }
                right => binary(*op, value, right?).map_err(|kind| Unknown::Faults(kind, expr.span)),
            }
        }
        ExprKind::And(list) => until(list, 0),
        ExprKind::Or(list) => until(list, 1),
        ExprKind::Implies(left, right) => {
            if fold(left)? == 0 {
                Ok(1)
            } else {
                fold(right)
            }
        }
        ExprKind::Conditional(condition, then, otherwise) => fold(if fold(condition)? == 0 { otherwise } else { then }),
        _ => Err(Unknown::Reads(expr.span)),
    }
}

fn until(list: &[Expr], last: i32) -> Result<i32, Unknown> {
    for operand in list {
        if fold(operand)? == last {
            return Ok(last);
        }
    }
    Ok(1 - last)
}

/// The value of an expression, if it is a constant that can be computed.
pub(super) fn known(expr: &Expr) -> Option<i32> {
    fold(expr).ok()
}

impl Lowering<'_> {
    /// A constant as it is written.
    pub(super) fn constant(&mut self, expr: &ast::Expr) -> Option<Value> {
        let lowered = self.expression(expr)?;
        let value = self.folded(&lowered)?;
        Some(Value { value, of: lowered.of })
    }

    /// An integer constant as it is written.
    pub(super) fn integer(&mut self, expr: &ast::Expr) -> Option<i32> {
        let lowered = self.expression(expr)?;
        self.needs(&lowered, Types::INTEGER)?;
        self.folded(&lowered)
    }

    /// The value of an expression; reports one that is no constant.
    pub(super) fn folded(&mut self, expr: &Expr) -> Option<i32> {
        match fold(expr) {
            Ok(value) => Some(value),
            Err(Unknown::Reads(span)) => {
                let help = "use literals, constants, members of enumerations and operators";
                self.refuse(codes::MURPHI_NOT_CONSTANT, span, "this is no constant", help)
            }
            Err(Unknown::Faults(kind, span)) => {
                let message = format!("the constant cannot be computed: {}", kind.text(&self.program.types));
                self.refuse(codes::MURPHI_CONSTANT_FAULT, span, message, "correct the expression")
            }
        }
    }
}
