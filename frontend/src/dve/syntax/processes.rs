//! Processes of DVE: states, assertions and transitions.

use super::ast::{Assert, Effect, Name, Process, Sync, Transition};
use super::parser::Parser;
use super::token::TokenKind;
use crate::diagnostics::codes;
use crate::text::Parse;

impl Parser<'_> {
    pub(super) fn process(&mut self) -> Parse<Process> {
        self.bump();
        let mut process = Process { name: self.name("the name of a process")?, ..Process::default() };
        self.expect(TokenKind::BraceOpen)?;
        while !self.eat(TokenKind::BraceClose) {
            self.part(&mut process)?;
        }
        Ok(process)
    }

    /// One declaration of a process.
    fn part(&mut self, process: &mut Process) -> Parse<()> {
        if self.is_at_declaration() {
            return self.declarations(&mut process.declarations);
        }
        let kind = self.kind();
        let parts = "a declaration, `state`, `init`, `accept`, `commit`, `assert`, `trans` or `}`";
        match kind {
            TokenKind::State | TokenKind::Accept | TokenKind::Commit => {
                self.bump();
                if kind == TokenKind::Accept && self.kind_at(1) == TokenKind::ParenOpen {
                    let help = "write `accept s, t;`: the runs that pass one of these states infinitely often";
                    let message = "this form of acceptance is not supported";
                    return Err(self.report(codes::DVE_ACCEPTANCE, self.span(), message, Some(help)));
                }
                let names = self.names("the name of a state")?;
                match kind {
                    TokenKind::State => process.states.extend(names),
                    TokenKind::Accept => process.accept.extend(names),
                    _ => process.commit.extend(names),
                }
            }
            TokenKind::Init => {
                let span = self.bump().span;
                let state = self.name("the name of a state")?;
                self.expect(TokenKind::Semicolon)?;
                if process.init.replace(state).is_some() {
                    self.report(codes::DVE_REPEATED, span, "a second initial state", Some("keep one of them"));
                }
            }
            TokenKind::Assert => {
                self.bump();
                process.asserts.extend(self.items(TokenKind::Semicolon, "the name of a state", |parser| {
                    let state = parser.name("the name of a state")?;
                    // DiVinE requires the colon.
                    parser.eat(TokenKind::Colon);
                    Ok(Assert { state, condition: parser.expression()? })
                })?);
            }
            TokenKind::Trans => {
                self.bump();
                let mut last: Option<Name> = process.transitions.last().map(|transition| transition.from.clone());
                process
                    .transitions
                    .extend(self.items(TokenKind::Semicolon, "a transition", |parser| parser.transition(&mut last))?);
            }
            _ => return Err(self.expected(parts, None)),
        }
        Ok(())
    }

    /// A transition; without a source it has that of the transition before it.
    fn transition(&mut self, last: &mut Option<Name>) -> Parse<Transition> {
        let start = self.span();
        let from = match last.take() {
            Some(last) if self.kind() == TokenKind::Arrow => last,
            _ => self.name("the name of a state")?,
        };
        *last = Some(from.clone());
        self.expect(TokenKind::Arrow)?;
        let to = self.name("the name of a state")?;
        let span = self.span_from(start);
        let mut made = Transition { from, to, guards: Vec::new(), sync: None, effects: Vec::new(), span };
        self.expect(TokenKind::BraceOpen)?;
        while !self.eat(TokenKind::BraceClose) {
            match self.kind() {
                TokenKind::Guard => {
                    self.bump();
                    made.guards.extend(self.items(TokenKind::Semicolon, "a condition", Parser::expression)?);
                }
                TokenKind::Sync => {
                    let start = self.bump().span;
                    let sync = self.synchronisation()?;
                    self.expect(TokenKind::Semicolon)?;
                    if made.sync.replace(sync).is_some() {
                        let help = "a step sends or receives once: use a state between";
                        self.report(codes::DVE_REPEATED, start, "a second `sync`", Some(help));
                    }
                }
                TokenKind::Effect => {
                    self.bump();
                    made.effects.extend(self.items(TokenKind::Semicolon, "an assignment", Parser::effect)?);
                }
                _ => return Err(self.expected("`guard`, `sync`, `effect` or `}`", None)),
            }
        }
        Ok(made)
    }

    /// `c!`, `c!e`, `c!{a, b}`, `c?`, `c?x` or `c?{x, y}`
    fn synchronisation(&mut self) -> Parse<Sync> {
        let channel = self.name("the name of a channel")?;
        let sends = self.eat(TokenKind::Exclamation);
        if !sends && !self.eat(TokenKind::Question) {
            return Err(self.expected("`!` or `?`", None));
        }
        let item = |parser: &mut Self| if sends { parser.expression() } else { parser.place() };
        let values = if self.kind() == TokenKind::Semicolon {
            Vec::new()
        } else if self.eat(TokenKind::BraceOpen) {
            self.items(TokenKind::BraceClose, if sends { "an expression" } else { "a variable" }, item)?
        } else {
            vec![item(self)?]
        };
        let span = self.span_from(channel.span);
        Ok(Sync { channel, sends, values, span })
    }

    fn effect(&mut self) -> Parse<Effect> {
        let place = self.place()?;
        self.expect(TokenKind::Assign)?;
        let value = self.expression()?;
        let span = place.span.to(value.span);
        Ok(Effect { place, value, span })
    }
}
