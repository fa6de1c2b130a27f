//! The constraint detector compared with the rules of the papers, and every generator against the explicit state space.

use std::path::{Path, PathBuf};

use super::support::{confirm, fixture, group, load_balancer, model, order, properties, reachable};
use crate::detect::{Constraints, detect};
use crate::{
    Kind,
    Strategy::{Constraint, KnownRebec, ScalarSet},
    ValidatedGroup, kind, rules,
};
use frontend::model::{Model, PropertySet, RebecId};

/// All models of the Rebeca folder that have finitely many small states, by path.
fn fixtures() -> Vec<(String, Model)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rebeca");
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rebeca") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let name = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
    paths.iter().map(|path| (name(path), model(&std::fs::read_to_string(path).unwrap()))).collect()
}

/// Checks the generators of the constraint group on up to `max` states, and that it contains the papers' group.
fn found(name: &str, model: &Model, max: usize) {
    let found = group(model, Constraint);
    assert!(found.rejected().is_empty(), "{name}: {:?}", found.rejected());
    confirm(model, &found, max);
    let rules = group(model, ScalarSet);
    assert!(order(&found) >= order(&rules), "{name}: {} < {}", order(&found), order(&rules));
    for generator in rules.generators() {
        assert!(found.contains(generator), "{name}: {}", generator.text(model));
    }
}

#[test]
fn it_finds_at_least_the_group_of_the_rules_on_every_fixture() {
    for (name, model) in fixtures() {
        let unbounded = name == "creation/unbounded.rebeca" || name == "creation/violation_before_the_bound.rebeca";
        found(&name, &model, if unbounded { 0 } else { 400 });
    }
}

#[test]
fn orders_of_the_papers_models_and_beyond() {
    let order = |path: &str| order(&group(&fixture(path), Constraint));
    assert_eq!(order("two_phase_commit/2pc2.rebeca"), 2);
    // No expression reads the votes one by one: the places of each node's array may be exchanged as well.
    assert_eq!(order("two_phase_commit/2pc3.rebeca"), 6 * 8);
    assert_eq!(order("philosophers/phil4_fig2.rebeca"), 2);
    assert_eq!(order("load_balancer/lb4_2.rebeca"), 16);
    assert_eq!(order("load_balancer/lb6_3.rebeca"), 216);
    assert_eq!(order("trains/train3.rebeca"), 3);
    assert_eq!(order("trains/train4.rebeca"), 4);
    for (clients, servers, expected) in [(6, 2, 144), (4, 3, 24), (4, 4, 32)] {
        assert_eq!(super::support::order(&group(&load_balancer(clients, servers), Constraint)), expected);
    }
}

#[test]
fn left_and_right_of_the_philosophers_may_be_exchanged() {
    let model = fixture("philosophers/phil4_lib.rebeca");
    let found = group(&model, Constraint);
    assert_eq!((order(&found), order(&group(&model, ScalarSet))), (4, 2));
    let reflection = found.generators().iter().find(|generator| !generator.is_rotation()).unwrap();
    assert!(rules(&model, reflection).is_empty());
    assert_eq!(kind(reflection), Kind::Mixed);
    let text = reflection.text(&model);
    assert!(text.contains("lAssign") && text.contains("rAssign"), "{text}");
    confirm(&model, &found, 1_000);
}

#[test]
fn the_order_of_known_rebecs_does_not_matter_where_it_is_not_used() {
    let model = model(
        "reactiveclass Hub(5) { knownrebecs { Leaf a, b, c; } msgsrv initial() { self.go(); }
            msgsrv go() { c.hit(); a.hit(); b.hit(); } }
        reactiveclass Leaf(3) { statevars { boolean x; } msgsrv initial() { x = false; } msgsrv hit() { x = !x; } }
        main { Hub h(p, q, r):(); Leaf p():(); Leaf q():(); Leaf r():(); }",
    );
    let found = group(&model, Constraint);
    assert_eq!((order(&found), order(&group(&model, KnownRebec))), (6, 1));
    confirm(&model, &found, 10_000);
}

#[test]
fn arrays_need_no_annotation() {
    let model = model(
        "reactiveclass Hub(6) { knownrebecs { Leaf a, b, c; } statevars { boolean[3] seen; Leaf[3] all; }
            Hub() { all[0] = a; all[1] = b; all[2] = c; }
            msgsrv hear() { for (int k = 0; k < 3; k++) { if (sender == all[k]) { seen[k] = true; } }
                if (seen[0] && seen[1] && seen[2]) { for (int k = 2; k >= 0; k--) { seen[k] = false; all[k].go(); } } } }
        reactiveclass Leaf(3) { knownrebecs { Hub hub; } Leaf() { self.go(); } msgsrv go() { hub.hear(); } }
        main { Hub h(p, q, r):(); Leaf p(h):(); Leaf q(h):(); Leaf r(h):(); }",
    );
    let found = group(&model, Constraint);
    assert_eq!((order(&found), order(&group(&model, ScalarSet))), (6, 1));
    assert!(found.generators().iter().any(|generator| generator.text(&model).contains("h.seen[0] h.seen[")));
    confirm(&model, &found, 10_000);
}

#[test]
fn values_and_messages_move() {
    let model = model(
        "reactiveclass N(4) { statevars { boolean up; byte level; }
            N() { up = ?(true, false); if (up) { self.lower(); level = 5; } else { self.raise(); level = 2; } }
            msgsrv raise() { up = true; level = 5; self.lower(); }
            msgsrv lower() { up = false; level = 2; self.raise(); } }
        main { N n():(); }",
    );
    let found = group(&model, Constraint);
    assert_eq!(order(&found), 2);
    let text = found.generators()[0].text(&model);
    assert!(text.contains("(n.raise n.lower)") && text.contains("(n.level=2 n.level=5)"), "{text}");
    assert_eq!(kind(&found.generators()[0]), Kind::Data);
    confirm(&model, &found, 100);
}

#[test]
fn atoms_are_kept_one_by_one() {
    let model = fixture("soundness/m07_asymmetric_property.rebeca");
    assert_eq!(order(&group(&model, Constraint)), 2);
    let flipped = super::support::model(
        "reactiveclass N(4) { statevars { boolean x; boolean y; } N() { x = ?(true, false); y = ?(true, false); self.go(); }
            msgsrv go() { x = ?(true, false); y = ?(true, false); self.go(); } }
        main { N n():(); }",
    );
    let count = |text: &str| {
        let set = properties(&flipped, &format!("property {{ {text} }}"));
        let detected = detect(&flipped, &set, Constraint);
        let found = ValidatedGroup::new(&flipped, &set, detected.candidates);
        assert!(found.rejected().is_empty(), "{:?}", found.rejected());
        assert_eq!(found.order(), detected.order);
        // The group of the model without properties, cut to the properties, is the same.
        let cut = ValidatedGroup::new(&flipped, &set, Constraint.candidates(&flipped));
        assert_eq!(cut.order(), found.order());
        order(&found)
    };
    assert_eq!(count(""), 8);
    assert_eq!(count("Assertion { P: n.x == n.y; }"), 4);
    assert_eq!(count("Assertion { P: n.x || n.y; }"), 2);
    assert_eq!(count("LTL { P: G(n.x -> F(n.y)); }"), 1);
}

#[test]
fn opaque_parts_are_named_and_keep_the_rules() {
    let text = |body: &str| {
        format!(
            "reactiveclass H(6) {{ knownrebecs {{ L leaf[i:1..3]; }} statevars {{ i cur; int n; boolean f[i]; }}
                msgsrv initial() {{ cur = ?(1, 2, 3); n = 0; self.go(); }}
                msgsrv go() {{ {body} leaf[cur].hit(); cur = cur +% 1; }} }}
            reactiveclass L(5) {{ knownrebecs {{ H h; }} msgsrv initial() {{ }} msgsrv hit() {{ h.go(); }} }}
            main {{ H h(a, b, c):(); L a(h):(); L b(h):(); L c(h):(); }}"
        )
    };
    let plain = model(&text(""));
    assert_eq!(order(&group(&plain, Constraint)), 3);
    let endless = model(&text("while (n < 100000000) { n = n + 1; } "));
    let opaque = |model| Constraints::new(model, &PropertySet::default(), Constraint).opaque();
    assert!(opaque(&endless).iter().any(|part| part.starts_with("h.go: ")), "{:?}", opaque(&endless));
    let rules = order(&group(&endless, ScalarSet));
    assert_eq!((order(&group(&endless, Constraint)), rules), (3, 3));
    let created = model(
        "reactiveclass N(3) { msgsrv initial() { self.go(); } msgsrv go() { N n = new N():(); } }
        main { N a():(); N b():(); }",
    );
    assert_eq!((opaque(&created).len(), order(&group(&created, Constraint))), (0, 2));
}

#[test]
fn the_faults_of_the_published_algorithms() {
    for (path, expected) in
        [("m08_not_injective", 2), ("m09_shared_cluster", 2), ("m10_aliased_group", 1), ("m11_scalar_default", 2)]
    {
        let model = fixture(&format!("soundness/{path}.rebeca"));
        let found = group(&model, Constraint);
        assert_eq!(order(&found), expected, "{path}");
        confirm(&model, &found, 10_000);
    }
}

#[test]
fn local_maps_form_a_group_action() {
    let models = ["philosophers/phil4_lib.rebeca", "two_phase_commit/2pc3.rebeca", "load_balancer/lb4_2.rebeca"];
    for path in models {
        let model = fixture(path);
        let found = group(&model, Constraint);
        let points = found.points();
        let states = reachable(&model, 60);
        for one in found.generators() {
            assert!(one.then(&one.inverse()).is_identity(), "{path}");
            for other in found.generators() {
                let both = one.then(other);
                for state in &states {
                    let moved = other.apply(&model, &one.apply(&model, state));
                    assert_eq!(both.apply(&model, state), moved, "{path}");
                    let orbits = found.group().orbits();
                    let word = |point: u32| u64::from(orbits[point as usize]);
                    for (rebec, local) in state.rebecs.iter().enumerate() {
                        let (owner, local) = (RebecId::from_index(rebec), local.as_ref().unwrap());
                        let key = |owner, local| points.key(&model, owner, local, &word);
                        let image = one.apply_local(&model, owner, local);
                        assert_eq!(key(owner, local), key(one.image(owner), &image), "{path}");
                    }
                }
                let embedded = points.embed(&both).to_dense(points.degree()).unwrap();
                let lifted = points.lift(&model, &embedded).unwrap();
                assert!(states.iter().all(|state| lifted.apply(&model, state) == both.apply(&model, state)), "{path}");
            }
        }
    }
}

#[test]
fn random_loops_over_scalar_sets() {
    let mut random = engine::RandomSource::new(31);
    let mut beyond = 0;
    for round in 0..150 {
        let leaves = if round % 4 == 0 { "a, a, a" } else { "a, b, c" };
        let (model, _) = super::random_loops::hub(&mut random, leaves);
        let found = group(&model, Constraint);
        assert!(found.rejected().is_empty(), "{:?}", found.rejected());
        let rules = group(&model, ScalarSet);
        assert!(rules.generators().iter().all(|generator| found.contains(generator)));
        beyond += usize::from(order(&found) > order(&rules));
        confirm(&model, &found, 150);
    }
    assert!(beyond > 10, "{beyond}");
}
