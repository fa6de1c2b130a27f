//! Values that nothing takes: what `printf` shows, what is assigned to `_` and to hidden variables, and the fields of a rendezvous that the receiver leaves.
//!
//! They are computed all the same, and a step whose value faults is a fault. A value that may fault is a local of the body that nothing reads; one
//! that certainly has a result is left out. Ranges that are found for variables show more of them to have results.
//!
//! Soundness: a value is left out only if its indices are within their arrays, and its operations within their ranges, whatever the values of variables.

use std::collections::BTreeSet;

use super::super::syntax::ast;
use super::{Context, Lowering, Refused};
use crate::sequential::from_actors::build::{assign, local, read};
use crate::sequential::{Expr, ExprKind, SortId, Stmt, StmtKind, Typing, Values, VariableId};

impl Lowering<'_> {
    /// Whether an expression may fault; `scope` has the sorts of its parameters. Errs towards yes.
    pub(super) fn may_fault(&self, expr: &Expr, scope: &[SortId]) -> bool {
        limits::work(1);
        let fit = |indices: &[Expr], sorts: &[SortId]| {
            indices.iter().zip(sorts).all(|(index, &sort)| self.is_within(index, sort, scope))
        };
        let own = match &expr.kind {
            ExprKind::Read(place) => !fit(&place.indices, &self.model.variable(place.variable).indices),
            ExprKind::Lookup(table, indices) => !fit(indices, &self.model.table(*table).indices),
            ExprKind::Binary(op, left, right) => !op.is_comparison() && self.may_overflow(*op, left, right, scope),
            ExprKind::Negate(_) => true,
            ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
                let scope = [scope, &[quantified.sort]].concat();
                return self.may_fault(&quantified.body, &scope);
            }
            _ => false,
        };
        own || expr.operands().into_iter().any(|operand| self.may_fault(operand, scope))
    }

    /// Whether all values of an expression are of a sort.
    pub(super) fn is_within(&self, expr: &Expr, sort: SortId, scope: &[SortId]) -> bool {
        let (least, most) = self.model.domain(sort).bounds();
        match Typing::new(&self.model, scope.to_vec()).values(expr) {
            Some(Values::Range { low, high }) => least <= low && high <= most,
            Some(Values::Members(of)) => of == sort,
            None => false,
        }
    }

    /// The statement that computes a value that nothing takes, if it may fault.
    pub(super) fn evaluated(&mut self, value: Expr, context: &Context) -> Option<Stmt> {
        if self.wrong.drops_values() || !self.may_fault(&value, &context.scope) {
            return None;
        }
        let id = self.temporary(0, 1);
        Some(local(id, self.as_condition(value, context)))
    }

    /// The effect of an assignment, with the value cut to the width of its place.
    pub(super) fn assignment(
        &mut self,
        place: &ast::Place,
        value: &ast::Expr,
        context: &Context,
    ) -> Result<Vec<Stmt>, Refused> {
        let value = self.expression(value, context)?;
        self.given(place, value, context)
    }

    /// What becomes of a value that a place takes, cut to its width: `_` and hidden variables that nothing reads keep none.
    pub(super) fn given(&mut self, place: &ast::Place, value: Expr, context: &Context) -> Result<Vec<Stmt>, Refused> {
        if place.parts[0].name.text == "_" {
            return Ok(self.evaluated(value, context).into_iter().collect());
        }
        if self.is_forgotten(place) {
            let (element, _) = self.element(place, context)?;
            let indices = if self.wrong.forgets_indices() { Vec::new() } else { element.indices };
            let looked_up = read(element.variable, indices);
            return Ok([value, looked_up].into_iter().filter_map(|value| self.evaluated(value, context)).collect());
        }
        let (place, value) = self.stored(place, &value, context)?;
        Ok(vec![assign(place, value)])
    }

    /// The statements that compute what `printf` shows.
    pub(super) fn shown(&mut self, values: &[ast::Expr], context: &Context) -> Result<Vec<Stmt>, Refused> {
        let mut body = Vec::new();
        for value in values {
            let value = self.expression(value, context)?;
            body.extend(self.evaluated(value, context));
        }
        Ok(body)
    }

    /// Leaves out the locals that nothing reads and whose values have results, and gives the others their ids in the order of the text.
    pub(super) fn leave_out_results(&mut self) {
        if self.model.locals.is_empty() {
            return;
        }
        let mut summands = std::mem::take(&mut self.model.summands);
        for summand in &mut summands {
            let mut used = BTreeSet::new();
            summand.body.iter().for_each(|stmt| stmt.visit(&mut |stmt| uses(stmt, &mut used)));
            let scope: Vec<SortId> = summand.parameters.iter().map(|parameter| parameter.sort).collect();
            self.leave_out_of(&mut summand.body, &used, &scope);
        }
        self.model.summands = summands;
        self.renumber(&[], &[]);
    }

    fn leave_out_of(&self, body: &mut Vec<Stmt>, used: &BTreeSet<VariableId>, scope: &[SortId]) {
        body.retain(|stmt| match &stmt.kind {
            StmtKind::Var(id, value) => used.contains(id) || self.may_fault(value, scope),
            _ => true,
        });
        for stmt in body {
            let inner = match &stmt.kind {
                StmtKind::For(parameter, _) => [scope, &[parameter.sort]].concat(),
                _ => scope.to_vec(),
            };
            stmt.blocks_mut().into_iter().for_each(|block| self.leave_out_of(block, used, &inner));
        }
    }
}

/// Adds the variables that a statement itself reads or assigns; the declaration of a local is no use of it.
fn uses(stmt: &Stmt, used: &mut BTreeSet<VariableId>) {
    for expr in stmt.expressions() {
        expr.visit(&mut |expr| {
            if let ExprKind::Read(place) = &expr.kind {
                used.insert(place.variable);
            }
        });
    }
    if let StmtKind::Assign(place, _) = &stmt.kind {
        used.insert(place.variable);
    }
}
