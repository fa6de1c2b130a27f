//! The quotient of a state space by a group: one stored state per orbit.
//!
//! A state is a vector of values, one per slot: the local state of a rebec, the value of an element. An element of
//! the group maps the value of a slot to a value of another slot ([`Action`]). [`Chain`] holds the elements that are
//! needed, level by level along a chain of stabilisers, and [`Canoniser`] finds the representative of a state with
//! them; [`Representatives`] does so for packed states whose slots and values a group permutes. A search along the chain serves every group (`search`). Faster methods serve small groups (`few`) and groups
//! that permute components in all ways: blocks and their contents where components do not name each other (`parts`,
//! `sorting`), and components that do (`refine`); these methods also know the components that are twins in a state
//! (`twins`). The methods of the papers serve for comparison: enumeration, local search (`several`), and the
//! heuristic for Rebeca (`actors::on_the_fly`).
//!
//! Soundness: representatives are images of reached states under automorphisms, so they are reachable, and every
//! successor of a state has an image among the successors of its representative. The stored state may thus be any
//! image; only the counts depend on there being one per orbit.
//!
//! Source: \[Jag10\] 5.1; \[Zha13\] V.B.

mod action;
mod by_value;
mod chain;
mod few;
mod images;
mod memo;
mod packed;
mod parts;
mod refine;
mod representatives;
mod search;
mod several;
mod sorting;
#[cfg(test)]
mod tests;
mod twins;

use engine::Group;
use num_bigint::BigUint;

pub use action::Action;
pub use chain::Chain;
pub use representatives::{Normal, Normalise, Points, Representatives};
pub use search::{ALONG_THE_CHAIN, Canoniser, MOST_NODES};

#[cfg(any(test, feature = "mutants"))]
pub use twins::Wrong as WrongTwins;

use crate::reductions::Representative;

/// The name of the search with a bound on the work for a state.
pub const TIES_CUT: &str = "refinement, ties cut";

/// The name of that search where the bound was never met.
pub const NO_TIES_CUT: &str = "refinement, no ties cut";

/// The name of the method that chooses representatives.
pub fn name(method: Representative, group: &Group, canoniser: &Canoniser) -> &'static str {
    match method {
        Representative::Enumerate => "enumerate",
        Representative::OnTheFly => "on-the-fly",
        Representative::LocalSearch => "local-search",
        Representative::Auto => canoniser.name(group),
        Representative::Several => TIES_CUT,
    }
}

/// The size of the orbit of a state under a group of this order, if the order of the stabiliser was counted.
pub fn orbit_size(order: &BigUint, stabiliser: u128) -> Option<BigUint> {
    (stabiliser < u128::MAX).then(|| {
        let size = order / BigUint::from(stabiliser);
        assert!(&size * stabiliser == *order, "the order of a stabiliser divides that of the group");
        size
    })
}

/// Whether a method stores one state per orbit.
pub fn is_exact(method: Representative) -> bool {
    matches!(method, Representative::Auto | Representative::Enumerate)
}

/// Spreads a hash over all bits, since keys are summed.
#[inline]
pub fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}
