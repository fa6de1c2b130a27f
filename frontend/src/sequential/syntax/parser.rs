//! The parser of `.lpe`: tokens, recovery and declarations.
//!
//! Recursive descent. After a fault the parser continues after the next `;` of a body, with the next summand, or with
//! the next declaration, so that one text gives several diagnostics. Nesting is counted, so that no text exhausts the
//! stack.
//!
//! Complexity: linear in the text: recovery only moves forward.

use super::ast::{
    Binder, Claim, ClaimKind, ConstantValue, Definition, Expr, File, Index, Init, InitialValue, Name, Process, Variable,
};
use super::token::{TokenKind, tokens};
use crate::diagnostics::Diagnostics;
use crate::sequential::MAX_NESTING;
use crate::text::{Cursor, Parse, Reported};

/// Parses a text.
pub(in crate::sequential) fn parse(text: &str, sink: &mut Diagnostics) -> File {
    let tokens = tokens(text, sink);
    Parser::new(text, tokens, sink).file()
}

pub(super) type Parser<'a> = Cursor<'a, TokenKind>;

impl Parser<'_> {
    pub(super) fn next_kind(&self) -> TokenKind {
        self.kind_at(1)
    }

    /// Reports too many binders in one list, as if they were nested.
    pub(super) fn check_length(&mut self, len: usize) -> Parse<()> {
        if len < MAX_NESTING { Ok(()) } else { Err(self.too_deep()) }
    }

    fn file(&mut self) -> File {
        let mut file = File::default();
        while self.kind() != TokenKind::End {
            let start = self.span();
            if self.declaration(&mut file).is_err() {
                self.skip_to_declaration();
            }
            assert_ne!(self.span(), start, "a declaration has tokens");
        }
        file
    }

    fn declaration(&mut self, file: &mut File) -> Parse<()> {
        match self.kind() {
            TokenKind::Const => file.definitions.push(self.constant()?),
            TokenKind::Type => file.definitions.push(self.sort()?),
            TokenKind::Proc => return self.process(file),
            TokenKind::Init => file.inits.push(self.init()?),
            TokenKind::Prop => file.claims.push(self.claim(ClaimKind::Proposition)?),
            TokenKind::Assert => file.claims.push(self.claim(ClaimKind::Invariant)?),
            TokenKind::Ltl => file.claims.push(self.claim(ClaimKind::Ltl)?),
            TokenKind::Name if self.text_of(self.span()) == "hold" => {
                self.bump();
                file.holds.push(self.name("the variable of the turn")?);
            }
            TokenKind::Name if self.text_of(self.span()) == "inside" => {
                self.bump();
                file.inside.push(self.name("the name of a formula")?);
            }
            TokenKind::Name if self.text_of(self.span()) == "ends" => {
                self.bump();
                file.ends.push(self.expression()?);
            }
            _ => {
                let error =
                    self.expected("a declaration", Some("`const`, `type`, `proc`, `init`, `prop`, `assert` or `ltl`"));
                self.bump();
                return Err(error);
            }
        }
        self.expect(TokenKind::Semicolon).map(drop)
    }

    pub(super) fn at_declaration(&self) -> bool {
        use TokenKind::{Assert, Const, End, Init, Ltl, Proc, Prop, Type};
        matches!(self.kind(), Const | Type | Proc | Init | Prop | Assert | Ltl | End)
    }

    /// Skips past the next `;` outside braces, or to the next declaration.
    fn skip_to_declaration(&mut self) {
        let mut open = 0usize;
        while !self.at_declaration() {
            match self.bump().kind {
                TokenKind::BraceOpen => open += 1,
                TokenKind::BraceClose => open = open.saturating_sub(1),
                TokenKind::Semicolon if open == 0 => return,
                _ => {}
            }
        }
    }

    fn constant(&mut self) -> Parse<Definition> {
        self.bump();
        let name = self.name("the name of a constant")?;
        let mut indices = Vec::new();
        while self.eat(TokenKind::BracketOpen) {
            self.check_length(indices.len())?;
            let first = self.name("a type, or a name with its type")?;
            let index = if self.eat(TokenKind::Colon) {
                Index { binder: Some(first), sort: self.name("a type")? }
            } else {
                Index { binder: None, sort: first }
            };
            indices.push(index);
            self.expect(TokenKind::BracketClose)?;
        }
        self.expect(TokenKind::Equal)?;
        let value = self.constant_value()?;
        Ok(Definition::Constant { name, indices, value })
    }

    fn constant_value(&mut self) -> Parse<ConstantValue> {
        let start = self.span();
        if !self.eat(TokenKind::BracketOpen) {
            return Ok(ConstantValue::Single(self.expression()?));
        }
        let list = self.list(TokenKind::BracketClose, Parser::list_element)?;
        Ok(ConstantValue::List(list, self.span_from(start)))
    }

    fn list_element(&mut self) -> Parse<Expr> {
        if self.kind() == TokenKind::BracketOpen {
            return Err(self.expected("a value", Some("lists are flat: write the elements row by row")));
        }
        self.expression()
    }

    fn sort(&mut self) -> Parse<Definition> {
        self.bump();
        let name = self.name("the name of a type")?;
        self.expect(TokenKind::Colon)?;
        if self.eat(TokenKind::BraceOpen) {
            let members = self.list(TokenKind::BraceClose, |parser| parser.name("the name of a value"))?;
            return Ok(Definition::Enumeration { name, members });
        }
        let low = self.expression()?;
        self.expect(TokenKind::DotDot)?;
        let high = self.expression()?;
        Ok(Definition::Range { name, low, high })
    }

    fn process(&mut self, file: &mut File) -> Parse<()> {
        self.bump();
        let name = self.name("the name of the process")?;
        self.expect(TokenKind::ParenOpen)?;
        let variables = self.list(TokenKind::ParenClose, Parser::variable)?;
        let fair = if self.kind() == TokenKind::Name && self.text_of(self.span()) == "fair" {
            self.bump();
            Some(self.name("the type of the processes")?)
        } else {
            None
        };
        self.expect(TokenKind::Equal)?;
        let mut process = Process { name, variables, fair, summands: Vec::new() };
        loop {
            match self.summand() {
                Ok(summand) => process.summands.push(summand),
                Err(Reported) => self.skip_summand(),
            }
            if !self.eat(TokenKind::Plus) {
                break;
            }
        }
        file.processes.push(process);
        if self.eat(TokenKind::Semicolon) { Ok(()) } else { Err(self.expected("`+` or `;`", None)) }
    }

    pub(super) fn variable(&mut self) -> Parse<Variable> {
        let name = self.name("the name of a variable")?;
        self.expect(TokenKind::Colon)?;
        let sort = self.name("a type")?;
        let mut indices = Vec::new();
        while self.eat(TokenKind::BracketOpen) {
            indices.push(self.name("a type")?);
            self.expect(TokenKind::BracketClose)?;
        }
        Ok(Variable { name, sort, indices })
    }

    /// `name : sort .`
    pub(super) fn binder(&mut self) -> Parse<Binder> {
        let name = self.name("the name of a variable")?;
        self.expect(TokenKind::Colon)?;
        let sort = self.name("a type")?;
        self.expect(TokenKind::Dot)?;
        Ok(Binder { name, sort })
    }

    fn init(&mut self) -> Parse<Init> {
        let start = self.bump().span;
        let process = self.name("the name of the process")?;
        self.expect(TokenKind::ParenOpen)?;
        let values = if self.kind() == TokenKind::Star && self.next_kind() == TokenKind::ParenClose {
            self.bump();
            self.bump();
            None
        } else {
            Some(self.list(TokenKind::ParenClose, Parser::initial_value)?)
        };
        Ok(Init { process, values, span: self.span_from(start) })
    }

    fn initial_value(&mut self) -> Parse<(Name, InitialValue)> {
        let name = self.name("`variable = value`, or a single `*`")?;
        self.expect(TokenKind::Equal)?;
        if self.eat(TokenKind::Star) {
            return Ok((name, InitialValue::Any));
        }
        Ok((name, InitialValue::Given(self.constant_value()?)))
    }

    fn claim(&mut self, kind: ClaimKind) -> Parse<Claim> {
        self.bump();
        let name = self.name("a name")?;
        self.expect(TokenKind::Equal)?;
        self.mode.temporal = kind == ClaimKind::Ltl;
        let value = self.expression();
        self.mode.temporal = false;
        Ok(Claim { kind, name, value: value? })
    }
}
