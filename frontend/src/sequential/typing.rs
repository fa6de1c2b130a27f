//! The types of expressions, and the values that an expression may have.
//!
//! Integers of all ranges mix; members of an enumeration mix only with members of the same enumeration. A condition is
//! an integer that can only be 0 or 1. Intervals decide this: each operator maps the intervals of its operands to one
//! that holds every result. So `x xor y` of two bits is a condition, and `x + y` is not. The lowering and the verifier
//! share this file.
//!
//! Soundness: an interval may be too wide, never too narrow. Results that overflow are faults and lie in no interval.

use super::{
    BinaryOp, Domain, Expr, ExprKind, Interval, MAX_COMBINATIONS, ParameterId, Place, Sequential, SortId, ValueKind,
};
use crate::source::Span;

/// A superset of the values that an expression may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// The integers from `low` to `high`.
    Range {
        /// The least.
        low: i32,
        /// The greatest.
        high: i32,
    },
    /// The members of an enumeration.
    Members(SortId),
}

impl Values {
    /// The kind of the values.
    pub fn kind(self) -> ValueKind {
        match self {
            Values::Range { .. } => ValueKind::Integer,
            Values::Members(sort) => ValueKind::Member(sort),
        }
    }

    /// Whether only 0 and 1 are possible.
    pub fn is_condition(self) -> bool {
        matches!(self, Values::Range { low: 0.., high: ..=1 })
    }

    fn of(interval: Interval) -> Values {
        Values::Range { low: interval.low, high: interval.high }
    }
}

const TRUTH: Values = Values::Range { low: 0, high: 1 };

/// A type error and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeError {
    /// The expression.
    pub span: Span,
    /// The error.
    pub fault: TypeFault,
}

/// The kinds of type errors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeFault {
    /// A value of another kind is needed.
    Kind {
        /// The kind that is needed.
        expected: ValueKind,
        /// The kind that was found.
        found: ValueKind,
    },
    /// A condition is needed, and the value can be another one than 0 and 1.
    Condition(Values),
    /// More or fewer indices than there are dimensions.
    IndexCount {
        /// The name of the variable or table.
        name: String,
        /// Its dimensions.
        expected: usize,
        /// The indices given.
        found: usize,
    },
    /// The binders around a place have more than [`MAX_COMBINATIONS`] combinations of values.
    Combinations,
}

/// A walk over expressions that collects type errors.
#[derive(Debug)]
pub struct Typing<'a> {
    model: &'a Sequential,
    scope: Vec<SortId>,
    /// The errors so far, in the order of the walk.
    pub errors: Vec<TypeError>,
}

impl<'a> Typing<'a> {
    /// A walk with parameters of these sorts in scope.
    pub fn new(model: &'a Sequential, scope: Vec<SortId>) -> Typing<'a> {
        Typing { model, scope, errors: Vec::new() }
    }

    /// The values of an expression; `None` after an error that leaves them undetermined.
    ///
    /// # Panics
    /// If an id of the expression names nothing.
    pub fn values(&mut self, expr: &Expr) -> Option<Values> {
        limits::work(1);
        match &expr.kind {
            ExprKind::Int(value) => Some(Values::Range { low: *value, high: *value }),
            ExprKind::Member(sort, _) => Some(Values::Members(*sort)),
            ExprKind::Parameter(ParameterId(id)) => Some(self.values_of_sort(self.scope[*id as usize])),
            ExprKind::Read(place) => self.place(place),
            ExprKind::Lookup(table, indices) => {
                let table = self.model.table(*table);
                self.indices(&table.name, &table.indices, indices, expr.span);
                Some(values_of_table(table.kind, &table.values))
            }
            ExprKind::Negate(inner) => Some(Values::of(self.integer(inner)?.negated())),
            ExprKind::Not(inner) => {
                self.condition(inner);
                Some(TRUTH)
            }
            ExprKind::PopCount(inner) => Some(Values::of(self.integer(inner)?.ones())),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::And(list) | ExprKind::Or(list) => {
                list.iter().for_each(|operand| self.condition(operand));
                Some(TRUTH)
            }
            ExprKind::Implies(left, right) => {
                self.condition(left);
                self.condition(right);
                Some(TRUTH)
            }
            ExprKind::Ite(condition, then, otherwise) => self.choice(condition, then, otherwise),
            ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
                self.bind(quantified.sort, expr.span, |typing| typing.condition(&quantified.body));
                Some(TRUTH)
            }
        }
    }

    /// Checks that an expression has values of the given kind.
    pub fn of_kind(&mut self, expr: &Expr, expected: ValueKind) {
        if let Some(found) = self.values(expr).map(Values::kind)
            && found != expected
        {
            self.error(expr.span, TypeFault::Kind { expected, found });
        }
    }

    /// Checks that an expression is a condition.
    pub fn condition(&mut self, expr: &Expr) {
        if let Some(values) = self.values(expr)
            && !values.is_condition()
        {
            self.error(expr.span, TypeFault::Condition(values));
        }
    }

    /// Checks the indices of a place and returns the values of its elements.
    pub fn place(&mut self, place: &Place) -> Option<Values> {
        let variable = self.model.variable(place.variable);
        self.indices(&variable.name, &variable.indices, &place.indices, place.span);
        Some(self.values_of_sort(variable.sort))
    }

    /// Checks the number of combinations of the binders in scope.
    pub fn check_combinations(&mut self, span: Span) {
        if self.model.size_of(&self.scope).is_none_or(|size| size > MAX_COMBINATIONS) {
            self.error(span, TypeFault::Combinations);
        }
    }

    fn error(&mut self, span: Span, fault: TypeFault) {
        self.errors.push(TypeError { span, fault });
    }

    fn values_of_sort(&self, sort: SortId) -> Values {
        match self.model.domain(sort) {
            Domain::Range { low, high } | Domain::Numbers { low, high } => Values::Range { low: *low, high: *high },
            Domain::Members(_) => Values::Members(sort),
            Domain::Part { of, .. } => Values::Members(*of),
        }
    }

    fn bind(&mut self, sort: SortId, span: Span, inside: impl FnOnce(&mut Self)) {
        self.scope.push(sort);
        self.check_combinations(span);
        inside(self);
        self.scope.pop();
    }

    fn indices(&mut self, name: &str, sorts: &[SortId], indices: &[Expr], span: Span) {
        if sorts.len() != indices.len() {
            let fault = TypeFault::IndexCount { name: name.into(), expected: sorts.len(), found: indices.len() };
            self.error(span, fault);
        }
        for (index, &sort) in indices.iter().zip(sorts) {
            self.of_kind(index, self.model.kind_of(sort));
        }
    }

    /// The interval of an operand that must be an integer.
    fn integer(&mut self, expr: &Expr) -> Option<Interval> {
        match self.values(expr)? {
            Values::Range { low, high } => Some(Interval::new(low, high)),
            Values::Members(sort) => {
                let found = ValueKind::Member(sort);
                self.error(expr.span, TypeFault::Kind { expected: ValueKind::Integer, found });
                None
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Values> {
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            self.same_kind(left, right);
            return Some(TRUTH);
        }
        let (a, b) = (self.integer(left), self.integer(right));
        if op.is_comparison() {
            return Some(TRUTH);
        }
        Some(Values::of(a?.operate(op, b?)))
    }

    /// Checks that two operands are of one kind, and returns their values.
    fn same_kind(&mut self, left: &Expr, right: &Expr) -> Option<(Values, Values)> {
        let (a, b) = (self.values(left), self.values(right));
        let (a, b) = (a?, b?);
        if a.kind() == b.kind() {
            return Some((a, b));
        }
        self.error(right.span, TypeFault::Kind { expected: a.kind(), found: b.kind() });
        None
    }

    fn choice(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Option<Values> {
        self.condition(condition);
        match self.same_kind(then, otherwise)? {
            (Values::Range { low: a, high: b }, Values::Range { low: c, high: d }) => {
                Some(Values::Range { low: a.min(c), high: b.max(d) })
            }
            (values, _) => Some(values),
        }
    }
}

fn values_of_table(kind: ValueKind, values: &[i32]) -> Values {
    match kind {
        ValueKind::Member(sort) => Values::Members(sort),
        ValueKind::Integer => {
            let low = values.iter().copied().min().unwrap_or(0);
            Values::Range { low, high: values.iter().copied().max().unwrap_or(low) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_results_stay_conditions() {
        let found = |op: BinaryOp, (a, b): (i32, i32), (c, d): (i32, i32)| {
            Values::of(Interval::new(a, b).operate(op, Interval::new(c, d)))
        };
        assert!(found(BinaryOp::Subtract, (1, 1), (0, 1)).is_condition());
        assert!(found(BinaryOp::Xor, (0, 1), (0, 1)).is_condition());
        assert!(found(BinaryOp::Modulo, (-5, 9), (2, 2)).is_condition());
        assert!(!found(BinaryOp::Add, (0, 1), (0, 1)).is_condition());
    }
}
