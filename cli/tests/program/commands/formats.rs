//! `fmt`, `convert`, `explain`, `completions` and `man`.

use battery::harness::read_model;

use super::{Folder, HOLDS, LARGE, PHILOSOPHERS, expect, fits, fixture, report, text};
use crate::binary::quotient_with;

const UGLY: &str =
    "reactiveclass A ( 2 ){statevars{int x;}msgsrv initial(){x=1+2;//three\nself.initial();}}main{A a():();}";

#[test]
fn fmt_formats_in_place_and_is_idempotent() {
    let folder = Folder::new();
    let model = folder.file("model.rebeca", UGLY);
    let property = folder.file("model.property", "property{Assertion{P:a.x<9;}}");
    let listed = expect(1, &["fmt", "--check", &model, &property]);
    assert_eq!(listed.stdout, format!("{model}\n{property}\n"));
    assert_eq!(text(&model), UGLY);
    expect(0, &["fmt", &model, &property]);
    let formatted = text(&model);
    assert!(formatted.contains("x = 1 + 2;") && formatted.contains("//three"), "{formatted}");
    expect(0, &["fmt", "--check", &model, &property]);
    expect(0, &["fmt", &model]);
    assert_eq!(text(&model), formatted);
    let piped = quotient_with(&["fmt", "-"], UGLY.as_bytes());
    fits(0, &["fmt", "-"], &piped);
    assert_eq!(piped.stdout, formatted);
    assert_eq!(quotient_with(&["fmt", "--check", "-"], UGLY.as_bytes()).code, Some(1));
    assert_eq!(folder.names().len(), 2);
}

#[test]
fn fmt_leaves_a_wrong_file_and_formats_the_others() {
    let folder = Folder::new();
    let (wrong, model) = (folder.file("wrong.rebeca", "main {{{"), folder.file("model.rebeca", UGLY));
    let run = expect(2, &["fmt", &wrong, &model]);
    assert!(run.stderr.contains("wrong.rebeca"), "{}", run.stderr);
    assert_eq!(text(&wrong), "main {{{");
    assert_ne!(text(&model), UGLY);
    let other = folder.path("other.rebeca");
    expect(0, &["fmt", &model, "-o", &other]);
    assert_eq!(text(&other), text(&model));
    expect(2, &["fmt", &model, &model, "-o", &other]);
}

#[test]
fn the_canonical_text_is_the_same_model() {
    let options = Default::default();
    for name in [HOLDS, PHILOSOPHERS, "language/inheritance", "load_balancer/lb4_2", "creation/chain_21"] {
        let run = expect(0, &["convert", &fixture(name), "--to", "text"]);
        let (original, _) = read_model(text(fixture(name)).as_bytes(), &options);
        let (again, found) = read_model(run.stdout.as_bytes(), &options);
        let plain = frontend::model::spans::without_spans;
        let (original, again) = (original.expect("a model"), again.unwrap_or_else(|| panic!("{name}: {found:?}")));
        assert_eq!(plain(&original), plain(&again), "{name}");
    }
}

#[test]
fn the_state_space_has_as_many_states_as_the_check() {
    for name in [HOLDS, PHILOSOPHERS, "two_phase_commit/2pc2"] {
        let checked = report_of(name);
        let aut = expect(0, &["convert", &fixture(name), "--to", "aut"]).stdout;
        let header = format!("des (0, {}, {})", checked.1, checked.0);
        assert_eq!(aut.lines().next(), Some(header.as_str()), "{name}");
        assert_eq!(aut.lines().count() as u64, checked.1 + 1, "{name}");
        let dot = expect(0, &["convert", &fixture(name), "--to", "dot"]).stdout;
        assert_eq!(dot.lines().filter(|line| line.contains(" -> ")).count() as u64, checked.1, "{name}");
        assert!(dot.starts_with("digraph ") && dot.ends_with("}\n"), "{name}");
    }
}

fn report_of(name: &str) -> (u64, u64) {
    let run = crate::binary::quotient(&["check", &fixture(name), "--no-property", "--keep-going", "--plain", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(report["complete"], true, "{name}");
    (report["states"].as_u64().expect("a number"), report["transitions"].as_u64().expect("a number"))
}

/// Several initial states: a fresh state 0 leads to each.
#[test]
fn several_initial_states_get_a_common_one() {
    let name = "language/initial_states";
    let (states, transitions) = report_of(name);
    let aut = expect(0, &["convert", &fixture(name), "--to", "aut"]).stdout;
    let initial = aut.lines().filter(|line| line.contains("\"init\"")).count() as u64;
    assert!(initial > 1, "{aut}");
    let header = format!("des (0, {}, {})", transitions + initial, states + 1);
    assert_eq!(aut.lines().next(), Some(header.as_str()));
}

#[test]
fn a_state_space_over_the_limit_is_not_written() {
    let folder = Folder::new();
    let path = folder.path("space.aut");
    let run = expect(3, &["convert", &fixture(LARGE), "--to", "aut", "--max-states", "10", "-o", &path]);
    assert!(run.stdout.is_empty() && run.stderr.contains("--max-states"), "{run:?}");
    assert!(folder.names().is_empty());
    assert_eq!(report(3, &["check", &fixture(LARGE), "--max-states", "10"])["states"], 10);
}

#[test]
fn the_communication_graph_has_the_known_rebecs() {
    let run = expect(0, &["convert", &fixture(PHILOSOPHERS), "--to", "communication"]);
    assert!(run.stdout.contains("\"phil0\" -> \"fork0\" [label=\"forkL\"];"), "{}", run.stdout);
    assert_eq!(run.stdout.matches(" -> ").count(), 8);
}

#[test]
fn every_code_is_explained() {
    let list = expect(0, &["explain"]).stdout;
    assert!(list.lines().count() > 100, "{list}");
    for code in list.lines().filter_map(|line| line.split_whitespace().next()).step_by(20) {
        let page = expect(0, &["explain", code]).stdout;
        assert!(page.starts_with(code) && page.contains("\nExample\n") && page.contains("\nFix\n"), "{page}");
    }
    let page = expect(0, &["explain", "E0203"]).stdout;
    for spelt in ["e0203", "[E0203]", "`E0203`"] {
        assert_eq!(expect(0, &["explain", spelt]).stdout, page, "{spelt}");
    }
    let unknown = expect(2, &["explain", "E0230x"]);
    assert!(unknown.stderr.contains("[E0507]") && unknown.stderr.contains("did you mean"), "{}", unknown.stderr);
}

#[test]
fn completions_and_the_manual_name_every_command() {
    let commands = ["check", "simulate", "replay", "fmt", "convert", "graph", "explain", "completions"];
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = expect(0, &["completions", shell]).stdout;
        for word in commands.iter().chain(&["max-states", "no-deadlock"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    expect(2, &["completions", "cmd.com"]);
    let manual = expect(0, &["man"]).stdout;
    for command in commands {
        assert!(manual.contains(&format!(".SH \"QUOTIENT {}\"", command.to_uppercase())), "{command}");
    }
    assert!(manual.contains("max\\-states"));
}
