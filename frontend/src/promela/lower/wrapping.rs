//! Sums, differences and products of 32 bits, which wrap as in C.
//!
//! An operation wraps where the ranges of its operands leave room for a result of more bits; elsewhere it is the checked one, which every later
//! stage knows better. Ranges that are found for variables make more of them checked ones.
//!
//! Soundness: both give the same result where the checked one does not fault.

use super::Lowering;
use crate::sequential::interval::Interval;
use crate::sequential::{BinaryOp, Expr, ExprKind, SortId, Stmt, StmtKind, Typing, Values};

impl Lowering<'_> {
    /// Whether the result of an operation may have more than 32 bits.
    pub(super) fn may_overflow(&self, op: BinaryOp, left: &Expr, right: &Expr, scope: &[SortId]) -> bool {
        let interval = |expr: &Expr| match Typing::new(&self.model, scope.to_vec()).values(expr) {
            Some(Values::Range { low, high }) => Some(Interval::new(low, high)),
            _ => None,
        };
        interval(left).zip(interval(right)).is_none_or(|(left, right)| left.operate(op, right).faults)
    }

    /// The operator that wraps, where the result may have more than 32 bits.
    pub(super) fn fitting(&self, op: BinaryOp, left: &Expr, right: &Expr, scope: &[SortId]) -> BinaryOp {
        let wraps = op.wrapping().filter(|_| !self.wrong.faults_on_overflow());
        wraps.filter(|_| self.may_overflow(op, left, right, scope)).unwrap_or(op)
    }

    /// Replaces operations that wrap where the ranges of variables are small enough for checked ones.
    pub(super) fn plain_operations(&mut self) {
        let mut summands = std::mem::take(&mut self.model.summands);
        for summand in &mut summands {
            limits::work(1);
            let mut scope: Vec<SortId> = summand.parameters.iter().map(|parameter| parameter.sort).collect();
            self.plain(&mut summand.guard, &mut scope);
            self.plain_body(&mut summand.body, &mut scope);
        }
        self.model.summands = summands;
    }

    fn plain_body(&self, body: &mut [Stmt], scope: &mut Vec<SortId>) {
        for stmt in body {
            for expr in stmt.expressions_mut() {
                self.plain(expr, scope);
            }
            let binder = match &stmt.kind {
                StmtKind::For(parameter, _) => Some(parameter.sort),
                _ => None,
            };
            scope.extend(binder);
            for block in stmt.blocks_mut() {
                self.plain_body(block, scope);
            }
            scope.truncate(scope.len() - usize::from(binder.is_some()));
        }
    }

    fn plain(&self, expr: &mut Expr, scope: &mut Vec<SortId>) {
        if let ExprKind::Forall(quantified) | ExprKind::Exists(quantified) = &mut expr.kind {
            scope.push(quantified.sort);
            self.plain(&mut quantified.body, scope);
            scope.pop();
            return;
        }
        for operand in expr.operands_mut() {
            self.plain(operand, scope);
        }
        if let ExprKind::Binary(op, left, right) = &mut expr.kind
            && let Some(checked) = op.checked()
            && !self.may_overflow(checked, left, right, scope)
        {
            *op = checked;
        }
    }
}
