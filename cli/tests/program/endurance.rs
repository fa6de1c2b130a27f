//! Kill -9 at a random time and resume, again and again: the report is that of the run that nobody disturbed.
//!
//! A run is killed up to three times, each time at a random moment of what is left or, every other time, at one after its
//! first checkpoint; then it may end. `QUOTIENT_KILLS=N` gives the number of runs, and `SEED=N` the first of them; with
//! `QUOTIENT_SLOW=1` there are a hundred.

use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use battery::harness::root;
use battery::random::Rng;
use serde_json::Value as Json;

use crate::binary::command;

/// Kills of one run.
const KILLS: usize = 3;

/// What is run: whole searches with something to find, plain and reduced.
const RUNS: [&[&str]; 3] = [
    &["lpe/locks/filter.lpe", "-D", "N=4", "--plain", "--keep-going"],
    &["rebeca/philosophers/phil4_fig2.rebeca", "--keep-going", "--por", "off", "--symmetry", "none"],
    &["rebeca/load_balancer/lb6_3.rebeca", "--keep-going", "--no-overflow"],
];

/// How many runs are disturbed.
fn runs() -> u64 {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let slow = number("QUOTIENT_SLOW").is_some_and(|slow| slow > 0);
    number("QUOTIENT_KILLS").unwrap_or(if slow { 100 } else { 3 })
}

/// A check that keeps checkpoints in a folder, and goes on from the one that is there.
fn start(words: &[&str], folder: &Path) -> Child {
    let mut command = command();
    command.arg("check").arg(root().join("fixtures").join(words[0])).args(&words[1..]);
    command.args(["--json", "--threads", "1", "--every", "1ms", "--checkpoint"]).arg(folder);
    if folder.join("search.checkpoint").exists() {
        command.arg("--resume").arg(folder);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts")
}

/// What a run that ended tells, without times and memory.
fn told(child: Child) -> (ExitStatus, Json) {
    let output = child.wait_with_output().expect("ends");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut report: Json =
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    let report = report.as_object_mut().expect("an object");
    for field in ["seconds", "peak_memory_bytes", "notices"] {
        report.remove(field);
    }
    (output.status, Json::Object(report.clone()))
}

/// Waits until a condition is true or the run has ended; whether it has.
fn has_ended(child: &mut Child, until: impl Fn() -> bool) -> bool {
    loop {
        if child.try_wait().expect("a process").is_some() {
            return true;
        }
        if until() {
            return false;
        }
        std::thread::park_timeout(Duration::from_micros(300));
    }
}

/// Runs until the end, killed on the way; what it tells, how often it was killed, and how often it went on from a checkpoint.
fn disturbed(words: &[&str], seed: u64, took: Duration) -> ((ExitStatus, Json), usize, usize) {
    let mut rng = Rng::new(seed);
    let folder = tempfile::tempdir().expect("a folder");
    let checkpoint = folder.path().join("search.checkpoint");
    let (mut kills, mut resumed) = (0, 0);
    loop {
        resumed += usize::from(checkpoint.exists());
        let mut child = start(words, folder.path());
        if kills < KILLS {
            let after = took.mul_f64(rng.below(1_000) as f64 / 1_000.0);
            let waits = seed % 2 == 1 && has_ended(&mut child, || checkpoint.exists());
            let started = Instant::now();
            if !waits && !has_ended(&mut child, || started.elapsed() >= after) {
                child.kill().expect("the process runs");
                child.wait().expect("it ends");
                kills += 1;
                continue;
            }
        }
        return (told(child), kills, resumed);
    }
}

#[test]
fn killed_and_resumed_runs_end_as_if_nothing_had_happened() {
    let first = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let expected = RUNS.map(|words| {
        let folder = tempfile::tempdir().expect("a folder");
        let started = Instant::now();
        (told(start(words, folder.path())), started.elapsed())
    });
    let (mut killed, mut resumed) = (0, 0);
    for seed in first..first + runs() {
        let at = usize::try_from(seed).expect("small") % RUNS.len();
        let (undisturbed, took) = &expected[at];
        let (found, kills, resumes) = disturbed(RUNS[at], seed, *took);
        assert_eq!(&found, undisturbed, "SEED={seed} QUOTIENT_KILLS=1");
        (killed, resumed) = (killed + kills, resumed + resumes);
    }
    println!("{} runs, killed {killed} times, resumed from a checkpoint {resumed} times", runs());
    assert!(runs() < 10 || killed > 0 && resumed > 0, "no run was disturbed");
}
