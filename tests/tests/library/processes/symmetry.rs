//! Symmetries of random processes: every proved generator keeps every step, by the reference semantics.

use std::collections::BTreeMap;

use battery::parallel;
use csp::{Literals, Ties, detect_graph_with};
use engine::SparsePermutation;
use frontend::diagnostics::Diagnostics;
use frontend::sequential::interpret::{State, evaluate, initial_states, is_initial, successors};
use frontend::sequential::{Options, Property, Sequential, parse};
use rustc_hash::FxHashMap;
use symmetry::sequential::ValidatedGroup;

use super::generate;

/// The number of processes of a run.
const PROCESSES: u64 = 2_000;
/// Processes with more states are proved, but not explored.
const SMALL: usize = 1_000;

/// Steps with their event and the state afterwards, nothing for a fault; with how often they occur.
type Steps = BTreeMap<(String, Option<State>), usize>;

/// The counters.
#[derive(Clone, Copy, Default, Debug)]
struct Count {
    explored: usize,
    accepted: usize,
    /// Rejected, and no step shows why.
    missed: usize,
    /// Rejected, and rightly.
    refused: usize,
}

/// The reachable states with their steps; nothing if there are too many.
fn explore(model: &Sequential) -> Option<FxHashMap<State, Steps>> {
    let mut found: FxHashMap<State, Steps> = FxHashMap::default();
    let mut stack: Vec<State> = initial_states(model).take(SMALL + 1).collect();
    while let Some(state) = stack.pop() {
        if found.contains_key(&state) {
            continue;
        }
        let mut steps = Steps::new();
        for step in successors(model, &state) {
            let after = step.result.ok();
            stack.extend(after.clone());
            *steps.entry((model.summand(step.summand).event.clone(), after)).or_default() += 1;
        }
        found.insert(state, steps);
        if found.len() > SMALL {
            return None;
        }
    }
    Some(found)
}

/// Whether a permutation keeps initial states, steps and the properties.
fn keeps(
    model: &Sequential,
    properties: &[Property],
    states: &FxHashMap<State, Steps>,
    permutation: &SparsePermutation,
) -> bool {
    let literals = Literals::new(model);
    let image = |state: &State| literals.apply(permutation, state);
    states.iter().all(|(state, steps)| {
        let target = image(state);
        let mut moved = Steps::new();
        for ((event, after), count) in steps {
            *moved.entry((event.clone(), after.as_ref().map(image))).or_default() += count;
        }
        let atoms = properties.iter().flat_map(|property| property.atoms());
        let alike = |expr| {
            let truths = [state, &target].map(|state| evaluate(model, expr, state, &[]).map(|value| value != 0).ok());
            truths[0] == truths[1]
        };
        is_initial(model, state) == is_initial(model, &target)
            && states.get(&target) == Some(&moved)
            && atoms.into_iter().all(alike)
    })
}

fn look(seed: u64) -> Count {
    let text = generate::process(seed);
    let mut sink = Diagnostics::new();
    let model = parse(&text, &Options::default(), &mut sink).model.expect("generated texts are right");
    let states = explore(&model);
    let mut count = Count { explored: usize::from(states.is_some()), ..Count::default() };
    let [names, all] =
        [Ties::Names, Ties::None].map(|ties| detect_graph_with(&model, &[], ties).expect("small").generators);
    for (found, properties) in [(names, &[][..]), (all.clone(), &[]), (all, &model.properties[..])] {
        let group = ValidatedGroup::new(&model, properties, found);
        let Some(states) = &states else { continue };
        for generator in group.generators() {
            assert!(keeps(&model, properties, states, generator), "seed {seed}: {generator:?}\n{text}");
            count.accepted += 1;
        }
        for rejected in group.rejected() {
            match keeps(&model, properties, states, &rejected.permutation) {
                true => count.missed += 1,
                false => count.refused += 1,
            }
        }
    }
    count
}

#[test]
fn proved_symmetries_of_random_processes_keep_every_step() {
    let seeds: Vec<u64> = match std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => vec![seed],
        None => (0..PROCESSES).collect(),
    };
    let counts = parallel::map(&seeds, |&seed| look(seed));
    let sum = |of: fn(&Count) -> usize| counts.iter().map(of).sum::<usize>();
    let (explored, accepted, missed) = (sum(|c| c.explored), sum(|c| c.accepted), sum(|c| c.missed));
    let refused = sum(|c| c.refused);
    println!("{explored} processes explored: {accepted} sound generators accepted, {missed} missed; {refused} refused");
    if seeds.len() > 1 {
        assert!(explored >= 1_000 && accepted >= 1_000 && missed * 20 <= accepted && refused >= 20);
    }
}
