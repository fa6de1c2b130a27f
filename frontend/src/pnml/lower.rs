//! [`Net`] to [`Sequential`]: a place is a variable, a transition one summand.
//!
//! All summands have one event, so that an exchange of transitions is a symmetry; their labels name the transitions. A place has a range
//! up to its structural bound, or up to the greatest integer where none is known: a step that would leave it is a fault, never a wrong
//! marking.

use rustc_hash::FxHashMap;

use super::net::{Net, Transition};
use crate::sequential::{
    BinaryOp, Domain, Expr, ExprKind, Initial, Origin, Place, Sequential, SortId, Stmt, StmtKind, Summand, Variable,
    VariableId,
};
use crate::source::Span;

/// The event of all steps.
const EVENT: &str = "fire";

mutants::mutants! {
    /// Faults of the lowering, for tests that must notice them.
    pub(super) struct Wrong {
        /// Places that a transition only reads need no tokens.
        reads_nothing,
        /// Weights of arcs are 1 where tokens are counted.
        weights_nothing,
    }
}

/// The process of a net with bounds on its places.
pub(super) fn lower(net: &Net, bounds: &[Option<i32>], wrong: Wrong) -> Sequential {
    let mut model = Sequential { origin: Origin::Pnml, ..Sequential::empty("Net") };
    assert_eq!(bounds.len(), net.places.len(), "every place has a bound or none");
    let mut sorts: FxHashMap<i32, SortId> = FxHashMap::default();
    for (place, bound) in net.places.iter().zip(bounds) {
        let high = bound.unwrap_or(i32::MAX).max(place.initial);
        let domain = Domain::Range { low: 0, high };
        let add = || model.add_sort(format!("TO_{high}"), domain, Span::NONE);
        let sort = *sorts.entry(high).or_insert_with(add);
        let initial = Initial::Values(vec![place.initial]);
        let variable = Variable::new(place.name.clone(), sort, Vec::new(), place.span);
        model.add_variable(Variable { initial, ..variable });
    }
    let fits = |transition: &&Transition| {
        transition.inputs.iter().all(|&(place, number)| bounds[place].is_none_or(|bound| number <= bound))
    };
    for transition in net.transitions.iter().filter(fits) {
        limits::work(1 + transition.inputs.len() as u64 + transition.changes.len() as u64);
        model.summands.push(summand(transition, wrong));
    }
    assert!(model.variables.len() == net.places.len(), "the variable of a place has its number");
    assert!(model.summands.len() <= net.transitions.len(), "a transition has at most one summand");
    if model.summands.is_empty() {
        model.summands.push(Summand::never_enabled(EVENT, Span::NONE));
    }
    model
}

/// The number of tokens of a place.
pub(super) fn tokens(place: usize, span: Span) -> Expr {
    Expr::new(ExprKind::Read(element(place, span)), span)
}

fn element(place: usize, span: Span) -> Place {
    Place { variable: VariableId::from_index(place), indices: Vec::new(), span }
}

/// A number.
pub(super) fn integer(value: i32, span: Span) -> Expr {
    Expr::new(ExprKind::Int(value), span)
}

/// A binary operation.
pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = left.span;
    Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)
}

/// All of these conditions.
pub(super) fn all(list: Vec<Expr>, span: Span) -> Expr {
    joined(list, 1, ExprKind::And, span)
}

/// At least one of these conditions.
pub(super) fn any(list: Vec<Expr>, span: Span) -> Expr {
    joined(list, 0, ExprKind::Or, span)
}

fn joined(mut list: Vec<Expr>, none: i32, join: fn(Vec<Expr>) -> ExprKind, span: Span) -> Expr {
    match list.len() {
        0 => integer(none, span),
        1 => list.remove(0),
        _ => Expr::new(join(list), span),
    }
}

/// Whether a transition is enabled.
pub(super) fn enabled(transition: &Transition, span: Span) -> Expr {
    limits::work(1 + transition.inputs.len() as u64);
    let needs =
        |&(place, number): &(usize, i32)| binary(BinaryOp::GreaterEqual, tokens(place, span), integer(number, span));
    all(transition.inputs.iter().map(needs).collect(), span)
}

fn summand(transition: &Transition, wrong: Wrong) -> Summand {
    let span = transition.span;
    let mut needed = transition.clone();
    if wrong.reads_nothing() {
        let is_changed = |place: usize| transition.changes.iter().any(|&(changed, _)| changed == place);
        needed.inputs.retain(|&(place, _)| is_changed(place));
    }
    let mut changes = transition.changes.clone();
    if wrong.weights_nothing() {
        changes.iter_mut().for_each(|(_, change)| *change = change.signum());
    }
    let body = changes.into_iter().map(|(place, change)| {
        let op = if change > 0 { BinaryOp::Add } else { BinaryOp::Subtract };
        let value = binary(op, tokens(place, span), integer(change.abs(), span));
        Stmt { kind: StmtKind::Assign(element(place, span), value), span }
    });
    Summand {
        parameters: Vec::new(),
        guard: enabled(&needed, span),
        event: EVENT.into(),
        arguments: Vec::new(),
        body: body.collect(),
        label: Some(transition.label.clone()),
        span,
    }
}
