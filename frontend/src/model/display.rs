//! Short texts in the model's own names: values, messages, elements, sorts and operators.
//!
//! Everything here is for people; the canonical text of whole models is made by [`print`](super::print).

use super::{BinaryOp, ClassId, Dimension, Model, Sort, Value};
use crate::interpret::Message;

/// A value as the user would write it; `undefined` for a scalar variable that was never assigned.
pub fn value_text(model: &Model, value: Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) | Value::Scalar(value) => value.to_string(),
        Value::Null => "null".to_owned(),
        Value::Rebec(rebec) => model.rebec_name(rebec),
        Value::Undefined => "undefined".to_owned(),
    }
}

/// A message with its arguments, such as `service(c1)`.
pub fn message_text(model: &Model, receiver_class: ClassId, message: &Message) -> String {
    let name = &model.class(receiver_class).servers[message.server.index()].name;
    let arguments: Vec<String> = message.arguments.iter().map(|&value| value_text(model, value)).collect();
    format!("{name}({})", arguments.join(", "))
}

/// The name of an element of the value vector of a class: `busy`, `signal[2]` with values of the scalar set, `x[0][1]`.
///
/// # Panics
/// If the class has no such element.
pub fn element_name(model: &Model, class: ClassId, element: usize) -> String {
    let variables = &model.class(class).variables;
    let variable = variables.iter().find(|variable| variable.elements().contains(&element)).expect("an element");
    let mut rest = element - variable.offset as usize;
    let mut indices = Vec::with_capacity(variable.dimensions.len());
    for &dimension in variable.dimensions.iter().rev() {
        let len = model.extent(dimension) as usize;
        let position = i64::try_from(rest % len).unwrap_or(i64::MAX);
        rest /= len;
        indices.push(match dimension {
            Dimension::Array(_) => position,
            Dimension::Scalar(set) => i64::from(model.scalar_set(set).low) + position,
        });
    }
    assert!(rest == 0, "the variable has no element {element}");
    indices.iter().rev().fold(variable.name.clone(), |name, index| format!("{name}[{index}]"))
}

/// The name of a sort: a keyword, a class or a scalar set; `any rebec` for the sort of `sender` and `null`.
pub fn sort_name(model: &Model, sort: Sort) -> &str {
    match sort {
        Sort::Bool => "boolean",
        Sort::Int(width) => width.keyword(),
        Sort::Rebec(class) => &model.class(class).name,
        Sort::AnyRebec => "any rebec",
        Sort::Scalar(set) => &model.scalar_set(set).name,
    }
}

impl BinaryOp {
    /// Whether some operands have no result.
    pub fn may_fault(self) -> bool {
        use BinaryOp::{Add, Divide, Multiply, Power, Remainder, Subtract};
        matches!(self, Add | Subtract | Multiply | Divide | Remainder | Power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::samples::{INT, chooser, class, model, ping_pong};
    use crate::model::{Dialect, RebecId, Role, ScalarSetId, ServerId};

    #[test]
    fn elements_are_named_by_their_indices() {
        let picker = chooser();
        let names: Vec<String> = (0..5).map(|element| element_name(&picker, ClassId(0), element)).collect();
        assert_eq!(names, ["leaf[1]", "leaf[2]", "marked[1]", "marked[2]", "current"]);
        let axes = [Dimension::Array(2), Dimension::Array(3)];
        let matrix = class(0, "C", 1).with(Role::State, "x", INT, &axes, &[Value::Int(0); 6]);
        let matrix = model(Dialect::Rebeca21, vec![matrix], vec![]);
        assert_eq!(element_name(&matrix, ClassId(0), 4), "x[1][1]");
    }

    #[test]
    fn messages_and_values_are_written_as_in_the_text() {
        let model = ping_pong();
        let message = Message { server: ServerId(1), sender: RebecId(0), arguments: vec![Value::Int(-3)] };
        assert_eq!(message_text(&model, ClassId(1), &message), "ball(-3)");
        assert_eq!(value_text(&model, Value::Rebec(RebecId(1))), "pong");
        assert_eq!(value_text(&model, Value::Undefined), "undefined");
        assert_eq!(sort_name(&chooser(), Sort::Scalar(ScalarSetId(0))), "i");
    }
}
