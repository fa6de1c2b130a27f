//! `simulate`: the same seed gives the same run, and the menu survives whatever is typed.

use serde_json::Value as Json;

use super::{Folder, PHILOSOPHERS, expect, fits, fixture};
use crate::binary::quotient_with;

#[test]
fn the_same_seed_gives_the_same_run() {
    let model = fixture(PHILOSOPHERS);
    let run = |seed: &str| expect(0, &["simulate", &model, "--seed", seed, "--steps", "30"]).stdout;
    assert_eq!(run("7"), run("7"));
    let differ = (0..5).map(|seed| run(&seed.to_string())).collect::<std::collections::BTreeSet<String>>();
    assert!(differ.len() > 1);
}

#[test]
fn a_run_ends_at_a_deadlock_a_fault_or_the_number_of_steps() {
    let ended = |name: &str, steps: &str| {
        let run = expect(0, &["simulate", &fixture(name), "--steps", steps, "--json"]);
        let json: Json = serde_json::from_str(&run.stdout).expect("JSON");
        let taken = json["trace"]["steps"].as_array().map_or(0, Vec::len);
        (json["ended"].as_str().unwrap_or_default().to_owned(), taken)
    };
    assert_eq!(ended(PHILOSOPHERS, "0"), ("steps".to_owned(), 0));
    assert_eq!(ended(PHILOSOPHERS, "12"), ("steps".to_owned(), 12));
    assert_eq!(ended("faults/assertion_failed", "100"), ("fault".to_owned(), 4));
    assert_eq!(ended("creation/chain_20", "10000").0, "deadlock");
}

/// The answers of the menu to some lines.
fn session(name: &str, lines: &str) -> String {
    let model = fixture(name);
    let arguments = ["simulate", &model, "--interactive"];
    let run = quotient_with(&arguments, lines.as_bytes());
    fits(0, &arguments, &run);
    run.stdout
}

#[test]
fn the_menu_takes_and_undoes_steps() {
    let session = session(PHILOSOPHERS, "1\n1\nu\nu\nu\ns\nt\nq\nnot read\n");
    assert!(session.contains("> 1\n    1  phil0  initial()  from phil0\n"), "{session}");
    assert!(session.contains("    2  phil0  arrive()  from phil0\n"), "{session}");
    assert!(session.contains("undone; 1 step taken") && session.contains("undone; 0 steps taken"), "{session}");
    assert!(session.contains("nothing to undo") && !session.contains("not read"), "{session}");
}

#[test]
fn the_menu_survives_nonsense_and_the_end_of_the_input() {
    let nonsense = "\n0\n99\n-1\n1.5\n99999999999999999999999\nxyzzy\n\u{1b}[31m\n\u{7f}\n? \n".to_owned();
    let all = session(PHILOSOPHERS, &(nonsense + &"y".repeat(100_000) + "\nm\n1"));
    assert!(all.contains("a number, or u, s, t, m, h, q") && all.contains("undo the last step"), "{all}");
    assert!(!all.contains('\u{1b}') && all.contains("4 options; m shows them"));
    assert!(all.contains("1  phil0  initial()  from phil0"));
    let empty = session(PHILOSOPHERS, "");
    assert!(empty.contains("next:"), "{empty}");
}

#[test]
fn the_menu_continues_after_a_fault_and_a_deadlock() {
    let faulty = session("faults/assertion_failed", "1\n1\n1\n1\n1\nu\n1\nq\n");
    assert!(faulty.contains("fails") && faulty.contains("the run ends here"), "{faulty}");
    let choices = session("language/initial_states", "1\nt\nu\n2\ns\nq\n");
    assert!(choices.contains("ways to start:") && choices.contains("undone\n"), "{choices}");
}

#[test]
fn a_run_of_the_simulator_replays() {
    let folder = Folder::new();
    let path = folder.path("run.json");
    for name in [PHILOSOPHERS, "faults/division_by_zero", "creation/chain_21", "language/initial_states"] {
        for seed in ["1", "2", "3"] {
            expect(0, &["simulate", &fixture(name), "--seed", seed, "--json", "-o", &path]);
            let run = expect(0, &["replay", &path]);
            assert!(run.stdout.contains("replays on"), "{}", run.stdout);
        }
    }
}
