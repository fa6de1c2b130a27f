//! Finds isomorphisms from one component to others by following its first path.
//!
//! A few nodes usually suffice. When they do not, the stabiliser chain of the component is computed once: its orbits bound the number of
//! choices that must be tried before two components are known to differ.

use super::working::Working;
use crate::graph::Graph;
use crate::partition::Partition;
use crate::search::{Budget, Certifier, Goal, ImageSearch, Known, Outcome, RecordedPath, search_stabilisers};

/// A component with its first path.
pub(crate) struct Matcher {
    working: Working,
    recorded: Option<RecordedPath>,
    has_orbits: bool,
}

impl Matcher {
    /// Prepares a component whose colours are equitable; without `will_search`, nothing can be found.
    pub(crate) fn new(working: Working, will_search: bool) -> Self {
        let recorded = will_search.then(|| RecordedPath::new(&working.graph));
        Self { working, recorded, has_orbits: false }
    }

    /// The component.
    pub(crate) fn into_working(self) -> Working {
        self.working
    }

    /// An isomorphism to `other`, whose colours are equitable in the same way, if there is one.
    pub(crate) fn find(
        &mut self,
        other: &Graph,
        certifier: &mut Certifier,
        budget: &mut Budget,
    ) -> Option<Vec<(u32, u32)>> {
        let graph = &self.working.graph;
        let recorded = self.recorded.as_mut()?;
        if !self.has_orbits {
            let mut few = Budget::unlimited().with_max_nodes(64 + 4 * recorded.path.levels.len() as u64);
            match search(graph, recorded, other, certifier, &mut few) {
                Outcome::Found(pairs) => return Some(pairs),
                // A trial that finds nothing is no proof: the orbits along the path are not known yet.
                Outcome::Absent | Outcome::Unknown | Outcome::NeedsSiblings(_) | Outcome::Hard => {}
            }
            search_stabilisers(graph, recorded, budget, &mut |pairs| certifier.is_automorphism(graph, pairs));
            self.has_orbits = true;
        }
        match search(graph, recorded, other, certifier, budget) {
            Outcome::Found(pairs) => Some(pairs),
            Outcome::Absent | Outcome::Unknown | Outcome::NeedsSiblings(_) | Outcome::Hard => None,
        }
    }
}

/// Tries the vertices of the first target cell of `other` as images of the first base point.
fn search(
    left: &Graph,
    recorded: &mut RecordedPath,
    other: &Graph,
    certifier: &mut Certifier,
    budget: &mut Budget,
) -> Outcome {
    let partition = Partition::by_colours(other.colours());
    let Some(first) = recorded.path.levels.first().copied() else { return Outcome::Absent };
    assert_eq!(left.len(), other.len(), "components of one size");
    let cell = partition.cell(first.target).to_vec();
    let RecordedPath { path, trace, refiner, .. } = recorded;
    let goal = Goal::Isomorphism;
    let mut images = ImageSearch { graph: other, goal, path, trace, partition, refiner, credit: 0, last: u64::MAX };
    for &choice in cell.iter().take((first.length - first.orbit + 1) as usize) {
        let symmetries = || Known::trivial(other.len());
        match images.find(0, choice, &symmetries, budget, &mut |pairs| certifier.is_isomorphism(left, other, pairs)) {
            Outcome::Absent => {}
            outcome => return outcome,
        }
    }
    Outcome::Absent
}

#[cfg(test)]
mod tests {
    use super::Matcher;
    use crate::group::RandomSource;
    use crate::reduce::working::Working;
    use crate::search::{Budget, Certifier, RecordedPath, graphs_for_tests, search_stabilisers};

    /// Images of a graph are found along a first path and along a carefully chosen one, with and without the words of siblings.
    #[test]
    fn relabelled_graphs_are_found_along_every_path() {
        for (number, graph) in graphs_for_tests().iter().enumerate() {
            for seed in 0..12 {
                let mut random = RandomSource::new(seed);
                let mut images: Vec<u32> = graph.vertices().collect();
                (1..images.len()).for_each(|place| images.swap(place, random.below(place + 1)));
                let other = graph.relabelled(&images);
                for is_careful in [false, true] {
                    for has_siblings in [false, true] {
                        let mut certifier = Certifier::new(graph.len());
                        let mut budget = Budget::unlimited();
                        let mut recorded = if is_careful {
                            RecordedPath::with_care(graph, &mut budget).expect("no limit")
                        } else {
                            RecordedPath::new(graph)
                        };
                        let mut certify = |pairs: &[(u32, u32)]| certifier.is_automorphism(graph, pairs);
                        search_stabilisers(graph, &mut recorded, &mut budget, &mut certify);
                        if !has_siblings {
                            recorded.path.siblings.fill(None);
                        }
                        let working = Working::new(graph.clone());
                        let mut matcher = Matcher { working, recorded: Some(recorded), has_orbits: true };
                        let found = matcher.find(&other, &mut certifier, &mut budget);
                        assert!(found.is_some(), "graph {number}, seed {seed}, {is_careful}, {has_siblings}");
                    }
                }
            }
        }
    }
}
