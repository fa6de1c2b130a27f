//! The slow and obvious check of a permutation: every step of every state, with the reference semantics only.

use std::collections::BTreeMap;

use engine::SparsePermutation;
use frontend::sequential::interpret::{State, evaluate, initial_states, is_initial, successors};
use frontend::sequential::{Expr, Property, Sequential};
use rustc_hash::FxHashMap;

use csp::Literals;

/// Steps with their event and the state afterwards (`None` for a fault), and the number of their occurrences.
pub(super) type Steps = BTreeMap<(String, Option<State>), usize>;

/// The steps of a state.
pub(super) fn steps(model: &Sequential, state: &State) -> Steps {
    let mut steps = Steps::new();
    for step in successors(model, state) {
        let event = model.summand(step.summand).event.clone();
        *steps.entry((event, step.result.ok())).or_default() += 1;
    }
    steps
}

/// The reachable states with their steps; `None` if there are more than `most`.
pub(super) fn reachable(model: &Sequential, most: usize) -> Option<FxHashMap<State, Steps>> {
    let mut found: FxHashMap<State, Steps> = FxHashMap::default();
    let mut stack: Vec<State> = initial_states(model).take(most + 1).collect();
    while let Some(state) = stack.pop() {
        if found.contains_key(&state) {
            continue;
        }
        let steps = steps(model, &state);
        stack.extend(steps.keys().filter_map(|(_, after)| after.clone()));
        found.insert(state, steps);
        if found.len() > most {
            return None;
        }
    }
    Some(found)
}

/// All states with these values, with their steps; `None` if there are more than `most`.
pub(super) fn all(model: &Sequential, live: &[Vec<i32>], most: usize) -> Option<FxHashMap<State, Steps>> {
    let count = live.iter().try_fold(1usize, |count, values| count.checked_mul(values.len()))?;
    if count > most {
        return None;
    }
    let mut states: Vec<State> = vec![Vec::new()];
    for values in live {
        let longer = states.iter().flat_map(|state| values.iter().map(|&value| [&state[..], &[value]].concat()));
        states = longer.collect();
    }
    Some(states.into_iter().map(|state| (state.clone(), steps(model, &state))).collect())
}

/// The atoms of properties.
fn atoms(properties: &[Property]) -> Vec<&Expr> {
    properties.iter().flat_map(Property::atoms).collect()
}

/// The reason why a permutation is no symmetry of these states; `None` if it is one.
pub(super) fn broken(
    model: &Sequential,
    properties: &[Property],
    states: &FxHashMap<State, Steps>,
    permutation: &SparsePermutation,
) -> Option<String> {
    let literals = Literals::new(model);
    let image = |state: &State| literals.apply(permutation, state);
    for (state, steps) in states {
        let target = image(state);
        if is_initial(model, state) != is_initial(model, &target) {
            return Some(format!("one of {state:?} and {target:?} is initial"));
        }
        let mut moved = Steps::new();
        for ((event, after), count) in steps {
            *moved.entry((event.clone(), after.as_ref().map(image))).or_default() += count;
        }
        if states.get(&target) != Some(&moved) {
            return Some(format!("{state:?} goes to {target:?}, its steps do not"));
        }
        for expr in atoms(properties) {
            let truths = [state, &target].map(|state| evaluate(model, expr, state, &[]).map(|value| value != 0).ok());
            if truths[0] != truths[1] {
                return Some(format!("an atom differs on {state:?} and {target:?}"));
            }
        }
    }
    None
}
