//! Variables of processes in sequential form that are never read: of `.lpe` and of DVE.
//!
//! Variables that stand for no variable of the text are not reported: the control of a process, and channels. Nor are summation variables, loops,
//! and a variable of DVE that takes a part of a message, which must be received. Petri nets have none: a place that no transition takes from is usual.
//! Models of Promela lose reads on the way to this form; those that are never read are found in its text.

use super::{Instead, Unread, UnreadKind, Uses, is_exempt};
use crate::sequential::{Expr, ExprKind, Origin, Property, Sequential, Stmt, StmtKind, VariableId};

/// The variables of a process that neither it nor the properties read, in the order of the text.
pub fn of_process(model: &Sequential, properties: &[Property]) -> Vec<Unread> {
    if matches!(model.origin, Origin::Pnml | Origin::Promela) {
        return Vec::new();
    }
    let count = model.variables.len() + model.locals.len();
    let all = || (0..count).map(VariableId::from_index);
    let mut uses = Uses::new();
    all().filter(|&id| !is_reported(model, id)).for_each(|id| uses.read(id));
    uses.read_by(properties);
    for summand in &model.summands {
        limits::work(1);
        summand.arguments.iter().chain([&summand.guard]).for_each(|expr| uses.reads(expr));
        summand.body.iter().for_each(|stmt| stmt.visit(&mut |stmt| uses.stmt(stmt)));
        if model.origin == Origin::Dve {
            summand.body.iter().filter_map(received).for_each(|id| uses.read(id));
        }
    }
    let own = model.propositions.iter().map(|proposition| &proposition.value).chain(&model.ends);
    own.for_each(|condition| uses.reads(condition));
    uses.read_by(&model.properties);
    model.hold.into_iter().for_each(|id| uses.read(id));
    uses.close();
    let unread = |id: VariableId| {
        let instead: Instead = uses.instead(id, |other| model.variable(other).name.clone())?;
        let (kind, variable) = match id.index() < model.variables.len() {
            true => (UnreadKind::Variable, model.variable(id)),
            false => (UnreadKind::Local, model.variable(id)),
        };
        Some(Unread { span: variable.span, kind, name: variable.name.clone(), instead })
    };
    let mut found: Vec<Unread> = all().filter_map(unread).collect();
    found.sort();
    found
}

/// Whether it is a variable of the text that should be read.
fn is_reported(model: &Sequential, id: VariableId) -> bool {
    let variable = model.variable(id);
    let is_other = match model.origin {
        // The control of a process, and parts of a channel, have the place of another name.
        Origin::Dve => variable.name.rsplit('.').next().map(str::len) != Some(variable.span.length()),
        _ => false,
    };
    !variable.span.is_none() && !is_exempt(&variable.name) && !is_other
}

/// The variable that takes a part of a message of DVE: the statement begins with the channel, not with the variable.
fn received(stmt: &Stmt) -> Option<VariableId> {
    match &stmt.kind {
        StmtKind::Assign(place, _) if stmt.span.start < place.span.start => Some(place.variable),
        _ => None,
    }
}

impl Uses<VariableId> {
    /// All reads of an expression count.
    fn reads(&mut self, expr: &Expr) {
        expr.visit(&mut |inner| {
            if let ExprKind::Read(place) = &inner.kind {
                self.read(place.variable);
            }
        });
    }

    fn read_by(&mut self, properties: &[Property]) {
        properties.iter().flat_map(Property::atoms).for_each(|atom| self.reads(atom));
    }

    /// Reads and writes of a statement, without those inside of it.
    fn stmt(&mut self, stmt: &Stmt) {
        limits::work(1);
        let (target, value) = match &stmt.kind {
            StmtKind::Assign(place, value) => {
                place.indices.iter().for_each(|index| self.reads(index));
                (place.variable, value)
            }
            StmtKind::Var(id, value) => (*id, value),
            _ => return stmt.expressions().into_iter().for_each(|expr| self.reads(expr)),
        };
        self.write(target);
        self.flows(value, target);
    }

    /// The reads of a value that is assigned.
    fn flows(&mut self, value: &Expr, target: VariableId) {
        if let ExprKind::Read(place) = &value.kind {
            place.indices.iter().for_each(|index| self.reads(index));
            return self.flow(place.variable, target);
        }
        value.operands().into_iter().for_each(|operand| self.flows(operand, target));
    }
}
