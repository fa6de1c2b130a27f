//! Parts of models that no run executes: a warning with its place in every language and format.

use battery::harness::root;
use serde_json::Value as Json;

use crate::binary::quotient;

/// A fixture, and the line and message of each warning.
const NEVER: [(&str, &[(u64, &str)]); 8] = [
    ("rebeca/coverage/nobody_calls.rebeca", &[(14, "message server `Light.alarm` is never executed")]),
    (
        "rebeca/coverage/branches.rebeca",
        &[
            (15, "the `if` branch of line 14 is never executed"),
            (18, "the `if` branch of line 18 is never executed"),
            (21, "the `case 3` branch of line 19 is never executed"),
            (22, "the `case 4` branch of line 19 is never executed"),
            (25, "the body of the loop of line 25 is never executed"),
            (31, "the assertion `assertion(level < 2)` is never checked"),
            (32, "the alternative `true` is never chosen"),
            (32, "the alternative `high` is never chosen"),
        ],
    ),
    (
        "murphi/coverage/branches.m",
        &[
            (10, "the `if` branch of line 10 is never executed"),
            (20, "the `case` branch of line 18 is never executed"),
            (21, "the `else` branch of line 18 is never executed"),
            (42, "the `else` branch of line 37 is never executed"),
            (45, "the `if` branch of line 45 is never executed"),
            (47, "the body of the loop of line 47 is never executed"),
            (48, "the body of the loop of line 48 is never executed"),
        ],
    ),
    ("murphi/coverage/never_fires.m", &[(11, "rule `overflows` is never executed")]),
    (
        "lpe/coverage/branches.lpe",
        &[
            (9, "the `if` branch of line 8 is never executed"),
            (12, "the body of the loop of line 12 is never executed"),
            (15, "the `if` branch of line 15 is never executed"),
        ],
    ),
    ("lpe/coverage/never_enabled.lpe", &[(8, "summand `breaks` is never executed")]),
    ("dve/coverage/never_taken.dve", &[(13, "transition `P: ready -> broken` is never executed")]),
    ("promela/coverage/never_reached.pml", &[(11, "statement `(P) line 11: x > 1` is never executed")]),
];

fn path(name: &str) -> String {
    root().join("fixtures").join(name).to_string_lossy().into_owned()
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).expect("JSON")
}

/// Orbits are counted by taking steps once more, which are no executions of the search.
#[test]
fn counting_orbits_executes_nothing() {
    let model = path("lpe/locks/filter.lpe");
    let report = |options: &[&str]| {
        let options = [&["check", &model, "-D", "N=3", "--symmetry", "constraint", "--json"], options].concat();
        json(&quotient(&options).stdout)
    };
    let (with, without) = (report(&["--stats"]), report(&[]));
    assert_eq!(with["coverage"], without["coverage"]);
    let counts = with["coverage"].as_array().expect("a list").iter().filter(|part| part["nested"] == false);
    assert_eq!(counts.filter_map(|part| part["count"].as_u64()).sum::<u64>(), with["transitions"]);
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
        let never = coverage.iter().filter(|part| part["count"] == 0 && part["nested"] == false);
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
    let run = quotient(&["check", &path("rebeca/coverage/branches.rebeca")]);
    assert!(run.stderr.contains("its assertion in line 15 is never checked"), "{}", run.stderr);
}

/// The part that an executed one stands for, and those inside of what is never executed, count as the text says.
#[test]
fn parts_inside_of_steps_are_counted() {
    let run = quotient(&["check", &path("rebeca/coverage/branches.rebeca"), "--json"]);
    let report = json(&run.stdout);
    let coverage = report["coverage"].as_array().expect("parts");
    let count = |kind: &str, name: &str, line: u64| {
        let mut found = coverage.iter().filter(|part| {
            part["kind"] == kind && part["name"] == name && part["place"]["line"].as_u64() == Some(line)
        });
        let part = found.next().unwrap_or_else(|| panic!("{kind} {name} in line {line}\n{}", run.stdout));
        (part["count"].as_u64().expect("a count"), part["nested"].as_bool().expect("a truth"))
    };
    // Three states have a step of `tick`, with `count` 0, 1 and 2.
    assert_eq!(count("server", "Meter.tick", 8), (3, false));
    assert_eq!(count("branch", "if", 10), (2, false));
    assert_eq!(count("branch", "else", 12), (1, false));
    assert_eq!((count("choice", "1", 10), count("choice", "0", 10)), ((2, false), (2, false)));
    assert_eq!(count("assertion", "assertion(count >= 0)", 23), (2, false));
    assert_eq!(count("branch", "default", 23), (2, false));
    assert_eq!((count("branch", "if", 16), count("choice", "true", 22)), ((0, true), (0, true)));
    // Nobody calls the method.
    assert_eq!(count("branch", "if", 35), (0, true));
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
    // What runs at the start, too, has no parts.
    let start = quotient(&["check", &path("rebeca/coverage/at_the_start.rebeca"), "--json"]);
    assert!(!start.stderr.contains("W0560"), "{}", start.stderr);
    assert_eq!(json(&start.stdout)["coverage"].as_array().map(Vec::len), Some(2), "{}", start.stdout);
    // The rounds of a loop come in another order: the quotient says nothing of one branch, and counts all other parts.
    let rounds = path("rebeca/coverage/order_of_rounds.rebeca");
    let [quotient, plain] = [&[][..], &["--plain"]].map(|more| {
        let run = quotient(&[&["check", &rounds, "--json"], more].concat());
        assert!(!run.stderr.contains("W0560"), "{}", run.stderr);
        json(&run.stdout)["coverage"].as_array().map_or(0, Vec::len)
    });
    assert_eq!((quotient, plain), (10, 11));
}
