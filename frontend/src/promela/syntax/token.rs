//! Tokens of Promela, and the scanner.
//!
//! Comments and white space are dropped; a token knows whether it is the first of its line, since directives of the
//! preprocessor are lines. A backslash before the end of a line continues the line.

use std::rc::Rc;

use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::source::Span;

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Span,
    /// Whether it is the first of its line.
    pub starts_line: bool,
    /// Whether white space or a comment stands before it.
    pub spaced: bool,
    /// Whether it stands in parentheses, where line ends say nothing ([`mark_parentheses`]).
    pub in_parentheses: bool,
}

/// Marks the tokens in parentheses, which braces end.
pub(super) fn mark_parentheses(tokens: &mut [Token]) {
    let mut open = 0usize;
    for token in tokens {
        token.in_parentheses = open > 0;
        match token.kind {
            Kind::Symbol("(") => open += 1,
            Kind::Symbol(")") => open = open.saturating_sub(1),
            Kind::Symbol("{" | "}") => open = 0,
            _ => {}
        }
    }
}

/// The kind of a token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A name or word.
    Name(Rc<str>),
    /// A number or character.
    Number(i64),
    /// A text in double quotes, without them.
    Text(Rc<str>),
    /// A symbol.
    Symbol(&'static str),
    /// A character that is no part of Promela; lines that the preprocessor skips may have some.
    Stray,
    /// The end of the text.
    End,
}

/// The symbols, longer ones before their prefixes.
const SYMBOLS: &[&str] = &[
    "->", "::", "..", "++", "--", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "!!", "??", "##", "{", "}", "(", ")",
    "[", "]", ";", ",", ".", ":", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "?", "@", "#",
];

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    starts_line: bool,
    spaced: bool,
    sink: &'a mut Diagnostics,
}

/// The tokens of a text, without an end.
pub(crate) fn tokens(text: &str, sink: &mut Diagnostics) -> Vec<Token> {
    let mut scanner = Scanner { text, at: 0, starts_line: true, spaced: true, sink };
    let mut list = Vec::new();
    while scanner.skip_space() {
        let start = scanner.at;
        let (kind, len) = match scanner.token() {
            Some(found) => found,
            None => (Kind::Stray, scanner.rest().chars().next().map_or(1, char::len_utf8)),
        };
        scanner.at += len;
        let span = scanner.span(start);
        let (starts_line, spaced) = (scanner.starts_line, scanner.spaced);
        list.push(Token { kind, span, starts_line, spaced, in_parentheses: false });
        (scanner.starts_line, scanner.spaced) = (false, false);
    }
    list
}

/// The length of the prefix of characters that fit.
fn run(text: &str, fits: fn(char) -> bool) -> usize {
    text.find(|character| !fits(character)).unwrap_or(text.len())
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX - 1);
        Span::new(offset(start), offset(self.at))
    }

    /// Skips white space and comments; returns whether text follows.
    fn skip_space(&mut self) -> bool {
        loop {
            let rest = self.rest();
            let Some(first) = rest.chars().next() else { return false };
            let skipped = if first == '\n' {
                self.starts_line = true;
                1
            } else if first.is_whitespace() {
                first.len_utf8()
            } else if rest.starts_with("\\\n") {
                2
            } else if rest.starts_with("\\\r\n") {
                3
            } else if rest.starts_with("//") {
                // A line that ends in a backslash goes on, a comment as well.
                let is_end = |&(at, _): &(usize, &str)| {
                    let line = &rest[..at];
                    !(line.ends_with('\\') || line.ends_with("\\\r"))
                };
                rest.match_indices('\n').find(is_end).map_or(rest.len(), |(at, _)| at)
            } else if let Some(inner) = rest.strip_prefix("/*") {
                let end = inner.find("*/").map(|end| end + 2);
                if end.is_none() {
                    let span = Span::new(self.span(self.at).start, self.span(self.at).start + 2);
                    let message = "the comment is never closed";
                    self.sink.push(Diagnostic::error(codes::PROMELA_OPEN, span, message).help("close it by `*/`"));
                }
                end.map_or(self.text.len() - self.at, |end| end + 2)
            } else {
                return true;
            };
            self.at += skipped;
            self.spaced = true;
        }
    }

    /// The next token and its length.
    fn token(&mut self) -> Option<(Kind, usize)> {
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        if first.is_ascii_digit() {
            let len = run(rest, |character| character.is_ascii_alphanumeric());
            return Some((Kind::Number(self.number(&rest[..len])), len));
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let len = run(rest, |character| character.is_ascii_alphanumeric() || character == '_');
            return Some((Kind::Name(rest[..len].into()), len));
        }
        if first == '"' {
            let Some(inner) = end_of_text(&rest[1..]) else {
                let start = self.at;
                self.at += 1;
                let span = self.span(start);
                self.at = start;
                self.sink.push(Diagnostic::error(codes::PROMELA_OPEN, span, "the text is never closed"));
                return Some((Kind::Text("".into()), run(rest, |character| character != '\n')));
            };
            return Some((Kind::Text(rest[1..=inner].into()), inner + 2));
        }
        if first == '\'' {
            let mut characters = rest[1..].chars();
            let first = characters.next()?;
            let value = match first {
                '\\' => match characters.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'f' => '\u{c}',
                    // Also of a digit: SPIN knows no number of a character.
                    other => other,
                },
                other => other,
            };
            let len = if first == '\\' { 2 } else { first.len_utf8() };
            rest[1..].get(len..)?.starts_with('\'').then_some(())?;
            return Some((Kind::Number(i64::from(u32::from(value))), len + 2));
        }
        let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol))?;
        Some((Kind::Symbol(symbol), symbol.len()))
    }

    fn number(&mut self, text: &str) -> i64 {
        let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => i64::from_str_radix(digits, 16).ok().filter(|&value| value <= i64::from(u32::MAX)),
            None => text.parse().ok().filter(|&value: &i64| value <= i64::from(i32::MAX) + 1),
        };
        value.unwrap_or_else(|| {
            let start = u32::try_from(self.at).unwrap_or(u32::MAX - 1);
            let end = start + u32::try_from(text.len()).unwrap_or(1);
            let message = format!("`{text}` is no number of 32 bits");
            self.sink.push(Diagnostic::error(codes::PROMELA_NUMBER, Span::new(start, end), message));
            0
        })
    }
}

/// The place of the quote that ends a text, on the same line.
fn end_of_text(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            '\n' => return None,
            '"' if !escaped => return Some(at),
            _ => escaped = character == '\\' && !escaped,
        }
    }
    None
}
