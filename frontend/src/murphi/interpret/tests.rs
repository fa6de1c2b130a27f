//! Tests of the meaning: fixtures with known numbers, and faults.

use rustc_hash::FxHashMap;

use super::*;
use crate::diagnostics::Diagnostics;
use crate::murphi::program::Types;
use crate::murphi::{Options, parse};

/// The whole state space of a model.
#[derive(PartialEq, Eq, Debug)]
struct Space {
    states: usize,
    transitions: usize,
    deadlocks: usize,
    /// The faults of starts, steps and properties, in the order in which they are met, each once.
    faults: Vec<String>,
    /// The names of invariants that are false somewhere.
    violated: Vec<String>,
}

fn program(text: &str) -> Program {
    let mut sink = Diagnostics::new();
    let parsed = parse(text, &Options::default(), &mut sink);
    parsed.program.unwrap_or_else(|| panic!("{:?}\n{text}", sink.list))
}

fn explore(program: &Program) -> Space {
    let mut space = Space { states: 0, transitions: 0, deadlocks: 0, faults: Vec::new(), violated: Vec::new() };
    let mut known: FxHashMap<State, ()> = FxHashMap::default();
    let mut waiting: Vec<State> = Vec::new();
    let mut next = starts(program);
    loop {
        for step in next {
            match step.result {
                Ok(state) => {
                    if known.insert(state.clone(), ()).is_none() {
                        waiting.push(state);
                    }
                }
                Err(fault) => note(&mut space.faults, fault.kind.text(&program.types)),
            }
        }
        let Some(state) = waiting.pop() else { break };
        for property in program.properties.iter().filter(|property| property.kind == PropertyKind::Invariant) {
            for truth in evaluate(program, property, &state) {
                match truth.holds {
                    Ok(true) => {}
                    Ok(false) => note(&mut space.violated, property.name.clone()),
                    Err(fault) => note(&mut space.faults, fault.kind.text(&program.types)),
                }
            }
        }
        next = successors(program, &state);
        space.states += 1;
        space.transitions += next.iter().filter(|step| step.result.is_ok()).count();
        space.deadlocks += usize::from(is_deadlock(&state, &next, Deadlock::Stuttering));
    }
    space
}

fn note(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) {
        list.push(text);
    }
}

/// The number behind a key in the head of a fixture.
fn number(text: &str, key: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix("--@ ")?.strip_prefix(key))?;
    line.trim().parse().ok()
}

#[test]
fn fixtures_have_the_numbers_of_their_heads() {
    for path in crate::murphi::tests::files("murphi") {
        let text = std::fs::read_to_string(&path).unwrap();
        let space = explore(&program(&text));
        let expected = |key: &str, found: usize| {
            if let Some(number) = number(&text, key) {
                assert_eq!(found, number, "{key} {}", path.display());
            }
        };
        expected("states: full", space.states);
        expected("transitions: full", space.transitions);
        expected("deadlocks:", space.deadlocks);
        let is_violated = text.lines().any(|line| line.starts_with("--@") && line.contains("violated"));
        assert!(is_violated || space.faults.is_empty() && space.violated.is_empty(), "{}", path.display());
    }
}

#[test]
fn faults_are_found_and_named() {
    let head = "type node: scalarset(2); item: record tag: 0 .. 3; seen: boolean; end;
        var x: 0 .. 3; y: 0 .. 3; b: boolean; a: array [1 .. 2] of 0 .. 3; r: item; m: multiset [1] of item;
        function half(n: 0 .. 3): 0 .. 1; begin if n > 1 then return n - 1; end; end;
        procedure deep(); begin deep(); end;
        startstate begin x := 3; b := false; end;\n";
    let cases = [
        ("x := y;", "an undefined value is read"),
        ("x := x + 1;", "the value 4 is outside of `0 .. 3`"),
        ("a[x] := 1;", "the index 3 is outside of `1 .. 2`"),
        ("x := 1 / (x - 3);", "division by zero"),
        ("x := 2147483647 + x;", "a result does not fit into 32 bits"),
        ("x := half(0);", "a function ends without returning a value"),
        ("x := half(3);", "the value 2 is outside of `0 .. 1`"),
        ("x := half(x + 1);", "the value 4 is outside of `0 .. 3`"),
        ("multisetadd(r, m); multisetadd(r, m);", "the multiset holds 1 elements already"),
        ("error \"broken\";", "broken"),
        ("assert b \"b is true\";", "an assertion does not hold: b is true"),
        ("for i := 0 to 3 by x - 3 do b := true; end;", "the step of a loop is zero"),
        ("while !b do x := 3; end;", "the loops of a step make more than 1000000 rounds"),
        ("deep();", "calls nest too deeply: their bodies are more than 2000 levels in all"),
    ];
    for (body, fault) in cases {
        let space = explore(&program(&format!("{head}rule begin {body} end;")));
        assert_eq!(space.faults, [fault], "{body}");
    }
}

#[test]
fn evaluation_stops_where_the_rest_does_not_matter() {
    let head = "var x: 0 .. 3; y: 0 .. 3; b: boolean; startstate begin x := 3; b := true; end;\n";
    for condition in [
        "x = 0 & y = 0",
        "x = 3 | y = 0",
        "x = 0 -> y = 0",
        "b ? x = 3 : y = 0",
        "exists i: 0 .. 3 do i = 0 | y = 0 end",
    ] {
        assert_eq!(explore(&program(&format!("{head}rule {condition} ==> begin x := 3; end;"))).faults, [""; 0]);
    }
    for condition in ["y = 0 & x = 0", "y = 0 | x = 3", "exists i: 0 .. 3 do i = 3 | y = 0 end"] {
        let faults = explore(&program(&format!("{head}rule {condition} ==> begin x := 3; end;"))).faults;
        assert_eq!(faults, ["an undefined value is read"], "{condition}");
    }
}

#[test]
fn assumptions_exclude_states_and_steps() {
    let head = "var x: 0 .. 3; startstate begin x := 0; end;\n";
    for rest in [
        "rule x < 3 ==> begin x := x + 1; end; rule begin x := 0; end; assume x < 3;",
        "rule x < 3 ==> begin x := x + 1; assume x < 3; end; rule begin x := 0; end;",
    ] {
        let space = explore(&program(&format!("{head}{rest}")));
        assert_eq!((space.states, space.transitions), (3, 5), "{rest}");
    }
}

#[test]
fn multisets_do_not_distinguish_slots() {
    let text = "var m: multiset [2] of 1 .. 2; startstate begin undefine m; end;
        ruleset v: 1 .. 2 do rule multisetcount(i: m, true) < 2 ==> begin multisetadd(v, m); end; end;
        choose i: m do rule begin multisetremove(i, m); end; end;
        rule begin multisetremovepred(i: m, m[i] = 1); end;";
    // {}, {1}, {2}, {1,1}, {1,2}, {2,2}
    let space = explore(&program(text));
    assert_eq!((space.states, space.transitions, space.faults.len()), (6, 6 + 8 + 6, 0));
}

#[test]
fn parts_and_changes_have_the_names_of_the_model() {
    let text = "type node: scalarset(2); state: enum { idle, busy };
        var cache: array [node] of record at: state; owner: node; end;
        startstate begin for n: node do cache[n].at := idle; end; end;
        ruleset n: node do rule begin cache[n].at := busy; cache[n].owner := n; end; end;";
    let program = program(text);
    let start = starts(&program)[0].result.clone().unwrap();
    let step = successors(&program, &start).into_iter().nth(1).unwrap();
    let listed: Vec<String> = changes(&program, &start, &step.result.unwrap())
        .iter()
        .map(|change| format!("{}: {} -> {}", change.name, change.before, change.after))
        .collect();
    assert_eq!(listed, ["cache[node_2].at: idle -> busy", "cache[node_2].owner: undefined -> node_2"]);
    assert_eq!(parts(&program).len(), program.cells());
    assert_eq!(program.types.value_text(Types::BOOLEAN, 1), "true");
}

/// A guard may make as many rounds as are allowed: the next instance, and an alias around it, begin anew.
#[test]
fn instances_count_no_rounds_of_others() {
    for (around, end) in [("", ""), ("alias b: exists j: 0 .. 1 do j = i end do", "end;")] {
        let found = explore(&program(&format!(
            "var x: 0 .. 1; startstate begin x := 0; end;
             ruleset i: 0 .. 1 do {around}
               rule (forall j: 1 .. 1000000 do j > 0 end) & i = 1 ==> begin x := 1; end;
             {end} end;"
        )));
        assert_eq!((found.states, found.transitions), (2, 2), "{around}");
        assert_eq!(found.faults, [""; 0], "{around}");
    }
}
