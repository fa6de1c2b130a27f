//! Groups extended by symmetries that keep steps but not names: arguments of events that move apart from what they index, constants that
//! an instance reads, and steps that several instances make.
//!
//! The candidates are those of the group and those of `csp::detect_relation`. On states the group may act without moving constants, as an
//! element with one live value has it in every state; then no symmetry is counted twice because constants move in two ways. A symmetry
//! takes the value of a constant to that of a constant, which is examined where a permutation is not proved. The larger
//! of two groups is taken: the one of the candidates that permute instances, and the one of those that keep the steps of each label as
//! sets ([`Kept`]). A group of the second kind comes with one of the first, for questions that need it.
//!
//! # Soundness
//!
//! Every candidate is validated again, on its own.

use engine::{Group, SparsePermutation};
use frontend::sequential::{Property, Sequential};
use num_bigint::BigUint;

use super::group::{Candidate, How, Kept, ValidatedGroup};

impl ValidatedGroup {
    /// The group together with more candidates that keep the steps of each label as sets, where this makes it larger.
    #[must_use]
    pub fn extended(self, model: &Sequential, properties: &[Property], more: Vec<SparsePermutation>) -> ValidatedGroup {
        if more.is_empty() || self.stopped().is_some() {
            return self;
        }
        let more: Vec<SparsePermutation> = more.into_iter().chain(self.generators().iter().cloned()).collect();
        // What the candidates generate bounds what is proved of them.
        if self.on_states(&more).order() <= self.order_on_states() {
            return self;
        }
        let by = |kept: Kept| {
            let candidates = more.iter().cloned().map(Candidate::from).collect();
            ValidatedGroup::by(model, properties, candidates, How { kept, still: true })
        };
        let relation = by(Kept::Steps);
        // A group that only the text proves may take elements for variables that functions of the state show to be constant.
        let order = |group: &ValidatedGroup| relation.on_states(group.generators()).order();
        if relation.order() <= order(&self) {
            return self;
        }
        let whole = by(Kept::Instances);
        let instances = if whole.order() > order(&self) { whole } else { self };
        if relation.order() > order(&instances) { relation.with_instances(instances) } else { instances }
    }

    /// Whether the group contains these permutations, up to what they do to constants. It contains none that does not keep constants, so
    /// that the permutations need not be proved.
    pub fn contains_on_states(&self, list: &[SparsePermutation]) -> bool {
        if !list.iter().all(|permutation| self.keeps_constants(permutation)) {
            return false;
        }
        let all: Vec<SparsePermutation> = list.iter().chain(self.generators()).cloned().collect();
        self.on_states(&all).order() <= self.order_on_states()
    }

    /// Whether these permutations add nothing to what the group does to reachable states, if the values of elements in these states are among
    /// `live`, ascending. A wrong answer can only make a group that is chosen by it smaller, so neither they nor `live` need a proof.
    pub fn contains_on_live(&self, list: &[SparsePermutation], live: &[Vec<i32>]) -> bool {
        let all: Vec<SparsePermutation> = list.iter().chain(self.generators()).cloned().collect();
        self.on_live(&all, live).order() <= self.order_on_live(live)
    }

    /// The order of what the group does to reachable states, if the values of elements in these states are among `live`, ascending.
    pub fn order_on_live(&self, live: &[Vec<i32>]) -> BigUint {
        self.on_live(self.generators(), live).order()
    }

    /// The group of these permutations without what they do to elements with one live value and to literals that are not live.
    fn on_live(&self, list: &[SparsePermutation], live: &[Vec<i32>]) -> Group {
        let literals = self.literals();
        let is_live = |point: u32| {
            let (element, value) = literals.literal(point);
            let narrow = live.get(element).filter(|_| !literals.is_wide(element));
            narrow.is_none_or(|live| live.len() > 1 && live.binary_search(&value).is_ok())
        };
        self.restricted(list, |point, image| is_live(point) || is_live(image))
    }

    /// Whether a permutation takes the value of each constant to that of a constant, and variables to variables, as every symmetry does.
    fn keeps_constants(&self, permutation: &SparsePermutation) -> bool {
        let literals = self.literals();
        permutation.pairs().iter().all(|&(point, image)| {
            let ((element, value), (target, result)) = (literals.literal(point), literals.literal(image));
            match (self.constant(element), self.constant(target)) {
                (None, None) => true,
                // A wide element keeps its value.
                (Some(own), Some(other)) if literals.is_wide(element) => own == other,
                (Some(own), Some(other)) => own != value || other == result,
                _ => false,
            }
        })
    }

    /// The order of the group without what it does to constants.
    fn order_on_states(&self) -> BigUint {
        self.on_states(self.generators()).order()
    }

    /// The group of these permutations without what they do to constants. If some are not proved, it bounds what is proved of them.
    fn on_states(&self, list: &[SparsePermutation]) -> Group {
        let is_constant = |point: u32| self.constant(self.literals().literal(point).0).is_some();
        self.restricted(list, |point, image| !is_constant(point) && !is_constant(image))
    }

    /// The group of these permutations, each restricted to the pairs of a point and its image for which `keeps` holds. Where the rest is no bijection, the
    /// permutation stays whole.
    fn restricted(&self, list: &[SparsePermutation], keeps: impl Fn(u32, u32) -> bool) -> Group {
        let restricted = |permutation: &SparsePermutation| {
            let kept = permutation.pairs().iter().copied().filter(|&(point, image)| keeps(point, image));
            SparsePermutation::from_pairs(kept.collect()).unwrap_or_else(|_| permutation.clone())
        };
        let generators = list.iter().map(restricted).collect();
        Group::from_generators(self.literals().len(), generators).expect("generators move literals")
    }
}
