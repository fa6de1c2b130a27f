//! Claims about families: what is said of every value of a constant holds for other values.

use frontend::sequential::Sequential;

use super::super::equivariance::{Equivariance, Wrong};
use super::super::{Finding, ValidatedGroup, family, why};
use super::{fixture, model};

/// The sorts of a family, by name.
fn sorts(model: &Sequential) -> Vec<&str> {
    family(model, &[]).into_iter().map(|sort| model.sort(sort).name.as_str()).collect()
}

/// Whether the first and the last value of a sort may be exchanged.
fn is_exchanged(model: &Sequential, name: &str) -> bool {
    let sort = model.sorts.iter().find(|sort| sort.name == name).expect("a sort of the process");
    let (low, high) = sort.domain.bounds();
    let known = ValidatedGroup::new(model, &[], Vec::new());
    let cycle = [low, high].map(|value| format!("{name} {value}"));
    low == high || matches!(why(model, &[], &known, &[cycle.to_vec()]), Ok(Finding::ByText | Finding::ByInstances))
}

#[test]
fn what_is_said_of_a_family_holds_for_its_members() {
    for (name, expected) in [
        // The number 0 next to 1..N is no value of the sort, but nothing reads that off the text.
        ("locks/peterson.lpe", vec![]),
        ("protocols/leader_complete.lpe", vec!["AG"]),
        ("partial_order/votes.lpe", vec!["MEMBER"]),
        ("partial_order/workers.lpe", vec!["WORKER"]),
        ("parametric/nomination.lpe", vec!["P"]),
        ("locks/philosophers.lpe", vec![]),
        ("protocols/leader_ring.lpe", vec![]),
    ] {
        let text = fixture(name);
        let first = model(&text, &[]);
        let found = sorts(&first);
        assert_eq!(found, expected, "{name}");
        for size in 2..6 {
            let member = model(&text, &[("N", size)]);
            for sort in &found {
                assert!(is_exchanged(&member, sort), "{name}, N = {size}, {sort}");
            }
        }
    }
}

#[test]
fn numbers_that_show_exclude_a_family() {
    let text = |guard: &str, init: &str| {
        format!(
            "const N = 2; type P : 0..N-1; type Q : 0..3; proc X(x : BIT[P], y : Q) =
                sum p:P . [{guard}] e(p) {{ x[p] := 1; }} -> X; init X(x = {init}, y = 0);"
        )
    };
    for (guard, init, expected) in [
        ("!x[p]", "0", true),
        ("!x[p]", "*", true),
        ("!x[p] && forall q:P . (q = p || x[q] = 0)", "0", true),
        ("!x[p]", "[0, 0]", false),
        ("p != N - 1", "0", false),
        ("exists q:P . (x[q] = 1 || 6 / (4 - N) > 5)", "0", false),
        ("p < N", "0", false),
    ] {
        let text = text(guard, init);
        assert_eq!(sorts(&model(&text, &[])).contains(&"P"), expected, "{text}");
    }
}

/// Without the condition on bodies of quantifiers a family is claimed, of which a larger member has a body that faults for some values.
#[test]
fn a_body_that_faults_in_a_larger_member_is_noticed() {
    let text = "const N = 2; type P : 0..N-1; proc X(x : BIT[P]) =
        [exists q:P . (x[q] = 1 || 6 / (4 - N) > 5)] e { } -> X; init X(x = *);";
    let wrong = Wrong { families_never_fault: true, ..Wrong::default() };
    let small = model(text, &[]);
    assert!(!Equivariance::with(&small, &[], wrong).family().is_empty(), "the variant claims it");
    assert!(sorts(&small).is_empty() && is_exchanged(&small, "P"));
    assert!(!is_exchanged(&model(text, &[("N", 4)]), "P"), "the claim is wrong");
}

/// A sort is claimed only if each class of its values is free: those of its variables, and those that only one place of the text names.
#[test]
fn each_class_of_a_sort_counts() {
    let text = |summand: &str, init: &str| {
        format!(
            "const N = 3; type P : 1..N; proc X(a : BOOL[P], at : P) =
                sum p:P . [true] tick {{ }} -> X + {summand} -> X; init X(a = 0, at = {init});"
        )
    };
    for (summand, init, expected) in [
        ("sum p:P . [!a[p]] set { a[p] := 1; }", "*", true),
        ("sum p:P . [!a[p]] set { a[p] := 1; at := p; }", "*", true),
        ("sum p:P . [!a[p]] set { a[p] := 1; }", "1", false),
        ("[a[1] = 0] set { a[1] := 1; }", "*", false),
        ("[at = 1] set { at := 2; }", "*", false),
        ("sum p:P . [!a[p] && at + 1 = 2] set { a[p] := 1; }", "*", false),
    ] {
        let (text, wrong) = (text(summand, init), Wrong { one_class_is_enough: true, ..Wrong::default() });
        let model = model(&text, &[]);
        assert_eq!(sorts(&model).contains(&"P"), expected, "{text}");
        assert_eq!(Equivariance::with(&model, &[], wrong).family().len(), 1, "the variant claims it: {text}");
        assert_eq!(is_exchanged(&model, "P"), expected, "{text}");
    }
}

/// Assignments of one number, of which a constant gives one, are assignments of two in another member.
#[test]
fn constants_that_are_equal_by_chance_are_noticed() {
    let text = |body: &str| {
        format!(
            "const K = 1; const N = 3; type P : 1..N; type V : 0..3; type E : {{ low, high }};
            proc M(a : BOOL[P], b : BOOL[P], x : V, y : E) =
                sum p:P . [!a[p]] seta(p) {{ a[p] := 1; }} -> M + sum p:P . [!b[p]] setb(p) {{ b[p] := 1; }} -> M
                + [true] go {{ for p:P {{ {body} }} }} -> M;
            init M(a = 0, b = 0, x = 0, y = low);"
        )
    };
    for (body, expected) in [
        ("if (a[p]) { if (b[p]) { x := K; } else { x := 1; } }", false),
        ("if (a[p]) { if (b[p]) { x := 1; } else { x := K; } }", false),
        ("if (a[p]) { if (b[p]) { x := K; } }", true),
        ("if (a[p]) { if (b[p]) { y := high; } else { y := high; } }", true),
        ("if (a[p]) { if (b[p]) { a[p] := K; } else { a[p] := 1; } }", true),
    ] {
        let (text, wrong) = (text(body), Wrong { families_keep_literals: true, ..Wrong::default() });
        let first = model(&text, &[]);
        assert_eq!(sorts(&first), if expected { vec!["P"] } else { vec![] }, "{text}");
        assert!(!Equivariance::with(&first, &[], wrong).family().is_empty(), "the variant claims it: {text}");
        assert!(is_exchanged(&first, "P"), "{text}");
        assert_eq!(is_exchanged(&model(&text, &[("K", 0)]), "P"), expected, "{text}");
    }
}
