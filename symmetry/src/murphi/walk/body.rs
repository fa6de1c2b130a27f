//! The statements of the walk over a program.

use frontend::murphi::program::{Stmt, StmtKind, TypeId, TypeKind};
use frontend::source::Span;

use super::super::obstacle::{Obstacle, Reason};
use super::super::ring;
use super::super::roles::{Node, NodeId};
use super::{Term, Walk};

impl Walk<'_> {
    pub(super) fn body(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        limits::work(1);
        let turn = ring::of_stmt(self.program, stmt);
        if let Some((place, name, size)) =
            turn.and_then(|(place, turn)| Some((place, turn.name, turn.size(self.program)?)))
        {
            let (to, value) = (self.read(place), self.expr(name));
            self.unite_terms(to, value);
            self.turn(to, size, stmt.span);
            return;
        }
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let (to, value) = (self.read(place), self.expr(value));
                self.unite_terms(to, value);
            }
            StmtKind::Undefine(place) | StmtKind::MultisetRemove(_, place) => drop(self.place(place)),
            StmtKind::Clear(place) => {
                let node = self.place(place);
                self.clear(node, place.of, stmt.span);
            }
            StmtKind::If(branches, otherwise) => {
                for branch in branches {
                    self.expr(&branch.condition);
                    self.body(&branch.body);
                }
                self.body(otherwise);
            }
            StmtKind::Switch(subject, cases, otherwise) => {
                let subject = self.expr(subject);
                for case in cases {
                    for value in &case.values {
                        let value = self.expr(value);
                        self.unite_terms(subject, value);
                    }
                    self.body(&case.body);
                }
                self.body(otherwise);
            }
            StmtKind::For(binder, body) => {
                self.binder(binder, stmt.span);
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
            StmtKind::Return(Some(value)) => {
                let value = self.expr(value);
                let result = self.result.map_or(Term::Nothing, |node| self.term(node));
                self.unite_terms(result, value);
            }
            StmtKind::Return(None) | StmtKind::Error(_) => {}
            StmtKind::Assert(value, _) | StmtKind::Assume(value) | StmtKind::Cover(_, value) | StmtKind::Put(value) => {
                self.expr(value);
            }
            StmtKind::MultisetAdd(value, multiset) => {
                let (value, node) = (self.expr(value), self.place(multiset));
                if let Node::Multiset(part) = *self.roles.node(node) {
                    let part = self.term(part);
                    self.unite_terms(part, value);
                }
            }
            StmtKind::MultisetRemoveWhere(slots, condition) => {
                self.slots(slots);
                self.expr(condition);
            }
        }
    }

    /// Notes the values that `clear` names.
    fn clear(&mut self, node: NodeId, of: TypeId, span: Span) {
        let program = self.program;
        match (self.roles.node(node).clone(), program.types.kind(of)) {
            (Node::Simple(class), _) => {
                let least = program.types.least(of);
                self.facts(class).named.entry(least).or_insert(Obstacle { span, reason: Reason::Least });
            }
            (Node::Array(_, part), TypeKind::Array { element, .. }) => self.clear(part, *element, span),
            (Node::Record(parts), TypeKind::Record(fields)) => {
                parts.into_iter().zip(fields).for_each(|(part, field)| self.clear(part, field.of, span));
            }
            _ => {}
        }
    }
}
