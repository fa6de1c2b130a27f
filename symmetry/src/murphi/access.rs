//! The reads and writes of statements, as far as rounds of a loop may show each other.

use std::collections::BTreeSet;

use frontend::murphi::MAX_ROUNDS;
use frontend::murphi::program::{
    Argument, Base, Binder, BinderValues, Binding, Bound, Expr, ExprKind, Frame, LocalId, LocalKind, Place, Program,
    Slots, Step, Stmt, StmtKind, VariableId,
};

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
        scope: Scope<'p, 's>,
        own: Option<LocalId>,
    ) -> Accesses<'p, 's> {
        Accesses { program, summaries, scope, own, found: BTreeSet::new(), stops: false, claims: false }
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
        for step in &place.steps {
            match step {
                Step::Index(index) => self.expr(index),
                Step::Field(_) | Step::Slot(_) => {}
            }
        }
        let access = Access { mode, ..self.resolve(place) };
        let is_value = matches!(access.root, Root::Local(id) if self.kind(id) == LocalKind::Value);
        if !is_value || mode != Mode::Read {
            self.found.insert(access);
        }
    }

    fn expr(&mut self, expr: &'p Expr) {
        limits::work(1);
        match &expr.kind {
            ExprKind::Value(_) | ExprKind::Undefined => {}
            ExprKind::Read(place) | ExprKind::IsUndefined(place) => self.access(place, Mode::Read),
            ExprKind::Unary(_, inner) | ExprKind::IsMember(inner, _) => self.expr(inner),
            ExprKind::Binary(_, left, right) | ExprKind::Implies(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::And(list) | ExprKind::Or(list) => list.iter().for_each(|operand| self.expr(operand)),
            ExprKind::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| self.expr(part));
            }
            ExprKind::Quantified(_, binder, body) => {
                self.values(binder);
                self.expr(body);
            }
            ExprKind::Call(id, arguments) => self.call(id.index(), arguments),
            ExprKind::Count(slots, condition) => {
                self.access(&slots.multiset, Mode::Read);
                self.expr(condition);
            }
        }
    }

    fn values(&mut self, binder: &'p Binder) {
        if let BinderValues::Steps(steps) = &binder.values {
            [&steps.from, &steps.to, &steps.by].into_iter().for_each(|bound| self.expr(bound));
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

    fn binding(&mut self, binding: &'p Binding) {
        match &binding.to {
            Bound::Place(place) => self.access(place, Mode::Read),
            Bound::Value(value) => self.expr(value),
        }
    }

    fn slots(&mut self, slots: &'p Slots, mode: Mode) {
        self.access(&slots.multiset, mode);
    }

    pub(super) fn body(&mut self, body: &'p [Stmt]) {
        body.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &'p Stmt) {
        limits::work(1);
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                self.access(place, Mode::Write);
                self.expr(value);
            }
            StmtKind::Undefine(place) | StmtKind::Clear(place) | StmtKind::MultisetRemove(_, place) => {
                self.access(place, Mode::Write);
            }
            StmtKind::If(branches, otherwise) => {
                for branch in branches {
                    self.expr(&branch.condition);
                    self.body(&branch.body);
                }
                self.body(otherwise);
            }
            StmtKind::Switch(subject, cases, otherwise) => {
                self.expr(subject);
                for case in cases {
                    case.values.iter().for_each(|value| self.expr(value));
                    self.body(&case.body);
                }
                self.body(otherwise);
            }
            StmtKind::For(binder, body) => {
                self.values(binder);
                self.body(body);
            }
            StmtKind::While(condition, body) => {
                self.expr(condition);
                self.body(body);
            }
            StmtKind::Alias(bindings, body) => {
                bindings.iter().for_each(|binding| self.binding(binding));
                self.body(body);
            }
            StmtKind::Call(id, arguments) => self.call(id.index(), arguments),
            StmtKind::Return(value) => {
                self.stops = true;
                value.iter().for_each(|value| self.expr(value));
            }
            StmtKind::Error(_) => {}
            StmtKind::Assert(value, _) | StmtKind::Assume(value) | StmtKind::Cover(_, value) => {
                self.claims = true;
                self.expr(value);
            }
            StmtKind::Put(value) => self.expr(value),
            StmtKind::MultisetAdd(value, multiset) => {
                self.expr(value);
                self.access(multiset, Mode::Add);
            }
            StmtKind::MultisetRemoveWhere(slots, condition) => {
                self.slots(slots, Mode::Write);
                self.expr(condition);
            }
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

    fn place(&self, place: &Place) -> Option<u64> {
        Self::sum(place.steps.iter().map(|step| match step {
            Step::Index(index) => self.expr(index),
            Step::Field(_) | Step::Slot(_) => Some(0),
        }))
    }

    fn call(&self, procedure: usize, arguments: &[Argument]) -> Option<u64> {
        let own = self.summaries.get(procedure).and_then(|summary| summary.rounds);
        let arguments = arguments.iter().map(|argument| match argument {
            Argument::Value(value) => self.expr(value),
            Argument::Reference(place) => self.place(place),
        });
        Self::sum(std::iter::once(own).chain(arguments))
    }

    pub(super) fn expr(&self, expr: &Expr) -> Option<u64> {
        match &expr.kind {
            ExprKind::Value(_) | ExprKind::Undefined => Some(0),
            ExprKind::Read(place) | ExprKind::IsUndefined(place) => self.place(place),
            ExprKind::Unary(_, inner) | ExprKind::IsMember(inner, _) => self.expr(inner),
            ExprKind::Binary(_, left, right) | ExprKind::Implies(left, right) => {
                Self::sum([self.expr(left), self.expr(right)])
            }
            ExprKind::And(list) | ExprKind::Or(list) => Self::sum(list.iter().map(|operand| self.expr(operand))),
            ExprKind::Conditional(condition, then, otherwise) => {
                Self::sum([condition, then, otherwise].map(|part| self.expr(part)))
            }
            ExprKind::Quantified(_, binder, body) => Self::repeated(self.binder(binder), self.expr(body)),
            ExprKind::Call(id, arguments) => self.call(id.index(), arguments),
            ExprKind::Count(slots, condition) => Self::repeated(Some(self.capacity(slots)), self.expr(condition)),
        }
    }

    pub(super) fn binding(&self, binding: &Binding) -> Option<u64> {
        match &binding.to {
            Bound::Place(place) => self.place(place),
            Bound::Value(value) => self.expr(value),
        }
    }

    pub(super) fn body(&self, body: &[Stmt]) -> Option<u64> {
        Self::sum(body.iter().map(|stmt| self.stmt(stmt)))
    }

    fn stmt(&self, stmt: &Stmt) -> Option<u64> {
        match &stmt.kind {
            StmtKind::Assign(place, value) | StmtKind::MultisetAdd(value, place) => {
                Self::sum([self.place(place), self.expr(value)])
            }
            StmtKind::Undefine(place) | StmtKind::Clear(place) | StmtKind::MultisetRemove(_, place) => {
                self.place(place)
            }
            StmtKind::If(branches, otherwise) => {
                let branches = branches.iter().map(|one| Self::sum([self.expr(&one.condition), self.body(&one.body)]));
                Self::sum(branches.chain([self.body(otherwise)]))
            }
            StmtKind::Switch(subject, cases, otherwise) => {
                let cases = cases.iter().flat_map(|case| {
                    case.values.iter().map(|value| self.expr(value)).chain([self.body(&case.body)]).collect::<Vec<_>>()
                });
                Self::sum(cases.chain([self.expr(subject), self.body(otherwise)]))
            }
            StmtKind::For(binder, body) => Self::repeated(self.binder(binder), self.body(body)),
            StmtKind::While(..) => None,
            StmtKind::Alias(bindings, body) => {
                Self::sum(bindings.iter().map(|binding| self.binding(binding)).chain([self.body(body)]))
            }
            StmtKind::Call(id, arguments) => self.call(id.index(), arguments),
            StmtKind::Return(value) => value.as_ref().map_or(Some(0), |value| self.expr(value)),
            StmtKind::Error(_) => Some(0),
            StmtKind::Assert(value, _) | StmtKind::Assume(value) | StmtKind::Cover(_, value) | StmtKind::Put(value) => {
                self.expr(value)
            }
            StmtKind::MultisetRemoveWhere(slots, condition) => {
                Self::repeated(Some(self.capacity(slots)), self.expr(condition))
            }
        }
    }
}
