//! Damage of texts: bytes and tokens are deleted, doubled, swapped, inserted and replaced, and halves of two texts
//! joined.
//!
//! The frontend refuses most mutants of a model at their first wrong token, but the useful mutants are those that are
//! nearly right. So tokens are replaced by tokens of the same kind more often than by others, and few changes are
//! made to one text. [`shrink`] makes a failing mutant small, without knowledge of its meaning.

use std::ops::Range;

use frontend::diagnostics::Diagnostics;
use frontend::syntax::lex;

use crate::random::Rng;

/// Words that are inserted in addition to those of the text itself.
const WORDS: &[&str] = &[
    "reactiveclass",
    "extends",
    "knownrebecs",
    "statevars",
    "msgsrv",
    "main",
    "abstract",
    "interface",
    "env",
    "boolean",
    "byte",
    "short",
    "int",
    "if",
    "else",
    "while",
    "do",
    "for",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "forEachValueOf",
    "new",
    "self",
    "sender",
    "null",
    "true",
    "false",
    "instanceof",
    "assertion",
    "pow",
    "sqrt",
    "initial",
    "define",
    "Assertion",
    "LTL",
    "property",
    "G",
    "F",
    "X",
    "U",
    "W",
    "R",
    "a",
    "x",
    "0",
    "1",
    "2",
    "-1",
    "2147483647",
    "2147483648",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    ".",
    "..",
    "?",
    "?(",
    "+%",
    "+",
    "-",
    "*",
    "/",
    "%",
    "++",
    "--",
    "=",
    "+=",
    "<<=",
    "==",
    "!=",
    "<",
    ">=",
    "&&",
    "||",
    "!",
    "~",
    "&",
    "|",
    "^",
    "<<",
    ">>>",
    "->",
    "@",
    "\"",
    "'",
    "//",
    "/*",
    "*/",
    "é",
    "\u{202e}",
    "\0",
    "\n",
    "\r\n",
    "\t",
    "1.5",
    "0x7F",
    "1e9",
];

/// A damaged text; `other` gives the text that is joined or inserted.
pub fn mutate(text: &str, other: &str, rng: &mut Rng) -> String {
    let mut text = text.to_owned();
    if rng.chance(5) {
        text = splice(&text, other, rng);
    }
    for _ in 0..=rng.weighted(&[70, 20, 10]) {
        text = if rng.chance(12) { damage_bytes(&text, rng) } else { damage_tokens(&text, other, rng) };
    }
    text
}

/// The spans of the tokens of a text.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let tokens = lex(text, &mut Diagnostics::new());
    let spans = tokens.iter().map(|token| token.span.start as usize..token.span.end as usize);
    spans.filter(|span| !span.is_empty() && text.get(span.clone()).is_some()).collect()
}

/// The first part of one text and the last part of another, cut between tokens.
fn splice(text: &str, other: &str, rng: &mut Rng) -> String {
    let (first, second) = (tokens(text), tokens(other));
    if first.is_empty() || second.is_empty() {
        return other.to_owned();
    }
    format!("{}{}", &text[..rng.pick(&first).end], &other[rng.pick(&second).start..])
}

fn damage_tokens(text: &str, other: &str, rng: &mut Rng) -> String {
    let (own, foreign) = (tokens(text), tokens(other));
    if own.is_empty() {
        return other.to_owned();
    }
    let at = rng.below(own.len());
    let (here, shown) = (own[at].clone(), &text[own[at].clone()]);
    let replaced = |range: Range<usize>, by: &str| format!("{}{by}{}", &text[..range.start], &text[range.end..]);
    match rng.weighted(&[10, 10, 10, 10, 40, 10, 10]) {
        0 => replaced(here, ""),
        1 => replaced(here, &format!("{shown} {shown}")),
        2 if own.len() > 1 => {
            let (first, second) = (own[at].clone(), own[(at + 1) % own.len()].clone());
            let (first, second) = if first.start < second.start { (first, second) } else { (second, first) };
            let between = &text[first.end..second.start];
            let swapped = format!("{}{between}{}", &text[second.clone()], &text[first.clone()]);
            replaced(first.start..second.end, &swapped)
        }
        3 => replaced(here.start..here.start, &format!("{} ", word(text, &own, other, &foreign, rng))),
        4 => {
            let alike: Vec<&str> =
                own.iter().map(|span| &text[span.clone()]).filter(|token| kind(token) == kind(shown)).collect();
            let by = *rng.pick(&alike);
            replaced(here, by)
        }
        5 => replaced(here, &word(text, &own, other, &foreign, rng)),
        _ => {
            // A whole run of tokens is dropped or doubled.
            let last = own[(at + rng.between(1, 12)).min(own.len() - 1)].end;
            let run = &text[here.start..last];
            if rng.chance(50) { replaced(here.start..last, "") } else { replaced(last..last, &format!(" {run}")) }
        }
    }
}

/// The coarse kind of a token: tokens of one kind may often replace each other.
fn kind(token: &str) -> usize {
    match token.chars().next() {
        Some(first) if first.is_alphabetic() && WORDS.contains(&token) => 0,
        Some(first) if first.is_alphabetic() || first == '_' => 1,
        Some(first) if first.is_ascii_digit() => 2,
        Some('(' | ')' | '{' | '}' | '[' | ']' | ';' | ',') => 3,
        _ => 4,
    }
}

fn word(text: &str, own: &[Range<usize>], other: &str, foreign: &[Range<usize>], rng: &mut Rng) -> String {
    match rng.below(3) {
        0 => text[rng.pick(own).clone()].to_owned(),
        1 if !foreign.is_empty() => other[rng.pick(foreign).clone()].to_owned(),
        _ => (*rng.pick(WORDS)).to_owned(),
    }
}

/// Deletes, doubles, swaps, inserts or replaces one byte; bytes that are no text any more are made a text.
fn damage_bytes(text: &str, rng: &mut Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.is_empty() {
        return "\u{feff}".to_owned();
    }
    let at = rng.below(bytes.len());
    let byte = u8::try_from(rng.below(256)).expect("below 256");
    match rng.below(5) {
        0 => drop(bytes.remove(at)),
        1 => bytes.insert(at, bytes[at]),
        2 => {
            let next = (at + 1) % bytes.len();
            bytes.swap(at, next);
        }
        3 => bytes.insert(at, byte),
        _ => bytes[at] = byte,
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The smallest text found that still fails: lines, then tokens, are dropped while it still fails.
pub fn shrink(text: &str, tries: usize, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut best = text.to_owned();
    let mut left = tries;
    let lines = |text: &str| -> Vec<Range<usize>> {
        let line = |line: &str| line.as_ptr() as usize - text.as_ptr() as usize;
        text.split_inclusive('\n').map(|part| line(part)..line(part) + part.len()).collect()
    };
    for parts in [&lines as &dyn Fn(&str) -> Vec<Range<usize>>, &tokens] {
        let mut length = parts(&best).len().div_ceil(2).max(1);
        loop {
            let mut at = 0;
            while left > 0 {
                let all = parts(&best);
                let Some(first) = all.get(at) else { break };
                let last = all[(at + length).min(all.len()) - 1].end;
                let candidate = format!("{}{}", &best[..first.start], &best[last..]);
                left -= 1;
                if fails(&candidate) {
                    best = candidate;
                } else {
                    at += length;
                }
            }
            if length == 1 || left == 0 {
                break;
            }
            length = length.div_ceil(2);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::{mutate, shrink};
    use crate::random::Rng;

    const MODEL: &str = "reactiveclass A(2) {\n  msgsrv initial() { self.initial(); }\n}\nmain { A a():(); }\n";

    #[test]
    fn the_same_seed_gives_the_same_mutant() {
        let mutants = |seed| {
            let mut rng = Rng::new(seed);
            (0..50).map(|_| mutate(MODEL, "main { }", &mut rng)).collect::<Vec<String>>()
        };
        assert_eq!(mutants(1), mutants(1));
        assert!(mutants(1).iter().filter(|mutant| *mutant != MODEL).count() > 40);
    }

    #[test]
    fn a_failing_text_becomes_small() {
        let small = shrink(MODEL, 1_000, |text| text.contains("msgsrv") && text.contains("main"));
        assert_eq!(small.split_whitespace().collect::<Vec<_>>(), ["msgsrv", "main"]);
    }
}
