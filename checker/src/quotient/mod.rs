//! The quotient of a state space by a group: one stored state an orbit.
//!
//! A state is a vector of values, one a slot: the local state of a rebec, the value of an element. An element of the group maps the
//! value of a slot to a value of another slot ([`Action`]). [`Chain`] holds the elements that are needed, level by level along a chain of
//! stabilisers, and [`Canoniser`] finds the representative of a state with them. [`naive`] tries all elements; [`local_search`] and the
//! heuristic for Rebeca store several representatives of an orbit.
//!
//! Soundness: representatives are images of reached states under automorphisms, so they are reachable, and every successor
//! of a state has an image among the successors of its representative. What is stored may thus be any image; that there is only
//! one an orbit matters for the counts alone.
//!
//! Source: \[Jag10\] 5.1; \[Zha13\] V.B.

mod chain;
mod search;

use engine::{Group, Structure};

pub(crate) use chain::Chain;
pub(crate) use search::{Action, Canoniser, MOST_NODES};

/// What the search for representatives is for a group of this shape.
pub(crate) fn method(group: &Group) -> &'static str {
    match group.structure() {
        Structure::Cyclic(_) | Structure::Dihedral(_) => "least rotation",
        Structure::Symmetric(_) => "sorting with refinement",
        _ => "refinement along the stabiliser chain",
    }
}

/// Spreads a hash over all bits, since keys are summed.
pub(crate) fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}
