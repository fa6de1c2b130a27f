//! Searches on two and three threads find what a search on one does: verdicts, counts and traces of every fixture, of random
//! models in both languages and of quotients by the groups that are found.
//!
//! A search is shared out from the first states on, which no user does, so that small models are shared out too.

use std::fmt::Debug;
use std::path::Path;

use battery::differential::BOUNDS;
use battery::directives::Expectations;
use battery::generate as actors;
use battery::harness::{files, messages, options, read_model, read_properties, root};
use battery::parallel;
use checker::{Question, Quotient, Reductions, Report, Representative, Threads};
use frontend::diagnostics::Diagnostics;
use frontend::lower::LowerOptions;
use frontend::model::{Model, PropertySet};
use frontend::sequential::{Options, Sequential, parse};
use symmetry::{Strategy::ScalarSet, ValidatedGroup};

use crate::processes::generate;

/// Larger searches end here, in the same state.
const MOST_STATES: u64 = 3_000;

/// Random models of each language.
const COUNT: u64 = 150;

/// Everything but the time and the threads.
fn comparable<T: Debug + Clone>(report: &Report<T>) -> String {
    let mut report = Report { seconds: 0.0, threads: 1, ..report.clone() };
    report.answers.iter_mut().filter_map(|answer| answer.run.as_mut()).for_each(|run| run.seconds = 0.0);
    format!("{report:?}")
}

/// Compares one thread with several; whether the search was shared out.
fn same<T: Debug + Clone>(run: impl Fn(Threads) -> Result<Report<T>, String>) -> Result<bool, String> {
    let one = comparable(&run(Threads { most: 1, from: 1 })?);
    let mut is_shared = false;
    for threads in [Threads { most: 2, from: 1 }, Threads { most: 3, from: 4 }] {
        let several = run(threads)?;
        is_shared |= several.threads > 1;
        let several = comparable(&several);
        if several != one {
            let line = several.lines().zip(one.lines()).find(|(several, one)| several != one);
            return Err(format!("{threads:?} and one thread differ: {line:?}"));
        }
    }
    Ok(is_shared)
}

/// Compares a model plain, by partial order, and in its quotient; how many of these were shared out.
fn actor(model: &Model, question: &Question) -> Result<usize, String> {
    let mut shared = 0;
    let group = ValidatedGroup::new(model, &question.properties, ScalarSet.candidates(model));
    let quotient = Quotient { group: &group, representative: Representative::Auto, counts_orbits: false };
    let quotient = (group.order() > 1u32.into()).then_some(quotient);
    for (quotient, partial_order) in [(None, false), (None, true), (quotient, false), (quotient, true)] {
        let reductions = Reductions { quotient, partial_order, ..Reductions::default() };
        for keep_going in [true, false] {
            let overflow = question.overflow && !partial_order;
            shared += usize::from(same(|threads| {
                let question = Question { keep_going, overflow, threads, ..question.clone() };
                checker::check_reduced(model, &question, reductions, &mut ()).map_err(|error| error.0)
            })?);
        }
    }
    Ok(shared)
}

fn process(model: &Sequential) -> Result<usize, String> {
    let mut shared = 0;
    for keep_going in [true, false] {
        shared += usize::from(same(|threads| {
            let mut question =
                Question { keep_going, threads, properties: model.properties.clone(), ..Question::default() };
            question.limits.max_states = Some(MOST_STATES);
            checker::sequential::check(model, &question, &mut ()).map_err(|error| error.0)
        })?);
    }
    Ok(shared)
}

fn fixture(path: &Path) -> Result<usize, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if path.extension().is_some_and(|extension| extension == "lpe") {
        let mut found = Diagnostics::new();
        return parse(&text, &Options::default(), &mut found).model.map_or(Ok(0), |model| process(&model));
    }
    let expected = Expectations::read(&text)?;
    let (lowering, mut question) = options(&expected.run)?;
    let (model, found) = read_model(&bytes, &lowering);
    let model = model.ok_or_else(|| messages(&found))?;
    if let Ok(bytes) = std::fs::read(path.with_extension("property")) {
        let (set, found) = read_properties(&bytes, &model);
        question.properties = set.ok_or_else(|| messages(&found))?;
    }
    question.limits.max_states = Some(question.limits.max_states.unwrap_or(MOST_STATES).min(MOST_STATES));
    actor(&model, &question)
}

fn random(seed: u64) -> Result<usize, String> {
    let spec = actors::model(seed);
    let (model, found) = read_model(actors::render::model(&spec).as_bytes(), &LowerOptions::default());
    let model = model.ok_or_else(|| messages(&found))?;
    let properties = match actors::render::properties(&spec) {
        Some(text) => read_properties(text.as_bytes(), &model).0.ok_or("the properties are refused")?,
        None => PropertySet::default(),
    };
    let mut question = Question { bounds: BOUNDS, properties, ..Question::default() };
    question.limits.max_states = Some(MOST_STATES);
    actor(&model, &question)
}

fn random_process(seed: u64) -> Result<usize, String> {
    let mut found = Diagnostics::new();
    let model = parse(&generate::process(seed), &Options::default(), &mut found).model;
    process(&model.ok_or_else(|| messages(&found))?)
}

/// All cases must agree, and so many of their searches must have been shared out.
fn all<T: Sync>(
    cases: &[T],
    name: impl Fn(&T) -> String + Sync,
    run: impl Fn(&T) -> Result<usize, String> + Sync,
) -> usize {
    let results = parallel::map(cases, |case| run(case).map_err(|problem| format!("{}: {problem}", name(case))));
    let failures: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    let shared = results.iter().flatten().sum();
    println!("{} cases, {shared} searches shared out", cases.len());
    shared
}

#[test]
fn fixtures_are_the_same_on_several_threads() {
    let mut fixtures = files(&root().join("fixtures/rebeca"), &["rebeca"], true);
    fixtures.extend(files(&root().join("fixtures/lpe"), &["lpe"], true));
    let shared = all(&fixtures, |path| path.display().to_string(), |path| fixture(path));
    assert!(shared > 300, "only {shared}");
}

#[test]
fn random_models_are_the_same_on_several_threads() {
    let seeds: Vec<u64> = (40_000..40_000 + COUNT).collect();
    let shared = all(&seeds, |seed| format!("seed {seed}"), |&seed| random(seed));
    assert!(shared > 200, "only {shared}");
    let shared = all(&seeds, |seed| format!("process {seed}"), |&seed| random_process(seed));
    assert!(shared > 100, "only {shared}");
}
