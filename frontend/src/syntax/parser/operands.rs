//! Operands: names, literals, calls, subscripts, choices, `new`, and the lists in parentheses after them.

use super::expressions::ExprWithHeight;
use super::{Failed, Mode, Parse, Parser};
use crate::diagnostics::codes;
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind, Name};
use crate::syntax::lexer::unescape;
use crate::syntax::token::{TokenKind, integer_value};

/// The two lists of an instance or a `new`.
pub(super) struct Binding {
    pub known: Vec<Expr>,
    pub arguments: Vec<Expr>,
    /// The height of the highest expression.
    pub height: usize,
}

impl Parser<'_> {
    pub(super) fn postfix(&mut self) -> Parse<ExprWithHeight> {
        let start = self.span();
        let mut operand = self.primary()?;
        loop {
            operand = match self.kind() {
                TokenKind::Dot => self.access(operand, start)?,
                TokenKind::BracketOpen => {
                    let open = self.bump().span;
                    let index = self.deeper_expression()?;
                    self.close(TokenKind::BracketClose, open)?;
                    let below = operand.height.max(index.height);
                    let kind = ExprKind::Index(Box::new(operand.expr), Box::new(index.expr));
                    self.node(kind, self.span_from(start), below)?
                }
                TokenKind::PlusPlus | TokenKind::MinusMinus if self.mode != Mode::Model => {
                    self.effect_in_property("a step", "write `+ 1` or `- 1`");
                    return Err(Failed::Syntax);
                }
                kind @ (TokenKind::PlusPlus | TokenKind::MinusMinus) => {
                    self.bump();
                    self.step(kind, false, operand, start)?
                }
                TokenKind::Prime if self.mode == Mode::Model => {
                    self.hybrid("the derivative", self.span());
                    self.bump();
                    operand
                }
                _ => return Ok(operand),
            };
        }
    }

    /// `.name` or `.name(..)` after an operand.
    fn access(&mut self, operand: ExprWithHeight, start: Span) -> Parse<ExprWithHeight> {
        self.bump();
        let name = self.free_name("a name")?;
        if self.kind() != TokenKind::ParenOpen {
            let kind = ExprKind::Field(Box::new(operand.expr), name);
            return self.node(kind, self.span_from(start), operand.height);
        }
        let (arguments, height) = self.arguments()?;
        let below = operand.height.max(height);
        let kind = ExprKind::Call { target: Some(Box::new(operand.expr)), name, arguments };
        self.node(kind, self.span_from(start), below)
    }

    fn primary(&mut self) -> Parse<ExprWithHeight> {
        let token = self.token_at(0);
        let kind = match token.kind {
            TokenKind::Identifier => return self.name_or_call(),
            TokenKind::ParenOpen => return self.parenthesised(),
            TokenKind::New => return self.creation(),
            TokenKind::Question if self.kind_at(1) == TokenKind::ParenOpen => return self.choice(),
            TokenKind::Integer => ExprKind::Int(integer_value(self.text_of(token.span)).unwrap_or_default()),
            TokenKind::Text => ExprKind::Text(unescape(self.text_of(token.span))),
            TokenKind::True => ExprKind::Bool(true),
            TokenKind::False => ExprKind::Bool(false),
            TokenKind::Null => ExprKind::Null,
            TokenKind::Character => ExprKind::Int(0),
            TokenKind::Float => {
                let message = "floating-point numbers are not supported";
                self.error(codes::FLOAT_LITERAL, token.span, message, "scale the quantity and use integers");
                ExprKind::Int(0)
            }
            TokenKind::This => {
                let message = "Rebeca has no `this`";
                self.error(codes::THIS_KEYWORD, token.span, message, "a rebec calls itself `self`");
                ExprKind::Name("self".to_string())
            }
            _ => return Err(self.fault("an expression")),
        };
        self.bump();
        Ok(Self::leaf(kind, token.span))
    }

    fn name_or_call(&mut self) -> Parse<ExprWithHeight> {
        let name = self.bump_name();
        if self.kind() != TokenKind::ParenOpen {
            self.note_word_used(&name, false);
            return Ok(Self::leaf(ExprKind::Name(name.text), name.span));
        }
        self.note_word_used(&name, true);
        let start = name.span;
        let (arguments, below) = self.arguments()?;
        self.node(ExprKind::Call { target: None, name, arguments }, self.span_from(start), below)
    }

    fn parenthesised(&mut self) -> Parse<ExprWithHeight> {
        let open = self.bump().span;
        let mut inner = self.deeper_expression()?;
        self.close(TokenKind::ParenClose, open)?;
        inner.expr.span = self.span_from(open);
        Ok(inner)
    }

    /// `?(a, b)`
    fn choice(&mut self) -> Parse<ExprWithHeight> {
        let start = self.bump().span;
        if self.mode != Mode::Model {
            self.effect_in_property("a choice", "a property speaks about the states that the model reaches");
            return Err(Failed::Syntax);
        }
        let open = self.bump().span;
        let mut options = Vec::new();
        let mut below = 0;
        loop {
            self.plain_annotations()?;
            let literal = matches!(self.kind(), TokenKind::Float | TokenKind::Integer);
            let weighted = literal && self.kind_at(1) == TokenKind::Colon;
            if !weighted {
                let option = self.deeper_expression()?;
                below = below.max(option.height);
                options.push(option.expr);
            }
            if weighted || self.kind() == TokenKind::Colon {
                self.probabilistic("the weighted choice `?(p: a, ..)`", start);
                self.skip_to_close(false);
                return Ok(Self::leaf(ExprKind::Choose(Vec::new()), self.span_from(start)));
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close_list(open)?;
        self.node(ExprKind::Choose(options), self.span_from(start), below)
    }

    /// `new C(..):(..)`
    fn creation(&mut self) -> Parse<ExprWithHeight> {
        if self.mode != Mode::Model {
            self.effect_in_property("`new`", "a property speaks about the states that the model reaches");
            return Err(Failed::Syntax);
        }
        let start = self.bump().span;
        let class = self.name("a class name")?;
        let example = format!("new {}(known rebecs):(arguments)", class.text);
        let Binding { known, arguments, height } = self.binding(&example)?;
        self.node(ExprKind::New { class, known, arguments }, self.span_from(start), height)
    }

    /// `(known..):(arguments..)` after an instance or a `new`; a missing part is reported and taken as empty.
    pub(super) fn binding(&mut self, example: &str) -> Parse<Binding> {
        let mut highest = 0;
        let mut lists = [Vec::new(), Vec::new()];
        for (index, list) in lists.iter_mut().enumerate() {
            let there = if index == 0 {
                self.kind() == TokenKind::ParenOpen
            } else {
                self.kind_at(1) == TokenKind::ParenOpen && self.eat(TokenKind::Colon)
            };
            if there {
                let (arguments, height) = self.arguments()?;
                highest = highest.max(height);
                *list = arguments;
            } else if self.is_new_fault() {
                let part = if index == 0 { "the known rebecs `(..)`" } else { "the arguments `:(..)`" };
                let message = format!("{part} are missing");
                let place = Span::new(self.previous_end(), self.previous_end());
                let help = format!("write `{example}`, empty lists included");
                self.error(codes::MISSING_ARGUMENTS, place, message, help);
            }
        }
        let [known, arguments] = lists;
        Ok(Binding { known, arguments, height: highest })
    }

    /// `(a, b, ..)` with the height of the highest argument.
    fn arguments(&mut self) -> Parse<(Vec<Expr>, usize)> {
        let open = self.expect(TokenKind::ParenOpen)?.span;
        let mut arguments = Vec::new();
        let mut below = 0;
        if self.eat(TokenKind::ParenClose) {
            return Ok((arguments, below));
        }
        loop {
            self.plain_annotations()?;
            let argument = self.deeper_expression()?;
            below = below.max(argument.height);
            arguments.push(argument.expr);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close_list(open)?;
        Ok((arguments, below))
    }

    /// The condition of a statement, in its parentheses. A faulty one is skipped, so that the body is still read.
    pub(super) fn condition(&mut self) -> Parse<Expr> {
        let open = self.expect(TokenKind::ParenOpen)?.span;
        let condition = self.expression().and_then(|condition| {
            self.close(TokenKind::ParenClose, open)?;
            Ok(condition)
        });
        match condition {
            Err(Failed::Syntax) if self.skip_to_close(false) || self.kind() == TokenKind::BraceOpen => {
                Ok(Expr { kind: ExprKind::Bool(false), span: open })
            }
            condition => condition,
        }
    }

    /// The name of a scalar set in parentheses.
    pub(super) fn name_in_parentheses(&mut self, what: &str) -> Parse<Name> {
        let open = self.expect(TokenKind::ParenOpen)?.span;
        let name = self.name(what)?;
        self.close(TokenKind::ParenClose, open)?;
        Ok(name)
    }
}
