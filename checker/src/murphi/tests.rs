//! Tests: the search against the reference semantics, covers and liveness, limits.

mod forms;
mod origins;
mod quotient;
mod runs;
pub(super) mod twins;

use std::collections::{BTreeMap, VecDeque};

use explore::finding::Finding;
use explore::question::Limits;
use explore::report::Verdict;
use frontend::diagnostics::Diagnostics;
use frontend::murphi::interpret::{is_deadlock, starts, successors};
use frontend::murphi::program::ClaimKind;
use frontend::murphi::{Options, parse};

use super::*;
use explore::question::Threads;
use explore::reductions::{Quotient, Representative};
use frontend::murphi::interpret::State;

fn program(text: &str) -> Program {
    let mut sink = Diagnostics::new();
    parse(text, &Options::default(), &mut sink).program.unwrap_or_else(|| panic!("{:?}\n{text}", sink.list))
}

fn report(program: &Program, question: &Question<Vec<Claim>>) -> Report<Trace> {
    check(program, question, &Reductions::default(), &mut ()).expect("confirmed")
}

fn whole(program: &Program) -> Question<Vec<Claim>> {
    Question { properties: program.claims(), keep_going: true, ..Question::default() }
}

/// The verdicts by name.
fn verdicts(text: &str) -> Vec<(String, Verdict)> {
    let program = program(text);
    let report = report(&program, &whole(&program));
    report.answers.into_iter().map(|answer| (answer.name, answer.verdict)).collect()
}

const TOKEN: &str = "type node: 0 .. 2; var at: node; seen: array [node] of boolean; m: multiset [2] of node;
    startstate begin at := 0; for i: node do seen[i] := false; end; end;
    rule \"pass\" begin at := (at + 1) % 3; cover \"wrap\" at = 0; end;
    ruleset i: node do rule \"see\" at = i & !seen[i] ==> begin seen[i] := true; end; end;
    ruleset i: node do rule \"add\" multisetcount(s: m, true) < 2 ==> begin multisetadd(i, m); end; end;
    choose s: m do rule \"drop\" m[s] = at ==> begin multisetremove(s, m); end; end;
    invariant \"range\" at < 3;
    cover \"all\" forall i: node do seen[i] end;
    cover \"never\" at = 2 & !seen[0] & seen[1] & multisetcount(s: m, true) > 2;
    ruleset i: node do liveness \"token\" at = i; end;
    liveness \"fresh\" !seen[0];";

/// An `assume` that does not hold in a function leaves a condition that calls it without a value, in every kind of condition and whichever instance it is.
#[test]
fn conditions_whose_functions_assume_what_does_not_hold_have_no_value() {
    let with = |more: &str| {
        format!(
            "type I: 0 .. 1; var t: 0 .. 81; x: 0 .. 3;
             function f(i: 0 .. 3): boolean; begin assume i != 1; return i = 3; end;
             function g(i: I): boolean; begin assume !(i = 0 & x = 1); return i = 1; end;
             startstate begin t := 0; x := 0; end;
             rule \"tick\" t < 80 ==> begin t := t + 1; end;
             rule \"on\" t = 80 & x < 2 ==> begin x := x + 1; end;
             rule \"back\" t = 80 & x = 2 ==> begin x := 0; end; {more}"
        )
    };
    for text in [
        "invariant \"p\" !f(x)",
        "cover \"p\" f(x)",
        "liveness \"p\" !f(x)",
        "ruleset i: I do liveness \"p\" g(i); end",
    ] {
        let found = verdicts(&with(&format!("{text};")));
        assert!(found.contains(&("p".to_owned(), Verdict::Violated)), "{text}: {found:?}");
    }
    // Where the condition has a value, its functions have no part in that.
    let found = verdicts(&with("ruleset i: I do liveness \"p\" x = 1 | g(i) | i = 0; end;"));
    assert!(found.contains(&("p".to_owned(), Verdict::Holds)), "{found:?}");
    // An assumption without a value excludes the step, as one that does not hold; so do guards and headers.
    for text in ["assume !f(x);", "assume \"a\" x != 1;", "alias y: f(x) do rule y ==> begin x := 0; end end;"] {
        let program = program(&with(text));
        let states = report(&program, &whole(&program)).states;
        assert_eq!(states, if text.starts_with("assume") { 81 } else { 83 }, "{text}");
    }
}

#[test]
fn counts_are_those_of_the_reference_semantics() {
    let program = program(TOKEN);
    let mut known: BTreeMap<State, ()> = BTreeMap::new();
    let mut waiting: VecDeque<State> = starts(&program).into_iter().filter_map(|start| start.result.ok()).collect();
    let (mut transitions, mut deadlocks) = (0, 0);
    while let Some(state) = waiting.pop_front() {
        if known.insert(state.clone(), ()).is_some() {
            continue;
        }
        let steps = successors(&program, &state);
        deadlocks += u64::from(is_deadlock(&state, &steps, Deadlock::Stuttering));
        for next in steps.into_iter().filter_map(|step| step.result.ok()) {
            transitions += 1;
            waiting.push_back(next);
        }
    }
    for most in [1, 3] {
        let question = Question { threads: Threads { most, from: 2 }, ..whole(&program) };
        let found = report(&program, &question);
        assert_eq!((found.states, found.transitions), (known.len() as u64, transitions), "{most} threads");
        assert_eq!(found.deadlock_states, Some(deadlocks));
    }
    let graph = explore_graph(&program, &Limits::default());
    assert_eq!(graph.states.len(), known.len());
    assert_eq!(graph.edges.len() as u64, transitions);
}

#[test]
fn covers_and_liveness_are_answered_on_the_whole_graph() {
    let expected = [
        ("deadlock", Verdict::Holds),
        ("assertion", Verdict::Holds),
        ("error", Verdict::Holds),
        ("range", Verdict::Holds),
        ("all", Verdict::Holds),
        ("never", Verdict::Violated),
        ("token", Verdict::Holds),
        ("fresh", Verdict::Violated),
        ("wrap", Verdict::Holds),
    ];
    let found = verdicts(TOKEN);
    assert_eq!(found.iter().map(|(name, verdict)| (name.as_str(), *verdict)).collect::<Vec<_>>(), expected);
}

/// Claims that are asked alone are answered by one run that explores everything, and its depth is that of the report.
#[test]
fn claims_that_are_asked_alone_have_a_depth() {
    let program = program(TOKEN);
    let depth = report(&program, &whole(&program)).depth;
    for name in ["never", "fresh"] {
        let properties = program.claims().into_iter().filter(|claim| claim.name == name).collect();
        let question =
            Question { properties, deadlock: false, faults: false, assertions: false, ..Question::default() };
        assert_eq!((report(&program, &question).depth, depth > 0), (depth, true), "{name}");
    }
}

/// Many instances are followed 64 at a time, and the one that is not reached is named.
#[test]
fn every_instance_of_liveness_is_followed() {
    let text = |last: u32| {
        format!(
            "var x: 0 .. 150; startstate begin x := 0; end; rule x < {last} ==> begin x := x + 1; end; rule begin x := 0; end;
             ruleset i: 0 .. 150 do liveness \"back\" x = i; end;"
        )
    };
    assert_eq!(verdicts(&text(150)).last(), Some(&("back".to_owned(), Verdict::Holds)));
    let program = program(&text(149));
    let answer = report(&program, &whole(&program)).answers.pop().expect("an answer");
    assert_eq!(answer.verdict, Verdict::Violated);
    assert!(
        matches!(&answer.finding, Finding::Unreachable { instance, .. } if instance == &["i=150"]),
        "{:?}",
        answer.finding
    );
}

#[test]
fn faults_of_conditions_violate_them() {
    let text = "var x: 0 .. 2; y: 0 .. 2; startstate begin x := 0; end; rule begin x := (x + 1) % 3; end;
        cover \"c\" x = 1 & y = 0; liveness \"l\" x = 1 & y = 0; invariant \"i\" x < 2 | y = 0;";
    let found = verdicts(text);
    for name in ["c", "l", "i"] {
        assert!(found.contains(&(name.to_owned(), Verdict::Violated)), "{name}");
    }
}

/// A cover that is met and that faults elsewhere is violated, whether the state or the instance that meets it comes first or not.
#[test]
fn a_cover_faults_whatever_comes_first() {
    let text = |step: &str, cover: &str| {
        format!(
            "var x: 0 .. 2; y: 0 .. 2; a: array [0 .. 1] of boolean;
             startstate begin x := 1; a[1] := true; end; rule begin x := {step}; end; {cover}"
        )
    };
    for step in ["(x + 1) % 3", "(x + 2) % 3"] {
        for cover in ["cover \"c\" x = 0 | y = 0;", "cover \"c\" x != 2 | y = 0;"] {
            assert_eq!(
                verdicts(&text(step, cover)).last(),
                Some(&("c".to_owned(), Verdict::Violated)),
                "{step} {cover}"
            );
        }
    }
    for i in ["i", "1 - i"] {
        let cover = format!("ruleset i: 0 .. 1 do cover \"c\" a[{i}]; end;");
        assert_eq!(verdicts(&text("x", &cover)).last(), Some(&("c".to_owned(), Verdict::Violated)), "{i}");
    }
    let program = program(&text("(x + 2) % 3", "cover \"c\" x = 1 | y = 0;"));
    let question = Question { limits: Limits { max_states: Some(1), ..Limits::default() }, ..whole(&program) };
    let answer = report(&program, &question).answers.pop().expect("an answer");
    assert_eq!((answer.name.as_str(), answer.verdict), ("c", Verdict::Inconclusive));
}

/// Covers and recovery by compiled conditions are as by the reference interpreter, on random models.
#[test]
fn claims_about_graphs_are_as_the_interpreter_has_them() {
    let count = twins::count(1_000);
    let mut compared = 0;
    for text in twins::random_texts(count) {
        let more =
            "cover \"c\" x = 3 & f; ruleset i: pid do liveness \"l\" a[i].l = L2 | y < 2; end; liveness \"m\" q = L1;
            ruleset i: pid do cover \"d\" a[i].n = x; end;";
        let text = text + more;
        let Some(program) = parse(&text, &Options::default(), &mut Diagnostics::new()).program else { continue };
        let question = Question { limits: Limits { max_states: Some(500), ..Limits::default() }, ..whole(&program) };
        let claims: Vec<Claim> = program.claims().into_iter().filter(|claim| claim.kind.is_of_graph()).collect();
        let answers = |is_compiled: bool| {
            let mut space = space(&program, None, &question);
            assert!(space.code.is_some());
            space.code = space.code.filter(|_| is_compiled);
            let answers = graph_claims::answers(space, Wrong::default(), &claims, &question, &mut ());
            let of = |answer: Answer<Trace>| (answer.name, answer.verdict, answer.finding, answer.trace);
            answers.expect("confirmed").into_iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(answers(true), answers(false), "{text}");
        compared += 1;
    }
    assert!(compared > count / 2);
}

/// Faults of starts and steps are shown; assertions are a check of their own.
#[test]
fn faults_are_replayed() {
    let text = "var x: 0 .. 2; ruleset i: 0 .. 3 do startstate \"s\" begin x := i; end; end;
        rule \"r\" begin assert x != 1 \"no one\"; x := (x + 1) % 3; end;";
    let program = program(text);
    let found = report(&program, &whole(&program));
    let of = |name: &str| found.answers.iter().find(|answer| answer.name == name).expect("an answer");
    let fault = |text: &str, process: &str, step| Finding::Fault { text: text.into(), process: process.into(), step };
    assert_eq!(of("error").finding, fault("the value 3 is outside of `0 .. 2`", "s(i=3)", None));
    assert_eq!(of("assertion").finding, fault("an assertion does not hold: no one", "r", Some(1)));
    assert_eq!(of("assertion").trace.as_ref().map(|trace| trace.steps.len()), Some(1));
}

/// A deadlock is a state all of whose steps stay, unless only states without a step are asked for.
#[test]
fn deadlocks_are_of_two_kinds() {
    let text = "var x: 0 .. 2; startstate begin x := 0; end; rule x < 2 ==> begin x := x + 1; end; rule begin end;";
    let program = program(text);
    for (stuck, verdict) in [(false, Verdict::Violated), (true, Verdict::Holds)] {
        let question = Question { stuck, ..whole(&program) };
        assert_eq!(report(&program, &question).verdict, verdict);
    }
}

#[test]
fn a_limit_is_no_answer() {
    let program = program(TOKEN);
    let limits = [
        Limits { max_states: Some(5), ..Limits::default() },
        Limits { max_depth: Some(2), ..Limits::default() },
        Limits { max_memory: Some(1 << 10), ..Limits::default() },
    ];
    for limits in limits {
        let question = Question { limits, ..whole(&program) };
        let report = report(&program, &question);
        assert_eq!((report.verdict, report.complete), (Verdict::Inconclusive, false), "{limits:?}");
        for answer in &report.answers {
            let is_met = answer.kind == QueryKind::Cover && answer.verdict == Verdict::Holds;
            assert!(is_met || answer.verdict == Verdict::Inconclusive, "{}", answer.name);
        }
    }
    assert!(program.claims().iter().any(|claim| matches!(claim.kind, ClaimKind::Met(_))));
}

/// Known-wrong variants of what is said of the whole graph are caught.
#[test]
fn wrong_judges_of_the_graph_are_caught() {
    let judged = |program: &Program, wrong: Wrong, most: Option<u64>| {
        let space = Space::new(program, None, Deadlock::Stuttering, &Limits { max_states: most, ..Limits::default() });
        let question = Question { limits: Limits { max_states: most, ..Limits::default() }, ..whole(program) };
        let answers = graph_claims::answers(space, wrong, &program.claims(), &question, &mut ()).expect("confirmed");
        answers.into_iter().map(|answer| answer.verdict).collect::<Vec<Verdict>>()
    };
    let excluded = program(
        "var x: 0 .. 1; function f(): boolean; begin assume x = 0; return true; end;
         startstate begin x := 0; end; rule \"turn\" begin x := 1 - x; end; liveness \"l\" f();",
    );
    let passes = Wrong { passes_over_faults: true, ..Wrong::default() };
    assert_eq!(judged(&excluded, Wrong::default(), None), [Verdict::Violated]);
    assert_eq!(judged(&excluded, passes, None), [Verdict::Holds]);
    let program = program(
        "var x: 0 .. 3; startstate begin x := 0; end; rule x < 3 ==> begin x := x + 1; end; liveness \"l\" x = 0; cover \"c\" x = 3;",
    );
    let verdicts = |wrong: Wrong, most: Option<u64>| judged(&program, wrong, most);
    assert_eq!(verdicts(Wrong::default(), None), [Verdict::Violated, Verdict::Holds]);
    assert_eq!(verdicts(Wrong { spreads_forwards: true, ..Wrong::default() }, None), [Verdict::Holds, Verdict::Holds]);
    assert_eq!(verdicts(Wrong::default(), Some(2)), [Verdict::Inconclusive; 2]);
    assert_eq!(verdicts(Wrong { judges_parts: true, ..Wrong::default() }, Some(2))[1], Verdict::Violated);
}
