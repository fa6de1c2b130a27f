//! The reads and writes of statements, as far as rounds of a loop may show each other.

use std::collections::BTreeSet;

use frontend::murphi::MAX_ROUNDS;
use frontend::murphi::program::{
    Argument, Base, Binder, BinderValues, Child, Expr, ExprKind, Frame, LocalId, LocalKind, Place, Program, Slots,
    Step, Stmt, StmtKind, VariableId,
};

use super::collect::{Change, Wrong, change, extreme};
use super::faults::Faults;

/// A frame with what its aliases stand for, as far as they were met.
#[derive(Clone, Copy)]
pub(super) struct Scope<'p, 's> {
    /// The frame.
    pub(super) frame: &'p Frame,
    /// The place of each alias.
    pub(super) aliases: &'s [Option<&'p Place>],
}

/// The variable that is accessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Root {
    /// A variable of the state.
    Variable(VariableId),
    /// A variable of the frame.
    Local(LocalId),
    /// Any of them.
    Unknown,
}

/// The way in which a variable is accessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Mode {
    Read,
    Write,
    /// An element is added to a multiset.
    Add,
    /// A change that commutes with those of its kind.
    Collect(Change),
}

/// An access to a variable or a part of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Access {
    pub(super) root: Root,
    /// The step at which the loop's own value is the index: other rounds access other parts.
    pub(super) own: Option<usize>,
    pub(super) mode: Mode,
}

/// The effects of a procedure, whoever calls it.
#[derive(Clone, Default, Debug)]
pub(super) struct Summary {
    /// Its accesses to variables of the state.
    pub(super) accesses: BTreeSet<Access>,
    /// Whether it may assert, assume or cover something.
    pub(super) claims: bool,
    /// The most rounds of its loops; `None` if they are not bounded.
    pub(super) rounds: Option<u64>,
}

/// The accesses of some statements.
pub(super) struct Accesses<'p, 's> {
    program: &'p Program,
    summaries: &'s [Summary],
    rules: (&'s Faults<'p>, Wrong),
    scope: Scope<'p, 's>,
    /// The value of the loop.
    own: Option<LocalId>,
    pub(super) found: BTreeSet<Access>,
    /// Whether something asserts, assumes or covers, or ends the body early.
    pub(super) stops: bool,
    pub(super) claims: bool,
}

impl<'p, 's> Accesses<'p, 's> {
    pub(super) fn new(
        program: &'p Program,
        summaries: &'s [Summary],
        rules: (&'s Faults<'p>, Wrong),
        scope: Scope<'p, 's>,
        own: Option<LocalId>,
    ) -> Accesses<'p, 's> {
        Accesses { program, summaries, rules, scope, own, found: BTreeSet::new(), stops: false, claims: false }
    }

    fn kind(&self, local: LocalId) -> LocalKind {
        self.scope.frame.local(local).kind
    }

    /// The variable behind a place, with the step of the loop's own value.
    fn resolve(&self, place: &Place) -> Access {
        let (mut base, mut before) = (place.base, Vec::new());
        while let Base::Local(local) = base
            && self.kind(local).is_reference()
        {
            let Some(Some(to)) = self.scope.aliases.get(local.index()) else {
                return Access { root: Root::Unknown, own: None, mode: Mode::Read };
            };
            before.push(*to);
            base = to.base;
        }
        let root = match base {
            Base::Variable(id) => Root::Variable(id),
            Base::Local(id) => Root::Local(id),
        };
        let steps = before.iter().rev().flat_map(|place| &place.steps).chain(&place.steps);
        let is_own = |step: &Step| match step {
            Step::Index(Expr { kind: ExprKind::Read(index), .. }) => {
                index.steps.is_empty() && self.own.is_some_and(|own| index.base == Base::Local(own))
            }
            _ => false,
        };
        Access { root, own: steps.into_iter().position(is_own), mode: Mode::Read }
    }

    /// Notes an access, and the reads of its indices.
    fn access(&mut self, place: &'p Place, mode: Mode) {
        place.indices().for_each(|index| self.expr(index));
        let access = Access { mode, ..self.resolve(place) };
        let is_value = matches!(access.root, Root::Local(id) if self.kind(id).is_value());
        if !is_value || mode != Mode::Read {
            self.found.insert(access);
        }
    }

    fn expr(&mut self, expr: &'p Expr) {
        limits::work(1);
        match &expr.kind {
            ExprKind::Call(id, arguments) => self.call(id.index(), arguments),
            _ => self.children(expr.children(), Mode::Read),
        }
    }

    /// Notes the accesses of parts whose places are accessed in a way.
    fn children(&mut self, children: Vec<Child<'p>>, mode: Mode) {
        for child in children {
            match child {
                Child::Expr(inner) => self.expr(inner),
                Child::Place(place) => self.access(place, mode),
                Child::Body(body) => self.body(body),
            }
        }
    }

    fn call(&mut self, procedure: usize, arguments: &'p [Argument]) {
        let changes = self.program.procedures[procedure].changes;
        for argument in arguments {
            match argument {
                Argument::Value(value) => self.expr(value),
                Argument::Reference(place) => {
                    self.access(place, Mode::Read);
                    if changes.parameters {
                        self.access(place, Mode::Write);
                    }
                }
            }
        }
        match self.summaries.get(procedure) {
            Some(summary) => {
                self.claims |= summary.claims;
                self.found.extend(summary.accesses.iter().copied());
            }
            // A procedure that calls itself.
            None => {
                self.claims = true;
                self.found.insert(Access { root: Root::Unknown, own: None, mode: Mode::Write });
            }
        }
    }

    pub(super) fn body(&mut self, body: &'p [Stmt]) {
        for stmt in body {
            limits::work(1);
            if let Some((change, place, value)) = extreme(stmt, self.rules.1) {
                self.access(place, Mode::Collect(change));
                self.expr(value);
                continue;
            }
            let mode = match &stmt.kind {
                StmtKind::Call(id, arguments) => {
                    self.call(id.index(), arguments);
                    continue;
                }
                StmtKind::Assign(place, value) => {
                    let rules = (self.program, self.rules.0, self.rules.1);
                    if let Some((change, others)) = change(rules, self.scope.frame, place, value) {
                        self.access(place, Mode::Collect(change));
                        others.into_iter().for_each(|other| self.expr(other));
                        continue;
                    }
                    Mode::Write
                }
                StmtKind::Undefine(_)
                | StmtKind::Clear(_)
                | StmtKind::MultisetRemove(..)
                | StmtKind::MultisetRemoveWhere(..) => Mode::Write,
                StmtKind::MultisetAdd(..) => Mode::Add,
                _ => Mode::Read,
            };
            self.stops |= matches!(stmt.kind, StmtKind::Return(_));
            self.claims |= matches!(stmt.kind, StmtKind::Assert(..) | StmtKind::Assume(_) | StmtKind::Cover(..));
            self.children(stmt.children(), mode);
        }
    }
}

/// The most rounds of the loops, quantifiers and counts of bodies and conditions; `None` where they are not bounded.
pub(super) struct Bounds<'p, 's> {
    pub(super) program: &'p Program,
    pub(super) summaries: &'s [Summary],
}

impl Bounds<'_, '_> {
    pub(super) fn is_small(rounds: Option<u64>) -> bool {
        rounds.is_some_and(|rounds| rounds <= u64::from(MAX_ROUNDS))
    }

    pub(super) fn binder(&self, binder: &Binder) -> Option<u64> {
        match &binder.values {
            BinderValues::Type(of) => Some(self.program.types.count(*of) as u64),
            BinderValues::Steps(steps) => steps.constant_rounds().map(|rounds| rounds as u64),
        }
    }

    fn repeated(rounds: Option<u64>, inside: Option<u64>) -> Option<u64> {
        rounds?.checked_mul(inside?.checked_add(1)?)
    }

    fn capacity(&self, slots: &Slots) -> u64 {
        self.program.types.cells(slots.multiset.of) as u64
    }

    fn sum(parts: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
        parts.into_iter().try_fold(0u64, |sum, part| sum.checked_add(part?))
    }

    /// The rounds of parts that are evaluated once.
    fn children(&self, children: Vec<Child<'_>>) -> Option<u64> {
        Self::sum(children.into_iter().map(|child| self.child(child)))
    }

    pub(super) fn child(&self, child: Child<'_>) -> Option<u64> {
        match child {
            Child::Expr(inner) => self.expr(inner),
            Child::Place(place) => Self::sum(place.indices().map(|index| self.expr(index))),
            Child::Body(body) => self.body(body),
        }
    }

    fn call(&self, procedure: usize, arguments: Vec<Child<'_>>) -> Option<u64> {
        let own = self.summaries.get(procedure).and_then(|summary| summary.rounds);
        Self::sum([own, self.children(arguments)])
    }

    pub(super) fn expr(&self, expr: &Expr) -> Option<u64> {
        match &expr.kind {
            ExprKind::Quantified(_, binder, body) => Self::repeated(self.binder(binder), self.expr(body)),
            ExprKind::Call(id, _) => self.call(id.index(), expr.children()),
            ExprKind::Count(slots, condition) => Self::repeated(Some(self.capacity(slots)), self.expr(condition)),
            _ => self.children(expr.children()),
        }
    }

    pub(super) fn body(&self, body: &[Stmt]) -> Option<u64> {
        Self::sum(body.iter().map(|stmt| self.stmt(stmt)))
    }

    fn stmt(&self, stmt: &Stmt) -> Option<u64> {
        match &stmt.kind {
            StmtKind::For(binder, body) => Self::repeated(self.binder(binder), self.body(body)),
            StmtKind::While(..) => None,
            StmtKind::Call(id, _) => self.call(id.index(), stmt.children()),
            StmtKind::MultisetRemoveWhere(slots, condition) => {
                Self::repeated(Some(self.capacity(slots)), self.expr(condition))
            }
            _ => self.children(stmt.children()),
        }
    }
}
