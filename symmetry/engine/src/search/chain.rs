//! The stabiliser chain of a path, level by level from the leaf up.
//!
//! At level `k` all generators found so far fix the base points before `k`; union-find joins their orbits. Every
//! vertex of the target cell that is not yet in the orbit of the base point is tried, one for each orbit: either an
//! automorphism takes the base point there, or no vertex of that orbit is an image. When the level is done, the orbit
//! of its base point is exact, and the order of the group is the product of the orbits.
//!
//! # Complexity
//!
//! At most one search for an image for each generator and each refused orbit.

use rustc_hash::FxHashSet;

use crate::graph::Graph;
use crate::partition::{Partition, Refiner, Trace};
use crate::union_find::UnionFind;

use super::difference::Difference;
use super::images::{Certify, Goal};
use super::{Budget, ImageSearch, Level, Outcome, Path};

/// Nodes beyond one path for each choice, before another path is tried.
const PATIENCE: u64 = 256;
/// The same for the first path that is chosen with care.
const CAREFUL_PATIENCE: u64 = 1 << 15;
/// How patience grows from one path to the next.
const PATIENCE_GROWTH: u64 = 4;

/// A path with the state it was recorded in.
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

    /// As [`Self::new`], with care. `None` when the budget ran out.
    fn with_care(graph: &Graph, budget: &mut Budget) -> Option<Self> {
        let mut partition = Partition::by_colours(graph.colours());
        let mut refiner = Refiner::new(graph.len());
        let mut trace = Trace::default();
        let path = Path::descend_carefully(graph, &mut partition, &mut refiner, &mut trace, budget)?;
        Some(Self { path, trace, partition, refiner })
    }
}

/// Finds strong generators along the path, those candidates that `certify` accepts; afterwards the orbit of every level
/// is exact.
///
/// A path whose images are hard to find or to refuse is replaced by one that is chosen with care, and that one by the first again, each
/// with more patience: so the cost is that of the better one, but for a factor. What was found stays.
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

/// How a search along a path ended.
#[derive(PartialEq, Eq)]
enum End {
    Complete,
    /// The budget ran out.
    Unknown,
    /// Patience is lost.
    Hard,
}

/// Finds strong generators along one path, beside automorphisms that are known.
fn search_along(
    graph: &Graph,
    recorded: &mut RecordedPath,
    (known, patience): (&mut Vec<Vec<(u32, u32)>>, u64),
    budget: &mut Budget,
    certify: Certify<'_>,
) -> End {
    let RecordedPath { path, trace, partition, refiner } = recorded;
    let levels = path.levels.len();
    let partition = std::mem::replace(partition, Partition::by_colours(&[]));
    let goal = Goal::Automorphism(Difference::new(graph.len()));
    let mut search = ImageSearch { graph, goal, path, trace, partition, refiner };
    let mut orbits = UnionFind::new(graph.len());
    // Level at which the orbit with this root was last refused, plus one.
    let mut refused = vec![0_usize; graph.len()];
    let mut places = places(search.path, known);
    let mut wasted = 0;
    for at in (0..levels).rev() {
        let Level { target, base, mark, .. } = search.path.levels[at];
        search.undo_to(mark);
        while places.last().is_some_and(|&(place, _)| place >= at) {
            let (_, number) = places.pop().expect("not empty");
            known[number].iter().for_each(|&(point, image)| _ = orbits.union(point, image));
        }
        let cell = search.partition.cell(target).to_vec();
        for &choice in &cell {
            let root = orbits.find(choice);
            if root == orbits.find(base) || refused[root as usize] == levels - at {
                continue;
            }
            let before = budget.nodes();
            match find(&mut search, at, choice, budget, certify) {
                Outcome::Found(pairs) => {
                    for &(point, image) in &pairs {
                        orbits.union(point, image);
                    }
                    known.push(pairs);
                }
                Outcome::Absent => refused[root as usize] = levels - at,
                Outcome::Unknown | Outcome::NeedsSiblings(_) => {
                    search.path.levels[at].orbit = orbits.size(base);
                    return End::Unknown;
                }
            }
            // One path to a leaf is what an image takes at least.
            wasted += (budget.nodes() - before).saturating_sub((levels - at) as u64);
            if wasted > patience {
                return End::Hard;
            }
        }
        search.path.levels[at].orbit = orbits.size(base);
    }
    End::Complete
}

/// For each automorphism the first level whose base point it moves, or one past the last, ascending; with its number.
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

/// Searches for one image, learning about siblings when that is asked for.
fn find(search: &mut ImageSearch<'_>, level: usize, choice: u32, budget: &mut Budget, certify: Certify<'_>) -> Outcome {
    loop {
        match search.find(level, choice, budget, certify) {
            Outcome::NeedsSiblings(deeper) => {
                if !search.learn_siblings(level, deeper, budget) {
                    return Outcome::Unknown;
                }
            }
            outcome => return outcome,
        }
    }
}
