//! [`Interval`]: the bounds of the results of an operation, and whether it may fault, from the intervals of its
//! operands.
//!
//! One list for all users: the rules of types, the compiled steps of processes, the graph of constraints, the
//! validator. Quotients lie between those of the ends of the operands, with zero left out of the divisor. Remainders
//! are bounded by the divisor and the dividend, operations on bits by the bits of both operands. Shifts by a known
//! count are those of the ends.
//!
//! Soundness: intervals err towards too many values and towards faults that never occur; a value that is proved
//! constant is constant. An interval depends only on the operator and the intervals of the operands.

use super::BinaryOp;

/// The values from `low` to `high`, both included, and possibly a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The least value.
    pub low: i32,
    /// The greatest value.
    pub high: i32,
    /// Whether evaluation may fault.
    pub faults: bool,
}

/// The ends of an interval.
type Ends = (i64, i64);

impl Interval {
    /// The values of a condition.
    pub const TRUTH: Interval = Interval::new(0, 1);

    /// All values.
    const ALL: Interval = Interval::new(i32::MIN, i32::MAX);

    /// No value: evaluation faults.
    const NOTHING: Interval = Interval { low: 0, high: 0, faults: true };

    /// Values without faults.
    pub const fn new(low: i32, high: i32) -> Interval {
        Interval { low, high, faults: false }
    }

    /// The same values; they have faults if they had some before or if `faults` holds.
    #[must_use]
    pub fn with_faults(self, faults: bool) -> Interval {
        Interval { faults: self.faults || faults, ..self }
    }

    /// The only value of the interval, if no fault can occur instead.
    pub fn constant(self) -> Option<i32> {
        (self.low == self.high && !self.faults).then_some(self.low)
    }

    /// Whether every value lies between `low` and `high`, both included.
    pub fn is_within(self, low: i32, high: i32) -> bool {
        low <= self.low && self.high <= high
    }

    /// The union of both intervals.
    #[must_use]
    pub fn union(self, other: Interval) -> Interval {
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        Interval { low, high, faults: self.faults || other.faults }
    }

    /// The negatives.
    #[must_use]
    pub fn negated(self) -> Interval {
        let found = checked(-i64::from(self.high), -i64::from(self.low));
        found.with_faults(self.faults)
    }

    /// The numbers of one bits.
    #[must_use]
    pub fn ones(self) -> Interval {
        let ones = |value: i32| value.count_ones().cast_signed();
        let found = match self {
            Interval { low, high, .. } if low == high => Interval::new(ones(low), ones(low)),
            Interval { low: 0.., high, .. } => {
                Interval::new(i32::from(self.low > 0), i32::BITS.cast_signed() - zeros(high))
            }
            Interval { high, .. } => Interval::new(i32::from(high < 0), i32::BITS.cast_signed()),
        };
        found.with_faults(self.faults)
    }

    /// The results of an operation on these values and those of `other`.
    #[must_use]
    pub fn operate(self, op: BinaryOp, other: Interval) -> Interval {
        let (a, b) = (self.ends(), other.ends());
        debug_assert!(a.0 <= a.1 && b.0 <= b.1, "an interval has a value");
        let found = match op {
            BinaryOp::Add => checked(a.0 + b.0, a.1 + b.1),
            BinaryOp::Subtract => checked(a.0 - b.1, a.1 - b.0),
            BinaryOp::Multiply => of_corners(a, b, |x, y| x * y),
            BinaryOp::WrappingAdd | BinaryOp::WrappingSubtract | BinaryOp::WrappingMultiply => {
                let op = op.checked().expect("each of them has one");
                let (plain, other) = (Interval { faults: false, ..self }, Interval { faults: false, ..other });
                Some(plain.operate(op, other)).filter(|found| !found.faults).unwrap_or(Interval::ALL)
            }
            BinaryOp::Divide => divided(a, b, |x, y| x.div_euclid(y) - i64::from(y < 0 && x.rem_euclid(y) != 0)),
            BinaryOp::Quotient => divided(a, b, |x, y| x / y),
            BinaryOp::Modulo => modulo(a, b),
            BinaryOp::Remainder => remainder(a, b),
            BinaryOp::Power => power(a, b),
            BinaryOp::Root => Interval::new(0, self.high.max(0)).with_faults(a.0 < 0 || b.0 < 1),
            BinaryOp::BitAnd => and(self, other),
            BinaryOp::BitOr => or(self, other),
            BinaryOp::Xor => xor(self, other),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightUnsigned => shifted(op, self, other),
            _ => match truth(op, a, b) {
                Some(truth) => Interval::new(i32::from(truth), i32::from(truth)),
                None => Interval::TRUTH,
            },
        };
        found.with_faults(self.faults || other.faults)
    }

    fn ends(self) -> Ends {
        (i64::from(self.low), i64::from(self.high))
    }
}

/// The number of leading zeros.
fn zeros(value: i32) -> i32 {
    value.leading_zeros().cast_signed()
}

/// The values within 32 bits; those outside are faults.
fn checked(low: i64, high: i64) -> Interval {
    let fit = |value: i64| i32::try_from(value).unwrap_or(if value < 0 { i32::MIN } else { i32::MAX });
    let (least, greatest) = (fit(low), fit(high));
    Interval { low: least, high: greatest, faults: i64::from(least) != low || i64::from(greatest) != high }
}

/// The values of a function whose least and greatest value are each at ends of both operands.
fn of_corners(a: Ends, b: Ends, function: impl Fn(i64, i64) -> i64) -> Interval {
    let corners = [function(a.0, b.0), function(a.0, b.1), function(a.1, b.0), function(a.1, b.1)];
    checked(corners.into_iter().fold(i64::MAX, i64::min), corners.into_iter().fold(i64::MIN, i64::max))
}

/// The parts of a divisor below and above zero.
fn signs(b: Ends) -> [Ends; 2] {
    [(b.0, b.1.min(-1)), (b.0.max(1), b.1)]
}

/// A quotient, rounded by a function that preserves the order.
fn divided(a: Ends, b: Ends, quotient: impl Fn(i64, i64) -> i64) -> Interval {
    let sides = signs(b).into_iter().filter(|side| side.0 <= side.1);
    let found = sides.map(|side| of_corners(a, side, &quotient)).reduce(Interval::union);
    found.unwrap_or(Interval::NOTHING).with_faults(b.0 <= 0 && b.1 >= 0)
}

/// The remainder with the sign of the divisor.
fn modulo(a: Ends, b: Ends) -> Interval {
    let side = |side: Ends| match side {
        (low, high) if low > high => None,
        (_, high) if high < 0 && a.0 > side.1 && a.1 <= 0 => Some(checked(a.0, a.1)),
        (low, high) if high < 0 => Some(checked(if a.1 <= 0 { a.0.max(low + 1) } else { low + 1 }, 0)),
        (low, _) if a.0 >= 0 && a.1 < low => Some(checked(a.0, a.1)),
        (_, high) => Some(checked(0, if a.0 >= 0 { a.1.min(high - 1) } else { high - 1 })),
    };
    let found = signs(b).into_iter().filter_map(side).reduce(Interval::union);
    found.unwrap_or(Interval::NOTHING).with_faults(b.0 <= 0 && b.1 >= 0)
}

/// The remainder with the sign of the dividend.
fn remainder(a: Ends, b: Ends) -> Interval {
    let most = b.0.abs().max(b.1.abs()) - 1;
    if most < 0 {
        return Interval::NOTHING;
    }
    checked(a.0.max(-most).min(0), a.1.min(most).max(0)).with_faults(b.0 <= 0 && b.1 >= 0)
}

fn power(a: Ends, b: Ends) -> Interval {
    if a.0 < 0 || b.0 < 0 {
        return Interval::ALL.with_faults(true);
    }
    let raised = |base: i64, exponent: i64| {
        let power = u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent));
        power.unwrap_or(i64::MAX)
    };
    // 0 to the power of 0 is 1.
    let least = if a.0 == 0 { i64::from(b.1 == 0) } else { raised(a.0, b.0) };
    checked(least, raised(a.1, b.1).max(i64::from(b.0 == 0)))
}

/// The least power of two, minus one, such that no value of both has a bit above it: the results of operations on bits
/// lie between it and its complement.
fn all_bits(a: Interval, b: Interval) -> i32 {
    let bits = |value: i32| value ^ (value >> 31);
    let all = bits(a.low) | bits(a.high) | bits(b.low) | bits(b.high);
    i32::MAX.checked_shr(all.leading_zeros() - 1).unwrap_or(0)
}

fn and(a: Interval, b: Interval) -> Interval {
    match (a.low >= 0, b.low >= 0) {
        (true, true) => Interval::new(0, a.high.min(b.high)),
        (true, false) => Interval::new(0, a.high),
        (false, true) => Interval::new(0, b.high),
        (false, false) if a.high < 0 && b.high < 0 => Interval::new(!all_bits(a, b), a.high.min(b.high)),
        (false, false) => Interval::new(!all_bits(a, b), a.high.max(b.high)),
    }
}

/// By the law of De Morgan.
fn or(a: Interval, b: Interval) -> Interval {
    let opposite = |interval: Interval| Interval::new(!interval.high, !interval.low);
    opposite(and(opposite(a), opposite(b)))
}

fn xor(a: Interval, b: Interval) -> Interval {
    let most = all_bits(a, b);
    let (is_negative, is_positive) = (a.high < 0 && b.low >= 0 || a.low >= 0 && b.high < 0, a.low >= 0 && b.low >= 0);
    if is_negative {
        Interval::new(!most, -1)
    } else if is_positive || a.high < 0 && b.high < 0 {
        Interval::new(0, most)
    } else {
        Interval::new(!most, most)
    }
}

/// Shifts, with the count taken modulo 32. The ends decide if the count is known; shifts never fault.
fn shifted(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    let count = (b.low == b.high).then(|| b.low.cast_unsigned() % i32::BITS);
    match (op, count) {
        (BinaryOp::ShiftRight, Some(count)) => Interval::new(a.low >> count, a.high >> count),
        (BinaryOp::ShiftRightUnsigned, Some(count)) if (a.low < 0) == (a.high < 0) => {
            let shift = |value: i32| (value.cast_unsigned() >> count).cast_signed();
            Interval::new(shift(a.low), shift(a.high))
        }
        (BinaryOp::ShiftRightUnsigned, Some(count @ 1..)) => Interval::new(0, (u32::MAX >> count).cast_signed()),
        (BinaryOp::ShiftRight, None) => Interval::new(a.low.min(0), a.high.max(-1)),
        (BinaryOp::ShiftRightUnsigned, None) if a.low >= 0 => Interval::new(0, a.high),
        (BinaryOp::ShiftLeft, Some(count)) => {
            let (low, high) = (i64::from(a.low) << count, i64::from(a.high) << count);
            let found = checked(low, high);
            if found.faults { Interval::ALL } else { found }
        }
        _ => Interval::ALL,
    }
}

/// The truth of a comparison, if it is the same for all values.
fn truth(op: BinaryOp, a: Ends, b: Ends) -> Option<bool> {
    let (is_less, is_greater) = (a.1 < b.0, a.0 > b.1);
    let (is_at_most, is_at_least) = (a.1 <= b.0, a.0 >= b.1);
    let decide = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
    match op {
        BinaryOp::Equal => decide(is_at_most && is_at_least, is_less || is_greater),
        BinaryOp::NotEqual => decide(is_less || is_greater, is_at_most && is_at_least),
        BinaryOp::Less => decide(is_less, is_at_least),
        BinaryOp::LessEqual => decide(is_at_most, is_greater),
        BinaryOp::Greater => decide(is_greater, is_at_most),
        _ => decide(is_at_least, is_less),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequential::interpret::arithmetic;

    const INFIX: [BinaryOp; 12] = [
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::Divide,
        BinaryOp::Modulo,
        BinaryOp::Xor,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::Less,
        BinaryOp::LessEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterEqual,
    ];

    fn all() -> impl Iterator<Item = BinaryOp> {
        INFIX.into_iter().chain(BinaryOp::FUNCTIONS)
    }

    fn contains(interval: Interval, results: impl Iterator<Item = Option<i32>>) -> bool {
        results.into_iter().all(|result| match result {
            Some(value) => interval.low <= value && value <= interval.high,
            None => interval.faults,
        })
    }

    fn ones(value: i32) -> i32 {
        value.count_ones().cast_signed()
    }

    #[test]
    fn intervals_hold_every_result() {
        let ends = [i32::MIN, i32::MIN + 1, -3, -1, 0, 1, 2, 5, i32::MAX - 1, i32::MAX];
        let samples = |low: i32, high: i32| {
            let near = (0..7).flat_map(move |d: i32| [low.saturating_add(d), high.saturating_sub(d)]);
            near.chain(ends).filter(move |value| (low..=high).contains(value))
        };
        let intervals: Vec<(i32, i32)> = ends.iter().flat_map(|&low| ends.map(|high| (low, high))).collect();
        for &(a, b) in intervals.iter().filter(|(a, b)| a <= b) {
            let negatives = samples(a, b).map(i32::checked_neg);
            assert!(contains(Interval::new(a, b).negated(), negatives), "-[{a}, {b}]");
            assert!(contains(Interval::new(a, b).ones(), samples(a, b).map(|value| Some(ones(value)))), "[{a}, {b}]");
            for &(c, d) in intervals.iter().filter(|(c, d)| c <= d) {
                for op in all() {
                    let found = Interval::new(a, b).operate(op, Interval::new(c, d));
                    let results = samples(a, b).flat_map(|x| samples(c, d).map(move |y| arithmetic(op, x, y).ok()));
                    assert!(contains(found, results), "[{a}, {b}] {} [{c}, {d}]: {found:?}", op.symbol());
                }
            }
        }
    }

    /// Random numbers of all sizes and both signs.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> i32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = u32::try_from(self.0 >> 32).expect("32 bits").cast_signed();
            value >> (self.0 >> 8 & 31)
        }

        fn interval(&mut self) -> Interval {
            let (one, other) = (self.next(), self.next());
            let other = if other % 3 == 0 { one } else { other };
            Interval::new(one.min(other), one.max(other))
        }

        fn within(&mut self, interval: Interval) -> i32 {
            let (low, width) = (i64::from(interval.low), i64::from(interval.high) - i64::from(interval.low) + 1);
            i32::try_from(low + i64::from(self.next()).rem_euclid(width)).expect("between two numbers")
        }
    }

    #[test]
    fn random_operands_have_results_within() {
        let mut numbers = Numbers(4);
        for _ in 0..40_000 {
            let (left, right) = (numbers.interval(), numbers.interval());
            for op in all() {
                let found = left.operate(op, right);
                for _ in 0..4 {
                    let (x, y) = (numbers.within(left), numbers.within(right));
                    let result = arithmetic(op, x, y).ok();
                    assert!(
                        contains(found, [result].into_iter()),
                        "{x} {} {y} = {result:?} is not in {found:?} of {left:?} and {right:?}",
                        op.symbol()
                    );
                }
            }
            let value = numbers.within(left);
            assert!(contains(left.ones(), [Some(ones(value))].into_iter()), "{value} in {left:?}");
        }
    }

    /// With a known second operand, the intervals are those of the results, except for bits and remainders.
    #[test]
    fn intervals_by_constants_are_exact() {
        let exact = [
            BinaryOp::Add,
            BinaryOp::Subtract,
            BinaryOp::Multiply,
            BinaryOp::Divide,
            BinaryOp::Quotient,
            BinaryOp::ShiftRight,
            BinaryOp::ShiftLeft,
        ];
        for (low, high) in (-9..=9).flat_map(|low| (low..=9).map(move |high| (low, high))) {
            for (op, constant) in exact.into_iter().flat_map(|op| (-4..=4).map(move |constant| (op, constant))) {
                let results: Option<Vec<i32>> = (low..=high).map(|x| arithmetic(op, x, constant).ok()).collect();
                let found = Interval::new(low, high).operate(op, Interval::new(constant, constant));
                let Some(results) = results else {
                    assert!(found.faults);
                    continue;
                };
                // Counts are taken modulo 32: those below zero may shift out all bits.
                if !matches!(op, BinaryOp::ShiftLeft) || constant >= 0 {
                    let (least, greatest) = (results.iter().min(), results.iter().max());
                    let expected = Interval::new(*least.expect("a value"), *greatest.expect("a value"));
                    assert_eq!(found, expected, "[{low}, {high}] {} {constant}", op.symbol());
                }
            }
        }
    }

    #[test]
    fn small_values_do_not_fault() {
        let level = Interval::new(0, 5);
        let only = |value: i32| Interval::new(value, value);
        assert_eq!(level.operate(BinaryOp::Add, only(1)), Interval::new(1, 6));
        assert_eq!(level.operate(BinaryOp::Modulo, only(6)), Interval::new(0, 5));
        assert_eq!(Interval::TRUTH.operate(BinaryOp::Xor, Interval::TRUTH), Interval::TRUTH);
        assert_eq!(level.operate(BinaryOp::Less, only(6)).constant(), Some(1));
        assert!(level.operate(BinaryOp::Divide, level).faults);
        let any = Interval::ALL;
        assert_eq!(any.operate(BinaryOp::Modulo, only(7)), Interval::new(0, 6));
        assert_eq!(any.operate(BinaryOp::Modulo, only(-7)), Interval::new(-6, 0));
        assert_eq!(any.operate(BinaryOp::Remainder, only(7)), Interval::new(-6, 6));
        assert_eq!(any.operate(BinaryOp::BitAnd, only(255)), Interval::new(0, 255));
        assert_eq!(any.operate(BinaryOp::ShiftRight, only(26)), Interval::new(-32, 31));
        assert_eq!(any.operate(BinaryOp::ShiftRightUnsigned, only(26)), Interval::new(0, 63));
        assert_eq!(Interval::new(-100, 100).operate(BinaryOp::BitOr, only(-8)), Interval::new(-8, -1));
        assert_eq!(Interval::new(0, 1000).ones(), Interval::new(0, 10));
    }
}
