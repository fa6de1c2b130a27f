//! The permutations that the text proves whatever the values of constants: for a family of processes.
//!
//! A class of one sort that nothing names, orders, computes with or looks up in a table has all permutations of the sort. A sort has them if
//! each class with its values is such, those of its variables too, and no constraint of the analysis depends on the size of the sort or on the
//! value of a constant, if also
//!
//! 1. no quantifier over the class has a body that could fault for some values of constants: reads at indices of the sort of the
//!    dimension, comparisons and connectives,
//! 2. rounds of loops over the class commute whatever numbers the constants are: no variable gets a number from two assignments,
//! 3. variables with indices of the class have one initial value for all elements or any, variables with values of the class have any,
//! 4. there is one `init`.
//!
//! # Soundness
//!
//! Classes are joined by the structure of the text, which is the same for all values. A constant is a literal where it is used, so a class that
//! meets one names a value, or computes. What holds is the constraint of the proof for one instance with each condition that reads numbers
//! left out or replaced by one that does not.

use std::collections::BTreeSet;

use frontend::sequential::{BinaryOp, Expr, ExprKind, Initial, Sequential, SortId};

use super::Equivariance;
use super::uses::{Class, Uses};

impl Equivariance<'_> {
    /// The sorts of which all permutations are symmetries, whatever the values of the constants.
    pub(in crate::sequential) fn family(&self) -> BTreeSet<SortId> {
        let uses = self.all_uses();
        if !self.model.starts.is_empty() {
            return BTreeSet::new();
        }
        let is_free = |class: Class| uses.free_sort(class).filter(|_| self.starts_alike(uses, class));
        let mut found: BTreeSet<SortId> = self.bound(uses).into_iter().filter_map(is_free).collect();
        if !uses.wrong.one_class_is_enough() {
            let others = (0..).zip(&uses.classes).filter(|&(class, _)| is_free(class).is_none());
            others.flat_map(|(_, constraints)| constraints.domains.keys()).for_each(|sort| _ = found.remove(sort));
        }
        found
    }

    /// Whether the initial values do not distinguish values of a class, however many there are.
    fn starts_alike(&self, uses: &Uses, class: Class) -> bool {
        self.model.variables.iter().enumerate().all(|(number, variable)| {
            let has_any = matches!(variable.initial, Initial::Any);
            let is_index = uses.indices[number].contains(&class);
            (uses.values[number] != class || has_any) && (!is_index || has_any || variable.is_uniform)
        })
    }
}

/// Whether an expression has a value whatever the values of constants; `scope` holds the sorts of the parameters in scope.
pub(super) fn never_faults(model: &Sequential, scope: &[SortId], expr: &Expr) -> bool {
    let fits = |index: &Expr, sort: SortId| match &index.kind {
        ExprKind::Parameter(id) => scope[id.index()] == sort,
        ExprKind::Read(place) => model.variable(place.variable).sort == sort,
        ExprKind::Member(own, _) => *own == sort,
        _ => false,
    };
    let all_fit = |list: &[Expr], sorts: &[SortId]| list.iter().zip(sorts).all(|(index, &sort)| fits(index, sort));
    let is_plain = match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Member(..)
        | ExprKind::Parameter(_)
        | ExprKind::Not(_)
        | ExprKind::And(_)
        | ExprKind::Or(_)
        | ExprKind::Implies(..)
        | ExprKind::Ite(..) => true,
        ExprKind::Read(place) => all_fit(&place.indices, &model.variable(place.variable).indices),
        ExprKind::Lookup(table, list) => all_fit(list, &model.table(*table).indices),
        ExprKind::Binary(op, ..) => matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) || op.is_comparison(),
        ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
            let inner = [scope, &[quantified.sort]].concat();
            return never_faults(model, &inner, &quantified.body);
        }
        ExprKind::Negate(_) | ExprKind::PopCount(_) => false,
    };
    is_plain && expr.operands().into_iter().all(|operand| never_faults(model, scope, operand))
}
