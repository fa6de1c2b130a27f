//! Values that are forgotten, on random models of Murphi: the verdicts are those of the models, and there are no more states.

use battery::random::Rng;
use checker::{Control, Outcome, Progress, Question, ReductionKind, Report, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::murphi::program::{Claim, Program};
use frontend::murphi::trace::Trace;
use frontend::murphi::{Options, parse};

use super::{Wrong, forgetting};
use crate::Slicing;
use crate::found::Found;
use crate::line::{Plan, check};
use crate::task::Task;

struct Silent;

impl Control for Silent {
    fn progress(&mut self, _: &Progress) {}
}

fn program(text: &str) -> Program {
    parse(text, &Options::default(), &mut Diagnostics::new()).program.unwrap_or_else(|| panic!("{text}"))
}

/// Cells that go through phases, with data of their own and shared data that some of the rules read.
fn model(rng: &mut Rng) -> String {
    let phases = ["idle", "busy", "done"];
    let (count, declared) = (2 + rng.below(2), *rng.pick(&["scalarset", "range"]));
    let p = if declared == "range" { format!("1 .. {count}") } else { format!("scalarset({count})") };
    let conditions = [
        "true",
        "x[i] > 0",
        "y = 1",
        "f[i].a",
        "x[i] = y",
        "f[i].b = x[i]",
        "!isundefined(y)",
        "exists j: p do x[j] = 2 end",
        "f[i] = g",
    ];
    let effects = [
        "x[i] := 1;",
        "x[i] := y;",
        "y := x[i];",
        "y := 2;",
        "f[i].a := !f[i].a;",
        "f[i].b := x[i];",
        "g := f[i];",
        "f[i] := g;",
        "undefine x[i];",
        "x[i] := 0; if f[i].a then y := f[i].b; end;",
        "for j: p do x[j] := 0; end;",
        "copy(x[i], f[i]);",
        "",
        "assert x[i] < 2;",
        "assume y < 2;",
        "if y = 2 then return; end;",
    ];
    let rules: String = (0..3 + rng.below(4))
        .map(|_| {
            let (from, to, condition) = (rng.pick(&phases), rng.pick(&phases), rng.pick(&conditions));
            let body: String = (0..1 + rng.below(3)).map(|_| *rng.pick(&effects)).collect();
            format!("  rule at[i] = {from} & ({condition}) ==> begin {body} at[i] := {to}; end;\n")
        })
        .collect();
    let invariant = rng.pick(&[
        "true",
        "y < 2",
        "forall i: p do at[i] = busy -> x[i] < 2 end",
        "g.b = 0",
        "exists i: p do !f[i].a end",
    ]);
    format!(
        "type p: {p}; r: record a: boolean; b: 0 .. 2; end;
var at: array [p] of enum {{ idle, busy, done }}; x: array [p] of 0 .. 2; y: 0 .. 2; f: array [p] of r; g: r;
procedure copy(n: 0 .. 2; var q: r); begin q.b := n; end;
startstate begin for i: p do at[i] := idle; x[i] := 0; f[i].a := false; f[i].b := 0; end; y := 0; g.a := true; g.b := 0; end;
ruleset i: p do\n{rules}end;\ninvariant \"i\" {invariant};"
    )
}

fn question(program: &Program, keep_going: bool) -> Question<Vec<Claim>> {
    Question { properties: program.claims(), stuck: true, keep_going, ..Question::default() }
}

fn verdicts(report: &Report<Trace>) -> Vec<(String, Verdict)> {
    report.answers.iter().map(|answer| (answer.name.clone(), answer.verdict)).collect()
}

/// The values that a report says are forgotten, if it does.
fn forgotten(report: &Report<Trace>) -> Option<(&[String], usize)> {
    let found = report.reductions.iter().find(|reduction| reduction.kind == ReductionKind::DeadValues)?;
    match &found.outcome {
        Outcome::Forgotten { values, attempts } => Some((values, *attempts)),
        _ => None,
    }
}

#[test]
fn verdicts_of_random_models_stay() {
    let count = std::env::var("MURPHI_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    let mut rng = Rng::new(11);
    let mut fewer = 0;
    for _ in 0..count {
        let text = model(&mut rng);
        let program = program(&text);
        for symmetry in [None, Plan::default().symmetry] {
            let report = |dead_values, keep_going| {
                let (plan, question) =
                    (Plan { dead_values, symmetry, ..Plan::default() }, question(&program, keep_going));
                check(&program, &question, &plan, &mut Silent).unwrap_or_else(|error| panic!("{error:?}: {text}"))
            };
            let (whole, less) = (report(false, true), report(true, true));
            assert_eq!(verdicts(&whole), verdicts(&less), "{text}");
            assert_eq!(whole.verdict, report(true, false).verdict, "{text}");
            if forgotten(&less).is_some() {
                // A rule that returns early does not forget, so that states come in two forms.
                let is_fewer = text.contains("return") || less.states <= whole.states;
                assert!(is_fewer, "{} {}: {text}", less.states, whole.states);
                fewer += usize::from(less.states < whole.states);
            }
        }
    }
    assert!(fewer * 15 > count, "{fewer} of {count}");
}

/// A value that is read behind the part that is explored: attempts that fail are followed by one that does not.
#[test]
fn searches_show_what_is_read() {
    let text =
        "type s: enum { one, two }; var x: 0 .. 3; z: 0 .. 3; at: s; c: 0 .. 3000; ruleset v: 1 .. 2; w: 0 .. 3 do
         startstate begin c := 0; x := v; z := w; at := one; end; end;
         rule c < 3000 ==> begin c := c + 1; z := c % 4; end;
         rule c = 3000 & x = 1 ==> begin at := two; end;
         ruleset i: 0 .. 20 do rule c > 3000 ==> begin end; end; invariant at = one;";
    let program = program(text);
    let check = |properties| {
        let question = Question { properties, ..question(&program, false) };
        check(&program, &question, &Plan::default(), &mut Silent).expect("a report")
    };
    let report = check(program.claims());
    assert_eq!(report.verdict, Verdict::Violated);
    assert_eq!(forgotten(&report), Some((&["z".to_owned()][..], 1)));
}

/// A search that goes on behind a fault of the model may hide that of a value that is read, and what comes after it.
/// A forgotten value is read where the model has another fault, or a false invariant: both are those of the model.
#[test]
fn violations_are_those_of_the_model() {
    let states = "var c: 0 .. 20001; v: 0 .. 3; w: 0 .. 3;
        ruleset i: 0 .. 3 do startstate begin c := 0; v := i; w := 0; end; end;
        rule c < 20000 ==> begin c := c + 1; end;";
    let ends = [
        "rule c = 20000 ==> begin if v = 0 then w := 1; end; error \"end\"; end;",
        "invariant \"end\" c < 20000 | v != 0;",
    ];
    for end in ends {
        let program = program(&format!("{states} {end}"));
        let question = Question { deadlock: false, ..question(&program, false) };
        let found = [true, false].map(|dead_values| {
            let plan = Plan { dead_values, ..Plan::default() };
            let report = check(&program, &question, &plan, &mut Silent).expect("a report");
            let violated = report.answers.into_iter().filter(|answer| answer.verdict == Verdict::Violated);
            violated.map(|answer| (answer.name, answer.finding)).collect::<Vec<_>>()
        });
        assert!(!found[1].is_empty(), "{end}");
        assert_eq!(found[0], found[1], "{end}");
    }
}

#[test]
fn searches_behind_faults_do_not_count() {
    let text = "var x: 0 .. 3; bad: boolean; c: 0 .. 3000; startstate begin c := 0; x := 1; bad := false; end; startstate begin c := 0; x := 2; bad := false; end;
         rule c < 3000 ==> begin c := c + 1; end; rule c = 2 ==> begin error \"real\"; end;
         rule c = 3000 & x = 1 ==> begin bad := true; end;
         ruleset i: 0 .. 20 do rule c > 3000 ==> begin end; end; invariant \"i\" !bad;";
    let program = program(text);
    let question = question(&program, true);
    let of = |wrong| {
        let mut found = Found::whole();
        let task = Task { model: &program, question: &question, plan: &Plan::default() };
        let made = forgetting(task, wrong, &mut found, &mut Silent);
        made.expect("no internal error").ok().map(|report| verdicts(&report))
    };
    assert_eq!(of(Wrong::default()), None);
    let wrong = of(Wrong { searches_behind_faults: true }).expect("a report");
    assert!(wrong.contains(&("i".to_owned(), Verdict::Holds)), "{wrong:?}");
    let right = check(&program, &question, &Plan::default(), &mut Silent).expect("a report");
    assert!(verdicts(&right).contains(&("i".to_owned(), Verdict::Violated)));
}

/// Slices for invariants have the verdicts of their models, with a quotient or without, and leave something out.
#[test]
fn slices_of_random_models_have_their_verdicts() {
    let count = std::env::var("MURPHI_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    let mut rng = Rng::new(12);
    let mut fewer = 0;
    for _ in 0..count {
        let text = model(&mut rng);
        let program = program(&text);
        for symmetry in [None, Plan::default().symmetry] {
            let report = |slicing| {
                let off = question(&program, false);
                let question = Question { deadlock: false, overflow: false, assertions: false, faults: false, ..off };
                let plan = Plan { slicing, symmetry, ..Plan::default() };
                check(&program, &question, &plan, &mut Silent).unwrap_or_else(|error| panic!("{error:?}: {text}"))
            };
            let (whole, less) = (report(Slicing::Off), report(Slicing::Auto));
            assert_eq!(whole.verdict, less.verdict, "{text}");
            let is_sliced = less.reductions.iter().any(|one| one.kind == ReductionKind::Slicing && one.is_applied());
            fewer += usize::from(is_sliced && less.states < whole.states);
        }
    }
    assert!(fewer * 8 > count, "{fewer} of {count}");
}
