//! Values: what one element of a variable, one parameter or one expression holds.

use super::{Model, RebecId, Sort};

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

impl Value {
    /// Whether an element of the sort may hold the value. A rebec must be one that the model has or can create.
    pub fn has_sort(self, model: &Model, sort: Sort) -> bool {
        match (sort, self) {
            (Sort::Bool, Value::Bool(_)) => true,
            (Sort::Int(width), Value::Int(value)) => width.range().contains(&value),
            (Sort::Rebec(_), Value::Null) => true,
            (Sort::Rebec(class), Value::Rebec(rebec)) => model.conforms(model.class_of(rebec), class),
            (Sort::Scalar(set), Value::Scalar(value)) => {
                let set = model.scalar_set(set);
                (set.low..=set.high).contains(&value)
            }
            _ => false,
        }
    }
}
