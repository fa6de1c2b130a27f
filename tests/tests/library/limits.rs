//! A limit never looks like an answer: every small fixture under every limit on states and on depth.
//!
//! Without a limit the library reports what there is. Under a limit it says `holds` only when it explored all of that, tells
//! of no violation that is not there, never stores more states than it may, and each counterexample replays. What was
//! found under a limit is found under a later one too; depth-first under a limit on depth this need not be, since a state
//! first met near the limit is not looked at again. A search that puts its states elsewhere reports the same.

use std::path::Path;

use battery::elsewhere::Elsewhere;
use battery::harness::{check, files, messages, options, read_model, read_properties, replays, root};
use battery::{directives::Expectations, parallel};
use checker::{Answer, Control, LimitKind, Limits, Question, Report, SearchOrder, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::model::Model;
use frontend::sequential;

/// Larger state spaces are left out: the work is quadratic.
const MAX_STATES: u64 = 300;

const ORDERS: [SearchOrder; 2] = [SearchOrder::BreadthFirst, SearchOrder::DepthFirst];

/// Processes, under every limit on states.
#[test]
fn limits_of_processes_never_hold() {
    let fixtures = files(&root().join("fixtures/lpe"), &["lpe"], true);
    let results =
        parallel::map(&fixtures, |path| process(path).map_err(|problem| format!("{}: {problem}", path.display())));
    let small = results.iter().filter(|result| matches!(result, Ok(true))).count();
    let failures: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(small > 15, "only {small} fixtures are small enough to prove anything");
}

/// Whether the fixture is small enough to be tested.
fn process(path: &Path) -> Result<bool, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut found = Diagnostics::new();
    let Some(model) = sequential::parse(&text, &sequential::Options::default(), &mut found).model else {
        return Err(messages(&found));
    };
    let query = |max_states| Question {
        keep_going: true,
        properties: model.properties.clone(),
        limits: Limits { max_states: Some(max_states), ..Limits::default() },
        ..Question::default()
    };
    let check = |max_states, control: &mut dyn Control| {
        checker::sequential::check(&model, &query(max_states), control).map_err(|error| error.0)
    };
    let whole = check(MAX_STATES, &mut ())?;
    if whole.states >= MAX_STATES {
        return Ok(false);
    }
    for max_states in 1..=whole.states {
        let (report, elsewhere) = (check(max_states, &mut ())?, check(max_states, &mut Elsewhere)?);
        for report in [&report, &elsewhere] {
            let is_whole = report.complete && report.limit.is_none() && report.states == whole.states;
            if report.verdict == Verdict::Holds && !is_whole {
                return Err(format!("holds at {max_states} of {} states", whole.states));
            }
            if report.states > max_states || report.complete && max_states < whole.states {
                return Err(format!("{} states under a limit of {max_states}", report.states));
            }
        }
        let comparable = |report: &Report<_>| (report.verdict, report.states, report.transitions, report.limit);
        if comparable(&report) != comparable(&elsewhere) {
            return Err(format!(
                "{:?} with states elsewhere, {:?} without",
                comparable(&elsewhere),
                comparable(&report)
            ));
        }
    }
    Ok(true)
}

#[test]
fn limits_never_hold() {
    let fixtures = files(&root().join("fixtures/rebeca"), &["rebeca"], true);
    let results = parallel::map(&fixtures, |path| {
        let name = path.strip_prefix(root()).unwrap_or(path).display().to_string();
        fixture(path).map_err(|problem| format!("{name}: {problem}"))
    });
    let small = results.iter().filter(|result| matches!(result, Ok(true))).count();
    let failures: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(small > 60, "only {small} fixtures are small enough to prove anything");
}

/// Whether the fixture is small enough to be tested.
fn fixture(path: &Path) -> Result<bool, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let expected = Expectations::read(&String::from_utf8_lossy(&bytes))?;
    if Expectations::count(&expected.states, "full").is_some_and(|states| states >= MAX_STATES) {
        return Ok(false);
    }
    let (lowering, mut question) = options(&expected.run)?;
    let (model, found) = read_model(&bytes, &lowering);
    let model = model.ok_or_else(|| messages(&found))?;
    if let Ok(bytes) = std::fs::read(path.with_extension("property")) {
        let (set, found) = read_properties(&bytes, &model);
        question.properties = set.ok_or_else(|| messages(&found))?;
    }
    question.limits.max_states = Some(MAX_STATES);
    for order in ORDERS {
        let whole = check(&model, &question, order, true)?;
        if whole.states >= MAX_STATES {
            return Ok(false);
        }
        limited(&model, &question, order, &whole)?;
        deepened(&model, &question, order, &whole)?;
        not_taken_back(&model, &question, order, &whole)?;
    }
    Ok(true)
}

/// Every limit on states.
fn limited(model: &Model, question: &Question, order: SearchOrder, whole: &Report) -> Result<(), String> {
    let mut before: Vec<String> = Vec::new();
    for max_states in 1..=whole.states {
        let limits = Limits { max_states: Some(max_states), ..Limits::default() };
        let problem = |problem| format!("{order:?}, at most {max_states} states: {problem}");
        let report = under(model, question, order, limits, whole).map_err(problem)?;
        if report.states > max_states {
            return Err(problem(format!("{} states are stored", report.states)));
        }
        if max_states < whole.states && report.limit.is_none_or(|limit| limit.kind != LimitKind::States) {
            return Err(problem(format!("the limit is {:?}", report.limit)));
        }
        before = kept(&before, &report).map_err(problem)?;
    }
    Ok(())
}

/// Every limit on depth.
fn deepened(model: &Model, question: &Question, order: SearchOrder, whole: &Report) -> Result<(), String> {
    let mut before: Vec<String> = Vec::new();
    for max_depth in 0..=whole.depth {
        let limits = Limits { max_depth: Some(max_depth), ..Limits::default() };
        let problem = |problem| format!("{order:?}, depth at most {max_depth}: {problem}");
        let report = under(model, question, order, limits, whole).map_err(problem)?;
        if report.depth > max_depth {
            return Err(problem(format!("a state at depth {}", report.depth)));
        }
        if order == SearchOrder::BreadthFirst {
            before = kept(&before, &report).map_err(problem)?;
        }
    }
    Ok(())
}

/// A report under limits, compared with that of the whole.
fn under(
    model: &Model,
    question: &Question,
    order: SearchOrder,
    limits: Limits,
    whole: &Report,
) -> Result<Report, String> {
    let question = Question { limits, ..question.clone() };
    let report = check(model, &question, order, true)?;
    if report.complete && (report.states, report.transitions) != (whole.states, whole.transitions) {
        return Err(format!("complete with {} of {} states", report.states, whole.states));
    }
    if report.complete && !whole.complete {
        return Err("complete, and without the limit it is not".to_owned());
    }
    let first = check(model, &question, order, false)?;
    for report in [&report, &first] {
        let answers = || report.answers.iter();
        if report.verdict == Verdict::Holds && !(report.complete && report.limit.is_none()) {
            return Err("holds, and was not explored to its end".to_owned());
        }
        if report.verdict == Verdict::Holds && !answers().all(|answer| answer.verdict == Verdict::Holds) {
            return Err("holds, and an answer does not".to_owned());
        }
        // A formula is answered by a run of its own.
        let is_whole = |answer: &Answer| answer.run.as_ref().map_or(report.complete, |run| run.complete);
        let mut holding = answers().filter(|answer| answer.verdict == Verdict::Holds);
        if let Some(answer) = holding.find(|answer| !is_whole(answer) || violated(whole).contains(&answer.name)) {
            return Err(format!("`{}` holds, and not everything was explored, or it is violated", answer.name));
        }
        for name in violated(report) {
            if !violated(whole).contains(&name) {
                return Err(format!("`{name}` is violated, and without the limit it is not"));
            }
        }
        for answer in answers().filter(|answer| answer.verdict == Verdict::Violated) {
            let trace = answer.trace.as_ref().ok_or_else(|| format!("`{}` has no counterexample", answer.name))?;
            replays(model, &question.bounds, trace).map_err(|problem| format!("`{}`: {problem}", answer.name))?;
        }
    }
    let elsewhere = Question { order, keep_going: true, ..question.clone() };
    let elsewhere = checker::check(model, &elsewhere, &mut Elsewhere).map_err(|error| error.0)?;
    let comparable = |report: &Report| {
        let verdicts: Vec<Verdict> = report.answers.iter().map(|answer| answer.verdict).collect();
        (verdicts, report.complete, report.states, report.transitions, report.depth, report.limit)
    };
    if comparable(&elsewhere) != comparable(&report) {
        return Err(format!("{:?} with states elsewhere", comparable(&elsewhere)));
    }
    if first.verdict != report.verdict {
        return Err(format!("{:?} at the first violation, {:?} on the whole", first.verdict, report.verdict));
    }
    Ok(report)
}

fn violated(report: &Report) -> Vec<String> {
    let violated = report.answers.iter().filter(|answer| answer.verdict == Verdict::Violated);
    violated.map(|answer| answer.name.clone()).collect()
}

/// The present violations, which contain all of `before`.
fn kept(before: &[String], report: &Report) -> Result<Vec<String>, String> {
    let now = violated(report);
    match before.iter().find(|name| !now.contains(name)) {
        Some(name) => Err(format!("`{name}` is not violated any more")),
        None => Ok(now),
    }
}

/// With `keep_going`, a violation that is found stays one when a limit ends the search after it.
fn not_taken_back(model: &Model, question: &Question, order: SearchOrder, whole: &Report) -> Result<(), String> {
    let first = check(model, question, order, false)?;
    let max_states = first.states.max(1);
    if first.verdict != Verdict::Violated || max_states >= whole.states {
        return Ok(());
    }
    let limits = Limits { max_states: Some(max_states), ..Limits::default() };
    let report = check(model, &Question { limits, ..question.clone() }, order, true)?;
    if report.verdict != Verdict::Violated || report.complete || report.limit.is_none() {
        return Err(format!("{order:?}: {:?} at the limit behind the violation", report.verdict));
    }
    Ok(())
}
