//! The parser's cursor: the current token, reports, lists and nesting.
//!
//! There is one report per token. Nesting is counted, so that no text exhausts the stack.

use super::ast::{Name, Text};
use super::token::{TOKEN, Token, TokenKind, Tokens, tokens};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes};
use crate::murphi::MAX_NESTING;
use crate::source::Span;

/// A fault that was reported; the caller skips to a place where it can continue.
pub(super) struct Reported;

pub(super) type Parse<T> = Result<T, Reported>;

/// The greatest nesting of productions: more than a tree of the greatest height needs.
const MAX_DEPTH: usize = 2 * MAX_NESTING;

pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    sink: &'a mut Diagnostics,
    depth: usize,
    /// The number of open statements and rules around the current place.
    pub(super) bodies: usize,
    /// The number of open levels of infix operators.
    pub(super) levels: usize,
    /// The token of the last report.
    reported: Option<usize>,
}

impl<'a> Parser<'a> {
    /// A parser at the start of a text, and the comments of the text.
    pub(super) fn new(text: &'a str, sink: &'a mut Diagnostics) -> (Parser<'a>, Vec<Span>) {
        let Tokens { list, comments } = tokens(text, sink);
        (Parser { text, tokens: list, at: 0, sink, depth: 0, bodies: 0, levels: 0, reported: None }, comments)
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    pub(super) fn kind_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::EndOfText, |token| token.kind)
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    pub(super) fn text_of(&self, span: Span) -> &'a str {
        self.text.get(span.range(self.text.len())).unwrap_or("")
    }

    /// From `start` to the last token that was taken.
    pub(super) fn span_from(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    pub(super) fn bump(&mut self) -> Token {
        limits::work(TOKEN);
        let token = self.tokens[self.at];
        if token.kind != TokenKind::EndOfText {
            self.at += 1;
        }
        token
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let eaten = self.kind() == kind;
        if eaten {
            self.bump();
        }
        eaten
    }

    /// Takes all semicolons at the current place; returns whether there is one.
    pub(super) fn semicolons(&mut self) -> bool {
        let any = self.kind() == TokenKind::Semicolon;
        while self.eat(TokenKind::Semicolon) {}
        any
    }

    /// Reports at a place, once per token.
    pub(super) fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: Option<&str>,
    ) -> Reported {
        if self.reported != Some(self.at) {
            self.reported = Some(self.at);
            self.sink.push(Diagnostic::error(code, span, message).help_opt(help.map(String::from)));
        }
        Reported
    }

    /// Remarks on a place that is no fault.
    pub(super) fn remark(&mut self, diagnostic: Diagnostic) {
        self.sink.push(diagnostic);
    }

    fn found(&self) -> String {
        match self.kind() {
            TokenKind::Name | TokenKind::Number | TokenKind::Fraction => {
                let shown: String = self.text_of(self.span()).chars().take(40).collect();
                format!("`{shown}`")
            }
            kind => kind.describe().into(),
        }
    }

    /// Reports that another token was expected here.
    pub(super) fn expected(&mut self, what: &str, help: Option<&str>) -> Reported {
        let message = format!("expected {what}, found {}", self.found());
        self.report(codes::MURPHI_UNEXPECTED, self.span(), message, help)
    }

    pub(super) fn expect(&mut self, kind: TokenKind) -> Parse<Span> {
        if self.kind() == kind { Ok(self.bump().span) } else { Err(self.expected(kind.describe(), None)) }
    }

    /// Takes `do`, for which CMurphi also reads `:`.
    pub(super) fn expect_do(&mut self) -> Parse<()> {
        if self.eat(TokenKind::Do) || self.eat(TokenKind::Colon) { Ok(()) } else { Err(self.expected("`do`", None)) }
    }

    /// Takes `end`, or the word that closes this construct alone.
    pub(super) fn expect_end(&mut self, own: &[TokenKind]) -> Parse<()> {
        if self.kind() == TokenKind::End || own.contains(&self.kind()) {
            self.bump();
            return Ok(());
        }
        Err(self.expected("`end`", None))
    }

    pub(super) fn name(&mut self, what: &str) -> Parse<Name> {
        if self.kind() == TokenKind::Name {
            let span = self.bump().span;
            return Ok(Name { text: self.text_of(span).into(), span });
        }
        let help = "words of the language, in upper or lower case, cannot be names: choose another name";
        let is_word = self.kind().is_word();
        Err(self.expected(what, is_word.then_some(help)))
    }

    /// `a, b, c`, where a comma may follow the last name.
    pub(super) fn names(&mut self, what: &str) -> Parse<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.eat(TokenKind::Comma) {
            if self.kind() != TokenKind::Name {
                break;
            }
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// A text in quotes, if there is one here.
    pub(super) fn text(&mut self) -> Option<Text> {
        if self.kind() != TokenKind::Text {
            return None;
        }
        let span = self.bump().span;
        let quoted = self.text_of(span);
        let inner = quoted.strip_prefix(['"', '“']).unwrap_or(quoted);
        Some(Text { text: inner.strip_suffix(['"', '”']).unwrap_or(inner).into(), span })
    }

    /// Parses a production one level deeper.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    pub(super) fn too_deep(&mut self) -> Reported {
        let help = "name parts of it by functions or aliases, or write shorter conditions";
        self.report(codes::MURPHI_TOO_DEEP, self.span(), "this is nested too deeply", Some(help))
    }

    /// Parses a statement or rule whose parts are nested one level deeper.
    pub(super) fn enclosed<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.bodies == MAX_NESTING {
            return Err(self.too_deep());
        }
        self.bodies += 1;
        let result = self.nested(parse);
        self.bodies -= 1;
        result
    }

    /// Items separated by commas up to a closing token, which is consumed; a comma may follow the last one.
    pub(super) fn list<T>(&mut self, close: TokenKind, mut item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = Vec::new();
        loop {
            if self.eat(close) {
                return Ok(items);
            }
            items.push(item(self)?);
            if self.kind() != close && !self.eat(TokenKind::Comma) {
                return Err(self.expected(&format!("`,` or {}", close.describe()), None));
            }
        }
    }
}
