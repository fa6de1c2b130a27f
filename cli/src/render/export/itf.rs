//! A trace in the Informal Trace Format, which viewers of traces and test generators read.
//!
//! Each rebec is a variable whose value is a record of its variables and its queue; a variable of a sequential
//! process is a variable. `step` describes the step that led to a state. Values that the format lacks (no rebec, a
//! scalar that was never assigned) are written as `{"#unserializable": "null"}`.
//!
//! Source: the description of the format by the authors of Apalache (ADR 015).

use std::collections::HashSet;

use serde_json::{Map, Value as Json, json};

use super::chart::event;
use super::states::states;
use crate::trace_file::{TraceFile, VALUE};

/// A trace; it ends before the first unknown state.
pub(crate) fn document(trace: &TraceFile, model: &str, property: &str) -> Json {
    let known: Vec<Json> = states(trace).into_iter().map_while(|state| state).collect();
    let mut names: Vec<String> = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for state in known.iter().filter_map(Json::as_object) {
        limits::work(state.len() as u64);
        names.extend(state.keys().filter(|name| seen.insert(name)).cloned());
    }
    let step_name = fresh("step", &names);
    let absent = json!({ "#unserializable": "absent" });
    let written = known.iter().enumerate().map(|(index, state)| {
        limits::work(VALUE * names.len() as u64);
        let mut fields = Map::new();
        fields.insert("#meta".to_owned(), json!({ "index": index }));
        for name in &names {
            fields.insert(name.clone(), state.get(name).map_or_else(|| absent.clone(), value));
        }
        fields.insert(step_name.clone(), json!(event(trace, index)));
        Json::Object(fields)
    });
    let written: Vec<Json> = written.collect();
    let mut meta = json!({
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": model,
        "description": property,
    });
    if let Some(fault) = &trace.fault {
        meta["fault"] = json!(fault.message);
    }
    let mut variables = names.clone();
    variables.push(step_name);
    let mut document = json!({ "#meta": meta, "vars": variables, "states": written });
    if let Some(from) = trace.cycle_from.filter(|&from| from < known.len()) {
        document["loop"] = json!(from);
    }
    document
}

/// A free name.
fn fresh(wanted: &str, taken: &[String]) -> String {
    let mut name = wanted.to_owned();
    while taken.contains(&name) {
        name.push('_');
    }
    name
}

fn value(json: &Json) -> Json {
    match json {
        Json::Null => json!({ "#unserializable": "null" }),
        Json::Number(number) => json!({ "#bigint": number.to_string() }),
        Json::Array(items) => items.iter().map(value).collect(),
        Json::Object(fields) => {
            // A field that starts with `#` would read as a mark of the format.
            let plain = |name: &String| name.strip_prefix('#').map_or_else(|| name.clone(), |rest| format!("_{rest}"));
            Json::Object(fields.iter().map(|(name, field)| (plain(name), value(field))).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::chart::tests::sample;
    use super::document;
    use serde_json::json;

    #[test]
    fn states_are_records() {
        let mut trace = sample();
        trace.cycle_from = Some(1);
        let written = document(&trace, "m.rebeca", "P");
        assert_eq!(written["vars"], json!(["a", "b", "step"]));
        assert_eq!(written["states"].as_array().map(Vec::len), Some(3));
        assert_eq!(written["states"][1]["a"]["variables"]["x"], json!({ "#bigint": "1" }));
        assert_eq!((&written["states"][2]["step"], &written["loop"]), (&json!("b.m(1)"), &json!(1)));
    }
}
