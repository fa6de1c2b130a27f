//! Checkpoints and what reduced the search that they are of.

use super::{Folder, expect, quotient, report, root};

/// A process with symmetries, which are not looked for where there is no time.
fn symmetric() -> String {
    root().join("fixtures/lpe/puzzles/golfers.lpe").display().to_string()
}

#[test]
fn a_search_that_was_begun_without_symmetries_goes_on_without() {
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
fn a_search_is_not_gone_on_with_under_other_symmetries() {
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
