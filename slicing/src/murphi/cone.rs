//! The cone of influence: the parts that matter and the statements that stay, as a least fixed point.

use std::collections::BTreeSet;

use frontend::murphi::program::{Argument, Child, Expr, ExprKind, Header, Owner, Place, Program, Rule, Stmt, StmtKind};
use frontend::murphi::syntax::ast::PropertyKind;
use rustc_hash::FxHashSet;

use super::Wrong;
use super::parts::{PartId, Parts};

/// The parts that matter and what stays.
pub(super) struct Cone<'p> {
    program: &'p Program,
    parts: Parts,
    wrong: Wrong,
    matters: Vec<bool>,
    /// The statements that stay, by their addresses in the program.
    kept: FxHashSet<*const Stmt>,
    /// The procedures in which a statement that stays writes.
    effects: Vec<bool>,
    /// The procedures that something that stays calls.
    needed: Vec<bool>,
    /// The procedures that requested properties call, directly or through others: all their statements stay, because a fault there violates the
    /// property.
    whole: Vec<bool>,
    rules: Vec<bool>,
    changes: bool,
}

/// The properties of a statement that decide whether it stays.
#[derive(Clone, Copy, Default)]
struct Found {
    stays: bool,
    /// Whether it may write a part that matters.
    writes: bool,
}

impl<'p> Cone<'p> {
    /// Of the properties of these numbers, and of all assumptions.
    pub(super) fn of(program: &'p Program, requested: &[usize], wrong: Wrong) -> Cone<'p> {
        let parts = Parts::new(program, wrong);
        assert_eq!(parts.variables.len(), program.variables.len(), "every variable has its parts");
        let mut cone = Cone {
            program,
            matters: vec![false; parts.len()],
            parts,
            wrong,
            kept: FxHashSet::default(),
            effects: vec![false; program.procedures.len()],
            needed: vec![false; program.procedures.len()],
            whole: vec![false; program.procedures.len()],
            rules: vec![false; program.rules.len()],
            changes: true,
        };
        for (number, property) in program.properties.iter().enumerate() {
            if requested.contains(&number) || property.kind == PropertyKind::Assume {
                cone.header(Owner::Property(number), &property.header);
                cone.expr(Owner::Property(number), &property.condition);
            }
            if requested.contains(&number) && !wrong.forgets_faults() {
                property.header.iter().filter_map(Header::child).for_each(|child| cone.whole_of(child));
                cone.whole_of(Child::Expr(&property.condition));
            }
        }
        while std::mem::take(&mut cone.changes) {
            cone.round();
        }
        let is_called = |(whole, needed): (&bool, &bool)| !whole || *needed || wrong.forgets_conditions();
        let mut procedures = cone.whole.iter().zip(&cone.needed);
        assert!(procedures.all(is_called), "something that stays calls the procedures of requested properties");
        cone
    }

    /// Notes the procedures that a part of a property calls, directly or through others.
    fn whole_of(&mut self, child: Child<'p>) {
        let mut called = Vec::new();
        child.visit(&mut |part| called.extend(part.called()));
        for id in called {
            if !std::mem::replace(&mut self.whole[id.index()], true) {
                self.whole_of(Child::Body(&self.program.procedure(id).body));
            }
        }
    }

    /// Whether a statement of the program stays.
    pub(super) fn keeps(&self, stmt: &Stmt) -> bool {
        self.kept.contains(&std::ptr::from_ref(stmt))
    }

    /// Whether a rule stays.
    pub(super) fn keeps_rule(&self, rule: usize) -> bool {
        self.rules[rule]
    }

    /// Whether a part of a variable matters.
    pub(super) fn matters(&self, variable: usize) -> bool {
        let mut leaves = BTreeSet::new();
        self.parts.leaves(self.parts.variables[variable], &mut leaves);
        self.is_any(&leaves)
    }

    fn round(&mut self) {
        let program = self.program;
        for (number, procedure) in program.procedures.iter().enumerate() {
            let is_entered = self.effects[number] || self.needed[number];
            let found = self.body(Owner::Procedure(number), &procedure.body, is_entered);
            self.changes |= found.writes && !std::mem::replace(&mut self.effects[number], true);
        }
        for (number, start) in program.starts.iter().enumerate() {
            self.rule(Owner::Start(number), start, true);
        }
        for (number, rule) in program.rules.iter().enumerate() {
            let writes = self.rule(Owner::Rule(number), rule, self.rules[number]);
            self.changes |= writes && !std::mem::replace(&mut self.rules[number], true);
        }
    }

    fn rule(&mut self, owner: Owner, rule: &'p Rule, stays: bool) -> bool {
        if stays {
            self.header(owner, &rule.header);
            if !self.wrong.forgets_guards() {
                rule.guard.iter().for_each(|guard| self.expr(owner, guard));
            }
        }
        self.body(owner, &rule.body, stays).writes
    }

    fn is_any(&self, parts: &BTreeSet<PartId>) -> bool {
        parts.iter().any(|&part| self.matters[part])
    }

    /// Looks at statements; `is_entered` says whether something in the body around them stays.
    fn body(&mut self, owner: Owner, body: &'p [Stmt], is_entered: bool) -> Found {
        let mut found = Found::default();
        for stmt in body {
            limits::work(1);
            let own = self.stmt(owner, stmt, is_entered);
            if own.stays {
                self.changes |= self.kept.insert(std::ptr::from_ref(stmt));
                self.reads(owner, stmt);
            }
            found = Found { stays: found.stays || own.stays, writes: found.writes || own.writes };
        }
        found
    }

    fn stmt(&mut self, owner: Owner, stmt: &'p Stmt, is_entered: bool) -> Found {
        let is_written = |cone: &Self, place: &Place| cone.is_any(&cone.parts.of_place(owner, place));
        let mut found = Found::default();
        found.writes = match &stmt.kind {
            StmtKind::Assign(place, _) | StmtKind::Undefine(place) | StmtKind::Clear(place) => is_written(self, place),
            StmtKind::MultisetAdd(_, place) | StmtKind::MultisetRemove(_, place) => is_written(self, place),
            StmtKind::MultisetRemoveWhere(slots, _) => is_written(self, &slots.multiset),
            StmtKind::Call(id, _) => self.effects[id.index()],
            StmtKind::Return(_) => {
                found.stays = is_entered && !self.wrong.forgets_returns();
                false
            }
            StmtKind::Error(_) | StmtKind::Assert(..) | StmtKind::Assume(_) => {
                found.stays = is_entered;
                false
            }
            _ => false,
        };
        for child in stmt.children() {
            match child {
                Child::Body(body) => {
                    let inside = self.body(owner, body, is_entered);
                    found = Found { stays: found.stays || inside.stays, writes: found.writes || inside.writes };
                }
                // A function in which a statement that stays writes.
                part => found.writes |= part.calls(|id| self.effects[id.index()]),
            }
        }
        let is_whole = matches!(owner, Owner::Procedure(number) if self.whole[number]);
        found.stays |= found.writes || is_whole;
        found
    }

    /// Marks the parts that a statement that stays evaluates.
    fn reads(&mut self, owner: Owner, stmt: &'p Stmt) {
        let is_condition = matches!(stmt.kind, StmtKind::If(..) | StmtKind::Switch(..));
        if is_condition && self.wrong.forgets_conditions() {
            return;
        }
        if let StmtKind::Call(id, arguments) = &stmt.kind {
            return self.call(owner, id.index(), arguments);
        }
        stmt.children().into_iter().for_each(|child| self.part(owner, child));
    }

    /// Marks what is evaluated of a part; a place is not read.
    fn part(&mut self, owner: Owner, child: Child<'p>) {
        match child {
            Child::Expr(expr) => self.expr(owner, expr),
            Child::Place(place) => self.indices(owner, place),
            Child::Body(_) => {}
        }
    }

    fn header(&mut self, owner: Owner, header: &'p [Header]) {
        for construct in header {
            match construct {
                Header::For(_) => {}
                Header::Alias(binding) => self.part(owner, binding.child()),
                Header::Choose(slots) => self.place(owner, &slots.multiset),
            }
        }
    }

    fn indices(&mut self, owner: Owner, place: &'p Place) {
        place.indices().for_each(|index| self.expr(owner, index));
    }

    fn place(&mut self, owner: Owner, place: &'p Place) {
        self.indices(owner, place);
        for part in self.parts.of_place(owner, place) {
            self.changes |= !std::mem::replace(&mut self.matters[part], true);
        }
    }

    fn call(&mut self, owner: Owner, procedure: usize, arguments: &'p [Argument]) {
        self.changes |= !std::mem::replace(&mut self.needed[procedure], true);
        for argument in arguments {
            match argument {
                Argument::Value(value) => self.expr(owner, value),
                Argument::Reference(place) => self.indices(owner, place),
            }
        }
    }

    fn expr(&mut self, owner: Owner, expr: &'p Expr) {
        limits::work(1);
        if let ExprKind::Call(id, arguments) = &expr.kind {
            return self.call(owner, id.index(), arguments);
        }
        for child in expr.children() {
            match child {
                Child::Expr(inner) => self.expr(owner, inner),
                Child::Place(place) => self.place(owner, place),
                Child::Body(_) => {}
            }
        }
    }
}
