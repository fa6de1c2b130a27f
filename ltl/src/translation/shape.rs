//! The parts that a product may leave out because of the shape of its automaton.
//!
//! A state whose component accepts nothing lies on no accepting cycle: its nodes need no search for cycles. A state
//! waits if it reads everything and stays. If a waiting state has all the behaviour of another state, it may become the
//! other one at any time, without reading. One entry into the other state then replaces an edge to it from each state
//! of a run.
//!
//! Soundness: let `a` wait, let `b` be of another component, and let each edge of `b` be matched by an edge of `a` that
//! reads at least as much and leads to the same state. Every word that `b` accepts from some state on, `a` accepts: it
//! takes the matching edge and then continues in the same way, and marks of one edge outside of the accepted cycle do
//! not count. Conversely a run that goes from `a` to `b` by an edge is one that waits there and then becomes `b`. So
//! entries may replace edges from `a` to `b`.
//!
//! Complexity: pairs of edges of pairs of states; left out above [`MOST_PAIRS`].

use super::reduce::{accepting, components};
use super::{Automaton, Cube};

/// The greatest number of pairs of edges that are examined for one pair of states.
const MOST_PAIRS: usize = 1 << 12;

/// The parts that a product may leave out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// By state: whether it may lie on an accepting cycle.
    pub accepts: Vec<bool>,
    /// By state: the states that it becomes without reading. Its edges to them need not be taken.
    pub entered: Vec<Vec<usize>>,
}

impl Shape {
    /// The shape of an automaton.
    pub fn of(automaton: &Automaton) -> Shape {
        let component = components(automaton);
        let by_component = accepting(automaton, &component);
        let accepts = component.iter().map(|&component| by_component[component]).collect();
        let entered = (0..automaton.len()).map(|state| entered(automaton, &component, state)).collect();
        Shape { accepts, entered }
    }
}

/// The states that a state becomes without reading.
fn entered(automaton: &Automaton, component: &[usize], state: usize) -> Vec<usize> {
    let edges = &automaton.edges[state];
    if !edges.iter().any(|edge| edge.to == state && edge.label == Cube::TRUE) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for edge in edges.iter().filter(|edge| component[edge.to] != component[state]) {
        let others = &automaton.edges[edge.to];
        let matched = || {
            let reads =
                |other: &super::Edge| edges.iter().any(|edge| edge.to == other.to && other.label.implies(edge.label));
            edges.len() * others.len() <= MOST_PAIRS && others.iter().all(reads)
        };
        if !found.contains(&edge.to) && matched() {
            found.push(edge.to);
        }
    }
    found
}
