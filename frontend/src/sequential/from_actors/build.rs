//! Small constructors of expressions and statements, and predicates on them.

use crate::sequential::{BinaryOp, Expr, ExprKind, ParameterId, Place, SortId, Stmt, StmtKind, TableId, VariableId};
use crate::source::Span;

/// The most nodes of an expression of a form.
const MAX_NODES: usize = 100_000;

/// The number of nodes of an expression.
pub(crate) fn size(expr: &Expr) -> usize {
    limits::work(1);
    1 + expr.operands().into_iter().map(size).sum::<usize>()
}

/// Whether an expression is too long: where operands are written several times, texts of some lines become expressions that fill the memory.
pub(crate) fn is_too_long(expr: &Expr) -> bool {
    size(expr) > MAX_NODES
}

fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::NONE)
}

pub(crate) fn int(value: i32) -> Expr {
    expr(ExprKind::Int(value))
}

pub(crate) fn member(sort: SortId, index: i32) -> Expr {
    expr(ExprKind::Member(sort, index.cast_unsigned()))
}

pub(crate) fn parameter(id: ParameterId) -> Expr {
    expr(ExprKind::Parameter(id))
}

pub(crate) fn place(variable: VariableId, indices: Vec<Expr>) -> Place {
    Place { variable, indices, span: Span::NONE }
}

pub(crate) fn read(variable: VariableId, indices: Vec<Expr>) -> Expr {
    expr(ExprKind::Read(place(variable, indices)))
}

pub(crate) fn lookup(table: TableId, indices: Vec<Expr>) -> Expr {
    expr(ExprKind::Lookup(table, indices))
}

pub(crate) fn negate(inner: Expr) -> Expr {
    expr(ExprKind::Negate(Box::new(inner)))
}

/// The negation of a condition.
pub(crate) fn not(inner: Expr) -> Expr {
    match inner.kind {
        ExprKind::Not(inner) => *inner,
        ExprKind::Int(truth @ (0 | 1)) => int(1 - truth),
        ExprKind::Binary(BinaryOp::Equal, a, b) => expr(ExprKind::Binary(BinaryOp::NotEqual, a, b)),
        ExprKind::Binary(BinaryOp::NotEqual, a, b) => expr(ExprKind::Binary(BinaryOp::Equal, a, b)),
        kind => expr(ExprKind::Not(Box::new(expr(kind)))),
    }
}

pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)))
}

pub(crate) fn equal(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Equal, left, right)
}

pub(crate) fn ite(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    expr(ExprKind::Ite(Box::new(condition), Box::new(then), Box::new(otherwise)))
}

/// `&&`, flat; true without operands.
pub(crate) fn and(operands: Vec<Expr>) -> Expr {
    joined(operands, true)
}

/// `||`, flat; false without operands.
pub(crate) fn or(operands: Vec<Expr>) -> Expr {
    joined(operands, false)
}

fn joined(operands: Vec<Expr>, is_and: bool) -> Expr {
    let unit = i32::from(is_and);
    let mut list = Vec::new();
    for operand in operands {
        match operand.kind {
            // A chain grows at its end; what is there is not copied.
            ExprKind::And(inner) if is_and && list.is_empty() => list = inner,
            ExprKind::Or(inner) if !is_and && list.is_empty() => list = inner,
            ExprKind::And(inner) if is_and => list.extend(inner),
            ExprKind::Or(inner) if !is_and => list.extend(inner),
            ExprKind::Int(value) if value == unit => {}
            kind => list.push(expr(kind)),
        }
    }
    match list.len() {
        0 => int(unit),
        1 => list.remove(0),
        _ => expr(if is_and { ExprKind::And(list) } else { ExprKind::Or(list) }),
    }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::NONE }
}

pub(crate) fn assign(place: Place, value: Expr) -> Stmt {
    stmt(StmtKind::Assign(place, value))
}

pub(crate) fn when(condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
    if then.is_empty() && !otherwise.is_empty() {
        return stmt(StmtKind::If(not(condition), otherwise, then));
    }
    stmt(StmtKind::If(condition, then, otherwise))
}

pub(crate) fn local(id: VariableId, value: Expr) -> Stmt {
    stmt(StmtKind::Var(id, value))
}

pub(crate) fn repeat(condition: Expr, body: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::While(condition, body))
}

pub(crate) fn each(name: String, sort: SortId, body: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::For(crate::sequential::Parameter { name, sort, span: Span::NONE }, body))
}

/// A fault with a text; characters that the language cannot write in it are left out.
pub(crate) fn fail(text: &str) -> Stmt {
    let shown = text.chars().map(|c| {
        if c == '"' {
            '\''
        } else if c.is_control() {
            ' '
        } else {
            c
        }
    });
    stmt(StmtKind::Fail(shown.collect()))
}

/// Whether the evaluation of an expression certainly has no fault: comparisons and conditions on elements of arrays and tables that exist.
/// Errs towards no.
pub(crate) fn is_safe(expr: &Expr, exists: &dyn Fn(&Expr) -> bool) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Member(..) | ExprKind::Parameter(_) => true,
        ExprKind::Read(_) | ExprKind::Lookup(..) => exists(expr),
        ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Implies(..) | ExprKind::Ite(..) => {
            expr.operands().into_iter().all(|operand| is_safe(operand, exists))
        }
        ExprKind::Binary(op, a, b) => op.is_comparison() && is_safe(a, exists) && is_safe(b, exists),
        _ => false,
    }
}
