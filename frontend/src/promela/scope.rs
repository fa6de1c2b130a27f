//! Names of locals: every local of a proctype has a name of its own afterwards, and its declaration stands in a list.
//!
//! A block is a scope. Locals at the head of a proctype have their initial value when the process is created; a later
//! declaration with an initial value is an assignment. All locals exist from the creation of the process on.

use std::collections::BTreeMap;

use super::syntax::Child;
use super::syntax::ast::{Expr, Initial, Place, Process, Stmt, StmtKind, Variable};

/// The locals of a proctype, parameters first.
#[derive(Clone, Debug, Default)]
pub(super) struct Locals {
    /// Their declarations. Those that are assigned later have no initial value.
    pub list: Vec<Variable>,
    /// The number of parameters.
    pub parameters: usize,
}

struct Scopes {
    /// The new names of the names in scope.
    open: Vec<BTreeMap<String, String>>,
    used: BTreeMap<String, usize>,
    locals: Vec<Variable>,
}

/// Renames the locals of a proctype, and removes the declarations that are no assignments.
pub(super) fn locals(process: &mut Process) -> Locals {
    let mut scopes = Scopes { open: vec![BTreeMap::new()], used: BTreeMap::new(), locals: Vec::new() };
    for parameter in &process.parameters {
        let mut parameter = parameter.clone();
        scopes.declare(&mut parameter);
        scopes.locals.push(parameter);
    }
    let head = process.body.iter().take_while(|stmt| matches!(stmt.kind, StmtKind::Declare(_))).count();
    for mut stmt in process.body.drain(..head) {
        if let StmtKind::Declare(variables) = &mut stmt.kind {
            for variable in variables {
                scopes.initial(variable);
                scopes.declare(variable);
                scopes.locals.push(variable.clone());
            }
        }
    }
    scopes.sequence(&mut process.body);
    if let Some(provided) = &mut process.provided {
        scopes.expression(provided);
    }
    Locals { list: scopes.locals, parameters: process.parameters.len() }
}

impl Scopes {
    fn declare(&mut self, variable: &mut Variable) {
        let name = variable.name.text.clone();
        let count = self.used.entry(name.clone()).or_insert(0);
        *count += 1;
        let own = if *count == 1 { name.clone() } else { format!("{name}_{count}") };
        self.open.last_mut().expect("a scope is open").insert(name, own.clone());
        variable.name.text = own;
    }

    fn initial(&self, variable: &mut Variable) {
        match &mut variable.initial {
            Some(Initial::Value(value)) => self.expression(value),
            Some(Initial::List(list)) => list.iter_mut().for_each(|value| self.expression(value)),
            Some(Initial::Channel(_)) | None => {}
        }
    }

    fn block(&mut self, body: &mut Vec<Stmt>) {
        self.open.push(BTreeMap::new());
        self.sequence(body);
        self.open.pop();
    }

    fn sequence(&mut self, body: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(body) {
            let StmtKind::Declare(variables) = &mut stmt.kind else {
                self.statement(&mut stmt);
                body.push(stmt);
                continue;
            };
            for variable in variables {
                self.initial(variable);
                self.declare(variable);
                let mut local = variable.clone();
                if let Some(Initial::Value(value)) = &variable.initial {
                    local.initial = None;
                    let part = super::syntax::ast::Part { name: variable.name.clone(), index: None };
                    let place = Place { parts: vec![part], span: variable.name.span };
                    let kind = StmtKind::Assign(place, value.clone());
                    body.push(Stmt { kind, span: variable.name.span.to(value.span) });
                }
                self.locals.push(local);
            }
        }
    }

    fn statement(&mut self, stmt: &mut Stmt) {
        for child in stmt.children_mut() {
            match child {
                Child::Expr(value) => self.expression(value),
                Child::Target(place) | Child::Place(place) => self.place(place),
                Child::Body(body) => self.block(body),
                Child::Labelled(inner) => self.statement(inner),
            }
        }
    }

    fn place(&self, place: &mut Place) {
        let first = &mut place.parts[0].name.text;
        if let Some(own) = self.open.iter().rev().find_map(|scope| scope.get(first)) {
            *first = own.clone();
        }
        place.indices_mut().for_each(|index| self.expression(index));
    }

    fn expression(&self, expr: &mut Expr) {
        for child in expr.children_mut() {
            match child {
                Child::Expr(value) => self.expression(value),
                Child::Target(place) | Child::Place(place) => self.place(place),
                Child::Body(_) | Child::Labelled(_) => unreachable!("expressions have no statements"),
            }
        }
    }
}
