//! The check that a sparse permutation is an automorphism of a coloured graph.
//!
//! A bijection on its support that keeps colours and maps every edge at a moved vertex to an edge maps the edge set into itself, hence
//! onto itself. The check examines each such edge from the moved end of smaller degree only.
//!
//! # Complexity
//!
//! The degrees of the support, plus the degrees of the images.

use crate::graph::{Graph, index};

/// Scratch space of certifications over graphs of up to `n` vertices.
#[derive(Debug)]
pub(crate) struct Certifier {
    /// Image of every vertex; the identity between calls.
    images: Vec<u32>,
    /// Marks of the neighbours of one image.
    stamps: Vec<u32>,
    stamp: u32,
}

impl Certifier {
    /// Scratch space for `n` vertices.
    pub(crate) fn new(n: usize) -> Self {
        Self { images: (0..index(n)).collect(), stamps: vec![0; n], stamp: 0 }
    }

    /// Whether `pairs` (point, image; points and images distinct) is an automorphism of `graph`.
    pub(crate) fn is_automorphism(&mut self, graph: &Graph, pairs: &[(u32, u32)]) -> bool {
        assert!(graph.len() <= self.images.len(), "scratch space for the graph");
        self.mapped(pairs, |certifier, point, image| {
            graph.colour(point) == graph.colour(image)
                && graph.degree(point) == graph.degree(image)
                && certifier.keeps_edges(graph, point, image)
        })
    }

    /// Whether `pairs` is a bijection, each of them passing a test that may look at the images.
    fn mapped(&mut self, pairs: &[(u32, u32)], mut test: impl FnMut(&mut Self, u32, u32) -> bool) -> bool {
        for &(point, image) in pairs {
            self.images[point as usize] = image;
        }
        let valid = self.is_bijection(pairs) && pairs.iter().all(|&(point, image)| test(self, point, image));
        for &(point, _) in pairs {
            self.images[point as usize] = point;
        }
        valid
    }

    /// The moved points of `pairs` in ascending order, by one pass over all vertices; repeated points count once.
    pub(crate) fn sorted(&mut self, pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
        for &(point, image) in pairs {
            self.images[point as usize] = image;
        }
        let moved = (0..).zip(self.images.iter_mut()).filter(|(point, image)| point != *image);
        moved.map(|(point, image)| (point, std::mem::replace(image, point))).collect()
    }

    /// Whether `pairs`, one for every vertex of `left`, is an isomorphism to `right` of equal size.
    pub(crate) fn is_isomorphism(&mut self, left: &Graph, right: &Graph, pairs: &[(u32, u32)]) -> bool {
        debug_assert!(
            left.len() <= self.images.len() && right.len() <= self.images.len(),
            "scratch space of both graphs"
        );
        left.edge_count() == right.edge_count()
            && self.mapped(pairs, |certifier, point, image| {
                left.colour(point) == right.colour(image)
                    && left.degree(point) == right.degree(image)
                    && left.neighbours(point).iter().all(|&u| right.has_edge(image, certifier.images[u as usize]))
            })
    }

    fn next_stamp(&mut self) -> u32 {
        if self.stamp == u32::MAX {
            self.stamps.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
        self.stamp
    }

    /// Whether points are distinct, and images are the points in another order.
    fn is_bijection(&mut self, pairs: &[(u32, u32)]) -> bool {
        let points = self.next_stamp();
        for &(point, _) in pairs {
            if std::mem::replace(&mut self.stamps[point as usize], points) == points {
                return false;
            }
        }
        let images = self.next_stamp();
        pairs.iter().all(|&(_, image)| std::mem::replace(&mut self.stamps[image as usize], images) == points)
    }

    /// Whether the edges of `point` that the check examines from this end map to edges of `image`.
    fn keeps_edges(&mut self, graph: &Graph, point: u32, image: u32) -> bool {
        let stamp = self.next_stamp();
        for &u in graph.neighbours(image) {
            self.stamps[u as usize] = stamp;
        }
        let rank = (graph.degree(point), point);
        graph.neighbours(point).iter().all(|&u| {
            let target = self.images[u as usize];
            self.stamps[target as usize] == stamp || (target != u && (graph.degree(u), u) < rank)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Certifier;
    use crate::graph::{Graph, GraphBuilder, Vertex, parse_dimacs};

    /// All permutations of `0..n`.
    fn permutations(n: u32) -> Vec<Vec<u32>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let longer =
            |shorter: Vec<u32>| (0..=shorter.len()).map(move |at| [&shorter[..at], &[n - 1], &shorter[at..]].concat());
        permutations(n - 1).into_iter().flat_map(longer).collect()
    }

    /// Whether all colours and all pairs of vertices are kept: the definition.
    fn keeps_all(left: &Graph, right: &Graph, images: &[u32]) -> bool {
        let image = |v: u32| images[v as usize];
        left.vertices().all(|v| {
            left.colour(v) == right.colour(image(v))
                && left.vertices().all(|u| u == v || left.has_edge(u, v) == right.has_edge(image(u), image(v)))
        })
    }

    /// Every graph of `n` vertices, all of one colour and with a colour of its own for vertex 0.
    fn graphs(n: u32) -> impl Iterator<Item = Graph> {
        let pairs: Vec<(u32, u32)> = (0..n).flat_map(|v| (0..v).map(move |u| (u, v))).collect();
        (0..2_u32 << pairs.len()).map(move |mask| {
            let mut builder = GraphBuilder::new();
            (0..n).for_each(|v| {
                builder.add_vertex(u32::from(v == 0) & mask);
            });
            let chosen = (1..).zip(&pairs).filter(|(bit, _)| mask >> bit & 1 == 1);
            chosen.for_each(|(_, &(u, v))| builder.add_edge(Vertex::new(u), Vertex::new(v)));
            builder.build().expect("edges of two vertices")
        })
    }

    #[test]
    fn certificates_are_the_definition_on_every_small_graph() {
        for n in 0..=5 {
            let mut certifier = Certifier::new(n as usize);
            let all = permutations(n);
            for graph in graphs(n) {
                for images in &all {
                    let pairs: Vec<(u32, u32)> = (0..).zip(images.iter().copied()).collect();
                    let moved: Vec<(u32, u32)> = pairs.iter().copied().filter(|(from, to)| from != to).collect();
                    let expected = keeps_all(&graph, &graph, images);
                    assert_eq!(certifier.is_automorphism(&graph, &moved), expected, "{graph:?} {images:?}");
                    assert_eq!(
                        certifier.is_automorphism(&graph, &pairs),
                        expected,
                        "{graph:?} {images:?}, fixed points too"
                    );
                }
            }
        }
    }

    #[test]
    fn isomorphisms_are_the_definition_on_every_pair_of_small_graphs() {
        let (all, mut certifier) = (permutations(4), Certifier::new(4));
        let graphs: Vec<Graph> = graphs(4).collect();
        for (left, right) in graphs.iter().flat_map(|left| graphs.iter().map(move |right| (left, right))) {
            for images in &all {
                let pairs: Vec<(u32, u32)> = (0..).zip(images.iter().copied()).collect();
                let expected = keeps_all(left, right, images);
                assert_eq!(certifier.is_isomorphism(left, right, &pairs), expected, "{left:?} {right:?} {images:?}");
            }
        }
        assert!(!certifier.is_isomorphism(&graphs[0], &graphs[0], &[(0, 1), (1, 1), (2, 2), (3, 3)]), "an image twice");
    }

    /// Two edges, of which a candidate moves one end each: the other ends stay, so the edges are not kept. Whichever end comes first.
    #[test]
    fn edges_to_fixed_vertices_are_looked_at() {
        let edges = parse_dimacs("p edge 4 2\ne 1 2\ne 3 4\n").expect("well formed");
        let mut certifier = Certifier::new(4);
        assert!(!certifier.is_automorphism(&edges, &[(0, 2), (2, 0)]), "the ends before the fixed ones");
        assert!(!certifier.is_automorphism(&edges, &[(1, 3), (3, 1)]), "the ends after the fixed ones");
        assert!(certifier.is_automorphism(&edges, &[(0, 2), (2, 0), (1, 3), (3, 1)]));
    }

    #[test]
    fn non_automorphisms_are_rejected() {
        let square = parse_dimacs("p edge 4 4\ne 1 2\ne 2 3\ne 3 4\ne 4 1\n").expect("well formed");
        let mut certifier = Certifier::new(4);
        assert!(certifier.is_automorphism(&square, &[(0, 2), (2, 0)]));
        assert!(certifier.is_automorphism(&square, &[(0, 1), (1, 2), (2, 3), (3, 0)]));
        assert!(!certifier.is_automorphism(&square, &[(0, 1), (1, 0)]), "an edge is lost");
        assert!(!certifier.is_automorphism(&square, &[(0, 2)]), "no bijection");
        assert!(!certifier.is_automorphism(&square, &[(0, 2), (1, 2), (2, 0)]), "an image twice");
        let coloured = parse_dimacs("p edge 4 4\nn 1 1\ne 1 2\ne 2 3\ne 3 4\ne 4 1\n").expect("well formed");
        assert!(!certifier.is_automorphism(&coloured, &[(0, 2), (2, 0)]), "colours differ");
        assert!(certifier.is_automorphism(&coloured, &[(1, 3), (3, 1)]));
    }
}
