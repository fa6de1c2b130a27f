//! Channels: which one a statement is about, what is in it, and which channels there are. What SPIN 6.5.2 does.

use super::lower::Wrong;
use super::reference_tests::refused;
use super::tests::{lowered, seen};
use crate::diagnostics::codes;

/// Whether a text faults or fails an assertion, which a variant says otherwise.
fn differs(text: &str, faults: bool, wrong: Wrong) {
    assert_eq!(seen(&lowered(text, Wrong::default())).is_none(), faults, "{text}");
    assert_ne!(seen(&lowered(text, wrong)).is_none(), faults, "{wrong:?}\n{text}");
}

/// SPIN looks the channel up again behind each assignment.
#[test]
fn a_variable_received_into_does_not_choose_the_channel() {
    let text = |statement: &str| {
        format!(
            "typedef R {{ byte f; chan d }} chan q[3] = [2] of {{ byte }}; chan k[2] = [1] of {{ chan }}; chan p = [1] of {{ chan, byte }};
            chan m = [0] of {{ chan, byte }}; chan n[3] = [0] of {{ byte, byte }}; chan o = [1] of {{ R }}; chan s[2] = [2] of {{ byte, byte }};
            R r; chan c, e[2]; byte x, y, a[2];
            active proctype P() {{ c = p; c = m; c = k[0]; c = o; r.d = o; {statement} }} active proctype Q() {{ m!p, 1; n[0]!1, 1 }}"
        )
    };
    for statement in [
        "k[0]!k[1]; c?c",
        "c?c, x",
        "c?<c, x>",
        "q[x]?x",
        "q[x + a[0]]??a[1]",
        "q[r.f]?r.f",
        "o?r; r.d?r",
        "e[0]?e[0]",
        "e[x]?e[0], y",
        "n[x]?x, y",
        "d_step { x = 0; c?c; x = 1 }",
    ] {
        assert_eq!(refused(&text(statement)), [codes::PROMELA_UNSUPPORTED], "{statement}");
    }
    for statement in ["c?<c>", "q[x]?<x>", "q[x]?y", "c?e[0]", "e[0]?e[1]", "s[x]?x, y", "n[x]?y, x", "c??y", "o?r"] {
        lowered(&text(statement), Wrong::default());
    }
    let wrong = Wrong { channels_are_chosen_once: true, ..Wrong::default() };
    let own = "chan q[2] = [1] of { chan }; chan c; active proctype P() {
        q[0]!q[0]; q[1]!q[0]; c = q[1]; c?c; assert(c == q[0]); assert(len(q[1]) == 0 && len(q[0]) == 1) }";
    assert_eq!(refused(own), [codes::PROMELA_UNSUPPORTED]);
    assert!(seen(&lowered(own, wrong)).is_none(), "the message is taken from the other channel");
}

#[test]
fn a_hidden_record_stands_for_all_its_fields() {
    let wrong = || Wrong { hidden_records_are_one_value: true, ..Wrong::default() };
    let text = |statement: &str| {
        format!(
            "typedef R {{ byte a; byte b[2] }} hidden R r; R s; chan q = [1] of {{ R, byte }}; byte x;
            active proctype P() {{ s.a = 1; s.b[0] = 2; s.b[1] = 4; q!s, 3; {statement}; assert(x == 3) }}"
        )
    };
    for statement in ["q?<r, x>", "q?r, x"] {
        differs(&text(statement), false, wrong());
    }
    let both = text("d_step { x = 1; q?r, x }");
    assert!(seen(&lowered(&both, Wrong::default())).is_some());
    // The other form of the receive statement is a fault with too few arguments.
    assert!(seen(&lowered(&text("q?_, x"), Wrong::default())).is_none());
}

/// The values of a channel to which nothing is sent are needed by no operation, and what is computed of them has a value all the same.
#[test]
fn what_is_computed_of_an_empty_channel_has_a_value() {
    let wrong = || Wrong { nothing_has_no_value: true, ..Wrong::default() };
    let range = "chan q = [1] of { byte }; byte x = 3;
        active proctype P() { x = 7 - (q?[5]); assert(x == 7); x = 1; assert(x == 1) }";
    differs(range, false, wrong());
    let fault = "chan q = [1] of { byte }; chan r = [1] of { byte }; chan c; byte n;
        active proctype P() { end: { c!1 } unless { q?5 } } active proctype Q() { if :: n == 81 -> c = r :: else fi }";
    differs(fault, true, wrong());
}
