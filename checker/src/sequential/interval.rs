//! Intervals: between which values an operation stays, and whether it may fault, from those of its operands.
//!
//! Soundness: intervals err on the side of too many values and of faults that never come; what is proved constant is.

use frontend::sequential::BinaryOp;

/// The values from `low` to `high`, both included, and perhaps a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    /// The least value.
    pub(super) low: i32,
    /// The greatest value.
    pub(super) high: i32,
    /// Whether evaluation may fault.
    pub(super) faults: bool,
}

impl Interval {
    /// The values of a condition.
    pub(super) const TRUTH: Interval = Interval::new(0, 1);

    /// Values without faults.
    pub(super) const fn new(low: i32, high: i32) -> Interval {
        Interval { low, high, faults: false }
    }

    /// The same values, with faults where another one has.
    pub(super) fn with_faults(self, faults: bool) -> Interval {
        Interval { faults: self.faults || faults, ..self }
    }

    /// The one value that there is, if no fault can come in its place.
    pub(super) fn constant(self) -> Option<i32> {
        (self.low == self.high && !self.faults).then_some(self.low)
    }

    /// Whether every value is one of those from `low` to `high`.
    pub(super) fn is_within(self, low: i32, high: i32) -> bool {
        low <= self.low && self.high <= high
    }

    /// The values of both.
    pub(super) fn union(self, other: Interval) -> Interval {
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        Interval { low, high, faults: self.faults || other.faults }
    }

    /// The negatives.
    pub(super) fn negated(self) -> Interval {
        let found = checked(-i64::from(self.high), -i64::from(self.low));
        found.with_faults(self.faults)
    }

    /// The results of an operation on these values and those of `other`.
    pub(super) fn operate(self, op: BinaryOp, other: Interval) -> Interval {
        let (a, b) = ((i64::from(self.low), i64::from(self.high)), (i64::from(other.low), i64::from(other.high)));
        let found = match op {
            BinaryOp::Add => checked(a.0 + b.0, a.1 + b.1),
            BinaryOp::Subtract => checked(a.0 - b.1, a.1 - b.0),
            BinaryOp::Multiply => {
                let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                checked(corners.into_iter().min().unwrap_or(0), corners.into_iter().max().unwrap_or(0))
            }
            BinaryOp::Divide => {
                let most = a.0.abs().max(a.1.abs());
                checked(-most, most).with_faults(b.0 <= 0 && b.1 >= 0)
            }
            BinaryOp::Modulo => checked((b.0 + 1).min(0), (b.1 - 1).max(0)).with_faults(b.0 <= 0 && b.1 >= 0),
            BinaryOp::Xor if a.0 >= 0 && b.0 >= 0 => {
                let bits = (self.high | other.high).leading_zeros();
                Interval::new(0, i32::MAX >> (bits - 1))
            }
            BinaryOp::Xor => Interval::new(i32::MIN, i32::MAX),
            op if op.is_function() => Interval::new(i32::MIN, i32::MAX).with_faults(true),
            _ => match truth(op, a, b) {
                Some(truth) => Interval::new(i32::from(truth), i32::from(truth)),
                None => Interval::TRUTH,
            },
        };
        found.with_faults(self.faults || other.faults)
    }
}

/// The values within 32 bits; those outside are faults.
fn checked(low: i64, high: i64) -> Interval {
    let fit = |value: i64| i32::try_from(value).unwrap_or(if value < 0 { i32::MIN } else { i32::MAX });
    let (least, greatest) = (fit(low), fit(high));
    Interval { low: least, high: greatest, faults: i64::from(least) != low || i64::from(greatest) != high }
}

/// The truth of a comparison, if it is the same for all values.
fn truth(op: BinaryOp, a: (i64, i64), b: (i64, i64)) -> Option<bool> {
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
    use frontend::sequential::interpret::arithmetic;

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

    fn contains(interval: Interval, results: impl Iterator<Item = Option<i32>>) -> bool {
        results.into_iter().all(|result| match result {
            Some(value) => interval.low <= value && value <= interval.high,
            None => interval.faults,
        })
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
            for &(c, d) in intervals.iter().filter(|(c, d)| c <= d) {
                for op in INFIX.into_iter().chain(BinaryOp::FUNCTIONS) {
                    let found = Interval::new(a, b).operate(op, Interval::new(c, d));
                    let results = samples(a, b).flat_map(|x| samples(c, d).map(move |y| arithmetic(op, x, y).ok()));
                    assert!(contains(found, results), "[{a}, {b}] {} [{c}, {d}]: {found:?}", op.symbol());
                }
            }
        }
    }

    #[test]
    fn small_values_do_not_fault() {
        let level = Interval::new(0, 5);
        assert_eq!(level.operate(BinaryOp::Add, Interval::new(1, 1)), Interval::new(1, 6));
        assert_eq!(level.operate(BinaryOp::Modulo, Interval::new(6, 6)), Interval::new(0, 5));
        assert_eq!(Interval::TRUTH.operate(BinaryOp::Xor, Interval::TRUTH), Interval::TRUTH);
        assert_eq!(level.operate(BinaryOp::Less, Interval::new(6, 6)).constant(), Some(1));
        assert!(level.operate(BinaryOp::Divide, level).faults);
    }
}
