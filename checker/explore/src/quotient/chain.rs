//! The elements of a group that a search for representatives needs, level by level along a chain of stabilisers.
//!
//! `G = G0 > G1 > ..` are the stabilisers of the base points. A level has one element for each point of the orbit of its base point
//! under `Gi`: the element takes the point to the base point. It also has the orbits of all points under `Gi+1`, and *twins*: elements of
//! `Gi` that take one candidate to another. Twins come from the generators and their conjugates, as far as those are few: in a
//! symmetric group all transpositions are among them.
//!
//! Invariants: `candidates[0]` of a level is its base point, with the identity; every element of the group is a product of one element
//! of each level, first that of level 0, in exactly one way up to inversion.
//!
//! Complexity: the sum of the orbit sizes times the degree; [`Chain::new`] refuses more than [`MOST_IMAGES`], as soon as the chain has grown to
//! that.

use std::collections::VecDeque;
use std::ops::Range;

use engine::{Budget, Group, Permutation, SparsePermutation, UnionFind};
use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};

use super::parts::{Part, is_few, parts};
use crate::reductions::Representative;

/// Images that all elements of a chain have together, at most.
const MOST_IMAGES: usize = 1 << 26;

/// The most elements that enumeration tries for each state.
const MOST_ELEMENTS: usize = 1 << 20;

/// The most conjugates of one generator that are followed.
const MOST_CONJUGATES: usize = 1 << 10;

/// The most images of generators that are listed to find conjugates.
const MOST_DENSE: usize = 1 << 22;

/// The most twins that are kept for one pair of candidates.
const MOST_TWINS: usize = 4;

/// One level.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// The number of its first element; the others follow.
    pub(super) first: usize,
    /// The number of candidates.
    pub(super) len: usize,
    /// For every point the least point of its orbit under the stabiliser of the base points up to this level's.
    pub(super) orbits: Vec<u32>,
    /// Elements that take one candidate to another, by candidates in ascending order.
    pub(super) twins: FxHashMap<(usize, usize), Vec<usize>>,
}

/// The purpose of the additional elements, where representatives are chosen by the shape of the group.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// No purpose: a search along the chain.
    Other,
    /// They are all elements of the group.
    Few,
    /// They are the elements of its parts.
    Parts(Vec<Part>),
}

/// The elements, by number.
#[derive(Clone, Debug)]
pub struct Chain {
    pub(super) elements: Vec<Permutation>,
    pub(super) levels: Vec<Level>,
    pub(super) order: BigUint,
    degree: usize,
    /// The additional elements.
    pub(super) extra: Range<usize>,
    pub(super) shape: Shape,
}

impl Chain {
    /// The chain of a group; `None` if it would be too large.
    pub fn new(group: &Group) -> Option<Chain> {
        let mut budget = Budget::unlimited().with_max_chain(MOST_IMAGES / group.degree().max(1));
        let strong = group.strong_generators_within(&[], &mut budget).ok()?;
        let mut chain = Chain {
            elements: Vec::new(),
            levels: Vec::new(),
            order: strong.order(),
            degree: group.degree(),
            extra: 0..0,
            shape: Shape::Other,
        };
        let base = strong.base();
        let mut candidates = Vec::new();
        for (depth, &point) in base.iter().enumerate() {
            let generators = strong.stabiliser_generators(depth);
            let first = chain.elements.len();
            let points = chain.add_transversal(group.degree(), &generators, point);
            let stabiliser = strong.stabiliser_generators(depth + 1);
            let orbits = UnionFind::of_orbits(group.degree(), &stabiliser).least_members();
            chain.levels.push(Level { first, len: points.len(), orbits, twins: FxHashMap::default() });
            candidates.push(points);
        }
        let product: BigUint = chain.levels.iter().map(|level| BigUint::from(level.len)).product();
        assert_eq!(product, chain.order, "the order is the product of the lengths of the orbits");
        let images = chain.elements.len() * group.degree();
        let most = (MOST_IMAGES - images.min(MOST_IMAGES)) / group.degree().max(1);
        chain.add_twins(group, &base, &candidates, most);
        Some(chain)
    }

    /// Adds elements for a method of the papers; `false` if there are too many.
    #[must_use]
    pub fn add_for(&mut self, method: Representative, group: &Group) -> bool {
        let first = self.elements.len();
        match method {
            Representative::OnTheFly => {}
            Representative::Auto | Representative::Several => self.add_by_shape(group),
            Representative::Enumerate => {
                let room = (MOST_IMAGES - (first * self.degree).min(MOST_IMAGES)) / self.degree.max(1);
                if self.order > BigUint::from(room.min(MOST_ELEMENTS)) {
                    return false;
                }
                self.extend_by_all(group);
            }
            Representative::LocalSearch => {
                for generator in group.generators() {
                    self.elements.push(generator.to_dense(self.degree).expect("a generator of the group"));
                }
            }
        }
        self.extra = first..self.elements.len();
        debug_assert!(
            self.elements.iter().all(|element| element.images().len() == self.degree),
            "elements of the group"
        );
        true
    }

    /// Adds the elements that are faster than the chain for a group of this shape, if there are such elements.
    fn add_by_shape(&mut self, group: &Group) {
        let room = (MOST_IMAGES - (self.elements.len() * self.degree).min(MOST_IMAGES)) / self.degree.max(1);
        if is_few(group) && self.order <= BigUint::from(room) {
            self.extend_by_all(group);
            self.shape = Shape::Few;
            return;
        }
        let first = self.elements.len();
        match parts(group, &mut self.elements, &mut { room }) {
            Some(parts) => self.shape = Shape::Parts(parts),
            None => self.elements.truncate(first),
        }
    }

    /// Adds all elements of a group, with a look at the limits for each.
    fn extend_by_all(&mut self, group: &Group) {
        let degree = self.degree as u64;
        self.elements.extend(group.elements().inspect(|_| limits::work(degree)));
    }

    /// The elements.
    pub fn elements(&self) -> &[Permutation] {
        &self.elements
    }

    /// The number of elements of the group.
    pub fn order(&self) -> &BigUint {
        &self.order
    }

    /// The number of points that the group acts on.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Adds elements that take each point of an orbit to `root`, which comes first; returns the points.
    fn add_transversal(&mut self, degree: usize, generators: &[SparsePermutation], root: u32) -> Vec<u32> {
        let mut points = vec![root];
        let mut reached: FxHashSet<u32> = [root].into_iter().collect();
        let mut queue = VecDeque::from([(root, Permutation::identity(degree))]);
        while let Some((point, from_root)) = queue.pop_front() {
            limits::reserve(size_of::<u32>() as u64 * degree as u64);
            self.elements.push(from_root.inverse());
            for generator in generators {
                let image = generator.image(point);
                limits::work(1);
                if reached.insert(image) {
                    limits::work(4 * degree as u64);
                    points.push(image);
                    let dense = generator.to_dense(degree).expect("a generator moves points of the group");
                    queue.push_back((image, from_root.then(&dense)));
                }
            }
        }
        points
    }

    /// Adds conjugates of generators, and notes on each level which candidates they take to each other.
    fn add_twins(&mut self, group: &Group, base: &[u32], candidates: &[Vec<u32>], most: usize) {
        let places: Vec<FxHashMap<u32, usize>> =
            candidates.iter().map(|points| points.iter().copied().zip(0..).collect()).collect();
        for twin in conjugates(group.generators(), most) {
            let element = self.elements.len();
            let mut is_used = false;
            for (depth, level) in self.levels.iter_mut().enumerate() {
                let places = &places[depth];
                limits::work(twin.pairs().len() as u64);
                for (point, image) in twin.pairs() {
                    let (Some(&place), Some(&other)) = (places.get(point), places.get(image)) else { continue };
                    let pair = level.twins.entry((place.min(other), place.max(other))).or_default();
                    if pair.len() < MOST_TWINS && !pair.contains(&element) {
                        pair.push(element);
                        is_used = true;
                    }
                }
                if twin.image(base[depth]) != base[depth] {
                    break;
                }
            }
            if is_used {
                self.elements.push(twin.to_dense(group.degree()).expect("a conjugate moves points of the group"));
            }
        }
    }
}

/// The elements that exchange the first point of an orbit with each other one, if the group permutes the points of
/// one of its orbits in all ways, and is determined by that.
pub(super) fn exchanges(factor: &Group) -> Option<Vec<SparsePermutation>> {
    let order = factor.order();
    let mut fits: Option<Vec<u32>> = None;
    for point in factor.generators().first()?.pairs().iter().map(|&(point, _)| point) {
        let orbit = factor.orbit(point);
        let factorial: BigUint = (1..=orbit.len()).map(BigUint::from).product();
        if factorial == order {
            fits = Some(orbit);
            break;
        }
    }
    let orbit = fits?;
    let (&first, others) = orbit.split_first()?;
    let found = conjugates(factor.generators(), MOST_CONJUGATES);
    // If these elements belong to the group, so do all permutations of the orbit; and no two elements act on it
    // alike.
    let exchanging = |other: u32| {
        limits::work(4 * found.len() as u64);
        found.iter().find(|element| {
            let image = |point: u32| {
                if point == first {
                    other
                } else if point == other {
                    first
                } else {
                    point
                }
            };
            orbit.iter().all(|&point| element.image(point) == image(point))
        })
    };
    others.iter().map(|&other| exchanging(other).cloned()).collect()
}

/// Generators and their conjugates, class by class while a class is small.
fn conjugates(generators: &[SparsePermutation], most: usize) -> Vec<SparsePermutation> {
    let mut found: Vec<SparsePermutation> = Vec::new();
    let mut known: FxHashSet<Vec<(u32, u32)>> = FxHashSet::default();
    let last = generators.iter().filter_map(|generator| generator.pairs().last()).map(|&(point, _)| point).max();
    let degree = last.map_or(0, |last| last as usize + 1);
    // Looking images up costs less where all of them have room.
    let images = |by: &SparsePermutation| by.to_dense(degree).ok().map(|dense| dense.images().to_vec());
    let dense: Option<Vec<Vec<u32>>> =
        if degree * generators.len() <= MOST_DENSE { generators.iter().map(images).collect() } else { None };
    // The images under the element whose conjugates are made.
    let mut own: Vec<u32> = (0..).take(degree).collect();
    for generator in generators {
        let first = found.len();
        if known.insert(generator.pairs().to_vec()) {
            found.push(generator.clone());
        }
        let mut next = first;
        while next < found.len() && found.len() - first < MOST_CONJUGATES && found.len() < most.min(4 * MOST_CONJUGATES)
        {
            let element = found[next].clone();
            element.pairs().iter().for_each(|&(point, image)| own[point as usize] = image);
            for (number, by) in generators.iter().enumerate() {
                limits::work(8 * element.pairs().len() as u64);
                let by = |point: u32| dense.as_ref().map_or_else(|| by.image(point), |all| all[number][point as usize]);
                // An element that commutes with the generator is its own conjugate.
                if element.pairs().iter().all(|&(point, image)| own[by(point) as usize] == by(image)) {
                    continue;
                }
                let pairs = element.pairs().iter().map(|&(point, image)| (by(point), by(image)));
                let conjugate = SparsePermutation::from_pairs(pairs.collect()).expect("a conjugate is a bijection");
                if known.insert(conjugate.pairs().to_vec()) {
                    found.push(conjugate);
                }
            }
            element.pairs().iter().for_each(|&(point, _)| own[point as usize] = point);
            next += 1;
        }
    }
    found.truncate(most);
    found
}

#[cfg(test)]
mod tests {
    use engine::{RandomSource, SparsePermutation};

    use super::{MOST_CONJUGATES, conjugates};

    /// Generators and their conjugates, each made and looked for.
    fn one_by_one(generators: &[SparsePermutation], most: usize) -> Vec<SparsePermutation> {
        let mut found: Vec<SparsePermutation> = Vec::new();
        for generator in generators {
            let first = found.len();
            if !found.contains(generator) {
                found.push(generator.clone());
            }
            let mut next = first;
            while next < found.len()
                && found.len() - first < MOST_CONJUGATES
                && found.len() < most.min(4 * MOST_CONJUGATES)
            {
                for by in generators {
                    let pairs = found[next].pairs().iter().map(|&(point, image)| (by.image(point), by.image(image)));
                    let conjugate = SparsePermutation::from_pairs(pairs.collect()).expect("a bijection");
                    if !found.contains(&conjugate) {
                        found.push(conjugate);
                    }
                }
                next += 1;
            }
        }
        found.truncate(most);
        found
    }

    #[test]
    fn conjugates_are_those_that_are_made_one_by_one() {
        for seed in 0..200 {
            let mut random = RandomSource::new(seed);
            let degree = 3 + random.below(6);
            let mut generator = || {
                let mut images: Vec<u32> = (0..).take(degree).collect();
                for _ in 0..1 + random.below(3) {
                    let (a, b) = (random.below(degree), random.below(degree));
                    images.swap(a, b);
                }
                SparsePermutation::from_pairs((0..).zip(images).collect()).expect("a bijection")
            };
            let generators: Vec<SparsePermutation> =
                (0..3).map(|_| generator()).filter(|generator| !generator.is_identity()).collect();
            for most in [5, 60] {
                assert_eq!(conjugates(&generators, most), one_by_one(&generators, most), "seed {seed}");
            }
        }
    }
}
