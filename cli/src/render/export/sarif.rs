//! A report as SARIF 2.1.0, for code hosts that show findings next to the text.
//!
//! A violation is a result of kind `fail` at the place of its fault, or of its last step, with the counterexample as
//! a code flow; an inconclusive answer is of kind `open`; a property that holds is of kind `pass`. Notices and
//! warnings about the text are separate results under their code.
//!
//! Source: OASIS, Static Analysis Results Interchange Format 2.1.0, sections 3.27 and 3.36.

use serde_json::{Value as Json, json};

use super::chart::{Chart, Row, called};
use super::escape::uri;
use super::read::{DetectionFile, NearFile, NoticeFile, PropertyFile, ReportFile};
use crate::trace_file::{LocationFile, TraceFile};

/// The most steps of a code flow.
const MOST_STEPS: usize = 300;

/// The kinds of properties, as rules.
const RULES: [(&str, &str); 9] = [
    ("deadlock", "Some reachable state has no successor"),
    ("overflow", "A message is sent to a queue that is full"),
    ("error", "A run-time fault"),
    ("assertion", "An assertion of the model fails"),
    ("invariant", "An assertion over all reachable states fails"),
    ("ltl", "A run violates a formula of linear temporal logic"),
    ("ctl", "A formula of branching time does not hold at the start"),
    ("cover", "A condition holds in no reachable state"),
    ("recovery", "Some reachable state does not lead to a condition"),
];

/// The rule of places that keep permutations out of a group.
const NEAR: (&str, &str) = ("N0533", "A place keeps permutations out of the group");

/// A report.
pub(crate) fn document(report: &ReportFile) -> Json {
    let path = report.model.path.as_str();
    let mut results: Vec<Json> = report.properties.iter().map(|property| result(property, path)).collect();
    results.extend(report.notices.iter().filter(|notice| notice.line.is_some()).map(|n| remark(n, path)));
    log(&RULES, report.verdict != "inconclusive", &results)
}

/// The places that keep permutations out of the group of a model: a note each.
pub(crate) fn of_symmetries(found: &DetectionFile) -> Json {
    let path = found.model.path.as_str();
    let results: Vec<Json> = found.near.iter().flat_map(|near| notes(near, path)).collect();
    log(&[NEAR], found.limit.is_none(), &results)
}

fn notes<'a>(near: &'a NearFile, path: &'a str) -> impl Iterator<Item = Json> + 'a {
    near.places().map(move |place| {
        json!({
            "ruleId": NEAR.0,
            "kind": "informational",
            "level": "none",
            "message": { "text": format!("{}, but for `{}`: {}", near.permutations, place.text, place.reason) },
            "locations": [location(path, Some(LocationFile { line: place.line, column: place.column }), None)],
        })
    })
}

/// A log of one run.
fn log(rules: &[(&str, &str)], is_done: bool, results: &[Json]) -> Json {
    let rules: Vec<Json> =
        rules.iter().map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } })).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "quotient", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": is_done }],
            "results": results,
        }],
    })
}

fn result(property: &PropertyFile, path: &str) -> Json {
    let (kind, level, said) = match property.verdict.as_str() {
        "violated" => ("fail", "error", "is violated"),
        "holds" => ("pass", "none", "holds"),
        _ => ("open", "none", "is inconclusive"),
    };
    let mut text = format!("{} {said}", property.name);
    if !property.message.is_empty() {
        text.push_str(": ");
        text.push_str(&property.message);
    }
    let place = property.trace.as_ref().and_then(last_place);
    let mut result = json!({
        "ruleId": property.kind,
        "kind": kind,
        "level": level,
        "message": { "text": text },
        "locations": [location(path, place, None)],
    });
    if let Some(trace) = &property.trace {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow(trace, path) }] }]);
    }
    result
}

/// The steps as locations, each with its message.
fn flow(trace: &TraceFile, path: &str) -> Vec<Json> {
    let chart = Chart::new(trace);
    let steps = chart.rows.iter().filter_map(|row| match row {
        Row::Step(step) => Some((step, trace.steps.get(step.number - 1)?)),
        Row::Gap(_) => None,
    });
    let written = steps.take(MOST_STEPS).map(|(row, step)| {
        let mut text = called(step);
        for note in &row.notes {
            text.push_str("; ");
            text.push_str(note);
        }
        json!({ "location": location(path, step.location, Some(&text)), "executionOrder": row.number })
    });
    written.collect()
}

/// The place of the fault, or of the last step.
fn last_place(trace: &TraceFile) -> Option<LocationFile> {
    let fault = trace.fault.as_ref();
    let fault = fault.and_then(|fault| Some(LocationFile { line: fault.line?, column: fault.column.unwrap_or(1) }));
    fault.or_else(|| trace.steps.last().and_then(|step| step.location))
}

fn location(path: &str, place: Option<LocationFile>, text: Option<&str>) -> Json {
    let mut physical = json!({ "artifactLocation": { "uri": uri(path) } });
    if let Some(place) = place {
        physical["region"] = json!({ "startLine": place.line.max(1), "startColumn": place.column.max(1) });
    }
    let mut location = json!({ "physicalLocation": physical });
    if let Some(text) = text {
        location["message"] = json!({ "text": text });
    }
    location
}

fn remark(notice: &NoticeFile, path: &str) -> Json {
    let level = if notice.severity == "warning" { "warning" } else { "note" };
    let part = |number: Option<u64>| number.and_then(|number| usize::try_from(number).ok()).unwrap_or(1);
    let place = LocationFile { line: part(notice.line), column: part(notice.column) };
    json!({
        "ruleId": notice.code,
        "kind": "fail",
        "level": level,
        "message": { "text": notice.message },
        "locations": [location(path, Some(place), None)],
    })
}

#[cfg(test)]
mod tests {
    use super::super::chart::tests::sample;
    use super::super::read::{ModelFile, PropertyFile, ReportFile};
    use super::document;
    use crate::trace_file::LocationFile;

    #[test]
    fn a_violation_has_a_place_and_a_flow() {
        let mut trace = sample();
        trace.steps[1].location = Some(LocationFile { line: 7, column: 3 });
        let property = PropertyFile {
            name: "P".to_owned(),
            kind: "invariant".to_owned(),
            verdict: "violated".to_owned(),
            trace: Some(trace),
            ..PropertyFile::default()
        };
        let model = ModelFile { path: "a b.rebeca".to_owned(), ..ModelFile::default() };
        let written = document(&ReportFile { model, properties: vec![property], ..ReportFile::default() });
        let result = &written["runs"][0]["results"][0];
        assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b.rebeca");
        assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 7);
        let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
        assert_eq!(flow[1]["location"]["message"]["text"], "b.m(1)");
    }
}
