//! A fault of a model is a fault of its sequential form, wherever it stands: faulty expressions in all places of a list, in models of Murphi,
//! 80 steps away from the start (here and in [`unions`]), and of Rebeca ([`actors`]). Quantifiers keep their values ([`binders`]).
//!
//! A model and its form, printed and read back, are both checked without reductions: they have the same states and the same answers about
//! faults, deadlocks and invariants. Models that the conversion refuses are counted.

mod actors;
mod binders;
mod unions;

use std::collections::BTreeSet;

use battery::harness::messages;
use battery::{panics, parallel};
use checker::{QueryKind, Question, Report, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::murphi::program::Program;
use frontend::murphi::{self, Options};
use frontend::sequential::print::print;
use frontend::sequential::{self, Sequential, StmtKind, from_murphi};

/// The answers about a model or form.
#[derive(PartialEq, Eq, Debug)]
struct Answers {
    states: u64,
    /// Whether a step faults.
    faults: bool,
    /// The states without steps.
    stuck: Option<u64>,
    /// Whether each invariant holds.
    invariants: Vec<bool>,
}

impl Answers {
    fn of<T>(report: &Report<T>) -> Answers {
        let holds = |verdict: Verdict| match verdict {
            Verdict::Holds => true,
            Verdict::Violated => false,
            Verdict::Inconclusive => panic!("the search is finished"),
        };
        let of = |kind: QueryKind| report.answers.iter().filter(move |answer| answer.kind == kind);
        let mut faults = of(QueryKind::Error).chain(of(QueryKind::Assertion));
        Answers {
            states: report.states,
            faults: faults.any(|answer| !holds(answer.verdict)),
            stuck: report.deadlock_states,
            invariants: of(QueryKind::Invariant).map(|answer| holds(answer.verdict)).collect(),
        }
    }

    fn of_program(program: &Program) -> Answers {
        let question = Question { properties: program.claims(), stuck: true, keep_going: true, ..Question::default() };
        let report = checker::murphi::check(program, &question, &checker::murphi::Reductions::default(), &mut ());
        Answers::of(&report.expect("a report"))
    }

    fn of_form(form: &Sequential) -> Answers {
        let question = Question { properties: form.properties.clone(), keep_going: true, ..Question::default() };
        Answers::of(&checker::sequential::check(form, &question, &mut ()).expect("a report"))
    }
}

/// The outcome of a comparison.
#[derive(Debug)]
enum Outcome {
    /// The same answers, and whether something faults or does not hold.
    Same(bool),
    /// No model, or no form of it: the reason.
    Refused(String),
    /// The answers and the text.
    Different(String),
}

/// Compares a model with its form, after a change of the form.
fn compared_with(text: &str, change: impl FnOnce(&mut Sequential)) -> Outcome {
    let mut sink = Diagnostics::new();
    let Some(program) = murphi::parse(text, &Options::default(), &mut sink).program else {
        return Outcome::Refused(messages(&sink));
    };
    let mut sink = Diagnostics::new();
    let Some(form) = from_murphi(&program, &mut sink) else { return Outcome::Refused(messages(&sink)) };
    let mut sink = Diagnostics::new();
    let again = sequential::parse(&print(&form), &sequential::Options::default(), &mut sink).model;
    let mut form = again.unwrap_or_else(|| panic!("{}", messages(&sink)));
    change(&mut form);
    let (expected, found) = (Answers::of_program(&program), Answers::of_form(&form));
    if expected != found {
        return Outcome::Different(format!("{expected:?}\n{found:?}\n{text}"));
    }
    Outcome::Same(expected.faults || expected.invariants.contains(&false))
}

fn compared(text: &str) -> Outcome {
    compared_with(text, |_| {})
}

/// One text of so many is compared, unless `QUOTIENT_SLOW` is set.
const STRIDE: usize = 7;

/// Compares texts: none differs. Of all texts, the numbers of those with a fault and of those without one, and of those that are refused, are at
/// least and at most these.
fn agree(texts: &[String], comparison: impl Fn(&str) -> Outcome + Sync, [faulty, fine, refused]: [usize; 3]) {
    let is_whole = std::env::var_os("QUOTIENT_SLOW").is_some();
    let texts: Vec<&String> = texts.iter().step_by(if is_whole { 1 } else { STRIDE }).collect();
    let outcomes = parallel::map(&texts, |text| {
        panics::caught(|| comparison(text)).unwrap_or_else(|panic| Outcome::Different(format!("{panic}\n{text}")))
    });
    let (mut with, mut without, mut reasons, mut different) = (0, 0, Vec::new(), Vec::new());
    for outcome in outcomes {
        match outcome {
            Outcome::Same(true) => with += 1,
            Outcome::Same(false) => without += 1,
            Outcome::Refused(reason) => reasons.push(reason),
            Outcome::Different(what) => different.push(what),
        }
    }
    println!("{with} with a fault and {without} without one agree, {} of {} are refused", reasons.len(), texts.len());
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different[0]);
    assert!(with > 0 && without > 0, "{with} with a fault and {without} without one agree");
    if !is_whole {
        return;
    }
    assert!(reasons.len() <= refused, "{} are refused: {}", reasons.len(), reasons[0]);
    assert!(with >= faulty && without >= fine, "{with} with a fault and {without} without one agree");
}

/// Expressions that fault in some states: an index, a division, an undefined value, a value outside of a parameter or result, arithmetic, a function
/// without a result, one that changes the state, an assertion.
const EXPRESSIONS: &[&str] = &[
    "6 / d",
    "a[k]",
    "m[k][1]",
    "p[1].v[k]",
    "o",
    "same(k)",
    "2147483645 + k",
    "none(k)",
    "setting(k)",
    "asserting(k)",
    "(b ? a[k] : a[k])",
    "k",
    "-(-2147483647 - k)",
];

/// Places of an expression `E` in a body with the locals `y`, `z` and `q`.
const PLACES: &[&str] = &[
    "y := E;",
    "y := E; y := 1;",
    "if n > 90 then y := E; end;",
    "if b then y := E; y := 1; end;",
    "if n < 80 then y := 1; else y := E; y := 2; end;",
    "if b then y := E; else y := E; end;",
    "if b then y := E; else y := E; end; y := 2;",
    "y := 1; if b then y := y + E; end; y := 1;",
    "if E > 0 then end;",
    "if E > 0 then y := 1; else y := 1; end;",
    "if b then if b then y := E; y := 1; end; end;",
    "if n > 90 then elsif E > 0 then end;",
    "switch E case 0: y := 1; end;",
    "switch n case E: y := 1; end;",
    "switch 80 case n, E: y := 1; end;",
    "switch 80 case 0, E: y := 1; end;",
    "switch E else y := 1; end;",
    "for i := 0 to E do end;",
    "for i := E to 0 do end;",
    "for i := 9 to E by -1 do y := 1; end;",
    "for i: three do if E > 3 then return 7; end; end;",
    "for i: three do if i = E then return 2; end; end;",
    "for i: three do if i = 1 then return 77; end; end;",
    "for i: three do y := E; end;",
    "for i: three do for j: three do if m[i][j] < E then return 2; end; end; end;",
    "for i := 1 to 0 do y := E; end;",
    "while E > 9 do end;",
    "while n > 90 & E > 0 do end;",
    "alias w: E do end;",
    "alias w: a[E] do end;",
    "alias w: m[E] do end;",
    "alias w: p[E].v do y := 1; end;",
    "alias w: m[1] do alias u: w[E] do y := 1; end; end;",
    "alias w: y do w := E; w := 1; end;",
    "assert E >= 0;",
    "assert E < 3;",
    "put E;",
    "put a[E];",
    "put m[E];",
    "y := (true | E > 0) ? 1 : 2;",
    "y := (E > 0 | true) ? 1 : 2;",
    "y := (E > 0 -> true) ? 1 : 1;",
    "y := (b ? 1 : E);",
    "y := (b ? E : E);",
    "if forall i: three do E >= 0 end then end;",
    "if exists i: three do i = 1 & E > 9 end then end;",
    "if forall i := 0 to E do true end then end;",
    "if isundefined(a[E]) then end;",
    "if isundefined(z[E]) then end;",
    "z := m[E];",
    "z := a; z := m[E]; z := a;",
    "z[E] := 1;",
    "q.v := m[E]; q.w := E;",
    "clear z[E];",
    "undefine z[E];",
    "if m[E] = a then end;",
    "if a != p[E].v then end;",
    "y := same(E);",
    "y := same(same(E));",
    "if of_name(a[E]) then end;",
    "if of_row(m[E]) then end;",
    "if of_pair(p[E]) then end;",
    "if of_number(E) then end;",
    "nothing(z, z[E], 1);",
    "nothing(m[E], z[1], 1);",
    "nothing(z, z[1], E);",
    "rows(m[E]);",
    "return E;",
    "if b then return E; end;",
    "if n < 80 then return 1; else return E; end;",
    "switch n case 80: return E; end;",
    "y := E; return y;",
    "y := E * 0 + 1;",
    "y := E & 0;",
    "y := E << 40;",
    "y := 0 << E;",
    "y := ~E & 1;",
    "cover E > 0;",
    "y := b ? 1 : 2; if b then y := E; y := E; y := 1; end;",
    "if b then z[1] := E; end;",
    "if (b ? m[E] : a) = a then end;",
    "put b ? m[E] : a;",
    "z := (b ? m[E] : a);",
    "y := a[same(E) % 3];",
    "if setting(1) = E then end;",
    "if E = setting(1) then end;",
    "if b & E > 0 & of_number(setting(2)) then end;",
    "y := small(E);",
];

/// Rules and invariants in whose conditions, or around which, an expression `E` stands.
const RULES: &[&str] = &[
    "rule n = 80 & E > 0 ==> begin b := !b; end;",
    "rule n < 80 | E > 0 ==> begin b := !b; end;",
    "rule n = 80 & (b | a[E] = 0) ==> begin b := !b; end;",
    "rule n = 80 & forall i: three do E >= i end ==> begin b := !b; end;",
    "rule n = 80 & exists i: three do E = i & i = 1 end ==> begin b := !b; end;",
    "rule n = 80 & of_name(a[E]) ==> begin b := !b; end;",
    "rule n = 80 & of_row(m[E]) & of_pair(p[E]) ==> begin b := !b; end;",
    "rule n = 80 & isundefined(a[E]) ==> begin b := !b; end;",
    "rule n = 80 & m[E] = a ==> begin b := !b; end;",
    "alias w: E do rule n = 80 ==> begin b := !b; end; end;",
    "alias w: a[E] do rule n = 80 ==> begin b := !b; end; end;",
    "alias w: m[E] do rule n = 80 ==> begin b := !b; end; end;",
    "alias w: m[E] do alias v: w[1] do rule n = 80 ==> begin v := 1; end; end; end;",
    "alias w: p[E].v do ruleset i: three do rule n = 80 & w[i] > 5 ==> begin b := !b; end; end; end;",
    "ruleset i: 0 .. 5 do alias w: a[i] do rule n = 80 ==> begin b := !b; end; end; end;",
    "ruleset i: 0 .. 5 do alias w: m[i]; v: E do rule n = 80 ==> begin b := !b; end; end; end;",
    "ruleset i: 0 .. 5 do rule n = 80 & i = k ==> begin a[i] := 1; end; end;",
    "ruleset i: 0 .. 5 do rule n = 80 & i = k ==> begin if of_name(a[i]) then b := !b; end; end; end;",
    "ruleset i: 0 .. 5 do alias w: i do rule n = 80 & k = 4 ==> begin x := w; end; end; end;",
    "alias w: E do ruleset i := 3 to 2 do rule n = 80 ==> begin b := !b; end; end; end;",
    "ruleset i := 0 to 5 by 2 do alias w: a[i] do rule n = 80 ==> begin b := !b; end; end; end;",
    "ruleset i: three do alias w: E + i do rule n = 80 & w > 1 ==> begin x := w; end; end; end;",
    "invariant n < 80 | E >= 0;",
    "invariant n < 80 | (b -> E >= 0);",
    "invariant n < 80 | of_row(m[E]);",
    "invariant n < 80 | exists i: three do E = i | b end;",
    "invariant n < 80 | !forall i: three do of_name(a[E]) end;",
    "alias w: E do invariant n < 80; end;",
    "alias w: a[E] do invariant true; end;",
    "ruleset i: 0 .. 5 do alias w: m[i] do invariant n < 80; end; end;",
    "ruleset i: 0 .. 5 do invariant n < 80 | of_name(a[i]); end;",
    "ruleset i: 0 .. 5 do invariant n < 80 | i > k | of_row(m[i]); end;",
    "alias w: p[E] do ruleset i: three do invariant n < 80 | w.v[i] = 0; end; end;",
    "alias w: E do ruleset i := 3 to 2 do invariant n < 80; end; end;",
    "rule n = 80 ==> var w: four; begin w := E; x := 1; end;",
    "rule n = 80 ==> begin a[E] := 1; end;",
    "rule n = 80 ==> begin m[E] := a; end;",
    "rule n = 80 ==> begin p[E].v := m[E]; end;",
    "rule n = 80 ==> begin undefine m[E]; m[1] := a; clear m; end;",
    "rule n = 80 ==> begin undefine a[2]; a[2] := E; end;",
    "rule n = 80 ==> begin undefine a[E]; end; rule n = 80 ==> begin x := a[1]; end;",
    "rule n = 80 ==> begin a[setting(E) % 3] := E; end;",
    "rule n = 80 ==> begin a[x % 3] := setting(E); end;",
];

/// What the bodies and rules have to do with: all but a counter waits for its end.
const HEAD: &str = "type three: 0 .. 2; four: 0 .. 3; row: array [three] of four; pair: record v: row; w: four; end;
    var n: 0 .. 80; k: 0 .. 4; d: 0 .. 1; x: four; b: boolean; a: row; m: array [three] of row; p: array [three] of pair; o: four;
    function same(i: four): four; begin return i; end;
    function small(i: 0 .. 9): 1 .. 3; begin return i; end;
    function none(i: 0 .. 9): four; begin if i < 3 then return 1; end; end;
    function setting(i: 0 .. 9): four; begin x := i; return 1; end;
    function asserting(i: 0 .. 9): four; begin assert i < 4 \"small\"; return 1; end;
    function of_number(i: four): boolean; begin return true; end;
    function of_name(var i: four): boolean; begin return true; end;
    function of_row(i: row): boolean; begin return true; end;
    function of_pair(i: pair): boolean; begin return true; end;
    procedure nothing(var i: row; var j: four; l: four); begin end;
    procedure rows(i: row); begin end;
    startstate begin n := 0; k := 0; d := 1; x := 0; b := true; undefine o; clear a; clear m; clear p; end;
    rule n < 80 ==> begin n := n + 1; end;
    rule n = 80 & k < 4 ==> begin k := k + 1; end;
    rule n = 80 & d > 0 ==> begin d := d - 1; end;
    rule n = 80 ==> begin o := 1; end;";

/// What comes before the start states, and the rest.
fn parts(head: &str) -> (&str, String) {
    let (declarations, rest) = head.split_once("startstate").expect("a start state");
    (declarations, format!("startstate{rest}"))
}

/// A body in a rule, in a function that a step calls twice, in one of a guard, and in one of an invariant.
fn texts_of_body(body: &str) -> Vec<String> {
    let locals = "var y: 0 .. 9; z: row; q: pair;";
    let (declarations, rest) = parts(HEAD);
    let function = format!("function f(): four; {locals} begin {body} return 1; end;");
    let also = "function g(): four; begin b := true; return f(); end;";
    let calls = [
        "rule n = 80 ==> begin x := f(); end;",
        "rule n = 80 & f() = 1 ==> begin b := !b; end;",
        "rule n = 80 ==> begin if b | g() = f() then b := !b; end; end;",
        "invariant n < 80 | f() < 3;",
    ];
    let mut texts: Vec<String> =
        calls.iter().map(|rule| format!("{declarations} {function} {also} {rest} {rule}")).collect();
    if !body.contains("return") {
        texts.push(format!("{HEAD} rule n = 80 ==> {locals} begin {body} end;"));
    }
    texts
}

/// Each of the expressions in each of the places, once.
fn filled(places: &[&str], expressions: &[&str]) -> BTreeSet<String> {
    let of = |place: &&str| expressions.iter().map(|expression| place.replace('E', expression)).collect::<Vec<_>>();
    places.iter().flat_map(of).collect()
}

#[test]
fn faults_in_bodies_of_murphi_stay() {
    let bodies = filled(PLACES, EXPRESSIONS);
    let inside = ["if b then S end;", "for u: three do if u = 1 then S end; end; S"];
    let nested = inside
        .iter()
        .flat_map(|outer| filled(PLACES, &EXPRESSIONS[..2]).into_iter().map(|body| outer.replace('S', &body)));
    let texts: Vec<String> = bodies.iter().cloned().chain(nested).flat_map(|body| texts_of_body(&body)).collect();
    agree(&texts, compared, [5_000, 600, texts.len() / 4]);
}

#[test]
fn faults_around_rules_and_invariants_of_murphi_stay() {
    let texts: Vec<String> = filled(RULES, EXPRESSIONS).iter().map(|rule| format!("{HEAD} {rule}")).collect();
    agree(&texts, compared, [400, 10, 30]);
}

/// A form that evaluates nothing for its faults alone is noticed.
#[test]
fn forms_that_evaluate_only_what_they_need_are_caught() {
    let wrong = |form: &mut Sequential| {
        let is_for_faults = |kind: &StmtKind| match kind {
            StmtKind::If(_, then, _) => {
                matches!(&then[..], [one] if matches!(&one.kind, StmtKind::Fail(text) if text == "a fault of an expression"))
            }
            _ => false,
        };
        for summand in &mut form.summands {
            summand.body.retain(|stmt| !is_for_faults(&stmt.kind));
        }
    };
    for body in
        ["put 6 / d;", "alias w: a[k] do end;", "nothing(z, z[k], 1);", "cover a[k] > 0;", "if a[k] > 0 then end;"]
    {
        let text = format!("{HEAD} rule n = 80 ==> var z: row; begin {body} end;");
        assert!(matches!(compared(&text), Outcome::Same(true)), "{body}");
        assert!(matches!(compared_with(&text, wrong), Outcome::Different(_)), "{body}");
    }
}
