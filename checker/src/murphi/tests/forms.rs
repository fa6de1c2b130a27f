//! Tests: models and their sequential forms, level by level by both reference interpreters, and by the checker.
//!
//! Each level has the same number of states, of steps with a successor, of states without steps, and of pairs of a rule
//! and a state in which an instance of it faults. The form is printed and read back first.

use std::collections::HashSet;
use std::hash::Hash;
use std::path::Path;

use frontend::diagnostics::Diagnostics;
use frontend::murphi::interpret::{Step, evaluate, starts, successors};
use frontend::murphi::program::{ClaimKind, Program};
use frontend::murphi::{Options, parse};
use frontend::sequential::{self, PropertyKind, Sequential, from_murphi, interpret, print, spans};

use super::twins;

/// The most states that are compared of each model.
const STATES: usize = 2_000;

/// One level of a breadth-first search.
#[derive(PartialEq, Eq, Default, Debug)]
struct Level {
    states: usize,
    steps: usize,
    stuck: usize,
    faults: usize,
    /// For each invariant, the states in which it holds.
    holding: Vec<usize>,
}

/// The steps of a state: the rule, and the successor if there is one.
type Steps<S> = Vec<(usize, Option<S>)>;

fn levels<S: Clone + Eq + Hash>(
    first: Vec<S>,
    steps: impl Fn(&S) -> Steps<S>,
    truths: impl Fn(&S) -> Vec<bool>,
) -> Vec<Level> {
    let mut seen: HashSet<S> = HashSet::new();
    let mut level: Vec<S> = first.into_iter().filter(|state| seen.insert(state.clone())).collect();
    let mut found = Vec::new();
    while !level.is_empty() && seen.len() < STATES {
        let mut counts = Level { states: level.len(), ..Level::default() };
        let mut next = Vec::new();
        for state in &level {
            let truths = truths(state);
            counts.holding.resize(truths.len(), 0);
            counts.holding.iter_mut().zip(truths).for_each(|(count, truth)| *count += usize::from(truth));
            let steps = steps(state);
            counts.stuck += usize::from(steps.is_empty());
            counts.steps += steps.iter().filter(|step| step.1.is_some()).count();
            let faulting: HashSet<usize> = steps.iter().filter(|step| step.1.is_none()).map(|step| step.0).collect();
            counts.faults += faulting.len();
            next.extend(steps.into_iter().filter_map(|step| step.1).filter(|after| seen.insert(after.clone())));
        }
        found.push(counts);
        level = next;
    }
    found
}

fn of_model(program: &Program) -> Vec<Level> {
    let steps =
        |list: Vec<Step>| list.into_iter().map(|step| (step.rule.index(), step.result.ok())).collect::<Steps<_>>();
    let first = steps(starts(program)).into_iter().filter_map(|start| start.1).collect();
    let claims = program.claims();
    let truths = |state: &Vec<_>| {
        let of = |kind: &ClaimKind| match kind {
            ClaimKind::Invariant(number) => {
                let truths = evaluate(program, &program.properties[*number], state);
                Some(truths.iter().all(|truth| truth.holds == Ok(true)))
            }
            _ => None,
        };
        claims.iter().filter_map(|claim| of(&claim.kind)).collect()
    };
    levels(first, |state| steps(successors(program, state)), truths)
}

fn of_form(form: &Sequential) -> Vec<Level> {
    let steps = |state: &Vec<i32>| {
        let steps = interpret::successors(form, state).into_iter();
        steps.map(|step| (step.summand.index(), step.result.ok())).collect()
    };
    let truths = |state: &Vec<i32>| {
        let of = |property: &sequential::Property| match &property.kind {
            PropertyKind::Invariant(condition) => interpret::evaluate(form, condition, state, &[]) == Ok(1),
            _ => panic!("only invariants stay"),
        };
        form.properties.iter().map(of).collect()
    };
    levels(interpret::initial_states(form).collect(), steps, truths)
}

/// The outcome of one comparison.
#[derive(PartialEq, Eq, Debug)]
enum Compared {
    Same,
    Refused(String),
    Different(String),
}

/// Compares a model with its form, after a change of the form.
fn compared(text: &str, change: impl FnOnce(&mut Sequential)) -> Compared {
    let program = parse(text, &Options::default(), &mut Diagnostics::new()).program.expect("a model");
    let mut sink = Diagnostics::new();
    let Some(form) = from_murphi(&program, &mut sink) else {
        return Compared::Refused(sink.list.iter().map(|found| found.message.clone()).collect());
    };
    let printed = print::print(&form);
    let again = sequential::parse(&printed, &sequential::Options::default(), &mut sink).model;
    let Some(mut again) = again else {
        return Compared::Different(format!("not read back: {:?}\n{printed}", sink.list));
    };
    if spans::without_spans(again.clone()) != form {
        return Compared::Different(format!("reads back as another process:\n{printed}"));
    }
    change(&mut again);
    let (expected, found) = (of_model(&program), of_form(&again));
    if expected == found { Compared::Same } else { Compared::Different(format!("{expected:?}\n{found:?}\n{printed}")) }
}

fn texts(count: usize) -> Vec<String> {
    let mut list = Vec::new();
    twins::fixtures(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/murphi"), &mut list);
    let texts = list.into_iter().map(|path| std::fs::read_to_string(path).expect("a text"));
    // Assumptions and recursion have no counterpart.
    let kept = |text: String| {
        let text = text.replace("return deep(k - 1)", "return x");
        text.lines().filter(|line| !line.contains("assume")).collect::<Vec<_>>().join("\n")
    };
    let random = twins::random_texts(count).into_iter().map(kept);
    let is_model = |text: &String| parse(text, &Options::default(), &mut Diagnostics::new()).program.is_some();
    texts.chain(random).filter(is_model).collect()
}

#[test]
fn models_and_their_forms_agree() {
    let (mut same, mut refused) = (0, 0);
    for text in texts(twins::count(300)) {
        match compared(&text, |_| {}) {
            Compared::Same => same += 1,
            Compared::Refused(reason) => {
                println!("{reason}");
                refused += 1;
            }
            Compared::Different(difference) => panic!("{text}\n{difference}"),
        }
    }
    println!("{same} agree, {refused} have no form");
    assert!(same > 10 * refused, "{same} agree, {refused} have no form");
}

/// A form whose look-ups of `undefined` do not fault is noticed.
#[test]
fn forms_that_read_undefined_values_are_caught() {
    let wrong = |form: &mut Sequential| {
        for table in &mut form.tables {
            let sort = &mut form.sorts[table.indices[0].index()];
            if let sequential::Domain::Range { low, .. } = &mut sort.domain {
                *low -= 1;
                table.values.insert(0, *low);
            }
        }
    };
    let text = "var x: 2 .. 3; y: 2 .. 3; startstate begin undefine x; y := 2; end; rule begin y := x; end;
        rule y = 2 ==> begin x := 3; end; rule begin undefine x; end;";
    assert_eq!(compared(text, |_| {}), Compared::Same);
    assert!(matches!(compared(text, wrong), Compared::Different(_)));
}

/// Constructs that need statements before an expression, early returns, unions, references and loops by steps.
#[test]
fn written_out_constructs_agree() {
    let bodies = [
        "x := next(next(x));",
        "if flip() & x > 1 | flip() then x := 0; else y := x; end;",
        "x := a[next(x) % 3];",
        "swap(a[x % 3], a[(x + 1) % 3]);",
        "for i := 0 to 2 do if a[i] = x then y := i; return; end; x := (x + 1) % 4; end; y := 3;",
        "while x < 3 & !flip() do x := x + 1; end;",
        "x := flip() ? first(x) : y;",
        "if forall i: three do a[i] <= next(x) end then clear a; end;",
        "switch next(x) case 0, 1: x := 1; return; case 2: y := 1; else y := 2; end; x := 0;",
        "for i := x to 9 by 2 do y := i % 4; end; for i := 3 to x by -1 do a[i % 3] := i; end;",
        "alias c: a[x % 3]; d: x do x := (d + 1) % 4; c := d; y := c; end;",
        "r.v := a; s := r; undefine r; if r != s then r := s; end; a := r.v;",
        "undefine w; if isundefined(w) then w := red; end; if ismember(w, colour) then y := 2; end; clear w;",
        "x := 1 / y;",
        "y := twice(x);",
        "y := x << 1 & 3; x := (-x) >> y & 3; x := ~x & 3;",
        "var t: 0 .. 3; begin if x = 2 then t := 1; end; y := t;",
    ];
    let head = "type three: 0 .. 2; colour: enum { red, green }; node: scalarset(2); any: union { colour, node };
        var x: 0 .. 3; y: 0 .. 3; a: array [three] of 0 .. 3; r: record v: array [three] of 0 .. 3; w: boolean; end;
            s: record v: array [three] of 0 .. 3; w: boolean; end; w: any; p: array [any] of boolean;
        function next(n: 0 .. 3): 0 .. 3; begin if n = 3 then return 0; end; return n + 1; end;
        function twice(n: 0 .. 3): 0 .. 3; begin for i: three do if i = n then return i + i; end; end; end;
        function first(n: 0 .. 3): 0 .. 3; begin for i: three do if a[i] = n then return 2; end; end; return 1; end;
        function many(n: 0 .. 3): 0 .. 3; var c: 0 .. 3; begin c := 0; for i: three do if a[i] >= n then c := c + 1; end; end; return c; end;
        function flip(): boolean; begin if x = 3 then x := 0; return true; end; y := x; return false; end;
        procedure swap(var m: 0 .. 3; var n: 0 .. 3); var t: 0 .. 3; begin t := m; m := n; n := t; end;
        startstate begin clear a; x := 0; y := 1; w := red; for i: any do p[i] := false; end; end;
        startstate begin for i: three do a[i] := i; end; x := 2; y := 2; undefine r; end;
        rule begin x := (x + 1) % 4; end;
        ruleset i: three; k: any do rule a[i] < 3 & many(i) > 1 ==> begin a[i] := a[i] + 1; p[k] := true; end; end;
        ruleset i: three do alias c: a[(i + y) % 3]; do rule next(c) = y & first(y) = 2 ==> begin y := 0; c := 1; end; end; end;
        invariant \"one\" x != y; ruleset i: three do invariant \"two\" a[i] < 3 -> many(1) < 3; end;";
    for body in bodies {
        let body = if body.starts_with("var") { body.to_owned() } else { format!("begin {body}") };
        let text = format!("{head} rule {body} end;");
        let found = compared(&text, |_| {});
        assert_eq!(found, Compared::Same, "{body}");
    }
}

#[test]
fn constructs_without_a_counterpart_are_refused() {
    let model = |body: &str| {
        format!(
            "var x: 0 .. 3; b: array [0 .. 1] of 0 .. 3;
             function deep(n: 0 .. 3): 0 .. 3; begin if n = 0 then return 0; end; return deep(n - 1); end;
             function last(): 0 .. 3; var c: 0 .. 3; begin c := 0; while c < 3 do c := c + 1; end; return c; end;
             startstate begin x := 0; clear b; end; {body}"
        )
    };
    for (body, what) in [
        ("rule begin x := deep(x); end;", "`deep`, which calls itself"),
        ("rule last() = x ==> begin end;", "a statement of this kind in a function of a condition"),
        ("rule begin assume x = 0; end;", "`assume`, which excludes steps,"),
        ("assume x = 0; rule begin end;", "`assume`, which excludes steps,"),
        ("rule begin for i := 0 to 3 by x do x := i; end; end;", "a loop with a computed step"),
        ("rule begin end; startstate begin x := 1 / 0; end;", "a start that faults (division by zero)"),
    ] {
        let expected = format!("the sequential form has no counterpart of {what}");
        assert_eq!(compared(&model(body), |_| {}), Compared::Refused(expected));
    }
    let text = "type v: 0 .. 1; var m: multiset [2] of v; startstate begin end; rule begin multisetadd(1, m); end;";
    assert!(matches!(compared(text, |_| {}), Compared::Refused(message) if message.ends_with("a multiset")));
}

/// Faults in places that no value is read from: what is only passed on, named, overwritten or returned faults all the same.
#[test]
fn faults_in_unusual_places_agree() {
    let head = "type three: 0 .. 2; four: 0 .. 3; s: scalarset(2); t: scalarset(2); u: scalarset(2); gap: union { s, u }; wide: union { s, t, u };
        row: array [three] of 0 .. 3; pair: record v: row; w: 0 .. 3; end; across: array [gap] of 0 .. 1;
        var k: 0 .. 5; d: 0 .. 2; x: 0 .. 3; b: boolean; a: row; m: array [three] of row; p: array [three] of pair; o: four;
            c: across; e: across; all: union { s, t, u };
        function by_value(r: row): boolean; begin return true; end;
        function by_name(var r: 0 .. 3): boolean; begin return true; end;
        function of_number(r: 0 .. 3): boolean; begin return true; end;
        function overwritten(): 0 .. 9; var y: 0 .. 9; begin y := 0; if k > 2 then y := 6 / d; y := 2; end; return y; end;
        function overwritten_there(): 0 .. 9; var y: 0 .. 9; begin y := 0; if k < 2 then y := 1; else y := 6 / d; y := 2; end; return y; end;
        function alike(): 0 .. 9; var y: 0 .. 9; begin y := 0; if k > 2 then y := 6 / d; else y := 6 / d; end; y := 1; return y; end;
        function nested(): 0 .. 9; var y: 0 .. 9; begin y := 0; if k > 2 then y := 6 / d; y := y + 1; y := 1; end; return y; end;
        function looked_for(): 0 .. 3; begin for i: three do if a[i] = 2 then return 7; end; end; return 0; end;
        function looked_for_twice(): 0 .. 3; begin for i: three do for j: three do if m[i][j] = 2 then return 7; end; end; end; return 0; end;
        function switched(): 0 .. 3; begin switch k case 0, 1: return 1; case 6 / d: return 2; else return 7; end; end;
        function asserted(): 0 .. 3; begin assert 6 / d > 1 \"big\"; return 1; end;
        function copied(): 0 .. 3; var z: row; begin if k > 2 then z := (b ? m[k] : a); end; return 1; end;
        function aliased(): 0 .. 3; begin alias q: m[k]; z: k / d do return 1; end; end;
        procedure nothing(var r: row; var n: 0 .. 3); begin end;
        procedure none_of(r: row; n: 0 .. 3); begin end;
        startstate begin k := 0; d := 2; x := 0; b := true; undefine o; clear a; clear m; clear p; clear c; clear e; undefine all; end;
        rule k < 5 ==> begin k := k + 1; end; rule d > 0 ==> begin d := d - 1; end; rule begin a[1] := 2; m[1][1] := 2; end;";
    let rules = [
        "rule by_value(m[k]) ==> begin b := !b; end;",
        "rule by_value(p[k].v) ==> begin b := !b; end;",
        "rule by_name(a[k]) ==> begin b := !b; end;",
        "rule by_name(p[k].w) ==> begin b := !b; end;",
        "rule by_name(m[k][d]) & by_name(m[d][k]) ==> begin b := !b; end;",
        "rule of_number(k) ==> begin b := !b; end;",
        "rule of_number(6 / d) ==> begin b := !b; end;",
        "rule b | by_name(a[k]) ==> begin b := !b; end;",
        "rule begin x := overwritten(); end;",
        "rule begin x := overwritten_there(); end;",
        "rule begin x := alike(); end;",
        "rule begin x := nested(); end;",
        "rule overwritten() > 1 ==> begin b := !b; end;",
        "rule alike() = 1 & nested() < 9 ==> begin b := !b; end;",
        "rule begin x := looked_for(); end;",
        "rule looked_for() = 0 ==> begin b := !b; end;",
        "rule looked_for_twice() = 0 ==> begin b := !b; end;",
        "rule switched() < 3 ==> begin b := !b; end;",
        "rule asserted() = 1 ==> begin b := !b; end;",
        "rule aliased() = 1 ==> begin b := !b; end;",
        "rule begin nothing(m[k], a[d]); end;",
        "rule begin nothing(m[d], a[k]); end;",
        "rule begin none_of(m[k], 1); end;",
        "rule begin none_of(m[1], k); end;",
        "rule begin none_of(m[1], o); end;",
        "ruleset i: 0 .. 5 do alias q: a[i] do rule begin b := !b; end; end; end;",
        "ruleset i: 0 .. 5 do alias q: m[i] do rule k = i ==> begin b := !b; end; end; end;",
        "ruleset i: 0 .. 5 do alias q: p[i].v do invariant true; end; end;",
        "ruleset i: 0 .. 5 do alias q: 6 / i do invariant true; end; end;",
        "invariant by_value(m[k]);",
        "invariant by_name(a[k]);",
        "invariant overwritten() < 9;",
        "invariant forall i: 0 .. 5 do by_name(a[i]) | i > 2 end;",
        "invariant !exists i: three do a[i] = 6 / d end;",
        "rule begin alias q: a[k] do b := !b; end; end;",
        "rule begin alias q: p[k] do alias r: q.v[d] do b := !b; end; end; end;",
        "rule var y: 0 .. 3; begin y := k; b := !b; end;",
        "rule var y: row; begin y := m[k]; b := !b; end;",
        "rule var y: 0 .. 9; begin if b then y := 6 / d; y := 1; end; end;",
        "rule begin for i := 0 to 6 / d do b := !b; end; end;",
        "rule begin for i := k to 3 by 1 do a[i % 3] := i; end; end;",
        "rule begin while k < 3 & 6 / d > 1 do return; end; end;",
        "rule begin switch k case 6 / d: b := !b; case 1: x := 1; end; end;",
        "rule begin switch o case 1: b := !b; else x := 2; end; end;",
        "rule begin if a = m[k] then b := !b; end; end;",
        "rule begin if isundefined(a[k]) then b := !b; end; end;",
        "rule begin undefine a[k]; a[k] := 0; end;",
        "rule begin clear m[k]; end;",
        "rule begin assert b -> by_name(a[k]) \"named\"; end;",
        "rule begin put 6 / d; b := !b; end;",
        "rule begin put a[k]; b := !b; end;",
        "rule begin return; x := 6 / d; end;",
        "rule begin x := b ? 6 / d : 1; end;",
        "rule begin x := (b ? k : 1); end;",
        "rule begin a[k] := 6 / d; end;",
        "rule begin m[k] := a; end;",
        "rule begin p[k].v := m[d]; end;",
        "invariant c = e;",
        "rule begin e := c; end; invariant c = e;",
        "rule begin clear e; end; invariant c = e;",
        "rule c = e ==> begin undefine e; clear e; end;",
        "ruleset i: s do rule begin c[i] := 1 - c[i]; e := c; end; end; invariant c = e;",
        "ruleset i: t do rule begin all := i; end; end; rule ismember(all, s) ==> begin b := c[all] = 1; end;",
        "rule begin put b ? a : m[k]; b := !b; end;",
        "rule begin put b ? 6 / d : k; end;",
        "rule begin x := copied(); end;",
        "alias q: 6 / d do ruleset i := 3 to 2 do rule begin b := !b; end; end; end;",
        "ruleset j: three do alias q: a[k] do ruleset i := 3 to 2 do rule begin b := !b; end; end; end; end;",
        "alias q: 6 / d do ruleset i := 3 to 2 do invariant b; end; end;",
        "ruleset i: wide do alias q: c[i] do rule begin q := 1 - q; end; end; end;",
        "ruleset i: gap do alias q: c[i] do rule begin q := 1 - q; end; end; end;",
        "ruleset i: wide do alias q: c[b ? i : i] do invariant true; end; end;",
    ];
    let (mut same, mut refused) = (0, Vec::new());
    for rule in rules {
        let text = format!("{head} {rule}");
        let mut sink = Diagnostics::new();
        assert!(parse(&text, &Options::default(), &mut sink).program.is_some(), "{rule}: {:?}", sink.list);
        match compared(&text, |_| {}) {
            Compared::Same => same += 1,
            Compared::Refused(reason) => refused.push((rule, reason)),
            Compared::Different(difference) => panic!("{rule}\n{difference}"),
        }
    }
    assert!(refused.len() < 8, "{refused:?}");
    assert_eq!(same + refused.len(), rules.len());
}
