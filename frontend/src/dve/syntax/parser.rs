//! The parser of DVE: recovery, declarations and the system.

use super::ast::{Declaration, Declared, Expr, ExprKind, File, Initial, Name, System, Type};
use super::token::{TokenKind, tokens};
use crate::diagnostics::{Diagnostics, codes};
use crate::text::{Cursor, Lines, Parse, Reported};

pub(super) type Parser<'a> = Cursor<'a, TokenKind>;

/// Parses a text; faults go to the sink.
pub(in crate::dve) fn parse(text: &str, sink: &mut Diagnostics) -> File {
    let tokens = tokens(text, sink);
    Parser::new(text, tokens, sink).file()
}

/// Parses the formulas of a property file; faults go to the sink.
pub(in crate::dve) fn parse_lines(text: &str, sink: &mut Diagnostics) -> Lines<ExprKind> {
    let tokens = tokens(text, sink);
    Parser::new(text, tokens, sink).lines()
}

/// Parses a text that is one expression; faults go to the sink.
pub(in crate::dve) fn parse_expression(text: &str, sink: &mut Diagnostics) -> Option<Expr> {
    let tokens = tokens(text, sink);
    let mut parser = Parser::new(text, tokens, sink);
    let expr = parser.expression().ok()?;
    parser.expect(TokenKind::End).ok()?;
    Some(expr)
}

impl Parser<'_> {
    fn file(&mut self) -> File {
        let mut file = File::default();
        while self.kind() != TokenKind::End {
            let start = self.span();
            let parsed = match self.kind() {
                TokenKind::Process => self.process().map(|process| file.processes.push(process)),
                TokenKind::System => self.system(&mut file),
                kind if starts_declaration(kind) => self.declarations(&mut file.declarations),
                _ => Err(self.expected("a declaration, `process` or `system`", None)),
            };
            if parsed.is_err() {
                if self.span() == start {
                    self.bump();
                }
                self.skip_to_item();
            }
            assert_ne!(self.span(), start, "a part of the text has tokens");
        }
        file
    }

    /// Skips to the next part of the text that can stand alone.
    fn skip_to_item(&mut self) {
        while !matches!(self.kind(), TokenKind::End | TokenKind::Process | TokenKind::System) {
            let is_end = self.bump().kind == TokenKind::Semicolon;
            if is_end && starts_declaration(self.kind()) {
                return;
            }
        }
    }

    /// One item or more up to a closing token. A list of none is reported and read as such, so that what follows it is read too.
    pub(super) fn items<T>(
        &mut self,
        close: TokenKind,
        what: &str,
        item: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        if self.kind() == close {
            self.expected(what, None);
        }
        self.list(close, item)
    }

    /// `a, b, c;`
    pub(super) fn names(&mut self, what: &str) -> Parse<Vec<Name>> {
        self.items(TokenKind::Semicolon, what, |parser| parser.name(what))
    }

    /// Whether declarations start here.
    pub(super) fn is_at_declaration(&self) -> bool {
        starts_declaration(self.kind())
    }

    /// The declarations up to the next `;`.
    pub(super) fn declarations(&mut self, list: &mut Vec<Declaration>) -> Parse<()> {
        if self.eat(TokenKind::Channel) {
            let types = if self.eat(TokenKind::BraceOpen) {
                Some(self.items(TokenKind::BraceClose, "`byte` or `int`", Parser::of_type)?)
            } else {
                None
            };
            let declared = self.items(TokenKind::Semicolon, "the name of a channel", |parser| {
                let (name, size) = parser.sized("the name of a channel")?;
                Ok(Declaration { name, size, kind: Declared::Channel(types.clone()) })
            })?;
            list.extend(declared);
            return Ok(());
        }
        let constant = self.eat(TokenKind::Const);
        let of = self.of_type()?;
        let declared = self.items(TokenKind::Semicolon, "the name of a variable", |parser| {
            let (name, size) = parser.sized("the name of a variable")?;
            let initial = if parser.eat(TokenKind::Assign) { Some(parser.initial()?) } else { None };
            Ok(Declaration { name, size, kind: Declared::Data { constant, of, initial } })
        })?;
        list.extend(declared);
        Ok(())
    }

    fn of_type(&mut self) -> Parse<Type> {
        if self.eat(TokenKind::Byte) {
            Ok(Type::Byte)
        } else if self.eat(TokenKind::Int) {
            Ok(Type::Int)
        } else {
            Err(self.expected("`byte` or `int`", None))
        }
    }

    /// `x`, or `x[n]`
    fn sized(&mut self, what: &str) -> Parse<(Name, Option<Expr>)> {
        let name = self.name(what)?;
        if !self.eat(TokenKind::BracketOpen) {
            return Ok((name, None));
        }
        let size = self.expression()?;
        self.expect(TokenKind::BracketClose)?;
        Ok((name, Some(size)))
    }

    fn initial(&mut self) -> Parse<Initial> {
        let start = self.span();
        if !self.eat(TokenKind::BraceOpen) {
            return Ok(Initial::Single(self.expression()?));
        }
        let list = self.items(TokenKind::BraceClose, "an expression", Parser::expression)?;
        Ok(Initial::List(list, self.span_from(start)))
    }

    fn system(&mut self, file: &mut File) -> Result<(), Reported> {
        let span = self.bump().span;
        let is_synchronous = self.eat(TokenKind::Sync);
        if !is_synchronous && !self.eat(TokenKind::Async) {
            return Err(self.expected("`async` or `sync`", None));
        }
        let property = if self.eat(TokenKind::Property) { Some(self.name("the name of a process")?) } else { None };
        self.expect(TokenKind::Semicolon)?;
        if file.system.is_some() {
            let message = "a second `system`";
            self.report(codes::DVE_REPEATED, span, message, Some("keep one of them"));
        }
        file.system = Some(System { is_synchronous, property, span });
        Ok(())
    }
}

fn starts_declaration(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Const | TokenKind::Byte | TokenKind::Int | TokenKind::Channel)
}
