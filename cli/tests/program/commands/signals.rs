//! A signal stops a running check: exit code 128 + signal, after a partial report.
//!
//! The tests wait until the process catches the signal, as the system shows in `/proc`, and a check that its limit on memory ended before the
//! signal came is run again, so that nothing depends on how fast the machine is. That the check ends by the signal is seen from its
//! exit code: by itself it would end in another one.

use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use battery::schema::faults;
use serde_json::Value as Json;

use super::Folder;
use crate::binary::{command, disturbed, until};
use crate::schemas::schema;

/// Four counters modulo 1000: more states than any machine holds, and nothing to find.
pub(super) const ENDLESS: &str = "reactiveclass Counter(2) { statevars { int _n; } \
    msgsrv initial() { self.up(); } msgsrv up() { _n = (_n + 1) % 1000; self.up(); } } \
    main { Counter a():(); Counter b():(); Counter c():(); Counter d():(); }";

/// The signals that reach the processes of this test run: a shell without job control starts a background command with SIGINT ignored, and
/// so does `nohup` with SIGHUP; the program keeps that. Says which signals are left out.
pub(super) fn delivered<const N: usize>(signals: [u32; N]) -> Vec<u32> {
    let ignored = mask("/proc/self/status", "SigIgn:");
    let (kept, left): (Vec<u32>, Vec<u32>) = signals.into_iter().partition(|signal| ignored >> (signal - 1) & 1 == 0);
    if !left.is_empty() {
        eprintln!("SKIPPED: this test run ignores the signals {left:?}");
    }
    kept
}

/// A set of signals of a process, as the system shows it.
fn mask(status: &str, key: &str) -> u64 {
    let status = std::fs::read_to_string(status).expect("the process runs");
    let mask = status.lines().find_map(|line| line.strip_prefix(key)).expect("a line of /proc");
    u64::from_str_radix(mask.trim(), 16).expect("a mask")
}

/// Starts a check that does not end by itself soon, and waits until it catches the signal.
fn started(folder: &Folder, signal: u32, options: &[&str]) -> Child {
    let model = folder.file("endless.rebeca", ENDLESS);
    let mut command = command();
    command.args(["check", &model, "--max-memory", "1G"]).args(options);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    caught(&mut child, signal);
    child
}

/// Waits until a process catches a signal, or has ended.
fn caught(child: &mut Child, signal: u32) {
    let status = format!("/proc/{}/status", child.id());
    until(child, || catches(&status, signal));
}

/// Whether the process has a handler of its own for a signal.
fn catches(status: &str, signal: u32) -> bool {
    mask(status, "SigCgt:") >> (signal - 1) & 1 == 1
}

/// Sends a signal; a process that has ended and was not waited for takes it, too.
pub(super) fn send(signal: u32, child: &Child) {
    let words = format!("kill -{signal} {}", child.id());
    assert!(Command::new("sh").args(["-c", &words]).status().expect("a shell").success());
}

/// The output of a check that a signal ended; nothing if its limit on memory ended it.
pub(super) fn ended_by(signal: u32, child: Child) -> Option<Output> {
    let output = child.wait_with_output().expect("ends");
    if output.status.code() == Some(3) {
        return None;
    }
    assert_eq!(output.status.code().map(i64::from), Some(128 + i64::from(signal)));
    Some(output)
}

fn stopped(signal: u32, options: &[&str]) -> (String, String) {
    let folder = Folder::new();
    let output = disturbed(|| {
        let child = started(&folder, signal, options);
        send(signal, &child);
        ended_by(signal, child)
    });
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn interruption_gives_the_partial_report() {
    for signal in delivered([2, 15]) {
        let (stdout, stderr) = stopped(signal, &[]);
        let first = stdout.lines().next().unwrap_or_default();
        assert!(first.contains(": inconclusive: "), "{signal}: {stdout}");
        assert!(stdout.contains("incomplete") && stderr.is_empty(), "{signal}: {stdout}{stderr}");
    }
}

#[test]
fn interruption_gives_the_partial_report_as_json() {
    for signal in delivered([2, 15]) {
        for order in ["bfs", "dfs"] {
            let (stdout, _) = stopped(signal, &["--json", "--search", order]);
            let report: Json = serde_json::from_str(&stdout).expect("JSON");
            assert_eq!(report["limit"], serde_json::json!({ "kind": "interrupt", "value": signal }));
            assert_eq!((&report["verdict"], &report["complete"]), (&"inconclusive".into(), &false.into()));
        }
    }
}

#[test]
fn interruption_writes_the_file_whole() {
    let folder = Folder::new();
    let path = folder.path("report.json");
    stopped(15, &["--json", "-o", &path]);
    let report: Json = serde_json::from_str(&super::text(&path)).expect("JSON");
    assert_eq!(report["verdict"], "inconclusive");
    assert_eq!(folder.names().len(), 1);
}

/// The `timeout` of coreutils sends its signal to the command and again to its group.
#[test]
fn two_signals_at_once_are_one_request() {
    for signal in delivered([2, 15]) {
        let folder = Folder::new();
        let output = disturbed(|| {
            let child = started(&folder, signal, &[]);
            let words = format!("kill -{signal} {0}; kill -{signal} {0}", child.id());
            assert!(Command::new("sh").args(["-c", &words]).status().expect("a shell").success());
            ended_by(signal, child)
        });
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(stdout.contains(": inconclusive: ") && stdout.contains("incomplete"), "{signal}: {stdout}");
    }
}

/// A command whose result nobody takes does not end by one signal.
#[test]
fn a_later_signal_ends_the_process_at_once() {
    // The text is longer than a pipe takes.
    let model = super::fixture("philosophers/phil3_lib");
    for signal in delivered([2, 15]) {
        let mut command = command();
        command.args(["convert", &model, "--to", "dot"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("starts");
        caught(&mut child, signal);
        std::thread::sleep(Duration::from_secs(1));
        for _ in 0..2 {
            send(signal, &child);
            std::thread::sleep(Duration::from_secs(1));
        }
        assert_eq!(child.wait().expect("ends").code().map(i64::from), Some(128 + i64::from(signal)));
    }
}

/// A pipe to which nobody writes, and standard input that does not end, are waited for as long as the limit on time and signals allow.
#[test]
fn a_text_that_never_comes_is_not_waited_for() {
    let folder = Folder::new();
    let pipe = folder.path("pipe.lpe");
    if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: there is no mkfifo");
        return;
    }
    for (path, options) in [(&*pipe, &[][..]), ("-", &["--language", "lpe"]), (&*pipe, &["--json"])] {
        for signal in [None, Some(15)] {
            let limit = if signal.is_some() { "10m" } else { "1s" };
            let mut check = command();
            check.args(["check", path, "--timeout", limit]).args(options);
            let mut child =
                check.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
            let open = child.stdin.take();
            if let Some(signal) = signal {
                caught(&mut child, signal);
                send(signal, &child);
            }
            let output = child.wait_with_output().expect("ends");
            drop(open);
            let expected = signal.map_or(3, |signal| 128 + i32::try_from(signal).expect("small"));
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(expected), "{path}: {said}");
            if options.contains(&"--json") {
                let report: Json = serde_json::from_str(&said).expect("a report");
                assert_eq!(report["verdict"], "inconclusive", "{path}: {said}");
                assert_eq!(faults(&schema("check"), &report, true), Vec::<String>::new(), "{path}");
            } else {
                assert!(said.contains("inconclusive: "), "{path}: {said}");
            }
        }
    }
}
