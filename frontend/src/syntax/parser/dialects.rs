//! Constructs that are recognised only to be refused or ignored: those of the timed, hybrid and probabilistic dialects,
//! annotations, and Java's access modifiers. Of the annotations, only `@feature(..)` has a meaning: its condition is
//! returned, and the lowering keeps or drops what follows it.
//!
//! Each kind is reported once per file, and skipped. Words that a core model may declare as names (`delay`, `now`,
//! `setmode`) are recorded where they are used, and reported at the end if the model does not declare them.

use super::{Parse, Parser};
use crate::diagnostics::{Code, Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, Name};
use crate::syntax::token::TokenKind;

/// A word of another dialect, whether it is used as a call, and the diagnostic for it.
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

    /// Records the use of a name that may be a word of another dialect.
    pub(super) fn note_word_used(&mut self, name: &Name, call: bool) {
        if let Some(&(word, ..)) = WORDS.iter().find(|&&(word, as_call, ..)| word == name.text && as_call == call)
            && self.words.iter().all(|&(known, _)| known != word)
        {
            self.words.push((word, name.span));
        }
    }

    /// Records that the model declares a name.
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

    /// Skips `after(..)` and `deadline(..)` after a statement.
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

    /// Skips annotations up to the first `@feature(..)`, and returns its condition; `None` where no annotation follows.
    pub(super) fn annotation(&mut self) -> Parse<Option<Expr>> {
        while self.kind() == TokenKind::At {
            let start = self.bump().span;
            if self.kind() != TokenKind::Identifier {
                self.fault("the name of an annotation");
                continue;
            }
            let name = self.bump().span;
            let word = self.text_of(name);
            if word == "feature" {
                self.is_annotated = true;
                return self.condition().map(Some);
            }
            if self.kind() == TokenKind::ParenOpen {
                self.skip_group();
            }
            let span = start.to(name);
            let construct = format!("`@{word}`");
            if word == "p" {
                self.probabilistic(&construct, span);
            } else if word.starts_with("globalTime") || word.starts_with("globaltime") {
                self.foreign(codes::TIMED_CONSTRUCT, &construct, span);
            } else {
                let message = format!("the annotation {construct} is ignored");
                let notice = Diagnostic::notice(codes::ANNOTATION_IGNORED, span, message);
                self.once(&construct, notice.help("it has no meaning in Core Rebeca: the model is checked without it"));
            }
        }
        Ok(None)
    }

    /// Skips annotations, and returns the conditions of those that are `@feature(..)`.
    pub(super) fn annotations(&mut self) -> Parse<Vec<Expr>> {
        let mut conditions = Vec::new();
        while let Some(condition) = self.annotation()? {
            conditions.push(condition);
        }
        Ok(conditions)
    }

    /// Skips annotations where `@feature(..)` has nothing to keep or drop.
    pub(super) fn plain_annotations(&mut self) -> Parse<()> {
        let conditions = self.annotations()?;
        self.refuse_conditions(&conditions);
        Ok(())
    }

    /// Refuses `@feature(..)` before something that no product drops; `@feature(true)` says nothing.
    pub(super) fn refuse_conditions(&mut self, conditions: &[Expr]) {
        for condition in conditions.iter().filter(|condition| !matches!(condition.kind, ExprKind::Bool(true))) {
            let message = "`@feature(..)` stands where nothing can be dropped";
            let help = "it stands before a class, an interface, a message server, a method, a constructor, a field of \
                        `knownrebecs` or `statevars`, a rebec of `main`, or a statement";
            self.error(codes::FEATURE_DECLARATION, condition.span, message, help);
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
