//! The preprocessor: line ends, names that are not replaced, faults; and a comparison with `gcc -E`, which SPIN runs.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::super::preprocess::{Wrong, preprocess_with};
use super::super::syntax::token::{Kind, tokens};
use crate::diagnostics::Diagnostics;

fn word(kind: &Kind) -> String {
    match kind {
        Kind::Name(name) => name.to_string(),
        Kind::Number(value) => value.to_string(),
        Kind::Symbol(symbol) => (*symbol).to_owned(),
        other => format!("{other:?}"),
    }
}

/// The lines of a text after the preprocessor, and the codes of its faults.
fn read(text: &str, wrong: Wrong) -> (Vec<String>, Vec<String>) {
    let mut sink = Diagnostics::new();
    let list = tokens(text, &mut sink);
    let (list, _) = preprocess_with(&list, &[], &mut sink, wrong);
    let mut lines: Vec<String> = Vec::new();
    for token in list.unwrap_or_default() {
        match lines.last_mut().filter(|_| !token.starts_line) {
            Some(line) => *line += &format!(" {}", word(&token.kind)),
            None => lines.push(word(&token.kind)),
        }
    }
    (lines, sink.list.iter().map(|found| format!("{}: {}", found.code, found.message)).collect())
}

/// The lines that `gcc -E` writes; `None` where it finds a fault.
fn compiled(text: &str) -> Option<Vec<String>> {
    let mut child = Command::new("gcc")
        .args(["-std=gnu99", "-E", "-x", "c", "-w", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("gcc runs");
    child.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("gcc reads");
    let output = child.wait_with_output().expect("gcc ends");
    let text = String::from_utf8(output.stdout).expect("it is a text");
    let written: Vec<&str> = text.lines().filter(|line| !line.starts_with("# ")).collect();
    let words = |line: &&str| {
        let list = tokens(line, &mut Diagnostics::new());
        list.iter().map(|token| word(&token.kind)).collect::<Vec<_>>().join(" ")
    };
    let lines = written.iter().map(words).filter(|line| !line.is_empty()).collect();
    output.status.success().then_some(lines)
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn one_of(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }
}

/// Pieces of texts; upper-case names are macros, those behind `F` have parameters.
const PIECES: &[&str] = &["A", "B", "C", "E", "F", "G", "H", "(", ")", "x", "y", "+", "-", ";", "0", "7", "A", "B"];

/// What stands between two tokens.
const SPACES: &[&str] = &[" ", " ", " ", "\n", "\n  ", " \\\n", "\\\n ", " /* a\n b */ ", "/*\n*/", " // a\n", "/**/"];

/// Tokens with space between them; most calls have the right number of arguments.
fn tokens_of(random: &mut Random, len: usize, depth: usize, spaces: &[&'static str], text: &mut String) {
    for _ in 0..len {
        let call = if depth == 0 { 9 } else { random.below(9) };
        match call {
            0..=2 => {
                *text += ["F", "G", "H"][call];
                *text += random.one_of(&["", "", " ", "\n"]).replace('\n', spaces[spaces.len() - 1]).as_str();
                *text += "(";
                for argument in 0..[1, 2, 0][call] {
                    *text += [" ", ","][argument];
                    *text += random.one_of(spaces);
                    let len = random.below(3);
                    tokens_of(random, len, depth - 1, spaces, text);
                }
                *text += random.one_of(spaces);
                *text += ")";
            }
            _ => *text += random.one_of(PIECES),
        }
        let is_apart = |last: char| !(last.is_alphanumeric() || "+-".contains(last));
        if !text.ends_with(is_apart) || random.below(2) == 0 {
            *text += random.one_of(spaces);
            if !text.ends_with(is_apart) || text.ends_with("\\\n") {
                *text += " ";
            }
        }
    }
}

/// A text with macros and conditions.
fn text(seed: u64) -> String {
    let random = &mut Random(seed);
    let mut text = String::new();
    for _ in 0..1 + random.below(3) {
        for (name, parameters) in
            [("A", ""), ("B", ""), ("C", ""), ("E", ""), ("F", "(x)"), ("G", "(x, y)"), ("H", "()")]
        {
            if random.below(6) == 0 {
                continue;
            }
            text += &format!("#undef {name}\n#define {name}{parameters} ");
            let len = if name == "E" { 0 } else { random.below(5) };
            tokens_of(random, len, 1, &[" ", " ", " \\\n ", " /* a\n b */ ", " "], &mut text);
            text += "\n";
        }
        tokens_of(random, 8, 2, SPACES, &mut text);
        let operator = random.one_of(&["+", "-", "*", "<<", "|", "^", "&&", "<", "==", "/", "?3:"]);
        let (left, right) = (random.below(9), random.one_of(&["A", "F(2)", "-(2)"]));
        text += &format!(
            "\n#if {left} {operator} 07 > {right} || 1\nyes\n#endif\n#if {left} {operator} 03 > 1\nyes\n#endif\n"
        );
    }
    text
}

#[test]
fn random_texts_have_the_lines_of_gcc() {
    if Command::new("gcc").arg("--version").output().is_err() {
        eprintln!("skipped: there is no gcc to compare with");
        return;
    }
    let number =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise);
    let (first, count) = (number("MACRO_SEED", 1), number("MACRO_TEXTS", 120));
    let (mut compared, mut joined, mut painted) = (0, 0, 0);
    for seed in first..first + count {
        let text = text(seed);
        let (lines, codes) = read(&text, Wrong::default());
        let Some(expected) = compiled(&text) else {
            assert_ne!(codes, [""; 0], "gcc refuses seed {seed}:\n{text}\n\n{lines:#?}");
            continue;
        };
        // Lines of the preprocessor inside of arguments are refused here.
        if codes.iter().any(|code| code.ends_with("are never closed")) {
            continue;
        }
        assert_eq!(codes, [""; 0], "gcc reads seed {seed}:\n{text}\n\n{expected:#?}");
        let differs = lines.iter().zip(&expected).find(|(own, other)| own != other);
        assert_eq!(lines, expected, "{differs:?}, seed {seed}:\n{text}");
        compared += 1;
        joined += usize::from(read(&text, Wrong { joins_lines: true, ..Wrong::default() }).0 != expected);
        painted += usize::from(read(&text, Wrong { paints_nothing: true, ..Wrong::default() }).0 != expected);
    }
    assert!(compared * 12 >= count, "gcc reads only {compared} of {count} texts");
    eprintln!("{compared} of {count} texts compared");
    assert!(joined > 0 && painted > 0, "wrong variants are seen in {joined} and {painted} of {compared} texts");
}

fn lines(text: &str) -> Vec<String> {
    let (lines, codes) = read(text, Wrong::default());
    assert_eq!(codes, [""; 0], "{text}");
    lines
}

#[test]
fn line_ends_are_those_behind_the_preprocessor() {
    for (text, wanted) in [
        ("#define SET(v) y = v\nSET(x\n- 1);", &["y = x - 1", ";"][..]),
        ("#define ID(a) a\ny = ID(x\n) - 1;", &["y = x", "- 1 ;"]),
        ("#define ID(a) a\ny = ID\n(x)- 1;", &["y = x", "- 1 ;"]),
        ("#define EMPTY\ny = x\nEMPTY - 1;", &["y = x", "- 1 ;"]),
        ("y = 3 /* a\nb */ - 1;", &["y = 3", "- 1 ;"]),
        ("y = 3 \\\n- 1;", &["y = 3", "- 1 ;"]),
        ("y = 3\\\n- 1;", &["y = 3 -", "1 ;"]),
        ("#define F /* a\nb */ 1 \\\n + 2\nF", &["1 + 2"]),
    ] {
        assert_eq!(lines(text), wanted, "{text}");
        let wrong = Wrong { joins_lines: true, ..Wrong::default() };
        let joined: String = read(text, wrong).0.join(" ");
        assert_eq!(joined, wanted.join(" "), "{text}");
    }
}

#[test]
fn names_in_their_own_replacement_are_never_replaced() {
    let text = "#define z (z+1)\n#define id(a) a\nid(id(z))";
    assert_eq!(lines(text), ["( z + 1 )"]);
    assert_ne!(read(text, Wrong { paints_nothing: true, ..Wrong::default() }).0, ["( z + 1 )"]);
    assert_eq!(lines("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)"), ["2 * 9 * g"]);
}

#[test]
fn macros_at_the_end_of_a_replacement_take_the_arguments_behind_it() {
    assert_eq!(lines("#define f(a) a + 1\n#define g f\n#define h() g\ng(2) h()(3)"), ["2 + 1 3 + 1"]);
}

#[test]
fn long_chains_of_macros_are_replaced_to_their_end() {
    let chain: String = (1..2_000).map(|number| format!("#define S{number} (S{}+1)\n", number - 1)).collect();
    let (found, codes) = read(&format!("#define S0 0\n{chain}#define S S100\nS100 S1999"), Wrong::default());
    assert_eq!((found.len(), codes), (1, Vec::new()));
    assert!(found[0].contains(" 0 ") && !found[0].contains('S'));
    assert_eq!(lines(&format!("#define S0 0\n{chain}#if S70 == 70\nyes\n#endif")), ["yes"]);
}

#[test]
fn faults_of_macros_are_reported() {
    let doubled: String = (1..64).map(|number| format!("#define E{number} E{0} E{0}\n", number - 1)).collect();
    let nested = format!("#define f(a) a\n{}x{}", "f(".repeat(10_000), ")".repeat(10_000));
    for (text, wanted) in [
        ("#define f(a, b) a\nf(1)", "the macro `f` takes 2 arguments, not 1"),
        ("#define f(a) a\nf(1, 2)", "the macro `f` takes 1 arguments, not 2"),
        ("#define f() 1\nf(1)", "the macro `f` takes 0 arguments, not 1"),
        ("#define f(a) a\nf([1, 2])", "the macro `f` takes 1 arguments, not 2"),
        ("#define f(a) a\nf(1", "the arguments of the macro `f` are never closed"),
        ("#define f(a) a\nf(\n#undef f\n1)", "the arguments of the macro `f` are never closed"),
        ("#define f(a, ...) a\n", "the parameters of the macro cannot be read"),
        ("#if defined(a\n#endif", "the condition of `#if` has no value"),
        (&format!("#define E0\n{doubled}E63"), "the text is too long after the preprocessor"),
        (&nested, "arguments of macros are nested more than 200 levels deep"),
    ] {
        let (_, codes) = read(text, Wrong::default());
        assert_eq!(codes, [format!("E0853: {wanted}")], "{}", &text[..text.len().min(80)]);
    }
    assert_eq!(lines("#define f(a) a;\n#define g() 1\nf() f((1, 2)) g()"), ["; ( 1 , 2 ) ; 1"]);
}

/// The rest of a text that is too long says nothing, and what makes it long is watched.
#[test]
fn a_text_that_macros_make_too_long_is_not_parsed() {
    let arguments = "y++; ".repeat(10_000);
    let text = format!("#define X(a) {}\nint y; active proctype P() {{ X({arguments}) }}", "a ".repeat(1_000));
    let parse = || {
        let mut sink = Diagnostics::new();
        crate::promela::parse(&text, &crate::sequential::Options::default(), &mut sink);
        sink.list.iter().map(|found| found.code.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(parse(), ["E0853"]);
    assert_eq!(limits::at_most(200_000, parse), None, "the tokens of a replacement are steps");
    let doubled: String = (1..64).map(|number| format!("#define E{number} E{0} E{0}\n", number - 1)).collect();
    assert_eq!(limits::at_most(200_000, || read(&format!("#define E0\n{doubled}E63"), Wrong::default())), None);
}

#[test]
fn skipped_lines_may_have_any_numbers_and_quotes() {
    let text = "#if 0\nIt's 10u and 1.5x \"\ndon't /* so\n#ifdef 3\n#endif\n#endif\nx 010";
    assert_eq!(lines(text), ["x 10"]);
    assert_eq!(read("x = 10u; \"", Wrong::default()).1.len(), 2);
}

#[test]
fn constants_that_a_text_undefines_are_defined_again() {
    let of = |text: &str| {
        let mut sink = Diagnostics::new();
        let list = tokens(text, &mut sink);
        let (list, _) = preprocess_with(&list, &[("N".into(), 3)], &mut sink, Wrong::default());
        list.iter().flatten().map(|token| word(&token.kind)).collect::<Vec<_>>()
    };
    assert_eq!(of("#define N 2\nN"), ["3"]);
    assert_eq!(of("#undef N\n#define N 2\nN"), ["2"]);
}
