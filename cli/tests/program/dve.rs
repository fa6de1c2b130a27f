//! Models of DVE: every fixture below `fixtures/dve` through the binary, in every order and with several threads, every
//! counterexample replayed; the printed process has the same state space.

use battery::harness::{files, root};
use serde_json::Value as Json;

use crate::binary::quotient;
use crate::heads;

#[test]
fn every_fixture_is_as_its_head_says() {
    heads::hold("dve", "dve", 16);
}

/// The process that a model is brought into, as text, has the same states and transitions.
#[test]
fn printed_processes_have_the_same_states() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, path) in files(&root().join("fixtures/dve"), &["dve"], true).iter().enumerate() {
        let printed = folder.path().join(format!("{number}.lpe")).to_string_lossy().into_owned();
        let model = path.to_string_lossy();
        assert_eq!(quotient(&["convert", &model, "--to", "text", "-o", &printed]).code, Some(0), "{model}");
        let counts = |path: &str| {
            let options = ["--plain", "--keep-going", "--no-property", "--json"];
            let run = quotient(&[&["check", path][..], &options].concat());
            let report: Json = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{path}: {}", run.stderr));
            (report["states"].clone(), report["transitions"].clone(), report["deadlock_states"].clone())
        };
        assert_eq!(counts(&printed), counts(&model), "{model}");
    }
}

/// Steps are told in the words of the text.
#[test]
fn traces_speak_of_processes_and_states() {
    let path = root().join("fixtures/dve/channels/order.dve").to_string_lossy().into_owned();
    let run = quotient(&["check", &path, "--plain"]);
    for line in ["S: ready -> done, c!, R: ready -> done", "R.state: ready -> done", "R.got: 0 -> 4"] {
        assert!(run.stdout.contains(line), "{line} is not in\n{}", run.stdout);
    }
    assert_eq!(quotient(&["check", &path, "-D", "N=3"]).code, Some(2));
    assert_eq!(quotient(&["fmt", &path, "--check"]).code, Some(2));
    assert_eq!(quotient(&["simulate", &path, "--seed", "1"]).code, Some(0));
}

/// What the property file says is part of the process that is written, and its formulas are those of `--to hoa`.
#[test]
fn property_files_are_part_of_what_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let murphi = "var x: 0..1; startstate begin x := 0; end; rule x = 0 ==> begin x := 1; end;";
    let dve = "process A { state run, stop; init run; trans run -> stop {}; } system async;";
    for (name, text, ends, formula) in
        [("model.dve", dve, "A.stop", "F A.stop"), ("other.m", murphi, "x = 1", "F x = 1")]
    {
        let (model, written) = (path(name), path(&format!("{name}.lpe")));
        std::fs::write(&model, text).expect("a file");
        let own = model.replace(".dve", ".property").replace(".m", ".property");
        std::fs::write(own, format!("ends: {ends}\nf: {formula}\n")).expect("a file");
        let options = ["--deadlock", "stuck", "--keep-going"];
        assert_eq!(quotient(&[&["check", &model][..], &options].concat()).code, Some(0), "{name}");
        assert_eq!(quotient(&["convert", &model, "--to", "lpe", "-o", &written]).code, Some(0), "{name}");
        let run = quotient(&["check", &written]);
        assert_eq!(run.code, Some(0), "{name}: {}", run.stdout);
        assert_eq!(quotient(&["convert", &model, "--no-property", "--to", "lpe", "-o", &written]).code, Some(0));
        assert_eq!(quotient(&["check", &written]).code, Some(1), "{name}");
    }
    let run = quotient(&["convert", &path("model.dve"), "--to", "hoa", "--name", "f"]);
    assert!(run.code == Some(0) && run.stdout.starts_with("HOA: v1"), "{}", run.stderr);
}

/// Conditions of property files are grouped as those of models.
#[test]
fn conditions_of_property_files_are_read_as_in_models() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (model, lines) = (path("model.dve"), path("lines.property"));
    let text = "byte x; process A { state s, t; init s; trans s -> t {}, t -> s {}; } system async;";
    std::fs::write(&model, text).expect("a file");
    let chain = "A.t imply A.s imply A.t";
    let formulas = format!("bare: {chain}\nwhole: ({chain})\nnegation: G not x == 2\nright: A.t -> A.s -> A.t\n");
    std::fs::write(&lines, formulas).expect("a file");
    let run = quotient(&["check", &model, "--property", &lines, "--keep-going", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("a report");
    let verdict = |name: &str| {
        let answers = report["properties"].as_array().expect("answers");
        answers.iter().find(|answer| answer["name"] == name).expect("an answer")["verdict"].clone()
    };
    assert_eq!(["bare", "whole", "negation", "right"].map(verdict), ["violated", "violated", "violated", "holds"]);
}

/// The conditions of automata that are written are read for the same model, in the form of a process.
#[test]
fn automata_that_are_written_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let dve = "byte x; byte a[2]; process P { state s, t; init s; trans s -> t { effect x = (x + 1) % 3, a[1] = x; }, \
        t -> s {}; } system async;";
    std::fs::write(path("m.property"), "L: G F (P.t and a[1] == 2)\nM: F G (P.s or x < 2)\n").expect("a file");
    let promela = "byte x; mtype = { low, high }; mtype m; active proctype P() { do :: m = high; x = (x + 1) % 3 :: m = low od } \
        ltl L { [] <> (x == 2 && m == high) } ltl M { <> [] (m == low || x < 2) }";
    for (name, text) in [("m.dve", dve), ("m.pml", promela)] {
        let (model, automaton) = (path(name), path("automaton.hoa"));
        std::fs::write(&model, text).expect("a file");
        for formula in ["L", "M"] {
            let check = |options: &[&str]| {
                let run = quotient(&[&["check", &model, "--json", "--name"], options].concat());
                let report: Json =
                    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{name}: {}", run.stderr));
                report["properties"][0]["verdict"].clone()
            };
            let run = quotient(&["convert", &model, "--to", "hoa", "--name", formula, "-o", &automaton]);
            assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
            let verdict = check(&[&format!("!({formula})"), "--buchi", &automaton]);
            assert_eq!(verdict, check(&[formula]), "{name}: {formula}");
            assert!(verdict == "holds" || verdict == "violated", "{name}: {verdict}");
        }
    }
}
