//! Random models with and without partial order: the same verdicts, the same number of deadlock states, counterexamples that
//! replay, and fewer states in sum.
//!
//! `SEED` is the first seed, `COUNT` how many, as for `random_models`. Every second model is checked for overflow too.

use battery::differential::BOUNDS;
use battery::generate::{model, render};
use battery::harness::{check, check_reduced, messages, read_model, read_properties, replays};
use battery::parallel;
use checker::{Question, Report, SearchOrder, Verdict};
use frontend::lower::LowerOptions;
use frontend::model::PropertySet;

const COUNT: u64 = 1_000;

/// Models with more states are not compared.
const MOST_STATES: u64 = 5_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// States of the whole and of the reduced search; `None` if there are too many.
fn compare(seed: u64) -> Result<Option<(u64, u64)>, String> {
    let spec = model(seed);
    let (model, found) = read_model(render::model(&spec).as_bytes(), &LowerOptions::default());
    let model = model.ok_or_else(|| messages(&found))?;
    let properties = match render::properties(&spec) {
        Some(text) => read_properties(text.as_bytes(), &model).0.ok_or("the properties are refused")?,
        None => PropertySet::default(),
    };
    let mut question = Question { bounds: BOUNDS, properties, overflow: seed.is_multiple_of(2), ..Question::default() };
    question.limits.max_states = Some(MOST_STATES);
    let order = if seed.is_multiple_of(3) { SearchOrder::DepthFirst } else { SearchOrder::BreadthFirst };
    let whole = check(&model, &question, order, true)?;
    if whole.states >= MOST_STATES {
        return Ok(None);
    }
    let reduced = check_reduced(&model, &question, order)?;
    let comparable = |report: &Report| -> Vec<(String, Verdict)> {
        report.answers.iter().map(|answer| (answer.name.clone(), answer.verdict)).collect()
    };
    if comparable(&reduced) != comparable(&whole) || reduced.deadlock_states != whole.deadlock_states {
        let deadlocks = (reduced.deadlock_states, whole.deadlock_states);
        return Err(format!(
            "{:?}, without partial order {:?}; deadlocks {deadlocks:?}",
            comparable(&reduced),
            comparable(&whole)
        ));
    }
    for trace in reduced.answers.iter().filter_map(|answer| answer.trace.as_ref()) {
        replays(&model, &BOUNDS, trace)?;
    }
    if reduced.states > whole.states {
        return Err(format!("{} states, without partial order {}", reduced.states, whole.states));
    }
    Ok(Some((whole.states, reduced.states)))
}

#[test]
fn partial_order_changes_no_verdict() {
    let (first, count) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(COUNT));
    println!("seeds {first} to {}", first + count.saturating_sub(1));
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, |&seed| compare(seed).map_err(|message| format!("seed {seed}: {message}")));
    let mut compared = Vec::new();
    let mut failures = Vec::new();
    for result in results {
        match result {
            Ok(counts) => compared.extend(counts),
            Err(message) => failures.push(message),
        }
    }
    assert!(failures.is_empty(), "{} models disagree:\n{}", failures.len(), failures.join("\n"));
    let sum = |of: fn(&(u64, u64)) -> u64| compared.iter().map(of).sum::<u64>();
    let (whole, reduced) = (sum(|counts| counts.0), sum(|counts| counts.1));
    println!("{} models agree: {whole} states, {reduced} with partial order", compared.len());
    assert!(count < COUNT || compared.len() > 700, "only {} models are small", compared.len());
    assert!(count < COUNT || reduced * 10 < whole * 9, "{whole} states, {reduced} with partial order");
}
