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
        for &(point, image) in pairs {
            self.images[point as usize] = image;
        }
        let valid = self.is_bijection(pairs)
            && pairs.iter().all(|&(point, image)| {
                graph.colour(point) == graph.colour(image)
                    && graph.degree(point) == graph.degree(image)
                    && self.keeps_edges(graph, point, image)
            });
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
        for &(point, image) in pairs {
            self.images[point as usize] = image;
        }
        let valid = left.edge_count() == right.edge_count()
            && self.is_bijection(pairs)
            && pairs.iter().all(|&(point, image)| {
                left.colour(point) == right.colour(image)
                    && left.degree(point) == right.degree(image)
                    && left.neighbours(point).iter().all(|&u| right.has_edge(image, self.images[u as usize]))
            });
        for &(point, _) in pairs {
            self.images[point as usize] = point;
        }
        valid
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
    use crate::graph::parse_dimacs;

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
