//! `replay`: reports and bare traces replay, changed ones do not, and anything else is refused.

use serde_json::{Value as Json, json};

use super::{Folder, PHILOSOPHERS, VIOLATED, expect, fits, fixture, text};
use crate::binary::quotient_with;

/// The report about two philosophers, and its model.
fn found() -> (Json, String) {
    let model = fixture(PHILOSOPHERS);
    let run = expect(1, &["check", &model, "--json"]);
    (serde_json::from_str(&run.stdout).expect("JSON"), model)
}

/// A change of a trace.
type Change = fn(&mut Json);

/// The index of the violated property.
fn violated(report: &Json) -> usize {
    let properties = report["properties"].as_array().expect("a list");
    properties.iter().position(|property| property["trace"].is_object()).expect("a counterexample")
}

#[test]
fn reports_and_bare_traces_replay() {
    let (report, model) = found();
    let folder = Folder::new();
    let path = folder.file("report.json", report.to_string());
    let run = expect(0, &["replay", &path]);
    assert!(run.stdout.contains("replays on") && run.stdout.contains("9 steps replayed"), "{}", run.stdout);
    expect(0, &["replay", &path, "--property", "NobodyEats"]);
    expect(0, &["replay", &path, &model, "--full"]);
    let trace = &report["properties"][violated(&report)]["trace"];
    let bare = folder.file("trace.json", trace.to_string());
    expect(0, &["replay", &bare, &model]);
    let piped = quotient_with(&["replay", "-", &model], trace.to_string().as_bytes());
    fits(0, &["replay", "-"], &piped);
    let least: Vec<Json> = trace["steps"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|step| json!({ "rebec": step["rebec"], "event": step["event"] }))
        .collect();
    let least = folder.file("least.json", json!({ "steps": least }).to_string());
    expect(0, &["replay", &least, &model]);
}

#[test]
fn changed_traces_do_not_replay() {
    let (report, _) = found();
    let at = violated(&report);
    let folder = Folder::new();
    let changes: [(&str, Change); 9] = [
        ("step 3", |trace| trace["steps"][2]["rebec"] = "phil1".into()),
        ("step 3", |trace| trace["steps"][2]["rebec"] = "nobody".into()),
        ("step 4", |trace| trace["steps"][3]["event"] = "release".into()),
        ("step 4", |trace| trace["steps"][3]["arguments"] = json!([1])),
        ("step 4", |trace| trace["steps"][3]["sender"] = "phil1".into()),
        ("step 4", |trace| trace["steps"][3]["state"]["fork0"]["variables"]["busy"] = false.into()),
        ("step 2", |trace| trace["steps"][1]["choices"] = json!([{ "value": 1 }])),
        ("start", |trace| trace["start"]["state"]["fork0"]["variables"]["busy"] = true.into()),
        ("end", |trace| trace["cycle_from"] = 3.into()),
    ];
    for (place, change) in changes {
        let mut changed = report.clone();
        change(&mut changed["properties"][at]["trace"]);
        assert_ne!(changed, report, "{place}");
        let path = folder.file("changed.json", changed.to_string());
        let run = expect(1, &["replay", &path]);
        assert!(run.stdout.contains("does not replay") && run.stdout.contains(&format!("{place}: ")), "{}", run.stdout);
    }
}

/// A run that is one of the model, but does not show what it is said to show.
#[test]
fn a_run_that_shows_no_violation_does_not_replay() {
    let folder = Folder::new();
    let dead = folder.file("dead.rebeca", "reactiveclass A(1) { msgsrv initial() { } } main { A a():(); }");
    let run = expect(1, &["check", &dead, "--json"]);
    let mut report: Json = serde_json::from_str(&run.stdout).expect("JSON");
    report["properties"][0]["trace"]["steps"] = json!([]);
    let path = folder.file("report.json", report.to_string());
    let run = expect(1, &["replay", &path]);
    assert!(run.stdout.contains("not a deadlock"), "{}", run.stdout);
    let faulty = fixture("faults/assertion_failed");
    let run = expect(1, &["check", &faulty, "--json"]);
    let mut report: Json = serde_json::from_str(&run.stdout).expect("JSON");
    let trace = &mut report["properties"][2]["trace"];
    trace["fault"]["message"] = "division by zero".into();
    let path = folder.file("report.json", report.to_string());
    expect(1, &["replay", &path]);
}

/// A long trace leaves out the states in its middle: the changes of a step tell it from others of the same event.
#[test]
fn steps_without_a_state_are_told_by_their_changes() {
    let process = "type N : 0..3000; type V : 0..1; proc P(n : N, v : V) = [n < 2600] a { n := n + 1; } -> P
        + [n < 2600 && n = 1300] a { n := n + 1; v := 1; } -> P; init P(n = 0, v = 0); assert A = !(n = 2600 && v = 1);";
    let murphi = "var n : 0..3000; v : 0..3; startstate n := 0; v := 0; end; rule \"a\" n < 2600 ==> n := n + 1; end;
        rule \"a\" n = 1300 ==> n := n + 1; v := 1; end; invariant \"A\" !(n = 2600 & v = 1);";
    let folder = Folder::new();
    for (name, text) in [("long.lpe", process), ("long.m", murphi)] {
        let model = folder.file(name, text);
        let mut report = super::report(1, &["check", &model, "--name", "A"]);
        expect(0, &["replay", &folder.file("report.json", report.to_string())]);
        let step = &mut report["properties"][0]["trace"]["steps"][1300];
        assert!(step["state"].is_null() && step["changes"].as_array().is_some_and(|changes| changes.len() == 2));
        step["changes"][1]["to"] = 0.into();
        let run = expect(1, &["replay", &folder.file("changed.json", report.to_string())]);
        assert!(run.stdout.contains("step 1301: the step has other changes"), "{name}: {}", run.stdout);
    }
}

#[test]
fn garbage_is_refused() {
    let folder = Folder::new();
    let model = fixture(VIOLATED);
    let deep = "[".repeat(100_000);
    for garbage in
        ["", "garbage", "{", "[]", "1", "null", "{}", "{\"steps\": 3}", "{\"steps\": [{}]}", &text(&model), &deep]
    {
        let path = folder.file("garbage.json", garbage);
        let shown: String = garbage.chars().take(20).collect();
        let run = expect(2, &["replay", &path, &model]);
        assert!(run.stderr.contains("[E0508]"), "{shown}: {}", run.stderr);
    }
    let path = folder.file("garbage.json", b"\xff\xfe\0");
    expect(2, &["replay", &path, &model]);
    let bare = folder.file("bare.json", "{\"steps\": []}");
    let run = expect(2, &["replay", &bare]);
    assert!(run.stderr.contains("names no model"), "{}", run.stderr);
    expect(2, &["replay", &bare, &folder.path("absent.rebeca")]);
}

#[test]
fn a_property_without_a_counterexample_is_refused() {
    let (report, _) = found();
    let folder = Folder::new();
    let path = folder.file("report.json", report.to_string());
    for name in ["deadlock", "Nothing"] {
        let run = expect(2, &["replay", &path, "--property", name]);
        assert!(run.stderr.contains("[E0509]") && run.stderr.contains("`NobodyEats`"), "{}", run.stderr);
    }
}
