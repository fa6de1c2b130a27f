//! Tests: what is forgotten, and that each rule is needed.

use std::collections::BTreeSet;

use frontend::diagnostics::Diagnostics;
use frontend::execution;
use frontend::murphi::interpret::{Deadlock, FaultKind, State, Step, evaluate, is_deadlock, starts, successors};
use frontend::murphi::program::Program;
use frontend::murphi::{Options, parse};

use super::{DeadValues, Reason, Requested, Violation, Wrong, allows, lift};

fn program(text: &str) -> Program {
    parse(text, &Options::default(), &mut Diagnostics::new()).program.unwrap_or_else(|| panic!("{text}"))
}

fn rows(text: &str) -> Vec<String> {
    let program = program(text);
    let explored = DeadValues::new(&program, Wrong::default());
    explored.forgetful().map_or_else(Vec::new, |forgetful| forgetful.rows)
}

/// The result of a breadth-first search of a program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Findings {
    states: usize,
    deadlock: bool,
    fault: bool,
    violated: bool,
}

fn findings(program: &Program, kind: Deadlock) -> Findings {
    let mut found = Findings::default();
    let mut known: BTreeSet<State> = BTreeSet::new();
    let mut waiting: Vec<State> = Vec::new();
    let mut steps = starts(program);
    loop {
        for step in steps {
            match step.result {
                Ok(state) if known.insert(state.clone()) => waiting.push(state),
                Ok(_) => {}
                Err(_) => found.fault = true,
            }
        }
        let Some(state) = waiting.pop() else { break };
        steps = successors(program, &state);
        found.deadlock |= is_deadlock(&state, &steps, kind);
        let truths = program.properties.iter().flat_map(|property| evaluate(program, property, &state));
        found.violated |= truths.into_iter().any(|truth| truth.holds != Ok(true));
    }
    Findings { states: known.len(), ..found }
}

/// A text with two starts, whose last part shows behind a counter only, further than the sample goes.
fn deep(declared: &str, starts: [&str; 2], last: &str) -> String {
    let [one, two] = starts;
    format!(
        "{declared} c: 0 .. 1500; startstate begin c := 0; {one} end; startstate begin c := 0; {two} end;
         rule c < 1500 ==> begin c := c + 1; end; {last}
         ruleset i: 0 .. 20 do rule c > 1500 ==> begin end; end;"
    )
}

/// Whether a question whose answer is not `holds` would get `holds` from the forgetful model.
fn hides(text: &str, requested: Requested, wrong: Wrong) -> bool {
    let original = program(text);
    let explored = DeadValues::new(&original, wrong);
    let Some(forgetful) = explored.forgetful() else { return false };
    let holds = |program: &Program| {
        let found = findings(program, requested.deadlock.unwrap_or(Deadlock::Stuck));
        !(found.violated || requested.deadlock.is_some() && found.deadlock || requested.faults && found.fault)
    };
    allows(requested, wrong).is_ok() && !holds(&original) && holds(&forgetful.program)
}

const REQUESTED: Requested = Requested { deadlock: None, faults: true, of_all_states: false };

#[test]
fn variables_are_forgotten_while_they_are_dead() {
    let text = "type p: scalarset(2); var at: array [p] of enum { idle, busy, done }; x: array [p] of 0 .. 3; y: 0 .. 3; z: 0 .. 1;
        startstate begin for i: p do at[i] := idle; x[i] := 0; end; y := 0; z := 0; end;
        ruleset i: p; v: 0 .. 3 do
          rule at[i] = idle ==> begin at[i] := busy; x[i] := v; end;
          rule at[i] = busy ==> begin y := x[i]; at[i] := done; end;
          rule at[i] = done & z = 1 ==> begin at[i] := idle; z := 0; end;
          rule z = 0 ==> begin z := 1; end;
        end;";
    assert_eq!(rows(text), ["x[i] while at[i] is idle or done", "y"]);
    let (original, explored) = (program(text), program(text));
    let forgetful = DeadValues::new(&explored, Wrong::default()).forgetful().expect("values are dead");
    let [whole, less] = [&original, &forgetful.program].map(|program| findings(program, Deadlock::Stuck));
    // Of `at[i]` and `x[i]` there are six pairs of values then, of `z` two.
    assert_eq!(less.states, 6 * 6 * 2);
    assert!(whole.states > 4 * less.states, "{whole:?}");
    assert_eq!(Findings { states: 0, ..whole }, Findings { states: 0, ..less });
}

/// Values of controls without a name are taken together, whether they were seen or not.
#[test]
fn names_that_the_text_does_not_use_stay_alike() {
    let text = "type d: enum { d1, d2 }; var m: array [d] of boolean; o: d; x: 0 .. 1;
        startstate begin for i: d do m[i] := false; end; o := d1; x := 0; end;
        startstate begin for i: d do m[i] := false; end; o := d2; x := 0; end;
        ruleset i: d do rule !m[i] ==> begin m[i] := true; x := 1; end; rule m[i] & x = 1 ==> begin m[i] := false; o := i; end; end;";
    assert!(rows(text).iter().all(|row| !row.contains("d1") && !row.contains("d2")), "{:?}", rows(text));
}

/// The answer of the original stands behind the part that is explored, where values are compared or tested.
#[test]
fn wrong_rules_are_caught() {
    let tested = deep(
        "var x: boolean;",
        ["x := true;", "x := false;"],
        "rule c = 1500 & !isundefined(x) ==> begin error \"bad\"; end;",
    );
    let compared = deep(
        "type r: record f: boolean; end; var a: r; b: r;",
        ["a.f := true; b.f := true;", "a.f := true; b.f := false;"],
        "rule c = 1500 & a = b ==> begin error \"bad\"; end; invariant a.f;",
    );
    let sorted = deep(
        "type e: record d: 0 .. 1; x: 0 .. 1; end; var r: e; m: multiset [2] of e; y: 0 .. 1; s: 0 .. 3;
         function f(v: 0 .. 1): boolean; begin y := v; return true; end; var",
        ["r.d := 1; r.x := 0; y := 0; s := 0;", "r.d := 0; r.x := 0; y := 0; s := 0;"],
        "rule c = 1500 & s = 0 ==> begin multisetadd(r, m); s := 1; end;
         rule s = 1 ==> begin r.d := 0; r.x := 1; multisetadd(r, m); s := 2; end;
         rule s = 2 ==> begin if multisetcount(i: m, f(m[i].x)) = 2 then s := 3; end; end;
         invariant s < 3 | y = 1;",
    );
    let unreported = deep(
        "var x: 0 .. 3; bad: boolean;",
        ["x := 1; bad := false;", "x := 2; bad := false;"],
        "rule c = 1500 & x = 1 ==> begin bad := true; end; invariant !bad;",
    );
    // The first rule ends before it could forget, so that the value comes and goes.
    let stays = "var d: 0 .. 1; startstate begin d := 0; end; startstate begin d := 1; end;
         rule begin d := 1; return; end; rule begin d := 1; end;";
    let stuttering = Requested { deadlock: Some(Deadlock::Stuttering), ..REQUESTED };
    let cases = [
        (tested.as_str(), REQUESTED, Wrong { forgets_tested_values: true, ..Wrong::default() }),
        (&compared, REQUESTED, Wrong { forgets_compared_values: true, ..Wrong::default() }),
        (&sorted, REQUESTED, Wrong { forgets_sorted_values: true, ..Wrong::default() }),
        (&unreported, Requested { faults: false, ..REQUESTED }, Wrong { ignores_faults: true, ..Wrong::default() }),
        (stays, stuttering, Wrong { ignores_steps_that_stay: true, ..Wrong::default() }),
    ];
    for (text, requested, wrong) in cases {
        assert!(!hides(text, requested, Wrong::default()), "{text}");
        assert!(hides(text, requested, wrong), "{wrong:?}: {text}");
    }
    assert_eq!(allows(stuttering, Wrong::default()), Err(Reason::StepsThatStay));
    assert_eq!(allows(Requested { of_all_states: true, ..REQUESTED }, Wrong::default()), Err(Reason::AllStates));
}

/// A value that is read behind the part that is explored faults in the forgetful model; the original does not show it, and its
/// execution shows what is read.
#[test]
fn values_that_are_read_are_learnt() {
    let text = deep("var x: 0 .. 3;", ["x := 1;", "x := 2;"], "rule c = 1500 & x = 1 ==> begin c := 0; end;");
    let original = program(&text);
    let mut explored = DeadValues::new(&original, Wrong::default());
    let forgetful = explored.forgetful().expect("`x` is not read in the part");
    assert_eq!(forgetful.rows, ["x"]);
    let mut trace = execution::Trace::new(starts(&forgetful.program).remove(0));
    while let Some(state) = trace.last_state() {
        let last: Vec<Step> = successors(&forgetful.program, state);
        trace.take(last.into_iter().next().expect("a step"));
    }
    assert!(trace.stop().is_some_and(|(_, fault)| fault.kind == FaultKind::Undefined));
    assert_eq!(lift(&original, &trace, Violation::Fault, Wrong::default()), None);
    assert!(lift(&original, &trace, Violation::Fault, Wrong { trusts_violations: true, ..Wrong::default() }).is_some());
    explored.learn_from(&trace);
    assert!(explored.forgetful().is_none(), "`x` is read");
}
