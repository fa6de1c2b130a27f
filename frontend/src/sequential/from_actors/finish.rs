//! The last pass over a summand: locals that no expression reads are left out, the others get their ids in the order of
//! the text, and loop variables follow the summation variables.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::bodies::{LOCALS, LOOPS};
use crate::sequential::{Expr, ExprKind, ParameterId, Sequential, Stmt, StmtKind, Summand, Variable, VariableId};

/// Adds a summand with its locals, which are numbered from [`LOCALS`] on, to a process with these arrays of slots of queues.
pub(super) fn push(out: &mut Sequential, mut summand: Summand, locals: &[Variable], slots: &BTreeSet<VariableId>) {
    let mut used = vec![false; locals.len()];
    uses(&summand.body, &mut used);
    prune(&mut summand.body, &used, slots);
    let mut order = FxHashMap::default();
    declared(&summand.body, &mut order);
    let mut placed: Vec<(usize, VariableId)> = order.iter().map(|(&id, &place)| (place, id)).collect();
    placed.sort_unstable();
    assert!(placed.iter().map(|&(place, _)| place).eq(0..placed.len()), "a local is declared once");
    let first = out.variables.len() + out.locals.len();
    for (_, id) in placed {
        let mut local = locals[id.index() - LOCALS as usize].clone();
        local.offset = out.working_len();
        out.locals.push(local);
    }
    let rename = Rename { order, first, parameters: summand.parameters.len() };
    summand.body.iter_mut().for_each(|stmt| rename.statement(stmt));
    out.summands.push(summand);
}

fn number(id: VariableId) -> Option<usize> {
    id.index().checked_sub(LOCALS as usize)
}

fn uses(body: &[Stmt], used: &mut [bool]) {
    let mut names = BTreeSet::new();
    for stmt in body {
        stmt.visit(&mut |stmt| {
            stmt.expressions().into_iter().for_each(|expr| expr.add_variables(&mut names));
            if let StmtKind::Assign(place, _) = &stmt.kind {
                names.insert(place.variable);
            }
        });
    }
    names.into_iter().filter_map(number).for_each(|number| used[number] = true);
}

/// Removes the locals for sender and parameters that no expression reads: the oldest slot of a queue always exists. An element of another array
/// may not, and then its read faults.
fn prune(body: &mut Vec<Stmt>, used: &[bool], slots: &BTreeSet<VariableId>) {
    body.retain(|stmt| {
        let StmtKind::Var(id, value) = &stmt.kind else { return true };
        let is_slot = matches!(&value.kind, ExprKind::Read(place) if slots.contains(&place.variable)
            && matches!(place.indices.last(), Some(Expr { kind: ExprKind::Int(0), .. })));
        !is_slot || number(*id).is_none_or(|number| used[number])
    });
}

fn declared(body: &[Stmt], order: &mut FxHashMap<VariableId, usize>) {
    for stmt in body {
        stmt.visit(&mut |stmt| {
            if let StmtKind::Var(id, _) = &stmt.kind {
                let next = order.len();
                order.insert(*id, next);
            }
        });
    }
}

struct Rename {
    /// The place of each local among those of the summand.
    order: FxHashMap<VariableId, usize>,
    /// The id of the first one.
    first: usize,
    parameters: usize,
}

impl Rename {
    fn statement(&self, stmt: &mut Stmt) {
        stmt.visit_mut(&mut |stmt| {
            if let Some(id) = stmt.target_mut() {
                *id = self.variable(*id);
            }
            stmt.expressions_mut().into_iter().for_each(|expr| self.expression(expr));
        });
    }

    fn variable(&self, id: VariableId) -> VariableId {
        self.order.get(&id).map_or(id, |place| VariableId::from_index(self.first + place))
    }

    fn expression(&self, expr: &mut Expr) {
        expr.visit_mut(&mut |expr| match &mut expr.kind {
            ExprKind::Read(place) => place.variable = self.variable(place.variable),
            ExprKind::Parameter(id) if id.0 >= LOOPS => {
                *id = ParameterId::from_index(id.index() - LOOPS as usize + self.parameters);
            }
            _ => {}
        });
    }
}
