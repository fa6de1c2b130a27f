//! Locals that are set back to 0 and not read before their next assignment: the 0 names no process there.
//!
//! At each control point such a local either always holds a value that was assigned, or is always set back; where it is set back, nothing reads
//! it. It holds [`FREE`] there instead of 0, so that it keeps process 0 in the group.
//!
//! Soundness: the control point says which of the two it is, so states correspond one to one, and no condition, value or formula sees
//! the difference. What holds at the points is a fixed point over the summands.

use std::collections::BTreeMap;

use super::super::syntax::ast::Type;
use super::{Lowering, Refused};
use crate::sequential::from_actors::build::{int, parameter};
use crate::sequential::{Expr, ExprKind, ParameterId, Property, Stmt, StmtKind, Summand, VariableId};

/// The value of a local that is set back.
pub(super) const FREE: i32 = -1;

/// A local was set back.
const RESET: u8 = 1;
/// A local was assigned.
const ASSIGNED: u8 = 2;

/// A local that holds [`FREE`] where it is set back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freed {
    pub variable: VariableId,
    pub process: usize,
    /// Whether it is set back at the first point.
    pub at_start: bool,
}

/// Which processes the indices of a local name.
#[derive(Clone, Copy)]
enum Role {
    /// The process of a parameter.
    Own(usize),
    /// A process that is made.
    New,
}

impl Role {
    fn fits(self, index: &Expr) -> bool {
        match self {
            Role::Own(number) => index.kind == parameter(ParameterId::from_index(number)).kind,
            Role::New => !matches!(index.kind, ExprKind::Parameter(_)),
        }
    }
}

/// What is known of one local.
struct Local {
    variable: VariableId,
    process: usize,
    /// For each member of the control points how it may be.
    at: BTreeMap<i32, u8>,
}

impl Lowering<'_> {
    /// Gives the locals that are set back another value there.
    pub(super) fn resets(&mut self) -> Result<(), Refused> {
        assert_eq!(self.sources.len(), self.model.summands.len(), "every summand has its control points");
        let leaves =
            self.leaves.values().filter(|leaf| matches!(leaf.of, Type::Byte | Type::Pid) && leaf.group.is_none());
        let owned: Vec<(VariableId, usize)> = leaves.filter_map(|leaf| Some((leaf.variable, leaf.owner?))).collect();
        for (variable, process) in owned {
            if self.model.variable(variable).indices.len() != 1 || self.is_exposed(variable) {
                continue;
            }
            let Some(at_start) = self.free_at_start(variable, process)? else { continue };
            let sort = self.model.variable(variable).sort;
            let (_, high) = self.model.domain(sort).bounds();
            self.model.variables[variable.index()].sort = self.range(FREE, high);
            for stmt in self.model.summands.iter_mut().flat_map(|summand| &mut summand.body) {
                stmt.visit_mut(&mut |stmt| match &mut stmt.kind {
                    StmtKind::Assign(place, value) if place.variable == variable && is_zero(value) => {
                        value.kind = int(FREE).kind;
                    }
                    _ => {}
                });
            }
            self.freed.push(Freed { variable, process, at_start });
        }
        Ok(())
    }

    /// Whether a formula or the condition of ends reads a variable.
    pub(super) fn is_exposed(&self, variable: VariableId) -> bool {
        let reads = |expr: &Expr| expr.reads(|read| read == variable);
        self.model.ends.iter().chain(self.model.properties.iter().flat_map(Property::atoms)).any(reads)
    }

    /// Whether a local is set back at the first point of its process; `None` where it keeps its values.
    fn free_at_start(&mut self, variable: VariableId, process: usize) -> Result<Option<bool>, Refused> {
        let start = self.controls[process].2[&self.flows[process].start];
        // Its number is no literal, whichever it is.
        let context = self.context(process);
        let first = self.initial_values(process, &context)?;
        debug_assert!(
            self.controls[process].2.values().all(|&member| member != 0),
            "no point is the one of no process"
        );
        let mut local = Local { variable, process, at: BTreeMap::from([(0, RESET)]) };
        if !self.slots[process].first.is_empty() {
            local.at.insert(start, local.after(&first, Role::Own(0), RESET, &mut true));
        }
        loop {
            let before = local.at.clone();
            for (summand, sources) in self.model.summands.iter().zip(&self.sources) {
                limits::work(1);
                for (role, entry) in self.roles(&local, summand, sources) {
                    let state = local.after(&summand.body, role, entry, &mut true);
                    for member in self.members(process, &summand.body, role) {
                        *local.at.entry(member).or_default() |= state;
                    }
                }
            }
            if local.at == before {
                break;
            }
        }
        let is_kept = |state: &u8| *state == RESET | ASSIGNED;
        let is_assigned = local.at.values().any(|&state| state == ASSIGNED);
        let is_inside = self.model.summands.iter().any(|summand| local.is_named(summand));
        if local.at.values().any(is_kept) || !(is_assigned || is_inside) {
            return Ok(None);
        }
        for (summand, sources) in self.model.summands.iter().zip(&self.sources) {
            let mut is_fit = local.has_own_indices(summand, sources);
            for (role, entry) in self.roles(&local, summand, sources) {
                is_fit &= entry & RESET == 0 || !local.is_read(&summand.guard, role);
                local.after(&summand.body, role, entry, &mut is_fit);
            }
            if !is_fit && !self.wrong.reads_free_values() {
                return Ok(None);
            }
        }
        Ok(Some(local.at.get(&start) == Some(&RESET)))
    }

    /// The processes of the proctype in a summand, each with how its local is before.
    fn roles(
        &self,
        local: &Local,
        summand: &Summand,
        sources: &[(usize, super::super::flow::Point)],
    ) -> Vec<(Role, u8)> {
        let own = |(number, &(process, point)): (usize, &(usize, super::super::flow::Point))| {
            let member = self.controls[process].2.get(&point)?;
            (process == local.process).then(|| (Role::Own(number), local.at.get(member).copied().unwrap_or(0)))
        };
        let mut roles: Vec<(Role, u8)> =
            sources.iter().enumerate().filter_map(own).filter(|&(_, entry)| entry != 0).collect();
        if !self.members(local.process, &summand.body, Role::New).is_empty() {
            roles.push((Role::New, RESET));
        }
        roles
    }

    /// The members to which a body takes the control points of a process.
    fn members(&self, process: usize, body: &[Stmt], role: Role) -> Vec<i32> {
        let mut found = Vec::new();
        let mut add = |stmt: &Stmt| {
            if let StmtKind::Assign(place, value) = &stmt.kind
                && place.variable == self.controls[process].0
                && role.fits(&place.indices[0])
                && let ExprKind::Member(_, index) = value.kind
            {
                found.push(index.cast_signed());
            }
        };
        body.iter().for_each(|stmt| stmt.visit(&mut add));
        found
    }
}

impl Local {
    /// How the local is behind a body; `is_fit` becomes false where it is read while it may be set back, or in a loop.
    fn after(&self, body: &[Stmt], role: Role, before: u8, is_fit: &mut bool) -> u8 {
        let mut state = before;
        for stmt in body {
            let reads =
                |state: u8| state & RESET != 0 && stmt.expressions().into_iter().any(|expr| self.is_read(expr, role));
            *is_fit &= !reads(state);
            match &stmt.kind {
                StmtKind::Assign(place, value) if place.variable == self.variable && role.fits(&place.indices[0]) => {
                    state = if is_zero(value) { RESET } else { ASSIGNED };
                }
                StmtKind::If(_, then, otherwise) => {
                    state = self.after(then, role, state, is_fit) | self.after(otherwise, role, state, is_fit);
                }
                StmtKind::For(_, inner) | StmtKind::While(_, inner) => {
                    let is_named = |stmt: &Stmt| stmt.any(&mut |stmt| stmt.names(self.variable));
                    *is_fit &= !inner.iter().any(is_named);
                }
                _ => {}
            }
        }
        state
    }

    fn is_read(&self, expr: &Expr, role: Role) -> bool {
        expr.any(&mut |expr| matches!(&expr.kind, ExprKind::Read(place) if place.variable == self.variable && role.fits(&place.indices[0])))
    }

    fn is_named(&self, summand: &Summand) -> bool {
        let assigns = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Assign(place, value) if place.variable == self.variable && !is_zero(value));
        summand.body.iter().any(|stmt| stmt.any(&mut { assigns }))
    }

    /// Whether the local is read of the processes of the summand only, and assigned of these and of new ones.
    fn has_own_indices(&self, summand: &Summand, sources: &[(usize, super::super::flow::Point)]) -> bool {
        let is_own = |index: &Expr| {
            let own = sources.iter().enumerate().filter(|(_, source)| source.0 == self.process);
            { own }.any(|(number, _)| Role::Own(number).fits(index))
        };
        let is_foreign = |expr: &Expr| {
            expr.any(&mut |expr| matches!(&expr.kind, ExprKind::Read(place) if place.variable == self.variable && !is_own(&place.indices[0])))
        };
        let mut is_wrong = |stmt: &Stmt| {
            let target = matches!(&stmt.kind, StmtKind::Assign(place, _) if place.variable == self.variable
                && !is_own(&place.indices[0]) && !Role::New.fits(&place.indices[0]));
            target || stmt.expressions().into_iter().any(is_foreign)
        };
        !is_foreign(&summand.guard) && !summand.body.iter().any(|stmt| stmt.any(&mut is_wrong))
    }
}

fn is_zero(value: &Expr) -> bool {
    value.kind == ExprKind::Int(0)
}
