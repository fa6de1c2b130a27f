//! Operators on integers of 32 bits.

use frontend::murphi::syntax::ast::BinaryOp;

use super::machine::{Checked, Stop};
use super::value::Simple;

/// An operator on integers.
pub(super) fn binary(op: BinaryOp, left: i64, right: i64) -> Checked<Simple> {
    let shift = |by: i64| {
        // A shift to the left loses what leaves the word, one to the right keeps the sign.
        let word = i32::try_from(left).expect("32 bits");
        let far = by.unsigned_abs() > 31;
        let shifted = match by >= 0 {
            true if far => 0,
            true => word << by,
            false if far => word >> 31,
            false => word >> -by,
        };
        Simple::Number(i64::from(shifted))
    };
    Ok(match op {
        BinaryOp::Less => Simple::Boolean(left < right),
        BinaryOp::LessEqual => Simple::Boolean(left <= right),
        BinaryOp::Greater => Simple::Boolean(left > right),
        BinaryOp::GreaterEqual => Simple::Boolean(left >= right),
        BinaryOp::Xor => Simple::Number(left ^ right),
        BinaryOp::ShiftLeft => shift(right),
        BinaryOp::ShiftRight => shift(-right),
        BinaryOp::Add => in_32_bits(left + right)?,
        BinaryOp::Subtract => in_32_bits(left - right)?,
        BinaryOp::Multiply => in_32_bits(left * right)?,
        BinaryOp::Divide | BinaryOp::Remainder if right == 0 => return Err(Stop::Error),
        BinaryOp::Divide => in_32_bits(left / right)?,
        BinaryOp::Remainder => Simple::Number(left % right),
        BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Implies => panic!("no operator on integers alone"),
    })
}

pub(super) fn in_32_bits(value: i64) -> Checked<Simple> {
    if i32::try_from(value).is_ok() { Ok(Simple::Number(value)) } else { Err(Stop::Error) }
}
