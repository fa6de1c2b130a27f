//! Locals, loops, `fail` and several `init`.

use csp::Literals;
use engine::SparsePermutation;

use super::super::ValidatedGroup;
use super::super::check::Validator;
use super::soundness::{evaluated_alike, live, random};
use super::twin::{all, broken};
use super::writer::Writer;
use super::{model, validated};

/// The orders of the groups that are found and proved, and that of the swap of both places when it is a candidate.
#[test]
fn bodies_and_starts_of_all_kinds_have_groups() {
    let text = |body: &str, more: &str| {
        format!("type P : 0..1; proc X(x : BOOL[P]) = sum p:P . [true] e {{ {body} }} -> X; init X(x = 0); {more}")
    };
    for (body, more, found, proved) in [
        ("x[p] := 1;", "", 2u32, 2u32),
        ("var y : BOOL := 1; x[p] := y;", "", 2, 2),
        ("for q:P { x[q] := 1; }", "", 2, 2),
        ("for q:P { if (q = 0) { x[q] := 1; } }", "", 1, 1),
        // The graph unrolls a few rounds; it makes a summand opaque if a loop may continue after them.
        ("while (x[p] = 0) { x[p] := 1; }", "", 2, 2),
        ("while (x[0] = 0) { x[p] := 1; x[0] := 1; }", "", 1, 1),
        ("fail \"no\";", "", 1, 2),
        ("if (x[p] = 1) { fail \"no\"; } x[p] := 1;", "", 2, 2),
        ("if (x[0] = 1) { fail \"no\"; } x[p] := 1;", "", 1, 1),
        ("x[p] := 1;", "init X(x = [0, 1]);", 1, 1),
        ("x[p] := 1;", "init X(x = [0, 1]); init X(x = [1, 0]);", 2, 2),
        ("x[p] := 1;", "init X(x = 1);", 2, 2),
    ] {
        let model = model(&text(body, more), &[]);
        assert_eq!(validated(&model, &[]).order(), found.into(), "{body} {more}");
        let literals = Literals::new(&model);
        let pairs = [(0, 0), (0, 1)].map(|(element, value)| (literals.point(element, value), literals.point(1, value)));
        let swap = pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).collect::<Vec<(u32, u32)>>();
        let swap = SparsePermutation::from_pairs(swap).expect("a permutation");
        assert_eq!(ValidatedGroup::new(&model, &[], vec![swap]).order(), proved.into(), "{body} {more}");
    }
}

#[test]
fn rich_bodies_agree_with_the_reference() {
    let mut writer = Writer::rich(11);
    for _ in 0..200 {
        let text = writer.text();
        let model = model(&text, &[]);
        let count: usize = live(&model).iter().map(Vec::len).product();
        evaluated_alike(&text, &model, count / 60 + 1);
    }
}

#[test]
fn accepted_candidates_of_rich_bodies_are_symmetries_of_the_states() {
    let mut writer = Writer::rich(12);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..150 {
        let text = writer.text();
        let model = model(&text, &[]);
        let states = all(&model, &live(&model), 4000).expect("small");
        let found = csp::detect_graph_with(&model, &[], csp::Ties::None).expect("small");
        let mut candidates = found.generators;
        // The candidates of the graph are sound too.
        for candidate in &candidates {
            assert_eq!(broken(&model, &[], &states, candidate), None, "{text}");
        }
        candidates.extend((0..12).map(|_| random(&model, &mut writer)));
        candidates.retain(|candidate| !candidate.is_identity());
        let mut validator = Validator::new(&model, &[]);
        for candidate in &candidates {
            if validator.check(candidate).is_ok() {
                assert_eq!(broken(&model, &[], &states, candidate), None, "{text}");
                accepted += 1;
            } else {
                refused += 1;
            }
        }
    }
    assert!(accepted >= 50 && refused >= 500, "{accepted} accepted, {refused} refused");
}
