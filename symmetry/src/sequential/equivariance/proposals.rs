//! Candidates from the text of a process: exchanges and rotations of the values between which its constraints do not distinguish.
//!
//! Values of a class that lie in the same domains and are not named may change places with their neighbours, if the class is not ordered or
//! computed with. A class with terms such as `(i + 1) mod N`, or with indices of a table, may turn. Variables change places where a graph of
//! the text shows that (`drawing`).
//!
//! # Soundness
//!
//! These are guesses: each is proved like any other candidate, and what is not proved is left out.
//!
//! # Complexity
//!
//! Linear in the text, and for each candidate in the variables that have its values or indices, with their literals. No instance is made.

use std::collections::{BTreeMap, BTreeSet};

use csp::is_wide;
use engine::SparsePermutation;
use frontend::sequential::Initial;

use super::Equivariance;
use super::near::Values;
use super::uses::{Class, Role, Uses};

/// The most pairs of points that all candidates have together.
const MAX_PAIRS: usize = 1 << 24;

impl Equivariance<'_> {
    /// Exchanges and rotations that the text of the process and of the properties suggests.
    pub(in crate::sequential) fn proposals(&self) -> Vec<SparsePermutation> {
        limits::phase("reading candidates from the text");
        let uses = self.all_uses();
        let (roles, count) = (uses.roles(), self.model.variables.len());
        let shown = uses.values[..count].iter().chain(uses.indices[..count].iter().flatten());
        let (mut found, mut pairs) = (Vec::new(), 0);
        for class in shown.copied().collect::<BTreeSet<Class>>() {
            for map in self.maps(uses, class, roles[class as usize]) {
                limits::work(1 + uses.users(class).len() as u64);
                if !self.may_keep_initial(uses, class, &map) {
                    continue;
                }
                // A map that leads out of a domain is no permutation of literals.
                let Ok(candidate) = self.induced(uses, &BTreeMap::from([(class, map)])) else { continue };
                pairs += candidate.pairs().len();
                if pairs > MAX_PAIRS {
                    return found;
                }
                if !candidate.is_identity() {
                    found.push(candidate);
                }
            }
        }
        for candidate in self.texts().proposals(&self.literals) {
            pairs += candidate.pairs().len();
            if pairs > MAX_PAIRS {
                break;
            }
            found.push(candidate);
        }
        found
    }

    /// Whether the initial values may be kept, as far as variables tell whose elements stay where they are.
    fn may_keep_initial(&self, uses: &Uses, class: Class, map: &Values) -> bool {
        let moves = |value: &i32| map.get(value).is_some_and(|image| image != value);
        let is_broken = |number: &usize| match self.model.variables.get(*number).map(|variable| &variable.initial) {
            Some(Initial::Values(values)) if !uses.indices[*number].contains(&class) => values.iter().any(moves),
            _ => false,
        };
        !self.model.starts.is_empty() || !uses.users(class).iter().any(is_broken)
    }

    /// The permutations of values that the constraints of a class suggest.
    fn maps(&self, uses: &Uses, class: Class, role: Role) -> Vec<Values> {
        let constraints = &uses.classes[class as usize];
        let domains: Vec<_> = constraints.domains.keys().map(|&sort| self.model.domain(sort)).collect();
        let bounds = domains.iter().map(|domain| domain.bounds());
        let (Some(low), Some(high)) = (bounds.clone().map(|ends| ends.0).min(), bounds.map(|ends| ends.1).max()) else {
            return Vec::new();
        };
        if role.is_ordered || !role.turns && domains.iter().any(|domain| is_wide(domain)) {
            return Vec::new();
        }
        let mut found = Vec::new();
        if (role.turns || role.is_tabled) && constraints.named.is_empty() {
            // The whole range, and not a part of it.
            found.push((low..=high).map(|value| (value, if value == high { low } else { value + 1 })).collect());
            found.push((low..=high).map(|value| (value, low + (high - value))).collect());
        }
        if role.turns {
            return found;
        }
        let mut blocks: BTreeMap<Vec<bool>, Vec<i32>> = BTreeMap::new();
        for value in (low..=high).filter(|value| !constraints.named.contains_key(value)) {
            let shape = domains.iter().map(|domain| domain.contains(value)).collect();
            blocks.entry(shape).or_default().push(value);
        }
        let neighbours = blocks.values().flat_map(|block| block.windows(2));
        found.extend(neighbours.map(|pair| Values::from([(pair[0], pair[1]), (pair[1], pair[0])])));
        found
    }
}
