//! The parts of processes: summands, and in other languages the transitions and basic statements that they come from.
//!
//! Inside of a summand of the sequential language: the arms of `if` and the bodies of `while`. A `for` makes a round at least. Steps of other
//! languages have no parts inside: lowering makes their bodies.

use super::follows::follows;
use super::{Branch, Builder, Context, Part, PartKind, Parts, Way};
use crate::sequential::{Origin, Sequential, Stmt, StmtKind, Summand};
use crate::source::Span;

use rustc_hash::FxHashSet;

impl Parts {
    /// The parts of a process.
    pub fn of_process(model: &Sequential) -> Parts {
        let (mut list, follows) = (summands(model), follows(model));
        assert_eq!(list.len(), follows.len(), "every summand has the summands that it follows");
        for (part, follows) in list.iter_mut().zip(follows) {
            if let Some(part) = part {
                part.follows = follows;
            }
        }
        with_inside(model, list)
    }

    /// The parts inside of steps, with their numbers, and places for the summands: what a search needs.
    pub fn inside_process(model: &Sequential) -> Parts {
        with_inside(model, vec![None; model.summands.len()])
    }
}

fn with_inside(model: &Sequential, list: Vec<Option<Part>>) -> Parts {
    assert_eq!(list.len(), model.summands.len(), "every summand has its number");
    let mut builder = Builder::new(list, FxHashSet::default());
    if model.origin == Origin::Lpe {
        for (number, summand) in (0..).zip(&model.summands) {
            block(&mut builder, &summand.body, Context::of(number));
        }
    }
    builder.finish()
}

fn block(builder: &mut Builder, body: &[Stmt], context: Context) {
    for stmt in body {
        let at = |way, name: &str| Branch { span: stmt.span, way, name: name.to_owned() };
        match &stmt.kind {
            StmtKind::If(_, then, otherwise) => {
                branch(builder, then, at(Way::Then, "if"), context);
                branch(builder, otherwise, at(Way::Else, "else"), context);
            }
            StmtKind::While(_, body) => branch(builder, body, at(Way::Round, "loop"), context),
            StmtKind::For(_, body) => block(builder, body, context.in_rounds()),
            StmtKind::Assign(..) | StmtKind::Var(..) | StmtKind::Fail(_) => {}
        }
    }
}

/// A block that control reaches by a way.
fn branch(builder: &mut Builder, body: &[Stmt], branch: Branch, context: Context) {
    let inside = builder.branch(branch, body.iter().map(|stmt| stmt.span), context);
    block(builder, body, inside);
}

/// The summands.
fn summands(model: &Sequential) -> Vec<Option<Part>> {
    let inside: Vec<Span> = match model.origin {
        Origin::Promela => model.summands.iter().filter_map(wider).collect(),
        Origin::Lpe | Origin::Dve | Origin::Pnml => Vec::new(),
    };
    let part = |summand: &Summand| {
        let Summand { event, label, span, .. } = summand;
        let (kind, name) = match (model.origin, label) {
            (Origin::Lpe, _) => (PartKind::Summand, event.clone()),
            (Origin::Dve | Origin::Pnml, Some(label)) => (PartKind::Transition, label.clone()),
            // That a process never ends says nothing of the text: it waits for the younger ones.
            (Origin::Promela, Some(_)) if is_end(summand) => return None,
            (Origin::Promela, Some(label)) => (PartKind::Statement, label.clone()),
            // It stands for no place of the text.
            (Origin::Dve | Origin::Pnml | Origin::Promela, None) => return None,
        };
        // Other steps execute the place of such a statement too: a receive in a rendezvous, statements inside of a `d_step`.
        let is_elsewhere = |other: &Span| *other != *span && other.start <= span.start && span.end <= other.end;
        let is_shared = kind == PartKind::Statement && (name.contains('?') || inside.iter().any(is_elsewhere));
        Some(Part::outer(kind, name, *span)).filter(|_| !is_shared && !span.is_none())
    };
    model.summands.iter().map(part).collect()
}

/// Whether a step of Promela is the end of a process, at its closing brace. A statement with this label has more characters.
fn is_end(summand: &Summand) -> bool {
    let is_character = summand.span.end.checked_sub(summand.span.start) == Some(1);
    is_character && summand.label.as_ref().is_some_and(|label| label.ends_with(": ends"))
}

/// The places from the first to the last statement of a body that has other places than its summand.
fn wider(summand: &Summand) -> Option<Span> {
    let mut all = summand.span;
    for stmt in &summand.body {
        stmt.visit(&mut |stmt| all = all.to(stmt.span));
    }
    (all != summand.span && !summand.span.is_none()).then_some(all)
}
