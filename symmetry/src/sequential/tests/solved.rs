//! The decisions of the solver on images that are too large, against those of diagrams.

use super::super::ValidatedGroup;
use super::super::check::Validator;
use super::super::rejection::Rejection;
use super::soundness::random;
use super::writer::Writer;
use super::{fixture, model, validated};

/// Without any budget for images the solver decides all conditions: it accepts and rejects the same candidates as diagrams do.
#[test]
fn the_solver_agrees_with_diagrams() {
    let mut writer = Writer::rich(21);
    let (mut accepted, mut refuted, mut undecided) = (0, 0, 0);
    for _ in 0..80 {
        let text = writer.text();
        let model = model(&text, &[]);
        let mut candidates = csp::detect_graph_with(&model, &[], csp::Ties::None).expect("small").generators;
        candidates.extend((0..8).map(|_| random(&model, &mut writer)));
        candidates.retain(|candidate| !candidate.is_identity());
        let mut exact = Validator::new(&model, &[]);
        let mut solved = Validator::with_budget(&model, &[], 1);
        for candidate in &candidates {
            let (one, other) = (exact.check(candidate), solved.check(candidate));
            match other {
                Ok(_) => accepted += 1,
                Err(Rejection::Refuted { .. } | Rejection::Instance { .. }) => refuted += 1,
                Err(Rejection::NotDecided(_)) => undecided += 1,
                Err(_) => {}
            }
            if !matches!(other, Err(Rejection::NotDecided(_))) {
                assert_eq!(one.is_ok(), other.is_ok(), "{text}");
            }
        }
    }
    println!("{accepted} accepted, {refuted} refuted, {undecided} not decided");
    assert!(accepted >= 100 && refuted >= 20 && undecided * 5 < accepted, "{accepted}, {refuted}, {undecided}");
}

/// The solver proves groups of fixtures without diagrams, wide counters among them; a state refutes a wrong candidate.
#[test]
fn models_are_decided_by_the_solver_only() {
    let wide = "type P : 0..3; type N : 0..2000000000; proc X(c : N[P], b : BIT[P]) = \
                sum i:P . [c[i] < 1000 && b[i] = 0] up(i) { c[i] := c[i] + 1; b[i] := 1; } -> X \
                + sum i:P . [b[i] = 1] down(i) { b[i] := 0; } -> X; init X(c = 0, b = 0);";
    for text in [fixture("locks/peterson.lpe"), fixture("protocols/token.lpe"), wide.to_owned()] {
        let model = model(&text, &[]);
        let found = csp::detect_graph(&model, &[]).expect("small").generators;
        let mut validator = Validator::with_budget(&model, &[], 1);
        assert!(!found.is_empty());
        for candidate in &found {
            assert_eq!(validator.check(candidate).err(), None, "{text}");
        }
    }
    let text = "type P : 0..2; proc X(a : BIT[P], b : BIT[P]) = \
                [(a[0] = 1 && a[1] = 1) || (a[1] = 1 && a[2] = 1) || b[0] = 1] e { b[1] := 1; } -> X; init X(*);";
    let model = model(text, &[]);
    let literals = csp::Literals::new(&model);
    let pair = |value| (literals.point(0, value), literals.point(1, value));
    let pairs = [pair(0), pair(1)].into_iter().flat_map(|(one, other)| [(one, other), (other, one)]);
    let wrong = engine::SparsePermutation::from_pairs(pairs.collect()).expect("a permutation");
    let rejection = Validator::with_budget(&model, &[], 1).check(&wrong).err().expect("it is wrong");
    let Rejection::Refuted { state, .. } = &rejection else { panic!("{rejection}") };
    assert!(state.contains("a[0]="), "{rejection}");
    assert_eq!(ValidatedGroup::new(&model, &[], vec![wrong]).order(), 1u32.into());
    // The places 0 and 2 of `a`, and the values of `b[2]`.
    assert_eq!(validated(&model, &[]).order(), 4u32.into());
}
