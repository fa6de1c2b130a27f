//! A visitor of all statements, expressions and places of a body.

use frontend::murphi::program::{
    Argument, Binder, BinderValues, Binding, Bound, Expr, ExprKind, Place, Step, Stmt, StmtKind,
};

/// A part of a text.
#[derive(Clone, Copy)]
pub(super) enum Part<'p> {
    Stmt(&'p Stmt),
    Expr(&'p Expr),
    Place(&'p Place),
}

/// Visits parts, wholes first.
pub(super) type Visit<'v, 'p> = dyn FnMut(Part<'p>) + 'v;

pub(super) fn body<'p>(list: &'p [Stmt], visit: &mut Visit<'_, 'p>) {
    list.iter().for_each(|one| stmt(one, visit));
}

pub(super) fn place<'p>(of: &'p Place, visit: &mut Visit<'_, 'p>) {
    visit(Part::Place(of));
    for step in &of.steps {
        if let Step::Index(index) = step {
            expr(index, visit);
        }
    }
}

fn argument<'p>(of: &'p Argument, visit: &mut Visit<'_, 'p>) {
    match of {
        Argument::Value(value) => expr(value, visit),
        Argument::Reference(to) => place(to, visit),
    }
}

fn binder<'p>(of: &'p Binder, visit: &mut Visit<'_, 'p>) {
    if let BinderValues::Steps(steps) = &of.values {
        [&steps.from, &steps.to, &steps.by].into_iter().for_each(|bound| expr(bound, visit));
    }
}

pub(super) fn binding<'p>(of: &'p Binding, visit: &mut Visit<'_, 'p>) {
    match &of.to {
        Bound::Place(to) => place(to, visit),
        Bound::Value(value) => expr(value, visit),
    }
}

pub(super) fn expr<'p>(of: &'p Expr, visit: &mut Visit<'_, 'p>) {
    limits::work(1);
    visit(Part::Expr(of));
    match &of.kind {
        ExprKind::Value(_) | ExprKind::Undefined => {}
        ExprKind::Read(from) | ExprKind::IsUndefined(from) => place(from, visit),
        ExprKind::Unary(_, inner) | ExprKind::IsMember(inner, _) => expr(inner, visit),
        ExprKind::Binary(_, left, right) | ExprKind::Implies(left, right) => {
            expr(left, visit);
            expr(right, visit);
        }
        ExprKind::And(list) | ExprKind::Or(list) => list.iter().for_each(|operand| expr(operand, visit)),
        ExprKind::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| expr(part, visit));
        }
        ExprKind::Quantified(_, values, inner) => {
            binder(values, visit);
            expr(inner, visit);
        }
        ExprKind::Call(_, arguments) => arguments.iter().for_each(|one| argument(one, visit)),
        ExprKind::Count(slots, condition) => {
            place(&slots.multiset, visit);
            expr(condition, visit);
        }
    }
}

fn stmt<'p>(of: &'p Stmt, visit: &mut Visit<'_, 'p>) {
    limits::work(1);
    visit(Part::Stmt(of));
    match &of.kind {
        StmtKind::Assign(to, value) | StmtKind::MultisetAdd(value, to) => {
            place(to, visit);
            expr(value, visit);
        }
        StmtKind::Undefine(to) | StmtKind::Clear(to) | StmtKind::MultisetRemove(_, to) => place(to, visit),
        StmtKind::If(branches, otherwise) => {
            for branch in branches {
                expr(&branch.condition, visit);
                body(&branch.body, visit);
            }
            body(otherwise, visit);
        }
        StmtKind::Switch(subject, cases, otherwise) => {
            expr(subject, visit);
            for case in cases {
                case.values.iter().for_each(|value| expr(value, visit));
                body(&case.body, visit);
            }
            body(otherwise, visit);
        }
        StmtKind::For(values, inner) => {
            binder(values, visit);
            body(inner, visit);
        }
        StmtKind::While(condition, inner) => {
            expr(condition, visit);
            body(inner, visit);
        }
        StmtKind::Alias(bindings, inner) => {
            bindings.iter().for_each(|one| binding(one, visit));
            body(inner, visit);
        }
        StmtKind::Call(_, arguments) => arguments.iter().for_each(|one| argument(one, visit)),
        StmtKind::Return(value) => value.iter().for_each(|value| expr(value, visit)),
        StmtKind::Error(_) => {}
        StmtKind::Assert(value, _) | StmtKind::Assume(value) | StmtKind::Cover(_, value) | StmtKind::Put(value) => {
            expr(value, visit);
        }
        StmtKind::MultisetRemoveWhere(slots, condition) => {
            place(&slots.multiset, visit);
            expr(condition, visit);
        }
    }
}
