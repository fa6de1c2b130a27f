//! Assignments by which the rounds of a loop collect something: a count, a sum, a flag.
//!
//! Each round may read and write the variable that the others write, and the order still does not show, where all make a change of one kind
//! ([`Change`]): the value behind all rounds is the same in every order, and so is whether one of them faults.
//!
//! # Soundness
//!
//! - Sums are of numbers that are never negative, or all subtracted: the value moves in one direction, and leaves its range in some round of one order
//!   if and only if it does in some round of any other. With both signs it may leave the range in one order only.
//! - A flag is read first, so that what is undefined faults in the first round that comes to it, whichever that is; what stands behind it is evaluated in
//!   some orders only and so must never fault.
//! - The greatest of some values is that of any order. Each is read and compared in every order, and one that is too great for its place is put there in every order.
//! - The numbers and conditions that are collected are accesses of their own, which must not conflict with what the rounds write.

use frontend::murphi::program::{
    Base, BinaryOp, Branch, Child, Expr, ExprKind, Frame, Place, Program, Step, Stmt, StmtKind, TypeId, Types,
};
use frontend::murphi::syntax::ast::UnaryOp;

use super::faults::Faults;

mutants::mutants! {
    /// Known-wrong rules, for tests that must notice them.
    pub(super) struct Wrong {
        /// Numbers of both signs are summed.
        any_sign,
        /// Conditions behind a flag may fault.
        faults_behind,
        /// Any constants are the same.
        any_constant,
        /// Least and greatest values are collected in one way.
        any_extreme,
        /// Changes of different kinds commute.
        mixes_kinds,
        /// What is collected may be read by other rounds.
        is_read,
        /// What start states read is as defined as what steps read.
        ignores_starts,
        /// Parameters and aliases are never undefined.
        trusts_values,
    }
}

/// The kind of a change that commutes with itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Change {
    /// `x := x + e`, where `e` is never negative.
    Up,
    /// `x := x - e`, where `e` is never negative.
    Down,
    /// `x := c` for a constant.
    To(i32),
    /// `x := x | e`
    Or,
    /// `x := x & e`
    And,
    /// `x := !x`
    Toggle,
    /// `if e > x then x := e`
    Most,
    /// `if e < x then x := e`
    Least,
}

/// Whether two places are written alike.
pub(super) fn is_same(one: &Place, other: &Place) -> bool {
    let is_same_step = |(one, other): (&Step, &Step)| match (one, other) {
        (Step::Field(one), Step::Field(other)) => one == other,
        (Step::Index(one), Step::Index(other)) => match (&one.kind, &other.kind) {
            (ExprKind::Value(one), ExprKind::Value(other)) => one == other,
            (ExprKind::Read(one), ExprKind::Read(other)) => is_same(one, other),
            _ => false,
        },
        _ => false,
    };
    one.base == other.base
        && one.steps.len() == other.steps.len()
        && one.steps.iter().zip(&other.steps).all(is_same_step)
}

/// Whether a number is never negative.
fn is_natural(program: &Program, frame: &Frame, expr: &Expr) -> bool {
    let of = |of: TypeId| {
        let values = program.types.values(of);
        of != Types::INTEGER && !values.is_empty() && values.iter().all(|range| *range.start() >= 0)
    };
    match &expr.kind {
        ExprKind::Value(value) => *value >= 0,
        ExprKind::Read(place) => match place.base {
            Base::Local(local) if place.steps.is_empty() => of(frame.local(local).of),
            _ => of(place.of),
        },
        ExprKind::Binary(BinaryOp::Add, left, right) | ExprKind::Conditional(_, left, right) => {
            is_natural(program, frame, left) && is_natural(program, frame, right)
        }
        _ => false,
    }
}

/// The kind of change that an assignment makes, with the parts of its value that are no reads of the place itself.
pub(super) fn change<'p>(
    (program, faults, wrong): (&'p Program, &Faults<'p>, Wrong),
    frame: &Frame,
    place: &Place,
    value: &'p Expr,
) -> Option<(Change, Vec<&'p Expr>)> {
    let is_own = |expr: &Expr| matches!(&expr.kind, ExprKind::Read(read) if is_same(read, place));
    let is_natural = |expr: &Expr| wrong.any_sign() || is_natural(program, frame, expr);
    match &value.kind {
        ExprKind::Value(_) if wrong.any_constant() => Some((Change::To(0), Vec::new())),
        ExprKind::Value(value) => Some((Change::To(*value), Vec::new())),
        ExprKind::Binary(BinaryOp::Add, left, right) if is_own(left) && is_natural(right) => {
            Some((Change::Up, vec![right]))
        }
        ExprKind::Binary(BinaryOp::Add, left, right) if is_own(right) && is_natural(left) => {
            Some((Change::Up, vec![left]))
        }
        ExprKind::Binary(BinaryOp::Subtract, left, right) if is_own(left) && is_natural(right) => {
            Some((Change::Down, vec![right]))
        }
        ExprKind::Or(list) | ExprKind::And(list) => {
            let (first, others) = list.split_first()?;
            let is_faultless = |other: &Expr| wrong.faults_behind() || !has_rounds(other) && faults.never(frame, other);
            let kind = if matches!(value.kind, ExprKind::Or(_)) { Change::Or } else { Change::And };
            (is_own(first) && others.iter().all(is_faultless)).then(|| (kind, others.iter().collect()))
        }
        ExprKind::Unary(UnaryOp::Not, inner) if is_own(inner) => Some((Change::Toggle, Vec::new())),
        _ => None,
    }
}

/// The kind of change of a statement that keeps the greatest or the least of some values, with the place that keeps it and the value.
pub(super) fn extreme(stmt: &Stmt, wrong: Wrong) -> Option<(Change, &Place, &Expr)> {
    let StmtKind::If(branches, otherwise) = &stmt.kind else { return None };
    let ([Branch { condition, body }], []) = (branches.as_slice(), otherwise.as_slice()) else { return None };
    let [Stmt { kind: StmtKind::Assign(place, value), .. }] = body.as_slice() else { return None };
    let (ExprKind::Binary(op, left, right), ExprKind::Read(read)) = (&condition.kind, &value.kind) else { return None };
    let is = |expr: &Expr, place: &Place| matches!(&expr.kind, ExprKind::Read(other) if is_same(other, place));
    let is_value_first = match () {
        () if is(left, read) && is(right, place) => true,
        () if is(left, place) && is(right, read) => false,
        () => return None,
    };
    let change = match (op, is_value_first) {
        _ if wrong.any_extreme() => Change::Most,
        (BinaryOp::Greater | BinaryOp::GreaterEqual, true) | (BinaryOp::Less | BinaryOp::LessEqual, false) => {
            Change::Most
        }
        (BinaryOp::Less | BinaryOp::LessEqual, true) | (BinaryOp::Greater | BinaryOp::GreaterEqual, false) => {
            Change::Least
        }
        _ => return None,
    };
    Some((change, place, value))
}

/// Whether a condition has a quantifier, whose rounds may be too many.
fn has_rounds(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Quantified(..))
        || expr.children().into_iter().any(|child| match child {
            Child::Expr(inner) => has_rounds(inner),
            Child::Place(place) => place.indices().any(has_rounds),
            Child::Body(_) => true,
        })
}
