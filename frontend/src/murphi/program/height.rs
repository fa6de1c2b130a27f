//! The nesting of bodies, which bounds what a call needs of the stack.

use super::{Child, Expr, Stmt};

/// The deepest nesting of statements and expressions.
pub fn height(body: &[Stmt]) -> usize {
    body.iter().map(|stmt| 1 + highest(stmt.children())).max().unwrap_or(0)
}

fn expr(of: &Expr) -> usize {
    1 + highest(of.children())
}

fn highest(children: Vec<Child<'_>>) -> usize {
    let heights = children.into_iter().map(|child| match child {
        Child::Expr(inner) => expr(inner),
        Child::Place(place) => place.indices().map(expr).max().unwrap_or(0),
        Child::Body(body) => height(body),
    });
    heights.max().unwrap_or(0)
}
