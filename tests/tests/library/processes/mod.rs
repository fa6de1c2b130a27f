//! Random sequential processes: what the checker counts and finds is what the reference semantics gives.

mod campaign;
mod formulas;
pub(crate) mod generate;
mod symmetry;

use std::collections::{BTreeSet, VecDeque};

use battery::parallel;
use checker::{QueryKind, Question, SearchOrder, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::sequential::interpret::{State, evaluate, initial_states, successors};
use frontend::sequential::trace::{Faulting, replay};
use frontend::sequential::{Options, PropertyKind, Sequential, parse};
use rustc_hash::FxHashSet;

/// Processes with more states are left out.
const SMALL: usize = 3_000;

/// The result of a plain exploration.
#[derive(Default, PartialEq, Debug)]
struct Found {
    states: u64,
    transitions: u64,
    deadlocks: u64,
    faults: u64,
    violated: BTreeSet<String>,
}

/// Explores a process by the reference semantics and a hash map; nothing if it has too many states.
fn explore(model: &Sequential) -> Option<Found> {
    let mut found = Found::default();
    let mut seen: FxHashSet<State> = FxHashSet::default();
    let mut queue: VecDeque<State> = VecDeque::new();
    let mut discover = |state: State, queue: &mut VecDeque<State>| {
        if seen.insert(state.clone()) {
            queue.push_back(state);
        }
        seen.len()
    };
    for state in initial_states(model) {
        if discover(state, &mut queue) > SMALL {
            return None;
        }
    }
    while let Some(state) = queue.pop_front() {
        found.states += 1;
        for property in &model.properties {
            if let PropertyKind::Invariant(condition) = &property.kind
                && evaluate(model, condition, &state, &[]) != Ok(1)
            {
                found.violated.insert(property.name.clone());
            }
        }
        let steps = successors(model, &state);
        found.deadlocks += u64::from(steps.is_empty());
        for step in steps {
            match step.result {
                Ok(next) => {
                    found.transitions += 1;
                    if discover(next, &mut queue) > SMALL {
                        return None;
                    }
                }
                Err(_) => found.faults += 1,
            }
        }
    }
    Some(found)
}

/// Compares both searches with the plain exploration; what that found.
fn compare(seed: u64) -> Option<Found> {
    let text = generate::process(seed);
    let mut sink = Diagnostics::new();
    let model = parse(&text, &Options::default(), &mut sink).model;
    let model = model.unwrap_or_else(|| panic!("seed {seed}: {:#?}\n{text}", sink.list));
    let found = explore(&model)?;
    for order in [SearchOrder::BreadthFirst, SearchOrder::DepthFirst] {
        let question =
            Question { keep_going: true, order, properties: model.properties.clone(), ..Question::default() };
        let report = checker::sequential::check(&model, &question, &mut ());
        let report = report.unwrap_or_else(|error| panic!("seed {seed}: {}\n{text}", error.0));
        let counts = (report.states, report.transitions, report.deadlock_states);
        assert_eq!(counts, (found.states, found.transitions, Some(found.deadlocks)), "seed {seed}\n{text}");
        for answer in &report.answers {
            let violated = match answer.kind {
                QueryKind::Deadlock => found.deadlocks > 0,
                QueryKind::Error => found.faults > 0,
                _ => found.violated.contains(&answer.name),
            };
            assert_eq!(answer.verdict == Verdict::Violated, violated, "seed {seed}, {}\n{text}", answer.name);
            let Some(trace) = &answer.trace else { continue };
            let states: Vec<State> = trace.states().cloned().collect();
            let last =
                trace.stop().map(|(step, _)| Faulting { summand: step.summand, parameters: step.parameters.clone() });
            assert_eq!(replay(&model, &states, last.as_ref()).as_ref(), Ok(trace), "seed {seed}\n{text}");
        }
        let first = checker::sequential::check(&model, &Question { keep_going: false, ..question }, &mut ());
        let first = first.unwrap_or_else(|error| panic!("seed {seed}: {}\n{text}", error.0));
        assert_eq!(first.verdict, report.verdict, "seed {seed}\n{text}");
    }
    Some(found)
}

#[test]
fn random_processes_are_checked_as_the_reference_says() {
    let seeds: Vec<u64> = match std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => vec![seed],
        None => (0..10_000).collect(),
    };
    let found: Vec<Found> = parallel::map(&seeds, |&seed| compare(seed)).into_iter().flatten().collect();
    if seeds.len() == 1 {
        return;
    }
    let count = |predicate: fn(&Found) -> bool| found.iter().filter(|found| predicate(found)).count();
    assert!(found.len() >= 5_000, "only {} processes are small", found.len());
    let kinds = [
        ("many states", count(|found| found.states > 50)),
        ("deadlocks", count(|found| found.deadlocks > 0)),
        ("faults", count(|found| found.faults > 0)),
        ("no faults", count(|found| found.faults == 0)),
        ("violated assertions", count(|found| !found.violated.is_empty())),
    ];
    assert!(kinds.iter().all(|(_, count)| *count >= 500), "{kinds:?} of {}", found.len());
}
