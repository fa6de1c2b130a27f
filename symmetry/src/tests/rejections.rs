//! Candidates that are no symmetry, or not proved to be one, are rejected with a witness: the faults of the published algorithms, and
//! loops.

use super::support::{commutes, confirm, fixture, group, model, order, properties, reachable};
use crate::{
    ModelPermutation, Prover, Rejection,
    Strategy::{ChannelDiagram, KnownRebec, ScalarSet},
    Validator,
    validate::Wrong,
};
use frontend::interpret::State;
use frontend::model::{Model, PropertySet, RebecId, Value};

/// The permutation that exchanges pairs of rebecs by name.
fn exchange(model: &Model, pairs: &[(&str, &str)]) -> ModelPermutation {
    let id = |name: &str| model.instances.iter().position(|instance| instance.name == name).unwrap();
    let mut images: Vec<RebecId> = (0..model.instances.len()).map(RebecId::from_index).collect();
    for (one, other) in pairs {
        images.swap(id(one), id(other));
    }
    ModelPermutation::of_rebecs(model, images).unwrap()
}

fn witness(model: &Model, permutation: &ModelPermutation) -> Option<Rejection> {
    Prover::new(model, &PropertySet::default()).check(permutation).err()
}

/// Arguments that no state shows keep the text from a proof, and not the behaviour of the servers.
#[test]
fn proofs_by_text_are_told_from_others() {
    let text = |arguments: &str| {
        format!(
            "reactiveclass A(2) {{ knownrebecs {{ A o; }} statevars {{ boolean x; }} A(int k) {{ self.m(); }}
            msgsrv m() {{ x = !x; o.n(); }} msgsrv n() {{ }} }} main {{ {arguments} }}"
        )
    };
    for (arguments, expected) in [
        ("A a(b):(1); A b(a):(1);", Some(true)),
        ("A a(b):(1); A b(a):(2);", Some(false)),
        ("A a(a):(1); A b(a):(1);", None),
    ] {
        let model = model(&text(arguments));
        let permutation = exchange(&model, &[("a", "b")]);
        let mut validator = Validator::new(&model);
        let proved = validator.check(&permutation).is_ok().then(|| validator.text_proves(&permutation));
        assert_eq!(proved, expected, "{arguments}");
    }
}

#[test]
fn the_canary_is_rejected() {
    let text =
        "reactiveclass N(2) { knownrebecs { N next; } statevars { int u; } msgsrv initial(int x) { u = x; next.go(); }
        msgsrv go() { u = 0; } } main { N a(b):(1); N b(c):(1); N c(a):(2); }";
    let ring = model(text);
    let canary = exchange(&ring, &[("a", "b")]);
    assert!(matches!(witness(&ring, &canary), Some(Rejection::KnownRebec { .. })));
    assert!(!commutes(&ring, &canary, &reachable(&ring, 100), true), "the canary is no symmetry");
    let turn = ModelPermutation::of_rebecs(&ring, vec![RebecId(1), RebecId(2), RebecId(0)]).unwrap();
    assert!(matches!(witness(&ring, &turn), Some(Rejection::Argument { .. })));
    assert_eq!(order(&group(&ring, KnownRebec)), 1);
}

#[test]
fn m08_images_are_distinct() {
    let model = fixture("soundness/m08_not_injective.rebeca");
    assert_eq!(order(&group(&model, KnownRebec)), 1);
    assert_eq!(order(&group(&model, ScalarSet)), 1);
    let fork = ModelPermutation::of_rebecs(&model, [1, 0, 4, 4, 2].map(RebecId).to_vec());
    assert_eq!(fork, Err(crate::NotAPermutation::Repeated(RebecId(4))));
    assert!(witness(&model, &exchange(&model, &[("a1", "a2")])).is_some());
}

#[test]
fn m09_one_rotation_for_a_cluster() {
    let text = |bound: &str| {
        format!(
            "reactiveclass Ctrl(6) {{ knownrebecs {{ T trn[i:1..2]; L lgt[i]; }} msgsrv initial() {{ }}
                msgsrv arrive() {{ forEachValueOf(i) {{ if (sender == trn[i]) {{ lgt[i].lit(); }} }} }} }}
            reactiveclass T(3) {{ knownrebecs {{ Ctrl c; }} msgsrv initial() {{ c.arrive(); }} }}
            reactiveclass L(4) {{ statevars {{ boolean x; }} msgsrv initial() {{ }} msgsrv lit() {{ x = true; }} }}
            main {{ Ctrl ctl({bound}):(); T ta(ctl):(); T tb(ctl):(); L l1():(); L l2():(); }}"
        )
    };
    let model = model(&text("ta, tb, l1, l2"));
    let found = group(&model, ScalarSet);
    assert_eq!(order(&found), 2);
    confirm(&model, &found, 10_000);
    assert!(!found.contains(&exchange(&model, &[("ta", "tb")])));
    assert!(witness(&model, &exchange(&model, &[("ta", "tb")])).is_some());
    let plain = fixture("soundness/m09_shared_cluster.rebeca");
    assert_eq!(order(&group(&plain, KnownRebec)), 1);
    let bogus = exchange(&plain, &[("ta", "tb")]);
    assert!(witness(&plain, &bogus).is_some());
    assert!(!commutes(&plain, &bogus, &reachable(&plain, 1_000), true));
}

#[test]
fn m10_aliased_groups_are_not_rotated() {
    let model = fixture("soundness/m10_aliased_group.rebeca");
    let found = group(&model, ScalarSet);
    assert_eq!(order(&found), 1);
    let [rejected] = found.rejected() else { panic!("only the rotation") };
    assert!(matches!(&rejected.reason, Rejection::Body { body, .. } if body == "go"), "{:?}", rejected.reason);
    assert!(rejected.reason.span().is_some());
    assert!(!commutes(&model, &rejected.permutation, &reachable(&model, 1_000), true), "it is no symmetry");
}

#[test]
fn m11_undefined_scalars_rotate() {
    let undefined = fixture("soundness/m11_scalar_default.rebeca");
    let chosen = fixture("soundness/m11b_scalar_chosen.rebeca");
    for model in [undefined, chosen] {
        let found = group(&model, ScalarSet);
        assert_eq!(order(&found), 2);
        confirm(&model, &found, 5_000);
    }
}

/// A hub with two leaves and a loop of the given body in `go`.
fn hub(leaves: &str, body: &str) -> Model {
    model(&format!(
        "reactiveclass Hub(6) {{
            knownrebecs {{ Leaf leaf[i:1..3]; }}
            statevars {{ byte x; byte y; boolean f[i]; i cur; Leaf last; }}
            msgsrv initial() {{ cur = ?(1, 2, 3); self.go(); }}
            msgsrv go() {{ {body} }}
            msgsrv hear(byte n) {{ }}
        }}
        reactiveclass Leaf(4) {{
            statevars {{ byte n; }}
            msgsrv initial() {{ }}
            msgsrv hi(byte k) {{ n = k; }}
            msgsrv lo() {{ n = 2; }}
        }}
        main {{ Hub h({leaves}):(); Leaf a():(); Leaf b():(); Leaf c():(); }}"
    ))
}

/// Whether the validator accepts all proposed rotations by the rounds of loops.
fn by_rounds(model: &Model) -> Result<(), Rejection> {
    by_wrong_rounds(model, Wrong::default())
}

/// As `by_rounds`, with a check that may be wrong.
fn by_wrong_rounds(model: &Model, wrong: Wrong) -> Result<(), Rejection> {
    let candidates = ScalarSet.candidates(model);
    assert!(candidates.iter().any(ModelPermutation::rotates));
    let mut rotating = candidates.iter().filter(|candidate| candidate.rotates());
    rotating.try_for_each(|candidate| Validator::new(model).mistaken(wrong).rotations(candidate).map(drop))
}

#[test]
fn loops_whose_rounds_commute_are_rotated() {
    let bodies = [
        "forEachValueOf(i) { x = x + 1; f[i] = true; leaf[i].hi(1); }",
        "forEachValueOf(i) { if (f[i]) { x = x + 1; } else { leaf[i +% 1].lo(); x = x + 2; } }",
        "forEachValueOf(i) { boolean b = ?(true, false); f[i +% 2] = b; x = 3; }",
        "forEachValueOf(i) { if (i == cur) { x = x + y; leaf[i].lo(); leaf[i +% 1].hi(2); f[i +% 1] = f[i]; } }",
        "forEachValueOf(i) { if (sender == leaf[i]) { while (x < 3) { x = x + 1; y = x; } leaf[i +% 1].lo(); return; } }",
        "forEachValueOf(i) { if (leaf[i] == sender && x < 3) { y = x; break; } self.hear(1); }",
        "forEachValueOf(i) { self.hear(2); }",
    ];
    for (index, body) in bodies.iter().enumerate() {
        let model = hub("a, b, c", body);
        let found = group(&model, ScalarSet);
        assert_eq!(order(&found), 3, "{body}: {:?}", found.rejected());
        confirm(&model, &found, 500);
        // The break of the sixth body is in a block with a send that it skips, and the inner loop of the fifth has no bound, so that the
        // rounds that are left out may count: the validator has to compare the behaviour of the server.
        assert_eq!(by_rounds(&model).is_ok(), ![4, 5].contains(&index), "{body}");
    }
}

/// The round that returns is within the bound on the statements of a call if it is the first one.
#[test]
fn rounds_that_are_left_out_count_for_the_bound_on_statements() {
    let body = "last = leaf[cur]; int n = 0; while (n < 49995) { n++; }
        forEachValueOf(i) { if (leaf[i] == last) { x = 1; return; } }";
    let model = hub("a, b, c", body);
    assert!(matches!(by_rounds(&model), Err(Rejection::Body { .. })));
    assert_eq!(by_wrong_rounds(&model, Wrong { forgets_length: true, ..Wrong::default() }), Ok(()));
    let candidates = ScalarSet.candidates(&model);
    let states = reachable(&model, 500);
    let mut rotating = candidates.iter().filter(|candidate| candidate.rotates());
    assert!(rotating.any(|candidate| !commutes(&model, candidate, &states, false)), "no rotation shows the bound");
    confirm(&model, &group(&model, ScalarSet), 500);
    let few = hub("a, b, c", &body.replace("49995", "4000"));
    assert_eq!(by_rounds(&few), Ok(()));
    assert_eq!(order(&group(&few, ScalarSet)), 3);
}

/// The round that overflows a queue is within the bound on the statements of a call if it is the first one.
#[test]
fn rounds_behind_an_overflow_count_for_the_bound_on_statements() {
    let text = "reactiveclass Hub(6) {
            knownrebecs { Leaf leaf[i:1..3]; }
            statevars { i cur; byte sent; }
            msgsrv initial() { cur = ?(1, 2, 3); self.go(); }
            msgsrv go() {
                if (sent < 4) { leaf[cur].lo(); sent = (byte) (sent + 1); self.go(); } else { self.all(); }
            }
            msgsrv all() { int n = 0; while (n < 49996) { n++; } forEachValueOf(i) { leaf[i].lo(); } }
        }
        reactiveclass Leaf(4) { msgsrv initial() { } msgsrv lo() { } }
        main { Hub h(a, b, c):(); Leaf a():(); Leaf b():(); Leaf c():(); }";
    let long = model(text);
    assert!(matches!(by_rounds(&long), Err(Rejection::Body { .. })));
    assert_eq!(by_wrong_rounds(&long, Wrong { forgets_overflow: true, ..Wrong::default() }), Ok(()));
    let states = reachable(&long, 2_000);
    let candidates = ScalarSet.candidates(&long);
    let mut rotating = candidates.iter().filter(|candidate| candidate.rotates());
    assert!(rotating.any(|candidate| !commutes(&long, candidate, &states, true)), "no rotation shows the bound");
    confirm(&long, &group(&long, ScalarSet), 2_000);
    let few = model(&text.replace("49996", "4000"));
    assert_eq!(by_rounds(&few), Ok(()));
    assert_eq!(order(&group(&few, ScalarSet)), 3);
}

/// A break leaves out whole nested loops; one rotation of the seats is past the bound.
#[test]
fn nested_loops_that_are_left_out_count_for_the_bound_on_statements() {
    let model = fixture("soundness/rounds_left_out_at_the_bound.rebeca");
    let candidates = ScalarSet.candidates(&model);
    let states = reachable(&model, 100);
    let turns = |candidate: &&ModelPermutation| candidate.rotates() && !commutes(&model, candidate, &states, false);
    let candidates: Vec<&ModelPermutation> = candidates.iter().filter(turns).collect();
    assert!(!candidates.is_empty(), "no rotation shows the bound");
    let accepts = |wrong| {
        let mut proved = candidates.iter().map(|one| Validator::new(&model).mistaken(wrong).rotations(one));
        proved.any(|result| result.is_ok())
    };
    assert!(accepts(Wrong { forgets_length: true, ..Wrong::default() }) && !accepts(Wrong::default()));
    assert_eq!(order(&group(&model, ScalarSet)), 1);
}

#[test]
fn loops_whose_order_shows_are_not() {
    let bodies = [
        ("a, b, c", "forEachValueOf(i) { last = leaf[i]; }"),
        ("a, b, c", "forEachValueOf(i) { x = x + 1; leaf[i].hi(x); }"),
        ("a, b, c", "forEachValueOf(i) { f[i] = f[i +% 1]; }"),
        ("a, b, c", "forEachValueOf(i) { if (f[i]) { x = x + 1; } else { x = x - 1; } }"),
        ("a, b, c", "forEachValueOf(i) { if (f[i]) { break; } f[i] = true; }"),
        ("a, b, c", "forEachValueOf(i) { leaf[i].lo(); leaf[i +% 1].hi(1); }"),
        ("a, b, c", "cur = ?(1, 2, 3); forEachValueOf(i) { if (i == cur) { cur = cur +% 1; y = y + x; x = 1; } }"),
        ("a, a, a", "forEachValueOf(i) { if (f[i]) { leaf[i].lo(); } else { leaf[i].hi(1); } }"),
        ("a, a, a", "forEachValueOf(i) { if (leaf[i] == sender) { y = x; x = x + 1; } }"),
    ];
    for (leaves, body) in bodies {
        let model = hub(leaves, body);
        let found = group(&model, ScalarSet);
        assert!(matches!(by_rounds(&model), Err(Rejection::Body { .. })), "{body}");
        // Some candidates are symmetries all the same, because of the values that the variables have.
        confirm(&model, &found, 500);
    }
}

/// A proof of bodies under the rotation of one set is not taken for a proof under the rotation of two.
#[test]
fn rotations_of_several_sets_are_proved_apart() {
    let model = model(
        "reactiveclass Hub(6) {
            knownrebecs { Leaf leaf[i:1..2]; Leaf other[j:1..2]; }
            statevars { i cur; j now; byte x; }
            msgsrv initial() { cur = ?(1, 2); now = ?(1, 2); self.go(); }
            msgsrv go() { forEachValueOf(i) { leaf[i].hi(1); } forEachValueOf(j) { x = x + 1; other[j].hi(x); } }
        }
        reactiveclass Leaf(4) { statevars { byte n; } msgsrv initial() { } msgsrv hi(byte k) { n = k; } }
        main { Hub h(a, b, c, d):(); Leaf a():(); Leaf b():(); Leaf c():(); Leaf d():(); }",
    );
    let rotation = |images: [u32; 5], amounts: [u32; 2]| {
        let mut rotations = vec![vec![0, 0]; 5];
        rotations[0] = amounts.to_vec();
        ModelPermutation::new(&model, images.map(RebecId).to_vec(), rotations).unwrap()
    };
    let (one, both) = (rotation([0, 2, 1, 3, 4], [1, 0]), rotation([0, 2, 1, 4, 3], [1, 1]));
    let mut validator = Validator::new(&model);
    for _ in 0..2 {
        assert!(validator.rotations(&one).is_ok());
        assert!(matches!(validator.rotations(&both), Err(Rejection::Body { .. })));
    }
    assert!(commutes(&model, &one, &reachable(&model, 500), true));
    assert!(!commutes(&model, &both, &reachable(&model, 500), true), "it is no symmetry");
}

#[test]
fn the_class_of_a_fault_may_depend_on_the_order() {
    let body = "f[cur] = true; forEachValueOf(i) { if (f[i]) { assertion(x < 3); } else { leaf[i].lo(); } } x = x + 1; self.go();";
    let mixed = hub("a, b, c", body);
    let found = group(&mixed, ScalarSet);
    assert_eq!((order(&found), found.certificate().keeps_fault_classes), (3, false));
    let states = reachable(&mixed, 3_000);
    let turn = &found.generators()[0];
    assert!(commutes(&mixed, turn, &states, false) && !commutes(&mixed, turn, &states, true));
    let found = group(&fixture("trains/train3.rebeca"), ScalarSet);
    assert!(found.certificate().keeps_fault_classes);
}

#[test]
fn scalars_that_travel_are_rotated_together_or_not_at_all() {
    let model = model(
        "reactiveclass N(3) {
            knownrebecs { L leaf[i:1..2]; N peer; }
            statevars { i cur; }
            msgsrv initial() { cur = ?(1, 2); self.go(); }
            msgsrv go() { peer.take(cur); }
            msgsrv take(i j) { leaf[j].hit(); cur = j +% 1; }
        }
        reactiveclass L(4) { statevars { boolean x; } msgsrv initial() { } msgsrv hit() { x = true; } }
        main { N a(p, q, b):(); N b(r, s, a):(); L p():(); L q():(); L r():(); L s():(); }",
    );
    let found = group(&model, ScalarSet);
    confirm(&model, &found, 2_000);
    assert!(found.rejected().iter().any(|rejected| matches!(rejected.reason, Rejection::Travelling { .. })));
    let mut rotations = vec![vec![0]; model.instances.len()];
    rotations[0] = vec![1];
    rotations[1] = vec![1];
    let images = [0, 1, 3, 2, 5, 4].map(RebecId).to_vec();
    let together = ModelPermutation::new(&model, images.clone(), rotations.clone()).unwrap();
    assert_eq!(witness(&model, &together), None);
    assert!(commutes(&model, &together, &reachable(&model, 2_000), true));
    rotations[1] = vec![0];
    let images = [0, 1, 3, 2, 4, 5].map(RebecId).to_vec();
    let apart = ModelPermutation::new(&model, images, rotations).unwrap();
    assert!(matches!(witness(&model, &apart), Some(Rejection::Travelling { .. })));
    assert!(!commutes(&model, &apart, &reachable(&model, 2_000), true), "it is no symmetry");
    // A queued scalar is rotated by the rotation of the receiver, not of the sender.
    let mut seen = 0;
    for state in reachable(&model, 2_000) {
        let moved = apart.apply(&model, &state);
        let arguments = |state: &State, rebec: u32| -> Vec<_> {
            let queue = &state.rebec(RebecId(rebec)).unwrap().queue;
            queue.iter().flat_map(|message| message.arguments.clone()).collect()
        };
        assert_eq!(arguments(&moved, 1), arguments(&state, 1));
        let turned = arguments(&state, 0).into_iter().map(|value| match value {
            Value::Scalar(value) => Value::Scalar(3 - value),
            value => value,
        });
        assert!(turned.eq(arguments(&moved, 0)));
        seen += arguments(&state, 0).len();
    }
    assert!(seen > 0);
}

#[test]
fn constructors_that_send_are_compared_by_their_states() {
    let text = |message: &str| {
        format!(
            "reactiveclass A(4) {{ knownrebecs {{ B b; }} A() {{ {message} }} }}
            reactiveclass B(4) {{ statevars {{ int n; }} B() {{ }} msgsrv hit() {{ n = n + 1; }} }}
            main {{ A x(b):(); A y(b):(); B b():(); }}"
        )
    };
    let ordered = model(&text("b.hit();"));
    let found = group(&ordered, KnownRebec);
    assert!(matches!(found.rejected()[0].reason, Rejection::InitialStates(_)));
    assert_eq!(order(&found), 1);
    // A method that the constructor calls sends as well as the constructor itself.
    let called = model(&text("tell(); } void tell() { b.hit();"));
    let found = group(&called, KnownRebec);
    assert!(matches!(found.rejected()[0].reason, Rejection::InitialStates(_)));
    assert_eq!(order(&found), 1);
    let quiet = model(&text(""));
    assert_eq!(order(&group(&quiet, KnownRebec)), 2);
    confirm(&quiet, &group(&quiet, KnownRebec), 100);
}

#[test]
fn created_rebecs_stay_in_place() {
    let model = model(
        "reactiveclass P(3) { statevars { C child; byte n; } msgsrv initial() { self.make(); }
            msgsrv make() { child = new C(self):(); } msgsrv born() { n = n + 1; } }
        reactiveclass C(2) { knownrebecs { P parent; } msgsrv initial() { parent.born(); } }
        main { P a():(); P b():(); P c():(); }",
    );
    let found = group(&model, KnownRebec);
    assert_eq!(order(&found), 6);
    confirm(&model, &found, 5_000);
    assert_eq!(order(&group(&model, ChannelDiagram)), 6);
}

#[test]
fn a_rejection_names_the_property() {
    let model = fixture("soundness/m07_asymmetric_property.rebeca");
    let set = properties(&model, "property { Assertion { P: !(a.x && !b.x); } }");
    let swap = exchange(&model, &[("a", "b")]);
    assert_eq!(Prover::new(&model, &set).check(&swap), Err(Rejection::Property("P".to_owned())));
}

/// A count that stops early has too many prime cubes for a normal form: only a comparison proves that the rotation of the seats keeps it.
#[test]
fn without_comparisons_a_count_that_stops_early_is_not_decided() {
    let model = fixture("quorum/seats.rebeca");
    let candidates = ScalarSet.candidates(&model);
    for candidate in &candidates {
        let undecided = Validator::without_comparisons(&model).check(candidate).unwrap_err();
        assert!(undecided.witness(&model).ends_with("is not decided"), "{}", undecided.witness(&model));
    }
    let found = group(&model, ScalarSet);
    assert_eq!(order(&found), 12);
    confirm(&model, &found, 10_000);
}
