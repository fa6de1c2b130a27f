//! The stabiliser chain of a path, level by level from the leaf up.
//!
//! At level `k` all generators found so far fix the base points before `k`; union-find joins their orbits. The search tries every vertex
//! of the target cell that is not yet in the orbit of the base point, one per orbit: either an automorphism maps the base point to it, or
//! no vertex of that orbit is an image. When the level is done, the orbit of its base point is exact, and the order of the group is the
//! product of the orbits.
//!
//! # Complexity
//!
//! At most one search for an image per generator and refuted orbit.

use num_bigint::BigUint;
use rustc_hash::FxHashSet;

use crate::graph::Graph;
use crate::partition::{Partition, Refiner, Trace};
use crate::union_find::UnionFind;

use super::difference::Difference;
use super::experiments::CREDIT;
use super::images::{Certify, Goal, PRUNED};
use super::known::Known;
use super::{Budget, ImageSearch, Level, Outcome, Path};

/// The number of nodes, in addition to one path per choice, before another path is tried.
const PATIENCE: u64 = 256;
/// The same for the first carefully chosen path.
const CAREFUL_PATIENCE: u64 = 1 << 11;
/// The factor by which patience grows from one path to the next.
const PATIENCE_GROWTH: u64 = 4;

/// A path with the state in which it was recorded.
pub(crate) struct RecordedPath {
    pub(crate) path: Path,
    pub(crate) trace: Trace,
    /// Discrete.
    pub(crate) partition: Partition,
    pub(crate) refiner: Refiner,
}

impl RecordedPath {
    /// Records the first path of a graph under an equitable partition by its colours.
    pub(crate) fn new(graph: &Graph) -> Self {
        let mut partition = Partition::by_colours(graph.colours());
        let mut refiner = Refiner::new(graph.len());
        let mut trace = Trace::default();
        let path = Path::descend(graph, &mut partition, &mut refiner, &mut trace);
        Self { path, trace, partition, refiner }
    }

    /// As [`Self::new`], with a careful choice. `None` when the budget ran out.
    fn with_care(graph: &Graph, budget: &mut Budget) -> Option<Self> {
        let mut partition = Partition::by_colours(graph.colours());
        let mut refiner = Refiner::new(graph.len());
        let mut trace = Trace::default();
        let path = Path::descend_carefully(graph, &mut partition, &mut refiner, &mut trace, budget)?;
        Some(Self { path, trace, partition, refiner })
    }
}

/// Finds strong generators along the path, those candidates that `certify` accepts; afterwards the orbit of every level is exact.
///
/// A path whose images are hard to find or to refute is replaced by a carefully chosen one, and that one by the first again, each with
/// more patience: so the cost is that of the better one, up to a factor. The generators found so far are kept.
///
/// Returns `false` when the budget ran out: the orbits are lower bounds then.
pub(crate) fn search_stabilisers(
    graph: &Graph,
    recorded: &mut RecordedPath,
    budget: &mut Budget,
    certify: Certify<'_>,
) -> bool {
    let mut found = Vec::new();
    let mut patience = PATIENCE;
    loop {
        match search_along(graph, recorded, (&mut found, patience), budget, certify) {
            End::Complete => return true,
            End::Unknown => return false,
            End::Hard => {}
        }
        let other = if recorded.path.is_careful {
            Some(RecordedPath::new(graph))
        } else {
            RecordedPath::with_care(graph, budget)
        };
        let Some(other) = other else { return false };
        *recorded = other;
        patience = patience.saturating_mul(PATIENCE_GROWTH).max(CAREFUL_PATIENCE);
    }
}

/// The end of a search along a path.
#[derive(PartialEq, Eq)]
enum End {
    Complete,
    /// The budget ran out.
    Unknown,
    /// The patience is exhausted.
    Hard,
}

/// Finds strong generators along one path, in addition to known automorphisms.
fn search_along(
    graph: &Graph,
    recorded: &mut RecordedPath,
    (known, patience): (&mut Vec<Vec<(u32, u32)>>, u64),
    budget: &mut Budget,
    certify: Certify<'_>,
) -> End {
    let RecordedPath { path, trace, partition, refiner } = recorded;
    let levels = path.levels.len();
    assert!(partition.is_discrete(), "a path ends at a leaf");
    let partition = std::mem::replace(partition, Partition::by_colours(&[]));
    let goal = Goal::Automorphism(Difference::new(graph.len()));
    let mut search = ImageSearch { graph, goal, path, trace, partition, refiner, credit: CREDIT };
    let mut orbits = UnionFind::new(graph.len());
    // Level at which the orbit with this root was last refuted, plus one.
    let mut refused = vec![0_usize; graph.len()];
    let mut places = places(search.path, known);
    let mut wasted = 0;
    // The numbers of the known automorphisms that fix the base points before the level.
    let mut fixing: Vec<usize> = Vec::new();
    // The orbits of the levels that are done.
    let mut done: Vec<u32> = Vec::new();
    for at in (0..levels).rev() {
        let Level { target, base, mark, .. } = search.path.levels[at];
        search.undo_to(mark);
        debug_assert_eq!(search.partition.cell_of(base), target, "the base point is in the target cell");
        while places.last().is_some_and(|&(place, _)| place >= at) {
            let (_, number) = places.pop().expect("not empty");
            known[number].iter().for_each(|&(point, image)| _ = orbits.union(point, image));
            fixing.push(number);
        }
        let cell = search.partition.cell(target).to_vec();
        for &choice in &cell {
            let root = orbits.find(choice);
            if root == orbits.find(base) || refused[root as usize] == levels - at {
                continue;
            }
            let before = budget.nodes();
            let orbit = orbits.size(base);
            let symmetries = || {
                let order = done.iter().chain([&orbit]).map(|&orbit| BigUint::from(orbit)).product();
                Known::new(graph.len(), fixing.iter().map(|&number| &known[number]), order)
            };
            let mut outcome = search.find((at, choice), &symmetries, budget, certify);
            while let Outcome::NeedsSiblings(deeper) = outcome {
                // Another path may have shorter cells.
                let length = u64::from(search.path.levels[deeper].length);
                if !search.path.is_careful && wasted + budget.nodes() - before + length > patience {
                    return End::Hard;
                }
                let known = if length < u64::from(PRUNED) {
                    Known::trivial(graph.len())
                } else {
                    let fixing = fixing.iter().map(|&number| &known[number]);
                    let bases: Vec<u32> = search.path.levels[..deeper].iter().map(|level| level.base).collect();
                    Known::fixing_all(graph.len(), fixing, &bases)
                };
                outcome = if search.learn_siblings(at, deeper, &known, budget) {
                    search.find((at, choice), &symmetries, budget, certify)
                } else {
                    Outcome::Unknown
                };
            }
            match outcome {
                Outcome::Found(pairs) => {
                    debug_assert!(pairs.contains(&(base, choice)), "the base point is mapped to the choice");
                    for &(point, image) in &pairs {
                        orbits.union(point, image);
                    }
                    fixing.push(known.len());
                    known.push(pairs);
                }
                Outcome::Absent => refused[root as usize] = levels - at,
                Outcome::Unknown | Outcome::NeedsSiblings(_) => {
                    search.path.levels[at].orbit = orbits.size(base);
                    return End::Unknown;
                }
            }
            // An image takes at least one path to a leaf.
            wasted += (budget.nodes() - before).saturating_sub((levels - at) as u64);
            if wasted > patience {
                return End::Hard;
            }
        }
        search.path.levels[at].orbit = orbits.size(base);
        done.push(orbits.size(base));
    }
    End::Complete
}

/// For each automorphism the first level whose base point it moves, or the number of levels, with the number of the automorphism;
/// ascending.
fn places(path: &Path, known: &[Vec<(u32, u32)>]) -> Vec<(usize, usize)> {
    let place = |pairs: &Vec<(u32, u32)>| {
        let moved: FxHashSet<u32> = pairs.iter().map(|&(point, _)| point).collect();
        path.levels.iter().position(|level| moved.contains(&level.base)).unwrap_or(path.levels.len())
    };
    let mut places: Vec<(usize, usize)> =
        known.iter().enumerate().map(|(number, pairs)| (place(pairs), number)).collect();
    places.sort_unstable();
    places
}
