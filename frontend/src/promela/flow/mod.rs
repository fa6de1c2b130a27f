//! The control points of a proctype and the basic statements between them, as SPIN counts them.
//!
//! A basic statement is one step. `goto` and `break` behind a statement, and at the beginning of a proctype, are no step; as the first statement of an
//! option or of braces they are one. `if`, `do`, braces and labels are no steps. A choice whose first statement is a choice has the
//! options of both, those of the inner one where it stands. A sequence is built from its end: each statement knows the point behind it.
//! `finish` resolves the points that stand for others, and says which statements stay inside of atomic sequences.
//!
//! Invariant: after [`flow`] every target is a point of the graph, and no point stands for another.

mod finish;
mod loops;

use std::collections::{BTreeMap, BTreeSet};

use super::labels::plain;
use super::lower::Wrong;
use super::syntax::ast::{Argument, Expr, Label, Name, Place, Result, Run, Stmt, StmtKind};
use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::sequential::BinaryOp;
use crate::source::Span;
use loops::{Elements, Loop, binary, value};

/// The number of a control point.
pub(super) type Point = usize;

/// The control points of a proctype.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub points: Vec<Control>,
    pub start: Point,
    /// The closing brace.
    pub end: Point,
    /// The points of the labels.
    pub labels: BTreeMap<String, Point>,
}

/// A control point.
#[derive(Clone, Debug, Default)]
pub(super) struct Control {
    pub edges: Vec<Edge>,
    /// The atomic sequence that it is part of.
    pub atomic: Option<u32>,
    /// The `d_step` that it is part of.
    pub step: Option<u32>,
    pub span: Option<Span>,
}

/// A basic statement.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub action: Action,
    pub target: Point,
    pub atomic: Option<u32>,
    pub step: Option<u32>,
    /// The points of the escapes that come first if they can move.
    pub escapes: Vec<Point>,
    /// Whether it ends inside of an atomic sequence without leaving its own on the way.
    pub stays: bool,
    /// Whether it is the last statement in the text of its atomic sequence, in no choice.
    pub is_last: bool,
    /// Whether it is that of an escape, which stands before the statements that it escapes from.
    is_escape: bool,
    /// Whether it is the jump of an escape, for which the statements behind it stand; of none after [`flow`].
    passes: bool,
    pub span: Span,
}

/// The kind of a basic statement, with its parts.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// `goto` or `break` as a step.
    Skip,
    /// A condition.
    Expr(Expr),
    /// `place = value`
    Assign(Place, Expr),
    /// `run`, and the assignment that the number of the new process is part of.
    Run(Run, Option<Result>),
    /// `channel ! arguments`
    Send { channel: Place, arguments: Vec<Expr>, sorted: bool },
    /// `channel ? arguments`
    Receive { channel: Place, arguments: Vec<Argument>, random: bool, keeps: bool },
    /// `else`
    Else,
    /// `assert(condition)`
    Assert(Expr),
    /// `printf`, with the values that it shows
    Print(Vec<Expr>),
}

struct Builder<'a> {
    points: Vec<Control>,
    /// The point that a point stands for.
    same: Vec<Option<Point>>,
    labels: BTreeMap<String, (Point, Option<Span>)>,
    breaks: Vec<Point>,
    /// The labels and ends of sequences that are outside of atomic sequences: a statement of one that goes there, if only on its way, leaves it.
    outside: BTreeSet<Point>,
    /// The points of `d_step` but for their first ones.
    inside_steps: BTreeSet<Point>,
    /// The jumps to labels and the labels, each with the `d_step` around it.
    jumps: Vec<(Name, Option<u32>)>,
    steps_of_labels: BTreeMap<String, u32>,
    /// Known to be wrong: an escape leaves a `d_step` in its midst.
    escapes_from_steps: bool,
    /// Known to be wrong: braces have the point of their first statement.
    shares_points: bool,
    /// Known to be wrong: a jump at the beginning of braces is no step.
    jumps_are_no_steps: bool,
    /// Known to be wrong: a jump at the beginning of an escape is a step.
    escapes_by_jumps: bool,
    /// Known to be wrong: what escapes from an escape escapes from all that the escape does.
    escapes_further: bool,
    /// Known to be wrong: a label before a jump stands at the point behind it.
    labels_share_points: bool,
    /// Known to be wrong: a statement that goes to a point of its sequence stays inside, whatever the way.
    stays_on_jumps: bool,
    /// The labels before the first statement of an option, and the points of the first statements of options and braces: a process is there only
    /// after a jump.
    at_choices: Vec<Name>,
    /// The labels before jumps that other processes and claims name, whichever of its name each is.
    at_jumps: Vec<Name>,
    chosen: Vec<Point>,
    atomic: Option<u32>,
    step: Option<u32>,
    count: u32,
    sizes: &'a dyn Fn(&Place) -> Option<ListKind>,
    /// The labels that other processes and claims name.
    named: BTreeSet<&'a str>,
    sink: &'a mut Diagnostics,
}

/// The list of `for (x in list)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ListKind {
    /// An array of so many elements.
    Array(i64),
    /// A channel.
    Channel {
        /// Whether it may be one without room for messages.
        may_meet: bool,
    },
}

/// The control points of the statements of a proctype, some of whose labels are named by other processes and claims.
pub(super) fn flow(
    body: &[Stmt],
    end: Span,
    sizes: &dyn Fn(&Place) -> Option<ListKind>,
    named: BTreeSet<&str>,
    wrong: Wrong,
    sink: &mut Diagnostics,
) -> Flow {
    let mut builder = Builder {
        points: Vec::new(),
        same: Vec::new(),
        labels: BTreeMap::new(),
        breaks: Vec::new(),
        outside: BTreeSet::new(),
        inside_steps: BTreeSet::new(),
        jumps: Vec::new(),
        steps_of_labels: BTreeMap::new(),
        escapes_from_steps: wrong.escapes_from_steps(),
        shares_points: wrong.shares_points(),
        jumps_are_no_steps: wrong.jumps_are_no_steps(),
        escapes_by_jumps: wrong.escapes_by_jumps(),
        escapes_further: wrong.escapes_further(),
        labels_share_points: wrong.labels_share_points(),
        stays_on_jumps: wrong.stays_on_jumps(),
        at_choices: Vec::new(),
        at_jumps: Vec::new(),
        chosen: Vec::new(),
        atomic: None,
        step: None,
        count: 0,
        sizes,
        named,
        sink,
    };
    let last = builder.point(end);
    let start = builder.sequence(body, last);
    builder.finish(start, last)
}

impl Builder<'_> {
    fn point(&mut self, span: Span) -> Point {
        self.points.push(Control { edges: Vec::new(), atomic: self.atomic, step: self.step, span: Some(span) });
        self.same.push(None);
        self.points.len() - 1
    }

    fn edge(&self, action: Action, target: Point, span: Span) -> Edge {
        Edge {
            action,
            target,
            atomic: self.atomic,
            step: self.step,
            escapes: Vec::new(),
            stays: false,
            is_last: false,
            is_escape: false,
            passes: false,
            span,
        }
    }

    fn basic(&mut self, action: Action, next: Point, span: Span) -> Point {
        let edge = self.edge(action, next, span);
        let point = self.point(span);
        self.points[point].edges.push(edge);
        point
    }

    /// The point of a label, which may be defined later.
    fn label(&mut self, name: &Name) -> Point {
        if let Some(&(point, _)) = self.labels.get(&name.text) {
            return point;
        }
        let point = self.point(name.span);
        self.labels.insert(name.text.clone(), (point, Some(name.span)));
        point
    }

    fn sequence(&mut self, body: &[Stmt], next: Point) -> Point {
        body.iter().rev().fold(next, |next, stmt| self.statement(stmt, next))
    }

    /// A sequence that begins at a point with statements: a jump at its beginning is a step.
    fn guarded(&mut self, body: &[Stmt], next: Point) -> Point {
        let Some(first) = body.iter().position(|stmt| !matches!(stmt.kind, StmtKind::Declare(_))) else {
            return next;
        };
        let next = self.sequence(&body[first + 1..], next);
        self.guard(&body[first], next)
    }

    fn guard(&mut self, stmt: &Stmt, next: Point) -> Point {
        let mut unlabelled = stmt;
        while let StmtKind::Label(_, inner) = &unlabelled.kind {
            unlabelled = inner;
        }
        match &unlabelled.kind {
            StmtKind::Goto(_) | StmtKind::Break => {
                let target = self.statement(stmt, next);
                self.basic(Action::Skip, target, unlabelled.span)
            }
            StmtKind::Unless(body, escape) => self.unless(body, escape, next, true),
            _ => self.statement(stmt, next),
        }
    }

    fn statement(&mut self, stmt: &Stmt, next: Point) -> Point {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Declare(_) => next,
            StmtKind::Expr(value) => self.basic(Action::Expr(value.clone()), next, span),
            StmtKind::Assign(place, value) => self.basic(Action::Assign(place.clone(), value.clone()), next, span),
            StmtKind::Run(run, result) => self.basic(Action::Run(run.clone(), result.clone()), next, span),
            StmtKind::Send { channel, arguments, sorted } => {
                let (channel, arguments) = (channel.clone(), arguments.clone());
                self.basic(Action::Send { channel, arguments, sorted: *sorted }, next, span)
            }
            StmtKind::Receive { channel, arguments, random, keeps } => {
                let (channel, arguments) = (channel.clone(), arguments.clone());
                self.basic(Action::Receive { channel, arguments, random: *random, keeps: *keeps }, next, span)
            }
            StmtKind::Else => self.basic(Action::Else, next, span),
            StmtKind::Assert(value) => self.basic(Action::Assert(value.clone()), next, span),
            StmtKind::Print(shown) => self.basic(Action::Print(shown.clone()), next, span),
            StmtKind::If(options) => {
                let point = self.point(span);
                self.options(point, options, next);
                point
            }
            StmtKind::Do(options) => {
                let point = self.point(span);
                self.breaks.push(next);
                self.options(point, options, point);
                self.breaks.pop();
                point
            }
            StmtKind::For { variable, high, body } => {
                let high = binary(BinaryOp::LessEqual, value(variable), high.clone());
                self.loop_over(Loop { variable, low: None, within: high, body: &[], inner: body }, next, span)
            }
            StmtKind::ForIn { variable, list, counter, body } => {
                self.for_in(Elements { variable, list, counter }, body, next, span)
            }
            StmtKind::Select { variable, low, high, at_once } => {
                self.select(variable, [low, high], *at_once, next, span)
            }
            StmtKind::Atomic(body) => {
                let is_outermost = self.atomic.is_none();
                // The last statement makes the first point, unless it is a choice.
                let (entry, first) = self.atomic(body, next, false);
                if is_outermost && ends_in_statement(body) {
                    let last: Vec<Span> = self.points[first].edges.iter().map(|edge| edge.span).collect();
                    // A block that begins with it has a copy.
                    let edges = self.points[first..].iter_mut().flat_map(|point| &mut point.edges);
                    edges.filter(|edge| last.contains(&edge.span)).for_each(|edge| edge.is_last = true);
                }
                entry
            }
            StmtKind::DStep(body) => {
                let (entry, first) = self.atomic(body, next, true);
                self.inside_steps.extend((first..self.points.len()).filter(|&point| point != entry));
                entry
            }
            StmtKind::Block(body) => self.block(body, next),
            StmtKind::Unless(body, escape) => self.unless(body, escape, next, false),
            StmtKind::Goto(label) => {
                self.jumps.push((label.name.clone(), self.step));
                self.label(&label.name)
            }
            StmtKind::Break => self.break_target(span),
            StmtKind::Label(Label { name, .. }, inner) => {
                self.steps_of_labels.extend(self.step.map(|step| (name.text.clone(), step)));
                let entry = self.labelled(name, inner, next);
                let point = self.label(name);
                self.labels.insert(name.text.clone(), (point, None));
                assert!(self.same[point].is_none(), "a label stands at one place");
                self.same[point] = Some(entry);
                if self.atomic.is_none() {
                    self.outside.insert(point);
                }
                entry
            }
        }
    }

    /// A sequence in braces. It begins at a point of its own, which has the statements of its first one: a loop at its beginning comes back to the
    /// point of the loop, not to that of the braces.
    fn block(&mut self, body: &[Stmt], next: Point) -> Point {
        self.braces(body, next).unwrap_or_else(|entry| entry)
    }

    /// The point of a sequence in braces, as an error where it is that of its first statement.
    fn braces(&mut self, body: &[Stmt], next: Point) -> std::result::Result<Point, Point> {
        let entry = if self.jumps_are_no_steps { self.sequence(body, next) } else { self.guarded(body, next) };
        if entry == next || self.shares_points || self.points[entry].edges.is_empty() {
            return Err(entry);
        }
        let edges = self.points[entry].edges.clone();
        let point = self.point(self.points[entry].span.unwrap_or(Span::NONE));
        self.points[point].edges = edges;
        self.chosen.push(entry);
        Ok(point)
    }

    /// An atomic sequence or a `d_step`: its first point, and the number of the first one of its points. A process at the first point is not yet inside.
    fn atomic(&mut self, body: &[Stmt], next: Point, is_step: bool) -> (Point, Point) {
        let outer = (self.atomic, self.step);
        let is_outermost = self.atomic.is_none();
        let next = if is_outermost { self.exit(next) } else { next };
        let leave = if is_outermost { self.breaks.last().copied() } else { None };
        if let Some(target) = leave {
            let exit = self.exit(target);
            self.breaks.push(exit);
        }
        if is_outermost {
            self.count += 1;
            self.atomic = Some(self.count);
        }
        if is_step {
            self.count += 1;
            self.step = self.step.or(Some(self.count));
        }
        let first = self.points.len();
        let entry = self.braces(body, next);
        (self.atomic, self.step) = outer;
        if leave.is_some() {
            self.breaks.pop();
        }
        if let Ok(point) = entry
            && !self.stays_on_jumps
        {
            (self.points[point].atomic, self.points[point].step) = outer;
        }
        (entry.unwrap_or_else(|entry| entry), first)
    }

    /// A way to a point, outside of atomic sequences.
    fn exit(&mut self, target: Point) -> Point {
        let point = self.point(self.points[target].span.unwrap_or(Span::NONE));
        self.same[point] = Some(target);
        self.outside.insert(point);
        point
    }

    /// The point of a statement with a label. A jump behind a label with a meaning, or behind one that is named elsewhere, has a step of its own, so that a
    /// process is at the label before it.
    fn labelled(&mut self, name: &Name, inner: &Stmt, next: Point) -> Point {
        let entry = self.statement(inner, next);
        if self.labels_share_points {
            return entry;
        }
        let is_seen = |label: &Name| has_meaning(&label.text) || self.named.contains(label.text.as_str());
        let mut labelled = inner;
        while let StmtKind::Label(other, inner) = &labelled.kind
            && !is_seen(&other.name)
        {
            labelled = inner;
        }
        let is_jump = matches!(labelled.kind, StmtKind::Goto(_) | StmtKind::Break);
        let has_step = is_jump && is_seen(name);
        if is_jump && !has_meaning(&name.text) && self.named.contains(plain(&name.text)) {
            self.at_jumps.push(name.clone());
        }
        if has_step { self.basic(Action::Skip, entry, labelled.span) } else { entry }
    }

    fn break_target(&mut self, span: Span) -> Point {
        if let Some(&point) = self.breaks.last() {
            return point;
        }
        let known = self.sink.list.iter().any(|other| other.code == codes::PROMELA_LABEL && other.span == span);
        if !known {
            let message = "`break` outside of a loop";
            self.sink.push(Diagnostic::error(codes::PROMELA_LABEL, span, message));
        }
        self.point(span)
    }

    /// Adds the options of a choice to its point, `else` behind the others.
    fn options(&mut self, point: Point, options: &[Vec<Stmt>], next: Point) {
        let mut otherwise = Vec::new();
        for option in options {
            let mut first = option.first();
            while let Some(Stmt { kind: StmtKind::Label(label, inner), .. }) = first {
                self.at_choices.push(label.name.clone());
                first = Some(inner);
            }
            let entry = self.guarded(option, next);
            if first.is_none() {
                let edge = self.edge(Action::Skip, next, self.points[point].span.unwrap_or(Span::NONE));
                self.points[point].edges.push(edge);
                continue;
            }
            let edges = self.points[entry].edges.clone();
            match first.map(|stmt| &stmt.kind) {
                Some(StmtKind::Else) => otherwise.extend(edges),
                _ => self.points[point].edges.extend(edges),
            }
            self.chosen.push(entry);
        }
        self.points[point].edges.extend(otherwise);
    }

    /// The point of an escape, or one with its statements without those that escape from them in turn: these interrupt the escape, and not what it
    /// escapes from.
    fn without_escapes(&mut self, point: Point) -> Point {
        let edges = &self.points[point].edges;
        if self.escapes_further || !edges.iter().any(|edge| edge.is_escape) {
            return point;
        }
        let own = edges.iter().filter(|edge| !edge.is_escape);
        let edges = own.map(|edge| Edge { escapes: Vec::new(), ..edge.clone() }).collect();
        self.points.push(Control { edges, ..self.points[point].clone() });
        self.same.push(None);
        self.points.len() - 1
    }

    fn unless(&mut self, body: &[Stmt], escape: &[Stmt], next: Point, is_guard: bool) -> Point {
        let span = escape.first().map_or(Span::NONE, |stmt| stmt.span);
        let escape = self.sequence(escape, next);
        self.chosen.push(escape);
        let escape = self.without_escapes(escape);
        let first = self.points.len();
        let entry = if is_guard { self.guarded(body, next) } else { self.sequence(body, next) };
        let mut escapes = self.points[escape].edges.clone();
        if escapes.is_empty() {
            let jump = self.edge(Action::Skip, escape, span);
            escapes.push(Edge { passes: true, ..jump });
        }
        escapes.iter_mut().for_each(|edge| edge.is_escape = true);
        for point in first..self.points.len() {
            // A `d_step` is one statement, which an escape does not leave.
            let is_inside = self.inside_steps.contains(&point) && !self.escapes_from_steps;
            let control = &mut self.points[point];
            if control.edges.is_empty() || is_inside {
                continue;
            }
            for edge in &mut control.edges {
                edge.escapes.push(escape);
            }
            control.edges.splice(0..0, escapes.clone());
        }
        entry
    }
}

/// Whether a label says something of the processes at it.
fn has_meaning(label: &str) -> bool {
    ["accept", "progress", "end"].iter().any(|prefix| label.starts_with(prefix))
}

/// Whether a sequence ends in a basic statement, in no choice.
fn ends_in_statement(body: &[Stmt]) -> bool {
    let mut last = body.last();
    while let Some(Stmt { kind, .. }) = last {
        last = match kind {
            StmtKind::Label(_, inner) => Some(inner),
            StmtKind::Block(body) | StmtKind::Atomic(body) => body.last(),
            StmtKind::DStep(_) | StmtKind::Unless(..) | StmtKind::If(_) | StmtKind::Do(_) => return false,
            StmtKind::For { .. } | StmtKind::ForIn { .. } | StmtKind::Select { .. } => return false,
            StmtKind::Goto(_) | StmtKind::Break | StmtKind::Declare(_) => return false,
            _ => return true,
        };
    }
    false
}
