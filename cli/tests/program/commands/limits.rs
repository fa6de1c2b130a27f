//! Limits of `check`: each ends in exit code 3 with its name in the text, and none takes back a violation.

use battery::harness::root;

use super::{Folder, LARGE, PHILOSOPHERS, expect, fixture, report};

#[test]
fn the_text_names_the_option_that_stopped_it() {
    let large = fixture(LARGE);
    for options in [["--max-states", "5"], ["--max-depth", "2"], ["--max-memory", "1"], ["--timeout", "0"]] {
        let run = expect(3, &["check", &large, options[0], options[1]]);
        let first = run.stdout.lines().next().unwrap_or_default();
        assert!(first.contains(": inconclusive: ") && first.ends_with(&format!("({})", options[0])), "{first}");
        assert!(run.stdout.contains("incomplete"), "{}", run.stdout);
    }
    let run = expect(3, &["check", &fixture("creation/unbounded"), "--max-rebecs", "3", "--symmetry", "none"]);
    assert!(run.stdout.lines().next().is_some_and(|line| line.ends_with("(--max-rebecs)")), "{}", run.stdout);
    // Nobody keeps what is made there, so that heap symmetry collects it and the model is finite.
    let run = expect(0, &["check", &fixture("creation/unbounded"), "--max-rebecs", "1"]);
    assert!(run.stdout.contains("1 state "), "{}", run.stdout);
}

#[test]
fn a_limit_that_is_not_reached_changes_nothing() {
    let model = fixture("soundness/m15_slice_deadlock");
    for options in [["--max-states", "4"], ["--max-depth", "3"], ["--max-memory", "1T"], ["--timeout", "10h"]] {
        let report = report(0, &["check", &model, options[0], options[1]]);
        assert_eq!((&report["states"], &report["limit"]), (&4.into(), &serde_json::Value::Null), "{options:?}");
    }
}

#[test]
fn a_violation_found_before_the_limit_stays() {
    let model = fixture(PHILOSOPHERS);
    let found = report(1, &["check", &model]);
    let states = found["states"].as_u64().expect("a number");
    let limited = report(1, &["check", &model, "--keep-going", "--max-states", &(states + 1).to_string()]);
    assert_eq!((&limited["complete"], &limited["limit"]["kind"]), (&false.into(), &"states".into()));
    let missed = report(3, &["check", &model, "--max-states", "3"]);
    assert_eq!(missed["verdict"], "inconclusive");
}

/// Groups of many exchangeable components, whose chains of stabilisers are made before the first state or with it.
#[test]
fn the_memory_for_symmetries_stays_below_the_limit() {
    let idle = |count: usize| {
        let rebecs: String = (0..count).map(|number| format!(" A r{number}():();")).collect();
        let text = "reactiveclass A(2) { knownrebecs { } statevars { int x; } msgsrv initial() { x = 1; } } main {";
        format!("{text}{rebecs} }}")
    };
    let flags = |count: usize| {
        let own = "sum i:P . [!on[i]] get(i) { on[i] := 1; } -> X; init X(on = 0);";
        format!("type P : 0..{}; proc X(on : BOOL[P]) = {own}", count - 1)
    };
    let folder = Folder::new();
    let models = [("a.rebeca", idle(100), 40), ("b.rebeca", idle(100), 60), ("c.lpe", flags(1 << 13), 100)];
    for (name, text, limit) in models {
        let model = folder.file(name, text);
        let options = ["--max-memory", &format!("{limit}M"), "--max-states", "10"];
        let report = report(3, &[&["check", model.as_str()], &options[..]].concat());
        // Where the system does not show the peak, it is null.
        let Some(peak) = report["peak_memory_bytes"].as_u64() else { return };
        assert!(peak < limit << 20, "{name}: {peak} of {limit} MiB");
    }
}

/// The graph of an array that is indexed by what changes has a vertex per value of each element.
#[test]
fn the_memory_for_a_graph_stays_below_the_limit() {
    let text = "byte a[10000]; int i = 0; process P { state p; init p; \
                trans p -> p { guard i < 9999; effect a[i] = a[i] + 1, i = i + 1; }; } \
                process Q { state p; init p; trans p -> p { guard i > 0; effect i = i - 1; }; } system async;";
    let folder = Folder::new();
    let model = folder.file("a.dve", text);
    for limit in [100, 200] {
        let report = report(3, &["check", model.as_str(), "--max-memory", &format!("{limit}M"), "--max-states", "10"]);
        let Some(peak) = report["peak_memory_bytes"].as_u64() else { return };
        assert!(peak < limit << 20, "{peak} of {limit} MiB");
    }
}

/// Slicing step by step, its check and the way back share one limit on time; what was refined until then is reported.
#[test]
fn the_limit_on_time_is_one_for_all_rounds() {
    let furnace = root().join("fixtures/slicing/furnace.rebeca").to_string_lossy().into_owned();
    let options = ["--name", "NeverOpen", "--slice", "step-wise", "--timeout", "0"];
    let report = report(3, &[&["check", furnace.as_str()], &options[..]].concat());
    assert_eq!(report["limit"], serde_json::json!({ "kind": "time", "value": 0 }));
    assert_eq!(report["properties"][0]["verdict"], "inconclusive");
    assert!(report["reductions"].to_string().contains("slicing"), "{report:#}");
}

/// A deadlock behind a state that the limit leaves out is visited: the graph has a gap there and is not complete.
#[test]
fn a_limit_on_the_depth_ends_questions_of_branching_time() {
    let folder = Folder::new();
    let steps = "[a = s] x { a := t; } -> P + [a = t] y { a := t; } -> P + [a = s] z { a := u; } -> P";
    let process = folder.file(
        "model.lpe",
        format!("type S : {{ s, t, u }}; proc P(a : S) = {steps}; init P(a = s); ltl C = AG EF (a = t);"),
    );
    let rules = "rule x = 0 ==> begin x := 1; end; rule x = 0 ==> begin x := 2; end; rule x = 1 ==> begin x := 3; end;";
    let murphi = folder.file(
        "model.m",
        format!("var x: 0..3; startstate begin x := 0; end; {rules} liveness \"C\" x = 0 | x = 2 | x = 3;"),
    );
    for model in [&process, &murphi] {
        let ended = report(3, &["check", model, "--max-depth", "1", "--deadlock", "off", "--name", "C"]);
        assert_eq!(ended["properties"][0]["verdict"], "inconclusive", "{ended}");
    }
}
