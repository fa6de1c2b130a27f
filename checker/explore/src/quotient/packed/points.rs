//! The objects of a group: points that it permutes in all ways, each sort of them on its own, such that together they determine its elements.
//!
//! First the orbits of the points are tried. Objects that no literal names alone are no orbit: servers that only occur together with clients,
//! as places for each pair of them. They are *blocks*: the literals that name one server go to those that name one other. So blocks of the
//! orbits are tried next, as additional points of the group: the finest partition that every element keeps and that has some two points in
//! one class.
//!
//! Invariants: the group that is returned acts on the points of the one that was given as that one does, and on blocks as it acts on their
//! points.
//!
//! Soundness: the action on the objects has as many elements as all permutations of all sorts, and as the group. Which partitions were tried
//! does not matter.
//!
//! Complexity: the order of the action on the objects, for each try; for a partition, the points of the orbit times the generators.
//!
//! Source: \[Seress03\] 5.5, for blocks.

use engine::{Budget, Group, SparsePermutation, UnionFind};
use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most sets of points that are tried as the objects of a sort.
const MOST_TRIES: usize = 24;

/// The most objects of a sort.
const MOST_OBJECTS: usize = 1 << 10;

/// The most points of an orbit whose blocks are tried.
const MOST_POINTS: usize = 1 << 13;

mutants::mutants! {
    /// Objects that are known to be too few.
    pub(super) struct Wrong {
        /// Any sort of objects is enough, whether or not it determines the elements.
        takes_some_objects,
    }
}

/// The objects that were found so far.
struct Found {
    /// The sorts.
    sorts: Vec<Vec<u32>>,
    /// All permutations of all sorts.
    product: BigUint,
    order: BigUint,
    wrong: Wrong,
}

impl Found {
    /// Whether the objects determine the elements.
    fn is_complete(&self) -> bool {
        self.product == self.order || self.wrong.takes_some_objects() && !self.sorts.is_empty()
    }

    /// Adds points, if the group acts on them and on the objects so far in all ways.
    fn try_points(&mut self, group: &Group, points: Vec<u32>) {
        let more = &self.product * factorial(points.len());
        if more > self.order {
            return;
        }
        let union: Vec<u32> = self.sorts.iter().flatten().chain(&points).copied().collect();
        if action(group, &union).order() == more {
            self.sorts.push(points);
            self.product = more;
        }
    }
}

/// The number of permutations of so many objects.
pub(super) fn factorial(count: usize) -> BigUint {
    (1..=count).map(BigUint::from).product()
}

/// A permutation of some points by their places.
fn local(generator: &SparsePermutation, places: &FxHashMap<u32, u32>) -> SparsePermutation {
    limits::work(generator.pairs().len() as u64);
    let pairs = generator.pairs().iter().filter_map(|(from, to)| Some((*places.get(from)?, *places.get(to)?)));
    SparsePermutation::from_pairs(pairs.collect()).expect("an action on a union of orbits")
}

/// The places of points in a list.
fn places(points: &[u32]) -> FxHashMap<u32, u32> {
    points.iter().copied().zip(0..).collect()
}

/// The action of a group on some of its points, by their places.
fn action(group: &Group, points: &[u32]) -> Group {
    let places = places(points);
    let generators = group.generators().iter().map(|generator| local(generator, &places)).collect();
    Group::from_generators(points.len(), generators).expect("places of points")
}

/// The points that are permuted in all ways, sort by sort, by exactly one element for each way, and the group on its points and on those
/// that were added for blocks.
pub(super) fn sorts(group: &Group, wrong: Wrong) -> Option<(Group, Vec<Vec<u32>>)> {
    let order = group.order();
    let mut found = Found { sorts: Vec::new(), product: BigUint::from(1u32), order, wrong };
    let orbits = orbits(group);
    let mut sizes: FxHashMap<usize, bool> = FxHashMap::default();
    let mut fits = |size: usize, order: &BigUint| {
        (2..=MOST_OBJECTS).contains(&size) && *sizes.entry(size).or_insert_with(|| factorial(size) <= *order)
    };
    let whole: Vec<&Vec<u32>> = orbits.iter().filter(|orbit| fits(orbit.len(), &found.order)).collect();
    for orbit in whole.into_iter().take(MOST_TRIES) {
        found.try_points(group, orbit.clone());
        if found.is_complete() {
            return Some((group.clone(), found.sorts));
        }
    }
    let mut group = group.clone();
    for orbit in orbits.iter().filter(|orbit| orbit.len() <= MOST_POINTS).take(MOST_TRIES) {
        for blocks in partitions(&group, orbit) {
            let count = blocks.iter().copied().max().map_or(0, |last| last as usize + 1);
            assert!(orbit.len().is_multiple_of(count), "the classes of a partition that a group keeps have one size");
            if fits(count, &found.order) && count < orbit.len() {
                let first = u32::try_from(group.degree()).expect("points have 32 bits");
                let with_blocks = with_blocks(&group, orbit, &blocks);
                let sorts = found.sorts.len();
                found.try_points(&with_blocks, (first..).take(count).collect());
                if found.sorts.len() > sorts {
                    group = with_blocks;
                }
                if found.is_complete() {
                    return Some((group, found.sorts));
                }
            }
        }
    }
    None
}

/// The orbits, the largest first: a group may act on few points by the signs of its permutations. Of orbits of one length on which each
/// generator moves as many points there is one: they mostly are the same objects.
fn orbits(group: &Group) -> Vec<Vec<u32>> {
    let mut orbits = group.moved_orbits();
    orbits.sort_by_key(|orbit| (std::cmp::Reverse(orbit.len()), orbit[0]));
    let mut tried = FxHashSet::default();
    orbits.retain(|orbit| {
        let own: FxHashSet<u32> = orbit.iter().copied().collect();
        let moved = |generator: &SparsePermutation| {
            limits::work(generator.pairs().len() as u64);
            generator.support().filter(|point| own.contains(point)).count()
        };
        tried.insert((orbit.len(), group.generators().iter().map(moved).collect::<Vec<_>>()))
    });
    orbits
}

/// The finest partitions of an orbit that the group keeps and that have the first point and another one in one class, by place the number
/// of the class: one for each orbit of the elements that keep the first point.
fn partitions(group: &Group, orbit: &[u32]) -> Vec<Vec<u32>> {
    let places = places(orbit);
    let on_orbit = action(group, orbit);
    let Ok(strong) = on_orbit.strong_generators_within(&[0], &mut Budget::unlimited()) else { return Vec::new() };
    let mut others = UnionFind::of_orbits(orbit.len(), &strong.stabiliser_generators(1));
    let generators: Vec<SparsePermutation> = group.generators().iter().map(|own| local(own, &places)).collect();
    let firsts: FxHashMap<u32, u32> = (1..).take(orbit.len() - 1).map(|place| (others.find(place), place)).collect();
    let mut firsts: Vec<u32> = firsts.into_values().collect();
    firsts.sort_unstable();
    let partition = |other: u32| {
        let mut classes = UnionFind::new(orbit.len());
        let mut pairs = vec![(0, other)];
        while let Some((a, b)) = pairs.pop() {
            if classes.union(a, b) {
                limits::work(generators.len() as u64);
                pairs.extend(generators.iter().map(|generator| (generator.image(a), generator.image(b))));
            }
        }
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut number = |place: u32| {
            let next = u32::try_from(numbers.len()).expect("places have 32 bits");
            *numbers.entry(classes.find(place)).or_insert(next)
        };
        (0..).take(orbit.len()).map(&mut number).collect()
    };
    firsts.into_iter().take(MOST_TRIES).map(partition).collect()
}

/// A group with the classes of points of an orbit, which it keeps, as additional points.
fn with_blocks(group: &Group, orbit: &[u32], blocks: &[u32]) -> Group {
    let degree = u32::try_from(group.degree()).expect("points have 32 bits");
    let places = places(orbit);
    let count = blocks.iter().copied().max().map_or(0, |last| last as usize + 1);
    let block = |point: u32| degree + blocks[places[&point] as usize];
    let generators = group.generators().iter().map(|generator| {
        let mut pairs = generator.pairs().to_vec();
        let moved = generator.pairs().iter().filter(|(from, _)| places.contains_key(from));
        let moved: FxHashMap<u32, u32> = moved.map(|&(from, to)| (block(from), block(to))).collect();
        pairs.extend(moved.into_iter().filter(|(from, to)| from != to));
        limits::work(pairs.len() as u64);
        SparsePermutation::from_pairs(pairs).expect("an element takes blocks to blocks")
    });
    let generators: Vec<SparsePermutation> = generators.collect();
    for (own, extended) in group.generators().iter().zip(&generators) {
        assert!(
            orbit.iter().all(|&point| extended.image(block(point)) == block(own.image(point))),
            "an element takes the points of a block to those of one block"
        );
    }
    Group::from_generators(group.degree() + count, generators).expect("points and blocks")
}
