//! Formulas made simpler by what is known of a net: conditions that never or always hold, and the initial marking.
//!
//! # Soundness
//!
//! All runs are infinite where these rules are used: the checker repeats the last marking of a run that ends, and formulas of branching time
//! say in each `X` whether it does. So an operator over a truth value is a truth value, and what is reachable later is reachable now. A
//! condition is replaced where it is the same in every reachable marking; a value at the start is used for the formula as a whole only.
//!
//! # Invariants
//!
//! As in every formula of a process, conditions without operators between them are one condition, and conjunctions have no conjunctions inside.

use checker::nets::Condition;
use frontend::sequential::{Expr, ExprKind, Formula, PropertyKind};
use frontend::source::Span;
use ltl::Paths;

use crate::process::nets::goal;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(super) struct Wrong {
        /// What is true at the start is taken to be true always.
        start_is_always,
        /// A condition is replaced by its value at the start.
        first_stays,
        /// A condition that holds on some run for ever is taken to be one that always holds.
        some_is_all,
        /// `AF` is that of one part of a disjunction, `EG` that of each part of a conjunction.
        each_run_decides,
        /// `AF` is taken out of operators like `EF`, `EG` like `AG`.
        some_runs_are_all,
    }
}

/// The formula that is always true, or never.
pub(super) fn constant(value: bool) -> Formula {
    Formula::Atom(Expr::new(ExprKind::Int(i32::from(value)), Span::NONE))
}

/// The truth value that a formula is.
fn value_of(formula: &Formula) -> Option<bool> {
    match formula {
        Formula::Atom(Expr { kind: ExprKind::Int(number), .. }) => Some(*number != 0),
        _ => None,
    }
}

/// Whether a formula speaks of one marking, not of runs.
fn is_of_state(formula: &Formula) -> bool {
    match formula {
        Formula::Atom(_) | Formula::Quantified(..) => true,
        Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Implies(..) => {
            formula.operands().into_iter().all(is_of_state)
        }
        _ => false,
    }
}

/// A formula with the conditions replaced that `known` says a value of.
pub(super) fn simplified(formula: &Formula, known: &mut dyn FnMut(&Expr) -> Option<bool>, wrong: Wrong) -> Formula {
    let mut of = |inner: &Formula| simplified(inner, known, wrong);
    match formula {
        Formula::Atom(condition) => known(condition).map_or_else(|| formula.clone(), constant),
        Formula::Not(inner) => {
            let inner = of(inner);
            value_of(&inner).map_or_else(|| negation(inner.clone(), wrong), |value| constant(!value))
        }
        Formula::And(list) => junction(list.iter().map(of).collect(), true),
        Formula::Or(list) => junction(list.iter().map(of).collect(), false),
        Formula::Implies(left, right) => {
            let (left, right) = (of(left), of(right));
            match (value_of(&left), value_of(&right)) {
                (Some(false), _) | (_, Some(true)) => constant(true),
                (Some(true), _) => right,
                (_, Some(false)) => negation(left, wrong),
                _ => junction(vec![negation(left, wrong), right], false),
            }
        }
        Formula::Next(inner) | Formula::Finally(inner) | Formula::Globally(inner) => {
            let inner = of(inner);
            if value_of(&inner).is_some() {
                return inner;
            }
            match formula {
                Formula::Next(_) => Formula::Next(Box::new(inner)),
                Formula::Finally(_) => Formula::Finally(Box::new(inner)),
                _ => Formula::Globally(Box::new(inner)),
            }
        }
        Formula::Until(left, right) => {
            let (left, right) = (of(left), of(right));
            match (value_of(&left), value_of(&right)) {
                (_, Some(value)) => constant(value),
                (Some(false), _) => right,
                (Some(true), _) => Formula::Finally(Box::new(right)),
                _ => Formula::Until(Box::new(left), Box::new(right)),
            }
        }
        Formula::Quantified(paths, inner) => {
            let inner = of(inner);
            if is_of_state(&inner) { inner } else { of_runs(*paths, inner, wrong) }
        }
        other => other.clone(),
    }
}

/// The parts of a disjunction, or of a conjunction; the formula itself if it is none.
fn parts(formula: Formula, is_conjunction: bool) -> Vec<Formula> {
    match formula {
        Formula::And(list) if is_conjunction => list,
        Formula::Or(list) if !is_conjunction => list,
        other => vec![other],
    }
}

/// Whether a formula is `EF` or, for conjunctions, `AG` of something.
fn is_of_all(formula: &Formula, is_conjunction: bool, wrong: Wrong) -> bool {
    let Formula::Quantified(paths, path) = formula else { return false };
    let of_all = if is_conjunction { Paths::All } else { Paths::Some };
    let is_of_kind =
        if is_conjunction { matches!(**path, Formula::Globally(_)) } else { matches!(**path, Formula::Finally(_)) };
    is_of_kind && (*paths == of_all || wrong.some_runs_are_all())
}

/// A quantified formula of runs, as conditions on what is reachable where it can be.
///
/// - `EF (f || g)` is `EF f || EF g`, `AG (f && g)` is `AG f && AG g`.
/// - What is reachable from a marking of a run is reachable from its start: `QF (f || EF g)` is `QF f || EF g`, `Q f U (g || EF h)` is
///   `Q f U g || EF h`, `QG (f && AG g)` is `QG f && AG g`.
/// - A goal is reached before it is promised: `EF (Q f U g)` and `EF (QF g)` are `EF g`, `AG (QG g)` is `AG g`.
fn of_runs(paths: Paths, path: Formula, wrong: Wrong) -> Formula {
    let quantified = |path: Formula| Formula::Quantified(paths, Box::new(path));
    let (is_conjunction, goal) = match path {
        Formula::Globally(inner) => (true, *inner),
        Formula::Finally(inner) => (false, *inner),
        Formula::Until(stays, goal) => {
            let (later, now): (Vec<_>, Vec<_>) =
                parts(*goal, false).into_iter().partition(|part| is_of_all(part, false, wrong));
            let mut list = later;
            if !now.is_empty() {
                list.push(quantified(Formula::Until(stays, Box::new(junction(now, false)))));
            }
            return junction(list, false);
        }
        other => return quantified(other),
    };
    let again = |goal: Formula| {
        let path = if is_conjunction { Formula::Globally(Box::new(goal)) } else { Formula::Finally(Box::new(goal)) };
        quantified(path)
    };
    let (mut list, now): (Vec<_>, Vec<_>) =
        parts(goal, is_conjunction).into_iter().partition(|part| is_of_all(part, is_conjunction, wrong));
    let reaches_all = paths == if is_conjunction { Paths::All } else { Paths::Some };
    if reaches_all || wrong.each_run_decides() {
        let promised = |part: Formula| match part {
            Formula::Quantified(of, path) => match (*path, is_conjunction) {
                (Formula::Finally(goal), false)
                | (Formula::Until(_, goal), false)
                | (Formula::Globally(goal), true) => {
                    let path = if is_conjunction { Formula::Globally(goal) } else { Formula::Finally(goal) };
                    of_runs(paths, path, wrong)
                }
                (path, _) => again(Formula::Quantified(of, Box::new(path))),
            },
            part => again(part),
        };
        list.extend(now.into_iter().map(promised));
    } else if !now.is_empty() {
        list.push(again(junction(now, is_conjunction)));
    }
    junction(list, is_conjunction)
}

/// The opposite of a formula, with negations inside of operators where these have one for it.
fn negation(formula: Formula, wrong: Wrong) -> Formula {
    let opposites = |list: Vec<Formula>, is_conjunction: bool| {
        junction(list.into_iter().map(|part| negation(part, wrong)).collect(), is_conjunction)
    };
    match formula {
        Formula::Atom(condition) => Formula::Atom(Expr::new(ExprKind::Not(Box::new(condition)), Span::NONE)),
        Formula::Not(inner) => *inner,
        Formula::And(list) => opposites(list, false),
        Formula::Or(list) => opposites(list, true),
        Formula::Next(inner) => Formula::Next(Box::new(negation(*inner, wrong))),
        Formula::Finally(inner) => Formula::Globally(Box::new(negation(*inner, wrong))),
        Formula::Globally(inner) => Formula::Finally(Box::new(negation(*inner, wrong))),
        Formula::Quantified(paths, path) if !matches!(*path, Formula::Until(..)) => match negation(*path, wrong) {
            Formula::Not(path) => Formula::Not(Box::new(Formula::Quantified(paths, path))),
            path => of_runs(if paths == Paths::All { Paths::Some } else { Paths::All }, path, wrong),
        },
        other => Formula::Not(Box::new(other)),
    }
}

/// A conjunction or disjunction without one of its kind inside, in which all conditions are one.
fn junction(list: Vec<Formula>, is_conjunction: bool) -> Formula {
    let mut conditions = Vec::new();
    let mut kept = Vec::with_capacity(list.len());
    let flat = list.into_iter().flat_map(|part| match part {
        Formula::And(list) if is_conjunction => list,
        Formula::Or(list) if !is_conjunction => list,
        part => vec![part],
    });
    for part in flat {
        match (value_of(&part), part) {
            (Some(value), _) if value == is_conjunction => {}
            (Some(value), _) => return constant(value),
            (None, Formula::Atom(Expr { kind: ExprKind::And(list), .. })) if is_conjunction => conditions.extend(list),
            (None, Formula::Atom(Expr { kind: ExprKind::Or(list), .. })) if !is_conjunction => conditions.extend(list),
            (None, Formula::Atom(condition)) => conditions.push(condition),
            (None, part) => kept.push(part),
        }
    }
    if let Some(condition) = match (conditions.len(), is_conjunction) {
        (0, _) => None,
        (1, _) => conditions.pop(),
        (_, true) => Some(Expr::new(ExprKind::And(conditions), Span::NONE)),
        (_, false) => Some(Expr::new(ExprKind::Or(conditions), Span::NONE)),
    } {
        kept.insert(0, Formula::Atom(condition));
    }
    match (kept.len(), is_conjunction) {
        (0, _) => constant(is_conjunction),
        (1, _) => kept.remove(0),
        (_, true) => Formula::And(kept),
        (_, false) => Formula::Or(kept),
    }
}

/// All of these values, or one of them, where it is known already.
fn joined(values: impl Iterator<Item = Option<bool>>, is_conjunction: bool) -> Option<bool> {
    let mut all = Some(is_conjunction);
    for value in values {
        match value {
            Some(value) if value != is_conjunction => return Some(value),
            Some(_) => {}
            None => all = None,
        }
    }
    all
}

/// The value of a formula at the start, where that follows from `of`: the values of formulas that speak of the start alone.
pub(super) fn at_start(formula: &Formula, of: &mut dyn FnMut(&Formula) -> Option<bool>, wrong: Wrong) -> Option<bool> {
    let at_start = |inner: &Formula, of: &mut dyn FnMut(&Formula) -> Option<bool>| at_start(inner, of, wrong);
    if let Some(value) = of(formula) {
        return Some(value);
    }
    match formula {
        Formula::Not(inner) => at_start(inner, of).map(|value| !value),
        Formula::And(list) => joined(list.iter().map(|part| at_start(part, of)), true),
        Formula::Or(list) => joined(list.iter().map(|part| at_start(part, of)), false),
        Formula::Implies(left, right) => {
            joined([at_start(left, of).map(|value| !value), at_start(right, of)].into_iter(), false)
        }
        Formula::Finally(inner) => at_start(inner, of).filter(|value| *value),
        Formula::Globally(inner) => at_start(inner, of).filter(|value| !*value || wrong.start_is_always()),
        Formula::Until(left, right) => match (at_start(left, of), at_start(right, of)) {
            (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Formula::Quantified(_, inner) => at_start(inner, of),
        _ => None,
    }
}

/// The condition whose reachability decides a formula of one state, and the value of the formula where it is reachable.
pub(super) fn of_reachability(formula: &Formula, wrong: Wrong) -> Option<(Condition, bool)> {
    let (paths, value, condition) = goal(formula)?;
    let is_decided = value == (paths == Paths::Some) || !value && wrong.some_is_all();
    if is_decided { Some((Condition::of(condition, value)?, value)) } else { None }
}

/// The formula of a property of linear or branching time, or of an invariant.
pub(super) fn whole(kind: &PropertyKind) -> Option<Formula> {
    let always = |condition: &Expr| {
        let inner = Formula::Globally(Box::new(Formula::Atom(condition.clone())));
        Formula::Quantified(Paths::All, Box::new(inner))
    };
    match kind {
        PropertyKind::Invariant(condition) => Some(always(condition)),
        PropertyKind::Ltl(Formula::Globally(inner)) => match &**inner {
            Formula::Atom(condition) => Some(always(condition)),
            _ => Some(Formula::Globally(inner.clone())),
        },
        PropertyKind::Ltl(formula) => Some(formula.clone()),
        PropertyKind::End(_) => None,
    }
}

/// Adds the parts of a formula whose values at the start are decided by reachability, where they are not inside of an operator.
pub(super) fn questions(formula: &Formula, found: &mut Vec<Formula>, wrong: Wrong) {
    match formula {
        Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Implies(..) => {
            formula.operands().into_iter().for_each(|inner| questions(inner, found, wrong));
        }
        Formula::Quantified(..) if of_reachability(formula, wrong).is_some() && !found.contains(formula) => {
            found.push(formula.clone());
        }
        _ => {}
    }
}
