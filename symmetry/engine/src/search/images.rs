//! The search for an image of the first path that begins with a given choice.
//!
//! The search runs depth first over the levels of the path, from the level of the choice down. A child survives when its refinement
//! yields the recorded trace. A node whose first choice failed is surveyed (`surveys`): its children must have, one by one, the words of those of the
//! path's node, which often refutes it. After a few surveys near the leaves, surveys begin at the first node with other choices. On a
//! carefully chosen path every node is surveyed at once. When a node is an image of the path at all, exactly the vertices of one orbit of
//! the base point of the next level lead to a leaf, and that orbit is as long as the one of the base point. So of a cell of `c` vertices
//! with an orbit of `t`, at most `c - t + 1` need to be tried. Known automorphisms that fix the choices so far leave one child per orbit
//! (`known`). Before all that, a few random descents look for an image (`experiments`).
//!
//! # Soundness
//!
//! A leaf counts only if its map is certified on the graph. Refutations follow from the trace or from a failed leaf, so "none" is exact
//! unless the budget ran out.

use crate::graph::Graph;
use crate::partition::{Ignore, Partition, Refiner, Split, SplitObserver, Trace};

use super::difference::{Difference, Watch};
use super::known::Known;
use super::surveys::Survey;
use super::{Budget, Level, Path};

/// The number of nodes of a search, with those of the next survey, from which on known automorphisms prune surveys.
const UNPRUNED: u64 = 32;
/// The length of the shortest cell for which the stabiliser of a node is computed.
pub(super) const PRUNED: u32 = 16;

/// The result of a search for an image.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// `(point, image)` pairs of a map that was certified.
    Found(Vec<(u32, u32)>),
    /// There is no image.
    Absent,
    /// The budget ran out first.
    Unknown,
    /// The words of the children of the path at this level are needed first.
    NeedsSiblings(usize),
    /// The search took all its nodes.
    Hard,
}

/// A level at which several images may have to be tried.
pub(super) struct Frame {
    pub(super) level: usize,
    mark: usize,
    /// The vertices still to be tried, the next one last.
    choices: Vec<u32>,
    /// Whether the cell may contain other choices than these.
    pub(super) has_others: bool,
    /// The choice being examined, or the latest.
    current: Option<u32>,
    /// The known automorphisms that fix the choices before this level, once they are needed.
    known: Option<Known>,
}

impl Frame {
    fn new(level: usize, mark: usize, choices: Vec<u32>, has_others: bool) -> Self {
        Self { level, mark, choices, has_others, current: None, known: None }
    }
}

/// The goal of a search: automorphisms of the graph of the path, or isomorphisms from it to another graph.
pub(crate) enum Goal {
    /// Automorphisms; the difference makes it possible to find them before the partition is discrete.
    Automorphism(Difference),
    /// Isomorphisms, found when the partition is discrete.
    Isomorphism,
}

/// Certifies a candidate, given as `(point, image)` pairs.
pub(crate) type Certify<'a> = &'a mut dyn FnMut(&[(u32, u32)]) -> bool;

/// Gives the known automorphisms of the graph that fix the choices before the level of a search.
pub(crate) type Symmetries<'a> = &'a dyn Fn() -> Known;

/// Searches for images of one path in `graph`, which `partition` partitions.
pub(crate) struct ImageSearch<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) goal: Goal,
    pub(crate) path: &'a mut Path,
    pub(crate) trace: &'a mut Trace,
    pub(crate) partition: Partition,
    pub(crate) refiner: &'a mut Refiner,
    /// Nodes that experiments may still visit.
    pub(crate) credit: u64,
    /// The number of nodes of the budget at which a search gives up, [`Outcome::Hard`].
    pub(crate) last: u64,
}

/// Computes the known automorphisms for the last frame.
fn know(frames: &mut [Frame], symmetries: Symmetries<'_>) {
    for at in 0..frames.len() {
        if frames[at].known.is_none() {
            let known = match at.checked_sub(1).map(|before| &frames[before]) {
                Some(Frame { known: Some(known), current: Some(current), .. }) => known.fixing(*current),
                _ => symmetries(),
            };
            frames[at].known = Some(known);
        }
    }
}

impl ImageSearch<'_> {
    /// Searches for a map that maps the base points before `level` as the partition already determines, and the base point of `level` to
    /// `choice`. The partition is restored at the end.
    pub(crate) fn find(
        &mut self,
        level: usize,
        choice: u32,
        symmetries: Symmetries<'_>,
        budget: &mut Budget,
        certify: Certify<'_>,
    ) -> Outcome {
        if let Some(outcome) = self.experiment(level, choice, budget, certify) {
            return outcome;
        }
        let (root, before) = (self.partition.splits().len(), budget.nodes());
        let mut frames = vec![Frame::new(level, root, vec![choice], false)];
        let mut outcome = Outcome::Absent;
        let mut surveys = 0;
        while let Some(frame) = frames.last_mut() {
            self.undo_to(frame.mark);
            let Some(vertex) = frame.choices.pop() else {
                if !frame.has_others {
                    frames.pop();
                    continue;
                }
                surveys += 1;
                let open = self.next_survey(&frames, surveys);
                frames.truncate(open + 1);
                let length = frames.last().map_or(0, |frame| self.path.levels[frame.level].length);
                if length >= PRUNED && budget.nodes() - before + u64::from(length) >= UNPRUNED {
                    know(&mut frames, symmetries);
                }
                let Some(frame) = frames.last_mut() else { break };
                self.undo_to(frame.mark);
                frame.has_others = false;
                match self.survey(frame.level, frame.current, frame.known.as_ref(), budget) {
                    Survey::Open(survivors) => frame.choices = survivors,
                    Survey::Refuted => {
                        frames.pop();
                    }
                    Survey::NeedsSiblings => {
                        outcome = Outcome::NeedsSiblings(frame.level);
                        break;
                    }
                    Survey::Unknown => {
                        outcome = Outcome::Unknown;
                        break;
                    }
                }
                continue;
            };
            if budget.nodes() >= self.last {
                outcome = Outcome::Hard;
                break;
            }
            if !budget.visit() {
                outcome = Outcome::Unknown;
                break;
            }
            let level = frame.level;
            frame.current = Some(vertex);
            if !self.follow(level, vertex) {
                continue;
            }
            if let Some(pairs) = self.candidate(root).filter(|pairs| certify(pairs)) {
                outcome = Outcome::Found(pairs);
                break;
            }
            if let Some(next) = self.path.levels.get(level + 1) {
                let has_others = next.length > next.orbit;
                let mark = self.partition.splits().len();
                // On a carefully chosen path, a random first choice is unlikely to succeed.
                let dives = !(self.path.is_careful && has_others);
                let choices = self.first_choice(level + 1).filter(|_| dives).into_iter().collect();
                frames.push(Frame::new(level + 1, mark, choices, has_others));
            }
        }
        self.undo_to(root);
        outcome
    }

    /// The vertices of the target cell of a level; empty if a hash collision accepted a partition of another shape.
    pub(super) fn cell(&self, level: usize) -> &[u32] {
        let Level { target, .. } = self.path.levels[level];
        if self.partition.starts_cell(target) { self.partition.cell(target) } else { &[] }
    }

    /// The vertex to try first at a level: the base point itself, since that keeps the support small.
    pub(super) fn first_choice(&self, level: usize) -> Option<u32> {
        let Level { target, base, .. } = self.path.levels[level];
        let cell = self.cell(level);
        let stays = cell.len() > 1 && self.partition.cell_of(base) == target;
        if stays { Some(base) } else { (!cell.is_empty()).then(|| self.closest(cell)) }
    }

    /// The best choice in a cell: a vertex that must move in any case.
    fn closest(&self, cell: &[u32]) -> u32 {
        let target = self.partition.cell_of(cell[0]);
        let stands = target..target + self.partition.length(target);
        let moves = |v: &u32| !stands.contains(&self.path.leaf_positions[*v as usize]);
        cell.iter().copied().take(64).find(moves).unwrap_or(cell[0])
    }

    /// Individualises and refines; returns whether the words are the recorded ones.
    pub(super) fn follow(&mut self, level: usize, vertex: u32) -> bool {
        let Level { target, words, .. } = self.path.levels[level];
        if self.partition.length(self.partition.cell_of(vertex)) < 2 {
            return false;
        }
        let start = self.partition.individualise(vertex);
        self.trace.compare_from(words.0);
        let survived = match &mut self.goal {
            Goal::Automorphism(difference) => {
                let mut watch = Watch { difference, path: self.path };
                watch.on_split(&self.partition, target, start);
                self.refiner.refine_from(self.graph, &mut self.partition, start, self.trace, &mut watch)
            }
            Goal::Isomorphism => {
                self.refiner.refine_from(self.graph, &mut self.partition, start, self.trace, &mut Ignore)
            }
        };
        survived && self.trace.is_at(words.1)
    }

    /// The map from left to right, if the partitions determine one.
    pub(super) fn candidate(&self, root: usize) -> Option<Vec<(u32, u32)>> {
        match &self.goal {
            Goal::Automorphism(difference) => {
                if !difference.is_zero() {
                    return None;
                }
                Some(self.closed_pairs(root))
            }
            Goal::Isomorphism => {
                let right = self.partition.elements().iter().copied();
                self.partition.is_discrete().then(|| self.path.leaf.iter().copied().zip(right).collect())
            }
        }
    }

    /// The map from left to right over the cells closed since `root`.
    fn closed_pairs(&self, root: usize) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        let mut add = |position: u32| {
            let (left, right) = (self.path.leaf[position as usize], self.partition.elements()[position as usize]);
            if left != right {
                pairs.push((left, right));
            }
        };
        for &Split { parent, created } in &self.partition.splits()[root..] {
            // Each cell closes once: when a split leaves it a single vertex as a parent, or when a split creates it as one. In the second
            // case the cell after it was not cut off it.
            if created == parent + 1 {
                add(parent);
            }
            if self.partition.length(created) == 1 && !self.partition.was_cut_at(created) {
                add(created);
            }
        }
        pairs
    }

    /// Undoes splits, with their effect on the difference.
    pub(crate) fn undo_to(&mut self, mark: usize) {
        match &mut self.goal {
            Goal::Isomorphism => self.partition.undo_to(mark),
            Goal::Automorphism(difference) => {
                while let Some(&split) = self.partition.splits().last() {
                    let length = self.partition.length(split.created);
                    if self.partition.undo_one(mark).is_none() {
                        break;
                    }
                    difference.undo(&self.partition, split, length);
                }
            }
        }
    }
}
