//! Every fixture below `fixtures/rebeca`, in every mode: breadth-first and depth-first, through the library and through the
//! binary; the verdicts and counts of its head, and counterexamples that replay.

use std::path::Path;

use battery::directives::{BUILT_IN, Expectations};
use battery::harness::{self, Run, codes, files, messages, root};
use battery::parallel;
use checker::{Answer, Emptiness, Fairness, Finding, QueryKind, Question, Report, SearchOrder, Verdict};
use frontend::diagnostics::Severity;
use frontend::model::{Model, PropertySet};
use ltl::Properties as _;
use serde_json::Value as Json;

use crate::binary::quotient;

const ORDERS: [(SearchOrder, &str); 2] = [(SearchOrder::BreadthFirst, "bfs"), (SearchOrder::DepthFirst, "dfs")];

/// The fixtures that are checked: `QUOTIENT_SLOW=1` adds the large ones, `QUOTIENT_SLOW=only` leaves out the others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chosen {
    Quick,
    All,
    Slow,
}

impl Chosen {
    fn of_environment() -> Chosen {
        match std::env::var("QUOTIENT_SLOW").as_deref() {
            Ok("1") => Chosen::All,
            Ok("only") => Chosen::Slow,
            _ => Chosen::Quick,
        }
    }
}

#[test]
fn every_fixture_is_as_its_head_says() {
    let only = std::env::var("FIXTURE").unwrap_or_default();
    let mut fixtures = files(&root().join("fixtures/rebeca"), &["rebeca"], true);
    fixtures.retain(|path| path.to_string_lossy().contains(&only));
    assert!(!only.is_empty() || fixtures.len() > 60, "only {} fixtures", fixtures.len());
    let failures: Vec<String> = parallel::map(&fixtures, |path| {
        let problem = fixture(path).err()?;
        Some(format!("{}:\n{problem}\n", path.strip_prefix(root()).unwrap_or(path).display()))
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(failures.is_empty(), "{} of {} fixtures fail\n{}", failures.len(), fixtures.len(), failures.join("\n"));
}

/// A limit on memory is kept to within a tenth, whatever the number of threads.
#[test]
fn limits_on_memory_are_kept() {
    if Chosen::of_environment() == Chosen::Quick {
        return;
    }
    let model = root().join("fixtures/rebeca/load_balancer/lb6_3.rebeca");
    let model = model.to_str().expect("a path of text");
    for (threads, limit) in [("1", 60), ("2", 60), ("4", 60), ("4", 120)] {
        let limited = format!("{limit}M");
        let options = ["--plain", "--json", "--no-spill", "--threads", threads, "--max-memory", &limited];
        let Run { code, stdout, .. } = quotient(&[&["check", model], &options[..]].concat());
        let report: Json = serde_json::from_str(&stdout).expect("a report");
        assert_eq!(
            (code, &report["limit"]["kind"]),
            (Some(3), &Json::from("memory")),
            "{threads} threads, {limit} MiB"
        );
        // Where the system does not show the peak, it is null.
        let Some(peak) = report["peak_memory_bytes"].as_u64() else { return };
        let most = (limit << 20) * 11 / 10;
        assert!(peak <= most, "{threads} threads took {} of {limit} MiB", peak >> 20);
    }
}

fn fixture(path: &Path) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let expected = Expectations::read(&String::from_utf8_lossy(&bytes))?;
    if expected.reject.is_some() || expected.model.is_some() {
        return Err("`reject` and `model` are for fixtures of other folders".to_owned());
    }
    let is_left_out = match Chosen::of_environment() {
        Chosen::Quick => expected.is_slow,
        Chosen::All => false,
        Chosen::Slow => !expected.is_slow,
    };
    if is_left_out {
        return Ok(());
    }
    let (lowering, mut question) = harness::options(&expected.run)?;
    let (model, mut found) = harness::read_model(&bytes, &lowering);
    let model = model.ok_or_else(|| messages(&found))?;
    let properties = path.with_extension("property");
    if properties.is_file() {
        let bytes = std::fs::read(&properties).map_err(|error| error.to_string())?;
        let (set, more) = harness::read_properties(&bytes, &model);
        found.append(more);
        question.properties = set.ok_or_else(|| messages(&found))?;
    }
    let reports = codes(&found, |severity| severity != Severity::Error);
    equal("reports", &reports, &expected.reports.clone().unwrap_or_default())?;
    all_are_checked(&expected, &question.properties)?;
    if !expected.unfair.is_empty() {
        in_mode("library, without fairness", unfair(&model, &question, &expected))?;
    }
    for (order, name) in ORDERS {
        in_mode(&format!("library, {name}"), library(&model, &question, order, &expected))?;
        in_mode(&format!("partial order, {name}"), partial_order(&model, &question, order, &expected))?;
        in_mode(&format!("binary, {name}"), binary(path, name, &expected))?;
    }
    Ok(())
}

/// The verdicts without fairness, by components and by nested search.
fn unfair(model: &Model, question: &Question, expected: &Expectations) -> Result<(), String> {
    for emptiness in [Emptiness::Components, Emptiness::Nested] {
        let question = Question { fairness: Fairness::None, emptiness, ..question.clone() };
        let report = harness::check(model, &question, SearchOrder::BreadthFirst, true)?;
        for (name, verdict) in &expected.unfair {
            let answer = report.answers.iter().find(|answer| answer.name == *name);
            equal(name, &answer.ok_or_else(|| format!("`{name}` is not answered"))?.verdict, verdict)?;
        }
        for trace in report.answers.iter().filter_map(|answer| answer.trace.as_ref()) {
            harness::replays(model, &question.bounds, trace)?;
        }
    }
    Ok(())
}

fn in_mode(mode: &str, result: Result<(), String>) -> Result<(), String> {
    result.map_err(|problem| format!("{mode}: {problem}"))
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}")) }
}

/// Each name that the head mentions exists, and each property of the property file is mentioned.
fn all_are_checked(expected: &Expectations, properties: &PropertySet) -> Result<(), String> {
    let names: Vec<&str> = properties.answered().map(|property| property.name.as_str()).collect();
    let checked: Vec<&str> = expected.checks.iter().map(|(name, _)| name.as_str()).collect();
    if let Some(name) = checked.iter().find(|name| !BUILT_IN.contains(name) && !names.contains(name)) {
        return Err(format!("there is no property `{name}`"));
    }
    match names.iter().find(|name| !checked.contains(name)) {
        Some(name) => Err(format!("nothing is expected of the property `{name}`")),
        None => Ok(()),
    }
}

fn library(model: &Model, question: &Question, order: SearchOrder, expected: &Expectations) -> Result<(), String> {
    let report = harness::check(model, question, order, true)?;
    let count = |counts| Expectations::count(counts, "full");
    equal("states", &report.states, &count(&expected.states).unwrap_or(report.states))?;
    equal("transitions", &report.transitions, &count(&expected.transitions).unwrap_or(report.transitions))?;
    let deadlocks = expected.deadlocks.or(report.deadlock_states);
    equal("deadlocks", &report.deadlock_states, &deadlocks)?;
    for (name, verdict) in &expected.checks {
        let answer = report.answers.iter().find(|answer| answer.name == *name);
        let answer = answer.ok_or_else(|| format!("`{name}` is not answered"))?;
        equal(name, &answer.verdict, verdict)?;
    }
    for answer in &report.answers {
        match (&answer.trace, answer.verdict) {
            (Some(trace), Verdict::Violated) => harness::replays(model, &question.bounds, trace)?,
            (None, Verdict::Violated) => return Err(format!("`{}` has no counterexample", answer.name)),
            (Some(_), _) => return Err(format!("`{}` has a counterexample and is not violated", answer.name)),
            (None, _) => {}
        }
    }
    faults(&report, order, expected)?;
    // A large model that holds would be explored once more to the same end.
    if expected.is_slow && report.verdict == Verdict::Holds {
        return Ok(());
    }
    let first = harness::check(model, question, order, false)?;
    equal("the verdict without --keep-going", &first.verdict, &report.verdict)?;
    if first.verdict == Verdict::Holds {
        let counts = |report: &Report| (report.states, report.transitions, report.complete);
        equal("the counts without --keep-going", &counts(&first), &counts(&report))?;
    }
    Ok(())
}

/// The same verdicts with partial order, as requested and without overflow; the count `reduced` is that without overflow.
fn partial_order(
    model: &Model,
    question: &Question,
    order: SearchOrder,
    expected: &Expectations,
) -> Result<(), String> {
    for overflow in [question.overflow, false] {
        let question = Question { overflow, ..question.clone() };
        let report = harness::check_reduced(model, &question, order)?;
        for (name, verdict) in &expected.checks {
            match report.answers.iter().find(|answer| answer.name == *name) {
                Some(answer) => equal(name, &answer.verdict, verdict)?,
                None if name == "overflow" && !overflow => {}
                None => return Err(format!("`{name}` is not answered")),
            }
        }
        for trace in report.answers.iter().filter_map(|answer| answer.trace.as_ref()) {
            harness::replays(model, &question.bounds, trace)?;
        }
        let most = Expectations::count(&expected.states, "full").unwrap_or(u64::MAX);
        if report.states > most {
            return Err(format!("{} states, more than {most}", report.states));
        }
        let deadlocks = expected.deadlocks.or(report.deadlock_states);
        equal("deadlocks", &report.deadlock_states, &deadlocks)?;
        let reduced = Expectations::count(&expected.states, "reduced").filter(|_| !overflow);
        equal("states", &report.states, &reduced.unwrap_or(report.states))?;
    }
    Ok(())
}

fn faults(report: &Report, order: SearchOrder, expected: &Expectations) -> Result<(), String> {
    let is_fault = |answer: &&Answer| {
        answer.verdict == Verdict::Violated
            && matches!(answer.kind, QueryKind::Overflow | QueryKind::Assertion | QueryKind::Error)
    };
    let violated = report.answers.iter().find(is_fault);
    let Some(wanted) = &expected.fault else { return Ok(()) };
    let answer = violated.ok_or("no fault was found")?;
    let text = match &answer.finding {
        Finding::Fault { text, .. } => text,
        other => return Err(format!("fault: found {other:?}, expected `{wanted}`")),
    };
    if !text.contains(wanted) {
        return Err(format!("fault: found `{text}`, expected `{wanted}`"));
    }
    let steps = answer.trace.as_ref().map(|trace| trace.steps.len());
    if order == SearchOrder::BreadthFirst && expected.steps.is_some() {
        equal("steps", &steps, &expected.steps)?;
    }
    Ok(())
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::Inconclusive => "inconclusive",
    }
}

fn exit_code(verdict: &str) -> i32 {
    match verdict {
        "holds" => 0,
        "violated" => 1,
        _ => 3,
    }
}

fn binary(path: &Path, search: &str, expected: &Expectations) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let report_path = folder.path().join("report.json");
    let (model, report) = (path.to_string_lossy(), report_path.to_string_lossy());
    let mut arguments =
        vec!["check", model.as_ref(), "--plain", "--json", "--keep-going", "--search", search, "-o", report.as_ref()];
    arguments.extend(expected.run.iter().map(String::as_str));
    let run = quotient(&arguments);
    let text = std::fs::read_to_string(&report_path).map_err(|error| format!("no report: {error}\n{}", run.stderr))?;
    let json: Json = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let field = |name: &str| json.get(name).cloned().unwrap_or(Json::Null);
    equal("schema_version", &field("schema_version"), &Json::from(1))?;
    let verdict = field("verdict").as_str().unwrap_or_default().to_owned();
    equal("exit code", &run.code, &Some(exit_code(&verdict)))?;
    for (name, counts) in [("states", &expected.states), ("transitions", &expected.transitions)] {
        if let Some(count) = Expectations::count(counts, "full") {
            equal(name, &field(name), &Json::from(count))?;
        }
    }
    if let Some(deadlocks) = expected.deadlocks {
        equal("deadlock_states", &field("deadlock_states"), &Json::from(deadlocks))?;
    }
    let properties = field("properties").as_array().cloned().unwrap_or_default();
    for (name, verdict) in &expected.checks {
        let property = properties.iter().find(|property| property["name"] == name.as_str());
        let property = property.ok_or_else(|| format!("`{name}` is not in the report"))?;
        equal(name, &property["verdict"], &Json::from(word(*verdict)))?;
    }
    for property in properties.iter().filter(|property| property["verdict"] == "violated") {
        let name = property["name"].as_str().unwrap_or_default();
        let mut arguments = vec!["replay", report.as_ref(), "--property", name];
        arguments.extend(reading_options(&expected.run));
        let Run { code, stdout, stderr } = quotient(&arguments);
        if code != Some(0) {
            return Err(format!("the counterexample to `{name}` does not replay: {code:?}\n{stdout}{stderr}"));
        }
    }
    Ok(())
}

/// The options that say how a model is read: `replay` takes them too.
fn reading_options(run: &[String]) -> impl Iterator<Item = &str> {
    let pairs = run.windows(2).filter(|pair| pair[0] == "-D" || pair[0] == "--core");
    pairs.flat_map(|pair| [pair[0].as_str(), pair[1].as_str()])
}
