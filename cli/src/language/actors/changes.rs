//! The changes of a step: the difference of two states.
//!
//! Queues are compacted first-in first-out lists, so the difference of a queue consists of the message that its own
//! rebec took and the messages put behind the rest.
//!
//! Complexity: linear in the size of the two states.

use std::collections::VecDeque;

use frontend::interpret::{Message, Rebec, State};
use frontend::model::{Model, RebecId, Value};

use super::words;
use crate::trace_file::ChangeFile;

/// One difference.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Change {
    /// A rebec was made.
    Created(RebecId),
    /// A variable has another value; `from` is absent for a rebec that was just made.
    Variable {
        /// The rebec of the variable.
        rebec: RebecId,
        /// The variable with its indices.
        name: String,
        /// The value before.
        from: Option<Value>,
        /// The value after.
        to: Value,
    },
    /// A rebec took its oldest message.
    Pop(RebecId, Message),
    /// A message came to the end of a queue.
    Push(RebecId, Message),
}

/// The differences between two states, first those of `served`, the rebec that took a message.
pub(crate) fn between(model: &Model, before: &State, after: &State, served: Option<RebecId>) -> Vec<Change> {
    let mut changes = Vec::new();
    let others = after.identities().filter(|&id| Some(id) != served);
    for id in served.into_iter().chain(others) {
        let Some(now) = after.rebec(id) else { continue };
        limits::work((now.values.len() + now.queue.len()) as u64);
        match before.rebec(id) {
            Some(then) if then == now && Some(id) != served => {}
            then => rebec(model, id, then, now, Some(id) == served, &mut changes),
        }
    }
    changes
}

fn rebec(model: &Model, id: RebecId, then: Option<&Rebec>, now: &Rebec, served: bool, changes: &mut Vec<Change>) {
    if then.is_none() {
        changes.push(Change::Created(id));
    }
    let mut before = then.map(|then| words::shown(model, id, then));
    for (name, to) in words::shown(model, id, now) {
        let from = before.as_mut().and_then(Iterator::next).map(|(_, value)| value);
        if from != Some(to) {
            changes.push(Change::Variable { rebec: id, name, from, to });
        }
    }
    let none = VecDeque::new();
    let queue = then.map_or(&none, |then| &then.queue);
    let taken = queue.front().filter(|_| served);
    if let Some(message) = taken {
        changes.push(Change::Pop(id, message.clone()));
    }
    let kept = queue.len() - usize::from(taken.is_some());
    changes.extend(now.queue.iter().skip(kept).map(|message| Change::Push(id, message.clone())));
}

/// The state before any code has run: the variables of `main` at their first values, known rebecs bound, queues
/// empty.
pub(crate) fn blank(model: &Model, features: Vec<bool>) -> State {
    let rebecs = model.instances.iter().map(|instance| {
        let values = model.class(instance.class).initial_values(&instance.known);
        Some(Rebec { values, queue: VecDeque::new() })
    });
    State { features, rebecs: rebecs.collect() }
}

/// A change as JSON.
pub(crate) fn json(model: &Model, change: &Change) -> ChangeFile {
    let queue = |rebec: RebecId, queue: &str, message: &Message| ChangeFile::Queue {
        rebec: model.rebec_name(rebec),
        queue: queue.to_owned(),
        message: words::message_json(model, rebec, message),
    };
    match change {
        Change::Created(rebec) => ChangeFile::Created {
            rebec: model.rebec_name(*rebec),
            created: model.class(model.class_of(*rebec)).name.clone(),
        },
        Change::Variable { rebec, name, from, to } => ChangeFile::Variable {
            rebec: Some(model.rebec_name(*rebec)),
            variable: name.clone(),
            from: from.map_or(serde_json::Value::Null, |value| words::value_json(model, value)),
            to: words::value_json(model, *to),
        },
        Change::Pop(rebec, message) => queue(*rebec, "pop", message),
        Change::Push(rebec, message) => queue(*rebec, "push", message),
    }
}
