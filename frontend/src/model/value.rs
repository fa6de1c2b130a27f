//! Values: what one element of a variable, one parameter or one expression holds.

use super::RebecId;

/// A value. The order of the variants and payloads is the order used wherever states are sorted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// A boolean.
    Bool(bool),
    /// An integer of any width; in range for the variable that holds it.
    Int(i32),
    /// No rebec.
    Null,
    /// A rebec.
    Rebec(RebecId),
    /// A scalar variable that was never assigned.
    Undefined,
    /// A value of a scalar set, between its bounds.
    Scalar(i32),
}
