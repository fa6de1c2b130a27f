//! Sums, differences and products of 32 bits, which wrap as in C, and values that are cut to the bits of a type.
//!
//! An operation wraps where the ranges of its operands leave room for a result of more bits; elsewhere it is the checked one, which every later
//! stage knows better. Ranges that are found for variables make more of them checked ones, and leave nothing to cut from some values.
//!
//! Soundness: both give the same result where the checked one does not fault; a value within the bits is what is left when it is cut. Slots and
//! locals that hold nothing are not read (`narrow`).

use std::collections::BTreeSet;

use super::Lowering;
use crate::sequential::interval::Interval;
use crate::sequential::{BinaryOp, Expr, ExprKind, SortId, Stmt, StmtKind, Typing, Values, VariableId};

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

    /// Replaces operations that wrap where the ranges of variables are small enough for checked ones, and cut values by whole ones.
    pub(super) fn plain_operations(&mut self) {
        let may_be_free = self.may_be_free();
        let mut summands = std::mem::take(&mut self.model.summands);
        for summand in &mut summands {
            limits::work(1);
            let mut scope: Vec<SortId> = summand.parameters.iter().map(|parameter| parameter.sort).collect();
            self.plain(&mut summand.guard, &mut scope, &may_be_free);
            self.plain_body(&mut summand.body, &mut scope, &may_be_free);
        }
        self.model.summands = summands;
    }

    fn plain_body(&self, body: &mut [Stmt], scope: &mut Vec<SortId>, may_be_free: &BTreeSet<VariableId>) {
        for stmt in body {
            for expr in stmt.expressions_mut() {
                self.plain(expr, scope, may_be_free);
            }
            let binder = match &stmt.kind {
                StmtKind::For(parameter, _) => Some(parameter.sort),
                _ => None,
            };
            scope.extend(binder);
            for block in stmt.blocks_mut() {
                self.plain_body(block, scope, may_be_free);
            }
            scope.truncate(scope.len() - usize::from(binder.is_some()));
        }
    }

    fn plain(&self, expr: &mut Expr, scope: &mut Vec<SortId>, may_be_free: &BTreeSet<VariableId>) {
        if let ExprKind::Forall(quantified) | ExprKind::Exists(quantified) = &mut expr.kind {
            scope.push(quantified.sort);
            self.plain(&mut quantified.body, scope, may_be_free);
            scope.pop();
            return;
        }
        for operand in expr.operands_mut() {
            self.plain(operand, scope, may_be_free);
        }
        if let ExprKind::Binary(op, left, right) = &mut expr.kind
            && let Some(checked) = op.checked()
            && !self.may_overflow(checked, left, right, scope)
        {
            *op = checked;
        }
        if let ExprKind::Binary(BinaryOp::BitAnd, value, mask) = &mut expr.kind
            && let ExprKind::Int(mask) = mask.kind
            && (self.has_only(value, mask, scope, may_be_free) || self.wrong.cuts_nothing())
        {
            expr.kind = std::mem::replace(&mut value.kind, ExprKind::Int(0));
        }
    }

    /// Whether a value has no other bits than those of a type with so many ones.
    fn has_only(&self, value: &Expr, ones: i32, scope: &[SortId], may_be_free: &BTreeSet<VariableId>) -> bool {
        let Some(Values::Range { low, high }) = Typing::new(&self.model, scope.to_vec()).values(value) else {
            return false;
        };
        let is_read = matches!(&value.kind, ExprKind::Read(place) if may_be_free.contains(&place.variable));
        let low = if is_read { low.max(0) } else { low };
        low >= 0 && high <= ones && ones.count_ones() + ones.leading_zeros() == i32::BITS
    }
}
