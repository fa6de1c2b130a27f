//! The parameters by which summands index arrays.

use std::collections::BTreeSet;

use frontend::sequential::{Expr, ExprKind, ParameterId, Place, Sequential, Stmt, StmtKind, Summand, VariableId};

/// The use of a parameter as an index of an array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Indexing {
    pub(super) parameter: ParameterId,
    pub(super) variable: VariableId,
    pub(super) dimension: usize,
}

/// The uses of the parameters of a summand as indices.
pub(super) fn indexed(model: &Sequential, summand: &Summand) -> BTreeSet<Indexing> {
    fn by_place(place: &Place, found: &mut BTreeSet<Indexing>) {
        for (dimension, index) in place.indices.iter().enumerate() {
            if let ExprKind::Parameter(id) = index.kind {
                found.insert(Indexing { parameter: id, variable: place.variable, dimension });
            }
            by_expression(index, found);
        }
    }
    fn by_expression(expr: &Expr, found: &mut BTreeSet<Indexing>) {
        match &expr.kind {
            ExprKind::Read(place) => by_place(place, found),
            _ => expr.operands().into_iter().for_each(|operand| by_expression(operand, found)),
        }
    }
    let mut found = BTreeSet::new();
    by_expression(&summand.guard, &mut found);
    summand.arguments.iter().for_each(|argument| by_expression(argument, &mut found));
    let mut by_statement = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign(place, value) => {
            by_place(place, &mut found);
            by_expression(value, &mut found);
        }
        _ => stmt.expressions().into_iter().for_each(|expr| by_expression(expr, &mut found)),
    };
    summand.body.iter().for_each(|stmt| stmt.visit(&mut by_statement));
    found.retain(|one| one.variable.index() < model.variables.len());
    found
}
