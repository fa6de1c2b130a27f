//! States and messages in the model's names.

use frontend::interpret::{Message, Rebec, State};
pub(crate) use frontend::model::display::value_text as value;
use frontend::model::display::{element_name, message_text};
use frontend::model::{ClassId, Model, RebecId, Role, Value};
use serde_json::{Map, Value as Json, json};

use crate::trace_file::{MessageFile, VALUE};

/// A value as JSON.
pub(crate) fn value_json(model: &Model, value: Value) -> Json {
    match value {
        Value::Bool(value) => json!(value),
        Value::Int(value) | Value::Scalar(value) => json!(value),
        Value::Null | Value::Undefined => Json::Null,
        Value::Rebec(rebec) => json!(model.rebec_name(rebec)),
    }
}

/// The name of the server that takes a message.
pub(crate) fn event<'a>(model: &'a Model, receiver: RebecId, message: &Message) -> &'a str {
    &model.class(model.class_of(receiver)).servers[message.server.index()].name
}

/// A message with its arguments: `permit(1, true)`.
pub(crate) fn call(model: &Model, receiver: RebecId, message: &Message) -> String {
    message_text(model, model.class_of(receiver), message)
}

/// A message with its arguments and its sender: `permit(1, true) from fork0`.
pub(crate) fn message(model: &Model, receiver: RebecId, message: &Message) -> String {
    format!("{} from {}", call(model, receiver, message), model.rebec_name(message.sender))
}

/// A message as JSON.
pub(crate) fn message_json(model: &Model, receiver: RebecId, message: &Message) -> MessageFile {
    MessageFile {
        message: event(model, receiver, message).to_owned(),
        arguments: message.arguments.iter().map(|&argument| value_json(model, argument)).collect(),
        sender: model.rebec_name(message.sender),
    }
}

/// One element of the value vector of a class.
pub(crate) struct Element {
    /// The variable with its indices: `signal[1]`. A hidden variable has its class before it: `Base.x`.
    pub(crate) name: String,
    /// Known rebec or state variable.
    pub(crate) role: Role,
}

/// The elements of a class, in the order of its value vector.
pub(crate) fn elements(model: &Model, id: ClassId) -> Vec<Element> {
    let class = model.class(id);
    let mut elements = Vec::with_capacity(class.elements());
    for (index, variable) in class.variables.iter().enumerate() {
        let hidden = class.variable(&variable.name).is_some_and(|id| id.index() != index);
        for element in variable.elements() {
            let name = element_name(model, id, element);
            let name = if hidden { format!("{}.{name}", model.class(variable.declared_in).name) } else { name };
            elements.push(Element { name, role: variable.role });
        }
    }
    elements
}

/// The variables of a rebec that a state shows: those of `main` without their known rebecs, which never change.
pub(crate) fn shown<'a>(
    model: &'a Model,
    id: RebecId,
    rebec: &'a Rebec,
) -> impl Iterator<Item = (String, Value)> + use<'a> {
    let is_static = model.ordinal(id).is_none();
    let elements = elements(model, model.class_of(id));
    debug_assert_eq!(elements.len(), rebec.values.len(), "a rebec has a value for each element");
    let elements = elements.into_iter().zip(rebec.values.iter().copied());
    elements
        .filter(move |(element, _)| element.role == Role::State || !is_static)
        .map(|(element, value)| (element.name, value))
}

/// A state as JSON: for each rebec its variables and its queue.
pub(crate) fn state_json(model: &Model, state: &State) -> Json {
    let mut rebecs = Map::new();
    for id in state.identities() {
        let Some(rebec) = state.rebec(id) else { continue };
        limits::work(VALUE * (rebec.values.len() + rebec.queue.len()) as u64);
        let variables: Map<String, Json> =
            shown(model, id, rebec).map(|(name, value)| (name, value_json(model, value))).collect();
        let queue: Vec<MessageFile> = rebec.queue.iter().map(|message| message_json(model, id, message)).collect();
        rebecs.insert(model.rebec_name(id), json!({ "variables": variables, "queue": queue }));
    }
    Json::Object(rebecs)
}

/// The name of a parameter of a rebec of `main`.
pub(crate) fn parameter(model: &Model, rebec: RebecId, parameter: usize) -> String {
    let parameters = model.class(model.class_of(rebec)).creation_parameters(model.dialect);
    parameters.get(parameter).map_or_else(|| "?".to_owned(), |local| local.name.clone())
}
