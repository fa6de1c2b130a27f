//! The statements of the walk of the proof.

use frontend::murphi::program::{Expr, Place, Stmt, StmtKind, TypeId, TypeKind};
use frontend::source::Span;

use super::super::access::Scope;
use super::super::obstacle::Reason;
use super::super::ring;
use super::super::roles::{Node, NodeId};
use super::{Proof, Proved, Term, no};

impl<'p> Proof<'p> {
    pub(super) fn body(&mut self, body: &'p [Stmt]) -> Proved {
        body.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    /// The place to which each branch of a statement assigns a name that is moved on around the ring.
    fn turned_place(&mut self, stmt: &'p Stmt) -> Proved<Option<&'p Place>> {
        let Some((place, turn)) = ring::of_stmt(self.program, stmt).filter(|_| self.block.is_ring) else {
            return Ok(None);
        };
        let turns = self.expr(turn.name)? == Term::Moved && self.commutes(&turn);
        Ok(turns.then_some(place))
    }

    /// A value goes to a place.
    fn copied(&mut self, to: NodeId, value: &'p Expr, span: Span) -> Proved {
        let given = self.expr(value)?;
        self.alike(self.term(to), given, span).map(drop)
    }

    fn stmt(&mut self, stmt: &'p Stmt) -> Proved {
        limits::work(1);
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let to = self.place(place)?;
                self.copied(to, value, stmt.span)
            }
            StmtKind::Undefine(place) | StmtKind::MultisetRemove(_, place) => self.place(place).map(drop),
            StmtKind::Clear(place) => {
                let node = self.place(place)?;
                self.cleared(node, place.of, stmt.span)
            }
            StmtKind::If(..) if let Some(place) = self.turned_place(stmt)? => {
                let to = self.place(place)?;
                self.alike(self.term(to), Term::Moved, stmt.span).map(drop)
            }
            StmtKind::If(branches, otherwise) => {
                for branch in branches {
                    self.condition(&branch.condition)?;
                    self.body(&branch.body)?;
                }
                self.body(otherwise)
            }
            StmtKind::Switch(subject, cases, otherwise) => {
                let subject = self.expr(subject)?;
                for case in cases {
                    for value in &case.values {
                        let given = self.expr(value)?;
                        self.alike(subject, given, value.span)?;
                    }
                    self.body(&case.body)?;
                }
                self.body(otherwise)
            }
            StmtKind::For(binder, body) => {
                self.binder(binder, stmt.span)?;
                self.body(body)?;
                let rounds = self.order.loops(Scope { frame: self.current(), aliases: &self.aliases }, binder, body);
                self.rounds(binder, rounds);
                Ok(())
            }
            StmtKind::While(condition, body) => {
                self.condition(condition)?;
                self.body(body)
            }
            StmtKind::Alias(bindings, body) => {
                bindings.iter().try_for_each(|binding| self.binding(binding))?;
                self.body(body)
            }
            StmtKind::Call(id, arguments) => self.call(id.index(), arguments),
            StmtKind::Return(Some(value)) => match self.result {
                Some(result) => self.copied(result, value, stmt.span),
                None => no(stmt.span, Reason::Mixed),
            },
            StmtKind::Return(None) | StmtKind::Error(_) => Ok(()),
            StmtKind::Assert(value, _) | StmtKind::Assume(value) | StmtKind::Cover(_, value) => self.condition(value),
            StmtKind::Put(value) => self.expr(value).map(drop),
            StmtKind::MultisetAdd(value, multiset) => {
                let node = self.place(multiset)?;
                match self.roles.node(node) {
                    Node::Multiset(part) => self.copied(*part, value, stmt.span),
                    _ => no(stmt.span, Reason::Mixed),
                }
            }
            StmtKind::MultisetRemoveWhere(slots, condition) => {
                self.place(&slots.multiset)?;
                self.condition(condition)
            }
        }
    }

    /// The least values are none of the block.
    fn cleared(&self, node: NodeId, of: TypeId, span: Span) -> Proved {
        match (self.roles.node(node), self.program.types.kind(of)) {
            (Node::Simple(class), _) => {
                let least = self.program.types.least(of);
                let is_moved = *class == self.block.class && self.block.values.binary_search(&least).is_ok();
                if is_moved && !self.wrong.names_values() { no(span, Reason::Least) } else { Ok(()) }
            }
            (Node::Array(_, part), TypeKind::Array { element, .. }) => self.cleared(*part, *element, span),
            (Node::Record(parts), TypeKind::Record(fields)) => {
                parts.iter().zip(fields).try_for_each(|(&part, field)| self.cleared(part, field.of, span))
            }
            (Node::Multiset(_), _) => Ok(()),
            _ => no(span, Reason::Mixed),
        }
    }
}
