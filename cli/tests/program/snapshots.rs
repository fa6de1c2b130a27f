//! Texts that people read, word for word: diagnostics, canonical text, reports, JSON, groups, help and explanations.
//!
//! A change of a snapshot is a change of the interface: read the diff as a user would. Paths, times and memory are replaced,
//! so that the snapshots are the same on every machine.

use battery::directives::Expectations;
use battery::harness::{files, root, run};
use battery::measured::{Kind, kind};
use serde_json::Value as Json;

use crate::binary::command;

/// Runs in the root of the repository, so that paths are relative; the result and the diagnostics after it.
fn printed(arguments: &[&str]) -> String {
    let run = run(command().current_dir(root()).args(arguments), b"");
    let code = run.code.map_or_else(|| "none".to_owned(), |code| code.to_string());
    let stderr = if run.stderr.is_empty() { String::new() } else { format!("--- standard error\n{}", run.stderr) };
    measured(&format!("$ quotient {}\n{}{stderr}--- exit code {code}\n", arguments.join(" "), run.stdout))
}

/// A report without its time and its memory: the last two columns of the line that starts with the number of states.
fn measured(text: &str) -> String {
    let line = |line: &str| {
        let columns: Vec<&str> = line.split("   ").collect();
        let is_totals = columns.iter().any(|column| column.starts_with("depth ")) && columns.len() >= 4;
        let replaced = columns.iter().map(|&column| match kind(column).filter(|_| is_totals) {
            Some(Kind::Time) => "[time]",
            Some(Kind::Size) => "[memory]",
            None => column,
        });
        replaced.collect::<Vec<&str>>().join("   ") + "\n"
    };
    text.lines().map(line).collect()
}

/// A path from the root of the repository.
fn relative(path: &std::path::Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// Compares with the snapshot `group__name`, without the expression that gave it.
fn snapshot(group: &str, name: &str, content: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(format!("{group}__{name}"), content));
}

#[test]
fn diagnostics() {
    for folder in ["fixtures/reject", "fixtures/notice"] {
        for path in files(&root().join(folder), &["rebeca", "property"], false) {
            let expected = Expectations::read(&std::fs::read_to_string(&path).expect("a text")).expect("directives");
            let own = relative(&path);
            let model = format!("{folder}/{}", expected.model.as_deref().unwrap_or("../support/one.rebeca"));
            let model = relative(&root().join(&model).canonicalize().expect("a model"));
            let mut arguments = if own.ends_with(".property") {
                vec!["check", model.as_str(), "--property", own.as_str()]
            } else {
                vec!["check", own.as_str(), "--no-property"]
            };
            arguments.extend(expected.run.iter().map(String::as_str));
            let run = run(command().current_dir(root()).args(&arguments), b"");
            let name = path.file_name().expect("a name").to_string_lossy().replace('.', "_");
            snapshot("diagnostics", &name, &run.stderr);
        }
    }
}

#[test]
fn canonical_text() {
    for (family, name) in [
        ("philosophers", "phil2_fig2"),
        ("trains", "train3"),
        ("load_balancer", "lb4_2"),
        ("creation", "chain_21"),
        ("language", "inheritance"),
        ("language", "switch"),
        ("language", "choices"),
        ("language", "operators"),
    ] {
        let path = format!("fixtures/rebeca/{family}/{name}.rebeca");
        snapshot("text", name, &printed(&["convert", &path, "--to", "text"]));
    }
}

#[test]
fn sequential_form() {
    for (family, name) in [("soundness", "m04_ignoring"), ("language", "sender_is_state"), ("language", "loops")] {
        let path = format!("fixtures/rebeca/{family}/{name}.rebeca");
        snapshot("lpe", name, &printed(&["convert", &path, "--to", "lpe"]));
    }
    let refused = "fixtures/rebeca/creation/chain_21.rebeca";
    snapshot("lpe", "refused", &printed(&["convert", refused, "--to", "lpe"]));
}

#[test]
fn reports() {
    for (name, arguments) in [
        ("holds", &["soundness/m15_slice_deadlock"][..]),
        ("invariant", &["philosophers/phil2_fig2"]),
        ("invariant_full", &["soundness/m04_ignoring", "--full"]),
        ("several", &["soundness/m01_initial_is_visible", "--keep-going"]),
        ("overflow", &["faults/queue_overflow"]),
        ("assertion", &["faults/assertion_failed"]),
        ("error", &["faults/division_by_zero"]),
        ("constructor", &["faults/fault_in_constructor"]),
        ("choices", &["faults/fault_on_one_branch"]),
        ("created", &["creation/violation_before_the_bound"]),
        ("features", &["language/feature_variables"]),
        ("not_asked", &["philosophers/phil2_fig2", "--name", "NeighboursDoNotEatTogether"]),
        ("states", &["philosophers/phil4_fig2", "--max-states", "1000"]),
        ("depth", &["philosophers/phil4_fig2", "--max-depth", "3"]),
        ("memory", &["philosophers/phil4_fig2", "--max-memory", "1"]),
        ("rebecs", &["creation/unbounded", "--max-rebecs", "3", "--symmetry", "none"]),
        ("warnings", &["../notice/W0201_dependent_iterations"]),
    ] {
        let path = relative(&root().join(format!("fixtures/rebeca/{}.rebeca", arguments[0])));
        snapshot("report", name, &printed(&[&["check", path.as_str()], &arguments[1..]].concat()));
    }
    let net = "fixtures/pnml/places/rules.pnml";
    snapshot("report", "structural", &printed(&["check", net, "--name", "deadlock"]));
    let deadlock = "reactiveclass Door(2) { statevars { byte knocks; } msgsrv initial() { self.knock(); } \
                    msgsrv knock() { knocks = ?(1, 2); if (knocks == 1) { self.knock(); } } } main { Door door():(); }";
    let run = run(command().args(["check", "-"]), deadlock.as_bytes());
    snapshot("report", "deadlock", &measured(&run.stdout));
}

#[test]
fn runs() {
    let model = "fixtures/rebeca/philosophers/phil2_fig2.rebeca";
    snapshot("simulate", "random", &printed(&["simulate", model, "--seed", "3", "--steps", "6"]));
    let lines = b"1\n1\nh\ns\nu\n99\nwhat\nt\nq\n";
    let session = run(command().current_dir(root()).args(["simulate", model, "--interactive"]), lines);
    snapshot("simulate", "menu", &session.stdout);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.json");
    let report = path.to_string_lossy();
    printed(&["check", model, "--json", "-o", &report]);
    let whole = printed(&["replay", &report]);
    snapshot("replay", "whole", &whole.replace(report.as_ref(), "report.json"));
    let text = std::fs::read_to_string(&path).expect("a report");
    let mut json: Json = serde_json::from_str(&text).expect("JSON");
    json["properties"][5]["trace"]["steps"][3]["state"]["fork0"]["variables"]["busy"] = false.into();
    std::fs::write(&path, json.to_string()).expect("writes");
    let changed = printed(&["replay", &report]);
    snapshot("replay", "changed", &changed.replace(report.as_ref(), "report.json"));
}

#[test]
fn json() {
    for (name, model, question) in [
        ("holds", "rebeca/soundness/m15_slice_deadlock.rebeca", &[][..]),
        ("violated", "rebeca/faults/fault_on_one_branch.rebeca", &[]),
        ("structural", "pnml/places/weights.pnml", &["--name", "deadlock"]),
    ] {
        let path = format!("fixtures/{model}");
        let run = run(command().current_dir(root()).args(["check", &path, "--json"]).args(question), b"");
        let mut report: Json = serde_json::from_str(&run.stdout).expect("JSON");
        report["seconds"] = "[seconds]".into();
        report["peak_memory_bytes"] = "[bytes]".into();
        snapshot("json", name, &format!("{report:#}"));
    }
}

/// The graph and the group of every sequential fixture: a graph that grows, or a group that changes, is seen here.
#[test]
fn symmetries() {
    let mut table = String::new();
    for path in files(&root().join("fixtures/lpe"), &["lpe"], true) {
        let name = relative(&path);
        let run = run(command().current_dir(root()).args(["detect", &name, "--json"]), b"");
        if run.code == Some(3) {
            table += &format!("{}: not detected\n", name.trim_start_matches("fixtures/lpe/"));
            continue;
        }
        let found: Json = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{name}: {error}: {run:?}"));
        let (graph, group) = (&found["graph"], &found["group"]);
        let name = name.trim_start_matches("fixtures/lpe/");
        let generators = group["generators"].as_array().map_or(0, Vec::len);
        table += &format!("{name}: {} vertices, {} edges; ", graph["vertices"], graph["edges"]);
        table += &format!(
            "order {} = {}, generators {generators}, rejected {}\n",
            group["order"].as_str().unwrap_or("?"),
            group["structure"].as_str().unwrap_or("?"),
            found["rejected"].as_array().map_or(0, Vec::len)
        );
    }
    snapshot("symmetries", "sequential", &table);
}

#[test]
fn help() {
    snapshot("help", "quotient", &printed(&["--help"]));
    for name in
        ["check", "batch", "detect", "simulate", "replay", "fmt", "convert", "graph", "explain", "completions", "man"]
    {
        snapshot("help", name, &printed(&[name, "--help"]));
    }
    snapshot("help", "wrong_option", &printed(&["check", "model.rebeca", "--max-state", "3"]));
    snapshot("help", "wrong_value", &printed(&["check", "model.rebeca", "--timeout", "soon"]));
}

#[test]
fn explanations() {
    for code in ["E0203", "W0201", "N0501"] {
        snapshot("explain", code, &printed(&["explain", code]));
    }
    snapshot("explain", "list", &printed(&["explain"]));
    snapshot("explain", "unknown", &printed(&["explain", "E0230x"]));
}

#[test]
fn problems() {
    let model = "fixtures/rebeca/philosophers/phil2_fig2.rebeca";
    for (name, arguments) in [
        ("no_file", &["check", "fixtures/rebeca/philosophers/phil2_fig3.rebeca"][..]),
        ("folder", &["check", "fixtures/rebeca"]),
        ("no_folder", &["check", model, "-o", "there/is/no/folder/report.json"]),
        ("unknown_name", &["check", model, "--name", "NobodyEat"]),
        ("unknown_constant", &["check", model, "-D", "N=3"]),
        ("contradiction", &["check", model, "--name", "deadlock", "--no-deadlock"]),
        ("not_a_trace", &["replay", model]),
        ("space_too_large", &["convert", "fixtures/rebeca/philosophers/phil4_fig2.rebeca", "--to", "aut"]),
    ] {
        snapshot("problem", name, &printed(arguments));
    }
}

/// Texts of the sequential language, through the library.
#[test]
fn diagnostics_of_the_sequential_language() {
    use frontend::diagnostics::{Diagnostics, RenderStyle, render, summary_line};
    use frontend::sequential::{Options, parse};
    use frontend::source::Source;
    for path in files(&root().join("fixtures/reject"), &["lpe"], false) {
        let text = std::fs::read_to_string(&path).expect("a text");
        let defined = text.lines().filter_map(|line| line.strip_prefix("//@ define: ")?.split_once('='));
        let constants = defined.map(|(name, value)| (name.to_owned(), value.parse().expect("a number"))).collect();
        let mut found = Diagnostics::new();
        parse(&text, &Options { constants }, &mut found);
        let source = Source::new(relative(&path), text);
        let rendered = found.list.iter().map(|diagnostic| render(diagnostic, &source, &RenderStyle::default()) + "\n");
        let rendered: String = rendered.chain(summary_line(&found)).collect();
        let name = path.file_name().expect("a name").to_string_lossy().replace('.', "_");
        snapshot("diagnostics", &name, &rendered);
    }
}
