//! `for` and `select` as the assignments, conditions and jumps that they stand for.

use super::super::syntax::ast::{Argument, Binary, Expr, ExprKind, Name, Part, Place, Stmt, StmtKind};
use super::{Action, Builder, ListKind, Point};
use crate::diagnostics::{Diagnostic, codes};
use crate::sequential::BinaryOp;
use crate::source::Span;

impl Builder<'_> {
    pub(super) fn loop_over(
        &mut self,
        Loop { variable, low, within, body, inner }: Loop<'_>,
        next: Point,
        span: Span,
    ) -> Point {
        let around = self.point(span);
        let one = Expr { kind: ExprKind::Int(1), span };
        let step = binary(BinaryOp::Add, value(variable), one);
        let increase = self.basic(Action::Assign(variable.clone(), step), around, variable.span);
        self.breaks.push(next);
        let entry = self.sequence(inner, increase);
        self.breaks.pop();
        let entry = self.sequence(body, entry);
        let enter = self.edge(Action::Expr(within), entry, span);
        let leave = self.edge(Action::Else, next, span);
        self.points[around].edges.extend([enter, leave]);
        low.map_or(around, |low| self.basic(Action::Assign(variable.clone(), low), around, span))
    }

    pub(super) fn for_in(&mut self, elements: Elements<'_>, body: &[Stmt], next: Point, span: Span) -> Point {
        let Elements { variable, list, counter } = elements;
        let int = |value| Expr { kind: ExprKind::Int(value), span };
        match (self.sizes)(list) {
            Some(ListKind::Array(size)) => {
                let within = binary(BinaryOp::LessEqual, value(variable), int(size - 1));
                self.loop_over(Loop { variable, low: Some(int(0)), within, body: &[], inner: body }, next, span)
            }
            Some(ListKind::Channel { .. }) if list.parts.len() > 1 => {
                let message = "`for (x in channel)` takes a channel with a name of its own, not a field of a record";
                self.sink.push(Diagnostic::error(codes::PROMELA_TYPE, list.span, message));
                next
            }
            Some(ListKind::Channel { .. }) => {
                let name = Name { text: counter.to_owned(), span: list.span };
                let counter = Place { parts: vec![Part { name, index: None }], span };
                let len = Expr { kind: ExprKind::Measure(super::super::syntax::ast::Measure::Len, list.clone()), span };
                let within = binary(BinaryOp::Less, value(&counter), len);
                let receive = StmtKind::Receive {
                    channel: list.clone(),
                    arguments: vec![Argument::Place(variable.clone())],
                    random: false,
                    keeps: false,
                };
                let send = StmtKind::Send { channel: list.clone(), arguments: vec![value(variable)], sorted: false };
                let turn = [receive, send].map(|kind| Stmt { kind, span });
                self.loop_over(
                    Loop { variable: &counter, low: Some(int(0)), within, body: &turn, inner: body },
                    next,
                    span,
                )
            }
            None => {
                let message = "`for (x in list)` needs an array or a channel";
                self.sink.push(Diagnostic::error(codes::PROMELA_TYPE, list.span, message));
                next
            }
        }
    }

    /// One step for each value, or a loop that stops anywhere.
    pub(super) fn select(
        &mut self,
        variable: &Place,
        [low, high]: [&Expr; 2],
        at_once: bool,
        next: Point,
        span: Span,
    ) -> Point {
        if at_once && let (ExprKind::Int(low), ExprKind::Int(high)) = (&low.kind, &high.kind) {
            let point = self.point(span);
            for number in *low..=*high {
                let number = Expr { kind: ExprKind::Int(number), span };
                let edge = self.edge(Action::Assign(variable.clone(), number), next, span);
                self.points[point].edges.push(edge);
            }
            return point;
        }
        let around = self.point(span);
        let one = Expr { kind: ExprKind::Int(1), span };
        let step = binary(BinaryOp::Add, value(variable), one);
        let increase = self.basic(Action::Assign(variable.clone(), step), around, span);
        let more = self.edge(Action::Expr(binary(BinaryOp::Less, value(variable), high.clone())), increase, span);
        let leave = self.edge(Action::Skip, next, span);
        self.points[around].edges.extend([more, leave]);
        around
    }
}

/// The head of `for (variable in list)`, with the name of the counter of messages.
#[derive(Clone, Copy)]
pub(super) struct Elements<'a> {
    pub variable: &'a Place,
    pub list: &'a Place,
    pub counter: &'a str,
}

/// The parts of a loop: `variable = low; do :: within -> body; inner; variable++ :: else -> break od`, without the assignment where it stands before.
pub(super) struct Loop<'a> {
    pub variable: &'a Place,
    pub low: Option<Expr>,
    pub within: Expr,
    pub body: &'a [Stmt],
    pub inner: &'a [Stmt],
}

pub(super) fn value(place: &Place) -> Expr {
    Expr { kind: ExprKind::Place(place.clone()), span: place.span }
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr { kind: ExprKind::Binary(Binary::On(op), Box::new(left), Box::new(right)), span }
}
