//! Evaluation of expressions to functions of the state before the step, following the reference semantics: order,
//! short-circuiting and faults are those of [`frontend::sequential::interpret`].
//!
//! Operations on two values pair their cases. Equality joins equal cases only, and inequality is its negation, so that neither operand is
//! preferred. Where no operand can fault, `&&`, `||` and quantifiers are unordered.

use frontend::sequential::interpret::arithmetic;
use frontend::sequential::{BinaryOp, Expr, ExprKind, Place, Quantified, Sequential, SortId, VariableId};

use super::value::Value;
use crate::condition::{Cond, Conditions, Datum, Term};

/// The most pairs of cases that one operation may have.
const MAX_PAIRS: usize = 1 << 20;

/// The source of the values of elements.
pub(super) trait Reader {
    /// The value of the element at `offset` of a version.
    fn read(&self, store: &mut Conditions, version: VariableId, offset: usize) -> Value;
    /// The variable of a version.
    fn variable(&self, version: VariableId) -> VariableId;
}

/// Evaluates expressions.
pub(super) struct Evaluator<'a, R> {
    pub(super) model: &'a Sequential,
    pub(super) store: &'a mut Conditions,
    pub(super) reader: &'a R,
    /// The values of the binders in scope.
    pub(super) scope: Vec<i32>,
}

impl<R: Reader> Evaluator<'_, R> {
    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &Expr) -> Value {
        if self.store.exhausted() {
            return Value::fault();
        }
        match &expr.kind {
            ExprKind::Int(value) => Value::constant(*value),
            ExprKind::Member(_, index) => Value::constant(i32::try_from(*index).expect("sorts are bounded")),
            ExprKind::Parameter(id) => Value::constant(self.scope[id.index()]),
            ExprKind::Read(place) => self.read(place),
            ExprKind::Lookup(id, indices) => {
                let model = self.model;
                let table = model.table(*id);
                let (offsets, fault) = self.offsets(&table.indices, indices);
                let cases =
                    offsets.into_iter().map(|(offset, when)| (Datum::Value(table.values[offset]), when)).collect();
                Value::gathered(self.store, cases, fault)
            }
            ExprKind::Negate(inner) => {
                // 0 - x faults where -x does.
                let value = self.value(inner);
                self.binary(BinaryOp::Subtract, &Value::constant(0), &value)
            }
            ExprKind::Not(inner) => {
                let value = self.truth(inner);
                let truth = value.fails();
                Value::truth(self.store, truth, value.fault)
            }
            ExprKind::PopCount(inner) => self.bits(inner),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                self.binary(*op, &left, &right)
            }
            ExprKind::And(list) => self.chain(list.iter().map(|operand| (None, operand)), true),
            ExprKind::Or(list) => self.chain(list.iter().map(|operand| (None, operand)), false),
            ExprKind::Implies(left, right) => {
                let left = self.truth(left);
                let (holds, fails) = (left.holds(self.store), left.fails());
                let right = if holds == Cond::FALSE { Value::constant(1) } else { self.truth(right) };
                Value::select(self.store, &[(fails, &Value::constant(1)), (holds, &right)], left.fault)
            }
            ExprKind::Ite(condition, then, otherwise) => {
                let condition = self.truth(condition);
                let (holds, fails) = (condition.holds(self.store), condition.fails());
                let then = if holds == Cond::FALSE { Value::fault() } else { self.value(then) };
                let otherwise = if fails == Cond::FALSE { Value::fault() } else { self.value(otherwise) };
                Value::select(self.store, &[(holds, &then), (fails, &otherwise)], condition.fault)
            }
            ExprKind::Forall(quantified) => self.quantified(quantified, true),
            ExprKind::Exists(quantified) => self.quantified(quantified, false),
        }
    }

    /// The value of a condition: a term only counts as zero or not zero.
    pub(super) fn truth(&mut self, expr: &Expr) -> Value {
        let value = self.value(expr);
        value.decided(self.store)
    }

    fn bits(&mut self, inner: &Expr) -> Value {
        let value = self.value(inner);
        let mut cases = Vec::new();
        for &(operand, when) in &value.cases {
            let result = match operand {
                Datum::Value(operand) => Some(Datum::Value(operand.count_ones().cast_signed())),
                Datum::Term(operand) => self.store.terms.intern(Term::Bits(operand)).map(Datum::Term),
            };
            match result {
                Some(result) => cases.push((result, when)),
                None => self.store.exhaust(),
            }
        }
        Value::gathered(self.store, cases, value.fault)
    }

    fn binary(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Value {
        let fault = self.store.or([left.fault, right.fault]);
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            let mut same = Vec::new();
            let terms = right.has_terms();
            for &(value, when) in &left.cases {
                if let (Datum::Value(value), false) = (value, terms) {
                    let other = right.when(value);
                    same.push(self.store.both(when, other));
                    continue;
                }
                for &(other, there) in &right.cases {
                    let alike = self.store.same(value, other);
                    if alike != Cond::FALSE {
                        let both = self.store.both(when, there);
                        same.push(self.store.both(both, alike));
                    }
                }
            }
            let equal = self.store.or(same);
            let equal = Value::truth(self.store, equal, fault);
            if op == BinaryOp::Equal {
                return equal;
            }
            return Value::truth(self.store, equal.fails(), fault);
        }
        if left.cases.len().saturating_mul(right.cases.len()) > MAX_PAIRS {
            self.store.exhaust();
            return Value::fault();
        }
        let mut faults = vec![fault];
        let mut cases = Vec::new();
        for &(a, when_a) in &left.cases {
            for &(b, when_b) in &right.cases {
                let when = self.store.both(when_a, when_b);
                if when == Cond::FALSE {
                    continue;
                }
                if let (Datum::Value(a), Datum::Value(b)) = (a, b) {
                    match arithmetic(op, a, b) {
                        Ok(result) => cases.push((Datum::Value(result), when)),
                        Err(_) => faults.push(when),
                    }
                    continue;
                }
                let (results, fault) = self.store.compute(op, a, b);
                for (result, inner) in results {
                    cases.push((result, self.store.both(when, inner)));
                }
                faults.push(self.store.both(when, fault));
            }
        }
        let fault = self.store.or(faults);
        Value::gathered(self.store, cases, fault)
    }

    fn quantified(&mut self, quantified: &Quantified, conjunction: bool) -> Value {
        let values = self.model.domain(quantified.sort).values();
        self.chain(values.map(|value| (Some(value), &quantified.body)), conjunction)
    }

    /// A short-circuit conjunction or disjunction of operands, some of them below a binder with a value.
    fn chain<'e>(&mut self, operands: impl Iterator<Item = (Option<i32>, &'e Expr)>, conjunction: bool) -> Value {
        let mut truths = Vec::new();
        // When every operand so far was evaluated and did not decide.
        let mut undecided = Vec::new();
        let mut faults = Vec::new();
        for (binding, operand) in operands {
            self.scope.extend(binding);
            let value = self.truth(operand);
            self.scope.truncate(self.scope.len() - usize::from(binding.is_some()));
            let (holds, fails) = (value.holds(self.store), value.fails());
            if value.fault != Cond::FALSE {
                let reached = self.store.and(undecided.iter().copied().chain([value.fault]));
                faults.push(reached);
            }
            truths.push(holds);
            undecided.push(if conjunction { holds } else { fails });
            if (if conjunction { holds } else { fails }) == Cond::FALSE {
                break;
            }
        }
        let fault = self.store.or(faults);
        let truth = if conjunction {
            self.store.and(truths)
        } else {
            let truth = self.store.or(truths);
            let sound = self.store.not(fault);
            self.store.both(truth, sound)
        };
        Value::truth(self.store, truth, fault)
    }

    fn read(&mut self, place: &Place) -> Value {
        let model = self.model;
        let variable = model.variable(self.reader.variable(place.variable));
        let (offsets, fault) = self.offsets(&variable.indices, &place.indices);
        let values: Vec<(Cond, Value)> = offsets
            .into_iter()
            .map(|(offset, when)| (when, self.reader.read(self.store, place.variable, offset)))
            .collect();
        let choices: Vec<(Cond, &Value)> = values.iter().map(|(when, value)| (*when, value)).collect();
        Value::select(self.store, &choices, fault)
    }

    /// The row-major offsets that a list of indices may mean, each with its condition, and when one is out of range.
    pub(super) fn offsets(&mut self, sorts: &[SortId], indices: &[Expr]) -> (Vec<(usize, Cond)>, Cond) {
        let mut offsets = vec![(0, Cond::TRUE)];
        debug_assert_eq!(indices.len(), sorts.len(), "an index for each dimension");
        let mut faults = Vec::new();
        for (index, &sort) in indices.iter().zip(sorts) {
            let domain = self.model.domain(sort);
            let value = self.value(index).concrete(self.store, domain);
            let reached: Vec<Cond> = offsets.iter().map(|&(_, when)| when).collect();
            let reached = self.store.or(reached);
            let mut outside = vec![value.fault];
            let mut longer = Vec::new();
            for &(step, when) in &value.cases {
                let Datum::Value(step) = step else { continue };
                if !domain.contains(step) {
                    outside.push(when);
                    continue;
                }
                let step =
                    usize::try_from(i64::from(step) - i64::from(domain.bounds().0)).expect("the domain holds it");
                for &(offset, before) in &offsets {
                    longer.push((offset * domain.size() + step, self.store.both(before, when)));
                }
            }
            let outside = self.store.or(outside);
            faults.push(self.store.both(reached, outside));
            longer.retain(|&(_, when)| when != Cond::FALSE);
            offsets = longer;
        }
        let fault = self.store.or(faults);
        (offsets, fault)
    }
}
