//! A visitor of all statements, expressions and places of a body.

use frontend::murphi::program::{Child, Expr, Place, Stmt};

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
    for stmt in list {
        limits::work(1);
        visit(Part::Stmt(stmt));
        stmt.children().into_iter().for_each(|one| child(one, visit));
    }
}

pub(super) fn expr<'p>(of: &'p Expr, visit: &mut Visit<'_, 'p>) {
    limits::work(1);
    visit(Part::Expr(of));
    of.children().into_iter().for_each(|one| child(one, visit));
}

pub(super) fn child<'p>(of: Child<'p>, visit: &mut Visit<'_, 'p>) {
    match of {
        Child::Expr(inner) => expr(inner, visit),
        Child::Body(inner) => body(inner, visit),
        Child::Place(place) => {
            visit(Part::Place(place));
            place.indices().for_each(|index| expr(index, visit));
        }
    }
}
