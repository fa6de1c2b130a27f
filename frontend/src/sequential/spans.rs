//! Removal of spans and labels: two processes are the same text up to layout and comments if they are equal without spans.

use super::{Expr, ExprKind, Sequential, Stmt, StmtKind};
use crate::source::Span;

/// The process with every span replaced by [`Span::NONE`], without labels and origin.
pub fn without_spans(mut model: Sequential) -> Sequential {
    model.span = Span::NONE;
    model.origin = super::Origin::Lpe;
    model.sorts.iter_mut().for_each(|item| item.span = Span::NONE);
    model.constants.iter_mut().for_each(|item| item.span = Span::NONE);
    model.tables.iter_mut().for_each(|item| item.span = Span::NONE);
    for variable in model.variables.iter_mut().chain(&mut model.locals) {
        variable.span = Span::NONE;
        variable.initial_span = Span::NONE;
        // The form in which the text gives them goes with the places: a list of equal values is the same as the value.
        variable.is_uniform = false;
    }
    for summand in &mut model.summands {
        summand.span = Span::NONE;
        summand.label = None;
        summand.parameters.iter_mut().for_each(|item| item.span = Span::NONE);
        expression(&mut summand.guard);
        summand.arguments.iter_mut().for_each(expression);
        summand.body.iter_mut().for_each(statement);
    }
    model.ends.iter_mut().for_each(expression);
    for proposition in &mut model.propositions {
        proposition.span = Span::NONE;
        expression(&mut proposition.value);
    }
    for property in &mut model.properties {
        property.span = Span::NONE;
        property.kind.conditions_mut().into_iter().for_each(expression);
    }
    model
}

/// The expression with every span set to [`Span::NONE`].
pub fn expression_without_spans(expr: &Expr) -> Expr {
    let mut expr = expr.clone();
    expression(&mut expr);
    expr
}

fn expression(expr: &mut Expr) {
    expr.visit_mut(&mut |expr| {
        expr.span = Span::NONE;
        if let ExprKind::Read(place) = &mut expr.kind {
            place.span = Span::NONE;
        }
    });
}

fn statement(stmt: &mut Stmt) {
    stmt.visit_mut(&mut |stmt| {
        stmt.span = Span::NONE;
        match &mut stmt.kind {
            StmtKind::Assign(place, _) => place.span = Span::NONE,
            StmtKind::For(parameter, _) => parameter.span = Span::NONE,
            _ => {}
        }
        stmt.expressions_mut().into_iter().for_each(expression);
    });
}
