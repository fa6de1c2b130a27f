//! The control points of a proctype and the basic statements between them, as SPIN counts them.
//!
//! A basic statement is one step. `goto` and `break` behind a statement are no step; as the first statement of an
//! option they are one. `if`, `do`, braces and labels are no steps. A choice whose first statement is a choice has the
//! options of both, those of the inner one where it stands. A sequence is built from its end: each statement knows the point behind it.
//!
//! Invariant: after [`flow`] every target is a point of the graph, and no point stands for another.

use std::collections::{BTreeMap, BTreeSet};

use super::lower::Wrong;
use super::syntax::ast::{Argument, Binary, Expr, ExprKind, Name, Part, Place, Result, Run, Stmt, StmtKind};
use crate::diagnostics::{Diagnostic, Diagnostics, closest, codes};
use crate::source::Span;

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
    /// Whether it is the last statement in the text of its atomic sequence, in no choice.
    pub is_last: bool,
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
    /// `printf`
    Print,
}

struct Builder<'a> {
    points: Vec<Control>,
    /// The point that a point stands for.
    same: Vec<Option<Point>>,
    labels: BTreeMap<String, (Point, Option<Span>)>,
    breaks: Vec<Point>,
    /// The points of `d_step` but for their first ones.
    inside_steps: BTreeSet<Point>,
    /// Known to be wrong: an escape leaves a `d_step` in its midst.
    escapes_from_steps: bool,
    /// Known to be wrong: braces have the point of their first statement.
    shares_points: bool,
    /// The labels before the first statement of an option, and the points of the first statements of options and braces: a process is there only
    /// after a jump.
    at_choices: Vec<Name>,
    chosen: Vec<Point>,
    atomic: Option<u32>,
    step: Option<u32>,
    count: u32,
    sizes: &'a dyn Fn(&Place) -> Option<ListKind>,
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

/// The control points of the statements of a proctype.
pub(super) fn flow(
    body: &[Stmt],
    end: Span,
    sizes: &dyn Fn(&Place) -> Option<ListKind>,
    wrong: Wrong,
    sink: &mut Diagnostics,
) -> Flow {
    let mut builder = Builder {
        points: Vec::new(),
        same: Vec::new(),
        labels: BTreeMap::new(),
        breaks: Vec::new(),
        inside_steps: BTreeSet::new(),
        escapes_from_steps: wrong.escapes_from_steps(),
        shares_points: wrong.shares_points(),
        at_choices: Vec::new(),
        chosen: Vec::new(),
        atomic: None,
        step: None,
        count: 0,
        sizes,
        sink,
    };
    let last = builder.point(end);
    // A `goto` that begins a proctype is a step.
    let start = match body.first().map(|stmt| &stmt.kind) {
        Some(StmtKind::Goto(name)) => {
            let target = builder.label(name);
            builder.sequence(&body[1..], last);
            builder.basic(Action::Skip, target, body[0].span)
        }
        _ => builder.sequence(body, last),
    };
    builder.finish(start, last)
}

impl Builder<'_> {
    fn point(&mut self, span: Span) -> Point {
        self.points.push(Control { edges: Vec::new(), atomic: self.atomic, step: self.step, span: Some(span) });
        self.same.push(None);
        self.points.len() - 1
    }

    fn edge(&self, action: Action, target: Point, span: Span) -> Edge {
        Edge { action, target, atomic: self.atomic, step: self.step, escapes: Vec::new(), is_last: false, span }
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
            StmtKind::Print(_) => self.basic(Action::Print, next, span),
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
            StmtKind::For { variable, low, high, body } => {
                let high = binary(Binary::LessEqual, value(variable), high.clone());
                self.loop_over(Loop { variable, low: low.clone(), within: high, body: &[], inner: body }, next, span)
            }
            StmtKind::ForIn { variable, list, counter, body } => {
                self.for_in(Elements { variable, list, counter }, body, next, span)
            }
            StmtKind::Select { variable, low, high } => self.select(variable, [low, high], next, span),
            StmtKind::Atomic(body) => {
                let outer = self.atomic;
                self.enter_atomic();
                // The last statement makes the first point, unless it is a choice.
                let first = self.points.len();
                let entry = self.block(body, next);
                if outer.is_none() && ends_in_statement(body) {
                    let last: Vec<Span> = self.points[first].edges.iter().map(|edge| edge.span).collect();
                    // A block that begins with it has a copy.
                    let edges = self.points[first..].iter_mut().flat_map(|point| &mut point.edges);
                    edges.filter(|edge| last.contains(&edge.span)).for_each(|edge| edge.is_last = true);
                }
                self.atomic = outer;
                entry
            }
            StmtKind::DStep(body) => {
                let outer = (self.atomic, self.step);
                self.enter_atomic();
                self.count += 1;
                self.step = self.step.or(Some(self.count));
                let first = self.points.len();
                let entry = self.block(body, next);
                self.inside_steps.extend((first..self.points.len()).filter(|&point| point != entry));
                (self.atomic, self.step) = outer;
                entry
            }
            StmtKind::Block(body) => self.block(body, next),
            StmtKind::Unless(body, escape) => self.unless(body, escape, next),
            StmtKind::Goto(name) => self.label(name),
            StmtKind::Break => self.break_target(span),
            StmtKind::Label(name, inner) => {
                let entry = self.statement(inner, next);
                let point = self.label(name);
                if self.labels.insert(name.text.clone(), (point, None)).is_some_and(|(_, open)| open.is_none()) {
                    let message = format!("the label `{}` stands twice in this proctype", name.text);
                    self.sink.push(Diagnostic::error(codes::PROMELA_DUPLICATE, name.span, message));
                }
                self.same[point] = Some(entry);
                entry
            }
        }
    }

    /// A sequence in braces. It begins at a point of its own, which has the statements of its first one: a loop at its beginning comes back to the
    /// point of the loop, not to that of the braces.
    fn block(&mut self, body: &[Stmt], next: Point) -> Point {
        let entry = self.sequence(body, next);
        if entry == next || begins_with_jump(body) || self.shares_points {
            return entry;
        }
        let edges = self.points[entry].edges.clone();
        let point = self.point(self.points[entry].span.unwrap_or(Span::NONE));
        self.points[point].edges = edges;
        self.chosen.push(entry);
        point
    }

    fn enter_atomic(&mut self) {
        if self.atomic.is_none() {
            self.count += 1;
            self.atomic = Some(self.count);
        }
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
            while let Some(Stmt { kind: StmtKind::Label(name, inner), .. }) = first {
                self.at_choices.push(name.clone());
                first = Some(inner);
            }
            let jump = match first.map(|stmt| (&stmt.kind, stmt.span)) {
                Some((StmtKind::Goto(name), span)) => Some((self.label(name), span)),
                Some((StmtKind::Break, span)) => Some((self.break_target(span), span)),
                Some(_) => None,
                None => Some((next, self.points[point].span.unwrap_or(Span::NONE))),
            };
            let entry = self.sequence(option, next);
            if let Some((target, span)) = jump {
                let edge = self.edge(Action::Skip, target, span);
                self.points[point].edges.push(edge);
            } else {
                let edges = self.points[entry].edges.clone();
                match first.map(|stmt| &stmt.kind) {
                    Some(StmtKind::Else) => otherwise.extend(edges),
                    _ => self.points[point].edges.extend(edges),
                }
                self.chosen.push(entry);
            }
        }
        self.points[point].edges.extend(otherwise);
    }

    fn loop_over(&mut self, Loop { variable, low, within, body, inner }: Loop<'_>, next: Point, span: Span) -> Point {
        let around = self.point(span);
        let one = Expr { kind: ExprKind::Int(1), span };
        let step = binary(Binary::Add, value(variable), one);
        let increase = self.basic(Action::Assign(variable.clone(), step), around, variable.span);
        self.breaks.push(next);
        let entry = self.sequence(inner, increase);
        self.breaks.pop();
        let entry = self.sequence(body, entry);
        let enter = self.edge(Action::Expr(within), entry, span);
        let leave = self.edge(Action::Else, next, span);
        self.points[around].edges.extend([enter, leave]);
        self.basic(Action::Assign(variable.clone(), low), around, span)
    }

    fn for_in(&mut self, elements: Elements<'_>, body: &[Stmt], next: Point, span: Span) -> Point {
        let Elements { variable, list, counter } = elements;
        let int = |value| Expr { kind: ExprKind::Int(value), span };
        match (self.sizes)(list) {
            Some(ListKind::Array(size)) => {
                let within = binary(Binary::LessEqual, value(variable), int(size - 1));
                self.loop_over(Loop { variable, low: int(0), within, body: &[], inner: body }, next, span)
            }
            Some(ListKind::Channel { .. }) => {
                let name = Name { text: counter.to_owned(), span: list.span };
                let counter = Place { parts: vec![Part { name, index: None }], span };
                let len = Expr { kind: ExprKind::Measure(super::syntax::ast::Measure::Len, list.clone()), span };
                let within = binary(Binary::Less, value(&counter), len);
                let receive = StmtKind::Receive {
                    channel: list.clone(),
                    arguments: vec![Argument::Place(variable.clone())],
                    random: false,
                    keeps: false,
                };
                let send = StmtKind::Send { channel: list.clone(), arguments: vec![value(variable)], sorted: false };
                let turn = [receive, send].map(|kind| Stmt { kind, span });
                self.loop_over(Loop { variable: &counter, low: int(0), within, body: &turn, inner: body }, next, span)
            }
            None => {
                let message = "`for (x in list)` needs an array or a channel";
                self.sink.push(Diagnostic::error(codes::PROMELA_TYPE, list.span, message));
                next
            }
        }
    }

    fn select(&mut self, variable: &Place, [low, high]: [&Expr; 2], next: Point, span: Span) -> Point {
        if let (ExprKind::Int(low), ExprKind::Int(high)) = (&low.kind, &high.kind) {
            let point = self.point(span);
            for number in *low..=(*high).min(low.saturating_add(1 << 16)) {
                let number = Expr { kind: ExprKind::Int(number), span };
                let edge = self.edge(Action::Assign(variable.clone(), number), next, span);
                self.points[point].edges.push(edge);
            }
            return point;
        }
        let around = self.point(span);
        let one = Expr { kind: ExprKind::Int(1), span };
        let step = binary(Binary::Add, value(variable), one);
        let increase = self.basic(Action::Assign(variable.clone(), step), around, span);
        let more = self.edge(Action::Expr(binary(Binary::Less, value(variable), high.clone())), increase, span);
        let leave = self.edge(Action::Skip, next, span);
        self.points[around].edges.extend([more, leave]);
        self.basic(Action::Assign(variable.clone(), low.clone()), around, span)
    }

    fn unless(&mut self, body: &[Stmt], escape: &[Stmt], next: Point) -> Point {
        let escape = self.sequence(escape, next);
        self.chosen.push(escape);
        let first = self.points.len();
        let entry = self.sequence(body, next);
        let escapes = self.points[escape].edges.clone();
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
            control.edges.extend(escapes.clone());
        }
        entry
    }

    /// A rendezvous gives the turn away, so that the process leaves an atomic sequence behind its send statement by a step of its own, unless that
    /// statement is the last one of the sequence.
    fn leave_after_meetings(&self, points: &mut Vec<Control>) {
        for (point, edge) in (0..points.len())
            .flat_map(|point| (0..points[point].edges.len()).map(move |edge| (point, edge)))
            .collect::<Vec<_>>()
        {
            let own = &points[point].edges[edge];
            let Action::Send { channel, .. } = &own.action else { continue };
            let may_meet = (self.sizes)(channel) == Some(ListKind::Channel { may_meet: true });
            let leaves = own.atomic.is_some() && own.step.is_none() && points[own.target].atomic != own.atomic;
            if !may_meet || !leaves || own.is_last {
                continue;
            }
            let goes = Edge { action: Action::Skip, escapes: Vec::new(), ..own.clone() };
            let between = Control { atomic: own.atomic, step: None, span: Some(own.span), edges: vec![goes] };
            points.push(between);
            let last = points.len() - 1;
            points[point].edges[edge].target = last;
        }
    }

    /// The point that a point stands for; `None` if labels stand for each other.
    fn resolved(&self, mut point: Point) -> Option<Point> {
        for _ in 0..=self.same.len() {
            match self.same[point] {
                Some(other) => point = other,
                None => return Some(point),
            }
        }
        None
    }

    /// A process is at the choice or the braces, never at the first statement in them unless something leads back there, so that a label there would not
    /// be seen. SPIN refuses it, too.
    fn refuse_labels_at_choices(&mut self) {
        let mut chosen: BTreeSet<Point> = self.chosen.iter().filter_map(|&point| self.resolved(point)).collect();
        for edge in self.points.iter().flat_map(|point| &point.edges) {
            self.resolved(edge.target).map(|target| chosen.remove(&target));
        }
        for (name, &(point, _)) in &self.labels {
            let has_meaning = ["accept", "progress", "end"].iter().any(|prefix| name.starts_with(prefix));
            let own = self.at_choices.iter().find(|label| label.text == *name).map(|label| label.span);
            let hidden = self.resolved(point).filter(|point| chosen.contains(point)).and(self.points[point].span);
            if let Some(span) = own.or(hidden).filter(|_| has_meaning) {
                let message = format!(
                    "the label `{name}` stands before the first statement of an option or of braces, where no process ever is"
                );
                let help = "put it before `if`, `do`, `unless` or `{`, or behind the first statement";
                self.sink.push(Diagnostic::error(codes::PROMELA_PLACE, span, message).help(help));
            }
        }
    }

    fn finish(mut self, start: Point, end: Point) -> Flow {
        let defined: Vec<String> =
            self.labels.iter().filter(|(_, (_, open))| open.is_none()).map(|(name, _)| name.clone()).collect();
        for (name, (_, open)) in &self.labels {
            if let Some(span) = open {
                let message = format!("there is no label `{name}` in this proctype");
                let help =
                    closest(name, defined.iter().map(String::as_str)).map(|name| format!("did you mean `{name}`?"));
                self.sink.push(Diagnostic::error(codes::PROMELA_LABEL, *span, message).help_opt(help));
            }
        }
        self.refuse_labels_at_choices();
        // `L: goto L` is a step that stays.
        for point in 0..self.points.len() {
            if self.resolved(point).is_none() {
                self.same[point] = None;
                let span = self.points[point].span.unwrap_or(Span::NONE);
                let edge = Edge { atomic: None, step: None, ..self.edge(Action::Skip, point, span) };
                self.points[point].edges.push(edge);
            }
        }
        let resolve = |point: Point| self.resolved(point).expect("circles are broken");
        let mut points = self.points.clone();
        for edge in points.iter_mut().flat_map(|point| &mut point.edges) {
            edge.target = resolve(edge.target);
            edge.escapes.iter_mut().for_each(|point| *point = resolve(*point));
        }
        let labels = self.labels.iter().map(|(name, &(point, _))| (name.clone(), resolve(point))).collect();
        self.leave_after_meetings(&mut points);
        let targets = points.iter().flat_map(|point| &point.edges).map(|edge| edge.target);
        assert!(
            { targets }.all(|target| self.same.get(target).is_none_or(Option::is_none)),
            "no target stands for another point"
        );
        let escapes = points.iter().flat_map(|point| &point.edges).flat_map(|edge| &edge.escapes);
        assert!(
            { escapes }.all(|&escape| self.same.get(escape).is_none_or(Option::is_none)),
            "no escape stands for another point"
        );
        assert!(points[end].edges.is_empty(), "nothing follows the closing brace");
        Flow { points, start: resolve(start), end, labels }
    }
}

/// Whether a sequence begins with `goto` or `break`.
fn begins_with_jump(body: &[Stmt]) -> bool {
    let mut first = body.iter().find(|stmt| !matches!(stmt.kind, StmtKind::Declare(_)));
    while let Some(Stmt { kind, .. }) = first {
        first = match kind {
            StmtKind::Label(_, inner) => Some(inner),
            StmtKind::Block(body) | StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Unless(body, _) => {
                body.iter().find(|stmt| !matches!(stmt.kind, StmtKind::Declare(_)))
            }
            _ => return matches!(kind, StmtKind::Goto(_) | StmtKind::Break),
        };
    }
    false
}

/// Whether a sequence ends in a basic statement, in no choice.
fn ends_in_statement(body: &[Stmt]) -> bool {
    let mut last = body.last();
    while let Some(Stmt { kind, .. }) = last {
        last = match kind {
            StmtKind::Label(_, inner) => Some(inner),
            StmtKind::Block(body) | StmtKind::Atomic(body) => body.last(),
            _ => return matches!(kind, StmtKind::Send { .. }),
        };
    }
    false
}

/// The head of `for (variable in list)`, with the name of the counter of messages.
#[derive(Clone, Copy)]
struct Elements<'a> {
    variable: &'a Place,
    list: &'a Place,
    counter: &'a str,
}

/// The parts of a loop: `variable = low; do :: within -> body; inner; variable++ :: else -> break od`.
struct Loop<'a> {
    variable: &'a Place,
    low: Expr,
    within: Expr,
    body: &'a [Stmt],
    inner: &'a [Stmt],
}

fn value(place: &Place) -> Expr {
    Expr { kind: ExprKind::Place(place.clone()), span: place.span }
}

fn binary(op: Binary, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
}
