//! The last pass over a summand: locals that no expression reads are left out, the others get their ids in the order of
//! the text, and loop variables follow the summation variables.

use rustc_hash::FxHashMap;

use super::bodies::{LOCALS, LOOPS};
use crate::sequential::{Expr, ExprKind, ParameterId, Sequential, Stmt, StmtKind, Summand, Variable, VariableId};

/// Adds a summand with its locals, which are numbered from [`LOCALS`] on, to a process.
pub(super) fn push(out: &mut Sequential, mut summand: Summand, locals: &[Variable]) {
    let mut used = vec![false; locals.len()];
    uses(&summand.body, &mut used);
    prune(&mut summand.body, &used);
    let mut order = FxHashMap::default();
    declared(&summand.body, &mut order);
    let mut placed: Vec<(usize, VariableId)> = order.iter().map(|(&id, &place)| (place, id)).collect();
    placed.sort_unstable();
    let first = out.variables.len() + out.locals.len();
    for (_, id) in placed {
        let mut local = locals[id.index() - LOCALS as usize].clone();
        local.offset = out.working_len();
        out.locals.push(local);
    }
    let rename = Rename { order, first, parameters: summand.parameters.len() };
    rename.statements(&mut summand.body);
    out.summands.push(summand);
}

fn number(id: VariableId) -> Option<usize> {
    id.index().checked_sub(LOCALS as usize)
}

fn uses(body: &[Stmt], used: &mut [bool]) {
    for stmt in body {
        stmt.expressions().into_iter().for_each(|expr| reads(expr, used));
        stmt.blocks().into_iter().for_each(|block| uses(block, used));
        if let StmtKind::Assign(place, _) = &stmt.kind
            && let Some(number) = number(place.variable)
        {
            used[number] = true;
        }
    }
}

fn reads(expr: &Expr, used: &mut [bool]) {
    if let ExprKind::Read(place) = &expr.kind
        && let Some(number) = number(place.variable)
    {
        used[number] = true;
    }
    expr.operands().into_iter().for_each(|operand| reads(operand, used));
}

/// Removes the locals for sender and parameters that no expression reads: the oldest slot of a queue always exists.
fn prune(body: &mut Vec<Stmt>, used: &[bool]) {
    body.retain(|stmt| {
        let StmtKind::Var(id, value) = &stmt.kind else { return true };
        let is_slot = matches!(&value.kind, ExprKind::Read(place) if number(place.variable).is_none()
            && place.indices.iter().all(|index| matches!(index.kind, ExprKind::Parameter(_) | ExprKind::Int(0))));
        !is_slot || number(*id).is_none_or(|number| used[number])
    });
}

fn declared(body: &[Stmt], order: &mut FxHashMap<VariableId, usize>) {
    for stmt in body {
        if let StmtKind::Var(id, _) = &stmt.kind {
            let next = order.len();
            order.insert(*id, next);
        }
        stmt.blocks().into_iter().for_each(|block| declared(block, order));
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
    fn statements(&self, body: &mut [Stmt]) {
        for stmt in body {
            match &mut stmt.kind {
                StmtKind::Assign(place, value) => {
                    place.variable = self.variable(place.variable);
                    place.indices.iter_mut().for_each(|index| self.expression(index));
                    self.expression(value);
                }
                StmtKind::If(condition, then, otherwise) => {
                    self.expression(condition);
                    self.statements(then);
                    self.statements(otherwise);
                }
                StmtKind::Var(id, value) => {
                    *id = self.variable(*id);
                    self.expression(value);
                }
                StmtKind::For(_, body) => self.statements(body),
                StmtKind::While(condition, body) => {
                    self.expression(condition);
                    self.statements(body);
                }
                StmtKind::Fail(_) => {}
            }
        }
    }

    fn variable(&self, id: VariableId) -> VariableId {
        self.order.get(&id).map_or(id, |place| VariableId::from_index(self.first + place))
    }

    fn expression(&self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Read(place) => place.variable = self.variable(place.variable),
            ExprKind::Parameter(id) if id.0 >= LOOPS => {
                *id = ParameterId::from_index(id.index() - LOOPS as usize + self.parameters);
            }
            _ => {}
        }
        expr.operands_mut().into_iter().for_each(|operand| self.expression(operand));
    }
}
