//! Whether the evaluation of an expression may fault, from the intervals of its parts.
//!
//! # Soundness
//!
//! Errs towards faults: intervals are supersets, and an operand that is never evaluated counts.

use frontend::sequential::{Expr, ExprKind, Interval, Sequential, SortId};

/// The values of an expression, and whether it may fault; `scope` holds the sorts of the parameters in scope.
pub(super) fn interval(model: &Sequential, scope: &mut Vec<SortId>, expr: &Expr) -> Interval {
    match &expr.kind {
        ExprKind::Int(value) => Interval::new(*value, *value),
        ExprKind::Member(_, value) => {
            let value = i32::try_from(*value).expect("enumerations are bounded");
            Interval::new(value, value)
        }
        ExprKind::Parameter(id) => of_sort(model, scope[id.index()]),
        ExprKind::Read(place) => {
            let variable = model.variable(place.variable);
            let faults = indices(model, scope, &variable.indices, &place.indices);
            of_sort(model, variable.sort).with_faults(faults)
        }
        ExprKind::Lookup(id, list) => {
            let table = model.table(*id);
            let faults = indices(model, scope, &table.indices, list);
            let (low, high) = (table.values.iter().min(), table.values.iter().max());
            let values = low.zip(high).map(|(&low, &high)| Interval::new(low, high));
            values.unwrap_or(Interval::TRUTH.with_faults(true)).with_faults(faults)
        }
        ExprKind::Negate(inner) => interval(model, scope, inner).negated(),
        ExprKind::PopCount(inner) => interval(model, scope, inner).ones(),
        ExprKind::Binary(op, left, right) => {
            let left = interval(model, scope, left);
            left.operate(*op, interval(model, scope, right))
        }
        ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Implies(..) => {
            let operands = expr.operands();
            let faults = operands.into_iter().any(|operand| interval(model, scope, operand).faults);
            Interval::TRUTH.with_faults(faults)
        }
        ExprKind::Ite(condition, then, otherwise) => {
            let faults = interval(model, scope, condition).faults;
            let then = interval(model, scope, then);
            then.union(interval(model, scope, otherwise)).with_faults(faults)
        }
        ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
            scope.push(quantified.sort);
            let faults = interval(model, scope, &quantified.body).faults;
            scope.pop();
            Interval::TRUTH.with_faults(faults)
        }
    }
}

fn of_sort(model: &Sequential, sort: SortId) -> Interval {
    let (low, high) = model.domain(sort).bounds();
    Interval::new(low, high)
}

/// Whether an index may fault or lie outside its sort.
fn indices(model: &Sequential, scope: &mut Vec<SortId>, sorts: &[SortId], list: &[Expr]) -> bool {
    list.iter().zip(sorts).any(|(index, &sort)| {
        let found = interval(model, scope, index);
        let (low, high) = model.domain(sort).bounds();
        found.faults || !found.is_within(low, high)
    })
}
