//! Texts that no user wrote: mutated fixtures, deep nesting, long chains.

use super::{files, without_spans};
use crate::diagnostics::Diagnostics;
use crate::murphi::interpret::{starts, successors};
use crate::murphi::print::{format, print};
use crate::murphi::syntax::parse;
use crate::murphi::{MAX_NESTING, Options};

/// A small generator of pseudo-random numbers (xorshift); the seed is not zero.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }
}

const PIECES: &[&str] = &[
    "forall i: 0 .. 1 do ",
    "exists",
    "ruleset i: T do",
    "rule",
    "==>",
    "begin",
    "end",
    ";",
    ":=",
    "->",
    "&",
    "|",
    "&&",
    "=",
    "..",
    "!",
    "-",
    "~",
    "%",
    " 0 ",
    "2147483648",
    "010",
    "1.5",
    "*",
    "+",
    "<<",
    "if x then",
    "elsif",
    "else",
    "switch x",
    "case 0:",
    "for i := 1 to 3 by 2 do",
    "while",
    "alias a: x do",
    "choose c: m do",
    "startstate",
    "invariant",
    "assume",
    "cover",
    "liveness",
    "const",
    "type",
    "var",
    "é",
    "∀",
    "/*",
    "--",
    "\n",
    "\u{0}",
    "\"",
    "“",
    "x",
    "T",
    "record",
    "enum {",
    "union {",
    "scalarset(",
    "multiset [",
    "array [",
    "multisetadd(",
    "multisetcount(",
    "isundefined(",
    "ismember(",
    "undefined",
    "clear",
    "return",
    "put",
    "error",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ".",
    ":",
    "?",
    "function f(",
    "procedure p(",
    "true",
    "boolean",
];

fn mutate(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(characters.len());
        let to = (at + random.below(12)).min(characters.len());
        match random.below(4) {
            0 => drop(characters.drain(at..to)),
            1 => {
                let copied: Vec<char> = characters[at..to].to_vec();
                let place = random.below(characters.len());
                characters.splice(place..place, copied);
            }
            2 => characters.truncate(at.max(1)),
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                characters.splice(at..at, piece.chars());
            }
        }
    }
    characters.into_iter().collect()
}

/// For every text, the spans lie inside it, and a tree without errors is printed back and formatted.
fn survives(text: &str) {
    let mut sink = Diagnostics::new();
    let file = parse(text, &mut sink).file;
    let is_tree = !sink.has_errors();
    if is_tree && let Some(program) = crate::murphi::parse(text, &Options::default(), &mut sink).program {
        // Steps end, and within any limit.
        let run = || {
            for start in starts(&program) {
                start.result.map(|state| successors(&program, &state).len()).ok();
            }
        };
        limits::watch().at_most(1 << 20).run(run).ok();
    }
    for diagnostic in &sink.list {
        let spans = diagnostic.related.iter().map(|label| label.span).chain([diagnostic.span]);
        for span in spans.filter(|span| !span.is_none()) {
            let range = span.start as usize..span.end as usize;
            assert!(text.get(range).is_some(), "{} at {span:?} outside of\n{text}", diagnostic.code);
        }
    }
    if is_tree {
        let printed = print(&file);
        let mut again = Diagnostics::new();
        let tree = parse(&printed, &mut again).file;
        assert!(!again.has_errors(), "{:?}\n{printed}", again.list);
        assert_eq!(without_spans(&tree), without_spans(&file), "{text}\n{printed}");
        let formatted = format(text).unwrap();
        assert_eq!(format(&formatted).unwrap(), formatted, "{text}");
    }
}

#[test]
fn mutated_texts_never_panic() {
    let mut random = Random(0x5EED_1234_ABCD_EF01);
    for path in files("murphi").into_iter().chain(files("reject")) {
        let text = std::fs::read_to_string(path).unwrap();
        for _ in 0..40 {
            survives(&mutate(&text, &mut random));
        }
    }
}

#[test]
fn nesting_is_limited_and_not_the_length_of_chains() {
    let text = |condition: &str| format!("var x: boolean; startstate begin x := true; end; invariant {condition};");
    let codes = |text: &str| {
        let mut sink = Diagnostics::new();
        parse(text, &mut sink);
        sink.list.iter().map(|found| found.code.as_str()).collect::<Vec<&str>>()
    };
    let nested = |open: &str, close: &str, depth: usize| format!("{}x{}", open.repeat(depth), close.repeat(depth));
    for (open, close) in
        [("(", ")"), ("!(", ")"), ("(x & ", ")"), ("!", ""), ("forall i: 0 .. 0 do ", " end"), ("a[", "]"), ("f(", ")")]
    {
        assert!(codes(&text(&nested(open, close, MAX_NESTING - 8))).is_empty(), "{open}");
        assert_eq!(codes(&text(&nested(open, close, 100_000)))[0], "E0804", "{open}");
    }
    for chain in [" & x", " | x"] {
        assert!(codes(&text(&format!("x{}", chain.repeat(100_000)))).is_empty());
    }
    for long in [" + x", " -> x", ".x", "[x]", " ? x : x"] {
        survives(&text(&format!("x{}", long.repeat(50_000))));
    }
    let body = |statement: &str| format!("startstate begin {statement} end;");
    for (open, close) in [("if x then ", " end;"), ("for i: 0 .. 0 do ", " end;"), ("switch x case 0: ", " end;")] {
        survives(&body(&format!("{}x := 1;{}", open.repeat(5000), close.repeat(5000))));
    }
    survives(&body(&format!("if x then {} end;", "elsif x then ".repeat(50_000))));
    survives(&"ruleset i: 0 .. 0 do ".repeat(5000));
    survives(&format!("type t: {} boolean;", "array [0 .. 0] of ".repeat(5000)));
    survives(&format!("type t: {}", "record x: ".repeat(5000)));
    survives(&format!("invariant forall {} do x end;", "i: 0 .. 0; ".repeat(5000)));
}
