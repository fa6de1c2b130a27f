//! [`Definitions`]: named values, each a pseudo-element with the function that it represents.
//!
//! # Invariants
//!
//! A definition tests elements, parameters and values that were named before it. No two definitions have the same function.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::diagram::{Dd, Diagrams, Leaf, MAX_WIDTH};

/// The most named values of a process.
pub(super) const MAX_NAMED: u32 = 1 << 20;

/// A named value.
#[derive(Clone, Debug)]
pub(in super::super) struct Definition {
    /// Its pseudo-element.
    pub(in super::super) element: usize,
    pub(in super::super) function: Dd,
    /// Its possible results, ascending: the values of its pseudo-element, in this order.
    pub(in super::super) outcomes: Vec<Leaf>,
    /// The elements from which it is read.
    pub(in super::super) source: Option<Range<usize>>,
}

/// All named values, in the order in which they were named.
#[derive(Default, Debug)]
pub(in super::super) struct Definitions {
    pub(in super::super) list: Vec<Definition>,
    known: FxHashMap<Dd, usize>,
    /// The place of the first one in the order of the tests: after all parameters, and before all elements of the state.
    first_rank: u32,
}

impl Definitions {
    /// No named values yet; the first one is tested at this rank.
    pub(super) fn new(first_rank: u32) -> Definitions {
        Definitions { first_rank, ..Definitions::default() }
    }

    /// The named value with this function.
    pub(in super::super) fn of(&self, function: Dd) -> Option<&Definition> {
        self.known.get(&function).map(|&place| &self.list[place])
    }

    /// The place of the named value with this function, which may be a new one; `None` if it has no name.
    pub(super) fn name(
        &mut self,
        diagrams: &mut Diagrams,
        function: Dd,
        source: Option<Range<usize>>,
    ) -> Option<usize> {
        if let Some(&place) = self.known.get(&function) {
            return Some(place);
        }
        let outcomes = diagrams.leaves(function);
        let is_plain = |leaf: &Leaf| matches!(leaf, Leaf::Value(_) | Leaf::Fault);
        if outcomes.len() > MAX_WIDTH || !outcomes.iter().all(is_plain) {
            return None;
        }
        let rank = u32::try_from(self.list.len()).ok().filter(|&rank| rank < MAX_NAMED);
        let element = rank.and_then(|rank| diagrams.add_element(outcomes.len(), self.first_rank + rank));
        let Some(element) = element else {
            diagrams.exhaust();
            return None;
        };
        let place = self.list.len();
        self.list.push(Definition { element, function, outcomes, source });
        self.known.insert(function, place);
        Some(place)
    }
}

/// The representation of the parameters of a summand, and of the values that depend on them.
pub(in super::super) struct Free<'a> {
    /// The pseudo-element of the first parameter.
    pub(super) first: usize,
    /// The number of parameters.
    pub(super) count: usize,
    /// The number of elements of a state.
    pub(super) state: usize,
    pub(super) definitions: &'a mut Definitions,
    /// Pseudo-elements to which the guard leaves one value, with its meaning.
    pub(super) forced: FxHashMap<usize, Leaf>,
}

impl Free<'_> {
    /// The pseudo-element of a binder; `None` for a binder inside the summand.
    pub(in super::super) fn parameter(&self, id: usize) -> Option<usize> {
        (id < self.count).then(|| self.first + id)
    }
}

impl Diagrams {
    /// The elements, parameters and named values that functions test, without atoms.
    pub(super) fn support(&self, functions: impl IntoIterator<Item = Dd>) -> FxHashSet<usize> {
        let mut stack: Vec<Dd> = functions.into_iter().collect();
        let mut seen: FxHashSet<Dd> = stack.iter().copied().collect();
        let mut support = FxHashSet::default();
        while let Some(dd) = stack.pop() {
            if self.as_leaf(dd).is_some() {
                continue;
            }
            let (element, children) = self.node_of(dd);
            if self.atom_number(element).is_none() {
                support.insert(element);
            }
            stack.extend(children.iter().copied().filter(|&child| seen.insert(child)));
        }
        support
    }

    /// A function in place of each leaf; a leaf that is not listed does not change.
    pub(super) fn compose(&mut self, dd: Dd, by: &FxHashMap<Leaf, Dd>) -> Dd {
        self.compose_at(dd, by, &mut FxHashMap::default())
    }

    fn compose_at(&mut self, dd: Dd, by: &FxHashMap<Leaf, Dd>, memo: &mut FxHashMap<Dd, Dd>) -> Dd {
        if let Some(leaf) = self.as_leaf(dd) {
            return by.get(&leaf).copied().unwrap_or(dd);
        }
        if let Some(&known) = memo.get(&dd) {
            return known;
        }
        let (element, children) = self.node_of(dd);
        if !self.step() {
            return Diagrams::FAULT;
        }
        let children = children.iter().map(|&child| self.compose_at(child, by, memo)).collect();
        let result = self.query(element, children, 0, &mut FxHashMap::default());
        memo.insert(dd, result);
        result
    }
}
