//! The search for an image of the first path that begins with a given choice.
//!
//! Depth first over the levels of the path, from the level of the choice down. A child survives when its refinement
//! yields the recorded trace. When a node is an image of the path at all, exactly the vertices of one orbit of the
//! base point of the next level lead to a leaf, and that orbit is as long as the one of the base point; so of a cell of
//! `c` vertices with an orbit of `t`, at most `c - t + 1` need to be tried.
//!
//! # Soundness
//!
//! A leaf counts only if its map is certified on the graph. Refusals follow from the trace or from a failed leaf, so
//! "none" is exact unless the budget ran out.

use crate::graph::Graph;
use crate::partition::{Ignore, Partition, Refiner, Siblings, Split, SplitObserver, Trace};

use super::difference::{Difference, Watch};
use super::{Budget, Level, Path};

/// What a search for an image came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// `(point, image)` pairs of a map that was certified.
    Found(Vec<(u32, u32)>),
    /// There is none.
    Absent,
    /// The budget ran out first.
    Unknown,
    /// The words of the children of the path at this level are needed first.
    NeedsSiblings(usize),
}

/// A level at which several images may have to be tried.
struct Frame {
    level: usize,
    mark: usize,
    tried: u32,
    limit: u32,
    choices: Vec<u32>,
}

/// How a child compares with the recorded path.
enum Verdict {
    /// The same words.
    Alike,
    /// Other words.
    Different,
    /// Words that no child of the path's node has: the whole node is no image of it.
    NodeRefuted,
}

/// What is searched for: automorphisms of the graph of the path, or isomorphisms from it to another graph.
pub(crate) enum Goal {
    /// Automorphisms; the difference lets them be found before the partition is discrete.
    Automorphism(Difference),
    /// Isomorphisms, found when the partition is discrete.
    Isomorphism,
}

/// Certifies a candidate, given as `(point, image)` pairs.
pub(crate) type Certify<'a> = &'a mut dyn FnMut(&[(u32, u32)]) -> bool;

/// Searches for images of one path in `graph`, which `partition` partitions.
pub(crate) struct ImageSearch<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) goal: Goal,
    pub(crate) path: &'a mut Path,
    pub(crate) trace: &'a mut Trace,
    pub(crate) partition: Partition,
    pub(crate) refiner: &'a mut Refiner,
}

impl ImageSearch<'_> {
    /// Searches for a map that takes the base points before `level` where the partition already has them and the base
    /// point of `level` to `choice`. The partition is left as it was found.
    pub(crate) fn find(&mut self, level: usize, choice: u32, budget: &mut Budget, certify: Certify<'_>) -> Outcome {
        let root = self.partition.splits().len();
        let mut frames = vec![Frame { level, mark: root, tried: 0, limit: 1, choices: vec![choice] }];
        let mut outcome = Outcome::Absent;
        while let Some(frame) = frames.last_mut() {
            let (level, mark) = (frame.level, frame.mark);
            self.undo_to(mark);
            if frame.tried == 1 && frame.limit > 1 && self.lacks_siblings(level) {
                outcome = Outcome::NeedsSiblings(level);
                break;
            }
            let Some(vertex) = self.next_choice(frame) else {
                frames.pop();
                continue;
            };
            if !budget.visit() {
                outcome = Outcome::Unknown;
                break;
            }
            let is_one_of_many = frame.limit > 1;
            match self.follow(level, vertex, is_one_of_many) {
                Verdict::Alike => {}
                Verdict::Different => continue,
                Verdict::NodeRefuted => {
                    frames.pop();
                    continue;
                }
            }
            if let Some(pairs) = self.candidate(root).filter(|pairs| certify(pairs)) {
                outcome = Outcome::Found(pairs);
                break;
            }
            if let Some(next) = self.path.levels.get(level + 1) {
                let limit = next.length - next.orbit + 1;
                let mark = self.partition.splits().len();
                frames.push(Frame { level: level + 1, mark, tried: 0, limit, choices: Vec::new() });
            }
        }
        self.undo_to(root);
        outcome
    }

    /// The next vertex to try at a level; the base point itself first, since that keeps the support small.
    fn next_choice(&self, frame: &mut Frame) -> Option<u32> {
        if frame.tried >= frame.limit {
            return None;
        }
        frame.tried += 1;
        if let Some(choice) = frame.choices.pop() {
            return Some(choice);
        }
        let Level { target, base, .. } = self.path.levels[frame.level];
        // A hash collision may have let a partition of another shape through: it has nothing to offer.
        let cell = if self.partition.starts_cell(target) { self.partition.cell(target) } else { &[] };
        if frame.tried > 1 || cell.is_empty() {
            return None;
        }
        let first = if cell.len() > 1 && self.partition.cell_of(base) == target { base } else { self.closest(cell) };
        if frame.limit > 1 {
            frame.choices = cell.iter().copied().filter(|&v| v != first).collect();
        }
        Some(first)
    }

    /// Prefers a vertex that must move anyway.
    fn closest(&self, cell: &[u32]) -> u32 {
        let target = self.partition.cell_of(cell[0]);
        let stands = target..target + self.partition.length(target);
        let moves = |v: &u32| !stands.contains(&self.path.leaf_positions[*v as usize]);
        cell.iter().copied().take(64).find(moves).unwrap_or(cell[0])
    }

    /// Whether the words of the children at a level are still to be computed.
    fn lacks_siblings(&self, level: usize) -> bool {
        matches!(self.goal, Goal::Automorphism(_)) && self.path.siblings[level].is_none()
    }

    /// Computes the words of all children of the path's node at `level`, from its node at `from`, where the partition
    /// is. Returns `false` when the budget ran out.
    pub(crate) fn learn_siblings(&mut self, from: usize, level: usize, budget: &mut Budget) -> bool {
        let root = self.partition.splits().len();
        for at in from..level {
            self.follow(at, self.path.levels[at].base, false);
        }
        let mark = self.partition.splits().len();
        let target = self.path.levels[level].target;
        let mut siblings = Vec::new();
        for child in self.partition.cell(target).to_vec() {
            if !budget.visit() {
                self.undo_to(root);
                return false;
            }
            let mut trace = Trace::default();
            let start = self.partition.individualise(child);
            self.refiner.refine_from(self.graph, &mut self.partition, start, &mut trace, &mut Ignore);
            siblings.push(trace.into_words());
            self.partition.undo_to(mark);
        }
        siblings.sort_unstable();
        siblings.dedup();
        self.path.siblings[level] = Some(Siblings::new(siblings));
        self.undo_to(root);
        true
    }

    /// Individualises and refines. With `among_siblings`, a child that no child of the path's node resembles refutes
    /// the node.
    fn follow(&mut self, level: usize, vertex: u32, among_siblings: bool) -> Verdict {
        let Level { target, words, .. } = self.path.levels[level];
        if self.partition.length(self.partition.cell_of(vertex)) < 2 {
            return Verdict::Different;
        }
        let start = self.partition.individualise(vertex);
        let siblings = self.path.siblings[level].clone().filter(|_| among_siblings);
        let refutes_node = siblings.is_some();
        match siblings {
            Some(siblings) => self.trace.compare_among(siblings, words.0),
            None => self.trace.compare_from(words.0),
        }
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
        match survived {
            true if self.trace.is_at(words.1) => Verdict::Alike,
            false if refutes_node => Verdict::NodeRefuted,
            _ => Verdict::Different,
        }
    }

    /// The map from left to right, if the partitions determine one.
    fn candidate(&self, root: usize) -> Option<Vec<(u32, u32)>> {
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
            // Each cell closes once: when it is left a single vertex as a parent, or when it is created as one, and then
            // the cell after it was not cut off it.
            if created == parent + 1 {
                add(parent);
            }
            if self.partition.length(created) == 1 && !self.partition.was_cut_at(created) {
                add(created);
            }
        }
        pairs
    }

    /// Takes splits back, with their effect on the difference.
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
