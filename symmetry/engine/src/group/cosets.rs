//! Representatives of the cosets of a subgroup.
//!
//! Cosets are the sets of products `g then h` with `h` in the subgroup. They are reached from the subgroup itself by generators of the group in front,
//! breadth first. Two elements are in one coset where the inverse of one, then the other, is in the subgroup; only those are compared
//! that take every point to the same orbit of the subgroup, as elements of one coset do.
//!
//! # Complexity
//!
//! The number of cosets times the number of generators times the degree, as long as orbits tell cosets apart.

use std::collections::HashMap;

use num_bigint::BigUint;

use super::Group;
use crate::graph::index;
use crate::permutation::{Permutation, SparsePermutation};

impl Group {
    /// One element `g` of each set of the products `g then h` with `h` in a subgroup, the identity first; `None` if these are more than `most`.
    ///
    /// ```
    /// use quotient_engine::{Group, SparsePermutation};
    ///
    /// let swap = |a, b| SparsePermutation::from_cycles(&[&[a, b]]);
    /// let all = Group::from_generators(3, vec![swap(0, 1)?, swap(1, 2)?])?;
    /// let two = Group::from_generators(3, vec![swap(1, 2)?])?;
    /// assert_eq!(all.cosets(&two, 10).map(|list| list.len()), Some(3));
    /// assert_eq!(all.cosets(&two, 2), None);
    /// # Ok::<(), quotient_engine::PermutationError>(())
    /// ```
    ///
    /// # Panics
    /// If the other group is no subgroup.
    #[must_use]
    pub fn cosets(&self, subgroup: &Group, most: usize) -> Option<Vec<SparsePermutation>> {
        assert!(subgroup.generators.iter().all(|one| self.contains_sparse(one)), "cosets are of a subgroup");
        let count = self.order() / subgroup.order();
        if count > BigUint::from(most) {
            return None;
        }
        let orbits = subgroup.orbits();
        let key = |element: &Permutation| -> Vec<u32> {
            element.images().iter().map(|&image| orbits[image as usize]).collect()
        };
        let generators: Vec<Permutation> =
            self.generators.iter().map(|one| one.to_dense(self.degree).expect("points of the group")).collect();
        let mut found = vec![Permutation::identity(self.degree)];
        let mut known: HashMap<Vec<u32>, Vec<usize>> = HashMap::from([(key(&found[0]), vec![0])]);
        let mut next = 0;
        while next < found.len() {
            for generator in &generators {
                limits::work(u64::from(index(self.degree)) + 1);
                let element = generator.then(&found[next]);
                let alike = known.entry(key(&element)).or_default();
                let is_known = |&other: &usize| subgroup.contains(&found[other].inverse().then(&element));
                if !alike.iter().any(is_known) {
                    alike.push(found.len());
                    found.push(element);
                }
            }
            next += 1;
        }
        assert_eq!(BigUint::from(found.len()), count, "Lagrange's theorem");
        Some(found.iter().map(Permutation::to_sparse).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::RandomSource;

    /// Every element of random groups is in the coset of one representative only.
    #[test]
    fn cosets_of_random_subgroups_part_the_group() {
        let mut random = RandomSource::new(7);
        for _ in 0..200 {
            let degree = 3 + random.below(4);
            let element = |random: &mut RandomSource| {
                let mut images: Vec<u32> = (0..index(degree)).collect();
                (1..degree).for_each(|last| images.swap(last, random.below(last + 1)));
                Permutation::from_images(images).expect("a permutation").to_sparse()
            };
            let generators = (0..1 + random.below(2)).map(|_| element(&mut random)).collect();
            let group = Group::from_generators(degree, generators).expect("points");
            let own = (0..random.below(3)).map(|_| group.random_element(&mut random).to_sparse()).collect();
            let subgroup = Group::from_generators(degree, own).expect("points");
            let cosets = group.cosets(&subgroup, 1 << 10).expect("few cosets");
            assert!(cosets[0].is_identity());
            let dense = |one: &SparsePermutation| one.to_dense(degree).expect("points");
            let mut products: Vec<Vec<u32>> = Vec::new();
            for coset in &cosets {
                products.extend(subgroup.elements().map(|own| dense(coset).then(&own).images().to_vec()));
            }
            let mut all: Vec<Vec<u32>> = group.elements().map(|own| own.images().to_vec()).collect();
            products.sort_unstable();
            all.sort_unstable();
            assert_eq!(products, all);
        }
    }
}
