//! Rules of Murphi, start states, properties and the nests around them, and the recovery after a fault in one.

use super::ast::{Alias, Binder, BinderValues, Expr, Property, PropertyKind, Rule, RuleKind, Text};
use super::cursor::Parser;
use super::token::TokenKind;
use crate::diagnostics::codes;
use crate::text::Parse;

impl Parser<'_> {
    /// Whether a rule, a property or a nest of them starts here.
    pub(super) fn at_rule(&self) -> bool {
        use TokenKind::{Alias, Choose, Rule, Ruleset, Startstate};
        matches!(self.kind(), Rule | Ruleset | Startstate | Alias | Choose) || self.property_kind().is_some()
    }

    /// The property whose keyword is here, outside of bodies.
    fn property_kind(&self) -> Option<PropertyKind> {
        Some(match self.kind() {
            TokenKind::Invariant | TokenKind::Assert => PropertyKind::Invariant,
            TokenKind::Assume => PropertyKind::Assume,
            TokenKind::Cover => PropertyKind::Cover,
            TokenKind::Liveness => PropertyKind::Liveness,
            _ => return None,
        })
    }

    /// Parses a part of a model; after a fault skips the rest of it, past its end or to the next part.
    pub(super) fn part<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Option<T> {
        let start = self.span();
        let part = self.enclosed(parse);
        if part.is_err() {
            if self.span() == start {
                self.bump();
            }
            self.skip_block();
        }
        part.ok()
    }

    fn skip_block(&mut self) {
        while !self.at_section() && self.kind() != TokenKind::Invariant {
            if self.bump().kind.closes_rule() {
                return;
            }
        }
    }

    /// A rule, start state, property, or a nest of them.
    pub(super) fn rule(&mut self) -> Parse<Rule> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Rule => self.simple_rule()?,
            TokenKind::Startstate => {
                self.bump();
                let name = self.text();
                RuleKind::Start(name, self.body(&[TokenKind::EndStartstate])?)
            }
            TokenKind::Ruleset => {
                self.bump();
                let binders = self.binders()?;
                self.expect_do()?;
                RuleKind::Ruleset(binders, self.rules(&[TokenKind::EndRuleset])?)
            }
            TokenKind::Alias => {
                self.bump();
                let aliases = self.aliases()?;
                self.expect_do()?;
                RuleKind::Alias(aliases, self.rules(&[TokenKind::EndAlias])?)
            }
            TokenKind::Choose => {
                self.bump();
                let mut slots = vec![self.slot()?];
                while self.semicolons() {
                    slots.push(self.slot()?);
                }
                self.expect_do()?;
                RuleKind::Choose(slots, self.rules(&[TokenKind::EndChoose])?)
            }
            _ => match self.property_kind() {
                Some(kind) => {
                    self.bump();
                    RuleKind::Property(self.property(kind)?)
                }
                None => return Err(self.expected("a rule", None)),
            },
        };
        Ok(Rule { kind, span: self.span_from(start) })
    }

    /// Rules up to the end of the nest around them.
    fn rules(&mut self, end: &[TokenKind]) -> Parse<Vec<Rule>> {
        let mut rules = Vec::new();
        loop {
            self.semicolons();
            if !self.at_rule() {
                self.expect_end(end)?;
                return Ok(rules);
            }
            rules.extend(self.part(Parser::rule));
        }
    }

    fn simple_rule(&mut self) -> Parse<RuleKind> {
        self.bump();
        if self.kind() == TokenKind::Number && self.kind_at(1) == TokenKind::Text {
            let help = "remove it: every enabled rule is tried";
            self.report(codes::MURPHI_UNSUPPORTED, self.span(), "priorities of rules are not supported", Some(help));
            self.bump();
        }
        let name: Option<Text> = self.text();
        let guard = if self.at_guard() { Some(self.guard()?) } else { None };
        Ok(RuleKind::Simple(name, guard, self.body(&[TokenKind::EndRule])?))
    }

    /// Whether `==>` comes before anything that ends a guard. A guard may hold `:=` and `end`, of quantifiers.
    fn at_guard(&self) -> bool {
        use TokenKind::{
            Alias, Arrow, Assert, Assume, Begin, Clear, Cover, Elsif, EndExists, EndForall, EndOfText, Error, For, If,
            Put, Return, Semicolon, Switch, Then, Undefine, While,
        };
        let mut quantifiers = 0usize;
        for ahead in 0.. {
            match self.kind_at(ahead) {
                Arrow => return true,
                TokenKind::Exists | TokenKind::Forall | TokenKind::ExistsSign | TokenKind::ForallSign => {
                    quantifiers += 1;
                }
                TokenKind::End | EndExists | EndForall if quantifiers > 0 => quantifiers -= 1,
                TokenKind::Assign | Semicolon if quantifiers == 0 => return false,
                Alias
                | Assert
                | Assume
                | Begin
                | Clear
                | Cover
                | Elsif
                | EndOfText
                | Error
                | For
                | If
                | Put
                | Return
                | Switch
                | Then
                | Undefine
                | While
                | TokenKind::Var
                | TokenKind::Const
                | TokenKind::Type
                | TokenKind::Rule
                | TokenKind::Ruleset
                | TokenKind::Startstate
                | TokenKind::Invariant => return false,
                kind if kind.closes_rule() => return false,
                _ => {}
            }
        }
        false
    }

    /// A guard with its `==>`.
    fn guard(&mut self) -> Parse<Expr> {
        let guard = self.expression_before(TokenKind::Arrow)?;
        self.expect(TokenKind::Arrow)?;
        Ok(guard)
    }

    /// A condition with its name before or after it.
    pub(super) fn property(&mut self, kind: PropertyKind) -> Parse<Property> {
        let before = self.text();
        let condition = self.expression()?;
        let name = if before.is_some() { before } else { self.text() };
        Ok(Property { kind, name, condition })
    }

    /// `binder; binder; ..`
    pub(super) fn binders(&mut self) -> Parse<Vec<Binder>> {
        let mut binders = vec![self.binder()?];
        while self.semicolons() {
            if binders.len() == crate::murphi::MAX_NESTING {
                return Err(self.too_deep());
            }
            binders.push(self.binder()?);
        }
        Ok(binders)
    }

    fn binder(&mut self) -> Parse<Binder> {
        let name = self.name("a name for the values")?;
        let values = if self.eat(TokenKind::Assign) {
            let from = Box::new(self.expression()?);
            self.expect(TokenKind::To)?;
            let to = Box::new(self.expression()?);
            let by = if self.eat(TokenKind::By) { Some(Box::new(self.expression()?)) } else { None };
            BinderValues::Steps { from, to, by }
        } else if self.eat(TokenKind::Colon) {
            BinderValues::Type(self.type_expression()?)
        } else {
            return Err(
                self.expected("`:` or `:=`", Some("`i : T` takes all values of a type, `i := 1 to 3` some integers"))
            );
        };
        Ok(Binder { name, values })
    }

    /// `name : value; ..`
    pub(super) fn aliases(&mut self) -> Parse<Vec<Alias>> {
        let mut aliases = Vec::new();
        loop {
            let name = self.name("a name for the alias")?;
            self.expect(TokenKind::Colon)?;
            aliases.push(Alias { name, value: self.expression()? });
            self.semicolons();
            if self.kind() != TokenKind::Name {
                return Ok(aliases);
            }
        }
    }
}

impl TokenKind {
    /// Whether the word closes a rule, a nest of rules or a procedure and nothing smaller.
    fn closes_rule(self) -> bool {
        use TokenKind::{EndChoose, EndFunction, EndProcedure, EndRule, EndRuleset, EndStartstate};
        matches!(self, EndChoose | EndFunction | EndProcedure | EndRule | EndRuleset | EndStartstate)
    }
}
