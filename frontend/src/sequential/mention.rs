//! The parts of statements, and the variables that a text names.

use std::collections::BTreeSet;

use super::{Expr, ExprKind, Sequential, Stmt, StmtKind, Summand, VariableId};

impl Stmt {
    /// The expressions of the statement itself, without those of its blocks: indices first, then the value.
    pub fn expressions(&self) -> Vec<&Expr> {
        match &self.kind {
            StmtKind::Assign(place, value) => place.indices.iter().chain([value]).collect(),
            StmtKind::If(expr, ..) | StmtKind::Var(_, expr) | StmtKind::While(expr, _) => vec![expr],
            StmtKind::For(..) | StmtKind::Fail(_) => Vec::new(),
        }
    }

    /// The blocks of the statement, in order.
    pub fn blocks(&self) -> Vec<&[Stmt]> {
        match &self.kind {
            StmtKind::If(_, then, otherwise) => vec![then, otherwise],
            StmtKind::For(_, body) | StmtKind::While(_, body) => vec![body],
            StmtKind::Assign(..) | StmtKind::Var(..) | StmtKind::Fail(_) => Vec::new(),
        }
    }

    /// Visits the statement and those of its blocks, at any depth.
    pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Stmt)) {
        visit(self);
        self.blocks().into_iter().flatten().for_each(|inner| inner.visit(visit));
    }
}

impl Expr {
    /// Adds the variables that the expression reads.
    pub fn add_variables(&self, names: &mut BTreeSet<VariableId>) {
        if let ExprKind::Read(place) = &self.kind {
            names.insert(place.variable);
        }
        self.operands().into_iter().for_each(|operand| operand.add_variables(names));
    }
}

impl Summand {
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
