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
    /// Whether it is the name of a macro inside of the replacement of that macro, which is never replaced.
    pub painted: bool,
    /// The line that it is on.
    pub line: u32,
}

impl Token {
    /// A token inside of a line.
    pub(crate) const fn new(kind: Kind, span: Span) -> Token {
        Token { kind, span, starts_line: false, spaced: false, in_parentheses: false, painted: false, line: 0 }
    }
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
    /// A number or character that C or Promela reads otherwise or not at all, before the preprocessor only.
    Numeral(Rc<str>),
    /// A text in double quotes, without them.
    Text(Rc<str>),
    /// A symbol.
    Symbol(&'static str),
    /// A character that is no part of Promela; lines that the preprocessor skips may have some.
    Stray,
    /// A text in double quotes that is never closed, up to the end of the line; lines that the preprocessor skips may have some.
    Unclosed,
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
    line: u32,
    starts_line: bool,
    spaced: bool,
    sink: &'a mut Diagnostics,
}

/// The tokens of a text, without an end.
pub(crate) fn tokens(text: &str, sink: &mut Diagnostics) -> Vec<Token> {
    let mut scanner = Scanner { text, at: 0, line: 1, starts_line: true, spaced: true, sink };
    let mut list = Vec::new();
    while scanner.skip_space() {
        let start = scanner.at;
        let (kind, len) = match scanner.token() {
            Some(found) => found,
            None => (Kind::Stray, scanner.stray()),
        };
        assert!(len > 0, "a token has text");
        scanner.at += len;
        let span = scanner.span(start);
        let (starts_line, spaced) = (scanner.starts_line, scanner.spaced);
        list.push(Token { starts_line, spaced, line: scanner.line, ..Token::new(kind, span) });
        (scanner.starts_line, scanner.spaced) = (false, false);
    }
    assert_eq!(scanner.at, text.len(), "the tokens cover the text");
    debug_assert!(list.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "tokens do not overlap");
    debug_assert!(list.is_sorted_by_key(|token| token.line), "the lines of tokens are in the order of the text");
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
            } else if first == '\\'
                && let Some(len) = continued(rest)
            {
                // The line goes on, as if there was nothing here.
                self.line += 1;
                self.at += len;
                continue;
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
            let lines = self.text[self.at..self.at + skipped].matches('\n').count();
            self.line += u32::try_from(lines).unwrap_or(u32::MAX >> 1);
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
            // In C, a number that begins with 0 is octal.
            let is_plain = len == 1 || !rest.starts_with('0');
            let value = promela_number(&rest[..len]).filter(|_| is_plain);
            return Some((value.map_or_else(|| Kind::Numeral(rest[..len].into()), Kind::Number), len));
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let len = run(rest, |character| character.is_ascii_alphanumeric() || character == '_');
            return Some((Kind::Name(rest[..len].into()), len));
        }
        if first == '"' {
            let Some(inner) = end_of_text(&rest[1..]) else {
                return Some((Kind::Unclosed, run(rest, |character| character != '\n')));
            };
            return Some((Kind::Text(rest[1..=inner].into()), inner + 2));
        }
        if first == '\'' {
            let mut characters = rest[1..].chars();
            let first = characters.next()?;
            let is_plain = match first {
                '\\' => rest[2..].starts_with(['n', 't', 'r', 'f', '\\', '\'']),
                _ => first.is_ascii(),
            };
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
            let kind = if is_plain { Kind::Number(code(value)) } else { Kind::Numeral(rest[..len + 2].into()) };
            return Some((kind, len + 2));
        }
        let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol))?;
        Some((Kind::Symbol(symbol), symbol.len()))
    }

    /// The length of a character that is no part of Promela; C reads a quote with the text to the next one, or to the end of the line.
    fn stray(&self) -> usize {
        let rest = self.rest();
        match rest.strip_prefix('\'') {
            Some(inner) => {
                let line = &inner[..run(inner, |character| character != '\n')];
                1 + end_of(line, '\'').map_or(line.len(), |at| at + 1)
            }
            None => rest.chars().next().map_or(1, char::len_utf8),
        }
    }
}

/// The length of a backslash and the white space and line end behind it; C continues the line.
fn continued(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\\')?;
    let space = run(inner, |character| character != '\n' && character.is_whitespace());
    inner[space..].starts_with('\n').then_some(space + 2)
}

/// The number of a character.
fn code(character: char) -> i64 {
    i64::from(u32::from(character))
}

/// The value in Promela of a number or character.
pub(crate) fn promela_number(text: &str) -> Option<i64> {
    if let Some(inner) = text.strip_prefix('\'') {
        // Also of a digit: SPIN knows no number of a character.
        return inner.trim_start_matches('\\').chars().next().map(code);
    }
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok().filter(|&value| value <= i64::from(u32::MAX)),
        None => text.parse().ok().filter(|&value: &i64| value <= i64::from(u32::MAX)),
    }
}

/// The place of the quote that ends a text, on the same line.
fn end_of_text(text: &str) -> Option<usize> {
    end_of(text, '"')
}

/// The place of the first such quote without a backslash before it, on the same line.
fn end_of(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            '\n' => return None,
            _ if character == quote && !escaped => return Some(at),
            _ => escaped = character == '\\' && !escaped,
        }
    }
    None
}
