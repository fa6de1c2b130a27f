//! The construction of a run from a component without debts: a stem and a cycle.
//!
//! The stem is a shortest path of visited nodes to the component. The cycle continues from there, repeatedly by a
//! shortest path inside the component, to an edge or a state that pays a remaining debt, and in the end back.
//!
//! Soundness: no argument is needed. The reference semantics replays the run, and the judges decide whether it
//! violates the formula and is fair.
//!
//! Complexity: a breadth-first search of the visited nodes, and of the component for each debt.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use bitvec::vec::BitVec;
use rustc_hash::FxHashMap;

use super::product::{Product, Step};
use super::runs::{Lasso, NOBODY, Runs};
use ltl::Bits;

/// The step to a node: the process that moves, and the noted conditions that hold inside of it.
#[derive(Clone, Copy)]
struct Via {
    mover: u32,
    inside: Bits,
}

impl Via {
    /// No step.
    const START: Via = Via { mover: NOBODY, inside: 0 };

    fn of(step: &Step) -> Via {
        Via { mover: step.mover, inside: step.inside }
    }
}

/// A path: each node with the step to it.
type Path = Vec<(u32, Via)>;

/// Nodes that were reached, each with the one before it and the step from there.
type Reached = FxHashMap<u32, (u32, Via)>;

/// The run that ends in a cycle through a component.
pub(super) fn lasso<S: Runs>(product: &mut Product<'_, '_, S>, nodes: &[u32], fair: bool) -> Option<Lasso> {
    let mut members: BitVec = BitVec::repeat(false, product.len());
    nodes.iter().for_each(|&node| members.set(node as usize, true));
    assert!(!nodes.is_empty(), "a component has a node");
    let stem = stem(product, |node| members[node as usize])?;
    let &(start, _) = stem.last()?;
    let cycle = cycle(product, &members, start, fair)?;
    Some(to_lasso(product, stem, cycle))
}

/// The run that ends in a cycle of visited nodes through a node.
pub(super) fn through<S: Runs>(product: &mut Product<'_, '_, S>, node: u32) -> Option<Lasso> {
    let members: BitVec = BitVec::repeat(true, product.len());
    let stem = stem(product, |other| other == node)?;
    let cycle = home(product, &members, node, node)?;
    Some(to_lasso(product, stem, cycle))
}

/// The states from an initial one to that of a node, along visited nodes.
pub(super) fn path<S: Runs>(product: &mut Product<'_, '_, S>, node: u32) -> Option<Vec<u32>> {
    let mut states: Vec<u32> =
        stem(product, |other| other == node)?.into_iter().map(|(node, _)| product.state(node)).collect();
    if product.has_ended(node) {
        states.dedup();
    }
    Some(states)
}

/// A shortest path from a start of a run to a wanted node.
fn stem<S: Runs>(product: &mut Product<'_, '_, S>, is_wanted: impl Fn(u32) -> bool) -> Option<Path> {
    let places = product.starts();
    let initial = product.search.space.store().initial();
    let starts = (0..initial).flat_map(|state| places.iter().map(move |&place| (state, place)));
    let starts: Vec<u32> = starts.filter_map(|(state, place)| product.known(state, place)).collect();
    if let Some(&start) = starts.iter().find(|&&start| is_wanted(start)) {
        return Some(vec![(start, Via::START)]);
    }
    let mut reached: Reached = starts.iter().map(|&start| (start, (start, Via::START))).collect();
    let mut queue: VecDeque<u32> = starts.into();
    while let Some(node) = queue.pop_front() {
        for step in product.steps_again(node) {
            let Some(to) = product.known(step.state, step.place).filter(|to| !reached.contains_key(to)) else {
                continue;
            };
            reached.insert(to, (node, Via::of(&step)));
            if is_wanted(to) {
                return Some(back(&reached, to));
            }
            queue.push_back(to);
        }
    }
    None
}

/// The path to a node, along predecessors.
fn back(reached: &Reached, mut node: u32) -> Path {
    let mut path = Vec::new();
    loop {
        let (before, via) = reached[&node];
        path.push((node, via));
        if before == node {
            break;
        }
        node = before;
    }
    path.reverse();
    assert!(path.first().is_some_and(|(_, via)| via.mover == NOBODY), "nobody moves to the start of a run");
    path
}

/// The remaining debts of a cycle.
struct Obligations {
    marks: Bits,
    starved: Vec<u64>,
}

impl Obligations {
    fn are_met(&self) -> bool {
        self.marks == 0 && self.starved.iter().all(|&word| word == 0)
    }

    /// Whether an edge pays a debt.
    fn are_met_by(&self, step: &Step) -> bool {
        let word = self.starved.get(step.mover as usize / 64).copied().unwrap_or(0);
        self.marks & step.marks != 0 || step.mover != NOBODY && word >> (step.mover % 64) & 1 == 1
    }

    fn meet(&mut self, step: &Step) {
        self.marks &= !step.marks;
        if let Some(word) = self.starved.get_mut(step.mover as usize / 64).filter(|_| step.mover != NOBODY) {
            *word &= !(1 << (step.mover % 64));
        }
    }

    /// The debts, with those to processes that have a step in a state.
    fn in_state(&self, enabled: &[u64]) -> Vec<u64> {
        let enabled = enabled.iter().copied().chain(std::iter::repeat(0));
        self.starved.iter().zip(enabled).map(|(word, enabled)| word & enabled).collect()
    }
}

/// A cycle through a node of a component that pays everything: the nodes after the first, the last being the first.
fn cycle<S: Runs>(product: &mut Product<'_, '_, S>, members: &BitVec, start: u32, fair: bool) -> Option<Path> {
    product.steps_again(start);
    let starved = if fair { product.enabled.clone() } else { Vec::new() };
    let mut obligations = Obligations { marks: product.automaton.all(), starved };
    let mut cycle = Vec::new();
    let mut at = start;
    while !obligations.are_met() {
        let mut reached: Reached = [(at, (at, Via::START))].into_iter().collect();
        let mut queue: VecDeque<u32> = [at].into();
        let paid = 'search: loop {
            let node = queue.pop_front()?;
            let steps = product.steps_again(node);
            let starved = obligations.in_state(&product.enabled);
            if starved != obligations.starved {
                obligations.starved = starved;
                break 'search (node, None);
            }
            for step in steps {
                let to = product.known(step.state, step.place).filter(|&to| members[to as usize]);
                let Some(to) = to else { continue };
                if obligations.are_met_by(&step) {
                    obligations.meet(&step);
                    break 'search (node, Some((to, Via::of(&step))));
                }
                if let Entry::Vacant(place) = reached.entry(to) {
                    place.insert((node, Via::of(&step)));
                    queue.push_back(to);
                }
            }
        };
        cycle.extend(back(&reached, paid.0).into_iter().skip(1));
        cycle.extend(paid.1);
        at = cycle.last().map_or(at, |&(node, _)| node);
    }
    if cycle.is_empty() || at != start {
        cycle.extend(home(product, members, at, start)?);
    }
    Some(cycle)
}

/// A shortest path of at least one edge from a node to another inside a component, without the first node.
fn home<S: Runs>(product: &mut Product<'_, '_, S>, members: &BitVec, from: u32, to: u32) -> Option<Path> {
    let mut reached: Reached = [(from, (from, Via::START))].into_iter().collect();
    let mut queue: VecDeque<u32> = [from].into();
    while let Some(node) = queue.pop_front() {
        for step in product.steps_again(node) {
            let next = product.known(step.state, step.place).filter(|&next| members[next as usize]);
            let Some(next) = next else { continue };
            if next == to {
                let path = back(&reached, node).into_iter().skip(1).chain([(to, Via::of(&step))]);
                return Some(path.collect());
            }
            if let Entry::Vacant(place) = reached.entry(next) {
                place.insert((node, Via::of(&step)));
                queue.push_back(next);
            }
        }
    }
    None
}

/// The states of a stem and a cycle. A run that has ended stops at its last state.
fn to_lasso<S: Runs>(product: &Product<'_, '_, S>, stem: Path, cycle: Path) -> Lasso {
    let mut cycle_from = stem.len() - 1;
    let mut path: Path = stem.into_iter().chain(cycle).collect();
    if let Some(end) = path.iter().position(|&(node, _)| product.has_ended(node)) {
        path.truncate(end);
        cycle_from = end - 1;
    }
    assert!(cycle_from < path.len(), "a run goes back to one of its states");
    let states: Vec<u32> = path.iter().map(|&(node, _)| product.state(node)).collect();
    assert!(cycle_from + 1 == states.len() || states.last() == states.get(cycle_from), "the cycle of a run is closed");
    let movers = path.iter().skip(1).map(|(_, via)| via.mover).collect();
    let inside = path.iter().skip(1).map(|(_, via)| via.inside).collect();
    Lasso { states, movers, inside, cycle_from }
}
