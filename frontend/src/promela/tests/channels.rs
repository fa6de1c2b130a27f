//! Channels: which one a statement is about, what is in it, and which channels there are. What SPIN 6.5.2 does.

use super::super::lower::Wrong;
use super::reference::refused;
use super::{lowered, seen};
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

/// A channel of a process that is gone has no messages, and SPIN faults where a process looks for room in it; for messages only in a model with rendezvous.
#[test]
fn channels_are_gone_with_their_processes() {
    let wrong = || Wrong { channels_outlive_processes: true, ..Wrong::default() };
    let text = |statement: &str, other: &str, capacity: u8| {
        format!(
            "chan g = [1] of {{ chan }}; {other} byte x; proctype A() {{ chan c = [{capacity}] of {{ byte }}; g!c }}
            active proctype B() {{ chan d; g?d; (_nr_pr == 2); if :: {statement} :: x == 0 fi; x = 1 }}
            init {{ run A(); (x == 1); run A() }}"
        )
    };
    let meets = "chan z = [0] of { byte };";
    for (statement, other, capacity) in [
        ("d!7", "", 2),
        ("nfull(d)", "", 2),
        ("full(d)", "", 2),
        ("d_step { x = 0; if :: d!7 :: else fi; x = 0 }", "", 2),
        ("d?_", meets, 2),
        ("d?[5]", meets, 2),
        ("d!7", meets, 0),
        ("d?_", "", 0),
        ("nfull(d)", "", 0),
    ] {
        differs(&text(statement, other, capacity), true, wrong());
    }
    for (statement, other) in
        [("d?_", ""), ("d?[5]", ""), ("len(d) == 0", meets), ("empty(d)", meets), ("nempty(d)", "")]
    {
        let both = text(statement, other, 2);
        assert!(seen(&lowered(&both, Wrong::default())).is_some(), "{both}");
        assert_eq!(seen(&lowered(&both, Wrong::default())), seen(&lowered(&both, wrong())), "{both}");
    }
    // The channel of a process that never ends is always there.
    let stays = text("d!7", "", 2).replace("g!c }", "g!c; end: false }").replace("_nr_pr == 2", "true");
    assert!(seen(&lowered(&stays, Wrong::default())).is_some());
}

#[test]
fn a_record_that_is_sent_gives_away_its_channels() {
    let wrong = Wrong { forgets_channels_of_records: true, ..Wrong::default() };
    let text =
        "typedef S { chan e = [1] of { byte } } typedef R { chan c = [1] of { byte }; S s } R r; chan q = [1] of { R };
        active proctype P() { chan d, e; q!r; q?d, e; d!5; e!6; assert(len(r.c) == 1 && len(r.s.e) == 1) }";
    differs(text, false, wrong);
}

#[test]
fn variables_have_room_for_the_channels_of_records() {
    let text = "typedef S { chan e[2] = [1] of { byte } } typedef R { chan c = [1] of { byte }; S s[2] } R r[2]; chan d;
        chan q = [1] of { byte };
        active [2] proctype P() { chan l = [1] of { byte }; R own; byte x; atomic { d = own.s[1].e[1]; d!5; d?x; d = r[1].s[1].e[0]; d!x;
            assert(len(r[1].s[1].e[0]) == 1); d?x; d = l; assert(d != own.s[1].e[1]); d = q; d!1; d?x; d = 0 } }";
    assert!(seen(&lowered(text, Wrong::default())).is_some());
}

/// A `d_step` is one step, into which nothing leads; a jump inside of it and one to its first point are none from outside.
#[test]
fn jumps_into_a_d_step_are_refused() {
    let text = |body: &str| format!("byte i; active proctype P() {{ {body} }}");
    for body in [
        "if :: goto L :: i = 0 fi; d_step { i = 1; L: i == 1; i = 3 }",
        "goto L; d_step { i = 1; L: i = 3 }",
        "do :: d_step { i = 1; L: i = 3 } :: break od; goto L",
        "d_step { i = 1; L: i = 3 }; d_step { i = 2; goto L }",
        "{ i = 1; i = 2 } unless { goto L }; d_step { i = 1; L: i = 3 }",
    ] {
        assert_eq!(refused(&text(body)), [codes::PROMELA_SCOPE], "{body}");
    }
    for body in [
        "if :: goto L :: i = 0 fi; L: d_step { i = 1; i = 3 }",
        "d_step { i = 1; L: i++; if :: i < 4 -> goto L :: else fi; i = 3 }",
        "if :: goto L :: i = 0 fi; atomic { i = 1; L: i == 1; i = 3 }",
        "d_step { i = 1; atomic { L: i++; i++ }; d_step { if :: i < 4 -> goto L :: else fi; i = 3 } }",
    ] {
        lowered(&text(body), Wrong::default());
    }
}

/// A question about a label may give it a control point of its own, which the model without it has not.
#[test]
fn questions_are_about_the_model_without_them() {
    let text = |label: &str| {
        format!(
            "byte n; bool b = 1; chan q[2] = [1] of {{ byte }}; active proctype P() {{ if :: b -> skip; {label} goto M :: else -> skip fi; n = 90; M: n = 91; K: n = 92 }}"
        )
    };
    let is_read =
        |text: &str, question: &str| super::super::conditions(text, &Default::default(), &[question])[0].is_ok();
    for (label, question, is_answered) in [
        ("L:", "!P@L", false),
        ("", "!P@M", true),
        ("L:", "!P@K", true),
        ("L:", "n < 92", true),
        ("L:", "len(q[0]) == 0", true),
    ] {
        assert_eq!(is_read(&text(label), question), is_answered, "{question}");
    }
}
