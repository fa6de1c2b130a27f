//! Values that depend on literals: each possible value with the literal for "it is this value".
//!
//! Invariant: in every valuation in which control reaches a value, exactly one of its literals holds.

use frontend::model::Value;

use super::TooMuch;
use super::circuit::{Circuit, FALSE, Lit, TRUE};

/// The greatest number of possible values of a value.
const MAX_VALUES: usize = 1024;
/// The greatest number of pairs of values that one operation examines.
const MAX_PAIRS: usize = 1 << 14;

/// The possible values, ascending.
pub(super) type Symbol = Vec<(Value, Lit)>;

/// A value that is known.
pub(super) fn constant(value: Value) -> Symbol {
    vec![(value, TRUE)]
}

/// The literal of "it is this value".
pub(super) fn is(symbol: &Symbol, value: Value) -> Lit {
    debug_assert!(symbol.iter().filter(|entry| entry.0 == value).count() <= 1, "a value occurs once");
    symbol.iter().find(|entry| entry.0 == value).map_or(FALSE, |entry| entry.1)
}

impl Circuit {
    /// Merges the entries of a list in which a value may occur more than once.
    pub(super) fn gather(&mut self, mut list: Vec<(Value, Lit)>) -> Result<Symbol, TooMuch> {
        list.retain(|entry| entry.1 != FALSE);
        list.sort_unstable();
        let mut out: Symbol = Vec::new();
        for (value, lit) in list {
            match out.last_mut() {
                Some(last) if last.0 == value => last.1 = self.or(last.1, lit),
                _ => out.push((value, lit)),
            }
        }
        if out.len() > MAX_VALUES || self.is_too_large() { Err(TooMuch) } else { Ok(out) }
    }

    /// The first value where the condition holds, the second one otherwise.
    pub(super) fn select(&mut self, condition: Lit, one: &Symbol, other: &Symbol) -> Result<Symbol, TooMuch> {
        match condition {
            TRUE => return Ok(one.clone()),
            FALSE => return Ok(other.clone()),
            _ if one == other => return Ok(one.clone()),
            _ => {}
        }
        let mut list = Vec::with_capacity(one.len() + other.len());
        for &(value, lit) in one {
            list.push((value, self.and(condition, lit)));
        }
        for &(value, lit) in other {
            list.push((value, self.and(condition.opposite(), lit)));
        }
        self.gather(list)
    }

    /// The results of an operation where it has one, and the condition under which it has none.
    pub(super) fn map(
        &mut self,
        one: &Symbol,
        apply: &dyn Fn(Value) -> Option<Value>,
    ) -> Result<(Symbol, Lit), TooMuch> {
        let (mut list, mut none) = (Vec::new(), FALSE);
        for &(value, lit) in one {
            match apply(value) {
                Some(result) => list.push((result, lit)),
                None => none = self.or(none, lit),
            }
        }
        Ok((self.gather(list)?, none))
    }

    /// As [`map`](Circuit::map), for two operands.
    pub(super) fn map_both(
        &mut self,
        one: &Symbol,
        other: &Symbol,
        apply: &dyn Fn(Value, Value) -> Option<Value>,
    ) -> Result<(Symbol, Lit), TooMuch> {
        if one.len() * other.len() > MAX_PAIRS {
            return Err(TooMuch);
        }
        let (mut list, mut none) = (Vec::new(), FALSE);
        for &(left, first) in one {
            for &(right, second) in other {
                let both = self.and(first, second);
                match apply(left, right) {
                    Some(result) => list.push((result, both)),
                    None => none = self.or(none, both),
                }
            }
        }
        Ok((self.gather(list)?, none))
    }
}
