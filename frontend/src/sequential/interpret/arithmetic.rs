//! Binary operators on 32 bits.

use super::SeqFaultKind;
use crate::sequential::BinaryOp;

/// Applies a binary operator.
///
/// # Errors
/// The fault of the operands.
#[inline]
pub fn arithmetic(op: BinaryOp, left: i32, right: i32) -> Result<i32, SeqFaultKind> {
    let checked = |result: Option<i32>| result.ok_or(SeqFaultKind::ArithmeticOverflow);
    match op {
        BinaryOp::Add => checked(left.checked_add(right)),
        BinaryOp::Subtract => checked(left.checked_sub(right)),
        BinaryOp::Multiply => checked(left.checked_mul(right)),
        BinaryOp::WrappingAdd => Ok(left.wrapping_add(right)),
        BinaryOp::WrappingSubtract => Ok(left.wrapping_sub(right)),
        BinaryOp::WrappingMultiply => Ok(left.wrapping_mul(right)),
        BinaryOp::Divide | BinaryOp::Modulo if right == 0 => Err(SeqFaultKind::DivisionByZero),
        BinaryOp::Divide => {
            // Rust truncates: one less where the exact quotient is negative and not an integer.
            let floored = left.wrapping_rem(right) != 0 && (left < 0) != (right < 0);
            checked(left.checked_div(right)).map(|quotient| quotient - i32::from(floored))
        }
        BinaryOp::Modulo => {
            let rest = left.wrapping_rem(right);
            Ok(if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest })
        }
        BinaryOp::Xor => Ok(left ^ right),
        BinaryOp::Quotient | BinaryOp::Remainder if right == 0 => Err(SeqFaultKind::DivisionByZero),
        BinaryOp::Quotient => checked(left.checked_div(right)),
        BinaryOp::Remainder => Ok(left.wrapping_rem(right)),
        BinaryOp::Power => power(left, right),
        BinaryOp::Root => root(left, right),
        BinaryOp::BitAnd => Ok(left & right),
        BinaryOp::BitOr => Ok(left | right),
        BinaryOp::ShiftLeft => Ok(left.wrapping_shl(right.cast_unsigned())),
        BinaryOp::ShiftRight => Ok(left.wrapping_shr(right.cast_unsigned())),
        BinaryOp::ShiftRightUnsigned => Ok(left.cast_unsigned().wrapping_shr(right.cast_unsigned()).cast_signed()),
        BinaryOp::Equal => Ok(i32::from(left == right)),
        BinaryOp::NotEqual => Ok(i32::from(left != right)),
        BinaryOp::Less => Ok(i32::from(left < right)),
        BinaryOp::LessEqual => Ok(i32::from(left <= right)),
        BinaryOp::Greater => Ok(i32::from(left > right)),
        BinaryOp::GreaterEqual => Ok(i32::from(left >= right)),
    }
}

fn power(base: i32, exponent: i32) -> Result<i32, SeqFaultKind> {
    match (base, u32::try_from(exponent)) {
        (_, Ok(exponent)) => base.checked_pow(exponent).ok_or(SeqFaultKind::ArithmeticOverflow),
        (0, Err(_)) => Err(SeqFaultKind::DivisionByZero),
        (1, Err(_)) => Ok(1),
        (-1, Err(_)) => Ok(if exponent % 2 == 0 { 1 } else { -1 }),
        (_, Err(_)) => Ok(0),
    }
}

/// The greatest number whose `degree`-th power is at most `operand`.
fn root(operand: i32, degree: i32) -> Result<i32, SeqFaultKind> {
    if operand < 0 || degree < 1 {
        return Err(SeqFaultKind::NoRoot);
    }
    let degree = degree.cast_unsigned();
    let fits = |root: i32| root.checked_pow(degree).is_some_and(|power| power <= operand);
    let (mut low, mut high) = (0, operand);
    while low < high {
        let middle = high - (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_and_modulus_are_floored() {
        for (left, right) in (-9i32..=9).flat_map(|left| (-4..=4).map(move |right| (left, right))) {
            if right == 0 {
                assert_eq!(arithmetic(BinaryOp::Divide, left, 0), Err(SeqFaultKind::DivisionByZero));
                assert_eq!(arithmetic(BinaryOp::Modulo, left, 0), Err(SeqFaultKind::DivisionByZero));
                continue;
            }
            let quotient = arithmetic(BinaryOp::Divide, left, right).unwrap();
            let rest = arithmetic(BinaryOp::Modulo, left, right).unwrap();
            assert_eq!(quotient * right + rest, left);
            assert!(
                rest == 0 || ((rest < 0) == (right < 0) && rest.abs() < right.abs()),
                "{left} mod {right} = {rest}"
            );
        }
        assert_eq!(arithmetic(BinaryOp::Divide, i32::MIN, -1), Err(SeqFaultKind::ArithmeticOverflow));
        assert_eq!(arithmetic(BinaryOp::Modulo, i32::MIN, -1), Ok(0));
    }

    #[test]
    fn arithmetic_is_checked() {
        assert_eq!(arithmetic(BinaryOp::Add, i32::MAX, 1), Err(SeqFaultKind::ArithmeticOverflow));
        assert_eq!(arithmetic(BinaryOp::WrappingAdd, i32::MAX, 1), Ok(i32::MIN));
        assert_eq!(arithmetic(BinaryOp::WrappingSubtract, i32::MIN, 1), Ok(i32::MAX));
        assert_eq!(arithmetic(BinaryOp::WrappingMultiply, i32::MAX, 2), Ok(-2));
        assert_eq!(arithmetic(BinaryOp::Subtract, i32::MIN, 1), Err(SeqFaultKind::ArithmeticOverflow));
        assert_eq!(arithmetic(BinaryOp::Multiply, 1 << 16, 1 << 15), Err(SeqFaultKind::ArithmeticOverflow));
        assert_eq!(arithmetic(BinaryOp::Xor, -1, 5), Ok(-6));
        assert_eq!(arithmetic(BinaryOp::Quotient, -7, 2), Ok(-3));
        assert_eq!(arithmetic(BinaryOp::Quotient, i32::MIN, -1), Err(SeqFaultKind::ArithmeticOverflow));
        assert_eq!(arithmetic(BinaryOp::Remainder, -7, 2), Ok(-1));
        assert_eq!(arithmetic(BinaryOp::Remainder, 1, 0), Err(SeqFaultKind::DivisionByZero));
        assert_eq!(arithmetic(BinaryOp::ShiftLeft, 1, 33), Ok(2));
        assert_eq!(arithmetic(BinaryOp::ShiftRightUnsigned, -1, 28), Ok(15));
        assert_eq!(arithmetic(BinaryOp::Power, 2, 31), Err(SeqFaultKind::ArithmeticOverflow));
        assert_eq!(arithmetic(BinaryOp::Power, 7, -1), Ok(0));
        for operand in (0..50).chain([i32::MAX - 1, i32::MAX]) {
            assert_eq!(arithmetic(BinaryOp::Root, operand, 2), Ok(operand.isqrt()));
            assert_eq!(arithmetic(BinaryOp::Root, operand, 1), Ok(operand));
        }
        assert_eq!(arithmetic(BinaryOp::Root, 80, 4), Ok(2));
        assert_eq!(arithmetic(BinaryOp::Root, -1, 2), Err(SeqFaultKind::NoRoot));
        assert_eq!(arithmetic(BinaryOp::Root, 1, 0), Err(SeqFaultKind::NoRoot));
    }
}
