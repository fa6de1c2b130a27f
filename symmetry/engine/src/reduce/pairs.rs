//! Colours vertices by the common neighbours of the pairs that they are in, where refinement and balls find no difference.
//!
//! In a strongly regular graph all pairs of adjacent vertices have equally many common neighbours, and so have all others, so that one
//! individualised vertex splits nothing further. The edges among the common neighbours of a pair often differ. The new colour of a vertex
//! sums, over its pairs of one relation (adjacent, or at distance two), the colours and degrees within the common neighbourhood. The
//! relation is the cheaper one that distinguishes vertices of a sample.
//!
//! # Soundness
//!
//! The new colour is a function of the coloured graph and of the relation, so every automorphism keeps it. The decision to use it is a
//! heuristic and need not be invariant.
//!
//! # Complexity
//!
//! A bit per pair of vertices, and the squares of the sizes of the common neighbourhoods; both are limited.
//!
//! # Source
//!
//! The invariants `cellquads` and `adjtriang` of nauty [McKay14] are of this kind.

use super::balls::distinguishes;
use super::working::{Working, ranks};
use crate::graph::Graph;
use crate::partition::mix;

/// The most vertices.
const MAX_VERTICES: usize = 1 << 12;
/// The vertices of a sample.
const SAMPLE: usize = 8;
/// The most steps for the sample, and for all vertices, for each vertex and each end of an edge.
const SAMPLE_STEPS_PER_ENTRY: u64 = 4;
const STEPS_PER_ENTRY: u64 = 1 << 9;

/// A relation of two different vertices that have common neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Adjacent,
    Distant,
}

/// The adjacency matrix as bits, and scratch space for common neighbourhoods.
struct Pairs<'a> {
    graph: &'a Graph,
    /// Words of 64 bits in a row.
    width: usize,
    rows: Vec<u64>,
    /// The common neighbours of the latest pair, and their numbers of neighbours among them.
    common: Vec<u32>,
    degrees: Vec<u32>,
    steps: u64,
}

/// Recolours by pairs if that distinguishes vertices of one colour. Returns whether it did.
pub(super) fn recolour(working: &mut Working) -> bool {
    let graph = &working.graph;
    if graph.len() > MAX_VERTICES {
        return false;
    }
    let entries = (graph.len() + 2 * graph.edge_count()) as u64;
    let mut pairs = Pairs::new(graph);
    let shapes =
        pairs.distinguishing_relation(entries).and_then(|relation| pairs.shapes(relation, STEPS_PER_ENTRY * entries));
    let Some(shapes) = shapes else { return false };
    let keys: Vec<(u32, u64)> = graph.colours().iter().copied().zip(shapes).collect();
    assert_eq!(keys.len(), graph.len(), "every vertex has a shape");
    working.graph.set_colours(ranks(&keys));
    working.is_equitable = false;
    true
}

impl<'a> Pairs<'a> {
    fn new(graph: &'a Graph) -> Self {
        let width = graph.len().div_ceil(64);
        let mut rows = vec![0_u64; width * graph.len()];
        limits::work(rows.len() as u64);
        for v in graph.vertices() {
            let row = &mut rows[v as usize * width..][..width];
            graph.neighbours(v).iter().for_each(|&u| row[u as usize / 64] |= 1 << (u % 64));
        }
        Self { graph, width, rows, common: Vec::new(), degrees: Vec::new(), steps: 0 }
    }

    fn is_edge(&self, v: u32, u: u32) -> bool {
        self.rows[v as usize * self.width + u as usize / 64] >> (u % 64) & 1 == 1
    }

    /// The relations in which a vertex has pairs whose common neighbours may be joined, with the steps that these take; the cheaper first.
    fn costs(&self, v: u32) -> Vec<(u64, Relation)> {
        let graph = self.graph;
        let mut counts = vec![0_u64; graph.len()];
        for &x in graph.neighbours(v) {
            limits::work(graph.neighbours(x).len() as u64);
            graph.neighbours(x).iter().for_each(|&w| counts[w as usize] += 1);
        }
        counts[v as usize] = 0;
        if graph.neighbours(v).iter().all(|&w| counts[w as usize] == 0) {
            // The vertex is in no triangle.
            return Vec::new();
        }
        let mut costs = vec![(0, Relation::Adjacent), (0, Relation::Distant)];
        for (w, &count) in (0..).zip(&counts).filter(|&(_, &count)| count > 1) {
            let at = usize::from(self.relation(v, w) == Relation::Distant);
            costs[at].0 += count * count;
        }
        costs.retain(|&(steps, _)| steps > 0);
        costs.sort_by_key(|&(steps, _)| steps);
        costs
    }

    /// A relation in which two vertices of a sample have one colour and different shapes.
    fn distinguishing_relation(&mut self, entries: u64) -> Option<Relation> {
        let graph = self.graph;
        let sample: Vec<u32> = graph.vertices().step_by(graph.len().div_ceil(SAMPLE).max(1)).collect();
        for (steps, relation) in self.costs(*sample.first()?) {
            let many = usize::try_from(SAMPLE_STEPS_PER_ENTRY * entries / steps).unwrap_or(SAMPLE).min(sample.len());
            let shapes: Vec<u64> = sample[..many].iter().map(|&v| self.shape(v, relation)).collect();
            if distinguishes(graph, &sample[..many], &shapes) {
                return Some(relation);
            }
        }
        None
    }

    fn relation(&self, v: u32, w: u32) -> Relation {
        if self.is_edge(v, w) { Relation::Adjacent } else { Relation::Distant }
    }

    /// The shape of one vertex.
    fn shape(&mut self, v: u32, relation: Relation) -> u64 {
        let mut shape = 0_u64;
        for w in self.graph.vertices().filter(|&w| w != v) {
            if self.relation(v, w) == relation {
                let common = self.common(v, w);
                shape = shape.wrapping_add(self.part(common, w));
            }
        }
        shape
    }

    /// The shapes of all vertices, or `None` when they take more than `most` steps.
    fn shapes(&mut self, relation: Relation, most: u64) -> Option<Vec<u64>> {
        self.steps = 0;
        let mut shapes = vec![0_u64; self.graph.len()];
        for v in self.graph.vertices() {
            for w in 0..v {
                if self.relation(v, w) == relation {
                    let common = self.common(v, w);
                    let parts = [(v, self.part(common, w)), (w, self.part(common, v))];
                    for (vertex, part) in parts {
                        shapes[vertex as usize] = shapes[vertex as usize].wrapping_add(part);
                    }
                }
            }
            if self.steps > most {
                return None;
            }
        }
        Some(shapes)
    }

    /// The part that a pair with `other` adds to the shape of a vertex.
    fn part(&self, common: u64, other: u32) -> u64 {
        mix(common ^ mix(u64::from(self.graph.colour(other))))
    }

    /// Sums the colour of each common neighbour with its degree among them.
    fn common(&mut self, v: u32, w: u32) -> u64 {
        let Self { graph, rows, width, common, degrees, steps } = self;
        let row = |v: u32| &rows[v as usize * *width..][..*width];
        common.clear();
        for (at, (a, b)) in (0..).zip(row(v).iter().zip(row(w))) {
            let mut both = a & b;
            while both != 0 {
                common.push(64 * at + both.trailing_zeros());
                both &= both - 1;
            }
        }
        let taken = (*width + common.len() * common.len()) as u64;
        limits::work(taken);
        *steps += taken;
        degrees.clear();
        for (at, &x) in common.iter().enumerate() {
            let row = row(x);
            let mut degree = 0;
            for (other, y) in degrees.iter_mut().zip(&common[..at]) {
                let joined = u32::from(row[*y as usize / 64] >> (y % 64) & 1 == 1);
                *other += joined;
                degree += joined;
            }
            degrees.push(degree);
        }
        let parts = common.iter().zip(&*degrees);
        parts.map(|(&x, &degree)| mix(u64::from(graph.colour(x)) << 32 | u64::from(degree))).fold(0, u64::wrapping_add)
    }
}

#[cfg(test)]
mod tests {
    use super::{Pairs, Relation, recolour};
    use crate::graph::{Graph, GraphBuilder, Vertex, index};
    use crate::group::RandomSource;
    use crate::partition::mix;
    use crate::reduce::working::Working;

    const RELATIONS: [Relation; 2] = [Relation::Adjacent, Relation::Distant];

    fn graph(colours: &[u32], mut is_edge: impl FnMut(u32, u32) -> bool) -> Graph {
        let mut builder = GraphBuilder::new();
        colours.iter().for_each(|&colour| _ = builder.add_vertex(colour));
        for v in 0..index(colours.len()) {
            (0..v).filter(|&u| is_edge(u, v)).for_each(|u| builder.add_edge(Vertex::new(u), Vertex::new(v)));
        }
        builder.build().expect("simple")
    }

    fn random_graph(random: &mut RandomSource) -> Graph {
        let (n, density) = (2 + random.below(74), 2 + random.below(3));
        let colours: Vec<u32> = (0..n).map(|_| index(random.below(2))).collect();
        graph(&colours, |_, _| random.below(density) == 0)
    }

    /// The parts of all pairs of a vertex, by the definition.
    fn parts(graph: &Graph, v: u32, relation: Relation) -> impl Iterator<Item = (u32, u64)> {
        let related = move |&w: &u32| w != v && graph.has_edge(v, w) == (relation == Relation::Adjacent);
        graph.vertices().filter(related).map(move |w| {
            let is_common = |&x: &u32| graph.has_edge(v, x) && graph.has_edge(w, x);
            let common: Vec<u32> = graph.vertices().filter(is_common).collect();
            let degree = |x: u32| common.iter().filter(|&&y| graph.has_edge(x, y)).count() as u64;
            let parts = common.iter().map(|&x| mix(u64::from(graph.colour(x)) << 32 | degree(x)));
            let sum = parts.fold(0, u64::wrapping_add);
            (w, mix(sum ^ mix(u64::from(graph.colour(w)))))
        })
    }

    fn sum(parts: impl Iterator<Item = (u32, u64)>) -> u64 {
        parts.fold(0, |sum, (_, part)| sum.wrapping_add(part))
    }

    /// Shapes of one and of all vertices against the definition, and on an image of the graph. A sum over a part of the pairs that
    /// depends on numbers is noticed.
    #[test]
    fn shapes_are_the_definition_and_do_not_depend_on_numbers() {
        let mut noticed = 0;
        for seed in 0..24 {
            let mut random = RandomSource::new(seed);
            let graph = random_graph(&mut random);
            let mut images: Vec<u32> = graph.vertices().collect();
            (1..images.len()).for_each(|place| images.swap(place, random.below(place + 1)));
            let other = graph.relabelled(&images);
            let moved =
                |shapes: &[u64]| graph.vertices().map(|v| shapes[images[v as usize] as usize]).collect::<Vec<u64>>();
            for relation in RELATIONS {
                let expected: Vec<u64> = graph.vertices().map(|v| sum(parts(&graph, v, relation))).collect();
                let mut pairs = Pairs::new(&graph);
                assert_eq!(pairs.shapes(relation, u64::MAX).as_ref(), Some(&expected), "seed {seed}");
                assert!(graph.vertices().all(|v| pairs.shape(v, relation) == expected[v as usize]), "seed {seed}");
                let shapes = Pairs::new(&other).shapes(relation, u64::MAX).expect("no limit");
                assert_eq!(moved(&shapes), expected, "seed {seed}");
                let some = |graph: &Graph| -> Vec<u64> {
                    graph.vertices().map(|v| sum(parts(graph, v, relation).filter(|&(w, _)| w < v))).collect()
                };
                noticed += usize::from(moved(&some(&other)) != some(&graph));
            }
        }
        assert!(noticed > 24, "{noticed}");
    }

    /// The squares of a cyclic group and of a square that two exchanged pairs of symbols turn: pairs distinguish the vertices of the
    /// second only.
    #[test]
    fn only_graphs_with_different_vertices_are_recoloured() {
        let square = |symbol: &dyn Fn(u32, u32) -> u32| {
            let place = |v: u32| (v / 8, v % 8, symbol(v / 8, v % 8));
            graph(&[0; 64], |u, v| {
                let (left, right) = (place(u), place(v));
                left.0 == right.0 || left.1 == right.1 || left.2 == right.2
            })
        };
        let plain = square(&|row, column| row ^ column);
        assert!(!recolour(&mut Working::new(plain)), "all vertices are alike");
        let turned = square(&|row, column| row ^ column ^ u32::from(row < 2 && column < 2));
        let mut working = Working::new(turned);
        assert!(recolour(&mut working));
        let colour = |v: u32| working.graph.colour(v);
        assert!([0, 1, 8, 9].iter().all(|&v| colour(v) == colour(0)), "the turned places are alike");
        assert_ne!(colour(0), colour(63));
    }

    /// More steps than are allowed give nothing.
    #[test]
    fn a_limit_on_steps_gives_nothing() {
        let complete = graph(&[0; 70], |_, _| true);
        let mut pairs = Pairs::new(&complete);
        assert_eq!(pairs.shapes(Relation::Adjacent, 1000), None);
        assert!(pairs.costs(0).iter().all(|&(_, relation)| relation == Relation::Adjacent), "no two are distant");
        assert!(!recolour(&mut Working::new(graph(&[0; 70], |u, v| u % 2 != v % 2))), "no triangles");
    }
}
