//! Checkpoints and what reduced the search that they are of.

use std::process::Command;

use super::{Folder, PHILOSOPHERS, expect, fixture, quotient, report, root};

/// A process with symmetries, which are not looked for where there is no time.
fn symmetric() -> String {
    root().join("fixtures/lpe/puzzles/golfers.lpe").display().to_string()
}

#[test]
fn a_search_that_began_without_symmetries_continues_without() {
    let (folder, model) = (Folder::new(), symmetric());
    let saved = folder.path("saved");
    let small = ["check", &model, "-D", "W=1", "-D", "G=1", "--no-deadlock"];
    let run = [&small[..], &["--stats", "--timeout", "0", "--checkpoint", &saved]].concat();
    expect(3, &run);
    let resumed = report(0, &[&small[..], &["--stats", "--resume", &saved]].concat());
    let plain = report(0, &[&small[..], &["--symmetry", "none"]].concat());
    assert_eq!((&resumed["states"], &resumed["verdict"]), (&plain["states"], &plain["verdict"]));
    assert!(resumed["group"].is_null(), "{}", resumed["group"]);
}

#[test]
fn a_search_is_not_continued_under_other_symmetries() {
    let (folder, model) = (Folder::new(), symmetric());
    let saved = folder.path("saved");
    let small = ["check", &model, "-D", "W=1", "-D", "G=1", "--no-deadlock"];
    let begun = report(3, &[&small[..], &["--max-states", "10", "--checkpoint", &saved]].concat());
    assert!(!begun["group"].is_null());
    let run = quotient(&[&small[..], &["--timeout", "0", "--resume", &saved]].concat());
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    assert!(run.stderr.contains("error[E0530]"), "{}", run.stderr);
    let whole = report(0, &[&small[..], &["--resume", &saved]].concat());
    assert_eq!(whole["states"], report(0, &small)["states"]);
}

#[test]
fn a_checkpoint_that_is_read_is_not_overwritten_by_the_report() {
    let (folder, model) = (Folder::new(), symmetric());
    let (saved, other) = (folder.path("saved"), folder.path("other"));
    let small = ["check", &model, "-D", "W=1", "-D", "G=1", "--no-deadlock"];
    report(3, &[&small[..], &["--max-states", "10", "--checkpoint", &saved]].concat());
    let file = format!("{saved}/search.checkpoint");
    let before = std::fs::read(&file).expect("a checkpoint");
    for kept in [&[][..], &["--checkpoint", &other], &["--checkpoint", &saved]] {
        let run = quotient(&[&small[..], &["--resume", &saved, "-o", &file], kept].concat());
        assert!(run.code == Some(2) && run.stderr.contains("error[E0512]"), "{kept:?}: {}", run.stderr);
        assert_eq!(std::fs::read(&file).expect("a checkpoint"), before, "{kept:?}");
    }
    report(0, &[&small[..], &["--resume", &saved, "--checkpoint", &other]].concat());
    report(0, &[&small[..], &["--resume", &saved, "--checkpoint", &saved]].concat());
}

/// CRC-32 bit by bit.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), |sum, _| step(sum)))
}

/// A checkpoint with other bytes and a right checksum.
fn damaged(whole: &[u8], change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = whole[..whole.len() - 4].to_vec();
    change(&mut bytes);
    let length = bytes.len() as u64 - 36;
    bytes[28..36].copy_from_slice(&length.to_le_bytes());
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

#[test]
fn content_that_is_no_search_of_the_model_is_refused() {
    let (folder, model) = (Folder::new(), fixture(PHILOSOPHERS));
    let saved = folder.path("saved");
    let small = ["check", &model, "--no-property", "--keep-going"];
    let expected = report(0, &small);
    expect(3, &[&small[..], &["--max-states", "40", "--checkpoint", &saved]].concat());
    let path = format!("{saved}/search.checkpoint");
    let whole = std::fs::read(&path).expect("a checkpoint");
    assert_eq!(damaged(&whole, |_| {}), whole, "the checksum is the one of the format");
    let mut refused = 0;
    // Behind the head and the stamp.
    for at in (52..whole.len() - 4).step_by(23) {
        std::fs::write(&path, damaged(&whole, |bytes| bytes[at] ^= 1 << (at % 8))).expect("a file");
        let run = quotient(&[&small[..], &["--resume", &saved, "--json"]].concat());
        match run.code {
            Some(2) => {
                assert!(run.stderr.contains("error[E0530]"), "byte {at}: {}", run.stderr);
                refused += 1;
            }
            _ => {
                let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a report");
                assert_eq!(
                    (&document["states"], &document["verdict"]),
                    (&expected["states"], &expected["verdict"]),
                    "byte {at}"
                );
            }
        }
    }
    assert!(refused > 10, "only {refused} refused");
    std::fs::write(&path, whole).expect("a file");
    assert_eq!(report(0, &[&small[..], &["--resume", &saved]].concat())["states"], expected["states"]);
}

#[test]
fn a_checkpoint_is_not_replaced_unless_that_is_requested() {
    let (folder, model) = (Folder::new(), fixture(PHILOSOPHERS));
    let saved = folder.path("saved");
    let run = ["check", &model, "--no-property", "--keep-going", "--max-states", "40", "--checkpoint", &saved];
    expect(3, &run);
    let refused = expect(2, &run);
    assert!(refused.stderr.contains("E0530") && refused.stderr.contains("--overwrite"), "{}", refused.stderr);
    expect(3, &[&run[..], &["--overwrite"]].concat());
    expect(3, &[&run[..], &["--resume", &saved]].concat());
    assert_eq!(folder.names().len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_of_checkpoints_is_locked_by_its_process_only() {
    let (folder, model) = (Folder::new(), fixture(PHILOSOPHERS));
    let saved = folder.path("saved");
    std::fs::create_dir(&saved).expect("a folder");
    let run = ["check", &model, "--no-property", "--keep-going", "--max-states", "40", "--checkpoint", &saved];
    let locked = std::fs::File::open(&saved).expect("the folder");
    locked.lock().expect("nobody has it");
    let refused = expect(2, &run);
    assert!(refused.stderr.contains("used by another process"), "{}", refused.stderr);
    drop(locked);
    expect(3, &run);
}

#[cfg(target_os = "linux")]
#[test]
fn a_checkpoint_of_another_build_is_refused() {
    let (folder, model) = (Folder::new(), fixture(PHILOSOPHERS));
    let (saved, other) = (folder.path("saved"), folder.path("other"));
    let run = ["check", &model, "--no-property", "--max-states", "40", "--checkpoint", &saved];
    expect(3, &run);
    // Another process writes the copy: a file that this one has open for writing cannot run while a test next to this one starts a program.
    let own = crate::binary::command().get_program().to_owned();
    let copies = "cp \"$0\" \"$1\" && printf x >> \"$1\"";
    let copied = Command::new("sh").args(["-c", copies]).arg(own).arg(&other).status();
    assert!(copied.is_ok_and(|status| status.success()));
    let again = Command::new(&other).args(["check", &model, "--no-property", "--resume", &saved]).output();
    let again = again.expect("it runs");
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("another build"));
}

/// Eight initial states.
const EIGHT_STARTS: &str = "reactiveclass A(2) { statevars { boolean x; } A() { x = ?(true, false); self.go(); } \
    msgsrv go() { x = !x; self.go(); } } main { A a():(); A b():(); A c():(); }";

#[test]
fn a_search_that_ends_among_its_initial_states_is_saved() {
    let folder = Folder::new();
    let (model, saved) = (folder.file("starts.rebeca", EIGHT_STARTS), folder.path("saved"));
    let run = ["check", &model, "--plain", "--keep-going"];
    let whole = report(0, &run);
    let first = expect(3, &[&run[..], &["--checkpoint", &saved, "--max-states", "2"]].concat());
    assert!(!first.stderr.contains("N0530"), "{}", first.stderr);
    expect(3, &[&run[..], &["--checkpoint", &saved, "--resume", &saved, "--max-states", "5"]].concat());
    let resumed = report(0, &[&run[..], &["--resume", &saved]].concat());
    for figure in ["states", "transitions", "depth", "verdict", "complete"] {
        assert_eq!(resumed[figure], whole[figure], "{figure}");
    }
}

/// A visit that the limit ends counts no steps as left out: the visit is repeated.
#[test]
fn a_search_with_partial_order_continues_where_a_limit_ended_a_visit() {
    let folder = Folder::new();
    let steps = "[x = 0] one { x := 1; } -> P + [y = 0] two { y := 1; } -> P";
    let text = format!("type B : 0..1; proc P(x : B, y : B) = {steps}; init P(x = 1, y = 1); init P(x = 0, y = 0);");
    let rules = "rule \"x\" x = 0 ==> begin x := 1; end; rule \"y\" y = 0 ==> begin y := 1; end;";
    let starts = "startstate begin x := 1; y := 1; end; startstate begin x := 0; y := 0; end;";
    let murphi = format!("var x: 0..1; y: 0..1; {starts} {rules}");
    for (name, text) in [("model.lpe", &text), ("model.m", &murphi)] {
        let (model, saved) = (folder.file(name, text), folder.path(&format!("{name}.saved")));
        let whole = report(0, &["check", &model, "--no-deadlock", "--por", "on", "--keep-going"]);
        let part = ["check", &model, "--no-deadlock", "--por", "on", "--keep-going"];
        report(3, &[&part[..], &["--max-states", "2", "--checkpoint", &saved]].concat());
        let resumed = report(0, &[&part[..], &["--resume", &saved]].concat());
        assert_eq!((&resumed["states"], &resumed["transitions"]), (&whole["states"], &whole["transitions"]), "{name}");
    }
}

/// Steps of a visit that a limit ended are executed once, when the visit is repeated.
#[test]
fn a_visit_that_is_repeated_counts_its_executions_once() {
    let folder = Folder::new();
    let process = "type T : 0..3; proc M(x : T) = [true] a { x := (x + 1) mod 4; } -> M + [x > 1] b { x := 0; } -> M; init M(x = 0);";
    let murphi = "var x: 0..3; startstate begin x := 0; end; rule \"a\" true ==> begin x := (x + 1) % 4; end; \
        rule \"b\" x > 1 ==> begin x := 0; end;";
    let actors = "reactiveclass A(2) { statevars { byte x; } A() { self.go(); } \
        msgsrv go() { if (x < 3) { x = (byte) (x + ?(0, 1)); } else { x = 0; } self.go(); } } main { A a():(); A b():(); }";
    for (name, text) in [("model.lpe", process), ("model.m", murphi), ("model.rebeca", actors)] {
        let (model, saved) = (folder.file(name, text), folder.path(&format!("{name}.saved")));
        let part = ["check", &model, "--plain", "--keep-going"];
        let whole = report(0, &part);
        let states = whole["states"].as_u64().expect("a number");
        assert!(whole["coverage"].as_array().is_some_and(|parts| !parts.is_empty()), "{name}");
        for most in (1..states).map(|most| most.to_string()) {
            report(3, &[&part[..], &["--max-states", &most, "--checkpoint", &saved, "--overwrite"]].concat());
            let resumed = report(0, &[&part[..], &["--resume", &saved]].concat());
            assert_eq!(resumed["coverage"], whole["coverage"], "{name}, stopped at {most} states");
        }
    }
}
