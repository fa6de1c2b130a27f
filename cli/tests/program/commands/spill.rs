//! Short of memory a check puts states on the disk: the same report, a signal in the middle, a disk that is full; and
//! a full disk under checkpoints.
//!
//! Limits of the system are set by a shell. The disk is full where it limits the size of files (`ulimit -f`); the signal that this sends is
//! ignored there, so that writing fails as on a full disk.

use std::process::{Command, Stdio};

use battery::harness::Run;
use serde_json::Value as Json;

use super::{Folder, LARGE, expect, fixture};
use crate::binary::{command, disturbed, quotient, until};

/// Less than the states take, and more than everything else.
const SHORT: &str = "8M";

fn report(model: &str, options: &[&str]) -> Json {
    let plain = ["check", model, "--plain", "--no-property", "--keep-going", "--json"];
    let run = quotient(&[&plain[..], options].concat());
    assert!(matches!(run.code, Some(0 | 3)), "{run:?}");
    serde_json::from_str(&run.stdout).expect("JSON")
}

/// The fields that the memory must not change.
fn comparable(report: &Json) -> [Json; 9] {
    ["verdict", "complete", "exact", "states", "transitions", "depth", "deadlock_states", "limit", "properties"]
        .map(|field| report[field].clone())
}

#[test]
fn states_on_the_disk_change_nothing() {
    let model = fixture(LARGE);
    let whole = report(&model, &["--threads", "1"]);
    assert_eq!(whole["spilled_bytes"], 0);
    let without = report(&model, &["--threads", "1", "--max-memory", SHORT, "--no-spill"]);
    assert_eq!((&without["limit"]["kind"], &without["spilled_bytes"]), (&"memory".into(), &0.into()));
    for threads in ["1", "2"] {
        let folder = Folder::new();
        let with = report(&model, &["--threads", threads, "--max-memory", SHORT, "--spill", &folder.path("")]);
        // Several threads have tables of their own, for which so little memory need not be enough.
        if with["complete"] == true || threads == "1" {
            assert_eq!(comparable(&with), comparable(&whole), "{threads} threads");
        } else {
            assert_eq!((&with["verdict"], &with["limit"]), (&"inconclusive".into(), &without["limit"]));
        }
        assert!(with["spilled_bytes"].as_u64() > Some(100_000), "{}", with["spilled_bytes"]);
        assert!(folder.names().is_empty());
    }
}

#[test]
fn states_of_a_process_on_the_disk_change_nothing() {
    let folder = Folder::new();
    let text = "const N = 6; type P : 0..N-1; type V : 0..8;
        proc Counters(x : V[P]) = sum p:P . [true] up(p) { x[p] := (x[p] + 1) mod 9; } -> Counters;
        init Counters(x = 0);";
    let (model, places) = (folder.file("counters.lpe", text), Folder::new());
    let whole = report(&model, &["--threads", "2"]);
    assert_eq!((&whole["states"], &whole["spilled_bytes"]), (&531_441.into(), &0.into()));
    let with = report(&model, &["--threads", "2", "--max-memory", SHORT, "--spill", &places.path("")]);
    assert_eq!(comparable(&with), comparable(&whole));
    assert!(with["spilled_bytes"].as_u64() > Some(100_000), "{}", with["spilled_bytes"]);
    assert!(places.names().is_empty());
}

#[test]
fn a_folder_that_is_missing_is_refused() {
    let run = expect(2, &["check", &fixture(LARGE), "--spill", "there/is/no/such/folder"]);
    assert!(run.stderr.contains("there is no folder"), "{}", run.stderr);
}

/// Runs in a shell with limits.
fn limited(limits: &str, words: &[&str]) -> Run {
    let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    let binary = command().get_program().to_string_lossy().into_owned();
    let words: Vec<String> = [binary.as_str()].iter().chain(words).map(|word| quoted(word)).collect();
    let line = format!("{limits}; exec {}", words.join(" "));
    let output = Command::new("sh").args(["-c", &line]).stdin(Stdio::null()).output().expect("a shell");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs where no file grows beyond some kilobytes.
fn on_a_full_disk(words: &[&str]) -> Run {
    limited("trap '' XFSZ; ulimit -f 16", words)
}

/// The fewest kilobytes of addresses, up to 500, that a check begins with: those of the code and little more.
#[cfg(target_os = "linux")]
fn addresses_to_begin() -> usize {
    let model = fixture(LARGE);
    let words = ["check", &model, "--plain", "--no-property", "--max-states", "10", "--threads", "1"];
    let begins = |kilobytes: &usize| {
        let run = limited(&format!("ulimit -v {kilobytes}"), &words);
        run.code == Some(3) && !run.stderr.contains("to begin with")
    };
    (20_000..200_000).step_by(500).find(begins).expect("the code is smaller")
}

/// However few addresses there are, a check ends by itself: with the answer, or inconclusive.
#[cfg(target_os = "linux")]
#[test]
fn few_addresses_end_a_check_by_itself() {
    let (folder, model) = (Folder::new(), fixture(LARGE));
    let begins = addresses_to_begin();
    let few = (begins + 1_000..begins + 4_000).step_by(300);
    for kilobytes in [1_000_000, 300_000, 120_000, 60_000].into_iter().chain(few) {
        for threads in ["1", "2"] {
            let words = ["check", &model, "--plain", "--no-property", "--keep-going", "--json", "--threads", threads];
            let (words, place) = (&words[..], folder.path(""));
            let run = limited(&format!("ulimit -v {kilobytes}"), &[words, &["--spill", &place]].concat());
            let report = || -> Json { serde_json::from_str(&run.stdout).expect("JSON") };
            match run.code {
                Some(0) => assert_eq!(report()["states"], 374_075, "{kilobytes} kB, {threads} threads"),
                Some(3) => assert_eq!(report()["limit"]["kind"], "memory", "{kilobytes} kB, {threads} threads"),
                _ => panic!("{kilobytes} kB, {threads} threads: {run:?}"),
            }
        }
    }
}

/// Where there is hardly room for the code, too.
#[cfg(target_os = "linux")]
#[test]
fn addresses_for_little_more_than_the_code_end_a_check_by_itself() {
    let model = fixture(LARGE);
    let words = ["check", &model, "--plain", "--no-property", "--max-states", "1000", "--threads", "1"];
    let begins = addresses_to_begin();
    for kilobytes in (begins - 14_000..begins + 2_000).step_by(100) {
        let run = limited(&format!("ulimit -v {kilobytes}"), &words);
        let says_so = run.stdout.contains("inconclusive") || run.stderr.contains("memory");
        match run.code {
            Some(3) => assert!(says_so, "{kilobytes} kB: {run:?}"),
            // The system has no room for the code.
            Some(127) | None => {
                assert!(run.stdout.is_empty() && !run.stderr.contains("allocation"), "{kilobytes} kB: {run:?}");
            }
            _ => panic!("{kilobytes} kB: {run:?}"),
        }
    }
}

#[test]
fn a_full_disk_ends_the_search_where_memory_does() {
    let (folder, model) = (Folder::new(), fixture(LARGE));
    for threads in ["1", "2"] {
        let words = ["check", &model, "--plain", "--no-property", "--keep-going", "--json", "--threads", threads];
        let run = on_a_full_disk(&[&words[..], &["--max-memory", SHORT, "--spill", &folder.path("")]].concat());
        assert_eq!(run.code, Some(3), "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("[N0531]"), "{}", run.stderr);
        let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!((&report["verdict"], &report["limit"]["kind"]), (&"inconclusive".into(), &"memory".into()));
        assert!(report["states"].as_u64() > Some(1_000));
        assert!(folder.names().is_empty());
    }
}

#[test]
fn a_full_disk_under_checkpoints_is_reported_and_the_run_continues() {
    let (folder, model) = (Folder::new(), fixture(LARGE));
    let kept = folder.path("kept");
    let words = ["check", &model, "--plain", "--no-property", "--keep-going", "--checkpoint", &kept, "--every", "1ms"];
    let run = on_a_full_disk(&words);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("[N0530]") && run.stdout.contains("374,075 states"), "{}{}", run.stdout, run.stderr);
    let left: Vec<_> =
        std::fs::read_dir(&kept).expect("a folder").map(|entry| entry.expect("one").file_name()).collect();
    assert!(left.iter().all(|name| name == "search.checkpoint"), "{left:?}");
}

/// A signal while states are put on the disk ends the check.
#[cfg(target_os = "linux")]
#[test]
fn interruption_while_states_are_put_on_the_disk() {
    for (signal, threads) in super::signals::delivered([2, 15]).into_iter().zip(["1", "2"]) {
        let (folder, places) = (Folder::new(), Folder::new());
        let model = folder.file("endless.rebeca", super::signals::ENDLESS);
        let words = ["check", &model, "--max-memory", "40M", "--json", "--threads", threads];
        let name = places.path("");
        let output = disturbed(|| {
            let mut command = command();
            command.args(words).args(["--spill", &name]);
            let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().expect("starts");
            // A file without a name is open in the folder as soon as states are put there.
            let files = format!("/proc/{}/fd", child.id());
            let is_there = || {
                let entries = std::fs::read_dir(&files).into_iter().flatten().flatten();
                let targets = entries.filter_map(|entry| std::fs::read_link(entry.path()).ok());
                targets.into_iter().any(|target| target.starts_with(&name))
            };
            assert!(until(&mut child, is_there), "nothing is put on the disk");
            super::signals::send(signal, &child);
            super::signals::ended_by(signal, child)
        });
        let report: Json = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["limit"], serde_json::json!({ "kind": "interrupt", "value": signal }));
        assert!(places.names().is_empty());
    }
}
