//! The nesting of bodies, which bounds what a call needs of the stack.

use super::{Argument, BinderValues, Bound, Expr, ExprKind, Place, Step, Stmt, StmtKind};

/// The deepest nesting of statements and expressions.
pub fn height(body: &[Stmt]) -> usize {
    body.iter().map(stmt).max().unwrap_or(0)
}

fn stmt(of: &Stmt) -> usize {
    let under = |body: &[Stmt], others: &[usize]| height(body).max(others.iter().copied().max().unwrap_or(0));
    1 + match &of.kind {
        StmtKind::Assign(to, value) => place(to).max(expr(value)),
        StmtKind::Undefine(to) | StmtKind::Clear(to) | StmtKind::MultisetRemove(_, to) => place(to),
        StmtKind::If(branches, otherwise) => {
            let branches = branches.iter().map(|branch| under(&branch.body, &[expr(&branch.condition)]));
            branches.max().unwrap_or(0).max(height(otherwise))
        }
        StmtKind::Switch(subject, cases, otherwise) => {
            let cases = cases.iter().map(|case| under(&case.body, &[case.values.iter().map(expr).max().unwrap_or(0)]));
            cases.max().unwrap_or(0).max(under(otherwise, &[expr(subject)]))
        }
        StmtKind::For(binder, body) => under(body, &[values(&binder.values)]),
        StmtKind::While(condition, body) => under(body, &[expr(condition)]),
        StmtKind::Alias(bindings, body) => {
            let bindings = bindings.iter().map(|binding| match &binding.to {
                Bound::Place(to) => place(to),
                Bound::Value(value) => expr(value),
            });
            bindings.max().unwrap_or(0).max(height(body))
        }
        StmtKind::Call(_, arguments) => list(arguments),
        StmtKind::Return(value) => value.as_ref().map_or(0, expr),
        StmtKind::Error(_) => 0,
        StmtKind::Assert(value, _) | StmtKind::Assume(value) | StmtKind::Cover(_, value) | StmtKind::Put(value) => {
            expr(value)
        }
        StmtKind::MultisetAdd(value, to) => expr(value).max(place(to)),
        StmtKind::MultisetRemoveWhere(slots, condition) => expr(condition).max(place(&slots.multiset)),
    }
}

fn expr(of: &Expr) -> usize {
    1 + match &of.kind {
        ExprKind::Value(_) | ExprKind::Undefined => 0,
        ExprKind::Read(from) | ExprKind::IsUndefined(from) => place(from),
        ExprKind::Unary(_, e) | ExprKind::IsMember(e, _) => expr(e),
        ExprKind::Binary(_, a, b) | ExprKind::Implies(a, b) => expr(a).max(expr(b)),
        ExprKind::And(list) | ExprKind::Or(list) => list.iter().map(expr).max().unwrap_or(0),
        ExprKind::Conditional(a, b, c) => expr(a).max(expr(b)).max(expr(c)),
        ExprKind::Quantified(_, binder, body) => values(&binder.values).max(expr(body)),
        ExprKind::Call(_, arguments) => list(arguments),
        ExprKind::Count(slots, condition) => place(&slots.multiset).max(expr(condition)),
    }
}

fn place(of: &Place) -> usize {
    let steps = of.steps.iter().map(|step| match step {
        Step::Index(index) => expr(index),
        Step::Field(_) | Step::Slot(_) => 0,
    });
    steps.max().unwrap_or(0)
}

fn values(of: &BinderValues) -> usize {
    match of {
        BinderValues::Type(_) => 0,
        BinderValues::Steps(steps) => expr(&steps.from).max(expr(&steps.to)).max(expr(&steps.by)),
    }
}

fn list(arguments: &[Argument]) -> usize {
    let heights = arguments.iter().map(|argument| match argument {
        Argument::Value(value) => expr(value),
        Argument::Reference(to) => place(to),
    });
    heights.max().unwrap_or(0)
}
