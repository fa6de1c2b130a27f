//! Summands in parametric form: what all instances of a summand do at once, as functions of the state and of the parameters.
//!
//! Parameters are *pseudo-elements*: elements of the store of functions that no state has, with all values of their sorts, asked
//! before all others. A whole guard over several parameters would grow with the product of their sorts; so a [`Form`] keeps parts:
//! the conjuncts of the guard as a set, faults as a set, each output by itself. A value that is read or written at an index that
//! depends on a parameter is *named*: a further pseudo-element stands for it, whose definition is a function in the same store, of
//! elements that were there before (`definitions`). `evaluate` makes forms, `check` compares what a permutation makes of them.
//!
//! # Soundness
//!
//! A form means: an instance is enabled where all of `enabled` are 1; it faults where a member of `guard_faults` is 1 and all that
//! comes before it, or where it is enabled and a member of `faults` is 1; where it runs, outputs and arguments are as they say. Named
//! values have the values of their definitions. All of these are exact, with the short-circuits of the reference: tests compare
//! both on random models. That a conjunct leaves a pseudo-element one value may be used in what matters only where it holds.
//!
//! # Complexity
//!
//! A read or write of an array costs its size for each index that depends on a parameter, and not their product.

mod check;
mod definitions;
mod evaluate;
mod live;

use frontend::sequential::SummandId;

use super::diagram::Dd;

pub(super) use check::{Forms, Laxity};
pub(super) use definitions::{Definitions, Free};
pub(super) use live::Parametric;

/// What the instances of a summand do.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) summand: SummandId,
    /// The pseudo-element of the first parameter; the others follow.
    pub(super) first: usize,
    /// What has to hold for an instance to be enabled: 0 or 1 each, ascending.
    pub(super) enabled: Vec<Dd>,
    /// Where the guard faults: conjuncts that hold before, ascending, and the fault, 0 or 1; ascending.
    pub(super) guard_faults: Vec<(Vec<Dd>, Dd)>,
    /// Where an enabled instance faults, 0 or 1 each, ascending.
    pub(super) faults: Vec<Dd>,
    /// What arguments of the event are, where it runs.
    pub(super) arguments: Vec<Dd>,
    /// The new values of the elements that may change, where it runs, ascending.
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

    /// All functions that it is made of, but for the outputs.
    fn conditions(&self) -> impl Iterator<Item = Dd> + '_ {
        let guard = self.guard_faults.iter().flat_map(|(before, fault)| before.iter().chain([fault]));
        self.enabled.iter().chain(guard).chain(&self.faults).chain(&self.arguments).copied()
    }
}
