//! A `d_step` as the body of one summand.
//!
//! A `d_step` is deterministic: at each of its points the first option that can be executed is taken. From its first statement on the rest is
//! followed point by point: constants that the body has assigned are known, so that conditions on them are decided and loops over them
//! are unrolled; where a condition remains, its sides are followed to the point where they meet again.
//!
//! Invariant: the body leaves the `d_step` exactly once on each path, or fails. Statements that a body cannot contain (`run`, `assert`, a rendezvous, a
//! sorted send, conditions on control points, loops that are not decided) keep the steps of the turn, which mean the same.
//!
//! Source: SPIN's manual on `d_step`; `docs/semantics.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::super::flow::{Action, Point};
use super::steps::Site;
use super::targets::{Access, NO_CHANNEL, Targets};
use super::{Context, Lowering, Refused, Wrong};
use crate::sequential::from_actors::build::{and, assign, fail, int, is_safe, local, not, or, place as element, when};
use crate::sequential::interpret::arithmetic;
use crate::sequential::{Expr, ExprKind, ParameterId, Place, Stmt, StmtKind, VariableId};
use crate::source::Span;

/// The most points that the body of a `d_step` may go through.
const MOST_POINTS: usize = 512;

/// The most points of a `d_step` that may be one body.
const MOST_INSIDE: usize = 256;

/// The most points that all bodies of a text may go through.
pub(super) const MOST_POINTS_OF_TEXT: usize = 1 << 16;

/// The fault of a `d_step` none of whose statements can be executed.
pub(super) const BLOCKED: &str = "a d_step cannot go on";

/// The reason that there is no body for the rest of a `d_step`.
enum NoBody {
    /// One body cannot say it.
    GivenUp,
    /// A fault of the text was reported.
    Refused(Refused),
}

impl From<Refused> for NoBody {
    fn from(refused: Refused) -> NoBody {
        NoBody::Refused(refused)
    }
}

/// For each point of a `d_step` the points of it that all paths from there to its outside go through; empty where it has too many points.
pub(super) type Common = BTreeMap<Point, BTreeSet<Point>>;

/// The end of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// It comes to the point where the sides of a choice meet.
    Meets,
    /// It leaves the `d_step`.
    Leaves,
    /// It fails.
    Fails,
}

/// A statement that may be executed at a point.
struct Alternative {
    condition: Expr,
    effects: Vec<Stmt>,
    site: Site,
}

/// The elements whose values are known.
#[derive(Clone, Default)]
pub(super) struct Known(Vec<(VariableId, Vec<Expr>, Expr)>);

impl Known {
    /// An expression with the known values in place of reads, its operations computed where their operands are known. `exists` says of reads
    /// whether their elements exist.
    pub(super) fn folded(&self, expr: &Expr, exists: &dyn Fn(&Expr) -> bool) -> Expr {
        let fold = |inner: &Expr| Box::new(self.folded(inner, exists));
        let kind = match &expr.kind {
            ExprKind::Read(place) => {
                let indices: Vec<Expr> = place.indices.iter().map(|index| self.folded(index, exists)).collect();
                let known = self.0.iter().find(|(id, at, _)| *id == place.variable && are_alike(at, &indices));
                match known {
                    Some((_, _, value)) => value.kind.clone(),
                    None => ExprKind::Read(element(place.variable, indices)),
                }
            }
            ExprKind::Lookup(table, indices) => {
                ExprKind::Lookup(*table, indices.iter().map(|index| self.folded(index, exists)).collect())
            }
            ExprKind::Not(inner) => not(self.folded(inner, exists)).kind,
            ExprKind::And(list) => self.connected(list, (0, and), exists),
            ExprKind::Or(list) => self.connected(list, (1, or), exists),
            ExprKind::Ite(condition, then, otherwise) => match self.folded(condition, exists).kind {
                ExprKind::Int(0) => self.folded(otherwise, exists).kind,
                ExprKind::Int(1) => self.folded(then, exists).kind,
                kind => ExprKind::Ite(Box::new(Expr { kind, span: condition.span }), fold(then), fold(otherwise)),
            },
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.folded(left, exists), self.folded(right, exists));
                let computed = match (&left.kind, &right.kind) {
                    (ExprKind::Int(a), ExprKind::Int(b)) => arithmetic(*op, *a, *b).ok(),
                    _ => None,
                };
                computed.map_or_else(|| ExprKind::Binary(*op, Box::new(left), Box::new(right)), ExprKind::Int)
            }
            _ => expr.kind.clone(),
        };
        Expr { kind, span: expr.span }
    }

    /// A conjunction (`decisive` 0) or disjunction (1). Operands behind a decisive one are not evaluated; those before it are kept where
    /// they may fault.
    fn connected(
        &self,
        list: &[Expr],
        (decisive, connect): (i32, fn(Vec<Expr>) -> Expr),
        exists: &dyn Fn(&Expr) -> bool,
    ) -> ExprKind {
        let mut kept = Vec::new();
        for operand in list {
            let operand = self.folded(operand, exists);
            let decides = operand.kind == ExprKind::Int(decisive);
            if decides && kept.iter().all(|one| is_safe(one, exists)) {
                return ExprKind::Int(decisive);
            }
            kept.push(operand);
            if decides {
                break;
            }
        }
        connect(kept).kind
    }

    /// Notes an assignment.
    pub(super) fn assign(&mut self, place: &Place, value: &Expr, wrong: Wrong) {
        let is_literal = |index: &Expr| matches!(index.kind, ExprKind::Int(_));
        let differs = |at: &[Expr]| {
            let (literals, kept) = (|a, b| is_literal(a) && is_literal(b), wrong.keeps_known());
            at.iter().zip(&place.indices).any(|(a, b)| (literals(a, b) || kept) && a.kind != b.kind)
        };
        self.0.retain(|(id, at, _)| *id != place.variable || differs(at));
        let is_fixed = |index: &Expr| matches!(index.kind, ExprKind::Int(_) | ExprKind::Parameter(_));
        if is_literal(value) && place.indices.iter().all(is_fixed) {
            let plain = |expr: &Expr| Expr::new(expr.kind.clone(), Span::NONE);
            self.0.push((place.variable, place.indices.iter().map(plain).collect(), plain(value)));
        }
    }

    /// The values that are known on both sides.
    fn common(self, other: &Known) -> Known {
        Known(self.0.into_iter().filter(|one| other.0.contains(one)).collect())
    }
}

/// Whether indices are alike, wherever they stand in the text; those of known elements are literals and parameters.
fn are_alike(known: &[Expr], indices: &[Expr]) -> bool {
    known.len() == indices.len() && known.iter().zip(indices).all(|(a, b)| a.kind == b.kind)
}

/// Follows one `d_step` of a proctype.
struct Merger<'l, 'a> {
    lowering: &'l mut Lowering<'a>,
    context: Context,
    process: usize,
    step: u32,
    common: Rc<Common>,
    left: usize,
}

impl Lowering<'_> {
    /// Whether the element that an expression reads certainly exists: a variable, or the local of the process of this proctype that moves. Its
    /// number may be outside of any other array.
    pub(super) fn exists(&self, process: usize, expr: &Expr) -> bool {
        let ExprKind::Read(place) = &expr.kind else { return false };
        let [index] = &place.indices[..] else { return place.indices.is_empty() };
        let own = [self.slots[process].sort];
        let is_local = self.wrong.trusts_numbers() || self.model.variables[place.variable.index()].indices == own;
        index.kind == ExprKind::Parameter(ParameterId(0)) && is_local
    }

    /// The body of a statement after its effects: the end of its step, or the rest of the `d_step` that it begins.
    pub(super) fn go_on(&mut self, site: Site, effects: Vec<Stmt>) -> Result<Vec<Stmt>, Refused> {
        let context = self.context(site.process);
        let pid = context.pid.clone().expect("a process has a number");
        let known = self.known_at(site)?;
        let points = &self.flows[site.process].points;
        let edge = self.edge(site);
        let goes_on = edge.step.filter(|_| points[edge.target].step == edge.step && !self.wrong.steps_apart());
        let is_held = self.wrong.provided_inside_steps() && self.processes[site.process].provided.is_some();
        if let Some(step) = goes_on.filter(|_| !is_held) {
            let process = site.process;
            let common = self.common.entry((process, step)).or_insert_with(|| Rc::new(common_points(points, step)));
            let common = Rc::clone(common);
            let mut merger = Merger { lowering: self, context, process, step, common, left: MOST_POINTS };
            match merger.body(site, (effects.clone(), known)) {
                Ok(body) => return Ok(body),
                Err(NoBody::Refused(refused)) => return Err(refused),
                Err(NoBody::GivenUp) => {}
            }
        }
        let mut body = effects;
        body.extend(self.leave(site, &pid));
        Ok(body)
    }
}

impl Merger<'_, '_> {
    fn body(&mut self, site: Site, (effects, mut known): (Vec<Stmt>, Known)) -> Result<Vec<Stmt>, NoBody> {
        let mut out = Vec::new();
        let first = Alternative { condition: int(1), effects, site };
        let end = self.take(first, None, &mut known, &mut out)?;
        assert_ne!(end, End::Meets, "the outermost path has nothing to meet");
        Ok(out)
    }

    /// Executes a statement and follows what comes behind it.
    fn take(
        &mut self,
        taken: Alternative,
        meeting: Option<Point>,
        known: &mut Known,
        out: &mut Vec<Stmt>,
    ) -> Result<End, NoBody> {
        let edge = self.lowering.edge(taken.site).clone();
        let exists = |read: &Expr| self.lowering.exists(self.process, read);
        for stmt in taken.effects {
            let (place, value) = match stmt.kind {
                StmtKind::Assign(place, value) => (place, value),
                StmtKind::Var(id, value) => {
                    out.push(Stmt { span: edge.span, ..local(id, known.folded(&value, &exists)) });
                    continue;
                }
                StmtKind::Fail(_) => {
                    out.push(Stmt { span: edge.span, ..stmt });
                    return Ok(End::Fails);
                }
                _ => return Err(NoBody::GivenUp),
            };
            let indices = place.indices.iter().map(|index| known.folded(index, &exists)).collect();
            let (place, value) = (element(place.variable, indices), known.folded(&value, &exists));
            known.assign(&place, &value, self.lowering.wrong);
            out.push(Stmt { span: edge.span, ..assign(place, value) });
        }
        if self.lowering.flows[self.process].points[edge.target].step != Some(self.step) {
            let pid = self.context.pid.clone().expect("a process has a number");
            let leave = self.lowering.leave(taken.site, &pid);
            out.extend(leave.into_iter().map(|stmt| Stmt { span: edge.span, ..stmt }));
            return Ok(End::Leaves);
        }
        self.follow(edge.target, meeting, known, out)
    }

    /// Follows the paths from a point to the one where they meet, or out of the `d_step`.
    fn follow(
        &mut self,
        point: Point,
        meeting: Option<Point>,
        known: &mut Known,
        out: &mut Vec<Stmt>,
    ) -> Result<End, NoBody> {
        if Some(point) == meeting {
            return Ok(End::Meets);
        }
        limits::work(1);
        if self.common.is_empty() {
            return Err(NoBody::GivenUp);
        }
        self.left = self.left.checked_sub(1).ok_or(NoBody::GivenUp)?;
        self.lowering.points_left = self.lowering.points_left.checked_sub(1).ok_or(NoBody::GivenUp)?;
        let span = self.lowering.flows[self.process].points[point].span;
        let blocked = || span.into_iter().map(|span| Stmt { span, ..fail(BLOCKED) }).collect::<Vec<_>>();
        let mut open = Vec::new();
        let mut is_sure = false;
        let alternatives = self.alternatives(point)?;
        let exists = |read: &Expr| self.lowering.exists(self.process, read);
        for alternative in alternatives {
            let condition = known.folded(&alternative.condition, &exists);
            is_sure = condition.kind == ExprKind::Int(1);
            if condition.kind != ExprKind::Int(0) {
                open.push(Alternative { condition, ..alternative });
            }
            if is_sure {
                break;
            }
        }
        if is_sure && open.len() == 1 {
            return self.take(open.remove(0), meeting, known, out);
        }
        if open.is_empty() {
            out.extend(blocked());
            return Ok(End::Fails);
        }
        let is_sure = is_sure || self.lowering.wrong.last_is_sure();
        let inner = self.meeting(point);
        let mut after: Option<Known> = None;
        let mut otherwise = if is_sure { Vec::new() } else { blocked() };
        let last = open.len() - 1;
        for (number, alternative) in open.into_iter().enumerate().rev() {
            let (mut own, mut body) = (known.clone(), Vec::new());
            let condition = alternative.condition.clone();
            let end = self.take(alternative, inner, &mut own, &mut body)?;
            if end == End::Leaves && inner.is_some() {
                return Err(NoBody::GivenUp);
            }
            assert!(end != End::Meets || inner.is_some(), "paths that meet have a point where they meet");
            if end == End::Meets {
                after = Some(after.map_or(own.clone(), |other| other.common(&own)));
                if self.lowering.wrong.keeps_sides() {
                    after = Some(known.clone());
                }
            }
            otherwise = match is_sure && number == last {
                true => body,
                false => vec![when(condition, body, otherwise)],
            };
        }
        out.extend(otherwise);
        let (Some(inner), Some(after)) = (inner, after) else {
            return Ok(if inner.is_some() { End::Fails } else { End::Leaves });
        };
        *known = after;
        self.follow(inner, meeting, known, out)
    }

    /// The first point at which all paths from a point meet inside of the `d_step`.
    fn meeting(&self, point: Point) -> Option<Point> {
        let common = &self.common[&point];
        common.iter().copied().filter(|&other| other != point).max_by_key(|other| self.common[other].len())
    }

    /// The statements of a point with their conditions and effects, in order.
    fn alternatives(&mut self, point: Point) -> Result<Vec<Alternative>, NoBody> {
        let mut list = Vec::new();
        for edge in 0..self.lowering.flows[self.process].points[point].edges.len() {
            let site = Site { process: self.process, point, edge };
            let own = self.lowering.edge(site).clone();
            if own.step != Some(self.step) || !own.escapes.is_empty() {
                return Err(NoBody::GivenUp);
            }
            let found = match &own.action {
                Action::Run(..) | Action::Assert(_) => return Err(NoBody::GivenUp),
                Action::Send { channel, arguments, sorted } => {
                    let mut found = Vec::new();
                    let Targets { list, missing } = self.lowering.channel(channel, Access::Puts, &self.context)?;
                    for target in list {
                        if *sorted || self.lowering.groups[target.group].capacity == 0 {
                            return Err(NoBody::GivenUp);
                        }
                        let can = self.lowering.has_room(&target);
                        let values = self.lowering.sent(arguments, &self.context)?;
                        self.lowering.check_arguments(&target, values.len(), own.span)?;
                        let effects = self.lowering.send(&target, values, false, &self.context);
                        found.push((and(target.condition.into_iter().chain([can]).collect()), effects));
                    }
                    found.extend(missing.map(|missing| (missing.condition, vec![fail(NO_CHANNEL)])));
                    found
                }
                Action::Receive { channel, arguments, random, keeps } => {
                    let arguments = self.lowering.received(arguments, &self.context);
                    let mut found = Vec::new();
                    let Targets { list, missing } = self.lowering.channel(channel, Access::Takes, &self.context)?;
                    for target in list {
                        self.lowering.check_arguments(&target, arguments.len(), own.span)?;
                        let capacity = self.lowering.groups[target.group].capacity;
                        if capacity == 0 {
                            return Err(NoBody::GivenUp);
                        }
                        for slot in 0..if *random { capacity } else { 1 } {
                            found.push(self.lowering.receipt(&target, (&arguments, slot), *keeps, &self.context)?);
                        }
                    }
                    found.extend(missing.map(|missing| (missing.condition, vec![fail(NO_CHANNEL)])));
                    found
                }
                Action::Assign(place, value) => {
                    vec![(int(1), self.lowering.assignment(place, value, &self.context)?)]
                }
                Action::Else => vec![(int(1), Vec::new())],
                Action::Print(shown) => vec![(int(1), self.lowering.shown(shown, &self.context)?)],
                Action::Skip | Action::Expr(_) => {
                    let condition = self.lowering.executable(site, &self.context)?;
                    vec![(condition, Vec::new())]
                }
            };
            let found = found.into_iter().map(|(condition, effects)| Alternative { condition, effects, site });
            list.extend(found);
        }
        let controls: Vec<VariableId> = self.lowering.controls.iter().map(|control| control.0).collect();
        let reads_control = |one: &Alternative| {
            let values = one.effects.iter().flat_map(Stmt::expressions);
            values.chain([&one.condition]).any(|expr| reads(expr, &controls))
        };
        if list.iter().any(reads_control) { Err(NoBody::GivenUp) } else { Ok(list) }
    }
}

/// Whether an expression reads one of some variables.
pub(super) fn reads(expr: &Expr, variables: &[VariableId]) -> bool {
    expr.reads(|variable| variables.contains(&variable))
}

/// See [`Common`].
fn common_points(points: &[super::super::flow::Control], step: u32) -> Common {
    let inside: BTreeSet<Point> = (0..points.len()).filter(|&point| points[point].step == Some(step)).collect();
    if inside.len() > MOST_INSIDE {
        return Common::new();
    }
    let mut common: Common = inside.iter().map(|&point| (point, inside.clone())).collect();
    loop {
        let mut has_changed = false;
        for &point in &inside {
            limits::work(inside.len() as u64);
            let behind = points[point].edges.iter().map(|edge| common.get(&edge.target).cloned().unwrap_or_default());
            let mut own = behind.reduce(|all, one| &all & &one).unwrap_or_default();
            own.insert(point);
            has_changed |= common[&point] != own;
            common.insert(point, own);
        }
        if !has_changed {
            return common;
        }
    }
}
