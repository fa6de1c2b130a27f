//! Summands in parametric form: the behaviour of all instances of a summand at once, as functions of the state and of the parameters.
//!
//! Parameters are *pseudo-elements*: elements of the store of functions that no state has, with all values of their sorts, tested before
//! all others. A whole guard over several parameters would grow with the product of their sorts. So a [`Form`] keeps parts: the conjuncts
//! of the guard as a set, faults as a set, each output by itself. A value that is read or written at an index that depends on a parameter
//! is *named*: a further pseudo-element represents it, whose definition is a function in the same store, of elements that existed before
//! (`definitions`). `evaluate` builds forms, `check` compares their images under a permutation with them.
//!
//! # Soundness
//!
//! The meaning of a form: an instance is enabled where all of `enabled` are 1. It faults where a member of `guard_faults` is 1 together
//! with all conjuncts that precede it, or where it is enabled and a member of `faults` is 1. Where it runs, outputs and arguments give
//! its results. Named values have the values of their definitions. All of these are exact, with the short-circuits of the reference:
//! tests compare both on random models. If a conjunct leaves a pseudo-element only one value, functions that matter only where the
//! conjunct holds may use this value.
//!
//! # Complexity
//!
//! A read or write of an array costs the size of the array per index that depends on a parameter, and not the product of these sizes.

mod check;
mod definitions;
mod evaluate;
mod live;

use frontend::sequential::SummandId;

use super::diagram::Dd;

pub(super) use check::{Forms, WrongCheck};
pub(super) use definitions::{Definitions, Free};
pub(super) use live::Parametric;

/// The behaviour of the instances of a summand.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) summand: SummandId,
    /// The pseudo-element of the first parameter; the others follow.
    pub(super) first: usize,
    /// The conjuncts that have to hold for an instance to be enabled: 0 or 1 each, ascending.
    pub(super) enabled: Vec<Dd>,
    /// The faults of the guard: the conjuncts that hold before, ascending, and the fault, 0 or 1; ascending.
    pub(super) guard_faults: Vec<(Vec<Dd>, Dd)>,
    /// The faults of an enabled instance, 0 or 1 each, ascending.
    pub(super) faults: Vec<Dd>,
    /// The arguments of the event, where the instance runs.
    pub(super) arguments: Vec<Dd>,
    /// The new values of the elements that may change, where the instance runs, ascending.
    pub(super) outputs: Vec<(usize, Dd)>,
}

impl Form {
    /// Whether an instance may be enabled or fault.
    pub(super) fn is_alive(&self) -> bool {
        !self.guard_faults.is_empty() || !self.is_never_enabled()
    }

    fn is_never_enabled(&self) -> bool {
        self.enabled.first() == Some(&super::diagram::Diagrams::ZERO)
    }

    /// All functions of the form except the outputs.
    fn conditions(&self) -> impl Iterator<Item = Dd> + '_ {
        let guard = self.guard_faults.iter().flat_map(|(before, fault)| before.iter().chain([fault]));
        self.enabled.iter().chain(guard).chain(&self.faults).chain(&self.arguments).copied()
    }
}
