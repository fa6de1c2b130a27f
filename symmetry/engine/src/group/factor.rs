//! One factor of a group: its essential orbits, their shadows, and the action on the essential points.
//!
//! # Invariants
//!
//! `points` are the essential points, ascending; the action is on their places `0..points.len()`. Every moved point is
//! essential or in the image of a shadow; `shadow.map[i]` belongs to `shadow.orbit[i]`, and the maps commute with every
//! element, so an element is determined by what it does to essential points.

use std::sync::OnceLock;

use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Group;
use super::action::Action;
use super::chain::{Images, StabiliserChain};
use super::naming;
use super::orbits::{Moves, orbits, shadow_map};
use super::random::RandomSource;
use super::structure::Structure;
use crate::graph::index;
use crate::permutation::SparsePermutation;

/// Lengths of orbits tried for a name.
const SHORT_ORBITS: usize = 8;
/// Short orbits tried together.
const UNITED_ORBITS: usize = 4;

/// An orbit whose action is determined by another one.
#[derive(Clone, Debug)]
struct Shadow {
    /// Essential points.
    orbit: Vec<u32>,
    /// Their images.
    map: Vec<u32>,
}

/// A group whose generators are linked by their supports.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    generators: Vec<SparsePermutation>,
    points: Vec<u32>,
    shadows: Vec<Shadow>,
    /// Whether the essential points are one orbit.
    is_transitive: bool,
    known_order: Option<BigUint>,
    /// Found when it is first needed, unless it is recognised at once.
    action: OnceLock<Action>,
}

impl Factor {
    /// The group of these generators, none of which is the identity.
    pub(crate) fn new(degree: usize, generators: Vec<SparsePermutation>, order: Option<&BigUint>) -> Self {
        let moves = Moves::new(degree, &generators);
        let mut scratch = vec![u32::MAX; degree];
        let mut essential: Vec<Vec<u32>> = Vec::new();
        let mut shadows = Vec::new();
        for orbit in orbits(degree, &generators) {
            let known = essential
                .iter()
                .find_map(|other| shadow_map(&moves, &mut scratch, other, &orbit).map(|map| (other.clone(), map)));
            match known {
                Some((orbit, map)) => shadows.push(Shadow { orbit, map }),
                None => essential.push(orbit),
            }
        }
        let is_transitive = essential.len() == 1;
        let mut points = essential.concat();
        points.sort_unstable();
        let action = OnceLock::new();
        if is_transitive && let Some(known) = Action::recognise(points.len(), &localise(&points, &generators)) {
            action.get_or_init(|| known);
        }
        Self { generators, points, shadows, is_transitive, known_order: order.cloned(), action }
    }

    pub(crate) fn generators(&self) -> &[SparsePermutation] {
        &self.generators
    }

    /// What the factor does to its essential points.
    fn action(&self) -> &Action {
        self.action.get_or_init(|| {
            let local = localise(&self.points, &self.generators);
            Action::search(self.points.len(), &local, self.is_transitive, self.known_order.as_ref())
        })
    }

    /// Number of elements.
    pub(crate) fn order(&self) -> BigUint {
        self.known_order.clone().unwrap_or_else(|| self.action().order())
    }

    /// The name: by recognition, or by the action on a short orbit that is faithful, or by the chain.
    pub(crate) fn structure(&self) -> Structure {
        if let Some(action @ (Action::Symmetric(_) | Action::Wreath(_))) = self.action.get() {
            return naming::name(action);
        }
        self.by_short_orbits().unwrap_or_else(|| naming::name(self.action()))
    }

    /// The name of the action on the shortest faithful orbit, or union of short orbits, that has one.
    fn by_short_orbits(&self) -> Option<Structure> {
        let degree = self.support().max()? as usize + 1;
        let mut orbits = orbits(degree, &self.generators);
        if orbits.len() < 2 {
            return None;
        }
        orbits.reverse();
        orbits.dedup_by_key(|orbit| orbit.len());
        orbits.truncate(SHORT_ORBITS);
        let order = self.order();
        let name = |points: &[u32]| {
            let group = Group::from_generators(points.len(), localise(points, &self.generators)).expect("places");
            let structure = (group.order() == order).then(|| group.structure())?;
            (!matches!(structure, Structure::Unknown(_))).then_some(structure)
        };
        let single = orbits.iter().find_map(|orbit| name(orbit));
        // A direct product may need an orbit for each of its factors; fewer points than now, or there is no end.
        let all = self.support().collect::<FxHashSet<u32>>().len();
        single.or_else(|| {
            let unions = (2..=orbits.len().min(UNITED_ORBITS)).map(|count| {
                let mut points = orbits[..count].concat();
                points.sort_unstable();
                points
            });
            unions.take_while(|points| points.len() < all).find_map(|points| name(&points))
        })
    }

    /// All points moved; shadows of several points repeat theirs.
    pub(crate) fn support(&self) -> impl Iterator<Item = u32> + '_ {
        self.points.iter().chain(self.shadows.iter().flat_map(|shadow| &shadow.map)).copied()
    }

    /// Place of an essential point.
    fn place(&self, point: u32) -> Option<u32> {
        self.points.binary_search(&point).ok().map(index)
    }

    /// Whether the part of `permutation` on the points of this factor is an element.
    pub(crate) fn contains(&self, permutation: &SparsePermutation) -> bool {
        let images: Option<Images> = self.points.iter().map(|&point| self.place(permutation.image(point))).collect();
        images.is_some_and(|images| self.action().contains(&images) && self.agrees(permutation))
    }

    /// Whether shadows move as their orbits do.
    fn agrees(&self, permutation: &SparsePermutation) -> bool {
        self.shadows.iter().all(|shadow| {
            shadow.orbit.iter().zip(&shadow.map).all(|(&point, &image)| {
                let at = shadow.orbit.binary_search(&permutation.image(point));
                at.is_ok_and(|at| permutation.image(image) == shadow.map[at])
            })
        })
    }

    /// Generators of the stabiliser of a point of this factor.
    pub(crate) fn stabiliser(&self, point: u32) -> Vec<SparsePermutation> {
        if let Some(place) = self.essential_place(point) {
            return self.action().stabiliser(place).iter().map(|local| self.lift(local)).collect();
        }
        // A shadow with several points over each: work on all points.
        let mut points: Vec<u32> = self.support().collect();
        points.sort_unstable();
        points.dedup();
        let place = points.binary_search(&point).expect("a point of the factor");
        let dense: Vec<Images> = localise(&points, &self.generators)
            .iter()
            .map(|local| local.to_dense(points.len()).expect("places").images().to_vec())
            .collect();
        let chain = StabiliserChain::new(points.len(), &dense, &[index(place)], Some(&self.order()));
        let global = |images: &Images| {
            let pairs = images.iter().enumerate().map(|(at, &to)| (points[at], points[to as usize])).collect();
            SparsePermutation::trusted(pairs)
        };
        chain.stabiliser_generators(1).iter().map(global).collect()
    }

    /// Place of an essential point with the same stabiliser as `point`, if a shadow shows one.
    fn essential_place(&self, point: u32) -> Option<u32> {
        if let Some(place) = self.place(point) {
            return Some(place);
        }
        let shadow = self.shadows.iter().find(|shadow| shadow.map.contains(&point))?;
        let mut over = shadow.orbit.iter().zip(&shadow.map).filter(|(_, image)| **image == point);
        let (first, _) = over.next()?;
        if over.next().is_some() { None } else { self.place(*first) }
    }

    /// The element that acts on essential places like `local`.
    fn lift(&self, local: &SparsePermutation) -> SparsePermutation {
        let global = |place: u32| self.points[place as usize];
        let mut pairs: Vec<(u32, u32)> = local.pairs().iter().map(|&(a, b)| (global(a), global(b))).collect();
        let essential: FxHashMap<u32, u32> = pairs.iter().copied().collect();
        for shadow in &self.shadows {
            for (point, &from) in shadow.orbit.iter().zip(&shadow.map) {
                if let Some(image) = essential.get(point) {
                    let at = shadow.orbit.binary_search(image).expect("orbits are invariant");
                    pairs.push((from, shadow.map[at]));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        SparsePermutation::trusted(pairs)
    }

    /// Writes a random element into `images`.
    pub(crate) fn write_random(&self, random: &mut RandomSource, images: &mut [u32]) {
        let local = self.action().random_element(random);
        for (place, &image) in local.iter().enumerate() {
            images[self.points[place] as usize] = self.points[image as usize];
        }
        for shadow in &self.shadows {
            for (point, &from) in shadow.orbit.iter().zip(&shadow.map) {
                let at = shadow.orbit.binary_search(&images[*point as usize]).expect("orbits are invariant");
                images[from as usize] = shadow.map[at];
            }
        }
    }
}

/// Generators restricted to `points`, as permutations of their places.
pub(crate) fn localise(points: &[u32], generators: &[SparsePermutation]) -> Vec<SparsePermutation> {
    let place = |point: u32| points.binary_search(&point).ok().map(index);
    generators
        .iter()
        .map(|generator| {
            let pairs = generator.pairs().iter();
            let pairs = pairs.filter_map(|&(from, to)| Some((place(from)?, place(to)?))).collect();
            SparsePermutation::trusted(pairs)
        })
        .collect()
}
