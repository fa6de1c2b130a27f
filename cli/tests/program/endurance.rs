//! Kill -9 at a random place and resume, again and again: the report is that of the run that nobody disturbed.
//!
//! A run is killed up to three times, each time some looks of this process after it wrote a random number of checkpoints, perhaps none; then
//! it may end. A place is counted and not timed, so that runs are killed on fast and on slow machines. `QUOTIENT_KILLS=N` gives the number of runs, and `SEED=N` the first of them; with
//! `QUOTIENT_SLOW=1` there are a hundred.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};

use battery::harness::root;
use battery::random::Rng;
use serde_json::Value as Json;

use crate::binary::{command, until};

/// Kills of one run.
const KILLS: usize = 3;

/// The runs: whole searches with something to find, plain and reduced.
const RUNS: [&[&str]; 3] = [
    &["lpe/locks/filter.lpe", "-D", "N=4", "--plain", "--keep-going"],
    &["rebeca/philosophers/phil4_fig2.rebeca", "--keep-going", "--por", "off", "--symmetry", "none"],
    &["rebeca/load_balancer/lb6_3.rebeca", "--keep-going", "--no-overflow"],
];

/// The number of disturbed runs.
fn runs() -> u64 {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let slow = number("QUOTIENT_SLOW").is_some_and(|slow| slow > 0);
    number("QUOTIENT_KILLS").unwrap_or(if slow { 100 } else { 3 })
}

/// A check that keeps checkpoints in a folder, and continues from the one that is there.
fn start(words: &[&str], folder: &Path) -> Child {
    let mut command = command();
    command.arg("check").arg(root().join("fixtures").join(words[0])).args(&words[1..]);
    command.args(["--json", "--threads", "1", "--every", "1ms", "--checkpoint"]).arg(folder);
    if folder.join("search.checkpoint").exists() {
        command.arg("--resume").arg(folder);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts")
}

/// The report of a run that ended, without times and memory.
fn outcome_of(child: Child) -> (ExitStatus, Json) {
    let output = child.wait_with_output().expect("ends");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut report: Json =
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    let report = report.as_object_mut().expect("an object");
    for field in ["seconds", "peak_memory_bytes", "notices", "command_line"] {
        report.remove(field);
    }
    (output.status, Json::Object(report.clone()))
}

/// Which checkpoint is there: each is another file under the same name.
fn version(checkpoint: &Path) -> Option<(u64, i64, i64)> {
    let file = std::fs::metadata(checkpoint).ok()?;
    Some((file.ino(), file.mtime(), file.mtime_nsec()))
}

/// Runs until the end, killed on the way; its report, how often it was killed, and how often it went on from a checkpoint.
fn disturbed(words: &[&str], seed: u64) -> ((ExitStatus, Json), usize, usize) {
    let mut rng = Rng::new(seed);
    let folder = tempfile::tempdir().expect("a folder");
    let checkpoint = folder.path().join("search.checkpoint");
    let (mut kills, mut resumed) = (0, 0);
    loop {
        resumed += usize::from(checkpoint.exists());
        let mut child = start(words, folder.path());
        if kills < KILLS {
            let (checkpoints, mut looks) = (rng.below(4), rng.below(2_000));
            let is_written = (0..checkpoints).all(|_| {
                let before = version(&checkpoint);
                until(&mut child, || version(&checkpoint) != before)
            });
            let runs = is_written
                && until(&mut child, || {
                    looks = looks.saturating_sub(1);
                    looks == 0
                });
            if runs {
                child.kill().expect("a process that was not waited for");
                child.wait().expect("it ends");
                kills += 1;
                continue;
            }
        }
        return (outcome_of(child), kills, resumed);
    }
}

#[test]
fn killed_and_resumed_runs_end_like_whole_runs() {
    let first = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let expected = RUNS.map(|words| {
        let folder = tempfile::tempdir().expect("a folder");
        outcome_of(start(words, folder.path()))
    });
    let (mut killed, mut resumed) = (0, 0);
    for seed in first..first + runs() {
        let at = usize::try_from(seed).expect("small") % RUNS.len();
        let (found, kills, resumes) = disturbed(RUNS[at], seed);
        assert_eq!(found, expected[at], "SEED={seed} QUOTIENT_KILLS=1");
        (killed, resumed) = (killed + kills, resumed + resumes);
    }
    println!("{} runs, killed {killed} times, resumed from a checkpoint {resumed} times", runs());
    assert!(runs() < 10 || killed > 0 && resumed > 0, "no run was disturbed");
}
