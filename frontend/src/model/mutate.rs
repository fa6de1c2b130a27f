//! One walk over statements, expressions and places that may change them, parents before children, in the order of the text.

use super::{Block, Expr, ExprKind, Place, Rvalue, Stmt, StmtKind};

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
    match &mut statement.kind {
        StmtKind::Let { value, .. } => value.iter_mut().for_each(|value| rvalue(value, mutator)),
        StmtKind::Assign { place: target, value } => {
            place(target, mutator);
            rvalue(value, mutator);
        }
        StmtKind::Do(value) => rvalue(value, mutator),
        StmtKind::Send { receiver, arguments, .. } => {
            expression(receiver, mutator);
            arguments.iter_mut().for_each(|argument| expression(argument, mutator));
        }
        StmtKind::Assert { condition, .. } => expression(condition, mutator),
        StmtKind::If { condition, then, otherwise } => {
            expression(condition, mutator);
            block(then, mutator);
            block(otherwise, mutator);
        }
        StmtKind::Loop { condition, body, update } => {
            expression(condition, mutator);
            block(body, mutator);
            block(update, mutator);
        }
        StmtKind::ForEach { body, .. } => block(body, mutator),
        StmtKind::Switch { value, arms } => {
            expression(value, mutator);
            arms.iter_mut().for_each(|arm| block(&mut arm.block, mutator));
        }
        StmtKind::Block(inner) => block(inner, mutator),
        StmtKind::Return(value) => value.iter_mut().for_each(|value| expression(value, mutator)),
        StmtKind::Break | StmtKind::Continue => {}
    }
}

fn rvalue(value: &mut Rvalue, mutator: &mut impl Mutator) {
    match value {
        Rvalue::Expr(value) => expression(value, mutator),
        Rvalue::Choose(operands) | Rvalue::Call { arguments: operands, .. } => {
            operands.iter_mut().for_each(|operand| expression(operand, mutator));
        }
        Rvalue::New { known, arguments, .. } => {
            known.iter_mut().chain(arguments).for_each(|operand| expression(operand, mutator));
        }
    }
}

fn place(place: &mut Place, mutator: &mut impl Mutator) {
    mutator.place(place);
    place.indices.iter_mut().for_each(|index| expression(index, mutator));
}

/// Walks over an expression.
pub fn expression(whole: &mut Expr, mutator: &mut impl Mutator) {
    mutator.expression(whole);
    match &mut whole.kind {
        ExprKind::Read(read) => place(read, mutator),
        ExprKind::Unary(_, operand)
        | ExprKind::Narrow(_, operand)
        | ExprKind::Cast(_, operand)
        | ExprKind::InstanceOf(_, operand)
        | ExprKind::SquareRoot(operand) => expression(operand, mutator),
        ExprKind::Binary(_, left, right) | ExprKind::Rotate(left, right) => {
            expression(left, mutator);
            expression(right, mutator);
        }
        ExprKind::And(operands) | ExprKind::Or(operands) => {
            operands.iter_mut().for_each(|operand| expression(operand, mutator));
        }
        ExprKind::Ite(condition, then, otherwise) => {
            expression(condition, mutator);
            expression(then, mutator);
            expression(otherwise, mutator);
        }
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Scalar(_)
        | ExprKind::Null
        | ExprKind::Rebec(_)
        | ExprKind::SelfRef
        | ExprKind::Sender
        | ExprKind::Feature(_) => {}
    }
}
