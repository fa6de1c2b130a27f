//! Comparisons of sums of tokens whose sums may leave 32 bits, by digits that do not.
//!
//! Numbers in formulas of the contest have no limit, and those of a process have 32 bits. Where the ranges of the places do not show that every
//! sum of a comparison stays in 32 bits, the comparison is replaced: what is subtracted goes to the other side, the digits of the tokens of the
//! places are added one by one with their carries, and the digits of both sides are compared from the highest on.
//!
//! # Soundness
//!
//! Tokens are not negative and have 31 bits. The sum of a digit is at most `units * base`, where `units` counts the places with their weights and
//! the parts of 31 bits of the number beside them: so is the carry at most `units`, by induction, and nothing exceeds 31 bits.

use std::collections::BTreeMap;

use super::formulas::{flat, sum};
use super::lower::{all, any, binary, integer, tokens};
use crate::sequential::{BinaryOp, Domain, Expr, ExprKind, Property, Sequential};
use crate::source::Span;

/// The bits of digits and the number of digits: as few digits as possible.
const BASES: [(u32, u32); 4] = [(16, 2), (11, 3), (8, 4), (4, 8)];

mutants::mutants! {
    /// Sums that are known to be wrong.
    pub(super) struct Wrong {
        /// Digits are added without carries.
        forgets_carries,
    }
}

/// Replaces the comparisons in properties of the process of a net whose sums may leave 32 bits.
pub(super) fn exact(model: &Sequential, properties: &mut [Property], wrong: Wrong) {
    for condition in properties.iter_mut().flat_map(|property| property.kind.conditions_mut()) {
        replace(model, condition, wrong);
    }
}

/// Replaces comparisons; whether there was one.
fn replace(model: &Sequential, condition: &mut Expr, wrong: Wrong) -> bool {
    limits::work(1);
    match &mut condition.kind {
        ExprKind::Not(inner) => replace(model, inner, wrong),
        ExprKind::And(list) | ExprKind::Or(list) => {
            let mut is_replaced = false;
            list.iter_mut().for_each(|part| is_replaced |= replace(model, part, wrong));
            if is_replaced {
                let list = std::mem::take(list);
                *condition = flat(list, matches!(condition.kind, ExprKind::And(_)));
            }
            is_replaced
        }
        ExprKind::Binary(op, left, right) if range(model, left).is_none() || range(model, right).is_none() => {
            let Some(digits) = by_digits(*op, left, right, wrong) else { return false };
            *condition = digits;
            true
        }
        _ => false,
    }
}

/// The least and the greatest value of a sum; nothing where it or a part of it may leave 32 bits.
fn range(model: &Sequential, expr: &Expr) -> Option<(i64, i64)> {
    limits::work(1);
    let (low, high) = match &expr.kind {
        ExprKind::Int(number) => (i64::from(*number), i64::from(*number)),
        ExprKind::Read(place) => match model.domain(model.variables[place.variable.index()].sort) {
            Domain::Range { low, high } => (i64::from(*low), i64::from(*high)),
            _ => return None,
        },
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
            let ((low, high), (least, most)) = (range(model, left)?, range(model, right)?);
            if *op == BinaryOp::Add { (low + least, high + most) } else { (low - most, high - least) }
        }
        _ => return None,
    };
    (i64::from(i32::MIN) <= low && high <= i64::from(i32::MAX)).then_some((low, high))
}

/// A side of a comparison: places with weights, none of them negative, and a number that is not.
#[derive(Default)]
struct Side {
    weights: Vec<(usize, i64)>,
    number: i64,
}

/// Adds the weights of a sum, times a sign; nothing if it is none.
fn add(expr: &Expr, sign: i64, weights: &mut BTreeMap<usize, i64>, number: &mut i64) -> Option<()> {
    match &expr.kind {
        ExprKind::Int(own) => *number = number.checked_add(sign * i64::from(*own))?,
        ExprKind::Read(place) if place.indices.is_empty() => {
            *weights.entry(place.variable.index()).or_default() += sign;
        }
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
            add(left, sign, weights, number)?;
            add(right, if *op == BinaryOp::Add { sign } else { -sign }, weights, number)?;
        }
        _ => return None,
    }
    Some(())
}

/// A comparison by digits; nothing if it is none of sums, or one of more places than there are digits for.
fn by_digits(op: BinaryOp, left: &Expr, right: &Expr, wrong: Wrong) -> Option<Expr> {
    if !op.is_comparison() {
        return None;
    }
    let (mut weights, mut number) = (BTreeMap::new(), 0);
    add(left, 1, &mut weights, &mut number)?;
    add(right, -1, &mut weights, &mut number)?;
    let mut sides = [Side::default(), Side::default()];
    for (place, weight) in weights.into_iter().filter(|&(_, weight)| weight != 0) {
        sides[usize::from(weight < 0)].weights.push((place, weight.abs()));
    }
    sides[usize::from(number < 0)].number = number.checked_abs()?;
    let units = |side: &Side| side.weights.iter().map(|&(_, weight)| weight).sum::<i64>() + (side.number >> 31) + 1;
    let units = sides.iter().map(units).max()?;
    let (bits, count) = BASES.into_iter().find(|&(bits, _)| units < 1 << (30 - bits))?;
    let [left, right] = sides.map(|side| digits(&side, bits, count, wrong));
    Some(compared(op, left, right))
}

/// The digits of a side, the lowest first; the highest has the rest.
fn digits(side: &Side, bits: u32, count: u32, wrong: Wrong) -> Vec<Expr> {
    let number = |value: i64| integer(i32::try_from(value).expect("at most `units * base`"), Span::NONE);
    let own = |at: u32| {
        let rest = side.number >> (bits * at);
        if at + 1 == count { rest } else { rest & ((1 << bits) - 1) }
    };
    if side.weights.is_empty() {
        return (0..count).map(|at| number(own(at))).collect();
    }
    let divided = |value: Expr, by: i64| binary(BinaryOp::Divide, value, number(by));
    let rest = |value: Expr| binary(BinaryOp::Modulo, value, number(1 << bits));
    let mut found: Vec<Expr> = Vec::new();
    let mut carry: Option<Expr> = None;
    for at in 0..count {
        let is_last = at + 1 == count;
        let digit = |value: Expr| {
            let value = if at == 0 { value } else { divided(value, 1 << (bits * at)) };
            if is_last { value } else { rest(value) }
        };
        let term = |&(place, weight): &(usize, i64)| {
            let digit = digit(tokens(place, Span::NONE));
            if weight == 1 { digit } else { binary(BinaryOp::Multiply, number(weight), digit) }
        };
        let mut terms: Vec<Expr> = side.weights.iter().map(term).collect();
        terms.extend((own(at) != 0).then(|| number(own(at))));
        terms.extend(carry.take().filter(|_| !wrong.forgets_carries()));
        let whole = sum(terms);
        if is_last {
            found.push(whole);
        } else {
            carry = Some(divided(whole.clone(), 1 << bits));
            found.push(rest(whole));
        }
    }
    found
}

/// A comparison of numbers by their digits.
fn compared(op: BinaryOp, left: Vec<Expr>, right: Vec<Expr>) -> Expr {
    assert_eq!(left.len(), right.len(), "both sides have as many digits");
    let (op, left, right) = match op {
        BinaryOp::Greater => (BinaryOp::Less, right, left),
        BinaryOp::GreaterEqual => (BinaryOp::LessEqual, right, left),
        op => (op, left, right),
    };
    let mut pairs = left.into_iter().zip(right);
    match op {
        BinaryOp::Equal => all(pairs.map(|(left, right)| binary(op, left, right)).collect(), Span::NONE),
        BinaryOp::NotEqual => any(pairs.map(|(left, right)| binary(op, left, right)).collect(), Span::NONE),
        _ => {
            let lowest = pairs.next().map(|(left, right)| binary(op, left, right)).expect("two digits or more");
            pairs.fold(lowest, |lower, (left, right)| {
                let less = binary(BinaryOp::Less, left.clone(), right.clone());
                let equal = binary(BinaryOp::Equal, left, right);
                any(vec![less, flat(vec![equal, lower], true)], Span::NONE)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Wrong, exact};
    use crate::pnml::lower::{binary, integer, tokens};
    use crate::pnml::net::{Net, Place};
    use crate::pnml::process;
    use crate::sequential::interpret::evaluate;
    use crate::sequential::{BinaryOp, Expr, ExprKind, Property, PropertyKind, Sequential};
    use crate::source::Span;

    const OPERATORS: [BinaryOp; 6] = [
        BinaryOp::Less,
        BinaryOp::LessEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterEqual,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
    ];

    fn model(bounds: &[Option<i32>]) -> Sequential {
        let place = |at| Place { name: format!("p{at}"), initial: 0, span: Span::NONE };
        let mut net = Net::default();
        net.places = (0..bounds.len()).map(place).collect();
        process(&net, bounds)
    }

    fn replaced(model: &Sequential, condition: &Expr, wrong: Wrong) -> Expr {
        let kind = PropertyKind::Invariant(condition.clone());
        let mut properties = [Property { name: "f".into(), kind, span: Span::NONE }];
        exact(model, &mut properties, wrong);
        let [Property { kind: PropertyKind::Invariant(condition), .. }] = properties else { panic!("an invariant") };
        condition
    }

    /// Numbers that are equally often of each kind.
    struct Random(u64);

    impl Random {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).expect("31 bits") % most
        }

        /// A number with many carries.
        fn number(&mut self) -> i32 {
            match self.below(4) {
                0 => i32::MAX - i32::try_from(self.below(3)).expect("few"),
                1 => i32::try_from(self.below(4) << 16).expect("few") - i32::from(self.below(2) == 0),
                2 => i32::try_from(self.below(3)).expect("few"),
                _ => i32::try_from(self.below(1 << 31)).expect("31 bits"),
            }
        }

        fn sum(&mut self, places: usize, terms: usize) -> Expr {
            if terms > 1 {
                let op = if self.below(3) > 0 { BinaryOp::Add } else { BinaryOp::Subtract };
                let left = 1 + self.below(terms - 1);
                return binary(op, self.sum(places, left), self.sum(places, terms - left));
            }
            match self.below(4) {
                0 => integer(self.number(), Span::NONE),
                _ => tokens(self.below(places), Span::NONE),
            }
        }
    }

    /// The value of a condition in numbers without limit.
    fn value(expr: &Expr, marking: &[i32]) -> i128 {
        match &expr.kind {
            ExprKind::Int(number) => i128::from(*number),
            ExprKind::Read(place) => i128::from(marking[place.variable.index()]),
            ExprKind::Not(inner) => i128::from(value(inner, marking) == 0),
            ExprKind::And(list) => i128::from(list.iter().all(|part| value(part, marking) != 0)),
            ExprKind::Or(list) => i128::from(list.iter().any(|part| value(part, marking) != 0)),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (value(left, marking), value(right, marking));
                match op {
                    BinaryOp::Add => left + right,
                    BinaryOp::Subtract => left - right,
                    BinaryOp::Less => i128::from(left < right),
                    BinaryOp::LessEqual => i128::from(left <= right),
                    BinaryOp::Greater => i128::from(left > right),
                    BinaryOp::GreaterEqual => i128::from(left >= right),
                    BinaryOp::Equal => i128::from(left == right),
                    BinaryOp::NotEqual => i128::from(left != right),
                    other => panic!("{other:?}"),
                }
            }
            other => panic!("{other:?}"),
        }
    }

    /// The number of random markings in which a comparison has another value than in numbers without limit.
    fn differences(wrong: Wrong) -> (usize, usize) {
        let (mut random, mut differing, mut faults) = (Random(1), 0, 0);
        let model = model(&[None; 4]);
        for _ in 0..600 {
            let terms = [2, 5, 40][random.below(3)];
            let (left, right) = (random.sum(4, terms), random.sum(4, 3));
            let first = binary(OPERATORS[random.below(6)], left, right);
            let second = binary(OPERATORS[random.below(6)], random.sum(4, 2), random.sum(4, 2));
            let condition = match random.below(3) {
                0 => first,
                1 => Expr::new(ExprKind::And(vec![first, second]), Span::NONE),
                _ => Expr::new(
                    ExprKind::Or(vec![Expr::new(ExprKind::Not(first.into()), Span::NONE), second]),
                    Span::NONE,
                ),
            };
            let found = replaced(&model, &condition, wrong);
            for _ in 0..20 {
                let marking = [(); 4].map(|()| random.number().max(0));
                let wanted = i32::from(value(&condition, &marking) != 0);
                differing += usize::from(evaluate(&model, &found, &marking, &[]) != Ok(wanted));
                faults += usize::from(evaluate(&model, &condition, &marking, &[]).is_err());
            }
        }
        (differing, faults)
    }

    #[test]
    fn sums_of_more_than_32_bits_are_compared_as_numbers_without_limit() {
        let (differing, faults) = differences(Wrong::default());
        assert!(differing == 0 && faults > 2000, "{differing} differ, {faults} have no value in 32 bits");
    }

    #[test]
    fn sums_without_carries_are_noticed() {
        assert!(differences(Wrong { forgets_carries: true }).0 > 0);
    }

    /// Many places have small digits.
    #[test]
    fn sums_of_many_places_are_compared_as_numbers_without_limit() {
        for terms in [20_000, 600_000] {
            let model = model(&[None; 2]);
            let sum = crate::pnml::formulas::sum((0..terms).map(|at| tokens(at % 2, Span::NONE)).collect());
            for op in [BinaryOp::LessEqual, BinaryOp::NotEqual] {
                let condition = binary(op, sum.clone(), integer(i32::MAX, Span::NONE));
                let found = replaced(&model, &condition, Wrong::default());
                for marking in [[0, 1], [i32::MAX, i32::MAX], [i32::MAX / i32::try_from(terms).expect("few"); 2]] {
                    let wanted = i32::from(value(&condition, &marking) != 0);
                    assert_eq!(evaluate(&model, &found, &marking, &[]), Ok(wanted), "{terms} {op:?} {marking:?}");
                }
            }
        }
    }

    #[test]
    fn sums_that_the_bounds_keep_in_32_bits_stay_as_they_are() {
        let sum = binary(BinaryOp::Add, tokens(0, Span::NONE), tokens(1, Span::NONE));
        let condition = binary(BinaryOp::LessEqual, sum, integer(7, Span::NONE));
        let half = Some(1 << 30);
        assert_eq!(replaced(&model(&[Some(i32::MAX >> 1), half]), &condition, Wrong::default()), condition);
        assert_ne!(replaced(&model(&[half, half]), &condition, Wrong::default()), condition);
    }
}
