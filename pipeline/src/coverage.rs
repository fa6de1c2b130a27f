//! Coverage: how often the explored states executed each part of a model, and which parts no run executes.
//!
//! A part is a message server, rule, summand, transition or basic statement with its place in the text; what several classes inherit, or
//! several summands come from, is one part. A count is that of steps, the faulting ones included: with a quotient, of steps of
//! representatives.
//!
//! # Soundness
//!
//! "Never" is said of a complete run in which each state had all of its steps, of the model as it is written. Counts are taken away
//! where a slice or a model with further starts was searched, and by the search itself where it was incomplete or left out a step. Values of
//! dead variables that are forgotten change no step. In a quotient, a step of a state is the image of one of its representative: where the
//! group renames values, rebecs or processes, a part is mapped to itself, and one member of an orbit stands for all; where it may
//! exchange parts one of which is executed, nothing is said ([`Language::shows_unexecuted`]). The place of a statement of Promela that other
//! steps execute too (a receive in a rendezvous, statements inside of a `d_step`) is no part.
//!
//! Source: `docs/soundness.md`, coverage.

use std::collections::BTreeMap;

use checker::Report;
use frontend::model::{Class, Model, StmtKind};
use frontend::murphi::program::Program;
use frontend::sequential::{Origin, Sequential, Summand};
use frontend::source::Span;

use crate::language::Language;

/// The kind of a part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PartKind {
    /// A message server of a reactive class.
    Server,
    /// A rule of Murphi.
    Rule,
    /// A summand of the sequential language.
    Summand,
    /// A transition of DVE.
    Transition,
    /// A basic statement of Promela.
    Statement,
}

impl PartKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            PartKind::Server => "server",
            PartKind::Rule => "rule",
            PartKind::Summand => "summand",
            PartKind::Transition => "transition",
            PartKind::Statement => "statement",
        }
    }
}

/// A part of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its kind.
    pub kind: PartKind,
    /// Its name in the text, or the text itself.
    pub name: String,
    /// Its place.
    pub span: Span,
    /// The assertions inside of it.
    pub assertions: Vec<Span>,
}

/// A part and the number of its executions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Covered {
    /// The part.
    pub part: Part,
    /// The number of steps that execute it; 0: no run executes it.
    pub count: u64,
}

/// The parts of a model in the order of the text, with their counts; `None` where the report has none.
pub fn coverage<L: Language, T>(model: &L, report: &Report<T>) -> Option<Vec<Covered>> {
    let (parts, executed) = (model.parts(), report.executed.as_ref()?);
    assert_eq!(parts.len(), executed.len(), "each part is counted");
    let mut found: BTreeMap<(u32, u32, PartKind), Covered> = BTreeMap::new();
    for (part, &count) in parts.into_iter().zip(executed) {
        let Some(part) = part else { continue };
        let place = (part.span.start, part.span.end, part.kind);
        found.entry(place).or_insert(Covered { part, count: 0 }).count += count;
    }
    Some(found.into_values().collect())
}

/// The servers of all classes, class by class.
pub(crate) fn of_actors(model: &Model) -> Vec<Option<Part>> {
    let of = |class: &Class| {
        let declared = |server: &frontend::model::Server| (!server.is_abstract && !server.span.is_none()).then_some(());
        let parts = class.servers.iter().map(move |server| {
            declared(server)?;
            let mut assertions = Vec::new();
            for stmt in &server.body.block {
                stmt.visit(&mut |stmt| {
                    if matches!(stmt.kind, StmtKind::Assert { .. }) {
                        assertions.push(stmt.span);
                    }
                });
            }
            let name = format!("{}.{}", model.class(server.declared_in).name, server.name);
            Some(Part { kind: PartKind::Server, name, span: server.span, assertions })
        });
        parts.collect::<Vec<Option<Part>>>()
    };
    model.classes.iter().flat_map(of).collect()
}

/// The rules.
pub(crate) fn of_murphi(program: &Program) -> Vec<Option<Part>> {
    let part = |rule: &frontend::murphi::program::Rule| Part {
        kind: PartKind::Rule,
        name: rule.name.clone(),
        span: rule.span,
        assertions: Vec::new(),
    };
    program.rules.iter().map(|rule| Some(part(rule)).filter(|part| !part.span.is_none())).collect()
}

/// The summands.
pub(crate) fn of_process(model: &Sequential) -> Vec<Option<Part>> {
    let inside: Vec<Span> = match model.origin {
        Origin::Promela => model.summands.iter().filter_map(wider).collect(),
        Origin::Lpe | Origin::Dve | Origin::Pnml => Vec::new(),
    };
    let part = |summand: &Summand| {
        let Summand { event, label, span, .. } = summand;
        let (kind, name) = match (model.origin, label) {
            (Origin::Lpe, _) => (PartKind::Summand, event.clone()),
            (Origin::Dve | Origin::Pnml, Some(label)) => (PartKind::Transition, label.clone()),
            (Origin::Promela, Some(label)) => (PartKind::Statement, label.clone()),
            // It stands for no place of the text.
            (Origin::Dve | Origin::Pnml | Origin::Promela, None) => return None,
        };
        let is_elsewhere = |other: &Span| *other != *span && other.start <= span.start && span.end <= other.end;
        let is_shared = kind == PartKind::Statement && (name.contains('?') || inside.iter().any(is_elsewhere));
        let part = Part { kind, name, span: *span, assertions: Vec::new() };
        Some(part).filter(|_| !is_shared && !span.is_none())
    };
    model.summands.iter().map(part).collect()
}

/// The places from the first to the last statement of a body that has other places than its summand.
fn wider(summand: &Summand) -> Option<Span> {
    let mut all = summand.span;
    for stmt in &summand.body {
        stmt.visit(&mut |stmt| {
            if !stmt.span.is_none() {
                all = Span { start: all.start.min(stmt.span.start), end: all.end.max(stmt.span.end) };
            }
        });
    }
    (all != summand.span && !summand.span.is_none()).then_some(all)
}
