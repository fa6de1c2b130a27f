//! [`Op`]: operations on functions of the state, in one state.

use frontend::sequential::BinaryOp;
use frontend::sequential::interpret::arithmetic;

use super::terms::TermId;

/// The result of a function in a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Leaf {
    /// No result: the function is undefined here.
    Nothing,
    /// The evaluation faults.
    Fault,
    /// A value.
    Value(i32),
    /// A term over wide elements; never a single value.
    Term(TermId),
}

/// Operations on two functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Op {
    /// A binary operator: the left operand first.
    Arithmetic(BinaryOp),
    /// The right operand where the left one is true, false where it is false.
    And,
    /// True where the left operand is true, the right one where it is false.
    Or,
    /// True where the left operand is false, the right one where it is true.
    Implies,
    /// The right operand where the left one is neither `Nothing`, a fault nor zero; `Nothing` where it is zero.
    WhenTrue,
    /// The right operand where the left one is zero; `Nothing` where it is another value.
    WhenFalse,
    /// The right operand where the left one is this value, otherwise `Nothing`.
    Only(i32),
    /// The right operand where the left one is `Nothing`.
    Else,
    /// The right operand where the left one is no fault.
    Then,
    /// The offset so far, and an index into a dimension: its least value and its size.
    Offset(i32, i32),
}

/// The result of an operation once its left operand is known.
pub(super) enum Half {
    Is(Leaf),
    Right,
    Open,
}

impl Op {
    /// The result as far as the left operand decides it.
    pub(super) fn half(self, left: Leaf) -> Half {
        use Half::{Is, Open, Right};
        use Leaf::{Fault, Nothing, Term, Value};
        match (self, left) {
            // Only operators on values get a term on the left: all other operations resolve terms before.
            (Op::Arithmetic(_), Value(_) | Term(_)) => Open,
            (Op::Only(value), left) => {
                if left == Value(value) {
                    Right
                } else {
                    Is(Nothing)
                }
            }
            (Op::Else, Nothing) => Right,
            (Op::Else, left) => Is(left),
            (Op::Then, Fault) => Is(Fault),
            (Op::Then, _) => Right,
            (_, Fault | Nothing) => Is(left),
            (Op::And, Value(0)) => Is(Value(0)),
            (Op::Or, Value(0)) | (Op::WhenFalse, Value(0)) => Right,
            (Op::Implies, Value(0)) => Is(Value(1)),
            (Op::WhenTrue, Value(0)) => Is(Nothing),
            (Op::And | Op::Implies | Op::WhenTrue, Value(_)) => Right,
            (Op::Or, Value(_)) => Is(Value(1)),
            (Op::WhenFalse, Value(_)) => Is(Nothing),
            (_, Value(_) | Term(_)) => Open,
        }
    }

    /// The result of an operation whose operands are values.
    pub(super) fn whole(self, left: i32, right: Leaf) -> Leaf {
        let Leaf::Value(right) = right else { return right };
        let result = match self {
            Op::Arithmetic(op) => arithmetic(op, left, right).ok(),
            Op::Offset(low, size) => {
                let step = i64::from(right) - i64::from(low);
                let inside = (0..i64::from(size)).contains(&step);
                inside.then(|| i32::try_from(i64::from(left) * i64::from(size) + step).ok()).flatten()
            }
            _ => unreachable!("the left operand decides all others"),
        };
        result.map_or(Leaf::Fault, Leaf::Value)
    }
}
