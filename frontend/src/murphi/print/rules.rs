//! Rules, properties and procedures as text.

use super::expressions::{alias, binders, expression, operand, type_expression};
use super::{LONG, Printer};
use crate::murphi::syntax::ast::{
    Alias, Body, Expr, ExprKind, Parameters, Procedure, Property, PropertyKind, Rule, RuleKind, Stmt, Text,
};
use crate::murphi::syntax::level;
use crate::source::Span;

impl Printer<'_> {
    pub(super) fn procedure(&mut self, procedure: &Procedure) {
        self.start(procedure.span);
        let parameters: Vec<String> = procedure.parameters.iter().map(parameter).collect();
        let (word, result) = match &procedure.result {
            Some(of) => ("function", format!(": {}", type_expression(of))),
            None => ("procedure", String::new()),
        };
        self.line(&format!("{word} {}({}){result};", procedure.name.text, parameters.join("; ")));
        let last = procedure.result.as_ref().map(|of| of.span);
        let last = last.or(procedure.parameters.last().map(|parameter| parameter.of.span));
        self.body(&procedure.body, last.unwrap_or(procedure.name.span).end, procedure.span);
    }

    /// Declarations, `begin`, statements and `end`.
    fn body(&mut self, body: &Body, header_end: u32, span: Span) {
        self.last_end = Some(header_end);
        self.comments_on_line(span.end);
        if !body.declarations.is_empty() {
            self.declarations(&body.declarations);
            self.comments_on_line(span.end);
        }
        self.line("begin");
        self.statements(&body.statements, self.last_end.unwrap_or(header_end), span.end);
        self.close("end;", span);
    }

    pub(super) fn rule(&mut self, rule: &Rule) {
        match &rule.kind {
            RuleKind::Simple(name, guard, body) => self.simple_rule(name.as_ref(), guard.as_ref(), body, rule.span),
            RuleKind::Start(name, body) => {
                self.start(rule.span);
                self.line(&format!("startstate{}", named(name.as_ref())));
                let header_end = name.as_ref().map_or(rule.span.start + 10, |name| name.span.end);
                self.body(body, header_end, rule.span);
            }
            RuleKind::Property(property) => self.property(property, rule.span),
            RuleKind::Ruleset(list, rules) => {
                self.nest(&format!("ruleset {} do", binders(list)), rules, rule.span);
            }
            RuleKind::Alias(aliases, rules) => self.nest(&aliased("alias", aliases), rules, rule.span),
            RuleKind::Choose(slots, rules) => self.nest(&aliased("choose", slots), rules, rule.span),
        }
    }

    fn simple_rule(&mut self, name: Option<&Text>, guard: Option<&Expr>, body: &Body, span: Span) {
        self.start(span);
        self.line(&format!("rule{}", named(name)));
        let mut header_end = name.map_or(span.start + 4, |name| name.span.end);
        if let Some(guard) = guard {
            self.block(header_end, guard.span.end, |printer| {
                printer.comments_before(guard.span.end);
                printer.condition("", guard, "");
                printer.last_end = Some(guard.span.end);
            });
            self.comments_on_line(span.end);
            self.line("==>");
            header_end = guard.span.end;
        }
        self.body(body, self.last_end.map_or(header_end, |end| end.max(header_end)), span);
    }

    fn nest(&mut self, header: &str, rules: &[Rule], span: Span) {
        self.start(span);
        self.line(header);
        self.indent += 1;
        self.last_end = None;
        for (index, rule) in rules.iter().enumerate() {
            self.comments_before(rule.span.start);
            if index > 0 {
                self.blank_unless_comment(rule.span.start);
            }
            self.rule(rule);
        }
        self.comments_before(span.end);
        self.indent -= 1;
        self.close("end;", span);
    }

    pub(super) fn property(&mut self, property: &Property, span: Span) {
        self.leaf(span);
        let word = match property.kind {
            PropertyKind::Invariant | PropertyKind::Atom | PropertyKind::End => "invariant",
            PropertyKind::Assert => "assert",
            PropertyKind::Assume => "assume",
            PropertyKind::Cover => "cover",
            PropertyKind::Liveness => "liveness",
        };
        self.condition(&format!("{word}{} ", named(property.name.as_ref())), &property.condition, ";");
    }

    /// A condition between two texts, broken at its outermost chain if the line would be long.
    fn condition(&mut self, before: &str, condition: &Expr, after: &str) {
        let text = expression(condition);
        let (list, symbol, level) = match &condition.kind {
            ExprKind::And(list) => (list, "& ", level::AND),
            ExprKind::Or(list) => (list, "| ", level::OR),
            _ => return self.line(&format!("{before}{text}{after}")),
        };
        if 2 * self.indent + before.len() + text.len() <= LONG {
            return self.line(&format!("{before}{text}{after}"));
        }
        for (index, part) in list.iter().enumerate() {
            let part = operand(part, level + 1);
            let before = if index == 0 { before } else { symbol };
            let after = if index + 1 == list.len() { after } else { "" };
            let deeper = if index == 0 || self.indent > 0 { "" } else { "  " };
            self.line(&format!("{deeper}{before}{part}{after}"));
        }
    }

    /// Statements of a block.
    pub(super) fn statements(&mut self, list: &[Stmt], header_end: u32, end: u32) {
        self.block(header_end, end, |printer| {
            for stmt in list {
                printer.statement(stmt);
            }
        });
    }
}

/// ` "name"`
fn named(name: Option<&Text>) -> String {
    name.map_or(String::new(), |name| format!(" \"{}\"", name.text))
}

/// `alias a : x; b : y do`
pub(super) fn aliased(word: &str, aliases: &[Alias]) -> String {
    let aliases: Vec<String> = aliases.iter().map(alias).collect();
    format!("{word} {} do", aliases.join("; "))
}

fn parameter(parameters: &Parameters) -> String {
    let names: Vec<&str> = parameters.names.iter().map(|name| name.text.as_str()).collect();
    let word = if parameters.by_reference { "var " } else { "" };
    format!("{word}{}: {}", names.join(", "), type_expression(&parameters.of))
}
