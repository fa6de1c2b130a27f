//! Laws that relate the groups of graphs and of graphs made from them, on random structured graphs.

use num_bigint::BigUint;
use quotient_engine::{Graph, SparsePermutation, automorphism_group, automorphisms, certifies};

use crate::support::{Random, all_automorphisms, graph, orbits};

fn order_and_orbits(graph: &Graph) -> (BigUint, Vec<u32>) {
    let report = automorphisms(graph, &mut |_| {});
    (report.order, report.orbits)
}

fn complement(base: &Graph) -> Graph {
    let edges: Vec<(u32, u32)> =
        base.vertices().flat_map(|v| (0..v).map(move |u| (u, v))).filter(|&(u, v)| !base.has_edge(u, v)).collect();
    graph(base.colours(), &edges)
}

fn union(a: &Graph, b: &Graph) -> Graph {
    let n = u32::try_from(a.len()).expect("small");
    let colours: Vec<u32> = a.colours().iter().chain(b.colours()).copied().collect();
    let edges: Vec<(u32, u32)> = a.edges().chain(b.edges().map(|(u, v)| (u + n, v + n))).collect();
    graph(&colours, &edges)
}

/// Every vertex of `a` replaced by a copy of `b`; copies of neighbours joined by `join`.
fn product(a: &Graph, b: &Graph, join: impl Fn(u32, u32) -> bool) -> Graph {
    let m = u32::try_from(b.len()).expect("small");
    let colours: Vec<u32> = a
        .vertices()
        .flat_map(|x| b.vertices().map(move |y| (x, y)))
        .map(|(x, y)| a.colour(x) * 4 + b.colour(y))
        .collect();
    let mut edges = Vec::new();
    for x in a.vertices() {
        edges.extend(b.edges().map(|(y, z)| (x * m + y, x * m + z)));
    }
    for (x, z) in a.edges() {
        for y in 0..m {
            edges.extend((0..m).filter(|&w| join(y, w)).map(|w| (x * m + y, z * m + w)));
        }
    }
    graph(&colours, &edges)
}

/// Adds a leaf to every vertex of colour zero, and subdivides every edge on request.
fn decorate(base: &Graph, leaf_colour: u32, subdivide: bool) -> Graph {
    let mut colours = base.colours().to_vec();
    let mut edges = Vec::new();
    let fresh = |colours: &mut Vec<u32>, colour: u32| {
        colours.push(colour);
        u32::try_from(colours.len() - 1).expect("small")
    };
    for (u, v) in base.edges() {
        if subdivide {
            let middle = fresh(&mut colours, 2);
            edges.extend([(u, middle), (middle, v)]);
        } else {
            edges.push((u, v));
        }
    }
    for v in base.vertices().filter(|&v| base.colour(v) == 0) {
        let leaf = fresh(&mut colours, leaf_colour);
        edges.push((v, leaf));
    }
    graph(&colours, &edges)
}

/// A small graph: a circulant, a random graph or a path, coloured now and then.
fn small(random: &mut Random, most: usize) -> Graph {
    let n = 1 + random.below(most);
    let size = u32::try_from(n).expect("small");
    let colours: Vec<u32> =
        if random.below(4) == 0 { (0..n).map(|_| u32::from(random.below(3) == 0)).collect() } else { vec![0; n] };
    let steps = random.below(8);
    let kind = random.below(3);
    let edges: Vec<(u32, u32)> = (0..size)
        .flat_map(|v| (0..v).map(move |u| (u, v)))
        .filter(|&(u, v)| match kind {
            0 => {
                let step = (v - u).min(size - (v - u));
                step < 4 && steps >> (step - 1) & 1 == 1
            }
            1 => random.below(2) == 0,
            _ => v == u + 1,
        })
        .collect();
    graph(&colours, &edges)
}

fn composed(random: &mut Random) -> Graph {
    let mut result = small(random, 6);
    for _ in 0..1 + random.below(3) {
        let other = small(random, 5);
        result = match random.below(7) {
            0 => union(&result, &other),
            1 => union(&result, &result.relabelled(&random.permutation(result.len()))),
            2 => product(&result, &other, |_, _| true),
            3 => product(&result, &other, |y, w| y == w),
            4 => product(&result, &other, |y, w| y != w),
            5 => decorate(&result, 3, random.below(2) == 0),
            _ => complement(&result),
        };
        if result.len() > 60 {
            break;
        }
    }
    result.relabelled(&random.permutation(result.len()))
}

#[test]
fn laws_of_composed_graphs() {
    let mut random = Random::new(17);
    for round in 0..1500 {
        let graph = composed(&mut random);
        let (order, classes) = order_and_orbits(&graph);
        assert_eq!(order_and_orbits(&complement(&graph)), (order.clone(), classes), "complement, round {round}");
        let copy = graph.relabelled(&random.permutation(graph.len()));
        assert_eq!(order_and_orbits(&copy).0, order, "relabelled, round {round}");
        let (double, _) = order_and_orbits(&decorate(&graph, 999, false));
        assert_eq!(double, order, "leaves of a new colour change nothing, round {round}");
        if graph.len() <= 40 {
            let (report, group) = automorphism_group(&graph);
            let chain = group.strong_generators(&report.base);
            assert_eq!(chain.order(), order, "Schreier-Sims, round {round}");
            assert_eq!(group.pointwise_stabiliser(&report.base).order(), BigUint::from(1_u32), "base, round {round}");
        }
        if graph.len() <= 9 {
            let all = all_automorphisms(&graph);
            assert_eq!(order, BigUint::from(all.len()), "brute force, round {round}");
            assert_eq!(order_and_orbits(&graph).1, orbits(graph.len(), &all), "orbits, round {round}");
        }
    }
}

#[test]
fn unions_multiply() {
    let mut random = Random::new(23);
    for round in 0..300 {
        let (a, b) = (composed(&mut random), composed(&mut random));
        // A vertex of its own colour joined to everything makes each part connected and different from the other.
        let cone = |base: &Graph, colour: u32| {
            let apex = u32::try_from(base.len()).expect("small");
            let mut colours = base.colours().to_vec();
            colours.push(colour);
            let edges: Vec<(u32, u32)> = base.edges().chain((0..apex).map(|v| (v, apex))).collect();
            graph(&colours, &edges)
        };
        let (a, b) = (cone(&a, 90), cone(&b, 91));
        let single = (order_and_orbits(&a).0, order_and_orbits(&b).0);
        assert_eq!(order_and_orbits(&union(&a, &b)).0, &single.0 * &single.1, "different parts, round {round}");
        let copy = a.relabelled(&random.permutation(a.len()));
        assert_eq!(order_and_orbits(&union(&a, &copy)).0, &single.0 * &single.0 * 2_u32, "copies, round {round}");
    }
}

#[test]
fn the_canary_is_rejected() {
    let square = graph(&[0; 4], &[(0, 1), (1, 2), (2, 3), (3, 0)]);
    let cycles = |cycles: &[&[u32]]| SparsePermutation::from_cycles(cycles).expect("disjoint");
    assert!(certifies(&square, &cycles(&[&[0, 1, 2, 3]])));
    assert!(!certifies(&square, &cycles(&[&[0, 1]])), "loses an edge");
    assert!(!certifies(&square, &cycles(&[&[0, 9]])), "moves a stranger");
    let coloured = graph(&[1, 0, 0, 0], &[(0, 1), (1, 2), (2, 3), (3, 0)]);
    assert!(!certifies(&coloured, &cycles(&[&[0, 2]])), "changes a colour");
}
