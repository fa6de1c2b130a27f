//! Property files: `property { define { .. } Assertion { .. } LTL { .. } End { .. } }`.

use super::{Mode, Parse, Parser};
use crate::diagnostics::{Diagnostic, codes, did_you_mean};
use crate::syntax::ast::{Expr, Name, PropertyFile};
use crate::syntax::token::TokenKind;

const SECTIONS: [&str; 4] = ["define", "Assertion", "LTL", "End"];

impl Parser<'_> {
    pub(super) fn property_file(&mut self) -> PropertyFile {
        let mut file = PropertyFile::default();
        loop {
            if self.property_block(&mut file).is_err() || self.kind() == TokenKind::End {
                let answered = file.assertions.len() + file.formulas.len();
                assert!(file.order.len() == answered, "every assertion and every formula has its place");
                return file;
            }
        }
    }

    fn property_block(&mut self, file: &mut PropertyFile) -> Parse<()> {
        if !self.is_word_at(0, "property") {
            if matches!(self.kind(), TokenKind::ReactiveClass | TokenKind::Env | TokenKind::FeatureVar) {
                let help = "pass it as the model; a property file starts with `property {`";
                self.error(codes::WRONG_FILE_KIND, self.span(), "this is a model, not a property file", help);
                return Err(super::Failed::Syntax);
            }
            return Err(self.fault("`property`"));
        }
        self.bump();
        let open = self.expect(TokenKind::BraceOpen)?.span;
        while !self.at_list_end() {
            if self.section_of_properties(file).is_err() {
                while !self.at_list_end() && !self.at_section_name() {
                    self.bump();
                }
            }
        }
        self.close(TokenKind::BraceClose, open)?;
        Ok(())
    }

    /// Whether a section with a known name starts here.
    fn at_section_name(&self) -> bool {
        self.kind_at(1) == TokenKind::BraceOpen && SECTIONS.iter().any(|section| self.is_word_at(0, section))
    }

    fn section_of_properties(&mut self, file: &mut PropertyFile) -> Parse<()> {
        if self.kind() != TokenKind::Identifier || self.kind_at(1) != TokenKind::BraceOpen {
            let failed = self.fault("`define {`, `Assertion {`, `LTL {`, `End {` or `}`");
            self.bump();
            return Err(failed);
        }
        let name = self.bump_name();
        if !SECTIONS.contains(&name.text.as_str()) {
            let message = format!("there is no property section `{}`", name.text);
            let help = did_you_mean(&name.text, SECTIONS);
            let help = help.unwrap_or_else(|| "the sections are `define`, `Assertion`, `LTL` and `End`".into());
            self.diagnostics.push(Diagnostic::error(codes::UNKNOWN_PROPERTY_SECTION, name.span, message).help(help));
            self.skip_body();
            return Ok(());
        }
        let open = self.bump().span;
        self.mode = if name.text == "LTL" { Mode::Ltl } else { Mode::State };
        while !self.at_list_end() {
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            let start = self.at;
            let separator = if name.text == "define" { TokenKind::Assign } else { TokenKind::Colon };
            match self.property(separator) {
                Ok(entry) => add(file, &name.text, entry),
                Err(failed) => self.recover_item(failed, start),
            }
            assert!(self.at > start, "a property has tokens");
        }
        self.mode = Mode::State;
        self.close(TokenKind::BraceClose, open)?;
        Ok(())
    }

    /// `name = e;` or `name: e;`
    fn property(&mut self, separator: TokenKind) -> Parse<(Name, Expr)> {
        let name = self.name("the name of a property")?;
        self.expect(separator)?;
        let value = self.expression()?;
        self.semicolon()?;
        Ok((name, value))
    }
}

fn add(file: &mut PropertyFile, section: &str, entry: (Name, Expr)) {
    match section {
        "define" => file.definitions.push(entry),
        "End" => file.ends.push(entry),
        "LTL" => {
            file.order.push((true, file.formulas.len()));
            file.formulas.push(entry);
        }
        _ => {
            file.order.push((false, file.assertions.len()));
            file.assertions.push(entry);
        }
    }
}
