//! Files and streams: standard input and output, whole files, pipes that close early, colour.

use std::process::Stdio;

use battery::harness::{root, run};
use serde_json::Value as Json;

use super::{Folder, HOLDS, PHILOSOPHERS, VIOLATED, expect, fits, fixture, text};
use crate::binary::{command, quotient_with};

#[test]
fn a_file_is_written_whole() {
    let folder = Folder::new();
    let path = folder.file("report.json", "x".repeat(1_000_000));
    let run = expect(1, &["check", &fixture(PHILOSOPHERS), "--json", "-o", &path]);
    assert!(run.stdout.is_empty(), "{}", run.stdout);
    let report: Json = serde_json::from_str(&text(&path)).expect("JSON, and nothing of the old content");
    assert_eq!(report["verdict"], "violated");
    assert_eq!(folder.names().len(), 1, "{:?}", folder.names());
}

#[test]
fn a_file_that_cannot_be_written_is_reported_before_the_search() {
    let folder = Folder::new();
    let path = folder.path("no/such/folder/report.json");
    let run = expect(2, &["check", &fixture(HOLDS), "-o", &path]);
    assert!(run.stderr.contains("[E0503]") && run.stdout.is_empty(), "{run:?}");
    expect(2, &["check", &fixture(HOLDS), "-o", &folder.0.path().to_string_lossy()]);
    assert!(folder.names().is_empty());
}

#[test]
fn a_refused_model_leaves_the_old_report() {
    let folder = Folder::new();
    let (model, path) = (folder.file("wrong.rebeca", "main {"), folder.file("report.json", "old"));
    expect(2, &["check", &model, "-o", &path]);
    assert_eq!(text(&path), "old");
}

#[test]
fn a_dash_is_standard_output() {
    let run = expect(0, &["check", &fixture(HOLDS), "--json", "-o", "-"]);
    assert!(serde_json::from_str::<Json>(&run.stdout).is_ok(), "{}", run.stdout);
}

#[test]
fn a_dash_is_standard_input() {
    let model = text(fixture(HOLDS));
    for command in [&["check", "-"][..], &["convert", "-", "--to", "text"], &["fmt", "-"], &["simulate", "-"]] {
        let run = quotient_with(command, model.as_bytes());
        fits(0, command, &run);
        assert!(!run.stdout.is_empty(), "{command:?}");
    }
    let run = quotient_with(&["check", "-"], b"main { A a():(); }");
    fits(2, &["check", "-"], &run);
    assert!(run.stderr.contains("<stdin>:1:8"), "{}", run.stderr);
    let run = quotient_with(&["check", "-", "--json"], model.as_bytes());
    assert_eq!(serde_json::from_str::<Json>(&run.stdout).expect("JSON")["model"]["path"], "-");
}

#[test]
fn missing_files_and_folders_are_refused() {
    let folder = Folder::new();
    folder.file("model.rebeca", "");
    let missing = folder.path("modle.rebeca");
    let here = folder.0.path().to_string_lossy().into_owned();
    for command in [&["check"][..], &["simulate"], &["fmt"], &["replay"], &["convert", "--to", "text"]] {
        let run = expect(2, &[command, &[missing.as_str()]].concat());
        assert!(run.stderr.contains("[E0500]") && run.stderr.contains("model.rebeca"), "{command:?}: {}", run.stderr);
        let run = expect(2, &[command, &[here.as_str()]].concat());
        assert!(run.stderr.contains("[E0501]"), "{command:?}: {}", run.stderr);
    }
}

/// A reader that closes its end at once has what it wanted: no noise, and the exit code is still the verdict.
#[test]
fn a_closed_standard_output_is_no_error() {
    let model = fixture(VIOLATED);
    for (code, arguments) in [
        (1, &["check", &model][..]),
        (1, &["check", &model, "--json"]),
        (0, &["convert", &model, "--to", "text"]),
        (0, &["simulate", &model]),
        (0, &["explain"]),
        (0, &["man"]),
        (0, &["completions", "bash"]),
    ] {
        let mut command = command();
        command.args(arguments).args(["--quiet"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("ends");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(code) && stderr.is_empty(), "{arguments:?}: {:?} {stderr}", output.status);
    }
}

#[test]
fn colour_is_for_terminals_unless_it_is_requested() {
    let model = root().join("fixtures/reject/E0203_unknown_name.rebeca").to_string_lossy().into_owned();
    let coloured = |arguments: &[&str], no_colour: Option<&str>| {
        let mut command = command();
        command.args(arguments);
        if let Some(value) = no_colour {
            command.env("NO_COLOR", value);
        }
        let run = run(&mut command, b"");
        (run.stdout + &run.stderr).contains('\u{1b}')
    };
    for arguments in [&["check", &model][..], &["check", &fixture(VIOLATED)], &["--help"], &["explain", "E0203"]] {
        assert!(!coloured(arguments, None) && !coloured(arguments, Some("1")), "{arguments:?}");
    }
    for arguments in [&["check", &model][..], &["check", &fixture(VIOLATED)], &["explain", "E0203"]] {
        let always = [arguments, &["--colour", "always"]].concat();
        assert!(coloured(&always, None) && coloured(&always, Some("1")), "{arguments:?}");
        assert!(!coloured(&[arguments, &["--color", "never"]].concat(), None), "{arguments:?}");
    }
}

#[test]
fn short_diagnostics_are_one_line_each() {
    let model = root().join("fixtures/reject/E0203_unknown_name.rebeca").to_string_lossy().into_owned();
    let run = expect(2, &["check", &model, "--format", "short"]);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert!(lines.len() == 2 && lines[0].contains("E0203_unknown_name.rebeca:"), "{lines:?}");
    assert!(lines[0].contains("E0203: ") || lines[0].contains("E0203]: "), "{lines:?}");
}
