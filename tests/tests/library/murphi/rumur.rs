//! Random models beside `rumur`, where it is installed: its verdict, and its number of states where it finds no error.

use std::path::Path;
use std::process::{Command, Output};

use super::search::Found;

/// What `rumur` says of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Said {
    /// It does not take the model.
    Refused,
    /// It finds no error in so many states.
    Holds(u64),
    /// It finds an error.
    Violated,
}

/// Whether both programs that are needed are there.
pub(super) fn is_installed() -> bool {
    let runs =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    runs("rumur") && runs("cc")
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Checks a model in a folder: all states, exactly, on one thread.
pub(super) fn ask(folder: &Path, text: &str) -> Said {
    let [model, source, program] = ["model.m", "model.c", "model"].map(|name| folder.join(name));
    std::fs::write(&model, text).expect("a file");
    // The type that it chooses by itself may have no negative intermediate results.
    let options = ["--threads", "1", "--symmetry-reduction", "off", "--value-type", "int32_t", "--output"];
    let read = run(Command::new("rumur").args(options).arg(&source).arg(&model));
    if !read.status.success() {
        // With `--nocapture`: why.
        println!(
            "refused: {}",
            String::from_utf8_lossy(&read.stderr).lines().find(|line| !line.is_empty()).unwrap_or("a signal")
        );
        return Said::Refused;
    }
    let compiled = run(Command::new("cc").args(["-O1", "-w", "-o"]).arg(&program).arg(&source).arg("-lpthread"));
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let printed = run(&mut Command::new(&program));
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    let states = || printed.lines().find_map(|line| line.trim().split_once(" states,")?.0.parse().ok());
    match printed.contains("No error found") {
        true => Said::Holds(states().unwrap_or_else(|| panic!("no number of states:\n{printed}"))),
        false => Said::Violated,
    }
}

/// A difference between what `rumur` says and what the tree does.
pub(super) fn difference(found: &Found, said: Said) -> Option<String> {
    // What is stuck is no check of its own.
    let is_violated = found.answers.iter().any(|(name, finding)| name != "stuck" && finding.is_violated);
    match said {
        Said::Refused => None,
        Said::Violated => (!is_violated).then(|| format!("an error for `rumur`, none in {found:?}")),
        Said::Holds(states) if is_violated => Some(format!("no error in {states} states for `rumur`: {found:?}")),
        Said::Holds(states) => (states != found.states).then(|| format!("{states} states for `rumur`: {found:?}")),
    }
}
