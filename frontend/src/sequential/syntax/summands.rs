//! Summands and statements of `.lpe`, and the recovery of the parser after a fault in one.

use super::ast::{Expr, Stmt, Summand};
use super::parser::Parser;
use super::token::TokenKind;
use crate::source::Span;
use crate::text::{Parse, Reported};

impl Parser<'_> {
    /// Skips the rest of a summand with a fault: to its `+` or `;`, or to the next declaration.
    pub(super) fn skip_summand(&mut self) {
        let mut open = 0usize;
        while !self.at_declaration() {
            match self.kind() {
                TokenKind::Semicolon if open == 0 => return,
                TokenKind::Plus if matches!(self.next_kind(), TokenKind::Sum | TokenKind::BracketOpen) => return,
                TokenKind::BraceOpen => open += 1,
                TokenKind::BraceClose => open = open.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
    }

    pub(super) fn summand(&mut self) -> Parse<Summand> {
        let mut binders = Vec::new();
        while self.eat(TokenKind::Sum) {
            self.check_length(binders.len())?;
            binders.push(self.binder()?);
        }
        if self.kind() != TokenKind::BracketOpen {
            return Err(self.expected("`sum` or `[`", Some("a guard in brackets opens a summand: `[true]` for always")));
        }
        self.bump();
        let guard = self.expression()?;
        self.expect(TokenKind::BracketClose)?;
        let event = self.name("the name of the event")?;
        let arguments = if self.eat(TokenKind::ParenOpen) {
            self.list(TokenKind::ParenClose, Parser::expression)?
        } else {
            Vec::new()
        };
        let body = self.block()?;
        self.expect(TokenKind::Arrow)?;
        let target = self.name("the name of the process")?;
        let start = self.span();
        let formals = if self.eat(TokenKind::ParenOpen) {
            let names = self.list(TokenKind::ParenClose, |parser| parser.name("the name of a variable"))?;
            Some((names, self.span_from(start)))
        } else {
            None
        };
        Ok(Summand { binders, guard, event, arguments, body, target, formals })
    }

    fn block(&mut self) -> Parse<Vec<Stmt>> {
        self.expect(TokenKind::BraceOpen)?;
        let mut body = Vec::new();
        loop {
            if self.eat(TokenKind::BraceClose) {
                return Ok(body);
            }
            if self.at_declaration() || self.kind() == TokenKind::Arrow {
                return Err(self.expected("`}`", None));
            }
            match self.enclosed(Parser::statement) {
                Ok(stmt) => body.push(stmt),
                Err(Reported) => self.skip_statement(),
            }
        }
    }

    /// Skips past the next `;`, or to the end of the body.
    fn skip_statement(&mut self) {
        while !self.at_declaration() && !matches!(self.kind(), TokenKind::BraceClose | TokenKind::Arrow) {
            if self.bump().kind == TokenKind::Semicolon {
                return;
            }
        }
    }

    fn statement(&mut self) -> Parse<Stmt> {
        let start = self.span();
        if self.eat(TokenKind::If) {
            return self.conditional(start);
        }
        // Words that are keywords only at the start of a statement: in other places they are names.
        if !matches!(self.next_kind(), TokenKind::Assign | TokenKind::BracketOpen) {
            match self.text_of(start) {
                "var" => return self.local(start),
                "for" => return self.counted(start),
                "while" => return self.repeated(start),
                "fail" => return self.failure(start),
                _ => {}
            }
        }
        let target = self.name("a statement")?;
        let indices = self.index_list()?;
        if self.kind() != TokenKind::Assign {
            return Err(self.expected("`:=`", Some("an assignment is written `place := value;`")));
        }
        self.bump();
        let value = self.expression()?;
        self.expect(TokenKind::Semicolon)?;
        Ok(Stmt::Assign { target, indices, value, span: self.span_from(start) })
    }

    fn conditional(&mut self, start: Span) -> Parse<Stmt> {
        self.expect(TokenKind::ParenOpen)?;
        let condition = self.expression()?;
        self.expect(TokenKind::ParenClose)?;
        let then = self.block()?;
        let otherwise = if !self.eat(TokenKind::Else) {
            Vec::new()
        } else if self.kind() == TokenKind::If {
            vec![self.enclosed(Parser::statement)?]
        } else {
            self.block()?
        };
        Ok(Stmt::If { condition, then, otherwise, span: self.span_from(start) })
    }

    /// `var name : sort := value;`
    fn local(&mut self, start: Span) -> Parse<Stmt> {
        self.bump();
        let variable = self.variable()?;
        self.expect(TokenKind::Assign)?;
        let value = self.expression()?;
        self.expect(TokenKind::Semicolon)?;
        Ok(Stmt::Var { variable, value, span: self.span_from(start) })
    }

    /// `for name:sort { .. }`
    fn counted(&mut self, start: Span) -> Parse<Stmt> {
        self.bump();
        let name = self.name("the name of a variable")?;
        self.expect(TokenKind::Colon)?;
        let sort = self.name("a type")?;
        let body = self.block()?;
        Ok(Stmt::For { name, sort, body, span: self.span_from(start) })
    }

    /// `while (condition) { .. }`
    fn repeated(&mut self, start: Span) -> Parse<Stmt> {
        self.bump();
        self.expect(TokenKind::ParenOpen)?;
        let condition = self.expression()?;
        self.expect(TokenKind::ParenClose)?;
        let body = self.block()?;
        Ok(Stmt::While { condition, body, span: self.span_from(start) })
    }

    /// `fail "text";`
    fn failure(&mut self, start: Span) -> Parse<Stmt> {
        self.bump();
        let quoted = self.expect(TokenKind::Text)?;
        let text = self.text_of(quoted).trim_matches('"').to_owned();
        self.expect(TokenKind::Semicolon)?;
        Ok(Stmt::Fail { text, span: self.span_from(start) })
    }

    /// `[e][e]..`
    pub(super) fn index_list(&mut self) -> Parse<Vec<Expr>> {
        let mut indices = Vec::new();
        while self.eat(TokenKind::BracketOpen) {
            indices.push(self.expression()?);
            self.expect(TokenKind::BracketClose)?;
        }
        Ok(indices)
    }
}
