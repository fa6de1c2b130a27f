//! Fixtures whose heads say what is expected, through the binary: in every order, with several threads, with and without symmetry;
//! every counterexample is replayed.

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

/// An error where two things differ.
pub(crate) fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}")) }
}

/// The expectations of a fixture, and the report of its complete check, which stays in a file.
pub(crate) struct Checked {
    pub(crate) expected: Expectations,
    pub(crate) report: Json,
    pub(crate) file: String,
    _folder: tempfile::TempDir,
}

/// Checks a fixture to the end.
pub(crate) fn checked(path: &Path, language: &str, treatment: &str) -> Result<Checked, String> {
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
    equal("language", &report["model"]["language"], &Json::from(language))?;
    equal("complete", &report["complete"], &Json::from(true))?;
    equal("exit code", &run.code, &Some(i32::from(report["verdict"] == "violated")))?;
    Ok(Checked { expected, report, file, _folder: folder })
}

fn fixture(path: &Path, language: &str, treatment: &str) -> Result<(), String> {
    let Checked { expected, report, file, .. } = &checked(path, language, treatment)?;
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
        // That nothing meets a cover has no execution.
        if answer["trace"].is_object() {
            let replayed = quotient(&["replay", file, "--property", name]);
            equal(&format!("replay of {name}: {}", replayed.stdout), &replayed.code, &Some(0))?;
        } else {
            equal("kind", &answer["kind"], &Json::from("cover"))?;
        }
    }
    faults(expected, &answers, treatment)
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

/// Checks all fixtures of a language, of which there are at least so many.
pub(crate) fn hold(language: &str, extension: &str, least: usize) {
    let fixtures = files(&root().join("fixtures").join(language), &[extension], true);
    assert!(fixtures.len() >= least, "only {} fixtures", fixtures.len());
    let failures: Vec<String> = parallel::map(&fixtures, |path| {
        let problems = TREATMENTS.iter().filter_map(|treatment| {
            let problem = fixture(path, language, treatment).err()?;
            Some(format!("{} {treatment}:\n{problem}\n", path.display()))
        });
        problems.collect::<String>()
    });
    assert!(failures.concat().is_empty(), "{}", failures.concat());
}
