//! Faults of what has no other effect: values and indices that nobody needs, channels that do not exist. SPIN reports each of them.

use super::super::lower::Wrong;
use super::{lowered, seen};
use crate::sequential::StmtKind;

fn faults(text: &str, wrong: Wrong) -> bool {
    seen(&lowered(text, wrong)).is_none()
}

/// A text faults, and a variant does not see it.
fn caught(text: &str, wrong: Wrong) {
    assert!(faults(text, Wrong::default()), "{text}");
    assert!(!faults(text, wrong), "{wrong:?}\n{text}");
}

/// The number of locals of bodies.
fn locals(text: &str) -> usize {
    let model = lowered(text, Wrong::default());
    let declared = model.summands.iter().flat_map(|summand| &summand.body);
    declared.filter(|stmt| stmt.any(&mut |stmt| matches!(stmt.kind, StmtKind::Var(..)))).count()
}

#[test]
fn values_that_nothing_takes_are_computed() {
    let wrong = || Wrong { drops_values: true, ..Wrong::default() };
    let text = |index: u8, statements: &str, other: &str| {
        format!(
            "byte a[2]; byte i, x; chan c = [0] of {{ byte, byte }}; chan d = [0] of {{ byte }};
            active proctype P() {{ i = {index}; {statements}; i = 0 }} active proctype Q() {{ byte y, z; {other} }}"
        )
    };
    for (statements, other) in [
        ("d!a[i]", "d?_"),
        ("c!1, a[i]", "c?y, _"),
        ("c!a[i], 1", "c?_, 1"),
        ("_ = a[i]", "skip"),
        ("_ = 1 / (i - 2)", "skip"),
        ("printf(\"%d %d\", i, a[i])", "skip"),
        ("d_step { x = 1; printf(\"%d\", a[i]); x = 2 }", "skip"),
        ("d_step { x = 1; if :: x == 2 -> _ = a[0] :: else -> printf(\"%d\", x); _ = a[i] fi; x = 2 }", "skip"),
        ("atomic { printf(\"%d\", a[i]); x = 2 }", "skip"),
    ] {
        caught(&text(2, statements, other), wrong());
        let safe = text(1, statements, other);
        assert_eq!(seen(&lowered(&safe, Wrong::default())), seen(&lowered(&safe, wrong())), "{safe}");
        assert_eq!(locals(&safe), 0, "what certainly has a result is not computed: {safe}");
    }
    assert!(locals(&text(2, "d!a[i]", "d?_")) > 0);
    // Evaluation stops where the value is decided.
    assert!(!faults(
        &text(2, "_ = (i < 2 && a[i] == 1); printf(\"%d\", (i < 2 -> a[i] : 0))", "skip"),
        Wrong::default()
    ));
}

#[test]
fn indices_of_hidden_variables_are_looked_at() {
    let wrong = || Wrong { forgets_indices: true, ..Wrong::default() };
    let text = |index: u8, statement: &str| {
        format!(
            "typedef r {{ byte f[2] }} hidden byte a[2]; hidden bit b[2]; hidden r s[2]; byte i; chan q = [2] of {{ byte }};
            chan c = [0] of {{ byte }}; active proctype P() {{ i = {index}; q!3; {statement}; i = 0 }}
            active proctype Q() {{ end: do :: c!5 od }}"
        )
    };
    for statement in [
        "a[i] = 1",
        "q?a[i]",
        "q?<a[i]>",
        "c?a[i]",
        "b[i] = 7",
        "s[1].f[i] = 1",
        "s[i].f[1] = 1",
        "d_step { a[1] = 1; a[i] = 2 }",
    ] {
        caught(&text(2, statement), wrong());
        let safe = text(1, statement);
        assert_eq!(seen(&lowered(&safe, Wrong::default())), seen(&lowered(&safe, wrong())), "{safe}");
        assert_eq!(locals(&safe), 0, "{safe}");
    }
    // The value is computed, too, and nothing of the variable is part of a state.
    assert!(faults(&text(0, "a[1] = 1 / i"), Wrong::default()));
    let states = |statements: &str| seen(&lowered(&text(1, statements), Wrong::default())).expect("no fault").states;
    assert_eq!(states("a[i] = 1; i = 0; a[i] = 2"), states("a[0] = 0; i = 0; b[1] = 2"));
}

/// A condition of a `d_step` that is decided where its index is outside of the array faults all the same.
#[test]
fn numbers_of_processes_may_be_outside_of_arrays() {
    let wrong = || Wrong { trusts_numbers: true, ..Wrong::default() };
    let text = |size: u8, condition: &str| {
        format!(
            "byte a[{size}]; byte x, y; active [3] proctype P() {{ byte own; own = 1;
            d_step {{ y = 0; if :: {condition} -> x = 1 :: else -> x = 2 fi }} }}"
        )
    };
    for condition in ["a[_pid] > 0 && y", "!(a[_pid] == 0 || y == 0)", "own && a[_pid] > 0 && y", "a[_pid] >= own && y"]
    {
        caught(&text(2, condition), wrong());
        assert!(!faults(&text(3, condition), Wrong::default()), "{condition}");
    }
    // What has no index but that of its process has no fault.
    assert!(!faults(&text(2, "own > 0 && y && a[_pid] > 0"), Wrong::default()));
}

/// The number of summands that are faults of places without a channel.
fn missing(text: &str) -> usize {
    let model = lowered(text, Wrong::default());
    let is_fault =
        |stmt: &crate::sequential::Stmt| matches!(&stmt.kind, StmtKind::Fail(text) if text.contains("no such channel"));
    model.summands.iter().filter(|summand| summand.body.iter().any(|stmt| stmt.any(&mut { is_fault }))).count()
}

#[test]
fn indices_of_rendezvous_channels_are_within_their_arrays() {
    let wrong = || Wrong { channels_fit: true, ..Wrong::default() };
    let text = |index: u8, statement: &str, other: &str| {
        format!(
            "chan q[2] = [0] of {{ byte }}; chan b[2] = [1] of {{ byte }}; chan d = [0] of {{ byte }}; chan k = [1] of {{ chan }};
            chan v = [1] of {{ byte }}; byte i, j, x; active proctype P() {{ i = {index}; {statement}; i = 0 }}
            active proctype Q() {{ chan c; {other} }}"
        )
    };
    for (statement, other) in [
        ("if :: q[i]!7 :: i > 0 fi", "skip"),
        ("if :: q[i]?x :: i > 0 fi", "skip"),
        ("q[i]!7", "j = i; q[j]?x"),
        ("if :: q[i]!7 :: i > 0 fi", "end: q[1]?x"),
        ("if :: nfull(q[i]) :: i > 0 fi", "skip"),
        ("if :: empty(q[i]) :: i > 0 fi", "skip"),
        ("x = len(q[i])", "skip"),
        ("if :: q[i]?[3] :: i > 0 fi", "skip"),
        ("v = q[i]", "skip"),
        ("v = b[i]", "skip"),
        ("k!q[i]", "skip"),
        ("d!q[i]", "d?_"),
        ("{ skip; x = 1 } unless { q[i]!1 }", "skip"),
    ] {
        caught(&text(2, statement, other), wrong());
        let safe = text(1, statement, other);
        assert_eq!(seen(&lowered(&safe, Wrong::default())), seen(&lowered(&safe, wrong())), "{safe}");
        assert_eq!(missing(&safe), 0, "{safe}");
    }
}

#[test]
fn variables_without_a_channel_are_noticed() {
    let wrong = || Wrong { channels_are_set: true, ..Wrong::default() };
    let text = |before: &str, statement: &str| {
        format!(
            "chan q = [1] of {{ byte }}; chan r = [0] of {{ byte }}; chan k = [1] of {{ chan }}; byte x;
            active proctype P() {{ chan c, d; {before}; {statement}; c = q; c = r }}"
        )
    };
    for statement in [
        "if :: c!1 :: x == 0 fi",
        "if :: c?x :: x == 0 fi",
        "if :: len(c) == 0 :: x == 0 fi",
        "if :: full(c) :: x == 0 fi",
        "if :: c?[1] :: x == 0 fi",
        "if :: k!d; k?c; if :: c!1 :: x == 0 fi :: x == 0 fi",
        "d_step { x = 1; if :: c!1 :: x == 1 fi; x = 2 }",
        "d_step { x = 1; if :: c?<x> :: x == 1 fi; x = 2 }",
        "{ skip; x = 1 } unless { c?1 }",
    ] {
        caught(&text("skip", statement), wrong());
    }
    for (before, statement) in [("c = q", "c!1; c?x; x = len(c)"), ("c = r", "if :: c!1 :: c?x :: empty(c) fi")] {
        let set = text(before, statement);
        assert!(!faults(&set, Wrong::default()), "{set}");
        assert_eq!(seen(&lowered(&set, Wrong::default())), seen(&lowered(&set, wrong())), "{set}");
    }
    // A variable that never gets a channel.
    caught("chan c; byte x; active proctype P() { if :: c!1 :: x == 0 fi }", wrong());
}

/// Parameters that every `run` gives a channel always have one.
#[test]
fn parameters_are_channels() {
    let text = |first: &str, given: &str| {
        format!(
            "chan q = [1] of {{ byte }}; proctype S(chan c) {{ byte n; c!1; c?n }}
            {first} proctype R(chan c) {{ run S(c) }} init {{ chan d; run R({given}) }}"
        )
    };
    assert_eq!(missing(&text("", "q")), 0);
    assert!(missing(&text("active", "q")) > 0 && faults(&text("active", "q"), Wrong::default()));
    assert!(missing(&text("", "d")) > 0 && faults(&text("", "d"), Wrong::default()));
    assert!(missing(&text("", "q").replace("run S(c)", "c = 0; run S(c)")) > 0, "it is assigned");
}

/// Symmetries keep events: failed assertions, which end no run, have one that no other step has, whatever its fault.
#[test]
fn failed_assertions_have_an_event_of_their_own() {
    let text = "chan c = [0] of { byte, byte }; byte x, a[2];
        active proctype P() { c!1, 2; assert(x == 0); assert(a[x] == 0); if :: c!1 :: d_step { c!1, 2; x = 1 } fi }
        active proctype Q() { c?x, _; x = 2; a[1] = 1; c?x, _; d_step { do :: x < 3 -> x++ od } }";
    let model = lowered(text, Wrong::default());
    let mut count = 0;
    for summand in &model.summands {
        let fails =
            |stmt: &crate::sequential::Stmt| matches!(&stmt.kind, StmtKind::Fail(text) if text.starts_with("assert("));
        let is_assertion = summand.body.iter().any(fails);
        count += usize::from(is_assertion);
        assert_eq!(summand.event == super::super::FAILED_ASSERTION, is_assertion, "{:?}", summand.label);
    }
    assert_eq!(count, 2);
}
