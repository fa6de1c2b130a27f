//! Operators on simple values: checked in 32 bits, division truncates.

use super::FaultKind;
use crate::murphi::program::BinaryOp;
use crate::murphi::syntax::ast::UnaryOp;

/// Applies a prefix operator.
///
/// # Errors
/// An overflow.
pub fn unary(op: UnaryOp, operand: i32) -> Result<i32, FaultKind> {
    match op {
        UnaryOp::Negate => operand.checked_neg().ok_or(FaultKind::ArithmeticOverflow),
        UnaryOp::Not => Ok(i32::from(operand == 0)),
        UnaryOp::Complement => Ok(!operand),
    }
}

/// Applies a binary operator.
///
/// # Errors
/// An overflow, or a division by zero.
pub fn binary(op: BinaryOp, left: i32, right: i32) -> Result<i32, FaultKind> {
    let checked = |result: Option<i32>| result.ok_or(FaultKind::ArithmeticOverflow);
    match op {
        BinaryOp::Equal => Ok(i32::from(left == right)),
        BinaryOp::NotEqual => Ok(i32::from(left != right)),
        BinaryOp::Less => Ok(i32::from(left < right)),
        BinaryOp::LessEqual => Ok(i32::from(left <= right)),
        BinaryOp::Greater => Ok(i32::from(left > right)),
        BinaryOp::GreaterEqual => Ok(i32::from(left >= right)),
        BinaryOp::BitAnd => Ok(left & right),
        BinaryOp::BitOr => Ok(left | right),
        BinaryOp::BitXor => Ok(left ^ right),
        BinaryOp::ShiftLeft => Ok(shifted(left, i64::from(right))),
        BinaryOp::ShiftRight => Ok(shifted(left, -i64::from(right))),
        BinaryOp::Add => checked(left.checked_add(right)),
        BinaryOp::Subtract => checked(left.checked_sub(right)),
        BinaryOp::Multiply => checked(left.checked_mul(right)),
        BinaryOp::Divide | BinaryOp::Remainder if right == 0 => Err(FaultKind::DivisionByZero),
        BinaryOp::Divide => checked(left.checked_div(right)),
        BinaryOp::Remainder => Ok(left.wrapping_rem(right)),
    }
}

/// Shifts to the left, or to the right where the distance is negative; bits that leave the word are lost, and the sign stays
/// to the right.
fn shifted(value: i32, distance: i64) -> i32 {
    let bits = u32::try_from(distance.unsigned_abs()).unwrap_or(u32::MAX);
    if distance >= 0 { value.checked_shl(bits).unwrap_or(0) } else { value >> bits.min(i32::BITS - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_checked_and_truncates() {
        assert_eq!(binary(BinaryOp::Divide, -7, 2), Ok(-3));
        assert_eq!(binary(BinaryOp::Remainder, -7, 2), Ok(-1));
        assert_eq!(binary(BinaryOp::Remainder, i32::MIN, -1), Ok(0));
        assert_eq!(binary(BinaryOp::Divide, i32::MIN, -1), Err(FaultKind::ArithmeticOverflow));
        assert_eq!(binary(BinaryOp::Divide, 1, 0), Err(FaultKind::DivisionByZero));
        assert_eq!(binary(BinaryOp::Add, i32::MAX, 1), Err(FaultKind::ArithmeticOverflow));
        assert_eq!(unary(UnaryOp::Negate, i32::MIN), Err(FaultKind::ArithmeticOverflow));
    }

    #[test]
    fn shifts_go_in_both_directions() {
        for (value, distance, shifted) in
            [(1, 3, 8), (8, -3, 1), (1, 128, 0), (1, -128, 0), (-3, -1, -2), (1, 31, i32::MIN)]
        {
            assert_eq!(binary(BinaryOp::ShiftLeft, value, distance), Ok(shifted));
            assert_eq!(binary(BinaryOp::ShiftRight, value, -distance), Ok(shifted));
        }
        assert_eq!(binary(BinaryOp::ShiftRight, -1, i32::MIN), Ok(0));
    }
}
