//! Procedures, rules, start states, properties and the constructs around them.

use super::scope::Meaning;
use super::{Heading, Lowering, Parameter};
use crate::diagnostics::codes;
use crate::murphi::MAX_INSTANCES;
use crate::murphi::program::{
    BinderValues, Changes, Frame, Header, LocalKind, Procedure, ProcedureId, Property, Rule, TypeId, height,
};
use crate::murphi::syntax::ast::{self, PropertyKind, RuleKind};
use crate::source::Span;

impl Lowering<'_> {
    /// Declares a function or procedure. Its own name is known in its body, so that it may call itself.
    pub(super) fn procedure(&mut self, procedure: &ast::Procedure) {
        let result = procedure.result.as_ref().map(|of| self.type_expression(of));
        self.changes = Changes::default();
        self.scopes.push(super::scope::Scope::default());
        // Arguments are the first locals. A constant in a type may bind names too, which end with it.
        let types: Vec<Option<TypeId>> = self.in_outer_scope(|lowering| {
            procedure.parameters.iter().map(|group| lowering.type_expression(&group.of)).collect()
        });
        self.frame = Frame::default();
        let mut parameters = Vec::new();
        let mut complete = result != Some(None);
        for (group, of) in procedure.parameters.iter().zip(types) {
            for name in &group.names {
                let Some(of) = of else {
                    self.declare(name, Meaning::Faulty);
                    complete = false;
                    continue;
                };
                let kind = if group.by_reference { LocalKind::Outer } else { LocalKind::Value };
                let local = self.local(name, kind, of);
                self.declare(name, Meaning::Local(local));
                parameters.push(Parameter { by_reference: group.by_reference, of });
            }
        }
        assert_eq!(self.frame.locals.len(), parameters.len(), "parameters are the first locals");
        assert!(self.header.is_empty(), "procedures stand outside of rulesets");
        let id = ProcedureId::from_index(self.headings.len());
        assert_eq!(id.index(), self.program.procedures.len(), "a procedure has the number of its heading");
        let meaning = if complete { Meaning::Procedure(id) } else { Meaning::Faulty };
        self.in_outer_scope(|lowering| lowering.declare(&procedure.name, meaning));
        let count = parameters.len();
        let result = result.flatten();
        self.headings.push(Heading { parameters, result });
        self.result = result;
        let body = self.body(&procedure.body);
        self.result = None;
        self.scopes.pop();
        self.program.procedures.push(Procedure {
            name: procedure.name.text.clone(),
            parameters: count,
            result,
            frame: std::mem::take(&mut self.frame),
            height: height(&body),
            body,
            changes: self.changes,
            span: procedure.name.span,
        });
    }

    /// Runs without the innermost scope.
    fn in_outer_scope<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let inner = self.scopes.pop().expect("a scope");
        let result = run(self);
        self.scopes.push(inner);
        result
    }

    /// The declarations and statements of a body, in a scope of their own.
    fn body(&mut self, body: &ast::Body) -> Vec<crate::murphi::program::Stmt> {
        self.scoped(|lowering| {
            for declaration in &body.declarations {
                lowering.declaration(declaration, false);
            }
            lowering.statements(&body.statements)
        })
    }

    /// A rule, start state or property, or a nest of them, inside the constructs of the current header.
    pub(super) fn rule(&mut self, rule: &ast::Rule) {
        assert!(self.result.is_none(), "rules stand outside of functions");
        match &rule.kind {
            RuleKind::Simple(name, guard, body) => {
                let name = named(name.as_ref(), "rule", self.program.rules.len());
                let rule = self.simple_rule(name, guard.as_ref(), body, rule.span);
                self.program.rules.extend(rule);
            }
            RuleKind::Start(name, body) => {
                let name = named(name.as_ref(), "startstate", self.program.starts.len());
                let start = self.simple_rule(name, None, body, rule.span);
                self.program.starts.extend(start);
            }
            RuleKind::Property(property) => {
                let property = self.property(property, rule.span);
                self.program.properties.extend(property);
            }
            RuleKind::Ruleset(binders, rules) => {
                self.nest(rules, binders, |lowering, binder| lowering.binder(binder, true).map(Header::For));
            }
            RuleKind::Alias(aliases, rules) => {
                self.nest(rules, aliases, |lowering, alias| {
                    lowering.pure(alias.value.span, |lowering| lowering.alias(alias)).map(Header::Alias)
                });
            }
            RuleKind::Choose(slots, rules) => {
                self.nest(rules, slots, |lowering, slots| lowering.slots(slots).map(Header::Choose));
            }
        }
    }

    /// Rules inside constructs, each of which becomes a part of their headers.
    fn nest<T>(&mut self, rules: &[ast::Rule], list: &[T], mut construct: impl FnMut(&mut Self, &T) -> Option<Header>) {
        let (frame, depth, faulty) = (self.frame.clone(), self.header.len(), self.is_faulty);
        self.scoped(|lowering| {
            for part in list {
                match construct(lowering, part) {
                    Some(header) => lowering.header.push(header),
                    None => lowering.is_faulty = true,
                }
            }
            for rule in rules {
                lowering.rule(rule);
            }
        });
        debug_assert!(self.header.len() >= depth, "the constructs around these stay");
        self.header.truncate(depth);
        (self.frame, self.is_faulty) = (frame, faulty);
    }

    /// Lowers a condition that is evaluated outside of steps, which must not change the state.
    pub(super) fn pure<T>(&mut self, span: Span, lower: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.changes = Changes::default();
        let lowered = lower(self);
        if self.changes != Changes::default() {
            let message = "the condition calls a function that changes the state";
            let help = "guards and properties only look at a state: move the change to the statements of the rule";
            return self.refuse(codes::MURPHI_EFFECT, span, message, help);
        }
        lowered
    }

    fn simple_rule(&mut self, name: String, guard: Option<&ast::Expr>, body: &ast::Body, span: Span) -> Option<Rule> {
        let frame = self.frame.clone();
        let lowered = guard.map(|guard| self.pure(guard.span, |lowering| lowering.condition(guard)));
        let body = self.body(body);
        let frame = std::mem::replace(&mut self.frame, frame);
        if lowered == Some(None) || self.is_faulty || self.has_too_many_instances(span) {
            return None;
        }
        let is_local = |part: &Header| part.local().index() < frame.locals.len();
        assert!(self.header.iter().all(is_local), "the names of a header are locals of its rule");
        Some(Rule { name, header: self.header.clone(), frame, guard: lowered.flatten(), body, span })
    }

    fn property(&mut self, property: &ast::Property, span: Span) -> Option<Property> {
        let frame = self.frame.clone();
        let condition = self.pure(property.condition.span, |lowering| lowering.condition(&property.condition));
        let frame = std::mem::replace(&mut self.frame, frame);
        let name = property.name.as_ref().map_or(String::new(), |name| name.text.clone());
        if property.kind == PropertyKind::Liveness && self.header.iter().any(|part| matches!(part, Header::Choose(_))) {
            let message = "`liveness` inside `choose`: the slots of a multiset are not the same in other states";
            return self.refuse(codes::MURPHI_LIVENESS, span, message, "count elements by `multisetcount`");
        }
        let condition = condition.filter(|_| !self.is_faulty && !self.has_too_many_instances(span))?;
        Some(Property { kind: property.kind, name, header: self.header.clone(), frame, condition, span })
    }

    /// Whether the rulesets of the current header give more instances than are supported, which is reported.
    fn has_too_many_instances(&mut self, span: Span) -> bool {
        let types = &self.program.types;
        let counts = self.header.iter().map(|construct| match construct {
            Header::For(binder) => match &binder.values {
                BinderValues::Type(of) => types.count(*of),
                BinderValues::Steps(steps) => steps.constant_rounds().unwrap_or(usize::MAX),
            },
            Header::Alias(_) | Header::Choose(_) => 1,
        });
        let is_too_many = counts.fold(1usize, usize::saturating_mul) > MAX_INSTANCES;
        if is_too_many {
            self.too_large::<()>(span, "the rulesets give too many instances");
        }
        is_too_many
    }
}

/// The name that is given, or a word and the number of the rule among those like it, from 1.
fn named(given: Option<&ast::Text>, word: &str, before: usize) -> String {
    let given = given.map(|name| name.text.clone()).filter(|name| !name.is_empty());
    given.unwrap_or_else(|| format!("{word} {}", before + 1))
}
