//! Partial order reduction of processes in sequential form: the facts about instances of summands by which stubborn sets are chosen
//! ([`stubborn`](crate::stubborn): the conditions and why they suffice).
//!
//! Soundness: an instance has one successor, or it represents all choices of parameters of a summand, or all ends of a step of
//! several summands ([`chains`]). What it reads and
//! writes is declared from its compiled code, executed on the values that its elements may have ([`possible`], [`effects`]). With a group, the ample set is that of the representative; ranks are the same for
//! a state and its images.
//!
//! The reduction is refused under weak fairness (`stacking`): a step of others may disable a process.

mod access;
mod ample;
mod chains;
mod commuting;
mod conditions;
mod effects;
mod facts;
mod kept;
mod possible;
mod split;
mod terms;
#[cfg(test)]
mod tests;
mod value_set;

pub(super) use crate::stubborn::{Choice, Wrong};
pub(super) use ample::{Ample, Steps};

use symmetry::sequential::ValidatedGroup;

/// The part of the question that partial order depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query<'q> {
    /// The properties that read states.
    pub(super) properties: &'q [frontend::sequential::Property],
    /// The group at whose images of a state invariants are checked, if there are such: what is visible is closed under it.
    pub(super) at_images: Option<&'q ValidatedGroup>,
    /// Whether faults are asked for, or end runs of formulas.
    pub(super) faults: bool,
    /// Whether the question contains more than deadlock.
    pub(super) more_than_deadlock: bool,
    /// Known-wrong variants.
    pub(super) wrong: Wrong,
}
