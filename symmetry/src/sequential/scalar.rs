//! The published rules that also find a symmetry of a sequential model: scalar sets, recognised by the use of a sort in the text.
//!
//! All values of a sort may be permuted if it is used as a scalar set only. Its values come from parameters, quantifiers and variables of
//! the sort; they are compared with each other by `=` and `!=`, index arrays over the sort, are stored in variables of it and are
//! arguments of events. No table is indexed by it, and all its elements have the same initial value.
//!
//! # Soundness
//!
//! Errs on the side of `no`: only a report relies on it.
//!
//! # Source
//!
//! \[Ip96\] section 4, for shared variables in place of a heap.

use frontend::sequential::{BinaryOp, Expr, ExprKind, Initial, Place, Sequential, SortId, Stmt, StmtKind};

use super::names::Description;

/// The names of the rules that also find a symmetry.
pub fn rules(model: &Sequential, described: &Description) -> Vec<&'static str> {
    let scalar = described.sorts.as_ref().is_some_and(|sorts| sorts.iter().all(|&sort| is_scalar(model, sort)));
    if scalar { vec!["scalar-set"] } else { Vec::new() }
}

/// Whether a sort is used as a scalar set only.
pub(super) fn is_scalar(model: &Sequential, sort: SortId) -> bool {
    if sort == Sequential::BOOL || sort == Sequential::BIT {
        return false;
    }
    let initial = model.variables.iter().all(|variable| match &variable.initial {
        Initial::Any => true,
        Initial::Values(_) if variable.sort == sort => false,
        Initial::Values(values) => !variable.indices.contains(&sort) || values.iter().all(|value| *value == values[0]),
    });
    initial
        && model.summands.iter().all(|summand| {
            let mut uses = Uses { model, sort, scope: summand.parameters.iter().map(|p| p.sort).collect() };
            uses.plain(&summand.guard)
                && summand.arguments.iter().all(|argument| uses.any(argument))
                && uses.body(&summand.body)
        })
}

/// The examination of the uses of a sort.
struct Uses<'m> {
    model: &'m Sequential,
    sort: SortId,
    /// The sorts of the binders in scope.
    scope: Vec<SortId>,
}

impl Uses<'_> {
    /// Whether an expression as a whole is a value of the sort.
    fn is_value(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Parameter(id) => self.scope[id.index()] == self.sort,
            ExprKind::Read(place) => self.model.variable(place.variable).sort == self.sort,
            _ => false,
        }
    }

    /// Checks an expression at a place where a value of the sort may occur.
    fn any(&mut self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Parameter(_) => true,
            ExprKind::Read(place) => self.place(place),
            _ => self.plain(expr),
        }
    }

    /// Checks an expression at a place where no value of the sort may occur.
    fn plain(&mut self, expr: &Expr) -> bool {
        if self.is_value(expr) {
            return false;
        }
        match &expr.kind {
            ExprKind::Read(place) => self.place(place),
            ExprKind::Lookup(table, indices) => {
                let table = &self.model.table(*table).indices;
                !table.contains(&self.sort) && indices.iter().all(|index| self.plain(index))
            }
            ExprKind::Binary(BinaryOp::Equal | BinaryOp::NotEqual, left, right) => {
                let both = self.is_value(left) && self.is_value(right);
                if both { self.any(left) && self.any(right) } else { self.plain(left) && self.plain(right) }
            }
            ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
                self.scope.push(quantified.sort);
                let plain = self.plain(&quantified.body);
                self.scope.pop();
                plain
            }
            _ => expr.operands().into_iter().all(|operand| self.plain(operand)),
        }
    }

    fn place(&mut self, place: &Place) -> bool {
        let model = self.model;
        let sorts = &model.variable(place.variable).indices;
        place.indices.iter().zip(sorts).all(|(index, &sort)| match sort == self.sort {
            true => self.is_value(index) && self.any(index),
            false => self.plain(index),
        })
    }

    fn body(&mut self, body: &[Stmt]) -> bool {
        body.iter().all(|stmt| match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let stored = match self.model.variable(place.variable).sort == self.sort {
                    true => self.is_value(value) && self.any(value),
                    false => self.plain(value),
                };
                self.place(place) && stored
            }
            StmtKind::If(condition, then, otherwise) => {
                self.plain(condition) && self.body(then) && self.body(otherwise)
            }
            StmtKind::Var(..) | StmtKind::For(..) | StmtKind::While(..) | StmtKind::Fail(_) => false,
        })
    }
}
