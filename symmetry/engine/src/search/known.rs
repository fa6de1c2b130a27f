//! Automorphisms that are known already and fix the vertices chosen so far: of the next choices, one per orbit is enough.
//!
//! If an automorphism fixes the choices of a node, it maps the subtree of a child to the subtree of the image of that child, leaves to
//! leaves with equal words. So both have images of the path among their leaves, or neither has.
//!
//! # Soundness
//!
//! Only certified automorphisms enter, and [`Known::fixing`] takes the stabiliser of the choice from a chain, so that each element fixes
//! all choices before. A smaller group than the true stabiliser prunes less: this is how a limit on the cost errs.
//!
//! # Complexity
//!
//! A chain of stabilisers per choice; none for large degrees or many generators.
//!
//! # Source
//!
//! [McKay14], pruning by automorphisms; here inside a refutation, not on the first path.

use num_bigint::BigUint;

use super::Budget;
use crate::group::chain::{Images, StabiliserChain};
use crate::union_find::UnionFind;

/// The largest number of points of a group that prunes.
const MAX_DEGREE: usize = 1 << 12;
/// The most generators.
const MAX_GENERATORS: usize = 1 << 6;
/// The most steps of the computation of a stabiliser.
const MAX_STEPS: u64 = 1 << 24;

/// A group of known automorphisms with its order.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    degree: usize,
    generators: Vec<Images>,
    order: BigUint,
}

impl Known {
    /// The group of automorphisms given as pairs `(point, image)`; `order` is its order. Trivial where pruning would cost too much.
    pub(crate) fn new<'a>(
        degree: usize,
        generators: impl Iterator<Item = &'a Vec<(u32, u32)>> + Clone,
        order: BigUint,
    ) -> Self {
        if degree > MAX_DEGREE || generators.clone().count() > MAX_GENERATORS {
            return Self::trivial(degree);
        }
        let dense = |pairs: &Vec<(u32, u32)>| {
            let mut images: Images = (0..crate::graph::index(degree)).collect();
            pairs.iter().for_each(|&(point, image)| images[point as usize] = image);
            images
        };
        Self { degree, generators: generators.map(dense).collect(), order }
    }

    /// Those of the automorphisms that fix all of `points`, for the orbits only: the order is not computed.
    pub(crate) fn fixing_all<'a>(
        degree: usize,
        generators: impl Iterator<Item = &'a Vec<(u32, u32)>> + Clone,
        points: &[u32],
    ) -> Self {
        let mut moved = vec![false; degree];
        points.iter().for_each(|&point| moved[point as usize] = true);
        let fixing = generators.filter(|pairs| !pairs.iter().any(|&(point, _)| moved[point as usize]));
        Self::new(degree, fixing, BigUint::from(1_u32))
    }

    /// The identity only.
    pub(crate) fn trivial(degree: usize) -> Self {
        Self { degree, generators: Vec::new(), order: BigUint::from(1_u32) }
    }

    /// Whether no orbit has two points.
    pub(crate) fn is_trivial(&self) -> bool {
        self.generators.is_empty()
    }

    /// The automorphisms among these that fix `point`.
    pub(crate) fn fixing(&self, point: u32) -> Self {
        if self.generators.iter().all(|images| images[point as usize] == point) {
            return self.clone();
        }
        let mut budget = Budget::unlimited().with_max_steps(MAX_STEPS);
        let chain = StabiliserChain::new(
            self.degree,
            self.generators.iter().cloned(),
            &[point],
            Some(&self.order),
            &mut budget,
        );
        let Ok(chain) = chain else { return Self::trivial(self.degree) };
        let orbit = chain.orbit_sizes().next().unwrap_or(1);
        debug_assert_eq!(&self.order % orbit, BigUint::from(0_u32), "an orbit divides the order");
        Self { degree: self.degree, generators: chain.stabiliser_generators(1), order: &self.order / orbit }
    }

    /// One vertex per orbit of those of `cell`, which the group keeps, with the length of the orbit; in the order of the cell.
    pub(crate) fn orbits(&self, cell: &[u32]) -> Vec<(u32, u32)> {
        if self.is_trivial() {
            return cell.iter().map(|&v| (v, 1)).collect();
        }
        let mut orbits = UnionFind::new(self.degree);
        for images in &self.generators {
            limits::work(cell.len() as u64);
            for &v in cell {
                orbits.union(v, images[v as usize]);
            }
        }
        let mut taken = vec![false; self.degree];
        let mut first = Vec::new();
        for &v in cell {
            let root = orbits.find(v);
            if !std::mem::replace(&mut taken[root as usize], true) {
                first.push((v, orbits.size(v)));
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use num_bigint::BigUint;

    use super::Known;
    use crate::group::RandomSource;
    use crate::group::chain::tests::closure;
    use crate::group::chain::{Images, identity};

    /// First points of orbits with their lengths, by the definition.
    fn orbits<'a>(elements: &(impl Iterator<Item = &'a Images> + Clone), degree: u32) -> Vec<(u32, u32)> {
        let orbit = |v: u32| elements.clone().map(|images| images[v as usize]).collect::<BTreeSet<u32>>();
        let all = (0..degree).map(|v| (v, orbit(v)));
        let firsts = all.filter(|(v, orbit)| orbit.first() == Some(v));
        firsts.map(|(v, orbit)| (v, u32::try_from(orbit.len()).expect("few points"))).collect()
    }

    /// Orbits of stabilisers of one and of two points against enumeration; those of the whole group, which would prune too much, differ.
    #[test]
    fn stabilisers_of_choices_against_enumeration() {
        let mut differences = 0;
        for seed in 0..200 {
            let mut random = RandomSource::new(seed);
            let degree = 4 + u32::try_from(seed % 4).expect("small");
            let mut shuffled = || {
                let mut images = identity(degree as usize);
                for place in (1..degree as usize).rev() {
                    if random.below(3) > 0 {
                        images.swap(place, random.below(place + 1));
                    }
                }
                images
            };
            let generators = [shuffled(), shuffled()];
            let pairs: Vec<Vec<(u32, u32)>> = generators
                .iter()
                .map(|images| (0..).zip(images.iter().copied()).filter(|(from, to)| from != to).collect())
                .collect();
            let elements = closure(degree as usize, &generators);
            let points: Vec<u32> = (0..degree).collect();
            let known = Known::new(degree as usize, pairs.iter(), BigUint::from(elements.len()));
            assert_eq!(known.orbits(&points), orbits(&elements.iter(), degree), "seed {seed}");
            let one = elements.iter().filter(|images| images[1] == 1);
            assert_eq!(known.fixing(1).orbits(&points), orbits(&one, degree), "seed {seed}");
            let two = one.filter(|images| images[2] == 2);
            assert_eq!(known.fixing(1).fixing(2).orbits(&points), orbits(&two, degree), "seed {seed}");
            differences += usize::from(known.fixing(1).orbits(&points) != known.orbits(&points));
            // Generators that fix both points generate a part of their stabiliser.
            let both = Known::fixing_all(degree as usize, pairs.iter(), &[1, 2]);
            let fixing = generators.iter().filter(|images| images[1] == 1 && images[2] == 2).cloned();
            let part = closure(degree as usize, &fixing.collect::<Vec<_>>());
            assert_eq!(both.orbits(&points), orbits(&part.iter(), degree), "seed {seed}");
        }
        assert!(differences > 100, "{differences}");
    }
}
