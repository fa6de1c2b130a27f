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

/// A folder with a model and texts that it includes.
fn with_texts(texts: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("creates");
    for (name, text) in texts {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("creates");
        std::fs::write(path, text).expect("writes");
    }
    folder
}

/// Texts that are included nest, are relative to the text that includes them, and name their own lines.
#[test]
fn included_texts_are_read() {
    let folder = with_texts(&[
        ("main.pml", "#define N 2\n#include \"parts/all.pml\" // the rest\nactive [N] proctype P() {\n  step(x)\n}\n"),
        (
            "parts/all.pml",
            "#ifndef ALL\n#define ALL\n#include \"all.pml\"\n#include \"names.pml\"\n\ninline step(v) {\n  v = v + N;\n  assert(v < LIMIT)\n}\n#endif\n",
        ),
        ("parts/names.pml", "#if 0\n#include \"missing.pml\"\n#endif\n/* two\nlines */ byte x;\n#define LIMIT 3"),
    ]);
    let model = folder.path().join("main.pml").to_string_lossy().into_owned();
    let run = quotient(&["check", &model, "--plain"]);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("line 7: v = v + N"), "{}", run.stdout);
    assert!(run.stdout.contains("parts/all.pml line 8: assert(v < LIMIT)"), "{}", run.stdout);
    let report = folder.path().join("report.json").to_string_lossy().into_owned();
    quotient(&["check", &model, "--plain", "--json", "-o", &report]);
    let replayed = quotient(&["replay", &report]);
    assert!(matches!(replayed.code, Some(0 | 1)), "{:?} {}", replayed.code, replayed.stderr);
    for more in [&["-D", "LIMIT=9"][..], &["-D", "ALL=1"]] {
        let run = quotient(&[&["check", &model, "--plain", "--format", "short"][..], more].concat());
        let wanted = if more[1] == "ALL=1" { (Some(2), "main.pml:4:") } else { (Some(0), "") };
        assert_eq!(run.code, wanted.0, "{}", run.stderr);
        assert!(run.stderr.contains(wanted.1), "{}", run.stderr);
    }
    for command in [&["detect"][..], &["convert", "--to", "lpe"], &["simulate", "--steps", "1"]] {
        let run = quotient(&[&[command[0], &model][..], &command[1..]].concat());
        assert_eq!(run.code, Some(0), "{command:?} {}", run.stderr);
    }
}

/// What cannot be included is said at its place, whatever it is.
#[test]
fn texts_that_cannot_be_included_are_diagnosed() {
    let folder = with_texts(&[
        ("missing.pml", "byte x;\n#include \"nowhere.pml\"\nactive proctype P() { skip }\n"),
        ("circle.pml", "#include \"circle.pml\"\nactive proctype P() { skip }\n"),
        ("system.pml", "#include <stdio.h>\nactive proctype P() { skip }\n"),
        ("device.pml", "#include \"/dev/zero\"\nactive proctype P() { skip }\n"),
        ("folder.pml", "#include \".\"\nactive proctype P() { skip }\n"),
        ("nested.pml", "#include \"broken.pml\"\nactive proctype P() { skip }\n"),
        ("broken.pml", "byte y;\nbyte x = $;\n"),
        ("open.pml", "#include \"comment.pml\"\nactive proctype P() { skip } /* */\n"),
        ("comment.pml", "byte y; /* never\n"),
        ("if.pml", "#include \"branch.pml\"\nactive proctype P() { skip }\n#endif\n"),
        ("branch.pml", "#if 1\n"),
        ("deep.pml", "#include \"name.pml\"\nactive proctype P() { y = 1 }\n"),
        ("name.pml", "byte x;\n\nproctype Q() { z = 1 }\n"),
    ]);
    let cases = [
        ("missing", "missing.pml:2:1: E0866"),
        ("circle", "includes itself without end"),
        ("system", "system.pml:1:1: E0866"),
        ("device", "is no regular file"),
        ("folder", "is no regular file"),
        ("nested", "broken.pml:2:10: E0850"),
        ("open", "comment.pml:1:9: E0851"),
        ("if", "if.pml:1:1: E0866"),
        ("deep", "name.pml:3:16: E0857"),
    ];
    for (name, wanted) in cases {
        let model = folder.path().join(format!("{name}.pml")).to_string_lossy().into_owned();
        let run = quotient(&["check", &model, "--format", "short"]);
        assert!(run.code == Some(2) && run.stderr.contains(wanted), "{name}: {:?} {}", run.code, run.stderr);
    }
    #[cfg(unix)]
    {
        let pipe = folder.path().join("pipe.pml");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if made.is_ok_and(|status| status.success()) {
            let model = folder.path().join("waits.pml");
            std::fs::write(&model, "#include \"pipe.pml\"\nactive proctype P() { skip }\n").expect("writes");
            let run = quotient(&["check", &model.to_string_lossy(), "--format", "short"]);
            assert!(run.code == Some(2) && run.stderr.contains("is no regular file"), "{}", run.stderr);
        }
    }
}

/// Properties of Promela are part of the text: a file of them is refused, wherever it is named, and its lines are questions.
#[test]
fn a_property_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (model, lines) = (path("counter.pml"), path("never.txt"));
    std::fs::write(&model, "byte x; active proctype P() { do :: x = (x + 1) % 4 od }\n").expect("writes");
    std::fs::write(&lines, "never3: G (x != 3)\n").expect("writes");
    for file in [&lines, &path("absent"), &path("")] {
        for command in [&["check"][..], &["detect"], &["slice"], &["convert", "--to", "lpe"]] {
            let run = quotient(&[command, &[&model, "--property", file]].concat());
            assert!(run.code == Some(2) && run.stderr.contains("[E0506]"), "{command:?} {file}: {run:?}");
        }
        let batch = quotient(&["batch", &model, "--check", "--property", file]);
        assert_ne!(batch.code, Some(0), "{file}: {batch:?}");
    }
    assert_eq!(quotient(&["check", &model, "--questions", &lines]).code, Some(1));
    // One next to the model is not read, and that is said.
    std::fs::write(path("counter.property"), "never3: G (x != 3)\n").expect("writes");
    let run = quotient(&["check", &model]);
    assert!(run.code == Some(0) && run.stderr.contains("counter.property is not read"), "{run:?}");
}
