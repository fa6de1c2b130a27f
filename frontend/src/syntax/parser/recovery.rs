//! Recovery after a fault: the places where the parser continues.
//!
//! Each function only moves forward, except that an item nested too deeply is skipped from its start, once per item; so
//! recovery is linear.

use super::{Failed, Mode, Parser};
use crate::syntax::token::TokenKind;

/// Whether a token ends a statement list even if the `}` is missing.
fn is_section(kind: TokenKind) -> bool {
    use TokenKind::{Abstract, Env, FeatureVar, Interface, KnownRebecs, Main, MsgSrv, ReactiveClass, StateVars};
    matches!(kind, Abstract | Env | FeatureVar | Interface | KnownRebecs | Main | MsgSrv | ReactiveClass | StateVars)
        || kind.is_modifier()
}

impl Parser<'_> {
    /// Whether the current token starts a member, a section, a class or `main`: no statement contains these. Property
    /// files have none.
    pub(super) fn starts_section(&self) -> bool {
        self.mode == Mode::Model && is_section(self.kind())
    }

    /// Whether the current token ends a list in braces.
    pub(super) fn at_list_end(&self) -> bool {
        matches!(self.kind(), TokenKind::BraceClose | TokenKind::End)
    }

    /// Skips the rest of a statement that began at the token `start`.
    pub(super) fn recover_statement(&mut self, start: usize) {
        use TokenKind::{
            BraceOpen, Break, Case, Continue, Default, Do, For, ForEachValueOf, If, Return, Semicolon, Switch, While,
        };
        if self.at == start && !self.at_list_end() && !self.starts_section() && !self.eat(Semicolon) {
            self.bump();
        }
        while !self.at_list_end() && !self.starts_section() {
            match self.kind() {
                Semicolon => {
                    self.bump();
                    return;
                }
                BraceOpen | If | While | Do | For | ForEachValueOf | Switch | Case | Default | Break | Continue
                | Return => return,
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Skips a group in parentheses, its `(` being the current token.
    pub(super) fn skip_group(&mut self) {
        self.bump();
        self.skip_to_close(false);
    }

    /// Skips the rest of a group in parentheses, its `)` included. Stops before a brace, and also before a `;` unless
    /// `over_semicolons` holds. Returns whether the `)` was found.
    pub(super) fn skip_to_close(&mut self, over_semicolons: bool) -> bool {
        let mut open = 1usize;
        while open > 0 {
            match self.kind() {
                TokenKind::End | TokenKind::BraceOpen | TokenKind::BraceClose => return false,
                TokenKind::Semicolon if !over_semicolons => return false,
                TokenKind::ParenOpen => open += 1,
                TokenKind::ParenClose => open -= 1,
                _ => {}
            }
            self.bump();
        }
        true
    }

    /// Skips a braced body, the `{` being the current token; only braces count.
    pub(super) fn skip_body(&mut self) {
        let mut open = 0usize;
        while self.kind() != TokenKind::End {
            match self.bump().kind {
                TokenKind::BraceOpen => open += 1,
                TokenKind::BraceClose => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                return;
            }
        }
    }

    /// Skips the rest of an item that ends with `;`, in a list in braces. After [`Failed::TooDeep`] the item is skipped
    /// from its `start`, so that the braces within are counted.
    pub(super) fn recover_item(&mut self, failed: Failed, start: usize) {
        let reached = self.at;
        if failed == Failed::TooDeep {
            self.at = start;
        }
        if self.at == start && !self.at_list_end() && !self.starts_section() && !self.eat(TokenKind::Semicolon) {
            self.bump();
        }
        let mut braces = 0usize;
        while self.kind() != TokenKind::End {
            let starts_section = self.starts_section();
            match self.kind() {
                TokenKind::Semicolon if braces == 0 => {
                    self.bump();
                    break;
                }
                TokenKind::BraceOpen => braces += 1,
                TokenKind::BraceClose if braces == 0 => break,
                TokenKind::BraceClose => braces -= 1,
                _ if starts_section => break,
                _ => {}
            }
            self.bump();
        }
        self.at = self.at.max(reached);
    }

    /// Skips a member that began at the token `start`, to the place after its body or its `;`.
    pub(super) fn recover_member(&mut self, failed: Failed, start: usize) {
        let reached = self.at;
        if failed == Failed::TooDeep && self.body_at > start {
            self.at = self.body_at;
            self.skip_body();
            self.at = self.at.max(reached);
            return;
        }
        if self.at == start && !self.at_list_end() {
            self.bump();
        }
        while !self.at_list_end() && !self.starts_section() {
            match self.kind() {
                TokenKind::BraceOpen => return self.skip_body(),
                TokenKind::Semicolon => {
                    self.bump();
                    return;
                }
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Skips to a token that may start a class, `main` or a declaration outside the classes.
    pub(super) fn recover_top(&mut self, start: usize) {
        if self.at == start {
            self.bump();
        }
        while self.kind() != TokenKind::End && !self.starts_top() {
            self.bump();
        }
    }

    /// Whether the current token starts a class, `main` or a declaration outside the classes.
    pub(super) fn starts_top(&self) -> bool {
        use TokenKind::{Abstract, Env, FeatureVar, Interface, Main, ReactiveClass};
        match self.kind() {
            Env | FeatureVar | Interface | Main | ReactiveClass => true,
            Abstract => matches!(self.kind_at(1), ReactiveClass | Interface),
            _ => false,
        }
    }
}
