//! Hidden variables: what nothing reads is not stored.
//!
//! Assignments to a global variable that is declared `hidden` and never read are assignments to `_`, whose element is looked up all the same:
//! an index outside of its array is a fault. A variable that is read is one as any other, so that answers do not depend on the order of the
//! search, as those of SPIN do.
//!
//! Soundness: no condition, value or formula sees a variable that is not read.

use std::collections::BTreeSet;

use super::super::syntax::Child;
use super::super::syntax::ast::{Expr, File, Initial, Place, Stmt, StmtKind, Type};
use super::Lowering;

impl Lowering<'_> {
    /// Finds the hidden variables that nothing reads: what is assigned to them is forgotten.
    pub(super) fn hidden(&mut self, file: &File) {
        let hidden = file.globals.iter().filter(|variable| variable.is_hidden && variable.of != Type::Chan);
        let mut unread: BTreeSet<String> = hidden.map(|variable| variable.name.text.clone()).collect();
        if unread.is_empty() {
            return;
        }
        let mut read = BTreeSet::new();
        let locals = self.locals.iter().flat_map(|locals| &locals.list);
        for variable in file.globals.iter().chain(locals) {
            match &variable.initial {
                Some(Initial::Value(value)) => in_expression(value, &mut read),
                Some(Initial::List(list)) => list.iter().for_each(|value| in_expression(value, &mut read)),
                _ => {}
            }
        }
        // A local of the same name hides the variable.
        read.extend(self.locals.iter().flat_map(|locals| &locals.list).map(|local| local.name.text.clone()));
        file.formulas.iter().for_each(|claim| in_expression(&claim.formula, &mut read));
        file.never.iter().for_each(|claim| in_statements(&claim.body, &mut read));
        for process in &self.processes {
            in_statements(&process.body, &mut read);
            process.provided.iter().for_each(|condition| in_expression(condition, &mut read));
        }
        unread.retain(|name| !read.contains(name));
        self.forgotten = unread;
    }

    pub(super) fn is_forgotten(&self, place: &Place) -> bool {
        self.forgotten.contains(&place.parts[0].name.text)
    }
}

fn in_place(place: &Place, read: &mut BTreeSet<String>) {
    read.insert(place.parts[0].name.text.clone());
    place.indices().for_each(|index| in_expression(index, read));
}

fn in_expression(expr: &Expr, read: &mut BTreeSet<String>) {
    for child in expr.children() {
        match child {
            Child::Expr(inner) => in_expression(inner, read),
            // What a poll matches is read.
            Child::Place(place) | Child::Target(place) => in_place(place, read),
            Child::Body(_) | Child::Labelled(_) => unreachable!("expressions have no statements"),
        }
    }
}

fn in_statements(body: &[Stmt], read: &mut BTreeSet<String>) {
    body.iter().for_each(|stmt| in_statement(stmt, read));
}

fn in_statement(stmt: &Stmt, read: &mut BTreeSet<String>) {
    let counts = matches!(stmt.kind, StmtKind::For { .. } | StmtKind::ForIn { .. } | StmtKind::Select { .. });
    for child in stmt.children() {
        match child {
            Child::Expr(value) => in_expression(value, read),
            Child::Place(place) => in_place(place, read),
            Child::Target(place) if counts => in_place(place, read),
            Child::Target(place) => place.indices().for_each(|index| in_expression(index, read)),
            Child::Body(body) => in_statements(body, read),
            Child::Labelled(inner) => in_statement(inner, read),
        }
    }
}
