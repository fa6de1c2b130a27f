//! Tests: what is removed, and that each rule is needed.

use std::collections::BTreeSet;

use frontend::diagnostics::Diagnostics;
use frontend::murphi::interpret::{State, evaluate, starts, successors};
use frontend::murphi::print::print;
use frontend::murphi::program::Program;
use frontend::murphi::syntax;
use frontend::murphi::{Options, parse};

use super::{MurphiSlice, Wrong, slice};

fn program(text: &str) -> Program {
    parse(text, &Options::default(), &mut Diagnostics::new()).program.unwrap_or_else(|| panic!("{text}"))
}

fn sliced(program: &Program, wrong: Wrong) -> MurphiSlice {
    slice(program, &program.claims(), wrong).expect("invariants")
}

/// Whether an invariant is violated, and the number of states.
fn violated(program: &Program) -> (bool, usize) {
    let mut known: BTreeSet<State> = BTreeSet::new();
    let mut waiting: Vec<State> = starts(program).into_iter().filter_map(|start| start.result.ok()).collect();
    let mut is_violated = false;
    while let Some(state) = waiting.pop() {
        if known.insert(state.clone()) {
            let truths = program.properties.iter().flat_map(|property| evaluate(program, property, &state));
            is_violated |= truths.into_iter().any(|truth| truth.holds != Ok(true));
            waiting.extend(successors(program, &state).into_iter().filter_map(|step| step.result.ok()));
        }
    }
    (is_violated, known.len())
}

#[test]
fn what_an_invariant_does_not_read_is_removed() {
    let text = "type c: 0 .. 3; r: record on: boolean; load: c; end; var x: array [0 .. 1] of r; spare: c; o: c;
        procedure bump(var n: c); begin if n < 3 then n := n + 1; end; end;
        startstate begin clear x; spare := 0; o := 0; end;
        ruleset i: 0 .. 1 do
          rule \"turn\" o < 2 ==> begin alias own: x[i] do own.on := !own.on; own.load := 1; end; spare := 0; end;
        end;
        rule \"count\" spare < 3 ==> begin spare := spare + 1; end;
        rule \"next\" o < 3 ==> begin bump(o); end;
        invariant !x[0].on | !x[1].on | o < 3;";
    let program = program(text);
    let small = sliced(&program, Wrong::default());
    // The start, the load and the rule `turn` write what nothing reads, and `count` nothing else.
    let removed: Vec<(&str, &str)> = small.removed.iter().map(|one| (one.kind.name(), &*one.name)).collect();
    let statements = [("statement", "turn"), ("statement", "turn"), ("statement", "startstate 1")];
    assert_eq!(removed, [&[("variable", "spare"), ("rule", "count")][..], &statements].concat());
    let written = syntax::parse(text, &mut Diagnostics::new()).file;
    let printed = print(&small.tree(written));
    assert!(!printed.contains("spare") && !printed.contains("count") && printed.contains("bump"), "{printed}");
    assert_eq!(violated(&self::program(&printed)), violated(&small.model));
    let (whole, less) = (violated(&program), violated(&small.model));
    assert_eq!(whole.0, less.0);
    assert!(less.1 < whole.1, "{whole:?} {less:?}");
}

#[test]
fn wrong_slices_are_caught() {
    let cases = [
        (
            "var x: 0 .. 2; g: 0 .. 1; startstate begin x := 0; g := 1; end;
             rule g = 1 ==> begin x := 1; end; invariant x = 0;",
            Wrong { forgets_guards: true, ..Wrong::default() },
        ),
        (
            "var x: 0 .. 2; g: 0 .. 1; startstate begin x := 0; g := 1; end;
             rule begin if g = 1 then x := 1; end; end; invariant x = 0;",
            Wrong { forgets_conditions: true, ..Wrong::default() },
        ),
        (
            "var x: 0 .. 2; procedure p(var n: 0 .. 2); begin n := 1; end; startstate begin x := 0; end;
             rule begin p(x); end; invariant x = 0;",
            Wrong { forgets_parameters: true, ..Wrong::default() },
        ),
        (
            "var x: 0 .. 2; startstate begin x := 0; end;
             rule x = 0 ==> begin x := 1; if x = 1 then return; end; x := 0; end; invariant x = 0;",
            Wrong { forgets_returns: true, ..Wrong::default() },
        ),
        // The function of the invariant faults, in a statement on which its result does not depend.
        (
            "var x: 0 .. 2; y: 0 .. 2; startstate begin x := 0; end; rule begin x := 1; end;
             procedure look(n: 0 .. 2); var t: 0 .. 2; begin if n = 1 then t := y; end; end;
             function f(): boolean; begin look(x); return true; end; invariant f();",
            Wrong { forgets_faults: true, ..Wrong::default() },
        ),
        (
            "var x: 0 .. 2; startstate begin x := 0; end; rule begin x := 1; end;
             function f(): 0 .. 2; var t: 0 .. 1; begin t := 2 - x; return 1; end;
             alias z: f() do invariant z = 1; end;",
            Wrong { forgets_faults: true, ..Wrong::default() },
        ),
    ];
    for (text, wrong) in cases {
        let program = program(text);
        let is_violated = |wrong| violated(&sliced(&program, wrong).model).0;
        assert!(violated(&program).0, "{text}");
        assert!(is_violated(Wrong::default()), "{text}");
        assert!(!is_violated(wrong), "{wrong:?}: {text}");
    }
}
