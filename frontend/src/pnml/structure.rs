//! [`Sequential`] to [`Net`]: the net whose process a model is.
//!
//! Places are read off the variables, transitions off guards and bodies. The net is taken only if its own lowering is the model, but for
//! properties: so nothing of the model is overlooked, whatever form it has.
//!
//! Invariants: the place of a variable has its index, and the transition of a summand has its index. A process without steps has a
//! summand that is never enabled, and its net no transition.

use super::lower::{Wrong, lower};
use super::net::{Net, Place, Transition};
use crate::sequential::{BinaryOp, Domain, Expr, ExprKind, Initial, Origin, Sequential, Stmt, StmtKind, Summand};

/// A net that was read off a process.
#[derive(Clone, Debug)]
pub struct Structure {
    /// The net; it knows no ids of a document.
    pub net: Net,
    /// An upper bound on the tokens of each place, where one is known.
    pub bounds: Vec<Option<i32>>,
}

/// The net of a process; nothing if the process is not the lowering of a net.
pub fn structure(model: &Sequential) -> Option<Structure> {
    if model.origin != Origin::Pnml {
        return None;
    }
    let mut found = Structure { net: Net::default(), bounds: Vec::with_capacity(model.variables.len()) };
    for variable in &model.variables {
        let (Initial::Values(values), Domain::Range { high, .. }) = (&variable.initial, model.domain(variable.sort))
        else {
            return None;
        };
        let &[initial] = values.as_slice() else { return None };
        found.net.places.push(Place { name: variable.name.clone(), initial, span: variable.span });
        found.bounds.push(Some(*high).filter(|&high| high < i32::MAX));
    }
    let is_still = |summand: &Summand| summand.guard.kind == ExprKind::Int(0);
    for summand in model.summands.iter().filter(|summand| !is_still(summand)) {
        limits::work(1 + summand.body.len() as u64);
        found.net.transitions.push(transition(summand)?);
    }
    let mut whole = lower(&found.net, &found.bounds, Wrong::default());
    whole.properties.clone_from(&model.properties);
    whole.propositions.clone_from(&model.propositions);
    (whole == *model).then_some(found)
}

fn transition(summand: &Summand) -> Option<Transition> {
    let needs = match &summand.guard.kind {
        ExprKind::Int(_) => &[],
        ExprKind::And(list) => list.as_slice(),
        _ => std::slice::from_ref(&summand.guard),
    };
    let inputs = needs.iter().map(need).collect::<Option<Vec<(usize, i32)>>>()?;
    let changes = summand.body.iter().map(change).collect::<Option<Vec<(usize, i32)>>>()?;
    Some(Transition { label: summand.label.clone()?, inputs, changes, span: summand.span })
}

/// The place that a comparison reads, and the number of tokens that it needs there.
fn need(expr: &Expr) -> Option<(usize, i32)> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::GreaterEqual, left, right) => Some((read(left)?, number(right)?)),
        _ => None,
    }
}

/// The place that an assignment changes, and the difference.
fn change(statement: &Stmt) -> Option<(usize, i32)> {
    let StmtKind::Assign(place, value) = &statement.kind else { return None };
    let place = place.variable.index();
    match &value.kind {
        ExprKind::Binary(BinaryOp::Add, _, right) => Some((place, number(right)?)),
        ExprKind::Binary(BinaryOp::Subtract, _, right) => Some((place, -number(right)?)),
        _ => None,
    }
}

fn read(expr: &Expr) -> Option<usize> {
    match &expr.kind {
        ExprKind::Read(place) => Some(place.variable.index()),
        _ => None,
    }
}

/// A number of tokens.
fn number(expr: &Expr) -> Option<i32> {
    match expr.kind {
        ExprKind::Int(number) if number > 0 => Some(number),
        _ => None,
    }
}
