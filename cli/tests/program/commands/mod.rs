//! The command line through the built binary: exit codes, options, files and streams, and hostile input.
//!
//! Each file of this folder is about one part; what they share is here.

mod batch;
mod check;
mod checkpoints;
mod compare;
mod detect;
mod exports;
mod formats;
mod hostile;
mod json;
mod limits;
mod products;
mod questions;
mod replay;
#[cfg(target_os = "linux")]
mod signals;
mod simulate;
mod slices;
#[cfg(unix)]
mod spill;
mod streams;
mod sweeps;

use std::path::{Path, PathBuf};

use battery::harness::{Run, root};
use serde_json::Value as Json;

use crate::binary::quotient;

/// Holds, four states, with a property file next to it that has `P`.
const HOLDS: &str = "soundness/m15_slice_deadlock";
/// Violates the invariant `P` of the property file next to it.
const VIOLATED: &str = "soundness/m04_ignoring";
/// Two philosophers: 285 states, and an invariant that is violated.
const PHILOSOPHERS: &str = "philosophers/phil2_fig2";
/// Four philosophers: far more states than any limit of these tests.
const LARGE: &str = "philosophers/phil4_fig2";

/// The path of a fixture below `fixtures/rebeca`, without its extension in the argument.
fn fixture(name: &str) -> String {
    root().join("fixtures/rebeca").join(format!("{name}.rebeca")).to_string_lossy().into_owned()
}

/// A folder for one test, removed in the end.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    /// The path of a file in it.
    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    /// Writes a file and gives its path.
    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// The names in it, sorted.
    fn names(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.0.path()).expect("a folder");
        let mut names: Vec<PathBuf> =
            entries.map(|entry| PathBuf::from(entry.expect("an entry").file_name())).collect();
        names.sort();
        names
    }
}

/// The text of a file.
fn text(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).expect("a text file")
}

/// Runs, and expects an exit code and nothing that looks like a fault of the tool.
fn expect(code: i32, arguments: &[&str]) -> Run {
    let run = quotient(arguments);
    fits(code, arguments, &run);
    run
}

fn fits(code: i32, arguments: &[&str], run: &Run) {
    assert_eq!(run.code, Some(code), "{arguments:?}\n{}\n{}", run.stdout, run.stderr);
    let lower = run.stderr.to_lowercase();
    assert!(!lower.contains("panic") && !lower.starts_with("internal error: "), "{arguments:?}\n{}", run.stderr);
}

/// Runs with `--json` and gives the report.
fn report(code: i32, arguments: &[&str]) -> Json {
    let mut all = arguments.to_vec();
    all.push("--json");
    serde_json::from_str(&expect(code, &all).stdout).expect("the report is JSON")
}

/// The answer about one question.
fn answer<'a>(report: &'a Json, name: &str) -> Option<&'a Json> {
    report["properties"].as_array()?.iter().find(|property| property["name"] == name)
}
