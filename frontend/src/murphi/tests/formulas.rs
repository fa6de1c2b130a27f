//! Tests of property files: how formulas group, and their faults.

use ltl::Formula;

use crate::diagnostics::{Code, Diagnostics, codes};
use crate::murphi::program::Program;
use crate::murphi::{Options, parse_formulas};

const MODEL: &str = "var x: 0 .. 2; y: 0 .. 2; f: boolean; R: boolean;
    startstate begin x := 0; end; rule begin x := (x + 1) % 3; end; invariant \"small\" x < 3;";

fn read(formulas: &str) -> Result<Program, Vec<Code>> {
    let mut sink = Diagnostics::new();
    let program = parse_formulas(MODEL, &Options::default(), formulas, &mut sink);
    program.ok_or_else(|| sink.list.iter().map(|diagnostic| diagnostic.code).collect())
}

/// The operators of a formula, with `.` for a condition.
fn shape(formula: &Formula<usize>) -> String {
    let two = |word: &str, f: &Formula<usize>, g: &Formula<usize>| format!("({} {word} {})", shape(f), shape(g));
    let list = |word: &str, list: &[Formula<usize>]| {
        let parts: Vec<String> = list.iter().map(shape).collect();
        format!("({})", parts.join(word))
    };
    match formula {
        Formula::Atom(_) => ".".to_owned(),
        Formula::Not(f) => format!("!{}", shape(f)),
        Formula::Next(f) => format!("X{}", shape(f)),
        Formula::Finally(f) => format!("F{}", shape(f)),
        Formula::Globally(f) => format!("G{}", shape(f)),
        Formula::And(parts) => list(" & ", parts),
        Formula::Or(parts) => list(" | ", parts),
        Formula::Implies(f, g) => two("->", f, g),
        Formula::Until(f, g) => two("U", f, g),
        Formula::WeakUntil(f, g) => two("W", f, g),
        Formula::Release(f, g) => two("R", f, g),
        Formula::Quantified(paths, f) => format!("{}{}", paths.letter(), shape(f)),
        Formula::Accepted(..) => "automaton".to_owned(),
    }
}

#[test]
fn formulas_group_as_their_operators_bind() {
    let cases = [
        ("G x = 1", "G."),
        ("[] <> !f", "GF."),
        ("!G f", "!G."),
        ("AG (f -> EF x = 1 & !AX f)", "AG(. -> (EF. & !AX.))"),
        ("f EU f AU x = 1", "E(. U A(. U .))"),
        ("!isundefined(y) & y = 1 | f -> x + 1 > 2", "."),
        ("!isundefined(y) & y = 1 -> F f", "(. -> F.)"),
        ("f -> G f -> f", "(. -> (G. -> .))"),
        ("f U x = 1 U y = 2", "(. U (. U .))"),
        ("f & f U f | F f", "((. & (. U .)) | F.)"),
        ("(x + 1) * 2 = 2", "."),
        ("(x + 1) * 2 = 2 W (G f)", "(. W G.)"),
        ("G (f -> X !(F f & f))", "G(. -> X!(F. & .))"),
        ("exists i: 0 .. 2 do x = i | f end U f", "(. U .)"),
        ("F\n  (f ?\n f : f)", "F."),
    ];
    for (text, expected) in cases {
        let program = read(&format!("a: {text}\n\"b c\": f;\n")).unwrap_or_else(|codes| panic!("{text}: {codes:?}"));
        assert_eq!(shape(&program.formulas[0].formula), expected, "{text}");
        assert_eq!(program.formulas[1].name, "b c");
    }
}

#[test]
fn faults_of_formulas_are_reported() {
    let cases = [
        ("a: G x", codes::MURPHI_CONDITION),
        ("a: G z = 1", codes::MURPHI_UNKNOWN_NAME),
        ("a: f R f", codes::MURPHI_DUPLICATE),
        ("a: f\na: F f", codes::DUPLICATE_PROPERTY),
        ("small: F f", codes::DUPLICATE_PROPERTY),
        ("deadlock: F f", codes::DUPLICATE_PROPERTY),
        ("a: F f G f", codes::MURPHI_UNEXPECTED),
        ("a: F (f", codes::MURPHI_UNEXPECTED),
        ("a F f", codes::MURPHI_UNEXPECTED),
        ("a: exists i: 0 .. 2 do F f end", codes::MURPHI_UNEXPECTED),
        ("a: f = f = f", codes::MURPHI_CHAINED),
    ];
    for (text, code) in cases {
        let found = read(text).expect_err(text);
        assert!(found.contains(&code), "{text}: {found:?}");
    }
    // Nesting is bounded in every form.
    for open in ["(", "!", "G ", "f U ", "f -> ", "F (", "f & F ("] {
        assert!(read(&format!("a: {} f", open.repeat(5_000))).is_err(), "{open}");
    }
}
