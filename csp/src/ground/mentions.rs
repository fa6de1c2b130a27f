//! The names in parts of a model: the variables of expressions and summands, and the assignments of bodies.

use std::collections::BTreeSet;

use frontend::sequential::{
    Expr, ExprKind, ParameterId, Place, Sequential, Stmt, StmtKind, Summand, SummandId, VariableId,
};

/// The elements of the variables that a summand names, ascending.
pub(super) fn named(model: &Sequential, id: SummandId) -> Vec<usize> {
    let summand = model.summand(id);
    let mut names = BTreeSet::new();
    mentioned(&summand.guard, &mut names);
    summand.arguments.iter().for_each(|argument| mentioned(argument, &mut names));
    statements(&summand.body, &mut |place, value| {
        if let Some(place) = place {
            names.insert(place.variable);
            place.indices.iter().for_each(|index| mentioned(index, &mut names));
        }
        mentioned(value, &mut names);
    });
    whole(model, &names)
}

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
    statements(&summand.body, &mut |place, value| {
        place.into_iter().for_each(|place| by_place(place, &mut found));
        by_expression(value, &mut found);
    });
    found.retain(|one| one.variable.index() < model.variables.len());
    found
}

/// The elements of these variables, ascending.
pub(super) fn whole(model: &Sequential, names: &BTreeSet<VariableId>) -> Vec<usize> {
    let kept = names.iter().filter(|id| id.index() < model.variables.len());
    let variables = kept.map(|&id| model.variable(id));
    variables.flat_map(|variable| variable.offset..variable.offset + model.len_of(variable)).collect()
}

/// The variables that an expression names.
pub(super) fn mentioned(expr: &Expr, names: &mut BTreeSet<VariableId>) {
    if let ExprKind::Read(place) = &expr.kind {
        names.insert(place.variable);
    }
    expr.operands().into_iter().for_each(|operand| mentioned(operand, names));
}

/// Visits the assignments of a body, with place and value, and its conditions.
pub(super) fn statements<'a>(body: &'a [Stmt], visit: &mut dyn FnMut(Option<&'a Place>, &'a Expr)) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Assign(place, value) => visit(Some(place), value),
            StmtKind::If(condition, then, otherwise) => {
                visit(None, condition);
                statements(then, visit);
                statements(otherwise, visit);
            }
            StmtKind::Var(_, value) => visit(None, value),
            StmtKind::For(_, body) => statements(body, visit),
            StmtKind::While(condition, body) => {
                visit(None, condition);
                statements(body, visit);
            }
            StmtKind::Fail(_) => {}
        }
    }
}
