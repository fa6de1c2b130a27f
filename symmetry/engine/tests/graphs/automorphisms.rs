//! The automorphism engine against brute force, closed forms and its own invariances.

use num_bigint::BigUint;
use quotient_engine::{AutomorphismReport, Budget, Graph, SparsePermutation, automorphisms, automorphisms_within};

use crate::support::combinatorial as families;
use crate::support::gadgets;
use crate::support::{Random, all_automorphisms, graph, is_automorphism, orbits};

/// Both graphs, side by side.
fn union(a: &Graph, b: &Graph) -> Graph {
    let n = u32::try_from(a.len()).expect("small");
    let colours: Vec<u32> = a.colours().iter().chain(b.colours()).copied().collect();
    let edges: Vec<(u32, u32)> = a.edges().chain(b.edges().map(|(u, v)| (u + n, v + n))).collect();
    graph(&colours, &edges)
}

fn solve(graph: &Graph) -> (AutomorphismReport, Vec<SparsePermutation>) {
    let mut generators = Vec::new();
    let report = automorphisms(graph, &mut |generator| generators.push(generator.clone()));
    (report, generators)
}

fn factorial(n: u32) -> BigUint {
    (1..=n).map(BigUint::from).product()
}

/// Checks the order, that generators are automorphisms that explain the orbits, and the same for a relabelled copy.
fn check(name: &str, graph: &Graph, order: &BigUint) {
    let (report, generators) = solve(graph);
    assert!(report.complete);
    assert_eq!(&report.order, order, "order of {name}");
    assert_eq!(report.generators, generators.len());
    let dense: Vec<Vec<u32>> =
        generators.iter().map(|g| g.to_dense(graph.len()).expect("in range").images().to_vec()).collect();
    assert!(dense.iter().all(|images| is_automorphism(graph, images)), "generators of {name}");
    assert_eq!(report.orbits, orbits(graph.len(), &dense), "orbits of {name}");
    let images = Random::new(order.bits() + graph.len() as u64).permutation(graph.len());
    let (copy, _) = solve(&graph.relabelled(&images));
    assert_eq!(copy.order, report.order, "order of {name} relabelled");
    for v in 0..graph.len() {
        for u in 0..v {
            let together = report.orbits[u] == report.orbits[v];
            let moved = copy.orbits[images[u] as usize] == copy.orbits[images[v] as usize];
            assert_eq!(together, moved, "orbits of {name} relabelled");
        }
    }
}

fn check_number(name: &str, graph: &Graph, order: u64) {
    check(name, graph, &BigUint::from(order));
}

#[test]
fn every_graph_on_up_to_six_vertices() {
    for n in 0..=6_u32 {
        let pairs: Vec<(u32, u32)> = (0..n).flat_map(|v| (0..v).map(move |u| (u, v))).collect();
        for mask in 0..1_u32 << pairs.len() {
            let chosen = pairs.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1).map(|(_, &pair)| pair);
            let edges: Vec<(u32, u32)> = chosen.collect();
            let graph = graph(&vec![0; n as usize], &edges);
            let all = all_automorphisms(&graph);
            let (report, _) = solve(&graph);
            assert_eq!(report.order, BigUint::from(all.len()), "order of {edges:?}");
            assert_eq!(report.orbits, orbits(graph.len(), &all), "orbits of {edges:?}");
        }
    }
}

#[test]
fn random_coloured_graphs_against_brute_force() {
    let mut random = Random::new(11);
    for round in 0..1500 {
        let n = 4 + random.below(7);
        let colours: Vec<u32> = (0..n).map(|_| u32::try_from(random.below(3) / 2).expect("small")).collect();
        let density = 1 + random.below(4);
        let size = u32::try_from(n).expect("small");
        let edges: Vec<(u32, u32)> =
            (0..size).flat_map(|v| (0..v).map(move |u| (u, v))).filter(|_| random.below(5) < density).collect();
        let graph = graph(&colours, &edges);
        let all = all_automorphisms(&graph);
        if all.len() > 5000 {
            continue;
        }
        let (report, _) = solve(&graph);
        assert_eq!(report.order, BigUint::from(all.len()), "round {round}: {colours:?} {edges:?}");
        assert_eq!(report.orbits, orbits(n, &all), "round {round}: {colours:?} {edges:?}");
        let fixing = all.iter().filter(|images| report.base.iter().all(|&b| images[b as usize] == b)).count();
        assert_eq!(fixing, 1, "base of round {round}: {colours:?} {edges:?}");
    }
}

#[test]
fn named_graphs() {
    check_number("Frucht", &families::frucht(), 1);
    check_number("Petersen", &families::petersen(), 120);
    check_number("Shrikhande", &families::shrikhande(), 192);
    check_number("rook", &families::rook(), 1152);
    check_number("Paley 13", &families::paley(13), 78);
    check_number("Paley 101", &families::paley(101), 5050);
    check_number("plane of order 5", &families::projective_plane(5), 2 * 372_000);
    check_number("cycle", &families::cycle(50), 100);
    check("complete", &families::complete(30), &factorial(30));
    check("Johnson", &families::subsets(8, 3, 2), &factorial(8));
    check("Kneser", &families::subsets(9, 3, 0), &factorial(9));
    for d in 1..=7 {
        check("hypercube", &families::hypercube(d), &(factorial(d) << d));
    }
}

#[test]
fn squares_and_regular_graphs() {
    check_number("cyclic square", &families::latin_square(&families::cyclic_square(7)), 6 * 49 * 6);
    check_number("random square", &families::latin_square(&families::random_square(12, 3)), 1);
    let edges = families::random_regular(400, 3, 5);
    check_number("random cubic", &graph(&[0; 400], &edges), 1);
}

#[test]
fn gadgets_of_models() {
    check("complete leaders", &gadgets::leader_complete(7, 3), &factorial(7));
    check_number("ring of leaders", &gadgets::leader_ring(5, 2), 5);
    check("hypercube of processes", &gadgets::hypercube_processes(4, 10), &(factorial(4) << 4));
    check("Peterson", &gadgets::peterson_processes(7, 6), &factorial(7));
    check_number("tiers", &gadgets::tiers(&[3, 3, 2], 5), 6 * 6 * 2 * 2);
    check("equal tiers", &gadgets::tiers(&[4, 4, 4], 5), &(factorial(4).pow(3) * 6_u32));
    check_number("dining", &gadgets::dining(24, 9), 24);
    check("pentagons", &gadgets::pentagons(9), &(BigUint::from(10_u32).pow(9) * factorial(9)));
    check("hub ring", &gadgets::hub_ring(9), &(BigUint::from(24_u32).pow(9) * 18_u32));
}

#[test]
fn graphs_that_refinement_cannot_see_through() {
    // A rigid base with m edges on n vertices leaves one flip for each independent cycle: 2^(m - n + 1).
    let base = families::random_regular(30, 3, 5);
    assert_eq!(solve(&graph(&[0; 30], &base)).0.order, BigUint::from(1_u32));
    for twisted in [false, true] {
        check("CFI", &gadgets::cfi(&base, twisted), &(BigUint::from(1_u32) << 16));
    }
    // k double edges exchange within, all flips of the cycle space, rotations and reflections of the ring.
    for k in [4_u32, 9] {
        let order = (BigUint::from(1_u32) << (k + 1 + k)) * (2 * k);
        check("Miyazaki", &gadgets::cfi(&gadgets::miyazaki_base(k), false), &order);
    }
}

/// Regular graphs whose vertices only deep paths distinguish: a search that tries all children of look-alikes needs millions of nodes.
#[test]
fn look_alikes_are_refuted_in_few_nodes() {
    let nodes = |name: &str, graph: &Graph, order: u64| {
        check_number(name, graph, order);
        let mut budget = Budget::unlimited().with_max_nodes(40_000);
        assert!(automorphisms_within(graph, &mut budget, &mut |_| {}).complete, "{name} in {} nodes", budget.nodes());
    };
    // The square of an elementary abelian group of n elements with one of its n^2 (n - 1) / 4 subsquares turned: the group is
    // transitive on these, so its order 6 n^2 GL(k, 2) is divided by their number.
    for (size, order) in [(16, 6 * 256 * 20_160 / 960), (32, 6 * 1024 * 9_999_360 / 7_936)] {
        let mut square: Vec<Vec<u32>> = (0..size).map(|i| (0..size).map(|j| i ^ j).collect()).collect();
        for (row, column) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            square[row][column] ^= 1;
        }
        nodes("turned square", &families::latin_square(&square), order);
    }
    // Points and lines of a plane that is no projective space: two orbits each, which only quadrangles distinguish.
    nodes("Hall plane", &families::hall_plane(3), 311_040);
    for pairs in [60, 200] {
        let (multipede, rank) = gadgets::multipede(pairs, 3);
        nodes("multipede", &multipede, 1 << (pairs - rank));
    }
}

/// The order does not depend on the numbers of the vertices, which decide which paths are tried and where they are left.
#[test]
fn hard_graphs_have_one_order_under_all_numbers() {
    let (multipede, rank) = gadgets::multipede(60, 3);
    let cases = [
        ("Hall plane", families::hall_plane(3), BigUint::from(311_040_u32)),
        ("projective plane", families::projective_plane(5), BigUint::from(744_000_u32)),
        ("multipede", multipede, BigUint::from(1_u32) << (60 - rank)),
    ];
    for (name, single, order) in cases {
        for seed in 0..6 {
            let images = Random::new(seed).permutation(single.len());
            assert_eq!(solve(&single.relabelled(&images)).0.order, order, "{name}, seed {seed}");
        }
    }
}

#[test]
fn twisted_and_untwisted_components_are_distinguished() {
    let base = families::random_regular(16, 3, 8);
    let (plain, twisted) = (gadgets::cfi(&base, false), gadgets::cfi(&base, true));
    let single = solve(&plain).0.order;
    check("two of a kind", &union(&plain, &plain), &(&single * &single * 2_u32));
    check("plain and twisted", &union(&plain, &twisted), &(&single * &single));
}

/// A graph with one more vertex of a colour of its own, next to all others.
fn apex(base: &Graph) -> Graph {
    let n = u32::try_from(base.len()).expect("small");
    let colours: Vec<u32> = base.colours().iter().copied().chain([u32::MAX]).collect();
    graph(&colours, &base.edges().chain(base.vertices().map(|v| (v, n))).collect::<Vec<_>>())
}

/// Copies whose vertices have other numbers, also of graphs that a first path does not see through.
#[test]
fn relabelled_components_are_copies_of_each_other() {
    let cases = [
        ("CFI", gadgets::cfi(&families::random_regular(16, 3, 8), false)),
        ("larger CFI", gadgets::cfi(&families::random_regular(30, 3, 5), true)),
        ("Miyazaki", gadgets::cfi(&gadgets::miyazaki_base(6), false)),
        ("multipede", apex(&gadgets::multipede(60, 3).0)),
        ("larger multipede", apex(&gadgets::multipede(200, 3).0)),
        ("square", families::latin_square(&families::cyclic_square(6))),
        ("plane", families::projective_plane(5)),
        ("rigid square", families::latin_square(&families::random_square(8, 3))),
    ];
    for (name, single) in cases {
        let order = solve(&single).0.order;
        for seed in 0..3 {
            let images = Random::new(seed).permutation(single.len());
            let (report, _) = solve(&union(&single, &single.relabelled(&images)));
            assert_eq!(report.order, &order * &order * 2_u32, "{name}, seed {seed}");
        }
    }
}

/// Squares of cyclic groups of composite order: all vertices are alike, and the neighbours of one are not, though refinement does not show this
/// them apart, so that some vertices of a target cell are images and others are refused.
#[test]
fn cells_that_are_no_orbits_have_images_and_refusals() {
    for (size, units) in [(6, 2), (8, 4), (9, 6), (10, 4)] {
        let square = families::latin_square(&families::cyclic_square(size));
        let order = BigUint::from(6 * size * size * units);
        for seed in 0..8 {
            let images = Random::new(seed).permutation(square.len());
            assert_eq!(solve(&square.relabelled(&images)).0.order, order, "size {size}, seed {seed}");
        }
    }
}

/// A connected graph numbered by distance from its first vertex, so that brute force meets edges early.
fn by_distance(graph: &Graph) -> Graph {
    let mut order = vec![0];
    let mut next = 0;
    while next < order.len() {
        let fresh: Vec<u32> = graph.neighbours(order[next]).iter().copied().filter(|v| !order.contains(v)).collect();
        order.extend(fresh);
        next += 1;
    }
    let mut images = vec![0; graph.len()];
    (0..).zip(&order).for_each(|(number, &v)| images[v as usize] = number);
    graph.relabelled(&images)
}

/// Cubic graphs some vertices of which became pairs of twins with three neighbours, and a leaf at every vertex: twins show only once the
/// leaves are contracted, when the colours are equitable already and the classes of twins split them.
#[test]
fn twins_that_show_late_split_colours() {
    for (size, replaced) in (3..=5_u32).flat_map(|size| (1..1_u32 << size).map(move |replaced| (size, replaced))) {
        let mut edges = Vec::new();
        let mut vertices = 2 * size;
        for left in 0..size {
            // Where the edges to three vertices of the other side begin.
            let mut ends = [left; 3];
            if replaced >> left & 1 == 1 {
                ends = [vertices, vertices + 1, vertices + 2];
                edges.extend(ends.iter().flat_map(|&end| [(left, end), (vertices + 3, end)]));
                vertices += 4;
            }
            edges.extend((0..).zip(ends).map(|(step, end)| (end, size + (left + step) % size)));
        }
        let count = |n: u32| vec![0; n as usize];
        let plain = graph(&count(vertices), &edges);
        edges.extend((0..vertices).map(|v| (v, vertices + v)));
        let order = BigUint::from(all_automorphisms(&by_distance(&plain)).len());
        let name = format!("{size} with {replaced:b}");
        check(&name, &plain, &order);
        check(&name, &graph(&[count(vertices), vec![1; vertices as usize]].concat(), &edges), &order);
        check(&name, &graph(&count(2 * vertices), &edges), &order);
    }
}

#[test]
fn a_spent_budget_is_reported() {
    let graph = gadgets::cfi(&families::random_regular(30, 3, 5), false);
    let whole = solve(&graph).0;
    let mut generators = Vec::new();
    let mut budget = Budget::unlimited().with_max_nodes(10);
    let report = automorphisms_within(&graph, &mut budget, &mut |generator| generators.push(generator.clone()));
    assert!(!report.complete && report.order < whole.order);
    for generator in &generators {
        assert!(is_automorphism(&graph, generator.to_dense(graph.len()).expect("in range").images()));
    }
    let mut found = 0;
    let report = limits::Watch::unlimited().at_most(1_000).run(|| automorphisms(&graph, &mut |_| found += 1));
    let report = report.expect("the search catches the stop and reports its findings");
    assert!(!report.complete && report.generators == found && report.order < whole.order);
}
