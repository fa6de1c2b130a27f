//! What names mean: labels of braces and `inline` texts, references to other processes, and arrays in messages. The counts are those of SPIN 6.5.2.

use super::super::lower::Wrong;
use super::{lowered, seen};
use crate::diagnostics::{Code, Diagnostics, codes};

fn counts(text: &str, wrong: Wrong) -> Option<(usize, usize)> {
    seen(&lowered(text, wrong)).map(|seen| (seen.states, seen.transitions))
}

/// The codes of a text that has no model.
pub(super) fn refused(text: &str) -> Vec<Code> {
    let mut sink = Diagnostics::new();
    assert!(super::super::parse(text, &Default::default(), &mut sink).model.is_none(), "{text}");
    sink.list.iter().map(|found| found.code).collect()
}

#[test]
fn jumps_go_to_the_labels_of_their_braces() {
    let ignores = Wrong { labels_ignore_braces: true, ..Wrong::default() };
    let all = Wrong { braces_know_all_words: true, ..Wrong::default() };
    let count = |process: &str| {
        format!(
            "byte x; inline up(n) {{ x = x; up: x++; if :: x < n -> goto up :: else fi }}
             inline two(n) {{ up(n); if :: x > 100 -> goto up :: else fi; up(n+1) }}
             active proctype P() {{ {process} }}"
        )
    };
    let texts = [
        ("up(3); x = 0; up(2)", (15, 14), Some(ignores)),
        ("two(3); x = 0; two(2)", (23, 22), Some(ignores)),
        ("up(3); if :: x == 3 -> goto up :: else fi", (13, 12), None),
        ("up(3); x = 0; up(2); if :: x < 4 -> goto up :: else fi", (22, 21), None),
        ("up: x++; up(3); if :: x < 6 -> goto up :: else fi", (18, 17), Some(all)),
        (
            "{ x = 1; up: x++; if :: x < 4 -> goto up :: else fi }; { x = 1; up: x++; if :: x < 3 -> goto up :: else fi }",
            (14, 13),
            Some(ignores),
        ),
    ];
    for (process, wanted, wrong) in texts {
        let text = count(process);
        assert_eq!(counts(&text, Wrong::default()), Some(wanted), "{process}");
        if let Some(wrong) = wrong {
            assert_ne!(counts(&text, wrong), Some(wanted), "{process} {wrong:?}");
        }
    }
    let twice = [
        "if :: x == 0 -> goto up :: x == 1 -> skip fi; up(3); x = 0; up(2)",
        "if :: x == 0 -> x = 1; up: x++ :: x == 9 -> x = 1; up: x++ fi",
        "up: x = 1; { x = 2; up: x = 3 }",
    ];
    for process in twice {
        assert_eq!(refused(&count(process)), [codes::PROMELA_DUPLICATE], "{process}");
    }
}

/// A process that is seen at a label is at the first one of its name; where one of several stands before a jump, SPIN leaves out points.
#[test]
fn labels_of_several_braces_are_seen_at_the_first() {
    let text = |last: &str| {
        format!(
            "byte x; active proctype P() {{ x = 1; {{ x = 2; lab: x = 3 }}; x = 4; {{ x = 5; lab: {last} }}; x = 9; A: x = 7 }}
             active proctype Q() {{ P[0]@lab; x = 100 }}"
        )
    };
    let at = |wrong: Wrong| counts(&text("x = 6"), wrong);
    assert_eq!(at(Wrong::default()), Some((44, 59)));
    assert_eq!(refused(&text("goto A")), [codes::PROMELA_DUPLICATE]);
}

#[test]
fn numbers_of_other_processes_are_noticed() {
    let text = |condition: &str| {
        format!(
            "byte x; proctype Kid(byte v) {{ x = v; lab: x = v + 10; x = 5 }}
             init {{ run Kid(1); run Kid(2); {condition}; x = 99 }}"
        )
    };
    let conditions = [
        ("Kid[1]@lab", (114, 203)),
        ("Kid[2]@lab", (110, 198)),
        ("Kid[7]@lab", (41, 62)),
        ("Kid@lab", (114, 203)),
        ("Kid[_pid+1]@lab", (114, 203)),
        ("Kid[1]:v == 1", (125, 251)),
        ("Kid:v == 1", (125, 251)),
        ("Kid[7]:v == 1", (41, 62)),
        ("Kid[3]:v == 0", (136, 271)),
        ("Kid[x]:v == 2", (110, 195)),
        ("Kid[x]@lab", (121, 221)),
    ];
    for (condition, wanted) in conditions {
        assert_eq!(counts(&text(condition), Wrong::default()), Some(wanted), "{condition}");
    }
    let right = Wrong { numbers_are_right: true, ..Wrong::default() };
    assert_eq!(counts(&text("Kid[x]@lab"), right), None, "a number that no process has is an index out of bounds");
    for condition in ["Kid[0]@lab", "Kid[0]:v == 1"] {
        assert_eq!(refused(&text(condition)), [codes::PROMELA_SCOPE], "{condition}");
    }
    let behind = "byte x; proctype Other(byte w) { x = w; x = 8 }
        proctype Kid(byte v) { x = v; lab: x = v + 10; x = 5; (x == 9) }
        init { run Other(3); run Kid(2); Kid@lab; x = 99; Kid:v == 2; x = 98 }";
    assert_eq!(counts(behind, Wrong::default()), Some((123, 219)));
    let lowest = Wrong { first_has_lowest_number: true, ..Wrong::default() };
    assert_ne!(counts(behind, lowest), Some((123, 219)));
    let none = "byte x; proctype Kid(byte v) { x = v; lab: x = v + 10; x = 5 }
        active proctype M() { Kid@lab; x = 77 }
        active proctype N() { Kid:v == 0; run Kid(4); Kid:v == 0; x = 98 }";
    assert_eq!(counts(none, Wrong::default()), Some((32, 36)));
}

#[test]
fn arrays_in_messages_are_noticed() {
    let text = |capacity: u8| {
        format!(
            "typedef M {{ byte a[3]; byte b }} chan q = [{capacity}] of {{ byte, M, bit }}; byte s;
             active proctype P() {{ M m; m.a[0] = 1; m.a[1] = 2; m.a[2] = 3; m.b = 4; q!5,m,1; m.a[1] = 7; q!6,m,0 }}
             active proctype R() {{ M n; byte t; bit u; q?t,n,u; s = n.a[0] + n.a[1] * 4 + n.a[2] * 16 + n.b * 64; q?6,n,u; s = n.a[1] }}"
        )
    };
    let first = Wrong { sends_first_elements: true, ..Wrong::default() };
    assert_eq!(counts(&text(0), Wrong::default()), Some((13, 13)));
    assert_eq!(counts(&text(2), Wrong::default()), Some((18, 21)));
    assert_eq!([0, 2].map(|capacity| counts(&text(capacity), first)), [None; 2]);
    let records = "typedef I { byte c } typedef M { I i[2] } chan q = [2] of { M }; active proctype P() { skip }";
    assert_eq!(refused(records), [codes::PROMELA_UNSUPPORTED]);
    let many = "typedef M { byte a[300] } chan q = [2] of { M }; active proctype P() { skip }";
    assert_eq!(refused(many), [codes::PROMELA_SIZE]);
}

/// SPIN refuses these, too.
#[test]
fn locals_are_declared_once_in_a_scope() {
    for body in [
        "byte a; byte a; a = 1",
        "byte a, a; a = 1",
        "byte a; a = 1; short a; a = 2",
        "atomic { byte a; byte a; a = 1 }",
    ] {
        assert_eq!(refused(&format!("active proctype P() {{ {body} }}")), [codes::PROMELA_DUPLICATE], "{body}");
    }
    assert_eq!(refused("proctype P(byte a) { byte a; a = 1 } init { run P(1) }"), [codes::PROMELA_DUPLICATE]);
    lowered(
        "inline f() { byte t; t = 1 } active proctype P() { f(); f(); { byte a; a = 1 }; { byte a; a = 2 } }",
        Wrong::default(),
    );
}

/// So does SPIN.
#[test]
fn arrays_need_an_index() {
    let head = "typedef R { byte f[2]; byte g } R r; R s[2]; byte a[4]; byte x; chan c[2] = [1] of { byte };";
    for body in [
        "a = x",
        "x = a",
        "a++",
        "assert(a == 0)",
        "c[0]!a",
        "c[0]?a",
        "c!1",
        "len(c) == 0",
        "x = r.f",
        "r.f = 1",
        "s.g = 1",
        "a[a] = 1",
    ] {
        assert_eq!(refused(&format!("{head} active proctype P() {{ {body} }}")), [codes::PROMELA_TYPE], "{body}");
    }
    assert_eq!(
        refused(&format!("{head} active proctype P() {{ skip }} ltl f {{ [] (a == 0) }}")),
        [codes::PROMELA_TYPE]
    );
    let fine =
        format!("{head} active proctype P() {{ byte i; x = 1; byte b[2]; b[1] = 1; for (i in a) {{ a[i] = 1 }} }}");
    lowered(&fine, Wrong::default());
}

/// A record where a value is wanted is called a record, however many fields it has; a parameter is none.
#[test]
fn records_are_no_values() {
    let said = |text: &str| {
        let mut sink = Diagnostics::new();
        assert!(super::super::parse(text, &Default::default(), &mut sink).model.is_none(), "{text}");
        sink.list.iter().map(|found| format!("{}: {}", found.code, found.message)).collect::<Vec<_>>()
    };
    for fields in ["byte a", "byte a[1]", "byte a; bit b"] {
        let read = format!("typedef T {{ {fields} }}; T x; active proctype P() {{ x == 1 }}");
        assert_eq!(said(&read), ["E0857: `x` is a record: a field is needed here"], "{read}");
        let passed = format!("typedef T {{ {fields} }}; proctype Q(T t) {{ skip }} init {{ T x; run Q(x) }}");
        assert_eq!(said(&passed), ["E0856: `t` is a record: a parameter is one value here"], "{passed}");
    }
}
