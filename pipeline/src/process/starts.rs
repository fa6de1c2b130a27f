//! The images of the starts of a process under the symmetries of its steps, and the way back from them.
//!
//! Candidates come from the text and from the coloured graph, both without the initial values of what some step writes: a value that
//! nothing writes stays, since no run leads from one such value to another. All images of the starts under the group that they generate are listed, as
//! long as they are few.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use csp::weight::weight;
use csp::{Literals, Ties};
use engine::SparsePermutation;
use frontend::sequential::interpret::{SeqStep, State, initial_states, is_initial, successors};
use frontend::sequential::trace::replay;
use frontend::sequential::{Initial, Property, Sequential, Summand, VariableId};

use symmetry::sequential::{ValidatedGroup, live_values, proved_by_text};

use crate::starts::{WayBack, ended_like};

/// The most starts with all images.
const MOST_STARTS: usize = 1 << 12;
/// The most values of all starts.
const MOST_VALUES: usize = 1 << 18;
/// The most terms of all instances for a graph.
const MOST_TERMS: u64 = 1 << 16;
/// The most steps for the graph and its automorphisms.
const MOST_STEPS: u64 = 1 << 26;

/// The process with all images of its starts; `None` if there are none, or too many.
pub(super) fn with_images(model: &Sequential, properties: &[Property]) -> Option<Sequential> {
    let own: Vec<State> = initial_states(model).take(MOST_STARTS + 1).collect();
    let most = MOST_STARTS.min(MOST_VALUES / model.state_len().max(1));
    if own.len() > most {
        return None;
    }
    let literals = Literals::new(model);
    let by_graph = by_graph(model, properties).unwrap_or_default();
    let by_text = proved_by_text(&anywhere(model, &own), properties);
    let live = live_values(model, properties);
    let is_reached = |element: usize, value: &i32| literals.is_wide(element) || live[element].contains(value);
    // A start with a value that no reachable state has would only bring states of its own.
    let stays = |one: &SparsePermutation| {
        own.iter().all(|state| literals.apply(one, state).iter().enumerate().all(|(at, value)| is_reached(at, value)))
    };
    let by_text = by_text.iter().map(|candidate| candidate.permutation().clone());
    let by_text: Vec<SparsePermutation> = by_text.filter(&stays).collect();
    let by_graph = by_graph.into_iter().filter(&stays);
    let all: Vec<SparsePermutation> = by_text.iter().cloned().chain(by_graph).collect();
    let images = images(&literals, &own, &all, most).or_else(|| images(&literals, &own, &by_text, most))?;
    if images.states.len() == own.len() {
        return None;
    }
    let mut wider = model.clone();
    wider.starts.extend(images.states.into_iter().skip(own.len()));
    Some(wider)
}

/// The process with any initial value where some step may write.
fn anywhere(model: &Sequential, own: &[State]) -> Sequential {
    let mut other = model.clone();
    other.starts.clear();
    let written: BTreeSet<VariableId> = model.summands.iter().flat_map(Summand::assigned).collect();
    for (number, variable) in other.variables.iter_mut().enumerate() {
        let is_same = own.iter().all(|state| {
            let end = variable.offset + model.len_of(variable);
            state[variable.offset..end] == own[0][variable.offset..end]
        });
        let is_written = written.contains(&VariableId::from_index(number));
        if !csp::is_wide(model.domain(variable.sort)) && (is_written || !is_same) {
            variable.initial = Initial::Any;
        }
    }
    other
}

/// Candidates of the graph without initial values of what is written.
fn by_graph(model: &Sequential, properties: &[Property]) -> Option<Vec<SparsePermutation>> {
    if weight(model) > MOST_TERMS {
        return None;
    }
    let draw = || {
        let requested: Vec<&Property> = properties.iter().collect();
        let mut csp = csp::ground::constraints(model, &csp::forms(model), &requested).ok()?;
        csp.starts.clear();
        csp.elements.iter_mut().filter(|one| one.values.len() > 1).for_each(|element| element.initial = None);
        let graph = csp::ColouredGraph::new(model, &csp, Ties::default());
        let found = csp::automorphisms(&graph.graph);
        Some(csp::candidates(model, &csp, &graph, &found))
    };
    limits::at_most(MOST_STEPS, draw).flatten()
}

/// States with a way from the first of them to each other one.
struct Images {
    states: Vec<State>,
    /// For each state behind the first ones the state from which a generator leads to it, and that generator.
    from: Vec<Option<(usize, usize)>>,
}

/// All images of states under the group of these generators; `None` if they are more than `most`.
fn images(literals: &Literals, own: &[State], generators: &[SparsePermutation], most: usize) -> Option<Images> {
    let mut states: Vec<State> = own.to_vec();
    let mut from = vec![None; own.len()];
    let mut known: BTreeMap<State, usize> = own.iter().cloned().zip(0..).collect();
    let mut waiting: VecDeque<usize> = (0..own.len()).collect();
    while let Some(number) = waiting.pop_front() {
        for (place, generator) in generators.iter().enumerate() {
            limits::work(states[number].len() as u64);
            let image = literals.apply(generator, &states[number]);
            if known.contains_key(&image) {
                continue;
            }
            if states.len() == most {
                return None;
            }
            known.insert(image.clone(), states.len());
            waiting.push_back(states.len());
            states.push(image);
            from.push(Some((number, place)));
        }
    }
    assert_eq!(states.len(), from.len(), "every state has a way");
    Some(Images { states, from })
}

/// The way back from a process with further starts; `None` if the group does not lead to all of them, or has no representatives.
pub(super) fn way_back<'m>(
    model: &'m Sequential,
    wider: &Sequential,
    group: &ValidatedGroup,
) -> Option<WayBack<'m, Sequential>> {
    if !checker::sequential::has_representatives(wider, group) {
        return None;
    }
    let own: Vec<State> = initial_states(model).collect();
    let literals = group.literals().clone();
    let images = images(&literals, &own, group.generators(), MOST_STARTS)?;
    let way = |mut number: usize| {
        let mut way = Vec::new();
        while let Some((before, generator)) = images.from[number] {
            way.push(generator);
            number = before;
        }
        way
    };
    // For each further start the inverses of generators, by number, that lead to an own one, in this order.
    let ways: BTreeMap<State, Vec<usize>> =
        (own.len()..images.states.len()).map(|number| (images.states[number].clone(), way(number))).collect();
    // Whatever proposed the starts: each is an own one, or an image of one.
    let is_reached = |state: &State| ways.contains_key(state) || is_initial(model, state);
    if !initial_states(wider).all(|state| is_reached(&state)) {
        return None;
    }
    let inverses: Vec<SparsePermutation> = group.generators().iter().map(SparsePermutation::inverse).collect();
    let leads_back = |(state, from): (&State, &Option<(usize, usize)>)| {
        from.is_none_or(|(before, number)| literals.apply(&inverses[number], state) == images.states[before])
    };
    debug_assert!(images.states.iter().zip(&images.from).all(leads_back), "a further start leads back to an own one");
    Some(Box::new(move |trace| {
        if is_initial(model, &trace.start) {
            return Some(trace.clone());
        }
        let way = ways.get(&trace.start)?;
        let image =
            |state: &State| way.iter().fold(state.clone(), |state, &number| literals.apply(&inverses[number], &state));
        let states: Vec<State> = trace.states().map(image).collect();
        let run = replay(model, &states, None).ok()?;
        ended_like::<Sequential>(run, trace, &|state| successors(model, state), &is_alike)
    }))
}

/// Whether two steps fail with faults of one kind.
fn is_alike(one: &SeqStep, other: &SeqStep) -> bool {
    let kind = |step: &SeqStep| step.result.as_ref().err().map(|fault| std::mem::discriminant(&fault.kind));
    kind(one).is_some() && kind(one) == kind(other)
}
