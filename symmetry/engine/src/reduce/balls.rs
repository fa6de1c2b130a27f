//! Colours vertices by the shape of a small ball around them, where refinement by itself finds no difference.
//!
//! Regular graphs are equitable from the start, but most vertices of an irregular one reach their first short cycles at different
//! distances. A few such vertices are enough: refinement carries the distinction to all other vertices. A sample determines the radius
//! that distinguishes vertices; when no radius does within the budget, the colours do not change.
//!
//! # Soundness
//!
//! The new colour is a function of the coloured graph around the vertex, so every automorphism keeps it. The decision to use it is a
//! heuristic and need not be invariant.
//!
//! # Complexity
//!
//! Edge visits are limited by constants for the sample and by a multiple of the size of the graph for the whole.

use super::working::Working;
use crate::graph::Graph;
use crate::partition::mix;

const SAMPLE: usize = 2048;
const SAMPLE_VISITS: usize = 1 << 14;
const SAMPLE_VISITS_PER_ENTRY: usize = 8;
const MAX_SAMPLE_VISITS: usize = 1 << 20;
const VISITS_PER_ENTRY: usize = 128;
const MAX_RADIUS: u32 = 16;

/// Scratch space of breadth-first searches.
struct Ball<'a> {
    graph: &'a Graph,
    distance: Vec<u32>,
    reached: Vec<u32>,
    visits: usize,
}

/// Recolours by balls if that distinguishes vertices of one colour. Returns whether it did.
pub(crate) fn recolour(working: &mut Working) -> bool {
    let graph = &working.graph;
    let limit = VISITS_PER_ENTRY * (graph.len() + 2 * graph.edge_count());
    let all: Vec<u32> = graph.vertices().collect();
    let mut ball = Ball { graph, distance: vec![u32::MAX; graph.len()], reached: Vec::new(), visits: 0 };
    let Some(shapes) = ball.distinguishing_radius().and_then(|radius| ball.shapes(&all, radius, limit)) else {
        return false;
    };
    let keys: Vec<(u32, u64)> = graph.colours().iter().copied().zip(shapes).collect();
    assert_eq!(keys.len(), graph.len(), "every vertex has a shape");
    working.graph.set_colours(super::working::ranks(&keys));
    working.is_equitable = false;
    true
}

/// Whether two vertices of one colour have different shapes.
pub(super) fn distinguishes(graph: &Graph, vertices: &[u32], shapes: &[u64]) -> bool {
    debug_assert_eq!(vertices.len(), shapes.len(), "one shape per vertex");
    let mut keys: Vec<(u32, u64)> = vertices.iter().zip(shapes).map(|(&v, &shape)| (graph.colour(v), shape)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.windows(2).any(|pair| pair[0].0 == pair[1].0)
}

impl Ball<'_> {
    /// The least radius at which a sample has vertices of one colour and different shapes.
    fn distinguishing_radius(&mut self) -> Option<u32> {
        let stride = self.graph.len().div_ceil(SAMPLE).max(1);
        let sample: Vec<u32> = self.graph.vertices().step_by(stride).collect();
        let entries = self.graph.len() + 2 * self.graph.edge_count();
        let mut left = MAX_SAMPLE_VISITS.min(SAMPLE_VISITS + SAMPLE_VISITS_PER_ENTRY * entries);
        for radius in 2..=MAX_RADIUS {
            let shapes = self.shapes(&sample, radius, left)?;
            left = left.saturating_sub(self.visits);
            if distinguishes(self.graph, &sample, &shapes) {
                return Some(radius);
            }
            if self.visits >= sample.len() * 2 * self.graph.edge_count() {
                return None;
            }
        }
        None
    }

    /// The shapes of the balls around `vertices`, or `None` when that takes more than `limit` edge visits.
    fn shapes(&mut self, vertices: &[u32], radius: u32, limit: usize) -> Option<Vec<u64>> {
        self.visits = 0;
        let mut shapes = Vec::with_capacity(vertices.len());
        for &v in vertices {
            shapes.push(self.shape(v, radius));
            if self.visits > limit {
                return None;
            }
        }
        Some(shapes)
    }

    /// Sums, over the ball, the colour and distance of each vertex with its edges towards the centre and sideways.
    fn shape(&mut self, centre: u32, radius: u32) -> u64 {
        let graph = self.graph;
        self.reached.clear();
        self.reached.push(centre);
        debug_assert_eq!(self.distance[centre as usize], u32::MAX, "distances are forgotten between balls");
        self.distance[centre as usize] = 0;
        let mut shape = 0_u64;
        let mut next = 0;
        while next < self.reached.len() {
            let v = self.reached[next];
            limits::work(graph.neighbours(v).len() as u64);
            next += 1;
            let at = self.distance[v as usize];
            let (mut inwards, mut sideways) = (0_u64, 0_u64);
            self.visits += graph.neighbours(v).len();
            for &u in graph.neighbours(v) {
                let distance = self.distance[u as usize];
                if distance == u32::MAX {
                    if at < radius {
                        self.distance[u as usize] = at + 1;
                        self.reached.push(u);
                    }
                } else if distance < at {
                    inwards += 1;
                } else if distance == at {
                    sideways += 1;
                }
            }
            let place = u64::from(graph.colour(v)) << 32 | u64::from(at);
            shape = shape.wrapping_add(mix(mix(place) ^ (inwards << 32 | sideways)));
        }
        for &v in &self.reached {
            self.distance[v as usize] = u32::MAX;
        }
        shape
    }
}
