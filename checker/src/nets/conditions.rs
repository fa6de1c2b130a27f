//! Conditions on markings: comparisons of weighted sums of tokens, in negation normal form.
//!
//! Sums are computed in 64 bits, so that they have no faults.

use std::collections::BTreeMap;

use frontend::sequential::{BinaryOp, Expr, ExprKind};

/// A weighted sum of tokens: places with weights, ascending, without zeros.
pub type Linear = Vec<(usize, i64)>;

/// A condition on a marking.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// It is always true, or never.
    Constant(bool),
    /// A sum is at most a number.
    AtMost(Linear, i64),
    /// All of these hold.
    All(Vec<Condition>),
    /// At least one of these holds.
    Any(Vec<Condition>),
}

/// A weighted sum, and a number.
type Sum = (BTreeMap<usize, i64>, i64);

fn sum(expr: &Expr) -> Option<Sum> {
    limits::work(1);
    match &expr.kind {
        ExprKind::Int(number) => Some((BTreeMap::new(), i64::from(*number))),
        ExprKind::Read(place) if place.indices.is_empty() => Some((BTreeMap::from([(place.variable.index(), 1)]), 0)),
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
            let (mut weights, number) = sum(left)?;
            let (others, other) = sum(right)?;
            let sign = if *op == BinaryOp::Add { 1 } else { -1 };
            for (place, weight) in others {
                let own = weights.entry(place).or_default();
                *own = own.checked_add(sign * weight)?;
            }
            weights.retain(|_, weight| *weight != 0);
            Some((weights, number.checked_add(sign * other)?))
        }
        _ => None,
    }
}

impl Condition {
    /// The condition that an expression over the places of a net has a truth value; nothing if the expression has another form.
    pub fn of(expr: &Expr, value: bool) -> Option<Condition> {
        limits::work(1);
        let list = |list: &[Expr]| list.iter().map(|part| Condition::of(part, value)).collect::<Option<Vec<_>>>();
        match &expr.kind {
            ExprKind::Int(number) => Some(Condition::Constant((*number != 0) == value)),
            ExprKind::Not(inner) => Condition::of(inner, !value),
            ExprKind::And(parts) if value => Some(Condition::all(list(parts)?)),
            ExprKind::And(parts) => Some(Condition::any(list(parts)?)),
            ExprKind::Or(parts) if value => Some(Condition::any(list(parts)?)),
            ExprKind::Or(parts) => Some(Condition::all(list(parts)?)),
            ExprKind::Binary(op, left, right) => Condition::compared(*op, sum(left)?, sum(right)?, value),
            _ => None,
        }
    }

    fn compared(op: BinaryOp, left: Sum, right: Sum, value: bool) -> Option<Condition> {
        let mut weights = left.0;
        for (place, weight) in right.0 {
            let own = weights.entry(place).or_default();
            *own = own.checked_sub(weight)?;
        }
        let weights: Linear = weights.into_iter().filter(|&(_, weight)| weight != 0).collect();
        let most = right.1.checked_sub(left.1)?;
        let (at_most, less) = (Condition::at_most(weights.clone(), most), Condition::at_most(weights, most - 1));
        Some(match (op, value) {
            (BinaryOp::LessEqual, true) | (BinaryOp::Greater, false) => at_most,
            (BinaryOp::Less, true) | (BinaryOp::GreaterEqual, false) => less,
            (BinaryOp::Greater, true) | (BinaryOp::LessEqual, false) => at_most.negated(),
            (BinaryOp::GreaterEqual, true) | (BinaryOp::Less, false) => less.negated(),
            (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) => Condition::all(vec![at_most, less.negated()]),
            (BinaryOp::NotEqual, true) | (BinaryOp::Equal, false) => Condition::any(vec![at_most.negated(), less]),
            _ => return None,
        })
    }

    /// The condition that a sum is at most a number.
    pub fn at_most(weights: Linear, most: i64) -> Condition {
        if weights.is_empty() { Condition::Constant(0 <= most) } else { Condition::AtMost(weights, most) }
    }

    /// The condition that a sum is at least a number.
    pub fn at_least(weights: Linear, least: i64) -> Condition {
        Condition::at_most(weights.into_iter().map(|(place, weight)| (place, -weight)).collect(), -least)
    }

    /// All of these conditions.
    pub fn all(list: Vec<Condition>) -> Condition {
        Condition::joined(list, true)
    }

    /// At least one of these conditions.
    pub fn any(list: Vec<Condition>) -> Condition {
        Condition::joined(list, false)
    }

    /// All of these conditions, or at least one of them; flat, without constants.
    fn joined(list: Vec<Condition>, is_all: bool) -> Condition {
        let mut kept = Vec::with_capacity(list.len());
        for part in list {
            match part {
                Condition::Constant(value) if value == is_all => {}
                Condition::Constant(_) => return part,
                Condition::All(inner) if is_all => kept.extend(inner),
                Condition::Any(inner) if !is_all => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Condition::Constant(is_all),
            1 => kept.remove(0),
            _ if is_all => Condition::All(kept),
            _ => Condition::Any(kept),
        }
    }

    /// The opposite condition.
    pub fn negated(&self) -> Condition {
        limits::work(1);
        match self {
            Condition::Constant(value) => Condition::Constant(!value),
            Condition::AtMost(weights, most) => Condition::at_least(weights.clone(), most + 1),
            Condition::All(list) => Condition::any(list.iter().map(Condition::negated).collect()),
            Condition::Any(list) => Condition::all(list.iter().map(Condition::negated).collect()),
        }
    }

    /// Whether it holds in a marking.
    pub fn holds(&self, tokens: &impl Fn(usize) -> i64) -> bool {
        match self {
            Condition::Constant(value) => *value,
            Condition::AtMost(weights, most) => value(weights, tokens) <= *most,
            Condition::All(list) => list.iter().all(|part| part.holds(tokens)),
            Condition::Any(list) => list.iter().any(|part| part.holds(tokens)),
        }
    }

    /// How many tokens a marking lacks, or has too many, for the condition to hold: 0 if and only if it holds.
    pub(super) fn distance(&self, tokens: &impl Fn(usize) -> i64) -> i64 {
        match self {
            Condition::Constant(value) => {
                if *value {
                    0
                } else {
                    i64::MAX
                }
            }
            Condition::AtMost(weights, most) => value(weights, tokens).saturating_sub(*most).max(0),
            Condition::All(list) => list.iter().fold(0, |sum, part| sum.saturating_add(part.distance(tokens))),
            Condition::Any(list) => list.iter().map(|part| part.distance(tokens)).min().unwrap_or(i64::MAX),
        }
    }

    /// The condition as a disjunction of conjunctions of comparisons; nothing if these are more than so many.
    pub(super) fn cubes(&self, most: usize) -> Option<Vec<Vec<(Linear, i64)>>> {
        match self {
            Condition::Constant(true) => Some(vec![Vec::new()]),
            Condition::Constant(false) => Some(Vec::new()),
            Condition::AtMost(weights, number) => Some(vec![vec![(weights.clone(), *number)]]),
            Condition::Any(list) => {
                let mut cubes = Vec::new();
                for part in list {
                    cubes.extend(part.cubes(most)?);
                    if cubes.len() > most {
                        return None;
                    }
                }
                Some(cubes)
            }
            Condition::All(list) => {
                let mut cubes: Vec<Vec<(Linear, i64)>> = vec![Vec::new()];
                for part in list {
                    let others = part.cubes(most)?;
                    if cubes.len() * others.len() > most {
                        return None;
                    }
                    let joined = |cube: &Vec<_>| {
                        others.iter().map(|other| [cube.as_slice(), other].concat()).collect::<Vec<_>>()
                    };
                    cubes = cubes.iter().flat_map(joined).collect();
                }
                Some(cubes)
            }
        }
    }

    /// The number of weighted places in its sums.
    pub(super) fn size(&self) -> usize {
        match self {
            Condition::Constant(_) => 0,
            Condition::AtMost(weights, _) => weights.len(),
            Condition::All(list) | Condition::Any(list) => list.iter().map(Condition::size).sum(),
        }
    }

    /// Adds the places that it reads to a list.
    pub fn places(&self, found: &mut Vec<usize>) {
        match self {
            Condition::Constant(_) => {}
            Condition::AtMost(weights, _) => found.extend(weights.iter().map(|&(place, _)| place)),
            Condition::All(list) | Condition::Any(list) => list.iter().for_each(|part| part.places(found)),
        }
    }
}

/// The value of a sum in a marking.
pub fn value(weights: &[(usize, i64)], tokens: &impl Fn(usize) -> i64) -> i64 {
    weights.iter().fold(0i64, |sum, &(place, weight)| sum.saturating_add(weight.saturating_mul(tokens(place))))
}
