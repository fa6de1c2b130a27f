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

use crate::graph::Graph;
use crate::partition::{Partition, Refiner, Trace};
use crate::union_find::UnionFind;

use super::difference::Difference;
use super::images::{Certify, Goal};
use super::{Budget, ImageSearch, Level, Outcome, Path};

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
}

/// Finds strong generators along the path, those candidates that `certify` accepts; afterwards the orbit of every level
/// is exact.
///
/// Returns `false` when the budget ran out: the orbits are lower bounds then.
pub(crate) fn search_stabilisers(
    graph: &Graph,
    recorded: &mut RecordedPath,
    budget: &mut Budget,
    certify: Certify<'_>,
) -> bool {
    let RecordedPath { path, trace, partition, refiner } = recorded;
    let levels = path.levels.len();
    let partition = std::mem::replace(partition, Partition::by_colours(&[]));
    let goal = Goal::Automorphism(Difference::new(graph.len()));
    let mut search = ImageSearch { graph, goal, path, trace, partition, refiner };
    let mut orbits = UnionFind::new(graph.len());
    // Level at which the orbit with this root was last refused, plus one.
    let mut refused = vec![0_usize; graph.len()];
    let mut complete = true;
    for at in (0..levels).rev() {
        let Level { target, base, mark, .. } = search.path.levels[at];
        search.undo_to(mark);
        let cell = search.partition.cell(target).to_vec();
        for &choice in &cell {
            let root = orbits.find(choice);
            if root == orbits.find(base) || refused[root as usize] == levels - at {
                continue;
            }
            match find(&mut search, at, choice, budget, certify) {
                Outcome::Found(pairs) => {
                    for &(point, image) in &pairs {
                        orbits.union(point, image);
                    }
                }
                Outcome::Absent => refused[root as usize] = levels - at,
                Outcome::Unknown | Outcome::NeedsSiblings(_) => complete = false,
            }
            if !complete {
                break;
            }
        }
        search.path.levels[at].orbit = orbits.size(base);
        if !complete {
            break;
        }
    }
    complete
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
