//! Declarations of variables: types, declarators, initialisers, parameters.

use super::{Parse, Parser};
use crate::source::Span;
use crate::syntax::ast::{Declarator, Expr, Field, Group, Initialiser, Name, Parameter, Type};
use crate::syntax::token::TokenKind;
use crate::text::Words;

impl Parser<'_> {
    /// `T`, `int[3][2]`
    pub(super) fn type_name(&mut self) -> Parse<Type> {
        let name = if self.kind().is_primitive() { self.bump_name() } else { self.name("a type")? };
        let start = name.span;
        let mut dimensions = Vec::new();
        while self.kind() == TokenKind::BracketOpen {
            dimensions.push(self.subscript("the size of the array")?);
        }
        Ok(Type { name, dimensions, span: self.span_from(start) })
    }

    /// `[e]`
    fn subscript(&mut self, what: &str) -> Parse<Expr> {
        let open = self.bump().span;
        if self.kind() == TokenKind::BracketClose {
            return Err(self.fault(what));
        }
        let expr = self.expression()?;
        self.close(TokenKind::BracketClose, open)?;
        Ok(expr)
    }

    /// `T a, b = e, c[i]`, without its terminator.
    pub(super) fn field(&mut self) -> Parse<Field> {
        let ty = self.type_name()?;
        self.field_of(ty)
    }

    /// The declarators of a field whose type is read.
    pub(super) fn field_of(&mut self, ty: Type) -> Parse<Field> {
        let mut declarators = vec![self.declarator()?];
        while self.eat(TokenKind::Comma) {
            declarators.push(self.declarator()?);
        }
        let span = self.span_from(ty.span);
        Ok(Field { conditions: Vec::new(), ty, declarators, span })
    }

    fn declarator(&mut self) -> Parse<Declarator> {
        let name = self.name("the name of a variable")?;
        self.note_declared(&name);
        let mut groups = Vec::new();
        while self.kind() == TokenKind::BracketOpen {
            groups.push(self.group()?);
        }
        let initialiser = if self.eat(TokenKind::Assign) { Some(self.initialiser()?) } else { None };
        Ok(Declarator { name, groups, initialiser })
    }

    /// `[i:1..2]`, `[i]`, `[3]`
    fn group(&mut self) -> Parse<Group> {
        if self.kind_at(1) != TokenKind::Identifier || self.kind_at(2) != TokenKind::Colon {
            return Ok(Group::Use(self.subscript("a scalar set")?));
        }
        let open = self.bump().span;
        let name = self.bump_name();
        self.bump();
        let low = self.value()?;
        self.expect(TokenKind::DotDot)?;
        let high = self.value()?;
        self.close(TokenKind::BracketClose, open)?;
        Ok(Group::Introduce { name, low, high, span: self.span_from(open) })
    }

    fn initialiser(&mut self) -> Parse<Initialiser> {
        if self.kind() != TokenKind::BraceOpen {
            return Ok(Initialiser::Expr(self.expression()?));
        }
        self.nested(|parser| {
            let open = parser.bump().span;
            let mut items = Vec::new();
            while parser.kind() != TokenKind::BraceClose {
                items.push(parser.initialiser()?);
                if !parser.eat(TokenKind::Comma) {
                    break;
                }
            }
            parser.close(TokenKind::BraceClose, open)?;
            Ok(Initialiser::List(items, parser.span_from(open)))
        })
    }

    /// `(T a, int b)`
    pub(super) fn parameters(&mut self) -> Parse<Vec<Parameter>> {
        let open = self.expect(TokenKind::ParenOpen)?.span;
        let mut parameters = Vec::new();
        if self.eat(TokenKind::ParenClose) {
            return Ok(parameters);
        }
        loop {
            self.plain_annotations()?;
            let ty = self.type_name()?;
            let name = self.name("the name of a parameter")?;
            self.note_declared(&name);
            parameters.push(Parameter { ty, name });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close_list(open)?;
        Ok(parameters)
    }

    /// `a, b, ..`
    pub(super) fn names(&mut self, what: &str) -> Parse<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.eat(TokenKind::Comma) {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// Consumes the `;` after a statement or declaration. A missing one is assumed where a line or a block ends.
    pub(super) fn semicolon(&mut self) -> Parse<Span> {
        if self.kind() != TokenKind::Semicolon {
            let failed = self.fault(TokenKind::Semicolon.describe());
            let ends = self.on_new_line() || matches!(self.kind(), TokenKind::BraceClose | TokenKind::Unknown);
            return if ends { Ok(self.span()) } else { Err(failed) };
        }
        Ok(self.bump().span)
    }
}
