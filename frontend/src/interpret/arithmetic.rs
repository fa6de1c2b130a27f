//! The operators on values: 32-bit checked arithmetic, bit patterns and comparisons.
//!
//! Each function returns the value or the fault; the caller adds the span. A verified model never passes operands of
//! the wrong sort.

use super::FaultKind;
use crate::model::{BinaryOp, ScalarSet, UnaryOp, Value};
use crate::sequential::interpret::{SeqFaultKind, arithmetic};

/// Applies a unary operator.
///
/// # Errors
/// The fault of the operation.
///
/// # Panics
/// If the operand is not of the sort of the operator.
pub fn unary(op: UnaryOp, operand: Value) -> Result<Value, FaultKind> {
    match (op, operand) {
        (UnaryOp::Not, Value::Bool(value)) => Ok(Value::Bool(!value)),
        (UnaryOp::Complement, Value::Int(value)) => Ok(Value::Int(!value)),
        (UnaryOp::Negate, Value::Int(value)) => {
            value.checked_neg().map(Value::Int).ok_or(FaultKind::ArithmeticOverflow)
        }
        _ => panic!("{op:?} on {operand:?}: the model is not well-typed"),
    }
}

/// Applies a binary operator to operands that are both evaluated.
///
/// # Errors
/// The fault of the operation.
///
/// # Panics
/// If the operands are not of the sorts of the operator.
pub fn binary(op: BinaryOp, left: Value, right: Value) -> Result<Value, FaultKind> {
    match (op, left, right) {
        (BinaryOp::Equal, ..) => Ok(Value::Bool(left == right)),
        (BinaryOp::NotEqual, ..) => Ok(Value::Bool(left != right)),
        (_, Value::Int(left), Value::Int(right)) => integers(op, left, right),
        (BinaryOp::BitAnd, Value::Bool(left), Value::Bool(right)) => Ok(Value::Bool(left & right)),
        (BinaryOp::BitOr, Value::Bool(left), Value::Bool(right)) => Ok(Value::Bool(left | right)),
        (BinaryOp::BitXor, Value::Bool(left), Value::Bool(right)) => Ok(Value::Bool(left ^ right)),
        _ => panic!("{op:?} on {left:?} and {right:?}: the model is not well-typed"),
    }
}

fn integers(op: BinaryOp, left: i32, right: i32) -> Result<Value, FaultKind> {
    let result = arithmetic(op.on_numbers(), left, right).map_err(|kind| match kind {
        SeqFaultKind::DivisionByZero => FaultKind::DivisionByZero,
        _ => FaultKind::ArithmeticOverflow,
    })?;
    Ok(if op.on_numbers().is_comparison() { Value::Bool(result != 0) } else { Value::Int(result) })
}

/// The square root, rounded down.
///
/// # Errors
/// [`FaultKind::NegativeRoot`].
pub fn square_root(operand: i32) -> Result<Value, FaultKind> {
    operand.checked_isqrt().map(Value::Int).ok_or(FaultKind::NegativeRoot)
}

/// The value `amount` places after `value` in a scalar set seen as a ring; any amount is allowed.
///
/// # Panics
/// Never for a scalar set of a verified model.
pub fn rotate(set: &ScalarSet, value: i32, amount: i32) -> Value {
    let (low, size) = (i64::from(set.low), i64::from(set.size()));
    let rotated = (i64::from(value) - low + i64::from(amount)).rem_euclid(size) + low;
    debug_assert!((set.low..=set.high).contains(&value), "a value of the set is rotated");
    Value::Scalar(i32::try_from(rotated).expect("between the bounds of the set"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ClassId;
    use crate::source::Span;

    fn int(op: BinaryOp, left: i32, right: i32) -> Result<i32, FaultKind> {
        match binary(op, Value::Int(left), Value::Int(right))? {
            Value::Int(value) => Ok(value),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn arithmetic_is_checked_and_truncates() {
        assert_eq!(int(BinaryOp::Add, i32::MAX, 1), Err(FaultKind::ArithmeticOverflow));
        assert_eq!(int(BinaryOp::Subtract, i32::MIN, 1), Err(FaultKind::ArithmeticOverflow));
        assert_eq!(int(BinaryOp::Multiply, 1 << 16, 1 << 15), Err(FaultKind::ArithmeticOverflow));
        assert_eq!(int(BinaryOp::Divide, -7, 2), Ok(-3));
        assert_eq!(int(BinaryOp::Divide, 1, 0), Err(FaultKind::DivisionByZero));
        assert_eq!(int(BinaryOp::Divide, i32::MIN, -1), Err(FaultKind::ArithmeticOverflow));
        assert_eq!(int(BinaryOp::Remainder, -7, 2), Ok(-1));
        assert_eq!(int(BinaryOp::Remainder, i32::MIN, -1), Ok(0));
        assert_eq!(int(BinaryOp::Remainder, 1, 0), Err(FaultKind::DivisionByZero));
        assert_eq!(unary(UnaryOp::Negate, Value::Int(i32::MIN)), Err(FaultKind::ArithmeticOverflow));
        assert_eq!(unary(UnaryOp::Complement, Value::Int(0)), Ok(Value::Int(-1)));
    }

    #[test]
    fn shifts_are_those_of_java() {
        assert_eq!(int(BinaryOp::ShiftLeft, 1, 33), Ok(2));
        assert_eq!(int(BinaryOp::ShiftLeft, 1, -1), Ok(i32::MIN));
        assert_eq!(int(BinaryOp::ShiftRight, -8, 1), Ok(-4));
        assert_eq!(int(BinaryOp::ShiftRightUnsigned, -1, 28), Ok(15));
    }

    #[test]
    fn powers_and_roots() {
        assert_eq!(int(BinaryOp::Power, 2, 30), Ok(1 << 30));
        assert_eq!(int(BinaryOp::Power, 2, 31), Err(FaultKind::ArithmeticOverflow));
        assert_eq!(int(BinaryOp::Power, -2, 31), Ok(i32::MIN));
        assert_eq!(int(BinaryOp::Power, 0, 0), Ok(1));
        assert_eq!(int(BinaryOp::Power, 0, -1), Err(FaultKind::DivisionByZero));
        assert_eq!(int(BinaryOp::Power, -1, i32::MIN), Ok(1));
        assert_eq!(int(BinaryOp::Power, -1, -3), Ok(-1));
        assert_eq!(int(BinaryOp::Power, 7, -1), Ok(0));
        assert_eq!(square_root(24), Ok(Value::Int(4)));
        assert_eq!(square_root(-1), Err(FaultKind::NegativeRoot));
    }

    #[test]
    fn rotation_wraps_for_any_amount() {
        let set = ScalarSet { name: "i".into(), class: ClassId(0), low: -1, high: 3, span: Span::NONE };
        for value in -1..=3 {
            for amount in [i32::MIN, -6, -5, -1, 0, 1, 4, 5, 9, i32::MAX] {
                let expected = (0..5).find(|k| (i64::from(value) + 1 + i64::from(amount) - k) % 5 == 0).unwrap() - 1;
                assert_eq!(rotate(&set, value, amount), Value::Scalar(i32::try_from(expected).unwrap()));
            }
        }
    }
}
