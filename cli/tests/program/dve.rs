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
