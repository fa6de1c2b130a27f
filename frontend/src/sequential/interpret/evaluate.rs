//! The values of expressions: direct, and stopped as soon as the result is known.

use super::{SeqFault, SeqFaultKind, arithmetic};
use crate::sequential::{Expr, ExprKind, Place, Quantified, Sequential, SortId, VariableId};

/// Evaluation in one state. The values of the binders in scope are a stack.
pub(super) struct Evaluator<'a> {
    model: &'a Sequential,
    state: &'a [i32],
    scope: Vec<i32>,
    /// The evaluations that are still allowed.
    pub(super) work: u64,
}

impl<'a> Evaluator<'a> {
    /// For a state, with these values for the parameters in scope.
    pub(super) fn new(model: &'a Sequential, state: &'a [i32], parameters: &[i32], work: u64) -> Evaluator<'a> {
        Evaluator { model, state, scope: parameters.to_vec(), work }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &Expr) -> Result<i32, SeqFault> {
        limits::work(1);
        let fault = |kind: SeqFaultKind| SeqFault { kind, span: expr.span };
        self.work = self.work.checked_sub(1).ok_or_else(|| fault(SeqFaultKind::WorkExhausted))?;
        match &expr.kind {
            ExprKind::Int(value) => Ok(*value),
            ExprKind::Member(_, index) => Ok(i32::try_from(*index).expect("sorts are bounded")),
            ExprKind::Parameter(id) => Ok(self.scope[id.index()]),
            ExprKind::Read(place) => Ok(self.state[self.element(place)?]),
            ExprKind::Lookup(id, indices) => {
                let table = self.model.table(*id);
                Ok(table.values[self.offset(None, &table.indices, indices)?])
            }
            ExprKind::Negate(inner) => {
                self.value(inner)?.checked_neg().ok_or_else(|| fault(SeqFaultKind::ArithmeticOverflow))
            }
            ExprKind::Not(inner) => Ok(i32::from(self.value(inner)? == 0)),
            ExprKind::PopCount(inner) => Ok(self.value(inner)?.count_ones().cast_signed()),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                arithmetic(*op, left, right).map_err(fault)
            }
            ExprKind::And(list) => self.until(list, false),
            ExprKind::Or(list) => self.until(list, true),
            ExprKind::Implies(left, right) => Ok(i32::from(self.value(left)? == 0 || self.value(right)? != 0)),
            ExprKind::Ite(condition, then, otherwise) => {
                if self.value(condition)? == 0 {
                    self.value(otherwise)
                } else {
                    self.value(then)
                }
            }
            ExprKind::Forall(quantified) => self.quantified(quantified, false),
            ExprKind::Exists(quantified) => self.quantified(quantified, true),
        }
    }

    /// Evaluates up to the first operand whose truth is `last`; the result says whether there is one.
    fn until(&mut self, list: &[Expr], last: bool) -> Result<i32, SeqFault> {
        for operand in list {
            if (self.value(operand)? != 0) == last {
                return Ok(i32::from(last));
            }
        }
        Ok(i32::from(!last))
    }

    fn quantified(&mut self, quantified: &Quantified, last: bool) -> Result<i32, SeqFault> {
        for value in self.model.domain(quantified.sort).values() {
            self.scope.push(value);
            let truth = self.value(&quantified.body);
            self.scope.pop();
            if (truth? != 0) == last {
                return Ok(i32::from(last));
            }
        }
        Ok(i32::from(!last))
    }

    /// The position in the state of the element that a place denotes.
    pub(super) fn element(&mut self, place: &Place) -> Result<usize, SeqFault> {
        let variable = self.model.variable(place.variable);
        Ok(variable.offset + self.offset(Some(place.variable), &variable.indices, &place.indices)?)
    }

    /// The row-major offset of a list of indices, of a variable or a table.
    fn offset(&mut self, variable: Option<VariableId>, sorts: &[SortId], indices: &[Expr]) -> Result<usize, SeqFault> {
        debug_assert_eq!(indices.len(), sorts.len(), "an index for each dimension");
        let mut offset = 0;
        for (index, &sort) in indices.iter().zip(sorts) {
            let domain = self.model.domain(sort);
            let value = self.value(index)?;
            if !domain.contains(value) {
                let kind = SeqFaultKind::IndexOutOfRange { index: value, sort, variable };
                return Err(SeqFault { kind, span: index.span });
            }
            let steps = i64::from(value) - i64::from(domain.bounds().0);
            offset = offset * domain.size() + usize::try_from(steps).expect("the domain holds the index");
        }
        Ok(offset)
    }
}
