//! Random models beside SPIN, where it is installed with a C compiler: numbers of states and transitions without reductions, and its verdicts.
//!
//! Source: SPIN 6.5.2 with `-o1 -o2 -o3` and `-DNOREDUCE`. It counts the initial state as a transition.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

/// What SPIN says of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Said {
    /// It does not take the model, or not all of its states.
    Refused(String),
    /// A step faults: what it does then is no step of the model.
    Faults,
    /// States, transitions, and whether each property is violated.
    Found { states: u64, transitions: u64, violated: BTreeMap<&'static str, bool> },
}

/// What the verifier says of faults other than assertions.
const FAULTS: [&str; 3] = ["invalid array index", "uninitialized chan name", "bad queue#"];

/// Whether all programs that are needed are there.
pub(super) fn is_installed() -> bool {
    let runs = |program: &str, flag: &str| {
        Command::new(program).arg(flag).output().is_ok_and(|output| output.status.success())
    };
    runs("spin", "-V") && runs("gcc", "--version") && runs("timeout", "--version")
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Writes the verifier of a text into a folder; the reason why there is none otherwise.
fn verifier(folder: &Path, text: &str) -> Result<(), String> {
    std::fs::write(folder.join("model.pml"), text).expect("a file");
    let _ = std::fs::remove_file(folder.join("pan.c"));
    let made = run(Command::new("spin").current_dir(folder).args(["-a", "-o1", "-o2", "-o3", "model.pml"]));
    let said = printed(&made);
    let fault = said.lines().find(|line| line.contains("rror"));
    match fault {
        None if folder.join("pan.c").exists() => Ok(()),
        _ => Err(fault.unwrap_or("no verifier").to_owned()),
    }
}

/// Compiles the verifier with flags and runs it for at most 20 seconds; the reason why it does not come to its end otherwise.
fn verified(folder: &Path, flags: &[&str], options: &[&str]) -> Result<String, String> {
    let compile = ["-O0", "-w", "-DNOREDUCE", "-o", "pan"];
    let compiled = run(Command::new("gcc").current_dir(folder).args(compile).args(flags).arg("pan.c"));
    if !compiled.status.success() {
        return Err("its verifier does not compile".to_owned());
    }
    asked(folder, options)
}

/// Runs the verifier that was compiled last.
fn asked(folder: &Path, options: &[&str]) -> Result<String, String> {
    let output =
        run(Command::new("timeout").current_dir(folder).args(["20", "./pan", "-m100000", "-w16"]).args(options));
    let said = printed(&output);
    let limits = ["max search depth too small", "too many processes", "self-loop", "out of memory", "block in d_step"];
    match limits.iter().chain(&FAULTS).find(|words| said.contains(**words)) {
        Some(words) => Err((*words).to_owned()),
        None if errors(&said).is_none() => Err("no end".to_owned()),
        None => Ok(said),
    }
}

/// The number of errors of a run.
fn errors(said: &str) -> Option<u64> {
    said.split("errors: ").nth(1)?.split_whitespace().next()?.parse().ok()
}

fn is_violated(said: &str) -> bool {
    errors(said).is_some_and(|errors| errors > 0)
}

/// The number before some words.
fn counted(said: &str, words: &str) -> u64 {
    let before = said.split(words).next().and_then(|before| before.split_whitespace().last());
    before.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no number of {words}:\n{said}"))
}

/// Asks SPIN about a model in a folder.
pub(super) fn ask(folder: &Path, text: &str) -> Said {
    let without_end =
        |reason: String| if FAULTS.contains(&reason.as_str()) { Said::Faults } else { Said::Refused(reason) };
    found(folder, text).unwrap_or_else(without_end)
}

fn found(folder: &Path, text: &str) -> Result<Said, String> {
    verifier(folder, text)?;
    let all = verified(folder, &["-DSAFETY", "-DNOCLAIM"], &["-c0", "-E", "-A"])?;
    let mut violated = BTreeMap::from([
        ("deadlock", is_violated(&asked(folder, &["-c0", "-A"])?)),
        ("error", is_violated(&asked(folder, &["-c0", "-E"])?)),
    ]);
    let (processes, claim) = text.split_at(text.find("ltl f").or(text.find("never f")).unwrap_or(text.len()));
    let mut ask = |name: &'static str, fair: &'static str, flags: &[&str], options: &[&str]| {
        violated.insert(name, is_violated(&verified(folder, flags, options)?));
        let options: Vec<&str> = ["-f"].iter().chain(options).copied().collect();
        violated.insert(fair, is_violated(&asked(folder, &options)?));
        Ok::<(), String>(())
    };
    if processes.contains("accept") {
        ask("accept", "fair accept", &["-DNOCLAIM"], &["-a", "-A", "-E"])?;
    }
    // The search for runs without progress has a claim, which `_nr_pr` counts.
    if processes.contains("progress") && !processes.contains("_nr_pr") {
        ask("progress", "fair progress", &["-DNP", "-DNOCLAIM"], &["-l", "-A", "-E"])?;
    }
    // SPIN counts accept labels together with those of the claim, and the claim as a process.
    let has_others = ["accept", "_nr_pr", "assert(run"].iter().any(|word| processes.contains(word));
    if !claim.is_empty() && !has_others {
        // The assertions of a claim, also of one that SPIN makes of a formula, are part of what it says.
        verifier(folder, &text.replace("assert(", "assert(1 || "))?;
        let options: &[&str] = if claim.starts_with("ltl") { &["-a", "-E", "-N", "f"] } else { &["-a", "-E"] };
        ask("f", "fair f", &[], options)?;
    }
    let (states, transitions) =
        (counted(&all, " states, stored"), counted(&all, " transitions (= stored+matched)") - 1);
    Ok(Said::Found { states, transitions, violated })
}
