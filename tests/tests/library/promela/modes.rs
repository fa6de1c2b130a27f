//! Random models through the whole line: the verdicts with reductions, in many combinations, are those without any, and violations are runs of the model.

use battery::parallel;
use battery::random::Rng;
use checker::{Fairness, Limits, Question, ReductionKind, Report, SearchOrder, Threads, Verdict};
use frontend::sequential::interpret::is_initial;
use frontend::sequential::trace::replay;
use frontend::sequential::{Property, Sequential};
use pipeline::{Plan, Slicing, Trace};

use super::generate::model;
use super::{MOST_STATES, number, read, seeds};

/// The models of a run.
const COUNT: u64 = 40;

/// The kinds of reductions that are counted.
const KINDS: [ReductionKind; 3] = [ReductionKind::Symmetry, ReductionKind::PartialOrder, ReductionKind::Slicing];

type Ask = Question<Vec<Property>>;

fn plain() -> Plan {
    Plan { symmetry: None, slicing: Slicing::Off, dead_values: false, partial_order: false, ..Plan::default() }
}

/// The ways to check a model beside the one without reductions.
fn ways(question: &Ask) -> Vec<(&'static str, Plan, Ask)> {
    let way = |name, plan| (name, plan, question.clone());
    let symmetric = || Plan { symmetry: Plan::default().symmetry, ..plain() };
    vec![
        way("as options default", Plan::default()),
        way("symmetry", symmetric()),
        way("symmetry and orbits", Plan { counts_orbits: true, ..symmetric() }),
        way("partial order", Plan { partial_order: true, ..plain() }),
        way("slices", Plan { slicing: Slicing::Auto, ..plain() }),
        way("forgotten values", Plan { dead_values: true, ..plain() }),
        ("depth first", Plan::default(), Ask { order: SearchOrder::DepthFirst, ..question.clone() }),
        ("two threads", plain(), Ask { threads: Threads { most: 2, from: 1 }, ..question.clone() }),
        ("until all is decided", Plan::default(), Ask { until_decided: true, ..question.clone() }),
        ("to the first violation", Plan::default(), Ask { keep_going: false, ..question.clone() }),
    ]
}

/// Whether what a way says is right, where the search without reductions explored everything.
fn agrees(whole: &Report<Trace<Sequential>>, question: &Ask, report: &Report<Trace<Sequential>>) -> Result<(), String> {
    for (right, found) in whole.answers.iter().zip(&report.answers) {
        let is_open = !question.keep_going && found.verdict == Verdict::Inconclusive;
        if right.name != found.name || right.verdict != found.verdict && !is_open {
            return Err(format!("{}: {:?}, not {:?}", right.name, found.verdict, right.verdict));
        }
    }
    if whole.answers.len() != report.answers.len() || whole.verdict != report.verdict {
        return Err(format!("{:?}, not {:?}", report.verdict, whole.verdict));
    }
    if let Some(full) = report.full().filter(|_| question.keep_going && report.complete)
        && full.states != whole.states.to_string()
    {
        return Err(format!("{} states in all orbits, not {}", full.states, whole.states));
    }
    Ok(())
}

/// Checks a model in some ways; how often each reduction was applied.
fn compare(model: &Sequential, rng: &mut Rng) -> Result<[usize; KINDS.len()], String> {
    let fairness = if rng.chance(25) { Fairness::Weak } else { Fairness::None };
    let limits = Limits { max_states: Some(MOST_STATES), ..Limits::default() };
    // Fewer questions leave more to reduce.
    let properties = model.properties.iter().filter(|_| rng.chance(60)).cloned().collect();
    let (deadlock, faults) = (rng.chance(60), rng.chance(60));
    let question = Ask { properties, deadlock, faults, limits, fairness, keep_going: true, ..Ask::default() };
    let check = |plan: &Plan, question: &Ask| {
        pipeline::check(model, question, plan, &mut ()).map_err(|error| format!("{error:?}"))
    };
    let mut counts = [0; KINDS.len()];
    let whole = check(&plain(), &question)?;
    if !whole.complete {
        return Ok(counts);
    }
    for (name, plan, question) in ways(&question) {
        let report = check(&plan, &question).map_err(|error| format!("{name}: {error}"))?;
        agrees(&whole, &question, &report).map_err(|problem| format!("{name}: {problem}"))?;
        for (count, kind) in counts.iter_mut().zip(KINDS) {
            *count += usize::from(report.reductions.iter().any(|one| one.kind == kind && one.is_applied()));
        }
        for answer in &report.answers {
            let is_run = |trace: &Trace<Sequential>| {
                let states: Vec<_> = trace.states().cloned().collect();
                is_initial(model, &trace.start) && replay(model, &states, None).is_ok()
            };
            if answer.trace.as_ref().is_some_and(|trace| !is_run(trace)) {
                return Err(format!("{name}: no run violates {}", answer.name));
            }
        }
    }
    Ok(counts)
}

#[test]
fn reductions_do_not_change_verdicts() {
    let seeds = seeds(1, COUNT);
    let results = parallel::map(&seeds, |&seed| {
        let text = model(seed).text;
        compare(&read(&text), &mut Rng::new(seed)).map_err(|problem| format!("seed {seed}: {problem}\n{text}"))
    });
    let failures: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    failures.iter().for_each(|failure| println!("{failure}"));
    assert!(failures.is_empty(), "{} of {} fail\n{}", failures.len(), seeds.len(), failures[0]);
    let counts: Vec<usize> =
        (0..KINDS.len()).map(|at| results.iter().flatten().map(|counts| counts[at]).sum()).collect();
    println!("{} models, reductions applied: {counts:?} of {KINDS:?}", seeds.len());
    assert!(number("COUNT").is_some() || counts.iter().all(|&count| count > 0), "{counts:?}");
}
