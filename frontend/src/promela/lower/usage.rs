//! The variables that statements assign, and those whose values expressions use.

use std::collections::BTreeSet;

use super::super::syntax::Child;
use super::super::syntax::ast::{Expr, ExprKind, Initial, Place, Stmt, StmtKind, Variable};

/// The full names of variables, without their indices.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage {
    pub assigned: BTreeSet<String>,
    pub valued: BTreeSet<String>,
    /// The proctypes that `run` names, and whether the statement is in a loop.
    pub runs: Vec<(String, bool)>,
    /// The lists of `for (x in list)`, each with the name of its counter.
    pub lists: Vec<(Place, String)>,
    pub counts_processes: bool,
    pub names_last: bool,
    /// The proctypes and labels of `P@label`.
    pub labels: BTreeSet<(String, String)>,
    looped: bool,
}

fn full(place: &Place) -> String {
    let names: Vec<&str> = place.parts.iter().map(|part| part.name.text.as_str()).collect();
    names.join(".")
}

impl Usage {
    pub(crate) fn variables(&mut self, variables: &[Variable]) {
        for variable in variables {
            match &variable.initial {
                Some(Initial::Value(value)) => self.expression(value),
                Some(Initial::List(list)) => list.iter().for_each(|value| self.expression(value)),
                _ => {}
            }
        }
    }

    /// The statements of a proctype. A `goto` may make a loop of any part.
    pub(crate) fn process(&mut self, body: &[Stmt]) {
        self.looped = jumps(body);
        self.sequence(body);
    }

    fn sequence(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| self.statement(stmt));
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare(variables) => self.variables(variables),
            StmtKind::Run(run, _) => self.runs.push((run.name.text.clone(), self.looped)),
            StmtKind::ForIn { list, counter, .. } => self.lists.push((list.clone(), counter.clone())),
            _ => {}
        }
        let is_loop = matches!(stmt.kind, StmtKind::Do(_) | StmtKind::For { .. } | StmtKind::ForIn { .. });
        for child in stmt.children() {
            match child {
                Child::Expr(value) => self.expression(value),
                Child::Target(place) => self.assign(place),
                Child::Place(place) => self.indices(place),
                Child::Body(body) => {
                    let outer = self.looped;
                    self.looped |= is_loop;
                    self.sequence(body);
                    self.looped = outer;
                }
                Child::Labelled(inner) => self.statement(inner),
            }
        }
    }

    fn assign(&mut self, place: &Place) {
        self.assigned.insert(full(place));
        self.indices(place);
    }

    fn indices(&mut self, place: &Place) {
        place.indices().for_each(|index| self.expression(index));
    }

    pub(crate) fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::ProcessCount => self.counts_processes = true,
            ExprKind::Last => self.names_last = true,
            ExprKind::At { process, label, .. } => {
                self.labels.insert((process.text.clone(), label.text.clone()));
            }
            ExprKind::Place(place) => {
                self.valued.insert(full(place));
            }
            _ => {}
        }
        for child in expr.children() {
            match child {
                Child::Expr(value) => self.expression(value),
                Child::Place(place) => self.indices(place),
                // Variables that a poll matches keep their values.
                _ => {}
            }
        }
    }
}

/// Whether there is a `goto`.
fn jumps(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| matches!(stmt.kind, StmtKind::Goto(_)) || stmt.bodies().any(jumps))
}
