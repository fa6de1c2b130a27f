//! Parts of models that no run executes: a warning with its place in every language and format.

use battery::harness::root;
use serde_json::Value as Json;

use crate::binary::quotient;

/// A fixture, and the line and message of each warning.
const NEVER: [(&str, &[(u64, &str)]); 5] = [
    ("rebeca/coverage/nobody_calls.rebeca", &[(14, "message server `Light.alarm` is never executed")]),
    ("murphi/coverage/never_fires.m", &[(11, "rule `overflows` is never executed")]),
    ("lpe/coverage/never_enabled.lpe", &[(8, "summand `breaks` is never executed")]),
    ("dve/coverage/never_taken.dve", &[(13, "transition `P: ready -> broken` is never executed")]),
    (
        "promela/coverage/never_reached.pml",
        &[
            (11, "statement `(P) line 11: x > 1` is never executed"),
            (11, "statement `(P) line 11: assert(false)` is never executed"),
        ],
    ),
];

fn path(name: &str) -> String {
    root().join("fixtures").join(name).to_string_lossy().into_owned()
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn what_is_never_executed_is_reported_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, expected) in NEVER {
        let sarif = folder.path().join("report.sarif").to_string_lossy().into_owned();
        let page = folder.path().join("report.html").to_string_lossy().into_owned();
        let run = quotient(&["check", &path(name), "--json", "--report", &sarif, "--report", &page]);
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        let report = json(&run.stdout);
        let noticed: Vec<(u64, &str)> = report["notices"]
            .as_array()
            .expect("notices")
            .iter()
            .filter(|notice| notice["code"] == "W0560")
            .map(|notice| (notice["line"].as_u64().expect("a line"), notice["message"].as_str().expect("a message")))
            .collect();
        assert_eq!(noticed, expected, "{name}");
        let coverage = report["coverage"].as_array().expect("parts");
        let never = coverage.iter().filter(|part| part["count"] == 0);
        let places: Vec<u64> = never.map(|part| part["place"]["line"].as_u64().expect("a line")).collect();
        assert_eq!(places, expected.iter().map(|(line, _)| *line).collect::<Vec<u64>>(), "{name}");
        assert!(coverage.iter().any(|part| part["count"].as_u64() > Some(0)), "{name}");
        let [sarif, page] = [&sarif, &page].map(|file| std::fs::read_to_string(file).expect("a report"));
        let results = json(&sarif)["runs"][0]["results"].as_array().expect("results").clone();
        let warned = results.iter().filter(|result| result["ruleId"] == "W0560" && result["level"] == "warning");
        assert_eq!(warned.count(), expected.len(), "{name}");
        assert!(page.contains("W0560"), "{name}");
        for (line, message) in expected {
            assert!(run.stderr.contains(message) && run.stderr.contains(&format!(":{line}:")), "{}", run.stderr);
        }
    }
}

#[test]
fn an_assertion_that_is_never_checked_is_named() {
    let run = quotient(&["check", &path("rebeca/coverage/nobody_calls.rebeca")]);
    assert!(run.stderr.contains("its assertion in line 14 is never checked"), "{}", run.stderr);
}

#[test]
fn nothing_is_said_of_incomplete_runs_slices_and_exchanges() {
    let light = path("rebeca/coverage/nobody_calls.rebeca");
    let exchanged = path("lpe/coverage/exchanged.lpe");
    let runs: [&[&str]; 3] = [
        &["check", &light, "--json", "--max-depth", "1"],
        &["check", &light, "--json", "--name", "assertion", "--slice", "static"],
        &["check", &exchanged, "--json"],
    ];
    for words in runs {
        let run = quotient(words);
        assert!(json(&run.stdout)["coverage"].is_null(), "{words:?}\n{}", run.stdout);
        assert!(!run.stderr.contains("W0560"), "{words:?}\n{}", run.stderr);
    }
    let plain = quotient(&["check", &exchanged, "--json", "--plain"]);
    assert!(json(&plain.stdout)["coverage"].as_array().is_some_and(|parts| parts.len() == 6), "{}", plain.stdout);
}
