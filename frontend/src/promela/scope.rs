//! Names of locals: every local of a proctype has a name of its own afterwards, and its declaration stands in a list.
//!
//! A block is a scope. Locals at the head of a proctype have their initial value when the process is created; a later
//! declaration is a step that assigns the initial value, or 0. All locals exist from the creation of the process on.
//!
//! A name that is made up is no word of the text, so that it is the name of nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::syntax::Child;
use super::syntax::ast::{Expr, ExprKind, Initial, Part, Place, Process, Stmt, StmtKind, Type, Variable};
use crate::diagnostics::{Diagnostic, Diagnostics, codes};

/// The locals of a proctype, parameters first.
#[derive(Clone, Debug, Default)]
pub(super) struct Locals {
    /// Their declarations. Those that are assigned later have no initial value.
    pub list: Vec<Variable>,
    /// The number of parameters.
    pub parameters: usize,
}

/// The words of a text, which are not given to anything that has no name in it.
#[derive(Default)]
pub(super) struct Words<'a>(BTreeSet<&'a str>);

impl<'a> Words<'a> {
    /// The words of a text.
    pub(super) fn of(text: &'a str) -> Words<'a> {
        let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
        Words(text.split(|character| !is_part(character)).collect())
    }

    /// The first name with a number behind it, from `first` on, that is no word of the text.
    fn numbered(&self, name: &str, first: usize) -> (String, usize) {
        let mut numbered = (first..).map(|number| (format!("{name}_{number}"), number));
        numbered.find(|(own, _)| !self.0.contains(own.as_str())).expect("a text has finitely many words")
    }
}

struct Scopes<'a> {
    words: &'a Words<'a>,
    /// Whether declarations without a value are no steps, which is wrong.
    keeps: bool,
    /// The new names of the names in scope.
    open: Vec<BTreeMap<String, String>>,
    used: BTreeMap<String, usize>,
    locals: Vec<Variable>,
    sink: &'a mut Diagnostics,
}

/// Renames the locals of a proctype, and makes steps of the declarations behind its head; `keeps` is a variant.
pub(super) fn locals(process: &mut Process, words: &Words<'_>, keeps: bool, sink: &mut Diagnostics) -> Locals {
    let (open, used) = (vec![BTreeMap::new()], BTreeMap::new());
    let mut scopes = Scopes { words, keeps, open, used, locals: Vec::new(), sink };
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
    assert!(scopes.open.len() == 1, "every scope that was opened is closed");
    assert!(process.parameters.len() <= scopes.locals.len(), "parameters are the first locals");
    Locals { list: scopes.locals, parameters: process.parameters.len() }
}

impl Scopes<'_> {
    fn declare(&mut self, variable: &mut Variable) {
        let name = variable.name.text.clone();
        let count = self.used.entry(name.clone()).or_insert(0);
        *count += 1;
        let own = if *count == 1 {
            name.clone()
        } else {
            let (own, number) = self.words.numbered(&name, *count);
            *count = number;
            own
        };
        if self.open.last_mut().expect("a scope is open").insert(name.clone(), own.clone()).is_some() {
            let message = format!("`{name}` is declared twice");
            self.sink.push(Diagnostic::error(codes::PROMELA_DUPLICATE, variable.name.span, message));
        }
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
                let has_step = !self.keeps || local.initial.is_some();
                body.extend(Scopes::step(&mut local).filter(|_| has_step));
                self.locals.push(local);
            }
        }
    }

    /// The step of a declaration behind the head: it assigns the initial value, or 0, to the variable or to its first element. Only channels are made
    /// together with the process.
    fn step(local: &mut Variable) -> Option<Stmt> {
        let name = &local.name;
        let (value, span) = match &local.initial {
            Some(Initial::Value(value)) => (value.clone(), name.span.to(value.span)),
            Some(Initial::Channel(_) | Initial::List(_)) => return None,
            None => (Expr { kind: ExprKind::Int(0), span: name.span }, name.span),
        };
        let first = |_| Box::new(Expr { kind: ExprKind::Int(0), span: name.span });
        let part = Part { name: name.clone(), index: local.size.as_ref().map(first) };
        let kind = match local.of {
            // The step of a record changes nothing.
            Type::Record(_) => StmtKind::Expr(Expr { kind: ExprKind::Int(1), span }),
            _ => StmtKind::Assign(Place { parts: vec![part], span: name.span }, value),
        };
        local.initial = None;
        Some(Stmt { kind, span })
    }

    /// A name of its own for the counter of a loop over the messages of a channel: loops may stand within each other.
    fn counter(&mut self, channel: &str) -> String {
        let plain = format!("{channel}_count");
        let count = self.used.entry(plain.clone()).or_insert(0);
        *count += 1;
        if *count == 1 && !self.words.0.contains(plain.as_str()) {
            return plain;
        }
        let (own, number) = self.words.numbered(&plain, *count);
        *count = number;
        own
    }

    fn statement(&mut self, stmt: &mut Stmt) {
        if let StmtKind::ForIn { list, counter, .. } = &mut stmt.kind {
            *counter = self.counter(&list.parts[0].name.text);
        }
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
