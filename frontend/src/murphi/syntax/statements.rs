//! Statements of Murphi, and the recovery of the parser after a fault in one.

use super::ast::{Branch, Case, ExprKind, PropertyKind, Stmt, StmtKind};
use super::cursor::Parser;
use super::token::TokenKind;
use crate::diagnostics::codes;
use crate::text::{Parse, Reported, Words};

impl Parser<'_> {
    /// Statements up to a word that ends them, which is left.
    pub(super) fn statements(&mut self) -> Vec<Stmt> {
        let mut list = Vec::new();
        loop {
            self.semicolons();
            if self.at_end_of_statements() {
                return list;
            }
            let start = self.span();
            match self.enclosed(Parser::statement) {
                Ok(stmt) => {
                    list.push(stmt);
                    if self.kind() != TokenKind::Semicolon && !self.at_end_of_statements() {
                        self.expected("`;`", Some("statements are separated by `;`"));
                        if !self.at_statement() {
                            self.skip_statement();
                        }
                    }
                }
                Err(Reported) => self.skip_statement(),
            }
            let goes_on = self.span() != start || self.at_end_of_statements();
            assert!(goes_on, "a statement has tokens, or ends its block");
        }
    }

    /// Whether the statements of a block end here: at its end, at another branch, or where another part of the model starts.
    fn at_end_of_statements(&self) -> bool {
        use TokenKind::{Case, Else, Elsif};
        matches!(self.kind(), Case | Else | Elsif) || self.kind().is_end() || self.at_section()
    }

    /// Whether a word that starts statements is here.
    fn at_statement(&self) -> bool {
        use TokenKind::{
            Alias, Assert, Assume, Clear, Cover, Error, For, If, Invariant, Liveness, MultisetAdd, MultisetRemove,
            MultisetRemovePred, Name, Put, Return, Switch, Undefine, While,
        };
        let kind = self.kind();
        matches!(kind, Alias | Clear | Error | For | If | Name | Put | Return | Switch | Undefine | While)
            || matches!(kind, Assert | Assume | Cover | Invariant | Liveness)
            || matches!(kind, MultisetAdd | MultisetRemove | MultisetRemovePred)
    }

    /// Skips to the `;` that ends the current statement, or to the end of the block around it.
    fn skip_statement(&mut self) {
        use TokenKind::{Alias, Exists, For, Forall, If, Switch, While};
        let mut open = 0usize;
        while !self.at_section() {
            match self.kind() {
                If | For | While | Switch | Alias | Exists | Forall => open += 1,
                TokenKind::Semicolon | TokenKind::Else | TokenKind::Elsif | TokenKind::Case if open == 0 => return,
                kind if kind.is_end() => {
                    if open == 0 {
                        return;
                    }
                    open -= 1;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// The list after the first word of a construct. After a fault in it, the parser continues at the word that ends it.
    fn header<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<Vec<T>>, stop: TokenKind) -> Parse<Vec<T>> {
        match parse(self) {
            Err(reported) if !self.skip_to(stop) => Err(reported),
            parsed => Ok(parsed.unwrap_or_default()),
        }
    }

    /// Skips to a word, if it comes before the end of the statement.
    pub(super) fn skip_to(&mut self, stop: TokenKind) -> bool {
        let ends = |kind: TokenKind| {
            use TokenKind::{Assign, Begin, EndOfText, Function, Procedure, Rule, Ruleset, Semicolon, Startstate};
            kind.is_end()
                || matches!(
                    kind,
                    Assign | Begin | EndOfText | Function | Procedure | Rule | Ruleset | Semicolon | Startstate
                )
        };
        let mut ahead = 0;
        while self.kind_at(ahead) != stop {
            if ends(self.kind_at(ahead)) {
                return false;
            }
            ahead += 1;
        }
        for _ in 0..ahead {
            self.bump();
        }
        true
    }

    fn statement(&mut self) -> Parse<Stmt> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Name => self.assignment_or_call()?,
            TokenKind::If => self.conditional_statement()?,
            TokenKind::Switch => self.switch()?,
            TokenKind::For => {
                self.bump();
                let binders = self.header(Parser::binders, TokenKind::Do)?;
                self.expect_do()?;
                let body = self.statements();
                self.expect_end(&[TokenKind::EndFor])?;
                StmtKind::For(binders, body)
            }
            TokenKind::While => {
                self.bump();
                let condition = self.expression_before(TokenKind::Do)?;
                self.expect_do()?;
                let body = self.statements();
                self.expect_end(&[TokenKind::EndWhile])?;
                StmtKind::While(condition, body)
            }
            TokenKind::Alias => {
                self.bump();
                let aliases = self.header(Parser::aliases, TokenKind::Do)?;
                self.expect_do()?;
                let body = self.statements();
                self.expect_end(&[TokenKind::EndAlias])?;
                StmtKind::Alias(aliases, body)
            }
            TokenKind::Assert | TokenKind::Invariant => self.claim(PropertyKind::Assert)?,
            TokenKind::Assume => self.claim(PropertyKind::Assume)?,
            TokenKind::Cover => self.claim(PropertyKind::Cover)?,
            TokenKind::Liveness => self.claim(PropertyKind::Liveness)?,
            TokenKind::MultisetAdd | TokenKind::MultisetRemove | TokenKind::MultisetRemovePred => self.multiset()?,
            _ => self.short_statement()?,
        };
        Ok(Stmt { kind, span: self.span_from(start) })
    }

    fn claim(&mut self, kind: PropertyKind) -> Parse<StmtKind> {
        self.bump();
        Ok(StmtKind::Property(self.property(kind)?))
    }

    /// A statement of a word and at most one operand.
    fn short_statement(&mut self) -> Parse<StmtKind> {
        if !self.at_statement() {
            return Err(self.expected("a statement", None));
        }
        Ok(match self.bump().kind {
            TokenKind::Clear => StmtKind::Clear(self.designator()?),
            TokenKind::Undefine => StmtKind::Undefine(self.designator()?),
            TokenKind::Error => match self.text() {
                Some(text) => StmtKind::Error(text),
                None => return Err(self.expected("a text in quotes", None)),
            },
            TokenKind::Put => match self.text() {
                Some(text) => StmtKind::PutText(text),
                None => StmtKind::Put(self.expression()?),
            },
            _ if self.kind() == TokenKind::Semicolon || self.at_end_of_statements() => StmtKind::Return(None),
            _ => StmtKind::Return(Some(self.expression()?)),
        })
    }

    fn assignment_or_call(&mut self) -> Parse<StmtKind> {
        if self.kind_at(1) == TokenKind::ParenOpen {
            let name = self.name("a procedure")?;
            return Ok(StmtKind::Call(name, self.arguments()?));
        }
        let place = self.designator()?;
        if self.kind() == TokenKind::Equal {
            let help = "an assignment is written `place := value`";
            self.report(codes::MURPHI_UNEXPECTED, self.span(), "expected `:=`, found `=`", Some(help));
            self.bump();
        } else if !self.eat(TokenKind::Assign) {
            return Err(self.expected("`:=`", Some("an assignment is written `place := value`")));
        }
        let value = self.expression()?;
        Ok(match value.kind {
            ExprKind::Undefined => StmtKind::Undefine(place),
            _ => StmtKind::Assign(place, value),
        })
    }

    fn conditional_statement(&mut self) -> Parse<StmtKind> {
        let mut branches = Vec::new();
        while matches!(self.kind(), TokenKind::If | TokenKind::Elsif)
            && (branches.is_empty() || self.kind() != TokenKind::If)
        {
            self.bump();
            let condition = self.expression_before(TokenKind::Then)?;
            // A wrong word in its place is reported, and taken for it.
            if self.expect(TokenKind::Then).is_err() {
                self.eat(TokenKind::Do);
            }
            branches.push(Branch { condition, body: self.statements() });
        }
        let otherwise = if self.eat(TokenKind::Else) { Some(self.statements()) } else { None };
        self.expect_end(&[TokenKind::EndIf])?;
        Ok(StmtKind::If(branches, otherwise))
    }

    fn switch(&mut self) -> Parse<StmtKind> {
        self.bump();
        let subject = self.expression()?;
        let mut cases = Vec::new();
        while self.eat(TokenKind::Case) {
            let values = self.list(TokenKind::Colon, Parser::expression).unwrap_or_default();
            cases.push(Case { values, body: self.statements() });
        }
        let otherwise = if self.eat(TokenKind::Else) { Some(self.statements()) } else { None };
        self.expect_end(&[TokenKind::EndSwitch])?;
        Ok(StmtKind::Switch(subject, cases, otherwise))
    }

    fn multiset(&mut self) -> Parse<StmtKind> {
        let word = self.bump().kind;
        self.expect(TokenKind::ParenOpen)?;
        let kind = if word == TokenKind::MultisetRemovePred {
            let slot = self.slot()?;
            self.expect(TokenKind::Comma)?;
            StmtKind::MultisetRemoveWhere(slot, self.expression()?)
        } else {
            let first = self.expression()?;
            self.expect(TokenKind::Comma)?;
            let multiset = self.designator()?;
            match word {
                TokenKind::MultisetAdd => StmtKind::MultisetAdd(first, multiset),
                _ => StmtKind::MultisetRemove(first, multiset),
            }
        };
        self.expect(TokenKind::ParenClose)?;
        Ok(kind)
    }
}

impl TokenKind {
    /// Whether the word closes a construct: `end`, and words that begin so.
    pub(super) fn is_end(self) -> bool {
        self.is_word() && self.describe().starts_with("`end")
    }
}
