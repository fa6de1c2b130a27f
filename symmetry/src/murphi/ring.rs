//! Sums of one name and constants modulo the number of names, such as `(i + 1) % N`: they commute with rotations of `0 .. N - 1`.
//!
//! # Not done
//!
//! A step around the ring that is written as a choice, such as `i = N - 1 ? 0 : i + 1`, names a value.

use frontend::murphi::program::{BinaryOp, Expr, ExprKind, TypeId, Types};

/// The most that the constants of a sum may be, without their signs: no part of the sum leaves the integers.
const MOST_CONSTANTS: i64 = 1 << 20;

/// A name, moved on by a constant around the ring `0 .. size - 1`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn<'p> {
    /// The name.
    pub(super) name: &'p Expr,
    /// The number of names.
    pub(super) size: usize,
}

impl Turn<'_> {
    /// Whether the name has the values `0 .. size - 1`, by its type or as a turn of its own.
    pub(super) fn fits(&self, types: &Types) -> bool {
        let is_turn = || turn(self.name).is_some_and(|inner| inner.size == self.size && inner.fits(types));
        is_ring(types, self.name.of, self.size) || is_turn()
    }
}

/// Whether the values of a type are `0 .. size - 1`.
pub(super) fn is_ring(types: &Types, of: TypeId, size: usize) -> bool {
    let last = i32::try_from(size).map_or(0, |size| size - 1);
    types.is_simple(of) && of != Types::BOOLEAN && types.values(of) == [0..=last]
}

/// The turn that an expression is: a sum of one operand and constants that are not negative in all, modulo a constant.
pub(super) fn turn(expr: &Expr) -> Option<Turn<'_>> {
    let ExprKind::Binary(BinaryOp::Remainder, sum, size) = &expr.kind else { return None };
    let size = usize::try_from(constant(size)?).ok().filter(|&size| size > 1)?;
    let (mut name, mut amount, mut all) = (None, 0i64, 0i64);
    let mut pending = vec![(&**sum, 1)];
    while let Some((part, sign)) = pending.pop() {
        match &part.kind {
            ExprKind::Value(value) => {
                amount += sign * i64::from(*value);
                all += i64::from(*value).abs();
            }
            ExprKind::Binary(BinaryOp::Add, left, right) => pending.extend([(&**left, sign), (&**right, sign)]),
            ExprKind::Binary(BinaryOp::Subtract, left, right) => {
                pending.extend([(&**left, sign), (&**right, -sign)]);
            }
            _ if name.is_none() && sign == 1 => name = Some(part),
            _ => return None,
        }
    }
    let name = name.filter(|_| amount >= 0 && all <= MOST_CONSTANTS)?;
    Some(Turn { name, size })
}

/// The value of an expression of constants.
fn constant(expr: &Expr) -> Option<i32> {
    match &expr.kind {
        ExprKind::Value(value) => Some(*value),
        ExprKind::Binary(BinaryOp::Add, left, right) => constant(left)?.checked_add(constant(right)?),
        ExprKind::Binary(BinaryOp::Subtract, left, right) => constant(left)?.checked_sub(constant(right)?),
        _ => None,
    }
}
