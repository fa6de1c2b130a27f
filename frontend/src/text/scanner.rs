//! [`Scanner`]: the place in a text up to which it is split into tokens.
//!
//! Complexity: linear in the text.

use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::source::Span;

/// The elementary steps of reading a token and of what is made of it.
pub(crate) const TOKEN: u64 = 64;

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<K> {
    /// The kind.
    pub kind: K,
    /// The place.
    pub span: Span,
}

/// The codes of faults in a text with comments `//` and `/* .. */`.
#[derive(Clone, Copy)]
pub(crate) struct Faults {
    /// A comment that is never closed.
    pub(crate) open_comment: Code,
    /// A character with which no token starts.
    pub(crate) character: Code,
}

/// The tokens of a text with comments `//` and `/* .. */`; `token` gives the one at the start of a text, and its length.
pub(crate) fn tokens<K>(
    text: &str,
    sink: &mut Diagnostics,
    faults: Faults,
    token: impl Fn(&str) -> Option<(K, usize)>,
) -> Vec<Token<K>> {
    let mut scanner = Scanner::new(text, sink);
    let mut tokens = Vec::new();
    loop {
        scanner.skip(scanner.run(char::is_whitespace));
        let rest = scanner.rest();
        if rest.is_empty() {
            return tokens;
        } else if rest.starts_with("//") {
            scanner.skip(scanner.run(|character| character != '\n'));
        } else if rest.starts_with("/*") {
            let open = scanner.span(scanner.at(), scanner.at() + 2);
            if !scanner.skip_block_comment() {
                scanner.report(faults.open_comment, open, "the comment is never closed", "close it by `*/`");
            }
        } else if let Some((kind, len)) = token(rest) {
            tokens.push(scanner.take(kind, len));
        } else {
            scanner.unexpected(faults.character, |rest| token(rest).is_some());
        }
    }
}

/// A text and the place in it.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    sink: &'a mut Diagnostics,
}

impl<'a> Scanner<'a> {
    /// A scanner at the start of a text.
    pub(crate) fn new(text: &'a str, sink: &'a mut Diagnostics) -> Scanner<'a> {
        Scanner { text, at: 0, sink }
    }

    /// The offset of the place.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The text behind the place.
    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The text from an offset to the place.
    pub(crate) fn text_from(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    /// The span between two offsets.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        debug_assert!(start <= end, "a span is in the order of the text");
        let offset = |at: usize| u32::try_from(at.min(self.text.len())).unwrap_or(u32::MAX - 1);
        Span::new(offset(start), offset(end))
    }

    /// The length of the longest prefix of the rest whose characters fit.
    pub(crate) fn run(&self, fits: impl Fn(char) -> bool) -> usize {
        self.rest().find(|character| !fits(character)).unwrap_or(self.rest().len())
    }

    /// Moves the place behind some bytes.
    pub(crate) fn skip(&mut self, len: usize) {
        self.at += len;
        debug_assert!(self.text.is_char_boundary(self.at), "a place is between characters");
    }

    /// Takes a token of so many bytes.
    pub(crate) fn take<K>(&mut self, kind: K, len: usize) -> Token<K> {
        limits::work(TOKEN);
        assert!(len > 0, "a token has text");
        let start = self.at;
        self.skip(len);
        Token { kind, span: self.span(start, self.at) }
    }

    /// Moves the place behind `/* .. */`; returns whether the comment is closed.
    pub(crate) fn skip_block_comment(&mut self) -> bool {
        let end = self.rest().get(2..).and_then(|inner| inner.find("*/"));
        self.skip(end.map_or(self.rest().len(), |len| len + 4));
        end.is_some()
    }

    /// Reports a fault.
    pub(crate) fn report(&mut self, code: Code, span: Span, message: &str, help: &str) {
        self.sink.push(Diagnostic::error(code, span, message).help(help));
    }

    /// Reports and skips characters with which no token starts.
    pub(crate) fn unexpected(&mut self, code: Code, starts_token: impl Fn(&str) -> bool) {
        let start = self.at;
        while let Some(character) = self.rest().chars().next()
            && !character.is_whitespace()
            && !starts_token(self.rest())
        {
            self.at += character.len_utf8();
        }
        assert!(self.at > start, "characters with which no token starts are skipped");
        let shown: String = self.text_from(start).chars().take(20).collect();
        let message = format!("`{}` is no part of the language", shown.escape_debug());
        let help = "names are made of the letters a to z and A to Z, digits and `_`";
        self.report(code, self.span(start, self.at), &message, help);
    }
}
