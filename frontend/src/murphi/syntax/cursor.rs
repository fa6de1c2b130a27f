//! The parser's cursor: productions that declarations, rules, statements and expressions share.

use super::ast::{Name, Text};
use super::token::TokenKind;
use crate::text::{Cursor, Parse};

pub(super) type Parser<'a> = Cursor<'a, TokenKind>;

impl Parser<'_> {
    /// Takes all semicolons at the current place; returns whether there is one.
    pub(super) fn semicolons(&mut self) -> bool {
        let any = self.kind() == TokenKind::Semicolon;
        while self.eat(TokenKind::Semicolon) {}
        any
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
}
