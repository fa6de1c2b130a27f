//! One acceptance set of states instead of several of edges: copies of the automaton that wait for one set after the other.
//!
//! A state consists of a state of the automaton and the number of sets met so far in this round. From the awaited set
//! onwards, an edge advances over all consecutive sets that it belongs to. In the last copy all sets were met: its
//! states accept, and the count starts again.
//!
//! Source: \[Cou99\] 5; the copies are \[EL87\]'s. Ours: several sets at one edge.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::{Automaton, Edge};

/// An automaton of the same language, and the states that a run must pass infinitely often. Exactly the edges that
/// leave these states are marked.
pub fn degeneralise(automaton: &Automaton) -> (Automaton, Vec<bool>) {
    let sets = automaton.sets;
    let mut states: IndexSet<(usize, usize), FxBuildHasher> = IndexSet::default();
    let initial = automaton.initial.iter().map(|&state| states.insert_full((state, 0)).0).collect();
    let mut edges = Vec::new();
    let mut accepting = Vec::new();
    while edges.len() < states.len() {
        let (state, level) = states[edges.len()];
        accepting.push(level == sets);
        let copies = automaton.edges[state].iter().map(|edge| {
            let mut next = if level == sets { 0 } else { level };
            while next < sets && edge.marks >> next & 1 == 1 {
                next += 1;
            }
            let to = states.insert_full((edge.to, next)).0;
            Edge { to, label: edge.label, marks: u128::from(level == sets) }
        });
        let copies: Vec<Edge> = copies.collect();
        edges.push(copies);
    }
    let degeneralised = Automaton { sets: 1, initial, edges };
    assert!(degeneralised.is_closed() && accepting.len() == degeneralised.len(), "each copy has its edges");
    assert!(degeneralised.len() <= automaton.len() * (sets + 1), "a state has a copy for each number of sets met");
    (degeneralised, accepting)
}
