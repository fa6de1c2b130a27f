//! Models of Promela: every fixture below `fixtures/promela` through the binary, in every order, with and without reductions,
//! every counterexample replayed.
//!
//! The counts and verdicts are those of SPIN 6.5.2 with `-o1 -o2 -o3 -DNOREDUCE`, with one transition less: SPIN counts the
//! initial state as one.

use std::path::Path;

use battery::directives::Expectations;
use battery::harness::{files, root};
use battery::parallel;
use serde_json::Value as Json;

use crate::binary::quotient;
use crate::heads::{self, Checked, equal};

const TREATMENTS: [&str; 5] =
    ["--plain", "--plain --threads 2", "--plain --search dfs", "--search bfs", "--search dfs --por off"];

fn fixture(path: &Path, treatment: &str) -> Result<(), String> {
    let Checked { expected, report, file, .. } = &heads::checked(path, "promela", treatment)?;
    let is_full = treatment.contains("plain");
    for (name, count) in [("states", &expected.states), ("transitions", &expected.transitions)] {
        let (wanted, found) = (Expectations::count(count, "full"), report[name].as_u64());
        let fits = if is_full { found == wanted } else { found <= wanted };
        if !fits {
            return Err(format!("{name}: found {found:?}, expected {wanted:?}"));
        }
    }
    let answers = report["properties"].as_array().cloned().unwrap_or_default();
    for answer in &answers {
        let name = answer["name"].as_str().unwrap_or_default();
        let wanted = expected.checks.iter().find(|(known, _)| known == name);
        let wanted = wanted.ok_or_else(|| format!("nothing is expected of `{name}`"))?;
        let wanted = if wanted.1 == checker::Verdict::Holds { "holds" } else { "violated" };
        equal(name, &answer["verdict"], &Json::from(wanted))?;
    }
    if report["verdict"] == "violated" {
        let run = quotient(&["replay", file]);
        if run.code != Some(1) && run.code != Some(0) {
            return Err(format!("the counterexample does not replay: {:?} {}", run.code, run.stderr));
        }
    }
    Ok(())
}

#[test]
fn every_model_has_the_states_and_verdicts_of_spin() {
    let models = files(&root().join("fixtures/promela"), &["pml"], true);
    assert!(!models.is_empty());
    let runs: Vec<_> = models.iter().flat_map(|path| TREATMENTS.map(|treatment| (path, treatment))).collect();
    let failures: Vec<String> = parallel::map(&runs, |(path, treatment)| {
        let problem = fixture(path, treatment).err()?;
        Some(format!("{} {treatment}:\n{problem}\n", path.strip_prefix(root()).unwrap_or(path).display()))
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(failures.is_empty(), "{} of {} runs fail\n{}", failures.len(), runs.len(), failures.join("\n"));
}

/// More processes than the reading has room for are neither a fault of the model nor left out without a word.
#[test]
fn without_room_for_a_process_nothing_is_decided() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("many.pml").to_string_lossy().into_owned();
    let text = "proctype P() { (0) } init { do :: run P() od }";
    std::fs::write(&model, text).expect("a file");
    for options in ["--symmetry none --keep-going", "--plain", "--plain --threads 2", "--plain --search dfs"] {
        let run = quotient(&[&["check", &model, "--json"][..], &options.split(' ').collect::<Vec<_>>()].concat());
        let report: Json = serde_json::from_str(&run.stdout).expect("a report");
        assert_eq!((run.code, &report["verdict"]), (Some(3), &Json::from("inconclusive")), "{options}");
        assert_eq!(report["limit"]["kind"], "processes", "{options}");
    }
}

/// A sequence of many statements takes no stack, and ends at the limit.
#[test]
fn long_sequences_of_one_turn_are_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("long.pml").to_string_lossy().into_owned();
    let text =
        "int n; active proctype P() { d_step { do :: n < BOUND -> n++ :: else -> break od }; assert(n == BOUND) }";
    std::fs::write(&model, format!("#define BOUND 1000\n{text}")).expect("a file");
    assert_eq!(quotient(&["check", &model]).code, Some(0));
    assert_eq!(quotient(&["check", &model, "-D", "BOUND=100000000", "--timeout", "1s"]).code, Some(3));
}

#[test]
fn the_sequential_form_reads_back_with_the_same_states() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["language/sequences", "channels/rendezvous", "processes/deaths", "claims/inside", "claims/once"] {
        let model = root().join(format!("fixtures/promela/{name}.pml")).to_string_lossy().into_owned();
        let printed = folder.path().join("printed.lpe").to_string_lossy().into_owned();
        let run = quotient(&["convert", &model, "--to", "lpe", "-o", &printed]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let report = |model: &str| -> Json {
            let run = quotient(&["check", model, "--plain", "--keep-going", "--json"]);
            serde_json::from_str(&run.stdout).expect("a report")
        };
        let (own, other) = (report(&model), report(&printed));
        for field in ["states", "transitions", "verdict", "deadlock_states"] {
            assert_eq!(own[field], other[field], "{name} {field}");
        }
    }
}

#[test]
fn macros_take_values_of_the_command_line() {
    let model = root().join("fixtures/promela/language/preprocessor.pml").to_string_lossy().into_owned();
    let run = quotient(&["check", &model, "-D", "N=4", "--plain", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = quotient(&["check", &model, "-D", "M=4"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("E0243") || run.stderr.contains("names no `#define`"), "{}", run.stderr);
    // A name in `#ifndef` is one.
    let folder = tempfile::tempdir().expect("creates");
    let model = folder.path().join("default.pml");
    std::fs::write(&model, "#ifndef K\n#define K 1\n#endif\nactive [K] proctype P() { skip }\n").expect("writes");
    let run = quotient(&["check", &model.to_string_lossy(), "-D", "K=2", "--plain", "--json"]);
    assert!(
        run.stdout.contains("\"states\": 7") || run.stdout.contains("\"states\":7"),
        "{} {}",
        run.stdout,
        run.stderr
    );
}
