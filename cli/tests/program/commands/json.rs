//! `check --json`: every key of the contract is there with the right type, for every verdict and every kind of violation.

use serde_json::Value as Json;

use super::{Folder, HOLDS, LARGE, VIOLATED, answer, expect, fixture, report};

/// Whether a value is what a key of the contract promises.
type Kind = fn(&Json) -> bool;

fn text(value: &Json) -> bool {
    value.is_string()
}

fn flag(value: &Json) -> bool {
    value.is_boolean()
}

fn number(value: &Json) -> bool {
    value.is_u64()
}

fn list(value: &Json) -> bool {
    value.is_array()
}

fn verdict(value: &Json) -> bool {
    ["holds", "violated", "inconclusive"].iter().any(|word| value == word)
}

fn kind(value: &Json) -> bool {
    ["deadlock", "assertion", "invariant", "ltl", "overflow", "error"].iter().any(|word| value == word)
}

const REPORT: &[(&str, Kind)] = &[
    ("schema_version", |value| value == 1),
    ("command", |value| value == "check"),
    ("model", |value| all(value, MODEL)),
    ("verdict", verdict),
    ("complete", flag),
    ("exact", flag),
    ("properties", |value| each(value, PROPERTY)),
    ("states", number),
    ("transitions", number),
    ("depth", number),
    ("deadlock_states", |value| value.is_null() || number(value)),
    ("reductions", list),
    ("group", |value| value.is_null() || all(value, GROUP)),
    ("limit", |value| value.is_null() || all(value, LIMIT)),
    ("seconds", Json::is_number),
    ("peak_memory_bytes", |value| value.is_null() || number(value)),
];

const MODEL: &[(&str, Kind)] =
    &[("path", text), ("language", |value| value == "rebeca"), ("dialect", |value| value == "2.0" || value == "2.1")];

const PROPERTY: &[(&str, Kind)] = &[
    ("name", text),
    ("kind", kind),
    ("verdict", verdict),
    ("message", text),
    ("trace", |value| value.is_null() || all(value, TRACE)),
];

const GROUP: &[(&str, Kind)] = &[("order", text), ("detector", text), ("representative", text), ("exact", flag)];

const LIMIT: &[(&str, Kind)] = &[("kind", text), ("value", Json::is_number)];

const TRACE: &[(&str, Kind)] =
    &[("steps", |value| each(value, STEP)), ("cycle_from", |value| value.is_null() || number(value))];

const STEP: &[(&str, Kind)] = &[
    ("rebec", text),
    ("event", text),
    ("arguments", list),
    ("choices", list),
    ("changes", list),
    ("state", |value| value.is_null() || value.is_object()),
];

fn each(value: &Json, keys: &[(&str, Kind)]) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(|item| all(item, keys)))
}

fn all(value: &Json, keys: &[(&str, Kind)]) -> bool {
    keys.iter().all(|(key, fits)| value.get(key).is_some_and(fits))
}

/// A report that keeps the contract and its own invariants.
fn kept(code: i32, arguments: &[&str]) -> Json {
    let report = report(code, arguments);
    for (key, fits) in REPORT {
        let value = report.get(key).unwrap_or_else(|| panic!("{arguments:?}: no `{key}`\n{report:#}"));
        assert!(fits(value), "{arguments:?}: `{key}` is {value:#}");
    }
    let verdicts: Vec<&Json> = report["properties"].as_array().into_iter().flatten().map(|p| &p["verdict"]).collect();
    let expected = match code {
        0 => "holds",
        1 => "violated",
        _ => "inconclusive",
    };
    assert_eq!(report["verdict"], expected);
    assert_eq!(code == 0, verdicts.iter().all(|verdict| **verdict == "holds") && report["complete"] == true);
    assert_eq!(code == 1, verdicts.iter().any(|verdict| **verdict == "violated"));
    for property in report["properties"].as_array().into_iter().flatten() {
        assert_eq!(property["verdict"] == "violated", property["trace"].is_object(), "{property:#}");
        assert!(property["verdict"] == "holds" || property["message"] != "", "{property:#}");
    }
    report
}

#[test]
fn a_model_that_holds_keeps_the_contract() {
    let report = kept(0, &["check", &fixture(HOLDS)]);
    assert_eq!((&report["complete"], &report["exact"], &report["limit"]), (&true.into(), &true.into(), &Json::Null));
    assert_eq!(report["model"]["path"], fixture(HOLDS));
}

#[test]
fn every_kind_of_violation_keeps_the_contract() {
    let folder = Folder::new();
    let dead = folder.file("dead.rebeca", "reactiveclass A(1) { msgsrv initial() { } } main { A a():(); }");
    for (model, kind) in [
        (dead, "deadlock"),
        (fixture("faults/queue_overflow"), "overflow"),
        (fixture("faults/assertion_failed"), "assertion"),
        (fixture("faults/division_by_zero"), "error"),
        (fixture("faults/fault_in_constructor"), "error"),
        (fixture(VIOLATED), "invariant"),
    ] {
        for order in ["bfs", "dfs"] {
            let report = kept(1, &["check", &model, "--search", order]);
            let violated = report["properties"].as_array().into_iter().flatten();
            let kinds: Vec<&Json> = violated.filter(|p| p["verdict"] == "violated").map(|p| &p["kind"]).collect();
            assert_eq!(kinds, [kind], "{model}, {order}");
        }
    }
}

#[test]
fn formulas_are_answered_under_their_kind() {
    let folder = Folder::new();
    let formula = folder.file("formula.property", "property { define { y = v.y; } LTL { Live: G(F(y)); } }");
    let run = crate::binary::quotient(&["check", &fixture(VIOLATED), "--property", &formula, "--json"]);
    let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(answer(&report, "Live").map(|answer| answer["kind"].clone()), Some("ltl".into()));
    assert!(all(&report, REPORT), "{report:#}");
}

#[test]
fn every_limit_keeps_the_contract() {
    let (large, endless) = (fixture(LARGE), fixture("creation/unbounded"));
    for (model, options, kind, value) in [
        (&large, &["--max-states", "5"][..], "states", Json::from(5)),
        (&large, &["--max-depth", "2"], "depth", 2.into()),
        (&large, &["--max-memory", "1"], "memory", 1.into()),
        (&large, &["--timeout", "0"], "time", 0.into()),
        (&endless, &["--max-rebecs", "3", "--symmetry", "none"], "rebecs", 3.into()),
    ] {
        for order in ["bfs", "dfs"] {
            let arguments = [&["check", model, "--search", order][..], options].concat();
            let report = kept(3, &arguments);
            assert_eq!(report["limit"], serde_json::json!({ "kind": kind, "value": value }), "{arguments:?}");
            assert_eq!(report["complete"], false, "{arguments:?}");
        }
    }
}

#[test]
fn diagnostics_stay_on_standard_error_under_json() {
    let folder = Folder::new();
    let wrong = folder.file("wrong.rebeca", "main { A a():(); }");
    let run = expect(2, &["check", &wrong, "--json"]);
    assert!(run.stdout.is_empty() && run.stderr.contains("error[E0201]"), "{run:?}");
    assert!(run.stderr.trim_end().ends_with("1 error"), "{}", run.stderr);
}

#[test]
fn the_report_is_deterministic() {
    let without_measures = |mut report: Json| {
        report["seconds"] = Json::Null;
        report["peak_memory_bytes"] = Json::Null;
        report
    };
    for order in ["bfs", "dfs"] {
        let arguments = ["check", &fixture("philosophers/phil2_fig2"), "--search", order, "--keep-going"];
        assert_eq!(without_measures(report(1, &arguments)), without_measures(report(1, &arguments)));
    }
}
