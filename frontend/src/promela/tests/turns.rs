//! Who may move when: jumps at the ends of sequences, `timeout` inside of them, escapes beside rendezvous, and labels before jumps. The numbers are those of
//! SPIN 6.5.2 (`-o1 -o2 -o3`, `-DNOREDUCE`), and variants of the lowering do not have them.

use super::super::lower::Wrong;
use super::reference::refused;
use super::{lowered, seen};
use crate::diagnostics::codes;

/// The states and transitions of a text.
fn counts(text: &str, wrong: Wrong) -> (usize, usize) {
    let seen = seen(&lowered(text, wrong)).unwrap_or_else(|| panic!("a fault or too many states\n{text}"));
    (seen.states, seen.transitions)
}

/// A text, its numbers, and a variant that does not have them.
fn caught(text: &str, expected: (usize, usize), wrong: Wrong) {
    assert_eq!(counts(text, Wrong::default()), expected, "{text}");
    assert_ne!(counts(text, wrong), expected, "{text}");
}

#[test]
fn the_last_statement_of_a_sequence_leaves_it() {
    let wrong = Wrong { stays_on_jumps: true, ..Wrong::default() };
    let other = "active proctype Q() { y = 1; y = 2; y = 0 }";
    let sequence = "x = 2; L: atomic { x = 1; x = 0; if :: y == 1 -> goto L :: y == 0 fi; x = 3 }; x = 4";
    caught(&format!("byte x, y; active proctype P() {{ {sequence} }} {other}"), (28, 43), wrong);
    let bridge = "do :: atomic { x = 1; x = 2; break } od; atomic { x = 3; if :: x = 4 :: x = 5; goto M fi }; x = 8; \
                  atomic { x = 5; M: x = 6; x = 7 }";
    caught(&format!("byte x, y; active proctype P() {{ {bridge} }} {other}"), (26, 46), wrong);
}

#[test]
fn a_process_gives_the_turn_back_before_a_timeout() {
    let text = "byte x; active proctype P() { atomic { x = 1; timeout; x = 2 } }";
    caught(text, (4, 3), Wrong { timeout_keeps_turns: true, ..Wrong::default() });
}

#[test]
fn a_process_that_may_not_move_does_not_hold_back_timeouts() {
    let text = "byte x; active proctype Q() { timeout; x = 2 } active proctype P() provided (x < 1) { x = 1 }";
    caught(text, (4, 3), Wrong { ends_whatever_is_provided: true, ..Wrong::default() });
}

#[test]
fn what_is_provided_does_not_matter_inside_of_a_step() {
    let wrong = Wrong { provided_inside_steps: true, ..Wrong::default() };
    let text = "byte a, x; active proctype P() provided (a == 0) { do :: d_step { a = x; a = 0; x = (x + 1) % 3 } od }";
    caught(text, (3, 3), wrong);
    let looped = "byte a, x; active proctype P() provided (a == 0) { \
                  d_step { do :: a < 3 -> a = a + 1 :: else -> break od; x = a; a = 0 }; x = 0; a = 1; x = 5 }";
    caught(looped, (4, 3), wrong);
}

#[test]
fn statements_with_fewer_arguments_than_fields_fault() {
    let wrong = || Wrong { fewer_arguments: true, ..Wrong::default() };
    for (capacity, statements) in
        [(1, "c!1; c?n, _"), (1, "c!1, 2; c?n"), (1, "d_step { c!1, 2; c?n }"), (0, "c!1"), (0, "c!1, 2")]
    {
        let other = if capacity == 0 { "active proctype Q() { byte m; c?m }" } else { "" };
        let text = format!(
            "chan c = [{capacity}] of {{ byte, byte }}; active proctype P() {{ byte n; {statements} }} {other}"
        );
        assert!(seen(&lowered(&text, Wrong::default())).is_none(), "{text}");
        assert!(seen(&lowered(&text, wrong())).is_some(), "{text}");
    }
    // A rendezvous has no receiver here.
    let alone = "chan c = [0] of { byte, byte }; active proctype P() { c!1 }";
    assert!(seen(&lowered(alone, Wrong::default())).is_none());
    // A statement that leaves the message where it is may have fewer.
    let copy = "chan c = [1] of { byte, byte }; active proctype P() { byte n; c!1, 2; c?<n>; c?[1]; c?n, _ }";
    assert!(seen(&lowered(copy, Wrong::default())).is_some());
}

/// The faults are those of SPIN's verifier.
#[test]
fn statements_with_more_arguments_than_fields_fault_where_the_channel_is_a_value() {
    let text = |capacity: u8, statement: &str, main: &str| {
        format!(
            "chan wide = [2] of {{ byte, byte, byte }}; chan c = [{capacity}] of {{ byte, byte }}; byte x;
            proctype S(chan d) {{ {statement} }} init {{ {main} }}"
        )
    };
    for (capacity, statement, main) in [
        (1, "d!1,2,3", "run S(c)"),
        (1, "d!!1,2,3", "run S(c)"),
        (1, "d_step { x = 0; d!1,2,3 }", "run S(c)"),
        (1, "d?_,_,x", "c!1,2; run S(c)"),
        (1, "d?<_,_,x>", "c!1,2; run S(c)"),
        (1, "d?_,2,3", "c!1,2; run S(c)"),
        (1, "d??_,2,3", "c!1,2; run S(c)"),
        (0, "d!1,2,3", "run S(c)"),
        (0, "d?_,_,x", "run S(c); c!1,2"),
    ] {
        let faults = text(capacity, statement, main);
        assert!(seen(&lowered(&faults, Wrong::default())).is_none(), "{faults}");
        assert_eq!(refused(&faults.replace("d?", "c?").replace("d!", "c!")), [codes::PROMELA_ARGUMENTS], "{faults}");
    }
    for (capacity, statement, main) in [
        (1, "d!1,2,3", "run S(wide)"),
        (1, "d!1,2,3", "c!1,2; run S(c)"),
        (1, "d?_,3,3", "c!1,2; run S(c)"),
        (1, "d?_,_,x", "run S(c)"),
        (1, "d?[x,2,_] -> x = 1", "c!1,2; run S(c)"),
        (0, "d?_,3,x", "run S(c); c!1,2"),
    ] {
        let goes_on = text(capacity, statement, main);
        assert!(seen(&lowered(&goes_on, Wrong::default())).is_some(), "{goes_on}");
    }
}

#[test]
fn a_message_that_is_offered_is_taken_first() {
    let text = "chan r = [0] of { byte }; byte x, y;
        active proctype P() { { x = 1; if :: r?x -> y = 1 :: r?2 -> y = 2 fi } unless { x == 1 -> y = 3 } }
        active proctype S() { { x = 1; if :: r?x -> y = 4 fi } unless { r?2 -> y = 5 } }
        active proctype Q() { x = 1; r!2; r!2; x = 0 }";
    let own = counts(text, Wrong::default());
    assert_ne!(counts(text, Wrong { escapes_hold_back_receivers: true, ..Wrong::default() }), own);
    let both = "chan r = [0] of { byte }; byte x; bit b;
        active proctype P() { { b = b; r?x } unless { r!0; b = 1 - b } }
        active proctype Q() { { b = b; r?x } unless { r!1; b = b } }";
    assert_eq!(counts(both, Wrong::default()), (12, 12));
}

#[test]
fn labels_before_jumps_have_points_of_their_own() {
    let wrong = Wrong { labels_share_points: true, ..Wrong::default() };
    let jump = "do :: x = 1; progressA: goto M; x = 2; M: y = 1; y = 0 od";
    caught(&format!("byte x, y; active proctype P() {{ {jump} }}"), (5, 5), wrong);
    // One that a claim names, too.
    let named = "if :: x = 1; spot: goto A :: x = 3; goto A fi; x = 5; A: x = 2";
    let claim = "ltl f { [] (P@spot -> x == 1) }";
    caught(&format!("byte x; active proctype P() {{ {named} }} {claim}"), (6, 6), wrong);
    assert_eq!(counts(&format!("byte x; active proctype P() {{ {named} }}"), Wrong::default()), (5, 5));
    // The label is that of the braces, and of the loop where there are none.
    for (body, expected) in [("{ do :: x = 1; y = 1; y = 0 od }", (5, 5)), ("do :: x = 1; y = 1; y = 0 od", (4, 4))] {
        let text =
            format!("byte x, y; active proctype P() {{ x = 1; progressA: {body} unless {{ y == 3 -> x = 1 }} }}");
        assert_eq!(counts(&text, Wrong::default()), expected, "{text}");
    }
}

#[test]
fn the_only_field_of_a_message_is_a_byte() {
    let text = "chan q = [1] of { bit }; byte x; active proctype P() { q ! 2; q ? x; do :: x == 2 -> x = 3 od }";
    let own = counts(text, Wrong::default());
    assert_eq!(own, counts(&text.replace("of { bit }", "of { byte }"), Wrong::default()));
    assert_ne!(own, counts(text, Wrong { cuts_only_fields: true, ..Wrong::default() }));
}

#[test]
fn elements_of_arrays_of_bits_are_bytes() {
    let text = "bit a[2]; byte x; active proctype P() { do :: a[0] = x :: x < 3 -> x++ :: a[1] = a[0] + 1 od }";
    let own = counts(text, Wrong::default());
    assert_eq!(own, counts(&text.replace("bit a", "byte a"), Wrong::default()));
    assert_ne!(own, counts(text, Wrong { cuts_elements: true, ..Wrong::default() }));
}

#[test]
fn a_rendezvous_channel_is_empty_and_not_full() {
    for (condition, states) in [("nfull", 7), ("empty", 7), ("full", 2), ("nempty", 2)] {
        let text = format!(
            "chan r = [0] of {{ byte }}; byte x; active proctype P() {{ {condition}(r); x = 1 }} active proctype Q() {{ x = 2; r?x }}"
        );
        assert_eq!(counts(&text, Wrong::default()).0, states, "{text}");
        let wrong = counts(&text, Wrong { meetings_are_full: true, ..Wrong::default() }).0;
        assert_eq!(wrong != states, condition.ends_with("full"), "{text}");
    }
}

/// The counts are those of SPIN 6.5.2.
#[test]
fn jumps_that_begin_braces_are_steps() {
    let text = |body: &str| {
        format!("byte x, y; active proctype P() {{ {body} }} active proctype Q() {{ y = 1; x = 4; y = 2 }}")
    };
    assert_eq!(counts(&text("goto A; x = 1; A: x = 2; x = 3"), Wrong::default()), (23, 31));
    let bodies = [
        ("x = 1; { goto A; x = 5 }; x = 6; A: x = 2", (31, 45)),
        ("x = 1; atomic { { goto A; x = 5 }; x = 7 }; x = 6; A: x = 2", (31, 45)),
        ("do :: x < 3 -> x++; { break; x = 5 }; x = 7 :: y == 1 -> x = 9; y = 0 od; x = 2", (56, 78)),
        ("x = 1; { { goto A; x = 2; x = 3 } unless { y == 1; x = 7 } }; x = 5; A: x = 8", (48, 74)),
        ("do :: atomic { goto A; x = 5 }; x = 7 :: x < 3 -> x++ od; x = 2; A: x = 8", (47, 83)),
    ];
    for (body, expected) in bodies {
        caught(&text(body), expected, Wrong { jumps_are_no_steps: true, ..Wrong::default() });
    }
}

/// The counts are those of SPIN 6.5.2: an escape of an escape interrupts that escape only.
#[test]
fn escapes_of_escapes_interrupt_escapes_only() {
    let text =
        |body: &str| format!("byte x, y; active proctype P() {{ {body}; x = 5 }} active proctype Q() {{ y = 1 }}");
    for (body, expected) in [
        ("{ x = 1; x = 2; x = 3 } unless { { y == 1 -> y = 0; y = 2 } unless { x == 2; y = 3 } }", (40, 54)),
        (
            "{ do :: x < 2 -> x++ :: else -> x = 0 od } unless { { y == 1 -> y = 0; y = 2 } unless { x == 0 && y != 1; y = 3 } }",
            (44, 64),
        ),
    ] {
        caught(&text(body), expected, Wrong { escapes_further: true, ..Wrong::default() });
    }
}

/// The counts are those of SPIN 6.5.2, of the last one with `y != 1` for `else`, which SPIN always takes there.
#[test]
fn escapes_begin_with_jumps_and_choices() {
    for (escape, expected) in [
        ("goto A; x = 7", (56, 84)),
        ("{ goto A }; x = 7", (37, 51)),
        ("if :: y == 1 -> x = 9 :: else -> x = 10 fi", (63, 96)),
    ] {
        let body = format!("x = 1; {{ x = 2; x = 3 }} unless {{ {escape} }}; x = 5; A: y == 1; x = 8");
        let text = format!("byte x, y; active proctype P() {{ {body} }} active proctype Q() {{ y = 1; x = 4; y = 2 }}");
        assert_eq!(counts(&text, Wrong::default()), expected, "{text}");
        let wrong = counts(&text, Wrong { escapes_by_jumps: true, ..Wrong::default() });
        assert_eq!(wrong != expected, escape.starts_with("goto"), "{text}");
    }
}
