//! What is recognised only to be refused or ignored: constructs of the timed, hybrid and probabilistic dialects,
//! annotations, and Java's access modifiers.
//!
//! Each is reported once a file and kind, and skipped. Words that a core model may use as names of its own (`delay`,
//! `now`, `setmode`) are noted where they are used and reported at the end if the model declares no such name.

use super::Parser;
use crate::diagnostics::{Code, Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::Name;
use crate::syntax::token::TokenKind;

/// A word of another dialect, whether it is used as a call, and how it is reported.
const WORDS: &[(&str, bool, &str, Code)] = &[
    ("delay", true, "`delay(..)`", codes::TIMED_CONSTRUCT),
    ("now", false, "`now`", codes::TIMED_CONSTRUCT),
    ("setmode", true, "`setmode(..)`", codes::HYBRID_CONSTRUCT),
];

fn dialect(code: Code) -> &'static str {
    match code {
        codes::TIMED_CONSTRUCT => "Timed Rebeca",
        codes::HYBRID_CONSTRUCT => "Hybrid Rebeca",
        _ => "Probabilistic Rebeca",
    }
}

impl Parser<'_> {
    fn foreign(&mut self, code: Code, construct: &str, span: Span) {
        let message = format!("{construct} belongs to {}, which is not supported", dialect(code));
        let help = "only Core Rebeca is checked: remove the construct, or check the model with a tool of that dialect";
        self.once(construct, Diagnostic::error(code, span, message).help(help));
    }

    pub(super) fn hybrid(&mut self, construct: &str, span: Span) {
        self.foreign(codes::HYBRID_CONSTRUCT, construct, span);
    }

    pub(super) fn probabilistic(&mut self, construct: &str, span: Span) {
        self.foreign(codes::PROBABILISTIC_CONSTRUCT, construct, span);
    }

    /// Notes the use of a name that may be a word of another dialect.
    pub(super) fn note_word_used(&mut self, name: &Name, call: bool) {
        if let Some(&(word, ..)) = WORDS.iter().find(|&&(word, as_call, ..)| word == name.text && as_call == call)
            && self.words.iter().all(|&(known, _)| known != word)
        {
            self.words.push((word, name.span));
        }
    }

    /// Notes that the model declares a name.
    pub(super) fn note_declared(&mut self, name: &Name) {
        if let Some(&(word, ..)) = WORDS.iter().find(|&&(word, ..)| word == name.text) {
            self.declared.insert(word);
        }
    }

    /// Reports the words of other dialects that were used and never declared.
    pub(super) fn report_undeclared_words(&mut self) {
        for (word, span) in std::mem::take(&mut self.words) {
            let row = WORDS.iter().find(|&&(known, ..)| known == word && !self.declared.contains(word));
            if let Some(&(_, _, construct, code)) = row {
                self.foreign(code, construct, span);
            }
        }
    }

    /// Skips `after(..)` and `deadline(..)` behind a statement.
    pub(super) fn timing_suffixes(&mut self) {
        while self.kind_at(1) == TokenKind::ParenOpen {
            let construct = match self.text_of(self.span()) {
                "after" => "`after(..)`",
                "deadline" => "`deadline(..)`",
                _ => return,
            };
            self.foreign(codes::TIMED_CONSTRUCT, construct, self.span());
            self.bump();
            self.skip_group();
        }
    }

    /// Skips a `pAlt { .. }` statement if one starts here.
    pub(super) fn probabilistic_block(&mut self) -> bool {
        let found = self.is_word_at(0, "pAlt") && self.kind_at(1) == TokenKind::BraceOpen;
        if found {
            self.probabilistic("`pAlt`", self.span());
            self.bump();
            self.skip_body();
        }
        found
    }

    /// Skips a `mode m { .. }` member if one starts here.
    pub(super) fn hybrid_mode(&mut self) -> bool {
        let found = self.is_word_at(0, "mode")
            && self.kind_at(1) == TokenKind::Identifier
            && self.kind_at(2) == TokenKind::BraceOpen;
        if found {
            self.hybrid("`mode`", self.span());
            self.bump();
            self.bump();
            self.skip_body();
        }
        found
    }

    /// Skips a `physicalclass` if one starts here.
    pub(super) fn physical_class(&mut self) -> bool {
        let found = self.is_word_at(0, "physicalclass");
        if found {
            self.hybrid("`physicalclass`", self.span());
            while !matches!(self.kind(), TokenKind::BraceOpen | TokenKind::End) && !self.starts_section() {
                self.bump();
            }
            if self.kind() == TokenKind::BraceOpen {
                self.skip_body();
            }
        }
        found
    }

    /// Skips annotations: `@name`, `@name(..)`.
    pub(super) fn annotations(&mut self) {
        while self.kind() == TokenKind::At {
            let start = self.bump().span;
            if self.kind() != TokenKind::Identifier {
                self.fault("the name of an annotation");
                continue;
            }
            let name = self.bump().span;
            let word = self.text_of(name);
            let is_true = self.kind_at(1) == TokenKind::True && self.kind_at(2) == TokenKind::ParenClose;
            if self.kind() == TokenKind::ParenOpen {
                self.skip_group();
            }
            let span = start.to(name);
            let construct = format!("`@{word}`");
            if word == "p" {
                self.probabilistic(&construct, span);
            } else if word == "feature" {
                if !is_true {
                    let help = "keep the declarations of one product; inside bodies, `if` asks a feature variable";
                    let message = "declarations that depend on features are not supported";
                    self.error(codes::FEATURE_DECLARATION, span, message, help);
                }
            } else if word.starts_with("globalTime") || word.starts_with("globaltime") {
                self.foreign(codes::TIMED_CONSTRUCT, &construct, span);
            } else {
                let message = format!("the annotation {construct} is ignored");
                let notice = Diagnostic::notice(codes::ANNOTATION_IGNORED, span, message);
                self.once(&construct, notice.help("it has no meaning in Core Rebeca: the model is checked without it"));
            }
        }
    }

    /// Skips `public`, `private` and `protected`.
    pub(super) fn modifiers(&mut self) {
        while self.kind().is_modifier() {
            let token = self.bump();
            let message = format!("the modifier `{}` is ignored", self.text_of(token.span));
            let notice = Diagnostic::notice(codes::MODIFIER_IGNORED, token.span, message);
            self.once("modifier", notice.help("rebecs share no variables: every member is private already"));
        }
    }
}
