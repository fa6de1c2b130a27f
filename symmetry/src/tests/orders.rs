//! Known orders of the groups of \[Jag10\], and every generator against the explicit state space.

use std::collections::BTreeSet;

use super::support::{confirm, fixture, group, load_balancer, model, order, reachable};
use crate::{
    Kind, ModelPermutation, Rule,
    Strategy::{self, ChannelDiagram, KnownRebec, ScalarSet},
    kind, rules,
};
use frontend::model::{Model, RebecId};

/// The orders by known rebecs and by scalar sets; all generators are checked on up to `max` states.
fn orders(model: &Model, max: usize) -> (u64, u64) {
    let (inter, intra) = (group(model, KnownRebec), group(model, ScalarSet));
    for group in [&inter, &intra] {
        assert!(group.rejected().is_empty(), "{:?}", group.rejected());
        assert!(group.is_exact());
        confirm(model, group, max);
    }
    assert!(inter.generators().iter().all(|generator| intra.contains(generator)), "intra-rebec contains inter-rebec");
    (order(&inter), order(&intra))
}

#[test]
fn two_phase_commit() {
    assert_eq!(orders(&fixture("two_phase_commit/2pc2.rebeca"), 10_000), (2, 2));
    assert_eq!(orders(&fixture("two_phase_commit/2pc3.rebeca"), 3_000), (3, 6));
}

#[test]
fn philosophers() {
    assert_eq!(orders(&fixture("philosophers/phil2_fig2.rebeca"), 10_000), (1, 1));
    assert_eq!(orders(&fixture("philosophers/phil3_lib.rebeca"), 10_000), (1, 1));
    assert_eq!(orders(&fixture("philosophers/phil4_fig2.rebeca"), 2_000), (2, 2));
    assert_eq!(orders(&fixture("philosophers/phil4_lib.rebeca"), 2_000), (2, 2));
}

#[test]
fn trains() {
    assert_eq!(orders(&fixture("trains/train3.rebeca"), 10_000), (1, 3));
    assert_eq!(orders(&fixture("trains/train4.rebeca"), 10_000), (1, 4));
}

#[test]
fn load_balancers() {
    assert_eq!(orders(&load_balancer(2, 2), 10_000), (2, 4));
    assert_eq!(orders(&fixture("load_balancer/lb4_2.rebeca"), 2_000), (8, 16));
    assert_eq!(orders(&load_balancer(6, 2), 200).1, 144);
    assert_eq!(orders(&load_balancer(4, 3), 200).1, 24);
    assert_eq!(orders(&load_balancer(6, 3), 200).1, 216);
    assert_eq!(orders(&load_balancer(4, 4), 200).1, 32);
}

/// The number of orbits of the group on all states.
fn orbits(model: &Model, strategy: Strategy) -> usize {
    let found = group(model, strategy);
    let elements: Vec<ModelPermutation> =
        found.group().elements().map(|element| found.points().lift(model, &element).expect("an element")).collect();
    assert_eq!(elements.len() as u64, order(&found));
    let states = reachable(model, usize::MAX);
    let least = |state| elements.iter().map(|element| element.apply(model, state)).min().expect("the identity");
    states.iter().map(least).collect::<BTreeSet<_>>().len()
}

#[test]
fn orbits_are_those_of_independent_explorers() {
    assert_eq!(orbits(&fixture("two_phase_commit/2pc2.rebeca"), ScalarSet), 166);
    assert_eq!(orbits(&fixture("trains/train3.rebeca"), ScalarSet), 128);
    let balancers = fixture("load_balancer/lb4_2.rebeca");
    assert_eq!(orbits(&balancers, KnownRebec), 3_181);
    assert_eq!(orbits(&balancers, ScalarSet), 1_626);
}

#[test]
fn generators_are_classified_and_named() {
    let trains = fixture("trains/train3.rebeca");
    let found = group(&trains, ScalarSet);
    let [turn] = found.generators() else { panic!("one generator") };
    assert_eq!(kind(turn), Kind::Mixed);
    assert_eq!(rules(&trains, turn), [Rule::IntraRebec, Rule::ChannelDiagram]);
    let text = turn.text(&trains);
    assert!(text == "(t1 t2 t3) ctrl.i +1" || text == "(t1 t3 t2) ctrl.i +2", "{text}");
    assert_eq!(found.orbits(&trains), [vec!["t1", "t2", "t3"], vec!["ctrl.i=1", "ctrl.i=2", "ctrl.i=3"]]);
    let phil = fixture("philosophers/phil4_fig2.rebeca");
    let [turn] = group(&phil, KnownRebec).generators().to_vec().try_into().unwrap();
    assert_eq!(turn.text(&phil), "(phil0 phil2)(phil1 phil3)(fork0 fork2)(fork1 fork3)");
    assert_eq!((kind(&turn), rules(&phil, &turn).len()), (Kind::Process, 3));
    assert_eq!(ModelPermutation::identity(&phil).text(&phil), "()");
}

#[test]
fn channel_diagrams_propose_and_the_validator_chooses() {
    let trains = fixture("trains/train3.rebeca");
    let proposed = ChannelDiagram.candidates(&trains);
    assert!(!proposed.is_empty());
    let found = group(&trains, ChannelDiagram);
    confirm(&trains, &found, 1_000);
    assert!(found.generators().iter().all(|generator| group(&trains, ScalarSet).contains(generator)));
    let phil = fixture("philosophers/phil2_fig2.rebeca");
    confirm(&phil, &group(&phil, ChannelDiagram), 1_000);
}

#[test]
fn every_fixture_gives_automorphisms() {
    let folders = ["soundness", "language", "creation", "sender_receiver"];
    for folder in folders {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rebeca").join(folder);
        let mut names: Vec<String> =
            std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        for name in names.iter().filter(|name| name.ends_with(".rebeca")) {
            let file = format!("{folder}/{name}");
            if file == "creation/unbounded.rebeca" || file == "creation/violation_before_the_bound.rebeca" {
                continue;
            }
            let model = fixture(&file);
            for strategy in [KnownRebec, ScalarSet, ChannelDiagram] {
                let found = group(&model, strategy);
                if !found.generators().is_empty() {
                    confirm(&model, &found, 500);
                }
            }
        }
    }
}

/// All bijections that the validator accepts, by trying them.
fn brute_force(model: &Model) -> u64 {
    fn extend(model: &Model, images: &mut Vec<RebecId>, count: &mut u64) {
        if images.len() == model.instances.len() {
            let permutation = ModelPermutation::of_rebecs(model, images.clone());
            let none = frontend::model::PropertySet::default();
            *count += u64::from(permutation.is_ok_and(|found| crate::Prover::new(model, &none).check(&found).is_ok()));
            return;
        }
        for image in (0..model.instances.len()).map(RebecId::from_index) {
            if !images.contains(&image) {
                images.push(image);
                extend(model, images, count);
                images.pop();
            }
        }
    }
    let mut count = 0;
    extend(model, &mut Vec::new(), &mut count);
    count
}

#[test]
fn the_graph_finds_exactly_the_exhaustive_group() {
    let ring = "reactiveclass N(2) { knownrebecs { N next; } statevars { int u; } msgsrv initial(int x, N other) { u = x; } }
        main { N a(b):(1, a); N b(c):(?(1, 2), a); N c(d):(1, c); N d(a):(?(2, 1), c); N e(null):(1, null); N f(null):(1, null); }";
    let star = "reactiveclass H(2) { knownrebecs { L x, y, z; } msgsrv initial() { } }
        reactiveclass L(2) { knownrebecs { H h; } msgsrv initial() { } }
        main { H h(p, q, q):(); H g(r, s, s):(); L p(h):(); L q(h):(); L r(g):(); L s(g):(); }";
    for (text, expected) in [(ring, 4), (star, 2)] {
        let model = model(text);
        let found = group(&model, KnownRebec);
        assert_eq!(order(&found), brute_force(&model));
        assert_eq!(order(&found), expected);
        confirm(&model, &found, 2_000);
    }
}

#[test]
fn permutations_form_a_group_action() {
    let model = load_balancer(4, 3);
    let generators = ScalarSet.candidates(&model);
    let states = reachable(&model, 40);
    let points = crate::Points::new(&model);
    for one in &generators {
        assert!(one.then(&one.inverse()).is_identity());
        for other in &generators {
            let both = one.then(other);
            for state in &states {
                assert_eq!(both.apply(&model, state), other.apply(&model, &one.apply(&model, state)));
            }
            let embedded = points.embed(&both).to_dense(points.degree()).unwrap();
            let dense = |permutation| points.embed(permutation).to_dense(points.degree()).unwrap();
            assert_eq!(embedded, dense(one).then(&dense(other)));
            assert_eq!(points.lift(&model, &embedded), Some(both));
        }
    }
}
