//! Graphs from combinatorics, with the orders of their groups in the comments.

use std::collections::BTreeSet;

use quotient_engine::Graph;

use super::{Random, graph};

type Edges = Vec<(u32, u32)>;

fn plain(n: u32, edges: &[(u32, u32)]) -> Graph {
    graph(&vec![0; n as usize], edges)
}

/// The complete graph: `n!`.
pub(crate) fn complete(n: u32) -> Graph {
    let edges: Edges = (0..n).flat_map(|v| (0..v).map(move |u| (u, v))).collect();
    plain(n, &edges)
}

/// The cycle: `2 n`.
pub(crate) fn cycle(n: u32) -> Graph {
    let edges: Edges = (0..n).map(|v| (v, (v + 1) % n)).collect();
    plain(n, &edges)
}

/// The hypercube of dimension `d`: `2^d d!`.
pub(crate) fn hypercube(d: u32) -> Graph {
    let edges: Edges = (0..1_u32 << d).flat_map(|v| (0..d).map(move |k| (v, v ^ (1 << k)))).collect();
    plain(1 << d, &edges)
}

/// Petersen: 120.
pub(crate) fn petersen() -> Graph {
    let edges: Edges = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]).collect();
    plain(10, &edges)
}

/// Frucht: 1.
pub(crate) fn frucht() -> Graph {
    let mut edges: Edges = (0..7).map(|i| (i, (i + 1) % 7)).collect();
    edges.extend([(0, 7), (1, 7), (2, 8), (3, 9), (4, 9), (5, 10), (6, 10), (7, 11), (8, 11), (8, 9), (10, 11)]);
    plain(12, &edges)
}

/// Shrikhande: 192.
pub(crate) fn shrikhande() -> Graph {
    let steps = [(1, 0), (0, 1), (1, 1)];
    let edges: Edges =
        (0..16_u32).flat_map(|v| steps.map(move |(a, b)| (v, (v / 4 + a) % 4 * 4 + (v % 4 + b) % 4))).collect();
    plain(16, &edges)
}

/// The 4 by 4 rook's graph, with the parameters of Shrikhande: 1152.
pub(crate) fn rook() -> Graph {
    let edges: Edges = (0..16_u32)
        .flat_map(|v| (0..v).filter(move |u| u / 4 == v / 4 || u % 4 == v % 4).map(move |u| (u, v)))
        .collect();
    plain(16, &edges)
}

/// Paley for a prime `q = 1 mod 4`: `q (q - 1) / 2`.
pub(crate) fn paley(q: u32) -> Graph {
    let squares: BTreeSet<u32> = (1..q).map(|x| x * x % q).collect();
    let edges: Edges = (0..q)
        .flat_map(|v| (0..v).filter(|u| squares.contains(&(v - u))).map(move |u| (u, v)).collect::<Edges>())
        .collect();
    plain(q, &edges)
}

/// The graph of a Latin square: cells joined when they share row, column or symbol.
pub(crate) fn latin_square(square: &[Vec<u32>]) -> Graph {
    let n = u32::try_from(square.len()).expect("small");
    let symbol = |v: u32| square[(v / n) as usize][(v % n) as usize];
    let edges: Edges = (0..n * n)
        .flat_map(|v| {
            (0..v)
                .filter(|&u| u / n == v / n || u % n == v % n || symbol(u) == symbol(v))
                .map(|u| (u, v))
                .collect::<Edges>()
        })
        .collect();
    plain(n * n, &edges)
}

/// The Cayley table of the cyclic group: `6 n^2 phi(n)` for `n > 4`.
pub(crate) fn cyclic_square(n: u32) -> Vec<Vec<u32>> {
    (0..n).map(|i| (0..n).map(|j| (i + j) % n).collect()).collect()
}

/// A square without symmetry, from cycle switches on random pairs of rows.
pub(crate) fn random_square(n: u32, seed: u64) -> Vec<Vec<u32>> {
    let mut random = Random::new(seed);
    let mut square = cyclic_square(n);
    for _ in 0..40 * n {
        let (a, b) = (random.below(n as usize), random.below(n as usize));
        let start = random.below(n as usize);
        let mut cycle = vec![start];
        let mut at = start;
        loop {
            let symbol = square[b][at];
            at = square[a].iter().position(|&other| other == symbol).expect("a Latin square");
            if at == start {
                break;
            }
            cycle.push(at);
        }
        if a != b && cycle.len() < n as usize {
            for column in cycle {
                let symbol = square[a][column];
                square[a][column] = square[b][column];
                square[b][column] = symbol;
            }
        }
    }
    square
}

/// Incidence graph of the projective plane over a prime field: `2 |PGL(3, q)|`.
pub(crate) fn projective_plane(q: u32) -> Graph {
    let mut points: Vec<[u32; 3]> = Vec::new();
    points.extend((0..q).flat_map(|a| (0..q).map(move |b| [1, a, b])));
    points.extend((0..q).map(|a| [0, 1, a]));
    points.push([0, 0, 1]);
    let n = u32::try_from(points.len()).expect("small");
    let mut edges = Vec::new();
    for (i, p) in (0..).zip(&points) {
        for (j, l) in (0..).zip(&points) {
            if p.iter().zip(l).map(|(a, b)| a * b).sum::<u32>() % q == 0 {
                edges.push((i, n + j));
            }
        }
    }
    plain(2 * n, &edges)
}

/// Incidence graph of the Hall plane of order `q * q` for a prime `q` of the form `4 k + 3`: 311040 for order 9.
///
/// A translation plane: points are pairs of elements of a quasifield and one point per slope, lines are `y = x m + b`, `x = c` and the
/// line of slopes. The quasifield has elements `a + b t`, multiplied with `t` as a root of any polynomial `x^2 + 1` is.
pub(crate) fn hall_plane(q: u32) -> Graph {
    let order = q * q;
    let inverse = |d: u32| (1..q).find(|x| x * d % q == 1).expect("a field");
    let times = |x: u32, m: u32| {
        let (a, b, c, d) = (x % q, x / q, m % q, m / q);
        let (low, high) = match d {
            0 => (a * c, b * c),
            _ => (a * c + (q - b) * inverse(d) % q * (c * c + 1), a * d + (q - b) * c),
        };
        low % q + high % q * q
    };
    let plus = |x: u32, y: u32| (x % q + y % q) % q + (x / q + y / q) % q * q;
    let points = order * order + order + 1;
    let (point, slope, last) = (|x: u32, y: u32| x * order + y, |m: u32| order * order + m, points - 1);
    let mut edges = Vec::new();
    for m in 0..order {
        for b in 0..order {
            let line = points + m * order + b;
            edges.extend((0..order).map(|x| (point(x, plus(times(x, m), b)), line)));
            edges.push((slope(m), line));
        }
        let line = points + order * order + m;
        edges.extend((0..order).map(|y| (point(m, y), line)));
        edges.push((last, line));
        edges.push((slope(m), points + last));
    }
    edges.push((last, points + last));
    plain(2 * points, &edges)
}

/// Subsets of `k` of `n` points, joined when they share exactly `shared`: `n!` for Johnson and most Kneser graphs.
pub(crate) fn subsets(n: u32, k: u32, shared: u32) -> Graph {
    let sets: Vec<u32> = (0..1_u32 << n).filter(|set| set.count_ones() == k).collect();
    let mut edges = Vec::new();
    for (j, b) in (0..).zip(&sets) {
        for (i, a) in (0..j).zip(&sets) {
            if (a & b).count_ones() == shared {
                edges.push((i, j));
            }
        }
    }
    plain(u32::try_from(sets.len()).expect("small"), &edges)
}

/// A random simple regular graph, from a shuffled list of half-edges repaired by exchanges.
pub(crate) fn random_regular(n: u32, degree: u32, seed: u64) -> Vec<(u32, u32)> {
    let mut random = Random::new(seed);
    loop {
        let mut ends: Vec<u32> = (0..n).flat_map(|v| std::iter::repeat_n(v, degree as usize)).collect();
        for i in (1..ends.len()).rev() {
            ends.swap(i, random.below(i + 1));
        }
        for _ in 0..100 {
            let mut seen = BTreeSet::new();
            let bad: Vec<usize> = (0..ends.len() / 2)
                .filter(|&e| {
                    let (a, b) = (ends[2 * e].min(ends[2 * e + 1]), ends[2 * e].max(ends[2 * e + 1]));
                    a == b || !seen.insert((a, b))
                })
                .collect();
            if bad.is_empty() {
                return seen.into_iter().collect();
            }
            for e in bad {
                let other = random.below(ends.len());
                ends.swap(2 * e, other);
            }
        }
    }
}
