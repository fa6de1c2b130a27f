//! Models of DVE: every fixture below `fixtures/dve` through the binary, in every order and with several threads, every
//! counterexample replayed; the printed process has the same state space.

use std::path::Path;

use battery::directives::Expectations;
use battery::harness::{files, root};
use battery::parallel;
use serde_json::Value as Json;

use crate::binary::quotient;

const TREATMENTS: [&str; 6] = [
    "--search bfs --threads 1 --symmetry none",
    "--search bfs --threads 2 --symmetry none",
    "--search dfs --symmetry none",
    "--plain",
    "--search bfs --threads 2",
    "--search dfs",
];

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}")) }
}

fn fixture(path: &Path, treatment: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let expected = Expectations::read(&text)?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("report.json").to_string_lossy().into_owned();
    let model = path.to_string_lossy();
    let mut arguments = vec!["check", model.as_ref(), "--json", "--keep-going", "-o", &file];
    arguments.extend(treatment.split(' '));
    let run = quotient(&arguments);
    let text = std::fs::read_to_string(&file).map_err(|error| format!("no report: {error}\n{}", run.stderr))?;
    let report: Json = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    equal("language", &report["model"]["language"], &Json::from("dve"))?;
    equal("complete", &report["complete"], &Json::from(true))?;
    equal("exit code", &run.code, &Some(i32::from(report["verdict"] == "violated")))?;
    let is_full = treatment.contains("none") || treatment.contains("plain");
    let count = if is_full { "full" } else { "quotient" };
    let counts = [
        ("states", Expectations::count(&expected.states, count)),
        ("transitions", Expectations::count(&expected.transitions, count)),
        ("deadlock_states", expected.deadlocks.filter(|_| is_full)),
    ];
    for (name, count) in counts {
        equal(name, &report[name], &count.map_or(report[name].clone(), Json::from))?;
    }
    let answers = report["properties"].as_array().cloned().unwrap_or_default();
    let verdict = |name: &str| answers.iter().find(|answer| answer["name"] == name).map(|answer| &answer["verdict"]);
    for (name, wanted) in &expected.checks {
        let wanted = if *wanted == checker::Verdict::Holds { "holds" } else { "violated" };
        equal(name, &verdict(name), &Some(&Json::from(wanted)))?;
    }
    for answer in answers.iter().filter(|answer| answer["verdict"] == "violated") {
        let name = answer["name"].as_str().unwrap_or_default();
        if !expected.checks.iter().any(|(known, _)| known == name) {
            return Err(format!("`{name}` is violated"));
        }
        let replayed = quotient(&["replay", &file, "--property", name]);
        equal(&format!("replay of {name}: {}", replayed.stdout), &replayed.code, &Some(0))?;
    }
    faults(&expected, &answers, treatment)
}

/// The first fault, and the steps to it breadth-first.
fn faults(expected: &Expectations, answers: &[Json], treatment: &str) -> Result<(), String> {
    let Some(fault) = &expected.fault else { return Ok(()) };
    let found = answers.iter().find(|answer| answer["verdict"] == "violated" && answer["name"] != "deadlock");
    let found = found.ok_or("nothing is violated")?;
    let message = found["message"].as_str().unwrap_or_default();
    if !message.contains(fault.as_str()) {
        return Err(format!("the fault is `{message}`"));
    }
    let steps = found["trace"]["steps"].as_array().map(Vec::len);
    if treatment.contains("bfs") { equal("steps", &steps, &expected.steps) } else { Ok(()) }
}

#[test]
fn every_fixture_is_as_its_head_says() {
    let fixtures = files(&root().join("fixtures/dve"), &["dve"], true);
    assert!(fixtures.len() > 15, "only {} fixtures", fixtures.len());
    let failures: Vec<String> = parallel::map(&fixtures, |path| {
        let problems = TREATMENTS.iter().filter_map(|treatment| {
            let problem = fixture(path, treatment).err()?;
            Some(format!("{} {treatment}:\n{problem}\n", path.display()))
        });
        problems.collect::<String>()
    });
    assert!(failures.concat().is_empty(), "{}", failures.concat());
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
