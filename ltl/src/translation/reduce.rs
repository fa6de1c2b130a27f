//! Smaller automata of the same language.
//!
//! These steps are repeated until nothing changes:
//! - States that accept nothing or are not reached are dropped.
//! - Marks are kept only inside accepting components.
//! - An acceptance set that holds all edges of a kept component, or every edge of another set, is dropped.
//! - States that simulate each other are merged, and an edge that another edge of the state simulates is dropped.
//! - Two edges that differ in the sign of one literal are joined.
//!
//! Simulation is direct: a state simulates another one if each edge of the other is matched by an edge that reads at
//! least as much, has at least its marks, and leads to a state that simulates its target.
//!
//! Soundness: each step keeps the language. For simulation: a run is matched edge by edge with at least its marks. This
//! also holds when only maximal edges remain, because every edge lies below a maximal one.
//!
//! Complexity: simulation takes O(n^2 m^2) per round for n states of m edges; it is left out above [`MOST_SIMULATED`]
//! states.
//!
//! Source: \[GO01\] 5; \[SB00\] 4; \[EH00\].

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use super::{Automaton, Bits, Cube, Edge};

/// The number of states above which simulation is not computed.
const MOST_SIMULATED: usize = 400;

/// The number of edges above which simulation is not computed.
const MOST_EDGES: usize = 20_000;

/// The number of edges of one state above which labels are not joined.
const MOST_JOINED: usize = 1_000;

/// The states up to which automata are compared, where this is asserted.
const FEW: usize = 16;

/// A smaller automaton of the same language.
pub(super) fn reduce(mut automaton: Automaton) -> Automaton {
    loop {
        let before = automaton.clone();
        trim(&mut automaton);
        drop_sets(&mut automaton);
        simulate(&mut automaton);
        automaton.edges.iter_mut().for_each(join_labels);
        assert!(automaton.is_closed(), "edges lead to states");
        let is_smaller = automaton.len() <= before.len() && automaton.sets <= before.sets;
        assert!(is_smaller, "a reduction adds neither states nor acceptance sets");
        debug_assert!(before.len() > FEW || agree(&automaton, &before), "a smaller automaton accepts the same words");
        if automaton == before {
            return automaton;
        }
    }
}

/// Whether two automata accept the same of a few words.
fn agree(one: &Automaton, other: &Automaton) -> bool {
    let words: [[Bits; 4]; 3] = [[0, 1, 2, 3], [3, 0, 2, 1], [1, 1, 0, 2]];
    words.iter().all(|word| one.accepts(word, 1) == other.accepts(word, 1))
}

/// The component of each state, numbered so that edges lead to smaller or equal numbers.
pub(super) fn components(automaton: &Automaton) -> Vec<usize> {
    let mut graph: DiGraph<(), (), usize> = DiGraph::with_capacity(automaton.len(), automaton.edges.len());
    for _ in 0..automaton.len() {
        graph.add_node(());
    }
    let edges = automaton.edges.iter().enumerate();
    graph.extend_with_edges(edges.flat_map(|(from, edges)| edges.iter().map(move |edge| (from, edge.to))));
    let mut component = vec![0; automaton.len()];
    for (number, members) in kosaraju_scc(&graph).iter().enumerate() {
        members.iter().for_each(|member| component[member.index()] = number);
    }
    debug_assert!(
        graph.raw_edges().iter().all(|edge| component[edge.target().index()] <= component[edge.source().index()]),
        "components are numbered against the edges"
    );
    component
}

/// Whether each component is accepting: it has an edge inside, and edges of every set inside.
pub(super) fn accepting(automaton: &Automaton, component: &[usize]) -> Vec<bool> {
    let mut seen: Vec<Option<Bits>> = vec![None; component.len()];
    for (state, edges) in automaton.edges.iter().enumerate() {
        for edge in edges.iter().filter(|edge| component[edge.to] == component[state]) {
            let marks = seen[component[state]].get_or_insert(0);
            *marks |= edge.marks;
        }
    }
    seen.into_iter().map(|marks| marks == Some(automaton.all())).collect()
}

/// Drops states that are not reached or accept nothing, and marks outside accepting components.
fn trim(automaton: &mut Automaton) {
    let component = components(automaton);
    let accepting = accepting(automaton, &component);
    // Edges lead to smaller component numbers: one pass in that order finds the states that reach acceptance.
    let mut alive = accepting.clone();
    let mut order: Vec<usize> = (0..automaton.len()).collect();
    order.sort_by_key(|&state| component[state]);
    for &state in &order {
        if automaton.edges[state].iter().any(|edge| alive[component[edge.to]]) {
            alive[component[state]] = true;
        }
    }
    for (state, edges) in automaton.edges.iter_mut().enumerate() {
        edges.retain(|edge| alive[component[edge.to]]);
        for edge in edges.iter_mut() {
            if component[edge.to] != component[state] || !accepting[component[state]] {
                edge.marks = 0;
            }
        }
    }
    automaton.initial.retain(|&state| alive[component[state]]);
    keep_reached(automaton);
}

/// Drops states that are not reached; the others are numbered in the order of a breadth-first search.
fn keep_reached(automaton: &mut Automaton) {
    let mut number = vec![usize::MAX; automaton.len()];
    let mut queue = Vec::new();
    let mut reach = |state: usize, queue: &mut Vec<usize>| {
        if number[state] == usize::MAX {
            number[state] = queue.len();
            queue.push(state);
        }
        number[state]
    };
    for state in &mut automaton.initial {
        *state = reach(*state, &mut queue);
    }
    let mut at = 0;
    let mut edges = Vec::new();
    while at < queue.len() {
        let mut list = std::mem::take(&mut automaton.edges[queue[at]]);
        for edge in &mut list {
            edge.to = reach(edge.to, &mut queue);
        }
        list.sort_unstable();
        list.dedup();
        edges.push(list);
        at += 1;
    }
    automaton.edges = edges;
    automaton.initial.sort_unstable();
    automaton.initial.dedup();
}

/// Drops acceptance sets that require nothing in addition to the others.
fn drop_sets(automaton: &mut Automaton) {
    let component = components(automaton);
    // The edges of components that do not accept count: they have no marks, and a remaining set must still require
    // some.
    let inner: Vec<Bits> = automaton
        .edges
        .iter()
        .enumerate()
        .flat_map(|(state, edges)| edges.iter().map(move |edge| (state, edge)))
        .filter(|(state, edge)| component[*state] == component[edge.to])
        .map(|(_, edge)| edge.marks)
        .collect();
    let mut kept: Vec<usize> = (0..automaton.sets).collect();
    let mut at = 0;
    while at < kept.len() {
        let set: Bits = 1 << kept[at];
        let always = inner.iter().all(|marks| marks & set != 0);
        let follows = kept.iter().enumerate().any(|(index, &other)| {
            let other: Bits = 1 << other;
            index != at && inner.iter().all(|marks| marks & other == 0 || marks & set != 0)
        });
        if always || follows {
            kept.remove(at);
        } else {
            at += 1;
        }
    }
    if kept.len() == automaton.sets {
        return;
    }
    for edge in automaton.edges.iter_mut().flatten() {
        let marks = kept.iter().enumerate().filter(|&(_, &set)| edge.marks & (1 << set) != 0);
        edge.marks = marks.fold(0, |marks, (new, _)| marks | 1 << new);
    }
    automaton.sets = kept.len();
}

/// The simulation relation: `[s][t]` holds if `t` simulates `s`.
fn simulation(automaton: &Automaton) -> Vec<Vec<bool>> {
    let len = automaton.len();
    let mut below = vec![vec![true; len]; len];
    loop {
        let mut changed = false;
        for s in 0..len {
            for t in 0..len {
                if s == t || !below[s][t] {
                    continue;
                }
                let matched = |edge: &Edge| automaton.edges[t].iter().any(|other| is_below(edge, other, &below));
                if !automaton.edges[s].iter().all(matched) {
                    below[s][t] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return below;
        }
    }
}

/// Whether an edge is matched by another one.
fn is_below(edge: &Edge, other: &Edge, below: &[Vec<bool>]) -> bool {
    edge.label.implies(other.label) && edge.marks & !other.marks == 0 && below[edge.to][other.to]
}

/// Merges states that simulate each other, and drops edges and initial states below others.
fn simulate(automaton: &mut Automaton) {
    if automaton.len() > MOST_SIMULATED || automaton.edges.iter().map(Vec::len).sum::<usize>() > MOST_EDGES {
        return;
    }
    let below = simulation(automaton);
    // Of items that are below each other, the first one is kept.
    let is_kept = |at: usize, len: usize, is_below: &dyn Fn(usize, usize) -> bool| {
        !(0..len).any(|other| other != at && is_below(at, other) && (other < at || !is_below(other, at)))
    };
    for edges in &mut automaton.edges {
        let all = edges.clone();
        let mut at = 0;
        edges.retain(|_| {
            at += 1;
            is_kept(at - 1, all.len(), &|a, b| is_below(&all[a], &all[b], &below))
        });
    }
    let initial = automaton.initial.clone();
    let mut at = 0;
    automaton.initial.retain(|_| {
        at += 1;
        is_kept(at - 1, initial.len(), &|a, b| below[initial[a]][initial[b]])
    });
    let class = |state: usize| (0..=state).find(|&first| below[first][state] && below[state][first]).unwrap_or(state);
    let class: Vec<usize> = (0..automaton.len()).map(class).collect();
    for edge in automaton.edges.iter_mut().flatten() {
        edge.to = class[edge.to];
    }
    for state in &mut automaton.initial {
        *state = class[*state];
    }
    keep_reached(automaton);
}

/// Joins two edges that differ in the sign of one literal, until there are no such two.
fn join_labels(edges: &mut Vec<Edge>) {
    let joined = |a: &Edge, b: &Edge| -> Option<Cube> {
        let differ = a.label.positive ^ b.label.positive;
        let same = a.to == b.to
            && a.marks == b.marks
            && differ.count_ones() == 1
            && differ == a.label.negative ^ b.label.negative
            && a.label.positive | a.label.negative == b.label.positive | b.label.negative;
        let without = Cube { positive: a.label.positive & !differ, negative: a.label.negative & !differ };
        same.then_some(without)
    };
    if edges.len() > MOST_JOINED {
        return;
    }
    'again: loop {
        for at in 0..edges.len() {
            for other in at + 1..edges.len() {
                if let Some(label) = joined(&edges[at], &edges[other]) {
                    edges[at].label = label;
                    edges.remove(other);
                    continue 'again;
                }
            }
        }
        edges.sort_unstable();
        return;
    }
}
