//! Groups of proved symmetries of a sequential model: the only groups that may be used to reduce it.
//!
//! Invariants: every generator passed the validator and fixes the properties; the fingerprint is that of the model and the
//! properties.
//!
//! Not done: the validator; every candidate but the identity is rejected.

use csp::Literals;
use engine::{Group, SparsePermutation};
use frontend::sequential::{Property, Sequential};
use num_bigint::BigUint;

use crate::group::Fingerprint;

/// Why a candidate is not in the group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// Neither proved nor refuted.
    NotDecided(String),
}

/// A candidate that is not in the group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejected {
    /// The candidate, on the points of the literals.
    pub permutation: SparsePermutation,
    /// Why.
    pub reason: Rejection,
}

/// A group of symmetries of one sequential model that fix one set of properties. It acts on the points of [`Literals`].
#[derive(Clone, Debug)]
pub struct ValidatedGroup {
    fingerprint: Fingerprint,
    literals: Literals,
    generators: Vec<SparsePermutation>,
    group: Group,
    rejected: Vec<Rejected>,
    model_order: BigUint,
}

impl ValidatedGroup {
    /// Validates candidates of a verified model.
    ///
    /// # Panics
    /// If a candidate moves points that are no literals.
    pub fn new(model: &Sequential, properties: &[Property], candidates: Vec<SparsePermutation>) -> ValidatedGroup {
        let literals = Literals::new(model);
        let reason = || Rejection::NotDecided("there is no validator yet".to_owned());
        let rejected = candidates.into_iter().filter(|candidate| !candidate.is_identity());
        let rejected = rejected.map(|permutation| Rejected { permutation, reason: reason() }).collect();
        let group = Group::from_generators(literals.len(), Vec::new()).expect("no generators");
        ValidatedGroup {
            fingerprint: Fingerprint::of(model, properties),
            model_order: group.order(),
            generators: Vec::new(),
            literals,
            group,
            rejected,
        }
    }

    /// What the group was validated for.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Whether the group was validated for this model and these properties.
    pub fn is_for(&self, model: &Sequential, properties: &[Property]) -> bool {
        self.fingerprint == Fingerprint::of(model, properties)
    }

    /// The literals that the group acts on.
    pub fn literals(&self) -> &Literals {
        &self.literals
    }

    /// Generators, none of them the identity.
    pub fn generators(&self) -> &[SparsePermutation] {
        &self.generators
    }

    /// The group on the points of the literals.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// The number of elements.
    pub fn order(&self) -> BigUint {
        self.group.order()
    }

    /// The number of elements before the group was cut to the properties.
    pub fn model_order(&self) -> &BigUint {
        &self.model_order
    }

    /// The candidates that are not in the group, with the reasons.
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }
}
