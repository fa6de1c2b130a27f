//! Partial order reduction by stubborn sets, whatever the language: states that are expanded by some of their steps only.
//!
//! The ample set of a state consists of the enabled instances of a stubborn set of instances, if these conditions
//! hold, else of every step:
//!
//! 1. With an enabled instance the set has all instances that depend on it (C1), with a disabled one all that can
//!    make one conjunct of its guard true that is false now, or change the one element on which that depends, or be the
//!    first to write a value that makes it true ([`independence`]).
//! 2. It has an enabled instance, and none that faults now (C0).
//! 3. No step of it changes what a property reads (C2).
//! 4. Each step of it lowers the rank of the state (C3, [`ranking`]). Where the question is deadlock only, and a deadlock is
//!    a state without steps, 3 and 4 are not needed.
//!
//! Soundness. An instance has one successor, or it is a family of such. Its effect, whether it is enabled and whether it
//! faults depend on the elements that it reads, and it changes only the elements that it writes. Take steps outside of the
//! set, one after the other. No disabled instance of the set becomes enabled, nor does it fault: the conjunct stays false.
//! Each enabled instance of the set stays enabled, writes the same values to elements that are seen, and commutes with each of these
//! steps: it is independent of all of them, or of some that are never enabled together with it, which are therefore not among
//! them. A step outside that faults later still does after an instance of the set went first. So a path to a
//! deadlock, to a fault, or to a state that violates an invariant, contains an instance of the set, which can come
//! first; or it contains none, and then any enabled one can be put before it. In the second case the path does not
//! end in a state without steps, and by 3 the conditions have the same truth along the path: a change that is made first
//! persists, and no other step writes the element. By 4 this does not continue for ever. For formulas without `X` the
//! ample set is a function of the state, so the same holds for the product with an automaton.
//!
//! A state all of whose steps stay is kept, too, if 4 is required and no language proves that instances commute which touch the
//! same elements: were it reached without an instance of the set, one of the set would still be enabled there, and write there the values that it writes before; it stays there, and no other step wrote these elements,
//! so that it stays before as well, and does not lower the rank. That a state itself is such a one is judged on all of its steps.
//!
//! With a group, the ample set is that of the representative; ranks are the same for a state and its images.
//!
//! Errs towards less reduction. Source: stubborn sets of Valmari (1990); \[Jag10\] 4 for the conditions by name.

mod ample;
mod facts;
mod independence;
mod ranking;
pub(crate) mod sets;

pub(crate) use ample::{Ample, Asked, Choice, Seen, Steps};
pub(crate) use facts::{Among, Condition, Facts, MOST_VALUES, Source, Track, bits};
pub(crate) use independence::{Independence, MOST_INSTANCES, Pair};
pub(crate) use ranking::Orbits;

mutants::mutants! {
    /// Known-wrong variants of the reduction. Only tests set any of them, to show that they are caught.
    pub(crate) struct Wrong {
        /// Nothing is visible.
        nothing_is_visible,
        /// No cycle proviso.
        no_proviso,
        /// Ranks that are not those of orbits.
        open_ranks,
        /// Only instances that write the same elements depend on each other.
        reads_forgotten,
        /// Disabled instances add no instance to the set.
        enabling_forgotten,
        /// No instance changes the element on which a condition depends.
        leaving_empty,
        /// No instance is the first to write a value that makes a condition true.
        sources_empty,
        /// An instance that faults does not count.
        faults_ignored,
        /// Of instances that commute one may end the fault of the other one.
        faults_vanish,
        /// A step is only the summand that begins it.
        chains_forgotten,
        /// A state that is stored inside of a step is like any other.
        stored_is_no_fault,
        /// Instances commute whose values a property reads.
        seen_commute,
        /// Of instances that commute one may disable the other one.
        second_steps_forgotten,
        /// A proof of two instances leaves out every statement whose writes the other one does not touch.
        statements_left_out,
        /// Loops are left out like other statements.
        loops_left_out,
        /// Families of instances have parts.
        families_split,
        /// No step exchanges the part that stands for an instance.
        parts_stay,
        /// A condition within a body is one on the state before it, whatever the body assigned.
        assignments_forgotten,
        /// Elements have the values that one round of steps gives them.
        values_of_one_round,
        /// Instances do not read what assumptions read.
        assumptions_forgotten,
        /// A condition never faults.
        undefined_forgotten,
    }
}
