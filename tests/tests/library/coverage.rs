//! Coverage: the counts of the searches are those of plain explorations by the reference semantics, on random models and on the fixtures
//! of each language; and what is never executed by the quotients of the line is never executed at all.

use std::collections::{HashSet, VecDeque};
use std::hash::Hash;
use std::path::PathBuf;

use battery::differential::BOUNDS;
use battery::generate as actors;
use battery::harness::{files, messages, read_model, root};
use battery::parallel;
use checker::{Question, Report, SearchOrder, Threads};
use frontend::diagnostics::Diagnostics;
use frontend::interpret::{Activation, Stop, serve};
use frontend::lower::LowerOptions;
use frontend::model::Model;
use frontend::murphi::program::Program;
use frontend::parts::{Mark, Parts};
use frontend::sequential::interpret::SeqStep;
use frontend::sequential::{Options, Sequential};
use pipeline::coverage::Kept;
use pipeline::{Language, Plan};

use crate::processes::generate;

/// Larger models are left out.
const SMALL: usize = 2_000;

/// Random models of each language.
const COUNT: u64 = 200;

/// The states from some starts on, each with the parts that its steps execute; nothing if there are too many or a limit ends a step.
fn counts<S: Clone + Eq + Hash>(
    parts: usize,
    starts: Vec<S>,
    steps: impl Fn(&S) -> Option<(Vec<usize>, Vec<S>)>,
) -> Option<Vec<u64>> {
    let (mut counts, mut seen) = (vec![0; parts], HashSet::new());
    let mut queue: VecDeque<S> = VecDeque::new();
    for start in starts {
        if seen.insert(start.clone()) {
            queue.push_back(start);
        }
    }
    while let Some(state) = queue.pop_front() {
        if seen.len() > SMALL {
            return None;
        }
        let (executed, successors) = steps(&state)?;
        executed.into_iter().for_each(|part| counts[part] += 1);
        for next in successors {
            if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    Some(counts)
}

/// The parts that a step executes: one of its own, and those inside.
fn executed(parts: &Parts, own: usize, marks: &[Mark]) -> Vec<usize> {
    let mut all = vec![own];
    all.extend(parts.numbers(marks).map(|part| part as usize));
    all.sort_unstable();
    all.dedup();
    all
}

fn of_actors(model: &Model) -> Option<Vec<u64>> {
    let parts = model.parts();
    let first: Vec<usize> = model
        .classes
        .iter()
        .scan(0, |sum, class| {
            *sum += class.servers.len();
            Some(*sum - class.servers.len())
        })
        .collect();
    let mut initial = Vec::new();
    for start in frontend::interpret::starts(model, &BOUNDS) {
        match start.result {
            Ok(state) => initial.push(state),
            Err((_, Stop::Fault(_))) => {}
            Err((_, Stop::Limit(_))) => return None,
        }
    }
    counts(parts.list.len(), initial, |state| {
        let served = |rebec| {
            let (actor, message) = (state.rebec(rebec)?, state.rebec(rebec)?.queue.front()?);
            let (features, values, heap) = (&state.features, &actor.values, &state.heap(model));
            let served = serve(&Activation { model, bounds: &BOUNDS, features, rebec, values, heap, message });
            let server = first[model.class_of(rebec).index()] + message.server.index();
            Some(executed(&parts, server, &served.marks))
        };
        let executed = state.enabled().filter_map(served).flatten().collect();
        let steps = frontend::interpret::successors(model, &BOUNDS, state);
        if steps.iter().any(|step| matches!(step.result, Err(Stop::Limit(_)))) {
            return None;
        }
        Some((executed, steps.into_iter().filter_map(|step| step.result.ok()).collect()))
    })
}

fn of_process(model: &Sequential) -> Option<Vec<u64>> {
    let starts = frontend::sequential::interpret::initial_states(model).take(SMALL + 1).collect();
    let parts = model.parts();
    counts(parts.list.len(), starts, |state| {
        let steps = frontend::sequential::interpret::successors(model, state);
        let of = |step: &SeqStep| {
            let (mut all, mut before) = (Vec::new(), state);
            for part in if step.parts.is_empty() { std::slice::from_ref(step) } else { &step.parts } {
                let marks = frontend::sequential::interpret::marks(model, before, part.summand, &part.parameters);
                all.extend(executed(&parts, part.summand.index(), &marks));
                before = part.result.as_ref().unwrap_or(before);
            }
            all
        };
        let executed = steps.iter().flat_map(of).collect();
        Some((executed, steps.into_iter().filter_map(|step| step.result.ok()).collect()))
    })
}

fn of_murphi(program: &Program) -> Option<Vec<u64>> {
    let starts = frontend::murphi::interpret::starts(program).into_iter().filter_map(|start| start.result.ok());
    let parts = program.parts();
    counts(parts.list.len(), starts.collect(), |state| {
        let steps = frontend::murphi::interpret::successors(program, state);
        let executed = steps.iter().flat_map(|step| executed(&parts, step.rule.index(), &step.marks)).collect();
        Some((executed, steps.into_iter().filter_map(|step| step.result.ok()).collect()))
    })
}

/// A question that explores everything.
fn everything<P: Default>() -> Question<P> {
    Question { keep_going: true, bounds: BOUNDS, ..Question::default() }
}

/// Compares plain searches in both orders and on several threads with the counts; with turns, steps inside of a step are counted as often
/// as they are followed, and only what is executed is compared.
fn compare<L: Language>(model: &L, expected: &[u64], is_exact: bool) -> Result<(), String> {
    let ways = [
        (SearchOrder::BreadthFirst, Threads::default()),
        (SearchOrder::DepthFirst, Threads::default()),
        (SearchOrder::BreadthFirst, Threads { most: 3, from: 1 }),
    ];
    for (order, threads) in ways {
        let question = Question { order, threads, ..everything() };
        let report = model.check(&question, checker::Reductions::default(), &mut ()).map_err(|error| error.0)?;
        let Some(found) = report.executed else { return Err(format!("{order:?}: nothing is counted")) };
        let found: Vec<u64> = found.into_iter().map(|count| count.expect("known without a quotient")).collect();
        let is_same = found.iter().zip(expected).all(|(found, expected)| (*found > 0) == (*expected > 0));
        if is_exact && found != expected || !is_same {
            return Err(format!("{order:?}, {threads:?}: {found:?}, not {expected:?}"));
        }
    }
    Ok(())
}

/// Compares the line with all reductions; whether it says what is executed, in a quotient.
fn compare_reduced<L: Language>(model: &L, expected: &[u64]) -> Result<bool, String> {
    let report: Report<_> =
        pipeline::check(model, &everything(), &Plan::default(), &mut ()).map_err(|error| format!("{error:?}"))?;
    let Some(found) = report.executed else { return Ok(false) };
    let is_right = |(found, &expected): (&Option<u64>, &u64)| found.is_none_or(|found| (found > 0) == (expected > 0));
    let is_same = found.len() == expected.len() && found.iter().zip(expected).all(is_right);
    if is_same { Ok(report.group.is_some()) } else { Err(format!("reduced: {found:?}, not {expected:?}")) }
}

fn both<L: Language>(model: &L, expected: Option<Vec<u64>>, is_exact: bool) -> Result<Option<bool>, String> {
    let Some(expected) = expected else { return Ok(None) };
    compare(model, &expected, is_exact)?;
    compare_reduced(model, &expected).map(Some)
}

fn actor(text: &str) -> Result<Option<bool>, String> {
    let (model, found) = read_model(text.as_bytes(), &LowerOptions::default());
    let model = model.ok_or_else(|| messages(&found))?;
    both(&model, of_actors(&model), true)
}

fn process(
    text: &str,
    parse: fn(&str, &Options, &mut Diagnostics) -> frontend::sequential::Parsed,
) -> Result<Option<bool>, String> {
    let Some(model) = parse(text, &Options::default(), &mut Diagnostics::new()).model else { return Ok(None) };
    let is_plain = model.turn().is_none() && model.room.is_none();
    if model.room.is_some() {
        // The search is incomplete where there is no room, and says nothing.
        return Ok(None);
    }
    both(&model, of_process(&model), is_plain)
}

fn of_text(text: &str) -> Result<Option<bool>, String> {
    let options = frontend::murphi::Options::default();
    let Some(program) = frontend::murphi::parse(text, &options, &mut Diagnostics::new()).program else {
        return Ok(None);
    };
    both(&program, of_murphi(&program), true)
}

/// The models that were compared, and those of them whose quotient says what is executed.
fn run(cases: &[String], each: impl Fn(&str) -> Result<Option<bool>, String> + Sync) -> (usize, usize) {
    let results = parallel::map(cases, |text| each(text).map_err(|problem| format!("{problem}\n{text}")));
    let mut failures = Vec::new();
    let (mut compared, mut reduced) = (0, 0);
    for result in results {
        match result {
            Ok(found) => {
                compared += usize::from(found.is_some());
                reduced += usize::from(found == Some(true));
            }
            Err(failure) => failures.push(failure),
        }
    }
    assert!(failures.is_empty(), "{} of {} fail\n{}", failures.len(), cases.len(), failures[0]);
    (compared, reduced)
}

fn texts(folder: &str, extension: &str) -> Vec<String> {
    let paths: Vec<PathBuf> = files(&root().join("fixtures").join(folder), &[extension], true);
    paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

#[test]
fn counts_of_random_models_are_those_of_the_reference() {
    let models: Vec<String> = (0..COUNT).map(|seed| actors::render::model(&actors::model(seed))).collect();
    let (compared, _) = run(&models, actor);
    assert!(compared > 100, "{compared} models");
}

#[test]
fn counts_of_random_processes_are_those_of_the_reference() {
    let processes: Vec<String> = (0..COUNT).map(generate::process).collect();
    let (compared, reduced) = run(&processes, |text| process(text, frontend::sequential::parse));
    assert!(compared > 100 && reduced > 5, "{compared} processes, {reduced} quotients");
}

#[test]
fn counts_of_random_murphi_models_are_those_of_the_reference() {
    let models: Vec<String> = (0..COUNT).map(|seed| crate::murphi::text(seed, 2)).collect();
    let (compared, _) = run(&models, of_text);
    assert!(compared > 100, "{compared} models");
}

#[test]
fn counts_of_fixtures_are_those_of_the_reference() {
    let sequential = |text: &str| process(text, frontend::sequential::parse);
    let (rebeca, of_rebeca) = run(&texts("rebeca", "rebeca"), actor);
    assert!(rebeca > 10 && of_rebeca > 3, "{rebeca} {of_rebeca}");
    let (lpe, of_lpe) = run(&texts("lpe", "lpe"), sequential);
    let (dve, _) = run(&texts("dve", "dve"), |text| process(text, frontend::dve::parse));
    let (promela, _) = run(&texts("promela", "pml"), |text| process(text, frontend::promela::parse));
    assert!(lpe > 10 && of_lpe > 3 && dve > 5 && promela > 5, "{lpe} {of_lpe} {dve} {promela}");
    let (murphi, of_murphi_quotients) = run(&texts("murphi", "m"), of_text);
    assert!(murphi > 10 && of_murphi_quotients > 2, "{murphi} {of_murphi_quotients}");
}

/// A quotient by an exchange of summands does not execute one of them: the line says nothing there.
#[test]
fn an_exchange_of_summands_says_nothing() {
    let text = std::fs::read_to_string(root().join("fixtures/lpe/coverage/exchanged.lpe")).expect("a fixture");
    let model =
        frontend::sequential::parse(&text, &Options::default(), &mut Diagnostics::new()).model.expect("a model");
    let expected = of_process(&model).expect("small");
    assert!(!expected.contains(&0), "each summand is executed");
    let detected = pipeline::line::detect(&model, &Vec::new(), symmetry::Strategy::Constraint);
    let group = detected.unwrap_or_else(|_| panic!("a group")).group;
    assert_eq!(group.order(), 2u32.into());
    let quotient =
        checker::Quotient { group: &group, representative: checker::Representative::Auto, counts_orbits: false };
    let reductions = checker::Reductions { quotient: Some(quotient), ..checker::Reductions::default() };
    let direct = Language::check(&model, &everything(), reductions, &mut ()).expect("a report").executed;
    let direct = direct.expect("it is complete");
    assert!(direct.contains(&Some(0)), "a summand that the representatives do not execute: {direct:?}");
    let counts: Vec<u64> = direct.into_iter().flatten().collect();
    assert_eq!(model.kept_parts(&group, &counts), Kept::Nothing);
    let report = pipeline::check(&model, &everything(), &Plan::default(), &mut ()).expect("a report");
    assert!(report.group.is_some() && report.executed.is_none());
}
