//! Locals of processes that every step leaves at one value: in between they are locals of the step.
//!
//! The variables into which a `d_step` receives a message, which it sets back at its end, are of this kind. They are no part of the state: it is
//! smaller, and no later stage has to find out that they hold nothing.
//!
//! Soundness: the variable has its value in the initial state, and behind every step where it had it before (checked on each way through
//! each body), so it has it in every state. A step begins with a local of this value and reads and writes that in its place; whatever a
//! step assigns for other processes is this value. Conditions of states do not read the variable.

use std::collections::BTreeMap;

use super::Lowering;
use crate::sequential::from_actors::build::{int, local};
use crate::sequential::{Expr, ExprKind, Initial, ParameterId, Place, Stmt, StmtKind, Summand, Variable, VariableId};
use crate::source::Span;

/// Ids of the locals while they are made, behind all others.
const MADE: usize = 1 << 30;

impl Lowering<'_> {
    /// Takes the locals that hold one value between steps from the state.
    pub(super) fn temporaries(&mut self) {
        let leaves = self.leaves.values().filter(|leaf| leaf.owner.is_some() && leaf.group.is_none());
        let mut found: Vec<(VariableId, i32)> = leaves.filter_map(|leaf| self.temporary_value(leaf.variable)).collect();
        found.sort_unstable();
        found.dedup();
        if found.is_empty() {
            return;
        }
        let known = self.model.variables.len() + self.model.locals.len();
        assert!(known <= MADE, "the ids of known locals are below those of the ones that are made");
        let mut summands = std::mem::take(&mut self.model.summands);
        let mut made = Vec::new();
        for summand in &mut summands {
            for &(variable, value) in &found {
                limits::work(1);
                let Some(Own { index, .. }) = Own::of(summand, variable, value) else {
                    unreachable!("it was looked at")
                };
                let id = VariableId::from_index(MADE + made.len());
                let inside = Inside { variable, index, value, id };
                inside.remove_others(&mut summand.body);
                if inside.declare(&mut summand.body) {
                    let (indices, initial) = (Vec::new(), Initial::Values(vec![value]));
                    made.push(Variable { indices, initial, is_uniform: true, ..self.model.variable(variable).clone() });
                }
            }
        }
        self.model.summands = summands;
        assert!(self.model.starts.is_empty(), "there is one initial state");
        self.renumber(&found, &made);
    }

    /// The value that a local of processes has between steps, if it is always the same and never read there.
    fn temporary_value(&self, variable: VariableId) -> Option<(VariableId, i32)> {
        let Variable { indices, initial: Initial::Values(values), .. } = self.model.variable(variable) else {
            return None;
        };
        let (&value, all) = values.split_first()?;
        if indices.len() != 1 || all.iter().any(|&other| other != value) || self.is_exposed(variable) {
            return None;
        }
        let mut is_used = false;
        for summand in &self.model.summands {
            limits::work(1);
            let in_head = summand.arguments.iter().chain([&summand.guard]);
            if { in_head }.any(|expr| expr.reads(|read| read == variable)) {
                return None;
            }
            let own = Own::of(summand, variable, value)?;
            is_used |= own.is_assigned;
            if own.index.is_some() && !own.is_back(&summand.body, true) && !self.wrong.forgets_temporaries() {
                return None;
            }
        }
        is_used.then_some((variable, value))
    }

    /// Leaves out variables, and gives all others and all locals their new ids, in the order of the text.
    pub(super) fn renumber(&mut self, left_out: &[(VariableId, i32)], made: &[Variable]) {
        let mut ids: BTreeMap<VariableId, VariableId> = BTreeMap::new();
        debug_assert!(left_out.is_sorted(), "what is left out is ascending, for the search in it");
        let before = self.model.variables.len();
        let variables = std::mem::take(&mut self.model.variables);
        for (number, variable) in variables.into_iter().enumerate() {
            let id = VariableId::from_index(number);
            if left_out.binary_search_by_key(&id, |&(id, _)| id).is_err() {
                ids.insert(id, VariableId::from_index(self.model.variables.len()));
                self.model.variables.push(Variable { offset: self.model.state_len(), ..variable });
            }
        }
        let old = std::mem::take(&mut self.model.locals);
        let mut declared = Vec::new();
        let mut declare = |stmt: &Stmt| {
            if let StmtKind::Var(id, _) = &stmt.kind {
                declared.push(*id);
            }
        };
        self.model.summands.iter().for_each(|summand| summand.body.iter().for_each(|stmt| stmt.visit(&mut declare)));
        for id in declared {
            let local = id.index().checked_sub(MADE).map_or_else(|| &old[id.index() - before], |number| &made[number]);
            ids.insert(id, VariableId::from_index(self.model.variables.len() + self.model.locals.len()));
            let offset = self.model.working_len();
            self.model.locals.push(Variable { offset, ..local.clone() });
        }
        let new = |id: VariableId| ids[&id];
        let count = self.model.variables.len() + self.model.locals.len();
        debug_assert!(ids.values().all(|id| id.index() < count), "new ids are of variables and locals");
        assert_eq!(ids.len(), count, "every local is declared by one statement");
        self.model.summands.iter_mut().for_each(|summand| summand.rename(new));
        self.model.properties.iter_mut().for_each(|property| property.kind.rename(new));
        self.model.ends.iter_mut().for_each(|ends| ends.rename(new));
        assert!(self.model.propositions.is_empty(), "the language has no named conditions");
        self.model.hold = self.model.hold.map(new);
    }
}

/// The places of a variable that a body reads and writes.
struct Own {
    variable: VariableId,
    value: i32,
    /// The parameter whose element is read, or takes other values; nothing where all elements take the value only.
    index: Option<ParameterId>,
    is_assigned: bool,
}

impl Own {
    /// The places of a variable in a summand; `None` where they are not those of one parameter.
    fn of(summand: &Summand, variable: VariableId, value: i32) -> Option<Own> {
        let mut own = Own { variable, value, index: None, is_assigned: false };
        let (mut is_one, mut is_assigned) = (true, false);
        let mut add = |index: &Expr| match &index.kind {
            &ExprKind::Parameter(id) if id.index() < summand.parameters.len() => {
                is_one &= own.index.is_none_or(|known| known == id);
                own.index = Some(id);
            }
            _ => is_one = false,
        };
        for stmt in &summand.body {
            stmt.visit(&mut |stmt| {
                stmt.expressions()
                    .into_iter()
                    .for_each(|expr| reads_of(expr, variable, &mut |place| add(&place.indices[0])));
                if let StmtKind::Assign(place, assigned) = &stmt.kind
                    && place.variable == variable
                {
                    is_assigned = true;
                    if assigned.kind != ExprKind::Int(value) {
                        add(&place.indices[0]);
                    }
                }
            });
        }
        own.is_assigned = is_assigned;
        is_one.then_some(own)
    }

    /// Whether the element has its value behind a body on every way, where it has it before.
    fn is_back(&self, body: &[Stmt], before: bool) -> bool {
        body.iter().fold(before, |is_back, stmt| match &stmt.kind {
            StmtKind::Assign(place, value) if self.is_own(place) => value.kind == ExprKind::Int(self.value),
            StmtKind::If(_, then, otherwise) => {
                // A step that fails has no state behind it.
                let side = |side: &[Stmt]| fails(side) || self.is_back(side, is_back);
                side(then) && side(otherwise)
            }
            // The body of a loop may run, or not.
            StmtKind::For(_, inner) | StmtKind::While(_, inner) => is_back && self.is_back(inner, true),
            _ => is_back,
        })
    }

    fn is_own(&self, place: &Place) -> bool {
        let is_index = |index: &Expr| matches!(index.kind, ExprKind::Parameter(id) if Some(id) == self.index);
        place.variable == self.variable && is_index(&place.indices[0])
    }
}

fn fails(body: &[Stmt]) -> bool {
    matches!(body.last(), Some(Stmt { kind: StmtKind::Fail(_), .. }))
}

/// A local in the place of the elements of a variable at one index.
struct Inside {
    variable: VariableId,
    index: Option<ParameterId>,
    value: i32,
    id: VariableId,
}

impl Inside {
    /// Removes the assignments to other elements, which have their value.
    fn remove_others(&self, body: &mut Vec<Stmt>) {
        body.retain(|stmt| match &stmt.kind {
            StmtKind::Assign(place, _) if place.variable == self.variable => {
                matches!(place.indices[0].kind, ExprKind::Parameter(id) if Some(id) == self.index)
            }
            _ => true,
        });
        body.iter_mut().flat_map(Stmt::blocks_mut).for_each(|inner| self.remove_others(inner));
    }

    /// Declares the local before the first statement that names the variable, and takes it there and behind; returns whether one does.
    fn declare(&self, body: &mut Vec<Stmt>) -> bool {
        // What is assigned behind the last read is never seen.
        while let Some(at) = body.iter().rposition(|stmt| self.is_named(stmt))
            && matches!(&body[at].kind, StmtKind::Assign(place, value) if place.variable == self.variable && value.kind == ExprKind::Int(self.value))
        {
            body.remove(at);
        }
        let Some(at) = body.iter().position(|stmt| self.is_named(stmt)) else { return false };
        let span = body[at].span;
        let first = match &body[at].kind {
            StmtKind::Assign(place, value)
                if place.variable == self.variable && !value.reads(|read| read == self.variable) =>
            {
                let value = value.clone();
                body.remove(at);
                value
            }
            _ => int(self.value),
        };
        body.insert(at, Stmt { span, ..local(self.id, first) });
        body[at + 1..].iter_mut().for_each(|stmt| stmt.visit_mut(&mut |stmt| self.rename(stmt)));
        true
    }

    fn is_named(&self, stmt: &Stmt) -> bool {
        stmt.any(&mut |stmt| stmt.names(self.variable))
    }

    /// Takes the local in a statement itself.
    fn rename(&self, stmt: &mut Stmt) {
        let rename = |place: &mut Place| {
            if place.variable == self.variable {
                *place = Place { variable: self.id, indices: Vec::new(), span: Span::NONE };
            }
        };
        for expr in stmt.expressions_mut() {
            expr.visit_mut(&mut |expr| {
                if let ExprKind::Read(place) = &mut expr.kind {
                    rename(place);
                }
            });
        }
        if let StmtKind::Assign(place, _) = &mut stmt.kind {
            rename(place);
        }
    }
}

/// Calls a function for each place of a variable that an expression reads.
fn reads_of<'e>(expr: &'e Expr, variable: VariableId, each: &mut dyn FnMut(&'e Place)) {
    expr.visit(&mut |expr| match &expr.kind {
        ExprKind::Read(place) if place.variable == variable => each(place),
        _ => {}
    });
}
