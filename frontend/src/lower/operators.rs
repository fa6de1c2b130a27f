//! Unary and binary operators: the sorts of their operands and results.

use super::body::Builder;
use super::constants::too_large;
use super::expressions::{INT, negate};
use crate::diagnostics::{Diagnostic, codes};
use crate::model::{BinaryOp, Expr, ExprKind, Sort, UnaryOp};
use crate::source::Span;
use crate::syntax::ast;

impl Builder<'_, '_, '_> {
    pub(super) fn unary(&mut self, op: ast::UnaryOp, inner: &ast::Expr, span: Span) -> Option<Expr> {
        if let (ast::UnaryOp::Minus, &ast::ExprKind::Int(value)) = (op, &inner.kind) {
            let negated = i64::try_from(value).ok().and_then(|value| i32::try_from(-value).ok());
            if negated.is_none() {
                self.report(*too_large(value, span));
            }
            return negated.map(|value| Expr { kind: ExprKind::Int(value), sort: INT, span });
        }
        let value = self.expression(inner, None)?;
        match (op, value.sort) {
            (ast::UnaryOp::Not, Sort::Bool) => Some(Expr { span, ..negate(value) }),
            (ast::UnaryOp::Plus, Sort::Int(_)) => Some(Expr { span, ..value }),
            (ast::UnaryOp::Minus, Sort::Int(_)) => {
                if let ExprKind::Int(number @ 0..) = value.kind {
                    // The result is as if the constant were written in its place.
                    return Some(Expr { kind: ExprKind::Int(-number), sort: INT, span });
                }
                Some(Expr { kind: ExprKind::Unary(UnaryOp::Negate, Box::new(value)), sort: INT, span })
            }
            (ast::UnaryOp::Complement, Sort::Int(_)) => {
                Some(Expr { kind: ExprKind::Unary(UnaryOp::Complement, Box::new(value)), sort: INT, span })
            }
            (_, Sort::Scalar(_)) => self.scalar_operand(&value),
            (_, sort) => {
                let wanted = if op == ast::UnaryOp::Not { "boolean" } else { "int" };
                let message = format!("the operator takes `{wanted}`, not `{}`", self.sort_name(sort));
                self.refuse(codes::BAD_OPERAND, span, message)
            }
        }
    }

    fn scalar_operand(&mut self, value: &Expr) -> Option<Expr> {
        let message = format!("a {} is compared and indexed only", self.sort_name(value.sort));
        self.refuse(codes::SCALAR_RESTRICTION, value.span, message)
    }

    pub(super) fn binary(
        &mut self,
        op: ast::BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        let operands = self.operand_list(&[(left, None), (right, None)])?;
        let [left, right]: [Expr; 2] = operands.try_into().expect("two operands");
        self.combine(op, left, right, span)
    }

    /// Types a binary operation on lowered operands.
    pub(super) fn combine(&mut self, op: ast::BinaryOp, left: Expr, right: Expr, span: Span) -> Option<Expr> {
        let ast::BinaryOp::On(operator) = op else { return self.rotation(left, right, span) };
        let sort = match operator {
            BinaryOp::Equal | BinaryOp::NotEqual => self.comparable(&left, &right, span).then_some(Sort::Bool)?,
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                self.both_integers(&left, &right)?;
                Sort::Bool
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor
                if left.sort == Sort::Bool && right.sort == Sort::Bool =>
            {
                Sort::Bool
            }
            _ => {
                self.both_integers(&left, &right)?;
                INT
            }
        };
        Some(Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), sort, span })
    }

    fn both_integers(&mut self, left: &Expr, right: &Expr) -> Option<()> {
        for operand in [left, right] {
            match operand.sort {
                Sort::Int(_) => {}
                Sort::Scalar(_) => {
                    self.scalar_operand(operand);
                    return None;
                }
                sort => {
                    let message = format!("the operator takes `int`, not `{}`", self.sort_name(sort));
                    return self.refuse(codes::BAD_OPERAND, operand.span, message);
                }
            }
        }
        Some(())
    }

    fn comparable(&mut self, left: &Expr, right: &Expr, span: Span) -> bool {
        let is_rebec = |sort| matches!(sort, Sort::Rebec(_) | Sort::AnyRebec);
        match (left.sort, right.sort) {
            (Sort::Int(_), Sort::Int(_)) | (Sort::Bool, Sort::Bool) => true,
            (a, b) if is_rebec(a) && is_rebec(b) => true,
            (Sort::Scalar(a), Sort::Scalar(b)) if a == b => true,
            (Sort::Scalar(_), Sort::Int(_)) | (Sort::Int(_), Sort::Scalar(_)) => {
                let message = "a scalar is compared with scalars of its own set only";
                let help = "comparing with a fixed value would distinguish the members of the group";
                self.report(Diagnostic::error(codes::SCALAR_RESTRICTION, span, message).help(help));
                false
            }
            (a, b) => {
                let message = format!("`{}` and `{}` are never equal", self.sort_name(a), self.sort_name(b));
                self.error(codes::TYPE_MISMATCH, span, message);
                false
            }
        }
    }

    fn rotation(&mut self, left: Expr, right: Expr, span: Span) -> Option<Expr> {
        if !matches!(left.sort, Sort::Scalar(_)) {
            let message = format!("`+%` rotates a scalar, not `{}`", self.sort_name(left.sort));
            return self.refuse(codes::BAD_OPERAND, left.span, message);
        }
        if !matches!(right.sort, Sort::Int(_)) {
            let message = format!("`+%` rotates by an integer, not by `{}`", self.sort_name(right.sort));
            return self.refuse(codes::BAD_OPERAND, right.span, message);
        }
        let sort = left.sort;
        Some(Expr { kind: ExprKind::Rotate(Box::new(left), Box::new(right)), sort, span })
    }
}
