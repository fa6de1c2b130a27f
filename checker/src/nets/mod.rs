//! Place/transition nets, searched as nets: questions that the structure of a net helps to decide.
//!
//! A question is whether a marking is reachable in which a [`Condition`] holds, or how many tokens places reach together. Three ways lead
//! to answers: `weights` proves from the structure that a condition never holds, [`walk`] finds markings by random runs, and [`search`]
//! visits the reachable markings, by stubborn sets where few conditions are open. Formulas of branching and of linear time are decided by [`decide`].
//!
//! # Invariants
//!
//! Markings that are found are reached by enabled transitions from the initial marking. A number of tokens that leaves its range ends
//! the search of a question without an answer.

mod conditions;
mod formulas;
mod reduce;
mod running;
mod search;
mod stubborn;
#[cfg(test)]
mod tests;
mod walk;
mod weights;

pub use conditions::{Condition, Linear, value};
pub use formulas::decide;
pub use reduce::{Keeps, Reduced, reduce};
pub use search::{Aim, Searched, Strategy, search};
pub use walk::{Walked, walk};
pub use weights::Weights;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub struct Wrong {
        /// A stubborn set does not have the transitions that may enable a disabled one.
        enabling_forgotten,
        /// A stubborn set does not have the transitions in conflict with an enabled one.
        conflicts_forgotten,
        /// A stubborn set begins with an enabled transition, whatever the condition needs.
        needs_forgotten,
        /// Weights are compared with the effects of all transitions but one.
        effect_forgotten,
    }
}
