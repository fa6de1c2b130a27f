//! The values of variables: their ranges, what is cut and what wraps, variables that hold nothing or are no part of the state, and names.

use super::super::lower::Wrong;
use super::{lowered, seen};
use crate::diagnostics::Diagnostics;
use crate::sequential::{Domain, Sequential};

/// A local that is read where it is set back keeps its 0; one that is not read there has another value, and the same states.
#[test]
fn values_that_are_read_are_not_free() {
    let text = |value: &str| {
        format!(
            "byte x; active [2] proctype P() {{ byte i; do :: atomic {{ i = _pid; x = i; i = 0 }} :: x = {value} od }}"
        )
    };
    let frees = |text: &str, wrong: Wrong| {
        let model = lowered(text, wrong);
        let local = model.variables.iter().find(|variable| variable.name == "P_i").expect("is declared");
        model.domain(local.sort).bounds().0 < 0
    };
    assert!(frees(&text("3"), Wrong::default()) && !frees(&text("i + 3"), Wrong::default()));
    assert!(!frees(&format!("{} ltl l {{ [] (P[0]:i != 1) }}", text("3")), Wrong::default()), "a formula reads it");
    let number = "byte x; active proctype P() { byte i = _pid; do :: x < 2 :: i = 1; i = 0 :: break od }";
    assert!(!frees(number, Wrong::default()), "the number of the first process is no free value");
    let wrong = Wrong { reads_free_values: true, ..Wrong::default() };
    assert_ne!(seen(&lowered(&text("i + 3"), wrong)), seen(&lowered(&text("i + 3"), Wrong::default())));
}

#[test]
fn wrong_ranges_are_noticed() {
    let counts = "byte x; active proctype P() { do :: d_step { x < 5 -> x++ } :: x = 0 od }";
    let behind = "byte x, y; active proctype P() { do :: d_step { x < 2 -> x = x + 1; x = x + 1; y = x } :: x = 0 od }";
    let variants = [
        (counts, Wrong { one_round: true, ..Wrong::default() }),
        (behind, Wrong { keeps_conditions: true, ..Wrong::default() }),
    ];
    for (text, wrong) in variants {
        let wide = seen(&lowered(text, Wrong { keeps_types: true, ..Wrong::default() }));
        assert!(wide.is_some());
        assert_eq!(seen(&lowered(text, Wrong::default())), wide);
        assert_ne!(seen(&lowered(text, wrong)), wide, "{wrong:?}");
    }
    let model = lowered(counts, Wrong::default());
    assert!(model.variables.iter().all(|variable| model.domain(variable.sort).size() < 9), "ranges are found");
    let model = lowered("byte x; active proctype P() { do :: x++ od }", Wrong::default());
    let x = model.variables.iter().find(|variable| variable.name == "x").expect("is declared");
    assert_eq!(model.domain(x.sort), &Domain::Numbers { low: 0, high: 255 }, "it counts without a bound");
}

/// Names that are made up for locals and counters are those of no other variable.
#[test]
fn made_up_names_are_noticed() {
    let global = "byte i_2 = 1, x; active proctype P() { { byte i; i = 0 }; { byte i; i = 0 }; x = i_2 }";
    let counted = "byte c_count = 1, x; chan c = [2] of { byte }; active proctype P() {
        byte m; c!1; c!2; for (m in c) { skip }; x = c_count }";
    for text in [global, counted] {
        let renamed = text.replace("i_2", "free").replace("c_count", "free");
        let expected = seen(&lowered(&renamed, Wrong::default()));
        assert!(expected.is_some());
        assert_eq!(seen(&lowered(text, Wrong::default())), expected, "{text}");
        assert_ne!(seen(&lowered(text, Wrong { names_are_taken: true, ..Wrong::default() })), expected, "{text}");
    }
    lowered("active proctype P() { byte i_2; { byte i; i = 0 }; { byte i; i = 0 }; i_2 = 1 }", Wrong::default());
}

/// The counts are those of SPIN 6.5.2.
#[test]
fn loops_within_each_other_have_counters_of_their_own() {
    let text = "typedef m { byte v } chan c = [3] of { m }; byte n; active proctype P() { m a, b;
        a.v = 1; c!a; a.v = 2; c!a; for (a in c) { for (b in c) { n++ } }; assert(n == 4) }";
    let found = seen(&lowered(text, Wrong::default())).expect("no fault");
    assert_eq!((found.states, found.transitions), (41, 40));
}

/// The counts are those of SPIN 6.5.2: a declaration in a block is a step, after which the local is 0 again.
#[test]
fn locals_that_keep_their_values_are_noticed() {
    let text = "byte x; active proctype P() { do :: x < 3 -> byte n; n++; x = x + n :: else -> break od }";
    let found = seen(&lowered(text, Wrong::default())).expect("no fault");
    assert_eq!((found.states, found.transitions), (15, 14));
    assert_ne!(seen(&lowered(text, Wrong { keeps_locals: true, ..Wrong::default() })), Some(found));
}

#[test]
fn results_that_do_not_wrap_are_noticed() {
    let text = "int x = 2147483647; active proctype P() { x = x + 1; x = -x; x = x * 2; x = x - 5 }";
    let found = seen(&lowered(text, Wrong::default())).expect("no fault");
    assert_eq!((found.states, found.transitions), (6, 5));
    assert_eq!(seen(&lowered(text, Wrong { faults_on_overflow: true, ..Wrong::default() })), None);
    let bytes = "byte x = 254; active proctype P() { x++; x++; x++ }";
    assert_eq!(seen(&lowered(bytes, Wrong::default())).expect("no fault").states, 5);
    assert_eq!(seen(&lowered(bytes, Wrong { cuts_nothing: true, ..Wrong::default() })), None);
    let counts = "int x; active proctype P() { do :: d_step { x < 9 -> x++ } :: x = 0 od }";
    let sums = |text: &str| format!("{:?}", lowered(text, Wrong::default()).summands).contains("WrappingAdd");
    assert!(sums(text) && !sums(counts), "a sum in a small range is a checked one");
}

/// Each set has numbers of its own, and a later declaration is above an earlier one.
#[test]
fn sets_of_symbols_are_numbered_apart() {
    let text = "mtype = { a, b }; mtype:s = { x, y }; mtype = { c }; mtype:s = { z };
        active proctype P() { assert(a == 2 && b == 1 && c == 3); assert(x == 2 && y == 1 && z == 3) }";
    assert!(seen(&lowered(text, Wrong::default())).is_some());
}

#[test]
fn values_of_which_run_is_a_part_are_read() {
    let text = "int x; proctype C(byte n) { n = 0 } init { x = run C(1) + 10; (run C(2)); assert(x == 11) }";
    assert!(seen(&lowered(text, Wrong::default())).is_some());
    for wrong in ["if :: run C(1) && x == 0 -> skip fi", "x = run C(run C(1))", "x = run C(1) + run C(2)"] {
        let text = format!("int x; proctype C(byte n) {{ n = 0 }} init {{ {wrong} }}");
        let mut sink = Diagnostics::new();
        assert!(
            super::super::parse(&text, &Default::default(), &mut sink).model.is_none() && sink.has_errors(),
            "{wrong}"
        );
    }
}

/// A hidden variable that nothing reads takes no part in the states; one that is read does.
#[test]
fn hidden_variables_that_are_read_are_kept() {
    let text = |value: &str| {
        format!(
            "hidden byte h; byte x; active proctype P() {{ do :: x < 3 -> h = x; x++ :: x > 2 -> x = {value}; h = 9 od }}"
        )
    };
    let states = |value: &str| seen(&lowered(&text(value), Wrong::default())).expect("no fault").states;
    assert_eq!(states("0"), 12);
    assert!(states("h - 2") > 12, "the values of a variable that is read are told apart");
}

fn names(model: &Sequential) -> Vec<&str> {
    model.variables.iter().map(|variable| variable.name.as_str()).collect()
}

/// Locals that every step sets back are locals of the steps; the states, and what they have in common, are the same.
#[test]
fn locals_within_steps_are_no_part_of_the_state() {
    let text = |step: &str, other: &str| {
        format!(
            "byte x, y; chan q = [2] of {{ byte, byte }}; active [2] proctype P() {{ byte m, i; bit b; do :: d_step {{ {step} }} \
             {other} od }}"
        )
    };
    let step = "q?m,i -> if :: m > 1 -> x = i :: else -> x = 0; y = m fi; b = 1; y = b + i; m = 0; i = 0; b = 0";
    let send = ":: q!2,_pid :: q!1,_pid";
    let kept =
        |text: &str| names(&lowered(text, Wrong::default())).iter().filter(|name| name.starts_with("P_")).count();
    let whole = text(step, send);
    assert_eq!(kept(&whole), 1, "the control point stays");
    assert_eq!(kept(&text(step, &format!("{send} :: m = 1; m = 0"))), 2, "another step leaves a value in one of them");
    assert_eq!(kept(&text(step, &format!("{send} :: i == 0 -> x = 3"))), 2, "a guard reads one of them");
    assert_eq!(kept(&format!("{whole} ltl l {{ [] (P[0]:m != 1) }}")), 2, "a formula reads one of them");
    let half = text(
        "q?m,i -> if :: m > 1 -> x = i; m = 0 :: else -> x = 1 fi; i = 0",
        &format!("{send} :: d_step {{ y = 1; m = 0 }}"),
    );
    assert_eq!(kept(&half), 3, "a step sets one of them back on one of its ways only, and none assigns to another");
    for text in [&whole, &half] {
        let expected = seen(&lowered(text, Wrong { keeps_types: true, ..Wrong::default() }));
        assert!(expected.is_some());
        assert_eq!(seen(&lowered(text, Wrong::default())), expected, "{text}");
    }
    let wrong = Wrong { forgets_temporaries: true, ..Wrong::default() };
    assert_ne!(seen(&lowered(&half, wrong)), seen(&lowered(&half, Wrong::default())));
}

/// A slot that holds nothing is never computed with.
#[test]
fn nothing_is_no_value_to_compute_with() {
    let text = "byte x; chan q = [2] of { byte }; active proctype P() { byte m; do :: d_step { x < 3 && len(q) < 2 -> q!x + 1 } :: q?m -> x = m; m = 0 od }";
    let range = |wrong: Wrong| {
        let model = lowered(text, wrong);
        let x = model.variables.iter().find(|variable| variable.name == "x").expect("is declared");
        (model.domain(x.sort).bounds(), seen(&model).expect("no fault"))
    };
    let (narrow, expected) = range(Wrong::default());
    assert_eq!(narrow, (0, 3));
    assert_eq!(range(Wrong { computes_with_nothing: true, ..Wrong::default() }), ((0, 255), expected));
}

#[test]
fn values_of_31_bits_keep_their_lowest_bit() {
    let text = "unsigned u : 31 = 2147483647; unsigned v : 30 = 1073741823; int x;
        active proctype P() { assert(u == 2147483647 && v == 1073741823); x = -1; u = x; v = x; assert(u == 2147483647 && v == 1073741823) }";
    assert!(seen(&lowered(text, Wrong::default())).is_some());
}
