//! One walk over statements, expressions and places that may change them, parents before children, in the order of the text.

use super::{Block, Expr, ExprKind, Place, Stmt, StmtKind};

/// The action of a walk at each node, before the walk continues with the children of the node.
pub trait Mutator {
    /// At a statement.
    fn statement(&mut self, _: &mut Stmt) {}

    /// At an expression.
    fn expression(&mut self, _: &mut Expr) {}

    /// At a place, read or assigned.
    fn place(&mut self, _: &mut Place) {}
}

/// Walks over the statements of a block.
pub fn block(block: &mut Block, mutator: &mut impl Mutator) {
    block.iter_mut().for_each(|inner| statement(inner, mutator));
}

fn statement(statement: &mut Stmt, mutator: &mut impl Mutator) {
    mutator.statement(statement);
    if let StmtKind::Assign { place, .. } = &mut statement.kind {
        mutator.place(place);
    }
    statement.expressions_mut().into_iter().for_each(|inner| expression(inner, mutator));
    statement.blocks_mut().into_iter().for_each(|inner| block(inner, mutator));
}

/// Walks over an expression.
pub fn expression(whole: &mut Expr, mutator: &mut impl Mutator) {
    whole.visit_mut(&mut |expr| {
        mutator.expression(expr);
        if let ExprKind::Read(place) = &mut expr.kind {
            mutator.place(place);
        }
    });
}
