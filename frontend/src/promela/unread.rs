//! Variables of Promela texts that are never read; see [`crate::unread`].
//!
//! They are found in the tree, where locals have names of their own: on the way to the sequential form values become known, and most of
//! what `printf` shows is left out. A value that is shown is read. Not reported: `hidden` variables, channels, records, and counters of loops.
//! Names of locals in formulas are those of all proctypes.

use std::collections::{BTreeMap, BTreeSet};

use super::syntax::Child;
use super::syntax::ast::{Argument, Expr, ExprKind, File, Initial, Place, Process, Stmt, StmtKind, Type, Variable};
use super::{Options, preprocess, scope, syntax};
use crate::diagnostics::Diagnostics;
use crate::sequential::{Property, Sequential};
use crate::source::Span;
use crate::unread::{Unread, UnreadKind, Uses, is_exempt};

/// A variable, in the order of their declarations.
type Key = usize;

/// What is known of the variables.
struct Walk {
    /// The proctype of each local variable, and the variables of each name.
    owners: Vec<Option<usize>>,
    by_name: BTreeMap<String, Vec<Key>>,
    uses: Uses<Key>,
    /// The proctype of the statements.
    process: Option<usize>,
}

/// The variables that neither the text of a model nor these properties read, in the order of the text.
pub fn unread(text: &str, options: &Options, model: &Sequential, properties: &[Property]) -> Vec<Unread> {
    let mut named = BTreeSet::new();
    properties.iter().flat_map(Property::atoms).for_each(|atom| atom.add_variables(&mut named));
    let read: BTreeSet<Span> = named.into_iter().map(|id| model.variable(id).span).collect();
    let mut sink = Diagnostics::new();
    let tokens = syntax::token::tokens(text, &mut sink);
    let (Some(tokens), _) = preprocess::preprocess(&tokens, &options.constants, &mut sink) else { return Vec::new() };
    let mut file = syntax::parser::parse(tokens, &mut sink);
    if sink.has_errors() {
        return Vec::new();
    }
    let words = scope::Words::of(text);
    let locals: Vec<scope::Locals> =
        file.processes.iter_mut().map(|process| scope::locals(process, &words, false, &mut sink)).collect();
    let mut walk = Walk { owners: Vec::new(), by_name: BTreeMap::new(), uses: Uses::new(), process: None };
    let mut declared: Vec<(&Variable, UnreadKind)> = Vec::new();
    for variable in &file.globals {
        walk.declare(None, variable);
        declared.push((variable, UnreadKind::Variable));
    }
    for (number, own) in locals.iter().enumerate() {
        for (at, variable) in own.list.iter().enumerate() {
            walk.declare(Some(number), variable);
            let kind = if at < own.parameters { UnreadKind::Parameter } else { UnreadKind::Local };
            declared.push((variable, kind));
        }
    }
    assert_eq!(declared.len(), walk.owners.len(), "every declaration has its number");
    for (key, (variable, _)) in declared.iter().enumerate() {
        let written = variable.name.span;
        let name = text.get(written.range(text.len())).unwrap_or_default();
        // A name that a macro makes, and a variable of the text that is included, have no place that shows it.
        let is_shown = variable.name.text.starts_with(name) && !name.is_empty();
        let is_other = variable.is_hidden || variable.of == Type::Chan || matches!(variable.of, Type::Record(_));
        if is_other || !is_shown || is_exempt(&variable.name.text) || read.contains(&written) {
            walk.uses.read(key);
        }
    }
    walk.file(&file, &locals);
    walk.uses.close();
    let name = |key: Key| {
        let name = &declared[key].0.name.text;
        walk.owners[key].map_or_else(|| name.clone(), |process| format!("{}.{name}", file.processes[process].name.text))
    };
    let mut found: Vec<Unread> = Vec::new();
    for (key, (variable, kind)) in declared.iter().enumerate() {
        let span = variable.name.span;
        if let Some(instead) = walk.uses.instead(key, name) {
            found.push(Unread { span, kind: *kind, name: name(key), instead });
        }
    }
    found.sort();
    found.dedup_by_key(|one| one.span);
    found
}

impl Walk {
    fn declare(&mut self, owner: Option<usize>, variable: &Variable) {
        self.by_name.entry(variable.name.text.clone()).or_default().push(self.owners.len());
        self.owners.push(owner);
    }

    fn file(&mut self, file: &File, locals: &[scope::Locals]) {
        file.globals.iter().for_each(|variable| self.initial(variable));
        file.formulas.iter().for_each(|claim| self.anywhere(&claim.formula));
        for claim in &file.never {
            self.process = None;
            self.body(&claim.body);
        }
        for (number, (process, own)) in file.processes.iter().zip(locals).enumerate() {
            self.process = Some(number);
            own.list.iter().for_each(|variable| self.initial(variable));
            self.process_of(process);
        }
    }

    fn process_of(&mut self, process: &Process) {
        process.provided.iter().for_each(|condition| self.reads(condition));
        process.active.iter().flatten().for_each(|count| self.reads(count));
        self.body(&process.body);
    }

    fn initial(&mut self, variable: &Variable) {
        match &variable.initial {
            Some(Initial::Value(value)) => self.reads(value),
            Some(Initial::List(list)) => list.iter().for_each(|value| self.reads(value)),
            _ => {}
        }
        variable.size.iter().for_each(|size| self.reads(size));
    }

    /// Reads of a formula: of a name whatever its proctype.
    fn anywhere(&mut self, expr: &Expr) {
        let mut named = BTreeSet::new();
        names(expr, &mut named);
        self.all_of(&named);
    }

    fn all_of(&mut self, named: &BTreeSet<String>) {
        for key in named.iter().filter_map(|name| self.by_name.get(name)).flatten() {
            self.uses.read(*key);
        }
    }

    /// The variable of a place.
    fn key(&self, place: &Place) -> Option<Key> {
        let named = self.by_name.get(&place.parts[0].name.text)?;
        let of = |owner: Option<usize>| named.iter().copied().find(|&key| self.owners[key] == owner);
        self.process.and_then(|process| of(Some(process))).or_else(|| of(None))
    }

    fn read(&mut self, place: &Place) {
        place.indices().for_each(|index| self.reads(index));
        self.key(place).into_iter().for_each(|key| self.uses.read(key));
    }

    fn write(&mut self, place: &Place) {
        place.indices().for_each(|index| self.reads(index));
        self.key(place).into_iter().for_each(|key| self.uses.write(key));
    }

    fn reads(&mut self, expr: &Expr) {
        limits::work(1);
        if let ExprKind::Of { place, .. } = &expr.kind {
            self.all_of(&BTreeSet::from([place.parts[0].name.text.clone()]));
        }
        for child in expr.children() {
            match child {
                Child::Expr(inner) => self.reads(inner),
                // What a poll matches is read.
                Child::Place(place) | Child::Target(place) => self.read(place),
                Child::Body(_) | Child::Labelled(_) => unreachable!("expressions have no statements"),
            }
        }
    }

    fn body(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        limits::work(1);
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                self.write(place);
                return match self.key(place) {
                    Some(target) => self.flows(value, target),
                    None => self.reads(value),
                };
            }
            StmtKind::For { variable, .. } | StmtKind::ForIn { variable, .. } => self.read(variable),
            // A symbol that is to be matched is no variable.
            StmtKind::Receive { arguments, .. } => {
                for argument in arguments {
                    if let Argument::Place(place) = argument {
                        self.write(place);
                    }
                }
            }
            StmtKind::Declare(variables) => variables.iter().for_each(|variable| self.initial(variable)),
            _ => {}
        }
        for child in stmt.children() {
            match child {
                Child::Expr(value) => self.reads(value),
                Child::Place(place) => self.read(place),
                Child::Target(place) => self.write(place),
                Child::Body(body) => self.body(body),
                Child::Labelled(inner) => self.stmt(inner),
            }
        }
    }

    /// The reads of a value that is assigned.
    fn flows(&mut self, value: &Expr, target: Key) {
        match &value.kind {
            ExprKind::Place(place) => {
                place.indices().for_each(|index| self.reads(index));
                self.key(place).into_iter().for_each(|key| self.uses.flow(key, target));
            }
            ExprKind::Unary(_, inner) => self.flows(inner, target),
            ExprKind::Binary(_, left, right) => [left, right].into_iter().for_each(|inner| self.flows(inner, target)),
            _ => self.reads(value),
        }
    }
}

/// The first names of all places of an expression.
fn names(expr: &Expr, found: &mut BTreeSet<String>) {
    if let ExprKind::Of { place, .. } = &expr.kind {
        found.insert(place.parts[0].name.text.clone());
    }
    for child in expr.children() {
        match child {
            Child::Expr(inner) => names(inner, found),
            Child::Place(place) | Child::Target(place) => {
                found.insert(place.parts[0].name.text.clone());
                place.indices().for_each(|index| names(index, found));
            }
            Child::Body(_) | Child::Labelled(_) => {}
        }
    }
}
