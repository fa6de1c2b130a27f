//! Numbers the vertices of a large graph along a breadth-first search where neighbours are far from each other in memory.
//!
//! Every pass over a graph follows its edges. Where the numbers of neighbours have nothing to do with each other, most steps of a pass over
//! a large graph wait for memory; neighbours along a breadth-first search are close.
//!
//! # Complexity
//!
//! One pass over the graph, and the sorting of its rows.

use super::working::Working;
use crate::graph::{Graph, index};

/// The vertices of a graph that does not fit into the nearest memories.
const LARGE: usize = 1 << 14;
/// The most edges per vertex: rows of more are read in one go anyway.
const SPARSE: usize = 4;
/// Neighbours are far from each other when this part of the vertices is between them.
const FAR: u32 = 16;
/// The vertices whose rows are examined.
const SAMPLE: usize = 1 << 10;

/// The graph with other numbers if it is large and most neighbours are far from each other.
pub(super) fn localised(working: Working) -> Working {
    let graph = &working.graph;
    if graph.len() < LARGE || graph.edge_count() > SPARSE * graph.len() || !is_scattered(graph) {
        return working;
    }
    let order = breadth_first(graph);
    let mut number = vec![0; order.len()];
    (0..).zip(&order).for_each(|(at, &v)| number[v as usize] = at);
    working.induced(&order, &number)
}

/// Whether most of the edges of a sample join vertices that are far from each other.
fn is_scattered(graph: &Graph) -> bool {
    let far = index(graph.len()) / FAR;
    let (mut edges, mut scattered) = (0_usize, 0);
    for v in graph.vertices().step_by(graph.len() / SAMPLE + 1) {
        let row = graph.neighbours(v);
        edges += row.len();
        scattered += row.iter().filter(|&&u| u.abs_diff(v) > far).count();
    }
    2 * scattered > edges
}

/// All vertices, component by component, each in the order of a breadth-first search from its least one.
fn breadth_first(graph: &Graph) -> Vec<u32> {
    let mut order = Vec::with_capacity(graph.len());
    let mut is_reached = vec![false; graph.len()];
    let mut next = 0;
    for root in graph.vertices() {
        if !std::mem::replace(&mut is_reached[root as usize], true) {
            order.push(root);
        }
        while let Some(&v) = order.get(next) {
            next += 1;
            limits::work(graph.neighbours(v).len() as u64);
            for &u in graph.neighbours(v) {
                if !std::mem::replace(&mut is_reached[u as usize], true) {
                    order.push(u);
                }
            }
        }
    }
    debug_assert_eq!(order.len(), graph.len(), "every vertex is reached once");
    order
}

#[cfg(test)]
mod tests {
    use super::{LARGE, breadth_first, localised};
    use crate::graph::{Graph, GraphBuilder, Vertex, index};
    use crate::reduce::working::Working;

    /// Cycles that visit their vertices in strides.
    fn cycles(n: u32, stride: u32) -> Graph {
        let mut builder = GraphBuilder::new();
        (0..n).for_each(|v| _ = builder.add_vertex(v % 3));
        (0..n).for_each(|v| builder.add_edge(Vertex::new(v), Vertex::new((v + stride) % n)));
        builder.build().expect("simple")
    }

    #[test]
    fn scattered_graphs_have_other_numbers_and_the_same_edges() {
        let n = index(LARGE) + 1;
        let graph = cycles(n, n / 2 - 1);
        let working = localised(Working::new(graph.clone()));
        assert!(working.graph.edges().all(|(u, v)| u.abs_diff(v) <= 2), "neighbours are near");
        let original = |v: u32| working.block(v)[0];
        assert_eq!(working.graph.edge_count(), graph.edge_count());
        assert!(working.graph.edges().all(|(u, v)| graph.has_edge(original(u), original(v))));
        assert!(working.graph.vertices().all(|v| working.graph.colour(v) == graph.colour(original(v))));
        let same = localised(Working::new(cycles(n, 1)));
        assert!(same.graph.vertices().all(|v| same.block(v) == [v]), "neighbours were near");
    }

    #[test]
    fn every_component_is_visited() {
        assert_eq!(breadth_first(&cycles(8, 2)), [0, 2, 6, 4, 1, 3, 7, 5]);
    }
}
