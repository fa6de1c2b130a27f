//! Base, strong generators and elements of a whole group, on all its points.

use num_bigint::BigUint;

use super::Group;
use super::action::sparse;
use super::chain::{Images, StabiliserChain, dense, product};
use crate::permutation::{Permutation, SparsePermutation};
use crate::search::{Budget, BudgetExhausted};

/// A base with strong generators: the generators that fix the first `i` base points generate their stabiliser.
#[derive(Clone, Debug)]
pub struct StrongGenerators {
    chain: StabiliserChain,
}

impl StrongGenerators {
    /// The chain of `group` with a base that begins with `base`.
    pub(crate) fn new(group: &Group, base: &[u32], budget: &mut Budget) -> Result<Self, BudgetExhausted> {
        let order = group.order_within(budget)?;
        debug_assert!(base.iter().all(|&point| (point as usize) < group.degree()), "base points are points");
        let generators = dense(group.degree(), group.generators());
        Ok(Self { chain: StabiliserChain::new(group.degree(), generators, base, Some(&order), budget)? })
    }

    /// Number of points.
    pub(crate) fn degree(&self) -> usize {
        self.chain.degree()
    }

    /// The base points.
    #[must_use]
    pub fn base(&self) -> Vec<u32> {
        self.chain.base().collect()
    }

    /// For each base point the size of its orbit under the elements that fix the points before it.
    #[must_use]
    pub fn orbit_sizes(&self) -> Vec<usize> {
        self.chain.orbit_sizes().collect()
    }

    /// The order of the group: the product of the orbit sizes.
    #[must_use]
    pub fn order(&self) -> BigUint {
        self.chain.order()
    }

    /// Generators of the stabiliser of the first `depth` base points.
    #[must_use]
    pub fn stabiliser_generators(&self, depth: usize) -> Vec<SparsePermutation> {
        self.chain.stabiliser_generators(depth).iter().map(|images| sparse(images)).collect()
    }

    /// Divides by elements of the group as far as possible: `None` when `permutation` is an element, otherwise the remainder.
    ///
    /// # Panics
    ///
    /// When the degrees differ.
    #[must_use]
    pub fn sift(&self, permutation: &Permutation) -> Option<Permutation> {
        assert_eq!(permutation.degree(), self.chain.degree(), "permutations of one degree");
        self.chain.sift(permutation.images().to_vec(), 0).map(|(rest, _)| Permutation::trusted(rest))
    }

    /// All elements.
    pub(crate) fn into_elements(self) -> Elements {
        let sizes: Vec<usize> = self.chain.orbit_sizes().collect();
        Elements { chain: self.chain, places: Some(vec![0; sizes.len()]), sizes }
    }
}

/// Iterates over the elements of a group.
#[derive(Clone, Debug)]
pub struct Elements {
    chain: StabiliserChain,
    sizes: Vec<usize>,
    /// Place in the orbit of each level, or `None` at the end.
    places: Option<Vec<usize>>,
}

impl Iterator for Elements {
    type Item = Permutation;

    fn next(&mut self) -> Option<Permutation> {
        let places = self.places.as_mut()?;
        let mut images: Images = super::chain::identity(self.chain.degree());
        for (depth, &place) in places.iter().enumerate().rev() {
            images = product(&images, &self.chain.representative(depth, place));
        }
        let mut depth = places.len();
        loop {
            if depth == 0 {
                self.places = None;
                break;
            }
            depth -= 1;
            places[depth] += 1;
            if places[depth] < self.sizes[depth] {
                break;
            }
            places[depth] = 0;
        }
        Some(Permutation::trusted(images))
    }
}
