//! Declarations of Murphi: constants, types, variables, functions and procedures, in any order between the rules.

use super::ast::{
    Body, Declaration, DeclarationKind, ExprKind, Field, File, Item, Parameters, Procedure, TypeExpr, TypeExprKind,
};
use super::cursor::Parser;
use super::token::TokenKind;
use crate::diagnostics::codes;
use crate::source::Span;
use crate::text::{Parse, Reported};

impl Parser<'_> {
    /// The whole text.
    pub(super) fn file(&mut self) -> File {
        let mut file = File::default();
        while self.kind() != TokenKind::EndOfText {
            let start = self.span();
            match self.kind() {
                TokenKind::Semicolon => drop(self.bump()),
                TokenKind::Const | TokenKind::Type | TokenKind::Var => {
                    let mut section = Vec::new();
                    self.section(false, &mut section);
                    file.items.extend(section.into_iter().map(Item::Declaration));
                }
                TokenKind::Function | TokenKind::Procedure => {
                    file.items.extend(self.part(Parser::procedure).map(Item::Procedure));
                }
                _ if self.at_rule() => file.items.extend(self.part(Parser::rule).map(Item::Rule)),
                _ => self.stray(),
            }
            assert_ne!(self.span(), start, "a part of a model has tokens");
        }
        file
    }

    /// Reports what belongs to no part of a model, and skips to the next part.
    fn stray(&mut self) {
        match self.kind() {
            TokenKind::ExternFunction | TokenKind::ExternProcedure => {
                let help = "write its body in Murphi";
                self.report(codes::MURPHI_UNSUPPORTED, self.span(), "external code is not supported", Some(help));
            }
            TokenKind::Pctl => {
                let help = "remove the formula: nothing here is probabilistic";
                let message = "probabilistic formulas are not supported";
                self.report(codes::MURPHI_PROBABILITY, self.span(), message, Some(help));
            }
            _ => {
                let help = "`const`, `type`, `var`, `function`, `procedure`, `rule`, `ruleset`, `startstate`, `invariant`, \
                            `assume`, `cover`, `liveness`, `alias` or `choose`";
                self.expected("a declaration or a rule", Some(help));
            }
        }
        self.bump();
        while !self.at_section() && !self.at_rule() {
            self.bump();
        }
    }

    /// Whether a part of a model starts here, or the text ends: what no statement holds.
    pub(super) fn at_section(&self) -> bool {
        use TokenKind::{
            Choose, Const, EndOfText, ExternFunction, ExternProcedure, Function, Pctl, Procedure, Rule, Ruleset,
            Startstate, Type, Var,
        };
        matches!(self.kind(), Choose | Const | EndOfText | Function | Pctl | Procedure | Rule | Ruleset | Startstate)
            || matches!(self.kind(), ExternFunction | ExternProcedure | Type | Var)
    }

    /// `const`, `type` or `var` with the declarations that follow. In a body, a name without a colon ends it.
    fn section(&mut self, in_body: bool, list: &mut Vec<Declaration>) {
        let mut start = self.span();
        let word = self.bump().kind;
        let mut is_first = true;
        loop {
            self.semicolons();
            let declares = matches!(self.kind_at(1), TokenKind::Colon | TokenKind::Comma);
            // A section may be empty; a word in place of its first name is more likely a mistake.
            let misnamed = is_first && declares && self.kind() != TokenKind::Begin;
            let named = self.kind() == TokenKind::Name && (declares || is_first || !in_body);
            if !named && !misnamed {
                return;
            }
            if !std::mem::replace(&mut is_first, false) {
                start = self.span();
            }
            match self.declaration(word, start) {
                Ok(declaration) => list.push(declaration),
                Err(Reported) => self.skip_declaration(),
            }
        }
    }

    fn declaration(&mut self, word: TokenKind, start: Span) -> Parse<Declaration> {
        let names = self.names("a name to declare")?;
        self.expect(TokenKind::Colon)?;
        let kind = match word {
            TokenKind::Const => DeclarationKind::Constant(self.expression()?),
            TokenKind::Type => DeclarationKind::Type(self.type_expression()?),
            _ => DeclarationKind::Variable(self.type_expression()?),
        };
        Ok(Declaration { names, kind, span: self.span_from(start) })
    }

    /// Skips past the next `;` outside records, or to the next part of the model.
    fn skip_declaration(&mut self) {
        let mut open = 0usize;
        while !self.at_section() && self.kind() != TokenKind::Begin {
            match self.kind() {
                TokenKind::Record => open += 1,
                TokenKind::End | TokenKind::EndRecord => open = open.saturating_sub(1),
                TokenKind::Semicolon if open == 0 => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// A type.
    pub(super) fn type_expression(&mut self) -> Parse<TypeExpr> {
        let start = self.span();
        let kind = self.nested(Parser::type_kind)?;
        Ok(TypeExpr { kind, span: self.span_from(start) })
    }

    fn type_kind(&mut self) -> Parse<TypeExprKind> {
        let start = self.span();
        match self.kind() {
            TokenKind::Boolean => {
                self.bump();
                Ok(TypeExprKind::Boolean)
            }
            TokenKind::Enum => {
                self.bump();
                self.expect(TokenKind::BraceOpen)?;
                Ok(TypeExprKind::Enum(self.list(TokenKind::BraceClose, |parser| parser.name("the name of a value"))?))
            }
            TokenKind::Scalarset => {
                self.bump();
                self.expect(TokenKind::ParenOpen)?;
                let size = self.expression()?;
                self.expect(TokenKind::ParenClose)?;
                Ok(TypeExprKind::Scalarset(Box::new(size)))
            }
            TokenKind::Union => {
                self.bump();
                self.expect(TokenKind::BraceOpen)?;
                Ok(TypeExprKind::Union(self.list(TokenKind::BraceClose, Parser::type_expression)?))
            }
            TokenKind::Array | TokenKind::Multiset => self.elements(),
            TokenKind::Record => self.record(),
            TokenKind::Real => {
                let help = "use a range of integers, scaled if necessary";
                Err(self.report(codes::MURPHI_REAL, start, "real numbers are not supported", Some(help)))
            }
            _ => self.range_or_name(),
        }
    }

    /// `array [index] of element` or `multiset [capacity] of element`
    fn elements(&mut self) -> Parse<TypeExprKind> {
        let is_array = self.bump().kind == TokenKind::Array;
        self.expect(TokenKind::BracketOpen)?;
        if is_array {
            let index = Box::new(self.type_expression()?);
            self.expect(TokenKind::BracketClose)?;
            self.expect(TokenKind::Of)?;
            return Ok(TypeExprKind::Array(index, Box::new(self.type_expression()?)));
        }
        let capacity = Box::new(self.expression()?);
        self.expect(TokenKind::BracketClose)?;
        self.expect(TokenKind::Of)?;
        Ok(TypeExprKind::Multiset(capacity, Box::new(self.type_expression()?)))
    }

    fn record(&mut self) -> Parse<TypeExprKind> {
        self.bump();
        let mut fields = Vec::new();
        loop {
            self.semicolons();
            if self.kind() != TokenKind::Name {
                self.expect_end(&[TokenKind::EndRecord])?;
                return Ok(TypeExprKind::Record(fields));
            }
            let names = self.names("the name of a field")?;
            self.expect(TokenKind::Colon)?;
            fields.push(Field { names, of: self.type_expression()? });
        }
    }

    fn range_or_name(&mut self) -> Parse<TypeExprKind> {
        use TokenKind::{DotDot, False, Minus, Name, Number, ParenOpen, Plus, Tilde, True};
        if !matches!(self.kind(), Name | Number | Minus | Plus | Tilde | ParenOpen | False | True) {
            let help = "a declared type, `boolean`, `low .. high`, `enum`, `scalarset`, `union`, `array`, `record` or `multiset`";
            return Err(self.expected("a type", Some(help)));
        }
        let low = self.expression()?;
        if self.eat(DotDot) {
            return Ok(TypeExprKind::Range(Box::new(low), Box::new(self.expression()?)));
        }
        match low.kind {
            ExprKind::Name(text) => Ok(TypeExprKind::Named(super::ast::Name { text, span: low.span })),
            _ => Err(self.expected("`..`", Some("a range is written `low .. high`"))),
        }
    }

    fn procedure(&mut self) -> Parse<Procedure> {
        let start = self.bump().span;
        let name = self.name("the name of a function or procedure")?;
        self.expect(TokenKind::ParenOpen)?;
        let mut parameters = Vec::new();
        while !self.eat(TokenKind::ParenClose) {
            parameters.push(self.parameters()?);
            self.semicolons();
        }
        let result = if self.eat(TokenKind::Colon) { Some(self.type_expression()?) } else { None };
        self.semicolons();
        let body = self.body(&[TokenKind::EndFunction, TokenKind::EndProcedure])?;
        Ok(Procedure { name, parameters, result, body, span: self.span_from(start) })
    }

    fn parameters(&mut self) -> Parse<Parameters> {
        let by_reference = self.eat(TokenKind::Var);
        let names = self.names("the name of a parameter")?;
        self.expect(TokenKind::Colon)?;
        let of = self.type_expression()?;
        if self.kind() == TokenKind::Comma {
            return Err(self.expected("`;` or `)`", Some("parameters of different types are separated by `;`")));
        }
        Ok(Parameters { by_reference, names, of })
    }

    /// Declarations, `begin`, statements and the end.
    pub(super) fn body(&mut self, end: &[TokenKind]) -> Parse<Body> {
        let mut declarations = Vec::new();
        while matches!(self.kind(), TokenKind::Const | TokenKind::Type | TokenKind::Var) {
            self.section(true, &mut declarations);
        }
        self.eat(TokenKind::Begin);
        let statements = self.statements();
        self.expect_end(end)?;
        Ok(Body { declarations, statements })
    }
}
