//! Names of locals: every local of a proctype has a name of its own afterwards, and its declaration stands in a list.
//!
//! A block is a scope. Locals at the head of a proctype have their initial value when the process is created; a later
//! declaration with an initial value is an assignment. All locals exist from the creation of the process on.

use std::collections::BTreeMap;

use super::syntax::ast::{Argument, Expr, ExprKind, Initial, Place, Process, Stmt, StmtKind, Variable};

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
        match &mut stmt.kind {
            StmtKind::Declare(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Else => {}
            StmtKind::Expr(value) | StmtKind::Assert(value) => self.expression(value),
            StmtKind::Assign(place, value) => {
                self.place(place);
                self.expression(value);
            }
            StmtKind::Run(run, place) => {
                run.arguments.iter_mut().for_each(|value| self.expression(value));
                place.iter_mut().for_each(|place| self.place(place));
            }
            StmtKind::Send { channel, arguments, .. } => {
                self.place(channel);
                arguments.iter_mut().for_each(|value| self.expression(value));
            }
            StmtKind::Receive { channel, arguments, .. } => {
                self.place(channel);
                arguments.iter_mut().for_each(|argument| self.argument(argument));
            }
            StmtKind::If(options) | StmtKind::Do(options) => {
                options.iter_mut().for_each(|option| self.block(option));
            }
            StmtKind::For { variable, low, high, body } => {
                self.place(variable);
                self.expression(low);
                self.expression(high);
                self.block(body);
            }
            StmtKind::ForIn { variable, list, body } => {
                self.place(variable);
                self.place(list);
                self.block(body);
            }
            StmtKind::Select { variable, low, high } => {
                self.place(variable);
                self.expression(low);
                self.expression(high);
            }
            StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => self.block(body),
            StmtKind::Unless(body, escape) => {
                self.block(body);
                self.block(escape);
            }
            StmtKind::Print(list) => list.iter_mut().for_each(|value| self.expression(value)),
            StmtKind::Label(_, inner) => self.statement(inner),
        }
    }

    fn argument(&self, argument: &mut Argument) {
        match argument {
            Argument::Match(value) => self.expression(value),
            Argument::Place(place) => self.place(place),
            Argument::Any => {}
        }
    }

    fn place(&self, place: &mut Place) {
        let first = &mut place.parts[0].name.text;
        if let Some(own) = self.open.iter().rev().find_map(|scope| scope.get(first)) {
            *first = own.clone();
        }
        for index in place.parts.iter_mut().filter_map(|part| part.index.as_mut()) {
            self.expression(index);
        }
    }

    fn expression(&self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Int(_) | ExprKind::Timeout | ExprKind::ProcessCount | ExprKind::Pid | ExprKind::NoProgress => {}
            ExprKind::Place(place) | ExprKind::Measure(_, place) => self.place(place),
            ExprKind::Unary(_, inner) | ExprKind::Enabled(inner) => self.expression(inner),
            ExprKind::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            ExprKind::Choice(condition, then, otherwise) => {
                self.expression(condition);
                self.expression(then);
                self.expression(otherwise);
            }
            ExprKind::Poll { channel, arguments, .. } => {
                self.place(channel);
                arguments.iter_mut().for_each(|argument| self.argument(argument));
            }
            // The locals of the other process are not renamed.
            ExprKind::At { pid, .. } | ExprKind::Of { pid, .. } => {
                pid.iter_mut().for_each(|pid| self.expression(pid));
            }
        }
    }
}
