//! Every report with `--json` fits its schema in `docs/schemas`, and the schema describes every field of it.

use std::collections::BTreeSet;

use battery::harness::root;
use battery::schema::faults;
use serde_json::Value as Json;

use crate::binary::quotient;

/// The names of the schemas: those of the commands whose reports they describe.
const COMMANDS: [&str; 8] = ["check", "detect", "compare", "simulate", "slice", "bounds", "graph", "batch"];

pub(crate) fn schema(command: &str) -> Json {
    let path = root().join(format!("docs/schemas/{command}.schema.json"));
    serde_json::from_str(&std::fs::read_to_string(path).expect("a schema")).expect("JSON")
}

/// The documents that a command line prints; none for exit codes of other failures.
fn documents(arguments: &[&str]) -> Vec<Json> {
    let run = quotient(&[arguments, &["--json"]].concat());
    assert!(matches!(run.code, Some(0..=3)), "{arguments:?}\n{}", run.stderr);
    match arguments[0] {
        _ if schema_of(arguments) == "batch" => {
            run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
        }
        _ if run.stdout.trim().is_empty() => Vec::new(),
        _ => vec![serde_json::from_str(&run.stdout).expect("JSON")],
    }
}

/// The schema of what a command line prints: rows for several values of constants are those of a batch.
fn schema_of<'a>(arguments: &[&'a str]) -> &'a str {
    let is_sweep = arguments.iter().any(|argument| argument.starts_with("N=") && argument.contains(".."));
    if is_sweep && arguments[0] != "compare" { "batch" } else { arguments[0] }
}

/// Checks a report and counts it.
fn fits(arguments: &[&str]) -> usize {
    let documents = documents(arguments);
    let schema = schema(schema_of(arguments));
    for document in &documents {
        let found = faults(&schema, document, true);
        assert!(found.is_empty(), "{arguments:?}\n{}", found.join("\n"));
    }
    documents.len()
}

/// Some models of each language, with violations of each kind, formulas, faults, near symmetries and coverage.
fn models() -> Vec<String> {
    let folders =
        ["rebeca/faults", "rebeca/soundness", "lpe/locks", "lpe/language", "murphi/formulas", "murphi/faults"];
    let others =
        ["dve/properties", "dve/channels", "promela/claims", "promela/symmetry", "pnml/places", "pnml/colours"];
    let mut found = Vec::new();
    for folder in folders.iter().chain(&others) {
        let entries = std::fs::read_dir(root().join("fixtures").join(folder)).expect("a folder");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.retain(|path| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            extension.is_some_and(|extension| ["rebeca", "lpe", "m", "dve", "pml", "pnml"].contains(&extension))
        });
        paths.sort();
        found.extend(paths.iter().take(6).map(|path| path.to_string_lossy().into_owned()));
    }
    assert!(found.len() > 50, "{}", found.len());
    found
}

#[test]
fn reports_of_checks_and_detections_fit() {
    let mut count = 0;
    for model in models() {
        count += fits(&["check", &model, "--max-states", "3000", "--keep-going", "--stats"]);
        count += fits(&["check", &model, "--max-states", "3000", "--search", "dfs"]);
        count += fits(&["detect", &model, "--timeout", "20s", "--family"]);
        count += fits(&["simulate", &model, "--steps", "5"]);
    }
    assert!(count > 180, "{count}");
}

#[test]
fn reports_of_other_commands_fit() {
    let fixture = |name: &str| root().join("fixtures").join(name).to_string_lossy().into_owned();
    let philosophers = fixture("rebeca/philosophers/phil2_fig2.rebeca");
    let mut count = 0;
    for arguments in [
        &["compare", &philosophers, "--max-states", "500"][..],
        &["compare", &fixture("lpe/locks/philosophers.lpe"), "--max-states", "500"],
        &["compare", &fixture("lpe/locks/resalloc.lpe"), "--engines", "--max-states", "500"],
        &["slice", &philosophers],
        &["slice", &philosophers, "--method", "step-wise"],
        &["slice", &fixture("lpe/locks/philosophers.lpe")],
        &["bounds", &philosophers],
        &["check", &philosophers, "--timeout", "0"],
        &["detect", &philosophers, "--timeout", "0"],
        &["detect", &philosophers, "--why", "(phil0, phil1)", "--family"],
        &["detect", &philosophers, "--why", "(phil0, phil1)", "--family", "--timeout", "0"],
        &["batch", &fixture("lpe/locks"), "--max-states", "500", "--compare"],
        &["batch", &fixture("rebeca/faults"), "--max-states", "500"],
        &["batch", &fixture("lpe/locks/filter.lpe"), "-D", "N=2..5", "--skip-larger", "--max-states", "200", "--stats"],
        &["batch", &fixture("support/wrong_head.lpe"), "--repeat", "2"],
        &["batch", &fixture("lpe/locks/philosophers.lpe"), "--repeat", "2", "--compare"],
        &["check", &fixture("lpe/locks/filter.lpe"), "-D", "N=2..3", "--no-deadlock"],
        &["detect", &fixture("lpe/locks/filter.lpe"), "-D", "N=2..3"],
        &["compare", &fixture("lpe/locks/filter.lpe"), "-D", "N=2..3", "--max-states", "500"],
        &["compare", &philosophers, "--repeat", "2", "--max-states", "500"],
    ] {
        count += fits(arguments);
    }
    assert!(count > 20, "{count}");
    let folder = tempfile::tempdir().expect("a folder");
    let baseline = folder.path().join("baseline.jsonl").to_string_lossy().into_owned();
    let locks = fixture("lpe/locks");
    fits(&["batch", &locks, "--max-states", "100", "--expect", &baseline, "--update-expect"]);
    fits(&["batch", &locks, "--max-states", "50", "--expect", &baseline]);
    let graph = folder.path().join("square.dimacs");
    std::fs::write(&graph, "p edge 4 4\ne 1 2\ne 2 3\ne 3 4\ne 4 1\n").expect("a file");
    assert_eq!(fits(&["graph", &graph.to_string_lossy()]), 1);
}

/// The schemas stand by themselves: what two of them share is written in both, and is the same.
#[test]
fn shared_definitions_are_equal() {
    let mut seen = serde_json::Map::new();
    for command in COMMANDS {
        for (name, definition) in schema(command)["$defs"].as_object().into_iter().flatten() {
            assert_eq!(seen.entry(name).or_insert_with(|| definition.clone()), definition, "{command}: {name}");
        }
    }
    let names: BTreeSet<String> = std::fs::read_dir(root().join("docs/schemas"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".json"))
        .collect();
    assert_eq!(names, COMMANDS.map(|command| format!("{command}.schema.json")).into());
}

/// The test would see a field that is missing, of another type, or not described.
#[test]
fn wrong_reports_are_seen() {
    let (schema, model) = (schema("check"), root().join("fixtures/lpe/locks/philosophers.lpe"));
    let report = documents(&["check", &model.to_string_lossy()]).remove(0);
    for field in report.as_object().expect("an object").keys().filter(|field| *field != "coverage") {
        let mut wrong = report.clone();
        wrong[field] = serde_json::json!({ "unexpected": [1] });
        assert!(!faults(&schema, &wrong, true).is_empty(), "{field}");
    }
    let mut more = report;
    more["news"] = true.into();
    assert!(!faults(&schema, &more, true).is_empty());
}
