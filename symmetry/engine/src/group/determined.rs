//! Points that determine others: a group is studied by its action on few of them, or on few blocks of them.
//!
//! All permutations of 50 processors act on the 2,450 ordered pairs of two. A chain of stabilisers on the pairs is proved by tens of
//! thousands of sifts; the action on the 50 blocks of pairs with one first member is recognised at once. This module chooses *columns*:
//! orbits of points, or blocks of orbits, as few as it finds. It computes for each point and column their *relation*, the orbit of the
//! two together under the group. A point is determined when no other point has its relations to all columns.
//!
//! # Invariants
//!
//! `relations[x * columns + a]` is the relation of point `x` and column `a`; `relation(x, a) = relation(y, b)` if and only if some
//! element takes `x` to `y` and `a` to `b`. No two points have the same row. Each column has a point in it, and each set of columns
//! is an orbit or an invariant partition of one, so that the group acts on the columns.
//!
//! # Soundness
//!
//! An element that fixes all columns takes each point to one with the same row, which is the point itself. So the action on the columns,
//! the *top*, is faithful, and has the order of the group. A permutation is an element if and only if it acts on the columns, by its
//! points in them, as an element of the top, and keeps all relations: the element with that action then takes each point to one whose row
//! is that of the point's image, which is the image. The elements that fix a point fix each column whose relation to it occurs once in
//! its row; where the elements that fix these columns are as many as orbit and order demand, they are the stabiliser.
//!
//! # Complexity
//!
//! For each set of columns that is tried, the supports of the generators times the columns, and those on the columns times the points, at
//! most [`MOST_WORK`] together; then the cost of the top.
//!
//! # Source
//!
//! \[Seress03\] 5.5, for blocks. Relations are the orbitals of permutation groups, between two orbits.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Group;
use super::blocks::{congruence, support_size};
use super::chain::{Images, StabiliserChain, dense};
use super::orbits::orbits;
use super::random::RandomSource;
use crate::graph::index;
use crate::permutation::SparsePermutation;
use crate::search::{Budget, BudgetExhausted};
use crate::union_find::UnionFind;

/// The fewest points for which columns are looked for: below, chains cost little.
const LEAST_DEGREE: usize = 64;
/// The most relations.
const MOST_CELLS: usize = 1 << 22;
/// The most steps for relations.
const MOST_WORK: usize = 1 << 27;
/// The most generators of small supports that suggest blocks, and the most of large ones.
const SUGGESTIONS: usize = 8;
/// The most pairs of a point and its image by which a generator suggests blocks.
const PAIRS: usize = 4;
/// The most partitions that are suggested.
const MOST_SUGGESTED: usize = 128;
/// The most orbits that are tried whole, and the most of which blocks are tried.
const MOST_ORBITS: usize = 16;

/// A set of columns: a partition of an orbit that the group keeps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct System {
    /// For each point of the orbit its class; `u32::MAX` elsewhere.
    class_of: Vec<u32>,
    /// A point of each class.
    members: Vec<u32>,
}

/// A group on `0..degree` with columns that determine all points.
#[derive(Clone, Debug)]
pub(crate) struct DeterminedAction {
    degree: usize,
    generators: Vec<SparsePermutation>,
    /// Their columns are numbered through.
    systems: Vec<System>,
    /// The number of columns.
    columns: usize,
    relations: Vec<u32>,
    /// The group on the columns.
    pub(crate) top: Group,
}

impl System {
    /// The classes of a partition on an orbit.
    fn new(degree: usize, orbit: &[u32], least: &[u32]) -> Self {
        let mut class_of = vec![u32::MAX; degree];
        let mut members = Vec::new();
        for &point in orbit {
            let first = least[point as usize];
            if first == point {
                class_of[point as usize] = index(members.len());
                members.push(point);
            } else {
                class_of[point as usize] = class_of[first as usize];
            }
        }
        debug_assert!(orbit.iter().all(|&point| class_of[point as usize] != u32::MAX), "least members come first");
        Self { class_of, members }
    }

    /// Where a permutation takes the classes, by the points that stand for them; nothing if it takes one elsewhere.
    fn images(&self, image: impl Fn(u32) -> u32) -> Option<Vec<u32>> {
        let classes = self.members.iter().map(|&member| self.class_of[image(member) as usize]);
        let images: Vec<u32> = classes.collect();
        images.iter().all(|&class| class != u32::MAX).then_some(images)
    }
}

/// The most columns: so few that the top costs less than the action on the points.
fn most_columns(degree: usize) -> usize {
    (degree - degree.div_ceil(4)).min(MOST_CELLS / degree)
}

/// Orbits that may be columns, the shortest first.
fn whole_orbits(degree: usize, orbits: &[Vec<u32>]) -> Vec<System> {
    let singletons: Vec<u32> = (0..index(degree)).collect();
    let fitting = orbits.iter().rev().filter(|orbit| orbit.len() <= most_columns(degree));
    fitting.take(MOST_ORBITS).map(|orbit| System::new(degree, orbit, &singletons)).collect()
}

/// Blocks of orbits that may be columns, by number of classes.
fn blocks_of_orbits(
    degree: usize,
    generators: &[SparsePermutation],
    orbits: &[Vec<u32>],
    budget: &mut Budget,
) -> Result<Vec<System>, BudgetExhausted> {
    let mut by_support: Vec<&SparsePermutation> = generators.iter().collect();
    by_support.sort_by_key(|generator| generator.pairs().len());
    if by_support.len() > 2 * SUGGESTIONS {
        by_support.drain(SUGGESTIONS..by_support.len() - SUGGESTIONS);
    }
    let cost = degree + support_size(generators);
    let mut left = (MOST_WORK / 8 / cost).min(MOST_SUGGESTED);
    let mut blocks = FxHashSet::default();
    for orbit in orbits.iter().filter(|orbit| orbit.len() > 2).take(MOST_ORBITS) {
        for generator in &by_support {
            let moved = generator.pairs().iter().filter(|pair| orbit.binary_search(&pair.0).is_ok());
            for &(point, image) in moved.take(PAIRS.min(left)) {
                left -= 1;
                let least = congruence(degree, generators, &[point, image], budget)?.least_members();
                let system = System::new(degree, orbit, &least);
                if (2..=most_columns(degree)).contains(&system.members.len()) {
                    blocks.insert(system);
                }
            }
        }
    }
    let mut blocks: Vec<System> = blocks.into_iter().collect();
    blocks.sort_by(|a, b| (a.members.len(), &a.class_of).cmp(&(b.members.len(), &b.class_of)));
    Ok(blocks)
}

/// The relations of all points with the classes of a system, row by row.
fn relations(system: &System, degree: usize, generators: &[SparsePermutation]) -> Vec<u32> {
    let width = system.members.len();
    let cell = |point: u32, class: u32| point * index(width) + class;
    limits::reserve((4 * size_of::<u32>() * degree * width) as u64);
    let mut cells = UnionFind::new(degree * width);
    for generator in generators {
        let images = system.images(|point| generator.image(point)).expect("the group keeps the partition");
        for &(point, image) in generator.pairs() {
            (0..).zip(&images).for_each(|(class, &to)| {
                cells.union(cell(point, class), cell(image, to));
            });
        }
        let moved: Vec<(u32, u32)> = (0..).zip(images.iter().copied()).filter(|(from, to)| from != to).collect();
        let mut support = generator.support().peekable();
        for point in 0..index(degree) {
            if support.next_if_eq(&point).is_none() {
                moved.iter().for_each(|&(from, to)| {
                    cells.union(cell(point, from), cell(point, to));
                });
            }
        }
    }
    cells.least_members()
}

/// The columns that were chosen so far.
struct Search<'a> {
    degree: usize,
    generators: &'a [SparsePermutation],
    /// A number for each point; points have the same if and only if they have the same relations to all columns.
    rows: Vec<u32>,
    /// How many different rows there are.
    different: usize,
    /// The columns with their relations.
    kept: Vec<(System, Vec<u32>)>,
    work: usize,
}

impl Search<'_> {
    /// Adds the systems that tell more points apart; whether all are told apart.
    fn add(&mut self, systems: Vec<System>, budget: &mut Budget) -> Result<bool, BudgetExhausted> {
        for system in systems {
            let width = system.members.len();
            let all: usize = self.kept.iter().map(|(system, _)| system.members.len()).sum();
            let cost = (support_size(self.generators) + self.degree + self.generators.len()) * width;
            if all + width > most_columns(self.degree) || self.work + cost > MOST_WORK {
                continue;
            }
            self.work += cost;
            budget.spend(cost)?;
            let relations = relations(&system, self.degree, self.generators);
            let (rows, different) = refined(&self.rows, &relations, width);
            if different > self.different {
                (self.rows, self.different) = (rows, different);
                self.kept.push((system, relations));
            }
            if different == self.degree {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl DeterminedAction {
    /// Looks for columns that determine all points, where a chain of stabilisers would cost much.
    pub(crate) fn recognise(
        degree: usize,
        generators: &[SparsePermutation],
        budget: &mut Budget,
    ) -> Result<Option<Self>, BudgetExhausted> {
        // The order of a cyclic group is seen from its generator.
        if degree < LEAST_DEGREE || generators.len() < 2 {
            return Ok(None);
        }
        Self::search(degree, generators, budget)
    }

    /// As `recognise`, for any degree.
    fn search(
        degree: usize,
        generators: &[SparsePermutation],
        budget: &mut Budget,
    ) -> Result<Option<Self>, BudgetExhausted> {
        let orbits = orbits(degree, generators);
        let mut found = Search { degree, generators, rows: vec![0; degree], different: 1, kept: Vec::new(), work: 0 };
        if !found.add(whole_orbits(degree, &orbits), budget)? {
            let blocks = blocks_of_orbits(degree, generators, &orbits, budget)?;
            if !found.add(blocks, budget)? {
                return Ok(None);
            }
        }
        Ok(Some(Self::of_systems(degree, generators, found.kept)))
    }

    /// The action on columns, which have to determine all points.
    fn of_systems(degree: usize, generators: &[SparsePermutation], systems: Vec<(System, Vec<u32>)>) -> Self {
        let columns = systems.iter().map(|(system, _)| system.members.len()).sum();
        let mut all = Vec::with_capacity(columns * degree);
        for point in 0..degree {
            let mut first = 0;
            for (system, relations) in &systems {
                let width = system.members.len();
                // Relations with columns of different systems are different.
                all.extend(relations[point * width..][..width].iter().map(|relation| first + relation));
                first += index(degree * width);
            }
        }
        let systems: Vec<System> = systems.into_iter().map(|(system, _)| system).collect();
        let mut action = Self {
            degree,
            generators: generators.to_vec(),
            systems,
            columns,
            relations: all,
            top: Group::from_generators(0, Vec::new()).expect("no generators"),
        };
        let on_columns = generators
            .iter()
            .map(|generator| action.on_columns(|point| generator.image(point)).expect("elements permute the columns"));
        let top = Group::from_generators(columns, on_columns.collect()).expect("columns are in range");
        action.top = top;
        action
    }

    fn row(&self, point: u32) -> &[u32] {
        &self.relations[point as usize * self.columns..][..self.columns]
    }

    /// What a permutation of the points does to the columns; nothing if it does not permute them.
    fn on_columns(&self, image: impl Fn(u32) -> u32) -> Option<SparsePermutation> {
        let mut pairs = Vec::new();
        let mut first = 0;
        for system in &self.systems {
            pairs.extend((first..).zip(system.images(&image)?.into_iter().map(|class| first + class)));
            first += index(system.members.len());
        }
        SparsePermutation::from_pairs(pairs).ok()
    }

    /// Whether a permutation of the points is an element.
    pub(crate) fn contains(&self, images: &[u32], budget: &mut Budget) -> Result<bool, BudgetExhausted> {
        let Some(on_columns) = self.on_columns(|point| images[point as usize]) else { return Ok(false) };
        if !self.top.contains_within(&on_columns, budget)? {
            return Ok(false);
        }
        budget.spend(self.relations.len())?;
        let to: Images = (0..index(self.columns)).map(|column| on_columns.image(column)).collect();
        Ok((0..).zip(images).all(|(point, &image)| {
            let (own, other) = (self.row(point), self.row(image));
            own.iter().zip(&to).all(|(&relation, &column)| relation == other[column as usize])
        }))
    }

    /// Points by their rows.
    fn by_row(&self) -> FxHashMap<&[u32], u32> {
        (0..index(self.degree)).map(|point| (self.row(point), point)).collect()
    }

    /// The element that acts on the columns like `top`, by images.
    fn lift(&self, by_row: &FxHashMap<&[u32], u32>, top: &SparsePermutation) -> Images {
        let back: Images = top.inverse().to_dense(self.columns).expect("columns").into_images();
        let image = |point: u32| {
            let own = self.row(point);
            let row: Vec<u32> = back.iter().map(|&column| own[column as usize]).collect();
            by_row[&row[..]]
        };
        (0..index(self.degree)).map(image).collect()
    }

    /// Generators of the stabiliser of a point: from columns that it fixes, where these show all of it, or else by a chain.
    pub(crate) fn stabiliser(&self, point: u32, budget: &mut Budget) -> Result<Vec<Images>, BudgetExhausted> {
        let own = self.row(point);
        let mut times: FxHashMap<u32, u32> = FxHashMap::default();
        own.iter().for_each(|&relation| *times.entry(relation).or_default() += 1);
        let mut fixing = self.top.clone();
        for (column, relation) in (0..).zip(own) {
            if times[relation] == 1 {
                fixing = fixing.stabiliser_within(column, budget)?;
            }
        }
        let order = self.top.order_within(budget)?;
        budget.spend(support_size(&self.generators))?;
        let least = UnionFind::of_orbits(self.degree, &self.generators).least_members();
        let orbit = least.iter().filter(|&&other| other == least[point as usize]).count();
        if fixing.order_within(budget)? * orbit == order {
            budget.spend((1 + fixing.generators().len()) * self.relations.len())?;
            let by_row = self.by_row();
            return Ok(fixing.generators().iter().map(|generator| self.lift(&by_row, generator)).collect());
        }
        let generators = dense(self.degree, &self.generators);
        let chain = StabiliserChain::new(self.degree, generators, &[point], Some(&order), budget)?;
        Ok(chain.stabiliser_generators(1))
    }

    /// A uniformly random element.
    pub(crate) fn random_element(&self, random: &mut RandomSource) -> Images {
        self.lift(&self.by_row(), &self.top.random_element(random).to_sparse())
    }
}

/// Colours of points by their colours so far and their relations to further columns, and the number of colours.
fn refined(rows: &[u32], relations: &[u32], width: usize) -> (Vec<u32>, usize) {
    let mut colours: FxHashMap<(u32, &[u32]), u32> = FxHashMap::default();
    let finer = rows.iter().zip(relations.chunks_exact(width)).map(|(&colour, row)| {
        let next = index(colours.len());
        *colours.entry((colour, row)).or_insert(next)
    });
    (finer.collect(), colours.len())
}

#[cfg(test)]
mod tests;
