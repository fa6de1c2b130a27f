//! Graphs of known groups, a random source and a brute-force twin, shared by the tests.

// Each test binary uses a part of this.
#![allow(dead_code)]

pub(crate) mod combinatorial;
pub(crate) mod gadgets;

use quotient_engine::{Graph, GraphBuilder, Vertex};

/// A xorshift generator: deterministic, good enough to shuffle.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % bound as u64).expect("small bounds")
    }

    pub(crate) fn permutation(&mut self, n: usize) -> Vec<u32> {
        let mut images: Vec<u32> = (0..u32::try_from(n).expect("small")).collect();
        for i in (1..n).rev() {
            images.swap(i, self.below(i + 1));
        }
        images
    }
}

/// A graph from colours and edges.
pub(crate) fn graph(colours: &[u32], edges: &[(u32, u32)]) -> Graph {
    let mut builder = GraphBuilder::new();
    for &colour in colours {
        builder.add_vertex(colour);
    }
    for &(u, v) in edges {
        builder.add_edge(Vertex::new(u), Vertex::new(v));
    }
    builder.build().expect("a simple graph")
}

/// Whether `images` is an automorphism, edge by edge.
pub(crate) fn is_automorphism(graph: &Graph, images: &[u32]) -> bool {
    graph.vertices().all(|v| graph.colour(v) == graph.colour(images[v as usize]))
        && graph.edges().all(|(u, v)| graph.has_edge(images[u as usize], images[v as usize]))
}

/// All automorphisms, by extending partial maps one vertex at a time.
pub(crate) fn all_automorphisms(graph: &Graph) -> Vec<Vec<u32>> {
    let mut partial: Vec<Vec<u32>> = vec![Vec::new()];
    for v in graph.vertices() {
        let mut longer = Vec::new();
        for images in &partial {
            for image in graph.vertices() {
                let fits = !images.contains(&image)
                    && graph.colour(v) == graph.colour(image)
                    && (0..v).all(|u| graph.has_edge(u, v) == graph.has_edge(images[u as usize], image));
                if fits {
                    let mut next = images.clone();
                    next.push(image);
                    longer.push(next);
                }
            }
        }
        partial = longer;
    }
    partial
}

/// Least members of the orbits of permutations.
pub(crate) fn orbits(n: usize, permutations: &[Vec<u32>]) -> Vec<u32> {
    let mut least: Vec<u32> = (0..u32::try_from(n).expect("small")).collect();
    loop {
        let before = least.clone();
        for images in permutations {
            for v in 0..n {
                let low = least[v].min(least[images[v] as usize]);
                least[v] = low;
                least[images[v] as usize] = low;
            }
        }
        if least == before {
            return least;
        }
    }
}
