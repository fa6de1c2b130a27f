//! Texts that no user wrote: mutated fixtures, deep nesting, long chains.

use super::{Options, files, read};
use crate::diagnostics::Diagnostics;
use crate::sequential::{MAX_NESTING, parse, print, spans, verify};

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
    "forall i:P . ",
    "exists",
    "sum i:P . ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ":=",
    "->",
    "=>",
    "&&",
    "||",
    "=",
    "..",
    "!",
    "-",
    "mod",
    " 0 ",
    "2147483648",
    "*",
    "+",
    "if (",
    "else",
    "ltl L = G(",
    "init",
    "proc",
    "const",
    "type",
    "é",
    "/*",
    "//",
    "\n",
    "\u{0}",
    "fair P",
    "true",
    "x",
    "N",
    "ite(",
    "var y : P := ",
    "for k:P {",
    "while (",
    "fail \"no\";",
    "div(",
    "\"",
    ",",
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

/// For every text, the spans lie inside it, and a resulting model is sound and printed back.
fn survives(text: &str) {
    let mut sink = Diagnostics::new();
    let model = parse(text, &Options::default(), &mut sink).model;
    assert_eq!(model.is_none(), sink.has_errors());
    for diagnostic in &sink.list {
        let spans = diagnostic.related.iter().map(|label| label.span).chain([diagnostic.span]);
        for span in spans.filter(|span| !span.is_none()) {
            let range = span.start as usize..span.end as usize;
            assert!(text.get(range).is_some(), "{} at {span:?} outside of\n{text}", diagnostic.code);
        }
    }
    if let Some(model) = model {
        assert_eq!(verify::verify(&model), [], "{text}");
        let printed = print::print(&model);
        let again = read(&printed, &Options::default()).unwrap_or_else(|found| panic!("{found}\n{printed}"));
        assert_eq!(spans::without_spans(again), spans::without_spans(model), "{text}\n{printed}");
    }
}

#[test]
fn mutated_texts_never_panic() {
    let mut random = Random(0x5EED_1234_ABCD_EF01);
    let mut texts: Vec<String> = Vec::new();
    for path in files("lpe").into_iter().chain(files("reject")) {
        let text = std::fs::read_to_string(path).unwrap();
        // A mutated bound can make constants large; slow ones are not tested here.
        if text.len() < 3000 && !text.contains("65535") {
            texts.push(text);
        }
    }
    for text in &texts {
        for _ in 0..40 {
            survives(&mutate(text, &mut random));
        }
    }
}

#[test]
fn nesting_is_limited_and_not_the_length_of_chains() {
    let text = |condition: &str| format!("type U : 0..0; proc P(x : BIT) = [{condition}] e {{ }} -> P; init P(*);");
    let nested = |open: &str, close: &str, depth: usize| format!("{}x = 0{}", open.repeat(depth), close.repeat(depth));
    for (open, close) in [("(", ")"), ("!(", ")"), ("(x = 1 && ", ")"), ("x = 1 => ", ""), ("forall i:U . ", "")] {
        survives(&text(&nested(open, close, MAX_NESTING - 8)));
        assert!(read(&text(&nested(open, close, MAX_NESTING - 8)), &Options::default()).is_ok(), "{open}");
        let found = read(&text(&nested(open, close, 100_000)), &Options::default()).unwrap_err();
        assert!(found.starts_with("E0604"), "{found}");
    }
    for chain in [" && x", " || x"] {
        assert!(read(&text(&format!("x{}", chain.repeat(100_000))), &Options::default()).is_ok());
    }
    survives(&text(&format!("x = 0{}", " + x".repeat(100_000))));
    survives(&text(&"(x || x && x = x + x * ".repeat(2000)));
    survives(&text(&format!("0 = {}x", "-".repeat(100_000))));
    survives(&text("true").replace("{ }", &"{ if (x = 0) ".repeat(5000)));
    for depth in [MAX_NESTING - 1, MAX_NESTING, MAX_NESTING + 40] {
        let body = format!("{}{{ x := 1; }}{}", "{ if (x = 0) ".repeat(depth), " }".repeat(depth));
        let found = read(&text("true").replace("{ }", &body), &Options::default());
        assert_eq!(found.is_ok(), depth < MAX_NESTING);
        survives(&text("true").replace("{ }", &body));
    }
    survives(&text("true").replace("{ }", &format!("{{ {} x := 1; }}", "if (x) { } else ".repeat(5000))));
    survives(&text(&format!("x{}", "[x".repeat(5000))));
}

#[test]
fn hostile_sizes_end_quickly() {
    for text in [
        "type T : 0..1048575; const t[T] = [0]; const u[a:T] = forall b:T . b >= 0;",
        "type T : 0..1048575; proc P(x : T[T]) = sum a:T . sum b:T . sum c:T . [true] e { } -> P; init P(*);",
        "type T : -2147483648..2147483647; const t[T][T][T] = 0;",
        &format!("proc P(x : BIT) = {} [true] e {{ }} -> P; init P(*);", "sum u:BIT . ".repeat(100_000)),
        &format!("proc P(x : BIT) = {}", "[ ".repeat(100_000)),
        &"const ".repeat(100_000),
        &"[".repeat(100_000),
        &"/* ".repeat(100_000),
    ] {
        survives(text);
    }
}
