//! The variables that statements assign, and those whose values expressions use.

use std::collections::BTreeSet;

use super::super::syntax::ast::{Argument, Expr, ExprKind, Initial, Place, Stmt, StmtKind, Variable};

/// The full names of variables, without their indices.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage {
    pub assigned: BTreeSet<String>,
    pub valued: BTreeSet<String>,
    /// The proctypes that `run` names, and whether the statement is in a loop.
    pub runs: Vec<(String, bool)>,
    /// The lists of `for (x in list)`.
    pub lists: Vec<Place>,
    pub counts_processes: bool,
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

    fn inside_loop(&mut self, body: &[Stmt]) {
        let outer = std::mem::replace(&mut self.looped, true);
        self.sequence(body);
        self.looped = outer;
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Goto(_) | StmtKind::Break | StmtKind::Else => {}
            StmtKind::Declare(variables) => self.variables(variables),
            StmtKind::Expr(value) | StmtKind::Assert(value) => self.expression(value),
            StmtKind::Assign(place, value) => {
                self.assign(place);
                self.expression(value);
            }
            StmtKind::Run(run, place) => {
                self.runs.push((run.name.text.clone(), self.looped));
                run.arguments.iter().for_each(|value| self.expression(value));
                place.iter().for_each(|place| self.assign(place));
            }
            StmtKind::Send { channel, arguments, .. } => {
                self.indices(channel);
                arguments.iter().for_each(|value| self.expression(value));
            }
            StmtKind::Receive { channel, arguments, .. } => {
                self.indices(channel);
                arguments.iter().for_each(|argument| self.argument(argument));
            }
            StmtKind::If(options) => options.iter().for_each(|option| self.sequence(option)),
            StmtKind::Do(options) => options.iter().for_each(|option| self.inside_loop(option)),
            StmtKind::For { variable, low, high, body } => {
                self.assign(variable);
                self.expression(low);
                self.expression(high);
                self.inside_loop(body);
            }
            StmtKind::ForIn { variable, list, body } => {
                self.assign(variable);
                self.indices(list);
                self.lists.push(list.clone());
                self.inside_loop(body);
            }
            StmtKind::Select { variable, low, high } => {
                self.assign(variable);
                self.expression(low);
                self.expression(high);
            }
            StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => self.sequence(body),
            StmtKind::Unless(body, escape) => {
                self.sequence(body);
                self.sequence(escape);
            }
            StmtKind::Print(list) => list.iter().for_each(|value| self.expression(value)),
            StmtKind::Label(_, inner) => self.statement(inner),
        }
    }

    fn assign(&mut self, place: &Place) {
        self.assigned.insert(full(place));
        self.indices(place);
    }

    fn argument(&mut self, argument: &Argument) {
        match argument {
            Argument::Match(value) => self.expression(value),
            Argument::Place(place) => self.assign(place),
            Argument::Any => {}
        }
    }

    fn indices(&mut self, place: &Place) {
        for index in place.parts.iter().filter_map(|part| part.index.as_ref()) {
            self.expression(index);
        }
    }

    pub(crate) fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Timeout | ExprKind::Pid | ExprKind::NoProgress => {}
            ExprKind::ProcessCount => self.counts_processes = true,
            ExprKind::Place(place) => {
                self.valued.insert(full(place));
                self.indices(place);
            }
            ExprKind::Measure(_, place) => self.indices(place),
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
                self.indices(channel);
                for argument in arguments {
                    if let Argument::Match(value) = argument {
                        self.expression(value);
                    }
                }
            }
            ExprKind::At { pid, .. } | ExprKind::Of { pid, .. } => {
                pid.iter().for_each(|pid| self.expression(pid));
            }
        }
    }
}

/// Whether there is a `goto`.
fn jumps(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Goto(_) => true,
        StmtKind::If(options) | StmtKind::Do(options) => options.iter().any(|option| jumps(option)),
        StmtKind::For { body, .. }
        | StmtKind::ForIn { body, .. }
        | StmtKind::Atomic(body)
        | StmtKind::DStep(body)
        | StmtKind::Block(body) => jumps(body),
        StmtKind::Unless(body, escape) => jumps(body) || jumps(escape),
        StmtKind::Label(_, inner) => jumps(std::slice::from_ref(inner)),
        _ => false,
    })
}
