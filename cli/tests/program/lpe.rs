//! Sequential processes: every fixture below `fixtures/lpe` and the counts expected of the families, through the binary,
//! breadth-first and depth-first, every counterexample replayed; random processes against the reference semantics.

use std::path::Path;

use battery::harness::{Run, files, root};
use battery::parallel;
use serde_json::Value as Json;

use crate::binary::quotient;

/// The expectations in the head of a fixture.
#[derive(Default)]
struct Head {
    states: Option<u64>,
    quotient: Option<u64>,
    reduced: Option<u64>,
    transitions: Option<u64>,
    deadlocks: Option<u64>,
    fault: Option<String>,
    checks: Vec<(String, String)>,
    options: Vec<String>,
}

/// A count by its name: `full 324, quotient 166`.
fn count(value: &str, name: &str) -> Result<Option<u64>, String> {
    let mut counts = value.split(',').filter_map(|count| count.trim().strip_prefix(name)?.strip_prefix(' '));
    counts.next_back().map(|count| count.parse().map_err(|_| format!("`{count}` is not a number"))).transpose()
}

fn full(value: &str) -> Result<u64, String> {
    count(value, "full")?.ok_or("expected `full` and a number".to_owned())
}

impl Head {
    fn read(text: &str) -> Result<Head, String> {
        let mut head = Head::default();
        for line in text.lines().take_while(|line| line.starts_with("//@")) {
            let (key, value) = line.trim_start_matches("//@").split_once(':').ok_or("a directive has no value")?;
            let value = value.trim();
            match key.trim() {
                "states" => {
                    (head.states, head.quotient) = (Some(full(value)?), count(value, "quotient")?);
                    head.reduced = count(value, "reduced")?;
                }
                "transitions" => head.transitions = Some(full(value)?),
                "deadlocks" => head.deadlocks = value.parse().ok(),
                "fault" => head.fault = Some(value.to_owned()),
                "define" => head.options.extend(["-D".to_owned(), value.to_owned()]),
                "check" => {
                    let (name, verdict) = value.split_once(" => ").ok_or("expected `NAME => VERDICT`")?;
                    head.checks.push((name.to_owned(), verdict.to_owned()));
                }
                "group" => {}
                other => return Err(format!("unknown key `{other}`")),
            }
        }
        Ok(head)
    }
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}")) }
}

/// The report on a model, whose counterexamples replay.
fn report(model: &Path, search: &str, options: &[&str]) -> Result<Json, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("report.json");
    let (model, path) = (model.to_string_lossy(), path.to_string_lossy());
    let mut arguments =
        vec!["check", model.as_ref(), "--json", "--keep-going", "--search", search, "-o", path.as_ref()];
    arguments.extend(options);
    let run = quotient(&arguments);
    let text = std::fs::read_to_string(path.as_ref()).map_err(|error| format!("no report: {error}\n{}", run.stderr))?;
    let report: Json = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    equal("language", &report["model"]["language"], &Json::from("lpe"))?;
    equal("dialect", &report["model"]["dialect"], &Json::Null)?;
    equal("complete", &report["complete"], &Json::from(true))?;
    let code = match report["verdict"].as_str() {
        Some("holds") => 0,
        Some("violated") => 1,
        _ => 3,
    };
    equal("exit code", &run.code, &Some(code))?;
    let properties = report["properties"].as_array().cloned().unwrap_or_default();
    for property in properties.iter().filter(|property| property["verdict"] == "violated") {
        let name = property["name"].as_str().unwrap_or_default();
        let Run { code, stdout, stderr } = quotient(&["replay", path.as_ref(), "--property", name]);
        if code != Some(0) {
            return Err(format!("the counterexample to `{name}` does not replay: {code:?}\n{stdout}{stderr}"));
        }
    }
    Ok(report)
}

fn fixture(path: &Path, search: &str, treatment: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let head = Head::read(&text)?;
    let mut options: Vec<&str> = head.options.iter().map(String::as_str).collect();
    options.extend(treatment.split(' '));
    let report = report(path, search, &options)?;
    if treatment == "--plain" {
        let counts = [("states", head.states), ("transitions", head.transitions), ("deadlock_states", head.deadlocks)];
        for (name, count) in counts {
            equal(name, &report[name], &count.map_or(report[name].clone(), Json::from))?;
        }
    } else if treatment == PARTIAL_ORDER {
        reduced_counts(&head, &report)?;
    } else {
        quotient_counts(&head, &report)?;
    }
    let properties = report["properties"].as_array().cloned().unwrap_or_default();
    for (name, verdict) in &head.checks {
        let property = properties.iter().find(|property| property["name"] == name.as_str());
        let property = property.ok_or_else(|| format!("`{name}` is not in the report"))?;
        let expected = match (property["kind"].as_str(), verdict.as_str()) {
            (_, "none") => "holds",
            (_, verdict) => verdict,
        };
        equal(name, &property["verdict"], &Json::from(expected))?;
    }
    equal("the number of properties", &properties.len(), &head.checks.len())?;
    let error = properties.iter().find(|property| property["name"] == "error");
    let found = error.and_then(|error| error["message"].as_str()).unwrap_or_default();
    match &head.fault {
        Some(fault) if !found.starts_with(fault.as_str()) => Err(format!("fault: found `{found}`, expected `{fault}`")),
        _ => Ok(()),
    }
}

/// The options with which partial order is the only reduction.
const PARTIAL_ORDER: &str = "--symmetry=none --por=on";

/// The states that partial order leaves are as many as the head says, and no more than all; it keeps every deadlock.
fn reduced_counts(head: &Head, report: &Json) -> Result<(), String> {
    let (states, deadlocks) = (report["states"].as_u64(), &report["deadlock_states"]);
    equal("fewer states", &(head.states.is_none() || states <= head.states), &true)?;
    equal("reduced states", &states, &head.reduced.or(states))?;
    equal("deadlocks", deadlocks, &head.deadlocks.map_or(deadlocks.clone(), Json::from))
}

/// The states of the quotient are as many as the head says, and the sizes of their orbits sum up to all states. Without a group there
/// are all states.
fn quotient_counts(head: &Head, report: &Json) -> Result<(), String> {
    let group = &report["group"];
    if group.is_null() {
        return equal("states", &report["states"], &head.states.map_or(Json::Null, Json::from));
    }
    equal("the sum of the orbits", &report["orbits"]["sum"], &head.states.map_or(Json::Null, Json::from))?;
    let full = head.states.map(|states| Json::from(states.to_string()));
    equal("states without the group", &report["full_states"], &full.unwrap_or_default())?;
    let is_whole = group["order"] == group["model_order"];
    match head.quotient.filter(|_| is_whole) {
        Some(count) => equal("states of the quotient", &report["states"], &Json::from(count)),
        None => Ok(()),
    }
}

/// Runs all cases and fails with one paragraph a failure.
fn all<T: Sync>(cases: &[T], run: impl Fn(&T) -> Result<(), String> + Sync, name: impl Fn(&T) -> String + Sync) {
    let failures: Vec<String> = parallel::map(cases, |case| Some(format!("{}:\n{}", name(case), run(case).err()?)))
        .into_iter()
        .flatten()
        .collect();
    assert!(failures.is_empty(), "{} of {} cases fail\n{}", failures.len(), cases.len(), failures.join("\n"));
}

#[test]
fn every_fixture_is_as_its_head_says() {
    let fixtures = files(&root().join("fixtures/lpe"), &["lpe"], true);
    assert!(fixtures.len() > 35, "only {} fixtures", fixtures.len());
    let treatments = [
        ("bfs", "--plain"),
        ("dfs", "--plain"),
        ("bfs", "--stats"),
        ("dfs", "--stats"),
        ("bfs", PARTIAL_ORDER),
        ("dfs", PARTIAL_ORDER),
    ];
    let cases: Vec<(&Path, (&str, &str))> =
        fixtures.iter().flat_map(|path| treatments.map(|treatment| (path.as_path(), treatment))).collect();
    let run = |&(path, (search, treatment)): &(&Path, (&str, &str))| fixture(path, search, treatment);
    all(&cases, run, |(path, (search, treatment))| format!("{}, {search} {treatment}", path.display()));
}

/// A member of a family: the file, the values of its constants, states, transitions, deadlocks.
type Expected = (&'static str, &'static [&'static str], u64, Option<u64>, Option<u64>);

const EXPECTED: &[Expected] = &[
    ("protocols/token", &[], 512, None, Some(128)),
    ("locks/readers_writers", &[], 22, None, Some(0)),
    ("locks/peterson", &["N=3"], 572, None, Some(0)),
    ("locks/resalloc", &[], 576, None, None),
    ("puzzles/hanoi", &["N=6"], 729, None, None),
    ("locks/milner", &[], 10_240, None, None),
    ("protocols/leader_complete", &[], 4_096, None, None),
    ("protocols/leader_tree", &[], 32_768, None, None),
    ("locks/philosophers", &["N=10"], 154_450, Some(986_430), Some(1)),
    ("protocols/threetier", &[], 7_840, None, None),
    ("protocols/crews", &[], 28 * 28 * 28, None, Some(0)),
    ("protocols/twohop", &["N=3"], 13_824, None, None),
    ("locks/filter", &["N=5"], 264_582, Some(879_430), None),
];

const SLOW: &[Expected] = &[("locks/filter", &["N=6"], 6_698_326, Some(25_789_008), None)];

#[test]
fn families_have_the_expected_counts() {
    let is_slow = std::env::var_os("QUOTIENT_SLOW").is_some_and(|value| value == "1");
    let rows = EXPECTED.iter().chain(SLOW.iter().filter(|_| is_slow));
    let cases: Vec<(&Expected, &str)> = rows.flat_map(|row| ["bfs", "dfs"].map(|search| (row, search))).collect();
    let run = |&(&(file, constants, states, transitions, deadlocks), search): &(&Expected, &str)| {
        let mut options: Vec<&str> = constants.iter().flat_map(|constant| ["-D", constant]).collect();
        options.push("--plain");
        let report = report(&root().join("fixtures/lpe").join(file).with_extension("lpe"), search, &options)?;
        equal("states", &report["states"], &Json::from(states))?;
        for (name, count) in [("transitions", transitions), ("deadlock_states", deadlocks)] {
            equal(name, &report[name], &count.map_or(report[name].clone(), Json::from))?;
        }
        Ok(())
    };
    all(&cases, run, |(row, search)| format!("{} {:?}, {search}", row.0, row.1));
}

/// A member of a family: the file, the values of its constants, the order of its group, orbits, several representatives.
type Member = (&'static str, &'static [&'static str], &'static str, u64, Option<u64>);

/// The members.
const ORBITS: &[Member] = &[
    ("protocols/token", &[], "6", 88, None),
    ("locks/readers_writers", &[], "2", 15, None),
    ("locks/peterson", &["N=3"], "6", 112, None),
    ("locks/resalloc", &[], "24", 111, None),
    ("puzzles/hanoi", &["N=6"], "2", 365, None),
    ("protocols/leader_complete", &["N=12"], "479001600", 13, None),
    ("protocols/leader_tree", &[], "16", 10_368, None),
    ("locks/philosophers", &["N=10"], "10", 15_489, Some(154_450)),
    ("protocols/threetier", &[], "144", 462, Some(7_840)),
    // Multisets of three crews, each closed or open with one of ten multisets of workers.
    ("protocols/crews", &[], "1296", 13 * 12 * 11 / 6, Some(28 * 28 * 28)),
    ("protocols/twohop", &["N=3"], "72", 233, None),
    ("locks/filter", &["N=6"], "720", 13_780, None),
];

#[test]
fn families_have_the_expected_orbits() {
    let run = |&(file, constants, order, orbits, full): &(&str, &[&str], &str, u64, Option<u64>)| {
        let path = root().join("fixtures/lpe").join(file).with_extension("lpe");
        let mut options: Vec<&str> = constants.iter().flat_map(|constant| ["-D", constant]).collect();
        options.extend(["--no-property", "--por", "off"]);
        let found = report(&path, "bfs", &options)?;
        equal("states", &found["states"], &Json::from(orbits))?;
        equal("order", &found["group"]["order"], &Json::from(order))?;
        if full.is_some() {
            options.extend(["--representative", "local-search"]);
            let several = report(&path, "bfs", &options)?;
            let states = several["states"].as_u64();
            let is_between = states >= Some(orbits) && states < full;
            equal("orbits <= several < all", &is_between, &true)?;
            equal("exact", &several["group"]["exact"], &Json::from(false))?;
        }
        Ok(())
    };
    all(ORBITS, run, |row| format!("{} {:?}", row.0, row.1));
}

/// The standard output of a run that ends with an exit code.
fn output(arguments: &[&str], code: i32) -> String {
    let run = quotient(arguments);
    assert_eq!(run.code, Some(code), "{arguments:?}: {run:?}");
    run.stdout
}

#[test]
fn other_commands_take_processes_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = root().join("fixtures/lpe/protocols/token.lpe").to_string_lossy().into_owned();
    let run = folder.path().join("run.json").to_string_lossy().into_owned();
    output(&["simulate", &model, "--json", "--steps", "5", "--seed", "3", "-o", &run], 0);
    assert!(output(&["replay", &run], 0).contains("replays"));
    let text = std::fs::read_to_string(&run).expect("a trace").replace("\"token[0]\": 1", "\"token[0]\": 7");
    std::fs::write(&run, text).expect("a trace");
    output(&["replay", &run], 1);
    let printed = folder.path().join("printed.lpe").to_string_lossy().into_owned();
    output(&["convert", &model, "--to", "text", "-o", &printed], 0);
    let graph = output(&["convert", &printed, "--to", "aut"], 0);
    assert!(graph.starts_with("des (0, 1088, 513)\n"), "{}", graph.lines().next().unwrap_or_default());
    assert!(graph.contains("(0,\"init\",1)\n"));
    assert!(output(&["simulate", &model, "--seed", "1", "--steps", "2"], 0).contains("       token = ["));
    output(&["fmt", "--check", &model], 2);
    output(&["convert", &model, "--to", "communication"], 2);
}

#[test]
fn options_fit_the_language() {
    let fixture = |name: &str| root().join("fixtures/lpe").join(name).to_string_lossy().into_owned();
    let filter = fixture("locks/filter.lpe");
    let code = |options: &[&str]| {
        let run = quotient(&[&["check", filter.as_str(), "-D", "N=3"], options].concat());
        (run.code, run.stderr)
    };
    assert_eq!(code(&[]).0, Some(0));
    assert_eq!(code(&["--name", "Exclusive", "--no-overflow"]).0, Some(0));
    let refused = [
        (vec!["--name", "overflow"], "[E0504]"),
        (vec!["--core", "2.0"], "[E0506]"),
        (vec!["--property", "x.property"], "[E0506]"),
        (vec!["-D", "Size=3"], "[E0510]"),
        (vec!["-D", "N=0"], "[E06"),
        (vec!["--language", "rebeca"], "[E01"),
    ];
    for (options, wanted) in refused {
        let (found, text) = code(&options);
        assert!(found == Some(2) && text.contains(wanted), "{options:?}: {found:?}\n{text}");
    }
    let formulas = fixture("language/formulas.lpe");
    assert!(output(&["check", &formulas], 0).contains("Release     holds"));
    assert!(output(&["check", &formulas, "--no-property"], 0).contains("holds"));
}
