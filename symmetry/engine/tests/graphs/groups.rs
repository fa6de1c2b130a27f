//! Permutation groups against enumeration, and against the automorphism engine.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use quotient_engine::{Budget, Graph, Group, Permutation, RandomSource, SparsePermutation, automorphisms};

use crate::support::combinatorial as families;
use crate::support::gadgets;
use crate::support::{Random, graph};

fn group(degree: usize, generators: &[&[&[u32]]]) -> Group {
    let generators = generators.iter().map(|cycles| SparsePermutation::from_cycles(cycles).expect("disjoint"));
    Group::from_generators(degree, generators.collect()).expect("in range")
}

/// All elements, by multiplying until nothing is new.
fn enumerate(group: &Group, limit: usize) -> Option<BTreeSet<Vec<u32>>> {
    let dense: Vec<Permutation> =
        group.generators().iter().map(|g| g.to_dense(group.degree()).expect("in range")).collect();
    let identity = Permutation::identity(group.degree());
    let mut elements = BTreeSet::from([identity.images().to_vec()]);
    let mut queue = vec![identity];
    while let Some(element) = queue.pop() {
        for generator in &dense {
            let next = element.then(generator);
            if elements.insert(next.images().to_vec()) {
                queue.push(next);
            }
        }
        if elements.len() > limit {
            return None;
        }
    }
    Some(elements)
}

/// Compares every answer of a group with its list of elements.
fn check(group: &Group, elements: &BTreeSet<Vec<u32>>, random: &mut Random) {
    let n = group.degree();
    assert_eq!(group.order(), BigUint::from(elements.len()), "{:?}", group.generators());
    for _ in 0..30 {
        let images = random.permutation(n);
        let permutation = Permutation::from_images(images.clone()).expect("a bijection");
        assert_eq!(group.contains(&permutation), elements.contains(&images));
    }
    let mut source = RandomSource::new(7);
    for _ in 0..10 {
        let element = group.random_element(&mut source);
        assert!(elements.contains(element.images()) && group.contains(&element));
    }
    let all: BTreeSet<Vec<u32>> = group.elements().map(|element| element.images().to_vec()).collect();
    assert_eq!(&all, elements);
    for point in 0..u32::try_from(n).expect("small") {
        let fixing = |images: &&Vec<u32>| images[point as usize] == point;
        let stabiliser = group.stabiliser(point);
        assert_eq!(stabiliser.order(), BigUint::from(elements.iter().filter(fixing).count()));
        assert!(stabiliser.generators().iter().all(|g| g.image(point) == point && group.contains_sparse(g)));
        assert_eq!(stabiliser.order() * group.orbit(point).len(), group.order(), "orbit times stabiliser");
    }
    let fixed = [0, u32::try_from(n / 2).expect("small")];
    let both = elements.iter().filter(|images| fixed.iter().all(|&p| images[p as usize] == p)).count();
    assert_eq!(group.pointwise_stabiliser(&fixed).order(), BigUint::from(both));
    let strong = group.strong_generators(&fixed);
    assert_eq!(strong.base()[..2], fixed);
    assert_eq!(strong.order(), group.order());
    let product: BigUint = group.factors().iter().map(Group::order).product();
    assert_eq!(product, group.order(), "disjoint factors");
}

#[test]
fn random_groups_against_enumeration() {
    let mut random = Random::new(3);
    let mut checked = 0;
    for _ in 0..400 {
        let n = 3 + random.below(8);
        let mut generators = Vec::new();
        for _ in 0..1 + random.below(3) {
            let images = random.permutation(n);
            let size = 2 + random.below(n - 1);
            // Keep short cycles only: they generate groups of interest.
            let whole = Permutation::from_images(images).expect("a bijection");
            let cycles = whole.cycles();
            let some: Vec<&[u32]> = cycles.iter().filter(|c| c.len() <= size).map(Vec::as_slice).collect();
            generators.push(SparsePermutation::from_cycles(&some).expect("disjoint"));
        }
        let group = Group::from_generators(n, generators).expect("in range");
        if let Some(elements) = enumerate(&group, 3000) {
            check(&group, &elements, &mut random);
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} groups were small enough");
}

#[test]
fn imprimitive_and_shadowed_groups_against_enumeration() {
    let mut random = Random::new(4);
    let cases = [
        group(6, &[&[&[0, 1]], &[&[0, 2], &[1, 3]], &[&[0, 2, 4], &[1, 3, 5]]]),
        group(8, &[&[&[0, 1, 2]], &[&[0, 3], &[1, 4], &[2, 5], &[6, 7]]]),
        group(9, &[&[&[0, 1], &[3, 4], &[6, 7]], &[&[1, 2], &[4, 5], &[7, 8]]]),
        group(10, &[&[&[0, 1]], &[&[2, 3]], &[&[0, 2], &[1, 3], &[8, 9]], &[&[4, 5, 6, 7]]]),
        group(8, &[&[&[0, 1, 2, 3], &[4, 5]], &[&[0, 2], &[6, 7]]]),
        group(6, &[&[&[0, 1, 2], &[3, 4, 5]], &[&[0, 3], &[1, 5], &[2, 4]]]),
        group(5, &[]),
    ];
    for group in cases {
        let elements = enumerate(&group, 100_000).expect("small");
        check(&group, &elements, &mut random);
    }
}

#[test]
fn structures_are_named() {
    let name = |group: Group| group.structure().to_string();
    assert_eq!(name(group(4, &[])), "1");
    assert_eq!(name(group(7, &[&[&[0, 1]], &[&[0, 1, 2, 3]], &[&[4, 5, 6]]])), "S4 x C3");
    assert_eq!(name(group(5, &[&[&[0, 1, 2, 3, 4]], &[&[1, 4], &[2, 3]]])), "D5");
    assert_eq!(name(group(5, &[&[&[0, 1, 2, 3, 4]], &[&[0, 1, 2]]])), "A5");
    assert_eq!(name(group(6, &[&[&[0, 1]], &[&[0, 1, 2]], &[&[0, 3], &[1, 4], &[2, 5]]])), "S3 wr S2");
    assert_eq!(name(group(9, &[&[&[0, 1, 2]], &[&[0, 3, 6], &[1, 4, 7], &[2, 5, 8]]])), "C3 wr C3");
    assert_eq!(name(group(4, &[&[&[0, 1], &[2, 3]], &[&[0, 2], &[1, 3]]])), "S2^2");
    assert_eq!(name(group(6, &[&[&[0, 1, 2], &[3, 4, 5]], &[&[0, 3], &[1, 5], &[2, 4]]])), "S3");
    assert_eq!(name(group(6, &[&[&[0, 1, 2], &[3, 4]], &[&[3, 4], &[0, 2, 1]]])), "S2 x C3");
    assert_eq!(name(group(9, &[&[&[0, 1], &[3, 4], &[6, 7]], &[&[1, 2], &[4, 5], &[7, 8]]])), "S3");
    // Generators that hide the blocks: the wreath product is found from its chain.
    assert_eq!(name(group(6, &[&[&[0, 1], &[3, 4, 5]], &[&[0, 3, 1, 4, 2, 5]]])), "S3 wr S2");
    assert_eq!(name(group(11, &[&[&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]], &[&[2, 6, 10, 7], &[3, 9, 4, 5]]])), "G(7920)");
}

#[test]
fn products_are_found_behind_pairs() {
    // Values 0..4 and a ring 4..7 act together on their pairs 7..19, and only these show the whole group.
    let pair = |place: u32, value: u32| 7 + 4 * place + value;
    let mut generators = Vec::new();
    for cycle in [&[0, 1][..], &[0, 1, 2, 3]] {
        let mut cycles = vec![cycle.to_vec()];
        cycles.extend((0..3).map(|place| cycle.iter().map(|&value| pair(place, value)).collect()));
        generators.push(cycles);
    }
    let mut turn = vec![vec![4, 5, 6]];
    turn.extend((0..4).map(|value| (0..3).map(|place| pair(place, value)).collect()));
    generators.push(turn);
    let generators = generators
        .iter()
        .map(|cycles| SparsePermutation::from_cycles(&cycles.iter().map(Vec::as_slice).collect::<Vec<_>>()))
        .map(|generator| generator.expect("disjoint"));
    let group = Group::from_generators(19, generators.collect()).expect("in range");
    let elements = enumerate(&group, 1000).expect("small");
    check(&group, &elements, &mut Random::new(6));
    assert_eq!(group.structure().to_string(), "S4 x C3");
}

fn engine_group(graph: &Graph) -> (BigUint, Group) {
    let mut generators = Vec::new();
    let report = automorphisms(graph, &mut |generator| generators.push(generator.clone()));
    (report.order, Group::from_generators(graph.len(), generators).expect("in range"))
}

#[test]
fn search_order_is_the_order_of_the_generated_group() {
    let cubic = families::random_regular(12, 3, 8);
    let graphs = [
        families::petersen(),
        families::shrikhande(),
        families::rook(),
        families::paley(29),
        families::hypercube(5),
        families::projective_plane(3),
        families::subsets(7, 3, 2),
        families::latin_square(&families::cyclic_square(5)),
        gadgets::cfi(&cubic, true),
        gadgets::cfi(&gadgets::miyazaki_base(4), false),
        gadgets::leader_complete(5, 2),
        gadgets::leader_ring(4, 2),
        gadgets::hypercube_processes(3, 5),
        gadgets::peterson_processes(5, 4),
        gadgets::dining(10, 4),
        gadgets::hub_ring(5),
        gadgets::pentagons(4),
        gadgets::tiers(&[4, 4, 2], 3),
        graph(&[0; 12], &cubic),
    ];
    for graph in graphs {
        let (order, group) = engine_group(&graph);
        assert_eq!(group.order(), order);
        assert_eq!(group.strong_generators(&[]).order(), order, "by its chain");
    }
}

#[test]
fn structures_of_models() {
    let name = |graph: &Graph| engine_group(graph).1.structure().to_string();
    assert_eq!(name(&gadgets::leader_complete(6, 2)), "S6");
    assert_eq!(name(&gadgets::leader_ring(5, 2)), "C5");
    assert_eq!(name(&gadgets::tiers(&[4, 4, 2], 3)), "S2 x (S4 wr S2)");
    assert_eq!(name(&gadgets::pentagons(4)), "D5 wr S4");
    assert_eq!(name(&gadgets::peterson_processes(5, 4)), "S5");
    assert_eq!(name(&gadgets::hub_ring(5)), "S4 wr D5");
}

/// No orbit of these groups is one that their names describe; each name is checked by its order.
#[test]
fn groups_are_named_by_their_action_on_blocks_and_pairs() {
    let named = |graph: &Graph| {
        let (order, group) = engine_group(graph);
        (group.name().to_string(), order.to_string())
    };
    let expected = |name: &str, order: &str| (name.to_owned(), order.to_owned());
    // Which is S2 wr S3 as well.
    assert_eq!(named(&families::hypercube(3)), expected("S2 x S4", "48"));
    assert_eq!(named(&families::hypercube(5)), expected("S2 wr S5", "3840"));
    assert_eq!(named(&families::petersen()), expected("S5", "120"));
    assert_eq!(named(&gadgets::hypercube_processes(3, 5)).1, "48");
    // Nine players 0..9 and ordered pairs 9..81 of them, which can be turned round as well.
    let mut pair = [[0; 9]; 9];
    let all = (0..9).flat_map(|one| (0..9).filter(move |&other| other != one).map(move |other| (one, other)));
    for ((one, other), number) in all.clone().zip(9u32..) {
        pair[one][other] = number;
    }
    let number = |player: usize| u32::try_from(player).expect("small");
    let moved = |image: &dyn Fn(usize) -> usize, turned: bool| {
        let mut pairs: Vec<(u32, u32)> = (0..9).map(|player| (number(player), number(image(player)))).collect();
        pairs.extend(all.clone().map(|(one, other)| {
            let (first, second) = (image(one), image(other));
            (pair[one][other], if turned { pair[second][first] } else { pair[first][second] })
        }));
        SparsePermutation::from_pairs(pairs).expect("a permutation")
    };
    let exchange = |player: usize| if player < 2 { 1 - player } else { player };
    let generators =
        vec![moved(&exchange, true), moved(&|player| (player + 1) % 9, false), moved(&|player| player, true)];
    let players = Group::from_generators(81, generators).expect("in range");
    // S2 x S9, which only the thousand ordered pairs of pairs would show.
    assert_eq!((players.order().to_string(), players.name().to_string()), ("725760".into(), "G(725760)".into()));
    // Clients of two desks, desks, and desks that turn: every orbit loses something, two of them together do not.
    let clients = [&[&[0u32, 1][..], &[6, 7]][..], &[&[0, 2], &[1, 3], &[4, 5]], &[&[6, 7, 8]], &[&[0, 1, 2, 3]]];
    let both = group(9, &clients);
    assert!(!both.name().has_unknown(), "{}", both.name());
    // Clients 0..6 of desks 6 and 7, requests 8..26 of clients for servers, servers 26..29.
    let request = |client: u32, server: u32| 8 + 3 * client + server;
    let cycles = |client: &dyn Fn(u32) -> u32, turn: u32| {
        let mut pairs: Vec<(u32, u32)> = (0..6).map(|at| (at, client(at))).collect();
        pairs.extend((0..2).map(|desk| (6 + desk, 6 + client(3 * desk) / 3)));
        let all = (0..6).flat_map(|at| (0..3).map(move |server| (at, server)));
        pairs.extend(all.map(|(at, server)| (request(at, server), request(client(at), (server + turn) % 3))));
        pairs.extend((0..3).map(|server| (26 + server, 26 + (server + turn) % 3)));
        SparsePermutation::from_pairs(pairs).expect("a permutation")
    };
    let swap = |at: u32| match at {
        0 => 1,
        1 => 0,
        _ => at,
    };
    let shift = |at: u32| if at < 3 { (at + 1) % 3 } else { at };
    let generators = vec![cycles(&swap, 1), cycles(&shift, 2), cycles(&|at| (at + 3) % 6, 1)];
    let balanced = Group::from_generators(29, generators).expect("in range");
    assert_eq!((balanced.order().to_string(), balanced.name().to_string()), ("216".into(), "C3 x (S3 wr S2)".into()));
}

#[test]
fn the_cost_of_large_groups_is_that_of_their_generators() {
    let (order, group) = engine_group(&gadgets::tiers(&[40; 40], 4));
    assert_eq!(group.order(), order);
    assert_eq!(group.structure().to_string(), "S40 wr S40");
    let mut source = RandomSource::new(1);
    let element = group.random_element(&mut source);
    assert!(group.contains(&element));
    let images = Random::new(9).permutation(group.degree());
    assert!(!group.contains(&Permutation::from_images(images).expect("a bijection")));
    let (order, group) = engine_group(&gadgets::pentagons(1000));
    assert_eq!(group.order(), order);
    assert_eq!(group.structure().to_string(), "D5 wr S1000");
}

/// Groups with transpositions and several orbits: the classes that transpositions show, against enumeration.
#[test]
fn exchangeable_points_against_enumeration() {
    let mut random = Random::new(11);
    let mut checked = 0;
    for _ in 0..400 {
        let n = 6 + random.below(4);
        let mut generators = Vec::new();
        for _ in 0..1 + random.below(2) {
            let points = random.permutation(n);
            generators.push(SparsePermutation::from_cycles(&[&points[..2]]).expect("disjoint"));
        }
        for _ in 0..1 + random.below(2) {
            let points = random.permutation(n);
            let cycles: Vec<&[u32]> = points.chunks(2 + random.below(2)).take(1 + random.below(3)).collect();
            generators.push(SparsePermutation::from_cycles(&cycles).expect("disjoint"));
        }
        let group = Group::from_generators(n, generators).expect("in range");
        if let Some(elements) = enumerate(&group, 2000) {
            check(&group, &elements, &mut random);
            checked += 1;
        }
    }
    assert!(checked > 200, "{checked} groups were small enough");
}

/// Clients of two balancers that share servers: no orbit shows the group, and a chain costs the fourth power of the clients and more.
#[test]
fn classes_of_exchangeable_points_need_no_chain() {
    let half = 500;
    let cycles = |cycles: &[&[u32]]| SparsePermutation::from_cycles(cycles).expect("disjoint");
    let mut generators: Vec<SparsePermutation> = (1..half).map(|at| cycles(&[&[at - 1, at]])).collect();
    let pairs = (0..half).flat_map(|at| [(at, half + at), (half + at, at)]);
    let servers = [(2 * half, 2 * half + 1), (2 * half + 1, 2 * half)];
    generators.push(SparsePermutation::from_pairs(pairs.chain(servers).collect()).expect("disjoint"));
    generators.push(cycles(&[&[2 * half + 2, 2 * half + 3]]));
    generators.push(cycles(&[&[0, 1, 2], &[2 * half + 2, 2 * half + 3]]));
    generators.push(cycles(&[&[2 * half, 2 * half + 1], &[2 * half + 4, 2 * half + 5]]));
    let group = Group::from_generators(2 * half as usize + 6, generators).expect("in range");
    let factorial: BigUint = (1..=half).product();
    let mut budget = Budget::unlimited().with_max_steps(1 << 20);
    // The servers are exchanged with or without the balancers, and with those and the last two or without.
    let order = group.order_within(&mut budget).expect("no chain on the clients");
    assert_eq!(order, &factorial * &factorial * 8_u32);
    let mut source = RandomSource::new(1);
    let element = group.random_element(&mut source);
    assert!(group.contains(&element));
    let last = 2 * half + 5;
    assert_eq!(group.stabiliser(0).order() * (2 * half), order);
    assert_eq!(group.stabiliser(last).order() * 2_u32, order);
    assert!(!group.contains_sparse(&cycles(&[&[0, half]])) && !group.contains_sparse(&cycles(&[&[0, 2 * half]])));
    assert_eq!(group.name().to_string(), "S2^2 x (S500 wr S2)");
}

/// The elements of wreath products, on all their points: blocks of blocks, points that only move along, generators that hide nothing.
#[test]
fn wreath_products_by_their_elements() {
    let cycles = |cycles: &[&[u32]]| SparsePermutation::from_cycles(cycles).expect("disjoint");
    // Two servers 0 and 1 with three clients each, and something for each client.
    let generators = vec![
        cycles(&[&[2, 3], &[8, 9]]),
        cycles(&[&[3, 4], &[9, 10]]),
        cycles(&[&[0, 1], &[2, 6, 3, 5], &[4, 7], &[8, 12, 9, 11], &[10, 13]]),
    ];
    let group = Group::from_generators(15, generators).expect("in range");
    let wreath = group.wreath().expect("S3 wr S2");
    assert_eq!((wreath.swaps.len(), wreath.inner.order()), (1, 6u32.into()));
    let swap = &wreath.swaps[0];
    assert!(group.contains_sparse(swap) && swap.image(0) == 1 && swap.inverse() == *swap);
    for generator in wreath.inner.generators() {
        assert!(group.contains_sparse(generator));
        let moved: Vec<u32> = generator.support().collect();
        let is_within = |block: &[u32]| moved.iter().all(|point| block.contains(point));
        assert!(is_within(&[2, 3, 4, 8, 9, 10]) || is_within(&[5, 6, 7, 11, 12, 13]), "{moved:?}");
    }
    let symmetric = Group::from_generators(4, vec![cycles(&[&[0, 1, 2, 3]]), cycles(&[&[0, 1]])]).expect("in range");
    assert!(symmetric.wreath().is_none());
    let rotations = Group::from_generators(4, vec![cycles(&[&[0, 1, 2, 3]])]).expect("in range");
    assert!(rotations.wreath().is_none());
}
