//! The automorphism engine against brute force, closed forms and its own invariances.

use engine::{AutomorphismReport, Budget, Graph, SparsePermutation, automorphisms, automorphisms_within};
use num_bigint::BigUint;

use crate::support::combinatorial as families;
use crate::support::gadgets;
use crate::support::{Random, all_automorphisms, graph, is_automorphism, orbits};

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

/// Regular graphs whose vertices only deep paths tell apart: a search that tries all children of look-alikes needs millions of nodes.
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
    for pairs in [60, 200] {
        let (multipede, rank) = gadgets::multipede(pairs, 3);
        nodes("multipede", &multipede, 1 << (pairs - rank));
    }
}

#[test]
fn twisted_and_untwisted_components_are_told_apart() {
    let base = families::random_regular(16, 3, 8);
    let (plain, twisted) = (gadgets::cfi(&base, false), gadgets::cfi(&base, true));
    let single = solve(&plain).0.order;
    let union = |a: &Graph, b: &Graph| {
        let n = u32::try_from(a.len()).expect("small");
        let colours: Vec<u32> = a.colours().iter().chain(b.colours()).copied().collect();
        let edges: Vec<(u32, u32)> = a.edges().chain(b.edges().map(|(u, v)| (u + n, v + n))).collect();
        graph(&colours, &edges)
    };
    check("two of a kind", &union(&plain, &plain), &(&single * &single * 2_u32));
    check("plain and twisted", &union(&plain, &twisted), &(&single * &single));
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
    let report = report.expect("the search catches the stop and tells of what it found");
    assert!(!report.complete && report.generators == found && report.order < whole.order);
}
