//! The levels of binders. While a rule or property is converted, each of its binders has a number of its own, so that an expression may be copied
//! below any other binder. In the process a binder is known by the number of binders around it.
//!
//! # Invariants
//!
//! No two binders of a rule or property have one name. Every use of a binder stands below it.

use rustc_hash::FxHashMap;

use crate::sequential::{Expr, ExprKind, Parameter, ParameterId, Stmt, StmtKind};

/// The binders around a place while numbers become levels.
pub(super) struct Levels<'b> {
    /// The names of the binders by their numbers.
    names: &'b [String],
    /// The levels of the binders around the place.
    scope: FxHashMap<String, ParameterId>,
}

impl<'b> Levels<'b> {
    /// At a place below summation variables.
    pub(super) fn below(names: &'b [String], parameters: &[Parameter]) -> Levels<'b> {
        let levels = parameters.iter().enumerate();
        let scope = levels.map(|(level, parameter)| (parameter.name.clone(), ParameterId::from_index(level))).collect();
        Levels { names, scope }
    }

    /// Something below one more binder.
    fn bound(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        let level = ParameterId::from_index(self.scope.len());
        assert!(self.scope.insert(name.into(), level).is_none(), "binders have names of their own");
        inside(self);
        self.scope.remove(name);
    }

    /// Gives the parameters of an expression their levels.
    pub(super) fn expression(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Parameter(id) => {
                *id = *self.scope.get(&self.names[id.index()]).expect("a binder stands around its uses");
            }
            ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
                self.bound(&quantified.name, |levels| levels.expression(&mut quantified.body));
            }
            _ => expr.operands_mut().into_iter().for_each(|operand| self.expression(operand)),
        }
    }

    /// Gives the parameters of statements their levels.
    pub(super) fn body(&mut self, body: &mut [Stmt]) {
        for stmt in body {
            if let StmtKind::For(parameter, body) = &mut stmt.kind {
                self.bound(&parameter.name, |levels| levels.body(body));
                continue;
            }
            stmt.expressions_mut().into_iter().for_each(|expr| self.expression(expr));
            stmt.blocks_mut().into_iter().for_each(|block| self.body(block));
        }
    }
}
