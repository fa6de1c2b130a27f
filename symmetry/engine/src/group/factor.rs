//! One factor of a group: its essential orbits, their shadows, and the action on the essential points.
//!
//! # Invariants
//!
//! `points` are the essential points, ascending; the action is on their places `0..points.len()`. Every moved point is essential or in
//! the image of a shadow. `shadow.map[i]` belongs to `shadow.orbit[i]`, and the maps commute with every element, so the action of an
//! element on essential points determines the element.

use std::sync::OnceLock;

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::Group;
use super::action::Action;
use super::blocks::support_size;
use super::chain::{Images, StabiliserChain, dense};
use super::orbits::{Moves, orbits, shadow_map};
use super::random::RandomSource;
use super::structure::Structure;
use super::{naming, quotients};
use crate::graph::index;
use crate::permutation::SparsePermutation;
use crate::search::{Budget, BudgetExhausted, unlimited};

/// The most orbits tried for a name.
const SHORT_ORBITS: usize = 8;
/// The most short orbits tried together.
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
    known_order: Option<BigUint>,
    /// Found when it is first needed.
    shape: OnceLock<Shape>,
    /// Found when it is first needed, unless it is recognised with the shape.
    action: OnceLock<Action>,
}

/// The essential points of a factor and their shadows.
#[derive(Clone, Debug)]
struct Shape {
    points: Vec<u32>,
    shadows: Vec<Shadow>,
    /// Whether the essential points are one orbit.
    is_transitive: bool,
}

/// The value of a cell, computed within a budget if it is missing.
fn get_or_try_init<T>(
    cell: &OnceLock<T>,
    compute: impl FnOnce() -> Result<T, BudgetExhausted>,
) -> Result<&T, BudgetExhausted> {
    match cell.get() {
        Some(value) => Ok(value),
        None => {
            let value = compute()?;
            Ok(cell.get_or_init(|| value))
        }
    }
}

impl Factor {
    /// The group of these generators, none of which is the identity.
    pub(crate) fn new(generators: Vec<SparsePermutation>, order: Option<&BigUint>) -> Self {
        Self { generators, known_order: order.cloned(), shape: OnceLock::new(), action: OnceLock::new() }
    }

    pub(crate) fn generators(&self) -> &[SparsePermutation] {
        &self.generators
    }

    /// The essential points and shadows; an action that the generators show is recognised in the same computation.
    fn shape(&self, budget: &mut Budget) -> Result<&Shape, BudgetExhausted> {
        get_or_try_init(&self.shape, || {
            let shape = Shape::new(&self.generators, budget)?;
            let local = localise(&shape.points, &self.generators);
            if let Some(known) = Action::recognise(shape.points.len(), &local, shape.is_transitive, budget)? {
                self.action.get_or_init(|| known);
            }
            Ok(shape)
        })
    }

    /// The action of the factor on its essential points.
    fn action(&self, budget: &mut Budget) -> Result<&Action, BudgetExhausted> {
        let shape = self.shape(budget)?;
        get_or_try_init(&self.action, || {
            let local = localise(&shape.points, &self.generators);
            Action::search(shape.points.len(), &local, shape.is_transitive, self.known_order.as_ref(), budget)
        })
    }

    /// Computes all data that methods on elements need.
    pub(crate) fn prepare(&self, budget: &mut Budget) -> Result<(), BudgetExhausted> {
        self.action(budget)?.prepare(budget)
    }

    /// Number of elements.
    pub(crate) fn order(&self, budget: &mut Budget) -> Result<BigUint, BudgetExhausted> {
        if let Some(order) = &self.known_order {
            return Ok(order.clone());
        }
        let action = self.action(budget)?;
        action.prepare(budget)?;
        Ok(action.order())
    }

    /// The name: by recognition, or by the action on a short orbit that is faithful, or by the chain.
    pub(crate) fn structure(&self, budget: &mut Budget) -> Result<Structure, BudgetExhausted> {
        self.shape(budget)?;
        if let Some(action @ (Action::Symmetric(_) | Action::Wreath(_))) = self.action.get() {
            return naming::name(action, budget);
        }
        match self.by_short_orbits(budget)? {
            Some(structure) => Ok(structure),
            None => match self.action(budget)? {
                action @ Action::Classes(_) => {
                    let points = &self.shape(budget)?.points;
                    naming::name_classes(action, points.len(), &localise(points, &self.generators), budget)
                }
                action => naming::name(action, budget),
            },
        }
    }

    /// The name for reports, which also uses the action of the group on blocks and pairs of points.
    pub(crate) fn name(&self, degree: usize, budget: &mut Budget) -> Result<Structure, BudgetExhausted> {
        let structure = self.structure(budget)?;
        if !structure.has_unknown() {
            return Ok(structure);
        }
        let order = self.order(budget)?;
        Ok(quotients::recognise(degree, &self.generators, &order, budget)?.unwrap_or(structure))
    }

    /// The name of the action on the shortest faithful orbit, or union of short orbits, that has one.
    fn by_short_orbits(&self, budget: &mut Budget) -> Result<Option<Structure>, BudgetExhausted> {
        let Some(last) = self.generators.iter().filter_map(|generator| generator.support().last()).max() else {
            return Ok(None);
        };
        let mut orbits = orbits(last as usize + 1, &self.generators);
        if orbits.len() < 2 {
            return Ok(None);
        }
        let all: usize = orbits.iter().map(Vec::len).sum();
        orbits.reverse();
        orbits.dedup_by_key(|orbit| orbit.len());
        orbits.truncate(SHORT_ORBITS);
        let order = self.order(budget)?;
        let mut name = |points: &[u32]| {
            budget.spend(support_size(&self.generators))?;
            let group = Group::from_generators(points.len(), localise(points, &self.generators)).expect("places");
            if group.order_within(budget)? != order {
                return Ok(None);
            }
            let structure = group.structure_within(budget)?;
            Ok((!matches!(structure, Structure::Unknown(_))).then_some(structure))
        };
        for orbit in &orbits {
            if let Some(structure) = name(orbit)? {
                return Ok(Some(structure));
            }
        }
        // A direct product may need one orbit per factor. The union must have fewer points than the present action, or the recursion
        // would not end.
        for count in 2..=orbits.len().min(UNITED_ORBITS) {
            let mut points = orbits[..count].concat();
            points.sort_unstable();
            if points.len() >= all {
                break;
            }
            if let Some(structure) = name(&points)? {
                return Ok(Some(structure));
            }
        }
        Ok(None)
    }

    /// All points moved, ascending.
    pub(crate) fn support(&self) -> Vec<u32> {
        let mut points: Vec<u32> = self.generators.iter().flat_map(SparsePermutation::support).collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    /// Whether the part of `permutation` on the points of this factor is an element.
    pub(crate) fn contains(
        &self,
        permutation: &SparsePermutation,
        budget: &mut Budget,
    ) -> Result<bool, BudgetExhausted> {
        let shape = self.shape(budget)?;
        budget.spend(shape.points.len())?;
        let images = shape.points.iter().map(|&point| shape.place(permutation.image(point)));
        let Some(images) = images.collect::<Option<Images>>() else { return Ok(false) };
        Ok(self.action(budget)?.contains(&images, budget)? && shape.agrees(permutation))
    }

    /// Generators of the stabiliser of a point of this factor.
    pub(crate) fn stabiliser(
        &self,
        point: u32,
        budget: &mut Budget,
    ) -> Result<Vec<SparsePermutation>, BudgetExhausted> {
        let shape = self.shape(budget)?;
        if let Some(place) = shape.essential_place(point) {
            let local = self.action(budget)?.stabiliser(place, budget)?;
            return Ok(local.iter().map(|local| shape.lift(local)).collect());
        }
        // A shadow has several points over each point of its orbit: this case needs all points.
        let points = self.support();
        let place = points.binary_search(&point).expect("a point of the factor");
        let local = localise(&points, &self.generators);
        let order = self.order(budget)?;
        let chain =
            StabiliserChain::new(points.len(), dense(points.len(), &local), &[index(place)], Some(&order), budget)?;
        let global = |images: &Images| {
            let pairs = images.iter().enumerate().map(|(at, &to)| (points[at], points[to as usize])).collect();
            SparsePermutation::trusted(pairs)
        };
        Ok(chain.stabiliser_generators(1).iter().map(global).collect())
    }

    /// Writes a random element into `images`.
    pub(crate) fn write_random(&self, random: &mut RandomSource, images: &mut [u32]) {
        let (shape, action) = unlimited(|budget| Ok((self.shape(budget)?, self.action(budget)?)));
        let local = action.random_element(random);
        for (place, &image) in local.iter().enumerate() {
            images[shape.points[place] as usize] = shape.points[image as usize];
        }
        for shadow in &shape.shadows {
            for (point, &from) in shadow.orbit.iter().zip(&shadow.map) {
                let at = shadow.orbit.binary_search(&images[*point as usize]).expect("orbits are invariant");
                images[from as usize] = shadow.map[at];
            }
        }
    }
}

impl Shape {
    /// Sorts the orbits of generators into essential ones and shadows.
    fn new(generators: &[SparsePermutation], budget: &mut Budget) -> Result<Self, BudgetExhausted> {
        let last = generators.iter().filter_map(|generator| generator.support().last()).max();
        let degree = last.map_or(0, |last| last as usize + 1);
        budget.spend(2 * degree + support_size(generators))?;
        let moves = Moves::new(degree, generators);
        let mut scratch = vec![u32::MAX; degree];
        let mut essential: Vec<Vec<u32>> = Vec::new();
        let mut shadows = Vec::new();
        for orbit in orbits(degree, generators) {
            let mut known = None;
            for other in &essential {
                if let Some(map) = shadow_map(&moves, &mut scratch, other, &orbit, budget)? {
                    known = Some(Shadow { orbit: other.clone(), map });
                    break;
                }
            }
            match known {
                Some(shadow) => shadows.push(shadow),
                None => essential.push(orbit),
            }
        }
        let is_transitive = essential.len() == 1;
        let mut points = essential.concat();
        points.sort_unstable();
        Ok(Self { points, shadows, is_transitive })
    }

    /// Place of an essential point.
    fn place(&self, point: u32) -> Option<u32> {
        self.points.binary_search(&point).ok().map(index)
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
