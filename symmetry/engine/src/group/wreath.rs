//! Wreath products given by elements: those that exchange the first block with each other one, and those that move the first block only.
//!
//! The name of a group is a wreath product up to isomorphism. This module requires one in its action on the points of an orbit: blocks
//! are permuted in all ways, each keeping the order of its points, and the same group acts within each block. If the action on the orbit
//! has as many elements as the group, each of its permutations is that of exactly one element of the group. This element is found by
//! sifting through a chain whose base begins with the orbit.
//!
//! # Soundness
//!
//! The action on the orbit is proved to be the wreath product (`blocks`), and the orders prove that it is faithful. A check ensures that
//! each element acts on the orbit as it should.
//!
//! # Complexity
//!
//! Recognition costs the generators times the orbit, for [`MOST_ORBITS`] orbits at most; the chain has one level per point of the orbit.

use num_bigint::BigUint;

use super::action::factorial;
use super::blocks::{self, WreathAction};
use super::factor::localise;
use super::orbits::orbits;
use super::{Group, StrongGenerators};
use crate::graph::index;
use crate::permutation::{Permutation, SparsePermutation};
use crate::search::{Budget, BudgetExhausted, unlimited};

/// The most orbits that are tried.
const MOST_ORBITS: usize = 16;
/// The most points of an orbit that is tried.
const MOST_POINTS: usize = 1 << 10;

/// A wreath product `H wr Sm` by its elements.
#[derive(Clone, Debug)]
pub struct Wreath {
    /// The elements that exchange the first block with each other one, point by point, and fix the others.
    pub swaps: Vec<SparsePermutation>,
    /// `H` on the first block: the elements that fix all points of the other blocks.
    pub inner: Group,
}

impl Group {
    /// The group as a wreath product with a symmetric group of at least two blocks, if its action on an orbit shows one.
    ///
    /// # Complexity
    ///
    /// A chain of stabilisers, once an orbit shows one.
    #[must_use]
    pub fn wreath(&self) -> Option<Wreath> {
        unlimited(|budget| self.wreath_within(budget))
    }

    /// Like [`Group::wreath`], within a budget.
    ///
    /// # Errors
    ///
    /// When the budget is exhausted.
    pub fn wreath_within(&self, budget: &mut Budget) -> Result<Option<Wreath>, BudgetExhausted> {
        let order = self.order_within(budget)?;
        let mut orbits = orbits(self.degree, &self.generators);
        orbits.reverse();
        orbits.dedup_by_key(|orbit| orbit.len());
        orbits.truncate(MOST_ORBITS);
        let mut shown = None;
        for orbit in orbits.into_iter().filter(|orbit| orbit.len() <= MOST_POINTS) {
            budget.spend(blocks::support_size(&self.generators))?;
            if let Some(action) = blocks::wreath(orbit.len(), &localise(&orbit, &self.generators), budget)?
                && is_all(&action, &order, budget)?
            {
                shown = Some((orbit, action));
                break;
            }
        }
        let Some((orbit, action)) = shown else { return Ok(None) };
        assert_eq!(action.places.len(), orbit.len(), "every point of the orbit has a place");
        let lift = Lift { strong: self.strong_generators_within(&orbit, budget)?, orbit };
        let first = &action.blocks[0];
        let swaps = action.blocks[1..].iter().map(|block| {
            let pairs = first.iter().copied().zip(block.iter().copied());
            lift.element(pairs.flat_map(|(a, b)| [(a, b), (b, a)]).collect())
        });
        let within = action.inner.generators().iter().map(|local| {
            lift.element(local.pairs().iter().map(|&(a, b)| (first[a as usize], first[b as usize])).collect())
        });
        let swaps: Vec<SparsePermutation> = swaps.collect();
        let inner = Group::with_known_order(self.degree, within.collect(), &action.inner.order());
        Ok(Some(Wreath { swaps, inner: inner.expect("the same points") }))
    }
}

/// Whether an action is a wreath product with a symmetric group, of this order.
fn is_all(action: &WreathAction, order: &BigUint, budget: &mut Budget) -> Result<bool, BudgetExhausted> {
    let blocks = action.blocks.len();
    let top = factorial(blocks);
    Ok(action.top.order_within(budget)? == top && action.inner.order_within(budget)?.pow(index(blocks)) * top == *order)
}

/// Lifts an action on the points of an orbit to the one element that acts in this way.
struct Lift {
    strong: StrongGenerators,
    orbit: Vec<u32>,
}

impl Lift {
    /// The element that acts on the places of the orbit by these pairs.
    fn element(&self, pairs: Vec<(u32, u32)>) -> SparsePermutation {
        debug_assert!(pairs.iter().all(|&(from, to)| from.max(to) < index(self.orbit.len())), "places of the orbit");
        let mut images: Vec<u32> = (0..index(self.strong.degree())).collect();
        for (from, to) in pairs {
            images[self.orbit[from as usize] as usize] = self.orbit[to as usize];
        }
        let wanted = Permutation::trusted(images);
        // The remainder fixes the orbit: dividing the permutation by it gives the product of the representatives.
        let element = match self.strong.sift(&wanted) {
            None => wanted.clone(),
            Some(rest) => rest.inverse().then(&wanted),
        };
        let is_right = self.orbit.iter().all(|&point| element.image(point) == wanted.image(point));
        assert!(is_right && self.strong.sift(&element).is_none(), "an element of the wreath product");
        element.to_sparse()
    }
}
