//! All states of a recorded trace: the states that a long trace leaves out are computed from the changes.
//!
//! A state of Rebeca is an object of rebecs with `variables` and `queue`, a state of a sequential process an object
//! of its variables; [`apply`] changes either.
//!
//! Invariant: a state that the trace contains is taken from the trace, never computed.

use serde_json::{Map, Value as Json, json};

use crate::trace_file::{ChangeFile, TraceFile, VALUE};

/// The state before the first step and behind each step; absent where the trace ends in a fault or lacks the changes.
pub(crate) fn states(trace: &TraceFile) -> Vec<Option<Json>> {
    let mut states = vec![trace.start.state.clone()];
    for (index, step) in trace.steps.iter().enumerate() {
        limits::work(VALUE * step.state.as_ref().or(states.last().and_then(Option::as_ref)).map_or(1, size));
        let faults = trace.fault.is_some() && index + 1 == trace.steps.len();
        let next = match (&step.state, states.last()) {
            (Some(state), _) => Some(state.clone()),
            (None, Some(Some(before))) if !faults => {
                let mut state = before.clone();
                let applied = step.changes.iter().all(|change| apply(&mut state, change).is_some());
                applied.then_some(state)
            }
            _ => None,
        };
        states.push(next);
    }
    assert!(states.len() == trace.steps.len() + 1, "each step has its state, or none");
    states
}

/// The number of values of a state, about.
fn size(state: &Json) -> u64 {
    let of_rebec = |rebec: &Json| 1 + rebec.get("variables").and_then(Json::as_object).map_or(0, Map::len);
    state.as_object().into_iter().flat_map(Map::values).map(of_rebec).sum::<usize>() as u64
}

/// Changes a state; `None` when the change does not fit it.
fn apply(state: &mut Json, change: &ChangeFile) -> Option<()> {
    let fields = state.as_object_mut()?;
    match change {
        ChangeFile::Variable { rebec: None, variable, to, .. } => {
            fields.insert(variable.clone(), to.clone());
        }
        ChangeFile::Variable { rebec: Some(rebec), variable, to, .. } => {
            let variables = fields.get_mut(rebec)?.get_mut("variables")?.as_object_mut()?;
            variables.insert(variable.clone(), to.clone());
        }
        ChangeFile::Queue { rebec, queue, message } => {
            let messages = fields.get_mut(rebec)?.get_mut("queue")?.as_array_mut()?;
            match queue.as_str() {
                "pop" if !messages.is_empty() => {
                    messages.remove(0);
                }
                "push" => messages.push(serde_json::to_value(message).ok()?),
                _ => return None,
            }
        }
        ChangeFile::Created { rebec, .. } => {
            fields.insert(rebec.clone(), json!({ "variables": {}, "queue": [] }));
        }
        ChangeFile::Other(_) => return None,
    }
    Some(())
}

/// A state as a flat list: a name and a text for each variable and each queue.
pub(crate) fn flat(state: &Json) -> Vec<(String, String)> {
    let mut cells = Vec::new();
    for (name, value) in state.as_object().into_iter().flatten() {
        let Some(variables) = value.get("variables").and_then(Json::as_object) else {
            cells.push((name.clone(), super::read::shown(value)));
            continue;
        };
        cells.extend(variables.iter().map(|(key, value)| (format!("{name}.{key}"), super::read::shown(value))));
        let queue = value.get("queue").and_then(Json::as_array).map(|queue| queue.iter().map(message).collect());
        let queue: Vec<String> = queue.unwrap_or_default();
        cells.push((format!("{name}.queue"), format!("[{}]", queue.join(", "))));
    }
    cells
}

/// A message of a queue: `take(1) from ada`.
pub(crate) fn message(message: &Json) -> String {
    let text = |key: &str| message.get(key).map(super::read::shown).unwrap_or_default();
    let none = Vec::new();
    let arguments = message.get("arguments").and_then(Json::as_array).unwrap_or(&none);
    let arguments: Vec<String> = arguments.iter().map(super::read::shown).collect();
    format!("{}({}) from {}", text("message"), arguments.join(", "), text("sender"))
}

#[cfg(test)]
mod tests {
    use super::{flat, states};
    use serde_json::json;

    #[test]
    fn states_left_out_are_computed() {
        let message = json!({ "message": "m", "arguments": [1], "sender": "a" });
        let document = json!({
            "start": { "state": { "a": { "variables": { "x": 0 }, "queue": [message] } } },
            "steps": [
                { "rebec": "a", "event": "m", "changes": [
                    { "rebec": "a", "queue": "pop", "message": message },
                    { "rebec": "a", "variable": "x", "from": 0, "to": 5 },
                    { "rebec": "b", "created": "B" },
                    { "rebec": "b", "variable": "y", "from": null, "to": true },
                    { "rebec": "b", "queue": "push", "message": message },
                ] },
            ],
        });
        let states = states(&serde_json::from_value(document).expect("a trace"));
        let cells = flat(states[1].as_ref().expect("a state"));
        let expected = [("a.x", "5"), ("a.queue", "[]"), ("b.y", "true"), ("b.queue", "[m(1) from a]")];
        assert_eq!(cells, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn a_fault_has_no_state() {
        let document =
            json!({ "start": { "state": { "x": 0 } }, "steps": [{ "event": "e" }], "fault": { "message": "f" } });
        let states = states(&serde_json::from_value(document).expect("a trace"));
        assert_eq!(states, [Some(json!({ "x": 0 })), None]);
    }
}
