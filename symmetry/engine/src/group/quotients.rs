//! Recognises a group by its action on other sets: on an orbit, on blocks of the orbit, on pairs of points, and on blocks of pairs.
//!
//! Each of these actions is the image of a homomorphism. If an image has the order of the group, it is isomorphic to the group. If the
//! group acts faithfully on several of them together and the product of their orders is that of the group, the group is their direct
//! product. This finds the hypercube as `S2 wr S5` on the ends of its axes, which are blocks of its edges. It finds clients that are
//! assigned to servers as the product of the action on clients and that on servers, though no orbit shows both.
//!
//! # Soundness
//!
//! Blocks are classes of invariant partitions, so that the maps to the actions are homomorphisms; orders come from chains that are
//! verified. An injective map into a product of the same order is onto.
//!
//! # Complexity
//!
//! A bounded number of orbits, pairs and images; meant for reports, not for searches.

use std::collections::{HashSet, VecDeque};

use num_bigint::BigUint;

use super::Group;
use super::blocks::congruence;
use super::orbits::orbits;
use super::structure::Structure;
use crate::graph::index;
use crate::permutation::SparsePermutation;
use crate::search::{Budget, BudgetExhausted};

/// The most orbits that are examined, shortest first.
const MAX_ORBITS: usize = 24;
/// The most points of an orbit.
const MAX_DEGREE: usize = 1 << 10;
/// The most pairs of points: naming must not take longer than finding the group.
const MAX_PAIRS: usize = 1 << 8;
/// The most images that are kept.
const MAX_IMAGES: usize = 48;
/// The most factors of a direct product.
const MAX_FACTORS: usize = 4;
/// The most combinations of images that are tried.
const MAX_TRIED: usize = 4_000;

/// Generators of an image, in the order of those of the group, on points `0..degree`.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Image {
    degree: usize,
    generators: Vec<SparsePermutation>,
}

/// An image that has a name.
struct Named {
    image: Image,
    order: BigUint,
    structure: Structure,
}

/// The isomorphism type of a group of this order, if some image or product of images shows it.
///
/// # Errors
///
/// When the budget is exhausted.
pub(super) fn recognise(
    degree: usize,
    generators: &[SparsePermutation],
    order: &BigUint,
    budget: &mut Budget,
) -> Result<Option<Structure>, BudgetExhausted> {
    let mut short = orbits(degree, generators);
    short.reverse();
    short.retain(|orbit| orbit.len() <= MAX_DEGREE);
    short.truncate(MAX_ORBITS);
    let on_orbits: Vec<Image> = short.iter().map(|orbit| restricted(orbit, generators)).collect();
    let mut found = Search { order, seen: HashSet::new(), named: Vec::new() };
    if let Some(structure) = found.add_or_product(on_orbits.clone(), budget)? {
        return Ok(Some(structure));
    }
    let mut pairs: Vec<Image> = Vec::new();
    for image in &on_orbits {
        pairs.extend(on_pairs(image, budget)?);
    }
    pairs.sort_by_key(|image| image.degree);
    for image in pairs {
        if let Some(structure) = found.add_or_product(vec![image], budget)? {
            return Ok(Some(structure));
        }
    }
    Ok(None)
}

/// The images chosen for a product, and the cost of the choice so far.
struct Attempt<'a> {
    chosen: Vec<usize>,
    tried: usize,
    budget: &'a mut Budget,
}

struct Search<'a> {
    order: &'a BigUint,
    seen: HashSet<Image>,
    named: Vec<Named>,
}

impl Search<'_> {
    /// Examines more images, each by itself and together with earlier ones.
    fn add_or_product(
        &mut self,
        images: Vec<Image>,
        budget: &mut Budget,
    ) -> Result<Option<Structure>, BudgetExhausted> {
        match self.add(images, budget)? {
            Some(structure) => Ok(Some(structure)),
            None => self.product(budget),
        }
    }

    /// Examines transitive images and their actions on blocks; returns the name of the first that is faithful.
    fn add(&mut self, images: Vec<Image>, budget: &mut Budget) -> Result<Option<Structure>, BudgetExhausted> {
        let mut pending: VecDeque<Image> = images.into();
        while let Some(image) = pending.pop_front() {
            if self.seen.len() >= MAX_IMAGES || !self.seen.insert(image.clone()) {
                continue;
            }
            let group = image.group();
            let (order, structure) = (group.order_within(budget)?, group.structure_within(budget)?);
            if !matches!(structure, Structure::Trivial) && !structure.has_unknown() {
                if order == *self.order {
                    return Ok(Some(structure));
                }
                self.named.push(Named { image: image.clone(), order, structure });
            }
            pending.extend(on_blocks(&image, budget)?);
        }
        Ok(None)
    }

    /// A direct product of images.
    fn product(&self, budget: &mut Budget) -> Result<Option<Structure>, BudgetExhausted> {
        let mut attempt = Attempt { chosen: Vec::new(), tried: 0, budget };
        for count in 2..=MAX_FACTORS {
            if self.named.len() < count {
                break;
            }
            if let Some(structure) = self.extend(&mut attempt, 0, count)? {
                return Ok(Some(structure));
            }
        }
        Ok(None)
    }

    fn extend(
        &self,
        attempt: &mut Attempt<'_>,
        from: usize,
        count: usize,
    ) -> Result<Option<Structure>, BudgetExhausted> {
        let named = attempt.chosen.iter().map(|&place| &self.named[place]);
        let product: BigUint = named.clone().map(|named| &named.order).product();
        attempt.tried += 1;
        if product > *self.order || attempt.tried > MAX_TRIED {
            return Ok(None);
        }
        if count == 0 {
            let images: Vec<&Image> = named.clone().map(|named| &named.image).collect();
            if product != *self.order || together(&images).group().order_within(attempt.budget)? != *self.order {
                return Ok(None);
            }
            return Ok(Some(Structure::product(named.map(|named| named.structure.clone()).collect())));
        }
        for next in from..self.named.len() {
            attempt.chosen.push(next);
            let found = self.extend(attempt, next + 1, count - 1)?;
            attempt.chosen.pop();
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

impl Image {
    fn group(&self) -> Group {
        Group::from_generators(self.degree, self.generators.clone()).expect("images are in range")
    }
}

/// The action of the generators on an invariant set of points, ascending.
fn restricted(points: &[u32], generators: &[SparsePermutation]) -> Image {
    let place = |point: u32| points.binary_search(&point).ok().map(index);
    let local = |generator: &SparsePermutation| {
        let pairs = generator.pairs().iter().filter_map(|&(from, to)| Some((place(from)?, place(to)?)));
        SparsePermutation::trusted(pairs.collect())
    };
    Image { degree: points.len(), generators: generators.iter().map(local).collect() }
}

/// The actions of a transitive image on the blocks of its least systems, smallest first.
fn on_blocks(image: &Image, budget: &mut Budget) -> Result<Vec<Image>, BudgetExhausted> {
    let mut firsts: HashSet<Vec<u32>> = HashSet::new();
    let mut found = Vec::new();
    // Points in one orbit of the stabiliser of a point give the same blocks.
    let least = image.group().stabiliser_within(0, budget)?.orbits();
    for point in (1..index(image.degree)).filter(|&point| least[point as usize] == point) {
        let blocks = congruence(image.degree, &image.generators, &[0, point], budget)?.classes();
        if blocks.len() < 2 || !firsts.insert(blocks[0].clone()) {
            continue;
        }
        let mut block_of = vec![0; image.degree];
        for (number, block) in (0..).zip(&blocks) {
            block.iter().for_each(|&point| block_of[point as usize] = number);
        }
        let moved = |generator: &SparsePermutation| {
            let targets = blocks.iter().map(|block| block_of[generator.image(block[0]) as usize]);
            SparsePermutation::trusted((0..).zip(targets).collect())
        };
        found.push(Image { degree: blocks.len(), generators: image.generators.iter().map(moved).collect() });
    }
    found.sort_by_key(|image| image.degree);
    Ok(found)
}

/// The actions of a transitive image on pairs of points, one per orbit of few pairs.
fn on_pairs(image: &Image, budget: &mut Budget) -> Result<Vec<Image>, BudgetExhausted> {
    let rest = image.group().stabiliser_within(0, budget)?;
    let mut firsts: Vec<(usize, u32)> = orbits(image.degree, rest.generators())
        .iter()
        .map(|orbit| (orbit.len(), orbit[0]))
        .filter(|&(len, _)| len * image.degree <= MAX_PAIRS)
        .collect();
    firsts.sort_unstable();
    Ok(firsts.iter().map(|&(_, other)| pairs_from(image, other)).collect())
}

/// The action of an image on the orbit of the pair of point 0 and `other`.
fn pairs_from(image: &Image, other: u32) -> Image {
    let mut pairs = vec![(0, other)];
    let mut known: HashSet<(u32, u32)> = pairs.iter().copied().collect();
    let mut next = 0;
    while let Some(&(one, two)) = pairs.get(next) {
        for generator in &image.generators {
            let moved = (generator.image(one), generator.image(two));
            if known.insert(moved) {
                pairs.push(moved);
            }
        }
        next += 1;
    }
    debug_assert!(pairs.iter().all(|&(one, two)| one.max(two) < index(image.degree)), "pairs of points");
    pairs.sort_unstable();
    let place = |pair: (u32, u32)| index(pairs.binary_search(&pair).expect("pairs are closed"));
    let moved = |generator: &SparsePermutation| {
        let targets = pairs.iter().map(|&(one, two)| place((generator.image(one), generator.image(two))));
        SparsePermutation::trusted((0..).zip(targets).collect())
    };
    Image { degree: pairs.len(), generators: image.generators.iter().map(moved).collect() }
}

/// The action on the disjoint union of several images.
fn together(images: &[&Image]) -> Image {
    let count = images.first().map_or(0, |image| image.generators.len());
    let mut generators: Vec<Vec<(u32, u32)>> = vec![Vec::new(); count];
    let mut degree = 0;
    for image in images {
        let shift = index(degree);
        assert_eq!(image.generators.len(), count, "one image per generator");
        for (pairs, generator) in generators.iter_mut().zip(&image.generators) {
            debug_assert!(
                generator.support().all(|point| (point as usize) < image.degree),
                "a generator moves points of its image"
            );
            pairs.extend(generator.pairs().iter().map(|&(from, to)| (from + shift, to + shift)));
        }
        degree += image.degree;
    }
    Image { degree, generators: generators.into_iter().map(SparsePermutation::trusted).collect() }
}
