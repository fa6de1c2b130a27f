//! Sets of values that lie close together, and the set of all values.
//!
//! Invariant: the lowest bit of a window is set, so equal sets have one form.
//!
//! Soundness: a set that does not fit into a window becomes the set of all values.
//!
//! Complexity: constant; operations on members are linear in them.

use crate::stubborn::{MOST_VALUES, bits};

/// A set of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ValueSet {
    /// No value.
    Empty,
    /// The values of a window: the least one, and the distances of all of them from it.
    Few(i32, u64),
    /// Every value.
    Any,
}

impl ValueSet {
    /// The truth of a condition that is not known.
    pub(super) const TRUTHS: ValueSet = ValueSet::Few(0, 0b11);

    /// The set of one value.
    pub(super) const fn of(value: i32) -> ValueSet {
        ValueSet::Few(value, 1)
    }

    /// The values of a set of distances from `low`.
    pub(super) fn from_bits(low: i32, distances: u64) -> ValueSet {
        match distances.trailing_zeros() {
            u64::BITS => ValueSet::Empty,
            first => {
                low.checked_add(first.cast_signed()).map_or(ValueSet::Any, |low| Self::Few(low, distances >> first))
            }
        }
    }

    /// The values from `low` to `high`.
    pub(super) fn range(low: i32, high: i32) -> ValueSet {
        match usize::try_from(i64::from(high) - i64::from(low) + 1) {
            Ok(0) | Err(_) => ValueSet::Empty,
            Ok(count @ ..=MOST_VALUES) => ValueSet::Few(low, u64::MAX >> (MOST_VALUES - count)),
            Ok(_) => ValueSet::Any,
        }
    }

    /// The distances of its members from `low`, among the first `count` values; all of these where it has every value.
    pub(super) fn bits_from(self, low: i32, count: usize) -> u64 {
        debug_assert!((1..=MOST_VALUES).contains(&count), "few values");
        let all = u64::MAX >> (MOST_VALUES - count);
        match self {
            ValueSet::Empty => 0,
            ValueSet::Any => all,
            ValueSet::Few(least, distances) => {
                let shift = i64::from(least) - i64::from(low);
                match (u32::try_from(shift), u32::try_from(-shift)) {
                    (Ok(left), _) => distances.checked_shl(left).unwrap_or(0) & all,
                    (_, Ok(right)) => distances.checked_shr(right).unwrap_or(0) & all,
                    _ => 0,
                }
            }
        }
    }

    /// Whether it has no value.
    pub(super) fn is_empty(self) -> bool {
        self == ValueSet::Empty
    }

    /// Its members, ascending; nothing where it has every value.
    pub(super) fn members(self) -> Option<impl Iterator<Item = i32> + Clone> {
        let (low, distances) = match self {
            ValueSet::Empty => (0, 0),
            ValueSet::Few(low, distances) => (low, distances),
            ValueSet::Any => return None,
        };
        Some(bits(distances).map(move |at| low.wrapping_add(i32::try_from(at).expect("few values"))))
    }

    /// Its greatest member; the least number if it has none.
    fn greatest(self) -> i64 {
        match self {
            ValueSet::Empty => i64::MIN,
            ValueSet::Few(low, distances) => i64::from(low) + i64::from(u64::BITS - 1 - distances.leading_zeros()),
            ValueSet::Any => i64::MAX,
        }
    }

    /// The number of its members; nothing where it has every value.
    pub(super) fn count(self) -> Option<u32> {
        match self {
            ValueSet::Empty => Some(0),
            ValueSet::Few(_, distances) => Some(distances.count_ones()),
            ValueSet::Any => None,
        }
    }

    /// Whether it has a condition's truth.
    pub(super) fn may_be(self, truth: bool) -> bool {
        match self {
            ValueSet::Any => true,
            _ if truth => self.members().is_some_and(|mut members| members.any(|value| value != 0)),
            _ => self.has(0),
        }
    }

    /// Whether it has a value.
    pub(super) fn has(self, value: i32) -> bool {
        match self {
            ValueSet::Empty => false,
            ValueSet::Any => true,
            ValueSet::Few(low, distances) => {
                let at = i64::from(value) - i64::from(low);
                u32::try_from(at).is_ok_and(|at| at < u64::BITS && distances >> at & 1 == 1)
            }
        }
    }

    /// The members of either.
    pub(super) fn union(self, other: ValueSet) -> ValueSet {
        match (self, other) {
            (ValueSet::Any, _) | (_, ValueSet::Any) => ValueSet::Any,
            (ValueSet::Empty, set) | (set, ValueSet::Empty) => set,
            (ValueSet::Few(one, ours), ValueSet::Few(other, theirs)) => {
                let ((low, first), (high, second)) =
                    if one <= other { ((one, ours), (other, theirs)) } else { ((other, theirs), (one, ours)) };
                let shift = i64::from(high) - i64::from(low);
                match u32::try_from(shift) {
                    Ok(shift) if shift <= second.leading_zeros() => ValueSet::Few(low, first | second << shift),
                    _ => ValueSet::Any,
                }
            }
        }
    }

    /// The members that both have.
    pub(super) fn intersection(self, other: ValueSet) -> ValueSet {
        match (self, other) {
            (ValueSet::Any, set) | (set, ValueSet::Any) => set,
            _ => self.map(|value| other.has(value).then_some(value)),
        }
    }

    /// Its members from `low` to `high`; all of these, if they are few, where it has every value.
    pub(super) fn within(self, (low, high): (i32, i32)) -> ValueSet {
        match self {
            ValueSet::Any => ValueSet::range(low, high),
            ValueSet::Few(least, _) if least >= low && self.greatest() <= i64::from(high) => self,
            _ => self.map(|value| (low..=high).contains(&value).then_some(value)),
        }
    }

    /// The results for its members, without those that have none.
    pub(super) fn map(self, result: impl Fn(i32) -> Option<i32>) -> ValueSet {
        match self.members() {
            Some(members) => {
                members.filter_map(result).fold(ValueSet::Empty, |set, value| set.union(ValueSet::of(value)))
            }
            None => ValueSet::Any,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::tests::Rng;

    fn members(set: ValueSet) -> BTreeSet<i32> {
        set.members().expect("few").collect()
    }

    #[test]
    fn sets_of_values_are_sets() {
        let mut rng = Rng::new(7);
        for _ in 0..2_000 {
            let mut random = || -> BTreeSet<i32> {
                (0..rng.below(5)).map(|_| i32::try_from(rng.below(30)).expect("small") - 15).collect()
            };
            let (one, other) = (random(), random());
            let set = |all: &BTreeSet<i32>| all.iter().fold(ValueSet::Empty, |set, &at| set.union(ValueSet::of(at)));
            assert_eq!(members(set(&one)), one);
            assert_eq!(members(set(&one).union(set(&other))), one.union(&other).copied().collect());
            assert_eq!(members(set(&one).intersection(set(&other))), one.intersection(&other).copied().collect());
            assert_eq!(
                members(set(&one).within((-3, 4))),
                one.iter().copied().filter(|at| (-3..=4).contains(at)).collect()
            );
            let distances = set(&one).bits_from(-10, 20);
            assert_eq!(members(ValueSet::from_bits(-10, distances)), one.range(-10..10).copied().collect());
            assert!((-16..16).all(|value| set(&one).has(value) == one.contains(&value)));
            let negated = set(&one).map(i32::checked_neg);
            assert_eq!(members(negated), one.iter().map(|value| -value).collect());
        }
        assert_eq!(ValueSet::of(i32::MIN).union(ValueSet::of(i32::MAX)), ValueSet::Any);
        assert_eq!(ValueSet::of(0).union(ValueSet::of(64)), ValueSet::Any);
        assert_eq!(ValueSet::range(0, 63).count(), Some(64));
        assert_eq!([ValueSet::range(0, 64), ValueSet::range(1, 0)], [ValueSet::Any, ValueSet::Empty]);
        assert_eq!(ValueSet::Any.bits_from(5, 3), 0b111);
    }
}
