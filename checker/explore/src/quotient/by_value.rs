//! [`ByValue`]: one number per value of a slot that was met.
//!
//! Small values, such as those of interned local states, are looked up in a table; larger ones, such as those of
//! ranges of the model with up to 2^32 values, are hashed, so that a table is never much larger than the set of
//! values that were met.
//!
//! Complexity: one look-up; at most [`DENSE`] entries that no look-up requested.

use rustc_hash::FxHashMap;

use crate::memory::Footprint;

/// No entry yet.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Values below it are looked up in a table.
const DENSE: u32 = 1 << 16;

/// Numbers by value.
#[derive(Clone, Debug, Default)]
pub(super) struct ByValue {
    small: Vec<u32>,
    large: FxHashMap<u32, u32>,
}

impl ByValue {
    /// The number of a value, or [`UNKNOWN`].
    #[inline]
    pub(super) fn get(&self, value: u32) -> u32 {
        match self.small.get(value as usize) {
            Some(&number) => number,
            None if value < DENSE => UNKNOWN,
            None => self.large.get(&value).copied().unwrap_or(UNKNOWN),
        }
    }

    /// Stores the number of a value.
    pub(super) fn set(&mut self, value: u32, number: u32) {
        if value >= DENSE {
            self.large.insert(value, number);
            return;
        }
        if self.small.len() <= value as usize {
            self.small.resize(value as usize + 1, UNKNOWN);
        }
        self.small[value as usize] = number;
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let mut footprint = Footprint::default();
        footprint.add_vec(&self.small);
        footprint.add_table::<(u32, u32)>(self.large.capacity());
        footprint.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_however_large_they_are() {
        let mut table = ByValue::default();
        let values = [0, 7, DENSE - 1, DENSE, DENSE + 1, 1 << 31, u32::MAX];
        for (number, &value) in (0..).zip(&values) {
            assert_eq!(table.get(value), UNKNOWN, "{value}");
            table.set(value, number);
        }
        for (number, &value) in (0..).zip(&values) {
            assert_eq!(table.get(value), number, "{value}");
        }
        assert!(table.bytes() < 1 << 20, "{} bytes", table.bytes());
    }
}
