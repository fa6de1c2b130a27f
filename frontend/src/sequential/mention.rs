//! The parts of statements, and the variables that a text names.

use std::collections::BTreeSet;

use super::{Expr, ExprKind, PropertyKind, Sequential, Stmt, StmtKind, Summand, VariableId};
use crate::walk::walks;

macro_rules! parts {
    ($expressions:ident, $blocks:ident, $inner:ident, $target:ident, $iter:ident $(, $mutable:tt)?) => {
        impl Stmt {
            /// The expressions of the statement itself, without those of its blocks: indices first, then the value.
            pub fn $expressions(&$($mutable)? self) -> Vec<&$($mutable)? Expr> {
                match &$($mutable)? self.kind {
                    StmtKind::Assign(place, value) => place.indices.$iter().chain([value]).collect(),
                    StmtKind::If(expr, ..) | StmtKind::Var(_, expr) | StmtKind::While(expr, _) => vec![expr],
                    StmtKind::For(..) | StmtKind::Fail(_) => Vec::new(),
                }
            }

            /// The blocks of the statement, in order.
            pub fn $blocks(&$($mutable)? self) -> Vec<&$($mutable)? Vec<Stmt>> {
                match &$($mutable)? self.kind {
                    StmtKind::If(_, then, otherwise) => vec![then, otherwise],
                    StmtKind::For(_, body) | StmtKind::While(_, body) => vec![body],
                    StmtKind::Assign(..) | StmtKind::Var(..) | StmtKind::Fail(_) => Vec::new(),
                }
            }

            fn $inner(&$($mutable)? self) -> impl Iterator<Item = &$($mutable)? Stmt> {
                self.$blocks().into_iter().flatten()
            }

            /// The variable or local that takes a value.
            pub fn $target(&$($mutable)? self) -> Option<&$($mutable)? VariableId> {
                match &$($mutable)? self.kind {
                    StmtKind::Assign(place, _) => Some(&$($mutable)? place.variable),
                    StmtKind::Var(id, _) => Some(id),
                    _ => None,
                }
            }
        }
    };
}

parts!(expressions, blocks, inner, target, iter);
parts!(expressions_mut, blocks_mut, inner_mut, target_mut, iter_mut, mut);
walks!(Stmt, inner, inner_mut);

impl Stmt {
    /// Whether the statement itself, without its blocks, reads a variable or assigns to it.
    pub fn names(&self, id: VariableId) -> bool {
        self.target() == Some(&id) || self.expressions().into_iter().any(|expr| expr.reads(|read| read == id))
    }
}

impl Expr {
    /// Adds the variables that the expression reads.
    pub fn add_variables(&self, names: &mut BTreeSet<VariableId>) {
        self.visit(&mut |expr| {
            if let ExprKind::Read(place) = &expr.kind {
                names.insert(place.variable);
            }
        });
    }

    /// Whether the expression reads a variable that passes a test.
    pub fn reads(&self, test: impl Fn(VariableId) -> bool) -> bool {
        self.any(&mut |expr| matches!(&expr.kind, ExprKind::Read(place) if test(place.variable)))
    }

    /// Gives each variable that the expression reads another id.
    pub fn rename(&mut self, id: impl Fn(VariableId) -> VariableId) {
        self.visit_mut(&mut |expr| {
            if let ExprKind::Read(place) = &mut expr.kind {
                place.variable = id(place.variable);
            }
        });
    }
}

impl PropertyKind {
    /// Gives each variable that the condition or formula reads another id.
    pub fn rename(&mut self, id: impl Fn(VariableId) -> VariableId + Copy) {
        self.conditions_mut().into_iter().for_each(|condition| condition.rename(id));
    }
}

impl Summand {
    /// Gives each variable and local that the summand names another id.
    pub fn rename(&mut self, id: impl Fn(VariableId) -> VariableId + Copy) {
        self.arguments.iter_mut().chain([&mut self.guard]).for_each(|expr| expr.rename(id));
        for stmt in &mut self.body {
            stmt.visit_mut(&mut |stmt| {
                stmt.target_mut().into_iter().for_each(|target| *target = id(*target));
                stmt.expressions_mut().into_iter().for_each(|expr| expr.rename(id));
            });
        }
    }

    /// The variables and locals to which the body assigns.
    pub fn assigned(&self) -> BTreeSet<VariableId> {
        let mut names = BTreeSet::new();
        let mut add = |stmt: &Stmt| {
            if let StmtKind::Assign(place, _) = &stmt.kind {
                names.insert(place.variable);
            }
        };
        self.body.iter().for_each(|stmt| stmt.visit(&mut add));
        names
    }

    /// The variables and locals that guard, arguments and body read, and those to which the body assigns.
    pub fn named(&self) -> BTreeSet<VariableId> {
        let mut names = self.assigned();
        self.arguments.iter().chain([&self.guard]).for_each(|expr| expr.add_variables(&mut names));
        let mut add = |stmt: &Stmt| stmt.expressions().into_iter().for_each(|expr| expr.add_variables(&mut names));
        self.body.iter().for_each(|stmt| stmt.visit(&mut add));
        names
    }
}

impl Sequential {
    /// The elements of these variables, ascending. Locals have none: nothing of them is left after a step.
    pub fn elements_of(&self, names: &BTreeSet<VariableId>) -> Vec<usize> {
        let kept = names.iter().filter(|id| id.index() < self.variables.len()).map(|&id| self.variable(id));
        kept.flat_map(|variable| variable.offset..variable.offset + self.len_of(variable)).collect()
    }
}
