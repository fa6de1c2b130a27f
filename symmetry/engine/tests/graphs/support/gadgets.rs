//! Graphs built from gadgets, as models produce them, and the hard cases for refinement.

use std::collections::BTreeMap;

use quotient_engine::{Graph, GraphBuilder, Vertex};

use super::Random;

/// A chain of `length` vertices of cycling colours from `from`, ending at `to` if given.
fn chain(builder: &mut GraphBuilder, from: Vertex, to: Option<Vertex>, length: u32, first: u32, colours: u32) {
    let mut last = from;
    for k in 0..length {
        let next = builder.add_vertex(first + k % colours);
        builder.add_edge(last, next);
        last = next;
    }
    if let Some(to) = to {
        builder.add_edge(last, to);
    }
}

fn variables(builder: &mut GraphBuilder, n: u32) -> (Vertex, [Vertex; 2]) {
    let variable = builder.add_vertices(n as usize, 1);
    let literals = [builder.add_vertices(n as usize, 2), builder.add_vertices(n as usize, 3)];
    for i in 0..n {
        builder.add_edge(variable + i, literals[0] + i);
        builder.add_edge(variable + i, literals[1] + i);
    }
    (variable, literals)
}

fn tuples(builder: &mut GraphBuilder, n: u32, constraint: Vertex, literals: [Vertex; 2], colour: u32) {
    for bits in 0..1_u32 << n {
        let tuple = builder.add_vertex(colour);
        builder.add_edge(constraint, tuple);
        for i in 0..n {
            builder.add_edge(tuple, literals[(bits >> i & 1) as usize] + i);
        }
    }
}

/// `k` constraints over `n` exchangeable variables with all tuples allowed: `n!`.
pub(crate) fn leader_complete(n: u32, k: u32) -> Graph {
    let mut builder = GraphBuilder::new();
    let (_, literals) = variables(&mut builder, n);
    for c in 0..k {
        let constraint = builder.add_vertex(10 + c);
        tuples(&mut builder, n, constraint, literals, 20 + c);
    }
    builder.build().expect("simple")
}

/// A directed ring of `n` processes with `q` constraints each: `n`.
pub(crate) fn leader_ring(n: u32, q: u32) -> Graph {
    let mut builder = GraphBuilder::new();
    let (variable, literals) = variables(&mut builder, n);
    for i in 0..n {
        chain(&mut builder, variable + i, Some(variable + (i + 1) % n), 2, 5, 2);
        for k in 0..q {
            let constraint = builder.add_vertex(30 + k);
            builder.add_edge(variable + i, constraint);
            tuples(&mut builder, n, constraint, literals, 20);
        }
    }
    builder.build().expect("simple")
}

/// Processes at the corners of a hypercube, a channel each way along every edge: `2^d d!`.
pub(crate) fn hypercube_processes(d: u32, size: u32) -> Graph {
    let mut builder = GraphBuilder::new();
    let roots = builder.add_vertices(1 << d, 1);
    for p in 0..1 << d {
        chain(&mut builder, roots + p, None, size - 1, 10, size);
        for k in 0..d {
            chain(&mut builder, roots + p, Some(roots + (p ^ (1 << k))), 2, 2, 2);
        }
    }
    builder.build().expect("simple")
}

/// A directed gadget between every two of `n` processes: `n!`.
pub(crate) fn peterson_processes(n: u32, size: u32) -> Graph {
    let mut builder = GraphBuilder::new();
    let roots = builder.add_vertices(n as usize, 1);
    for i in 0..n {
        for j in (0..n).filter(|&j| j != i) {
            chain(&mut builder, roots + i, Some(roots + j), size, 2, size);
        }
    }
    builder.build().expect("simple")
}

/// Servers with so many clients each: the factorials of the counts and of the numbers of equal counts.
pub(crate) fn tiers(clients: &[u32], size: u32) -> Graph {
    let mut builder = GraphBuilder::new();
    let top = builder.add_vertex(50);
    for &count in clients {
        let server = builder.add_vertex(1);
        builder.add_edge(top, server);
        for _ in 0..count {
            chain(&mut builder, server, None, size, 2, 6);
        }
    }
    builder.build().expect("simple")
}

/// A directed ring of chains: `n`.
pub(crate) fn dining(n: u32, size: u32) -> Graph {
    let mut builder = GraphBuilder::new();
    let roots = builder.add_vertices(n as usize, 1);
    for i in 0..n {
        chain(&mut builder, roots + i, Some(roots + (i + 1) % n), size - 1, 2, 7);
    }
    builder.build().expect("simple")
}

/// `k` pentagons with a pendant at each corner: `10^k k!`.
pub(crate) fn pentagons(k: u32) -> Graph {
    let mut builder = GraphBuilder::new();
    for _ in 0..k {
        let (corners, pendants) = (builder.add_vertices(5, 1), builder.add_vertices(5, 2));
        for i in 0..5 {
            builder.add_edge(corners + i, corners + (i + 1) % 5);
            builder.add_edge(corners + i, pendants + i);
        }
    }
    builder.build().expect("simple")
}

/// A ring of `k` hubs with four exchangeable tails each: `24^k 2 k`.
pub(crate) fn hub_ring(k: u32) -> Graph {
    let mut builder = GraphBuilder::new();
    let hubs = builder.add_vertices(k as usize, 1);
    for i in 0..k {
        builder.add_edge(hubs + i, hubs + (i + 1) % k);
        for _ in 0..4 {
            chain(&mut builder, hubs + i, None, 2, 2, 2);
        }
    }
    builder.build().expect("simple")
}

/// The Cai-Fürer-Immerman graph over a base (multi)graph; the first edge crossed when `twisted`.
pub(crate) fn cfi(base: &[(u32, u32)], twisted: bool) -> Graph {
    let mut builder = GraphBuilder::new();
    let mut ports: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (edge, &(u, v)) in base.iter().enumerate() {
        ports.entry(u).or_default().push(edge);
        ports.entry(v).or_default().push(edge);
    }
    let mut middle: BTreeMap<(u32, usize), Vertex> = BTreeMap::new();
    for (&v, edges) in &ports {
        for &edge in edges {
            middle.insert((v, edge), builder.add_vertices(2, 2));
        }
        for bits in (0..1_u32 << edges.len()).filter(|bits| bits.count_ones() % 2 == 0) {
            let inner = builder.add_vertex(1);
            for (place, edge) in edges.iter().enumerate() {
                builder.add_edge(inner, middle[&(v, *edge)] + (bits >> place & 1));
            }
        }
    }
    for (edge, &(u, v)) in base.iter().enumerate() {
        let twist = u32::from(twisted && edge == 0);
        for side in 0..2 {
            builder.add_edge(middle[&(u, edge)] + side, middle[&(v, edge)] + (side ^ twist));
        }
    }
    builder.build().expect("simple")
}

/// The base of Miyazaki's graphs: a ring of `2 k` vertices in which every other edge is doubled.
pub(crate) fn miyazaki_base(k: u32) -> Vec<(u32, u32)> {
    let n = 2 * k;
    (0..n).flat_map(|i| std::iter::repeat_n((i, (i + 1) % n), if i % 2 == 0 { 2 } else { 1 })).collect()
}

/// Pairs of feet, and for each of as many random triples of pairs four vertices that join one foot of each, an even number of second
/// feet among them. An automorphism exchanges the feet of some pairs, an even number in each triple: the order is `2^(pairs - rank)`,
/// with the rank of the triples over two elements, which is returned too.
pub(crate) fn multipede(pairs: u32, seed: u64) -> (Graph, u32) {
    let mut builder = GraphBuilder::new();
    let mut random = Random::new(seed);
    for pair in 0..pairs {
        let first = builder.add_vertices(2, 1);
        let segment = builder.add_vertex(2 + pair);
        builder.add_edge(first, segment);
        builder.add_edge(first + 1, segment);
    }
    let mut independent: Vec<Vec<bool>> = Vec::new();
    for _ in 0..pairs {
        let all = random.permutation(pairs as usize);
        for bits in [0_u32, 3, 5, 6] {
            let inner = builder.add_vertex(0);
            for (place, pair) in all[..3].iter().enumerate() {
                builder.add_edge(inner, Vertex::new(3 * pair) + (bits >> place & 1));
            }
        }
        let mut row = vec![false; pairs as usize];
        all[..3].iter().for_each(|&pair| row[pair as usize] = true);
        for other in &independent {
            let pivot = other.iter().position(|&is_in| is_in).expect("not empty");
            if row[pivot] {
                row.iter_mut().zip(other).for_each(|(to, from)| *to ^= from);
            }
        }
        if row.contains(&true) {
            independent.push(row);
        }
    }
    let rank = u32::try_from(independent.len()).expect("small");
    (builder.build().expect("simple"), rank)
}
