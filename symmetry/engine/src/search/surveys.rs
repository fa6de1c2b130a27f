//! Surveys: the children of a node must have, one by one, the words of those of the path's node.
//!
//! A node that is an image of the path's node has as many children with each sequence of words. A survey counts them, and refutes the node
//! at the first child that is one too many. The first children are compared with all sequences, which refutes most nodes that are no
//! images; the others with that of the path only, because a survey of an image wants no other children and comparing with one sequence
//! ends earlier.
//!
//! # Soundness
//!
//! A sequence of words is a function of the graph and the node, so an image has as many children with each, collisions of words included.
//! Known automorphisms that fix the node map its children to children with the same words: one stands for its orbit.

use std::sync::Arc;

use crate::partition::{Ignore, Siblings, Trace};

use super::images::{Frame, Goal};
use super::known::Known;
use super::{Budget, ImageSearch, Level};

/// The number of surveys of the latest node with other choices, before surveys begin at the first such node.
const LOCAL_SURVEYS: usize = 8;
/// The number of children that a survey compares with all siblings. Nodes that are no images are refuted by these as a rule; of the
/// others the search wants those children only that have the recorded words, and most show early that they have not.
const SURVEYED: usize = 16;

/// The result of a survey of the children of a node.
pub(super) enum Survey {
    /// One of these is an image of the base point, or the node is no image.
    Open(Vec<u32>),
    /// The node is no image.
    Refuted,
    /// The words of the children of the path's node are needed first.
    NeedsSiblings,
    /// The budget ran out.
    Unknown,
}

impl ImageSearch<'_> {
    /// The frame to survey next: the last, whose choices all failed, or after some surveys the first that has other choices. A survey
    /// without the words of siblings leaves out the choice that was tried, so it must have failed.
    pub(super) fn next_survey(&self, frames: &[Frame], surveys: usize) -> usize {
        let keeps_tried = |frame: &Frame| match self.goal {
            Goal::Automorphism(_) => true,
            Goal::Isomorphism => self.path.siblings[frame.level].is_some(),
        };
        let first = frames.iter().position(|frame| frame.has_others).filter(|_| surveys > LOCAL_SURVEYS);
        first.filter(|&first| keeps_tried(&frames[first])).unwrap_or(frames.len() - 1)
    }

    /// The choices at a level where the choice `tried`, if any, has failed, by the words of all children of the current node of the
    /// partition.
    pub(super) fn survey(
        &mut self,
        level: usize,
        tried: Option<u32>,
        known: Option<&Known>,
        budget: &mut Budget,
    ) -> Survey {
        let Level { length, orbit, .. } = self.path.levels[level];
        let mut cell = self.cell(level).to_vec();
        let Some(siblings) = self.path.siblings[level].clone() else {
            if matches!(self.goal, Goal::Automorphism(_)) {
                return Survey::NeedsSiblings;
            }
            cell.retain(|&v| Some(v) != tried);
            cell.truncate((length - orbit + u32::from(tried.is_none())) as usize);
            return Survey::Open(cell);
        };
        let first = self.first_choice(level);
        let mark = self.partition.splits().len();
        let mut left = siblings.counts.clone();
        let mut survivors = Vec::new();
        let orbits = known.map_or_else(|| cell.iter().map(|&v| (v, 1)).collect(), |known| known.orbits(&cell));
        for (at, (child, many)) in orbits.into_iter().enumerate() {
            if !budget.visit() {
                return Survey::Unknown;
            }
            let is_known = at < SURVEYED;
            let number = self.word_number(level, child, is_known.then(|| siblings.clone()));
            self.partition.undo_to(mark);
            // A child that is only known to be no image is not counted.
            let Some(number) = number else {
                if is_known {
                    return Survey::Refuted;
                }
                continue;
            };
            if left[number] < many {
                return Survey::Refuted;
            }
            left[number] -= many;
            if number == siblings.recorded {
                survivors.push((child, many));
            }
        }
        if left[siblings.recorded] > 0 {
            return Survey::Refuted;
        }
        // The first choice comes first, then those that stand for most.
        survivors.sort_by_key(|&(v, many)| (Some(v) != first, std::cmp::Reverse(many)));
        // If any of them is an image of the base point, as many are as the orbit of the base point has points.
        let mut left_out = 0;
        while survivors.pop_if(|&mut (_, many)| left_out + many < orbit).map(|(_, many)| left_out += many).is_some() {}
        // The last choice is tried first.
        let survivors = survivors.into_iter().rev().map(|(v, _)| v).collect();
        Survey::Open(survivors)
    }

    /// The number of the sequence of words of a child of the current node, if it is one of `siblings`; without these, if it is the recorded
    /// one of the level, which takes less. The splits of the child stay.
    fn word_number(&mut self, level: usize, child: u32, siblings: Option<Arc<Siblings>>) -> Option<usize> {
        let start = self.partition.individualise(child);
        let (first, last) = self.path.levels[level].words;
        let recorded = self.path.siblings[level].as_ref().map(|siblings| siblings.recorded);
        let is_among = siblings.is_some();
        match siblings {
            Some(siblings) => self.trace.compare_among(siblings),
            None => self.trace.compare_from(first),
        }
        let survived = self.refiner.refine_from(self.graph, &mut self.partition, start, self.trace, &mut Ignore);
        if is_among {
            self.trace.sibling().filter(|_| survived)
        } else {
            recorded.filter(|_| survived && self.trace.is_at(last))
        }
    }

    /// Computes the words of all children of the path's node at `level`, starting from its node at `from`, which is the current node of
    /// the partition. Children in one orbit of `known`, automorphisms that fix the base points before `level`, have the same words.
    /// Returns `false` when the budget ran out.
    pub(crate) fn learn_siblings(&mut self, from: usize, level: usize, known: &Known, budget: &mut Budget) -> bool {
        let root = self.partition.splits().len();
        for at in from..level {
            self.follow(at, self.path.levels[at].base);
        }
        let mark = self.partition.splits().len();
        let mut siblings = Vec::new();
        for (child, many) in known.orbits(self.cell(level)) {
            if !budget.visit() {
                self.undo_to(root);
                return false;
            }
            let mut trace = Trace::default();
            let start = self.partition.individualise(child);
            self.refiner.refine_from(self.graph, &mut self.partition, start, &mut trace, &mut Ignore);
            siblings.push((trace.into_words(), many));
            self.partition.undo_to(mark);
        }
        let recorded = self.trace.recorded(self.path.levels[level].words);
        self.path.siblings[level] = Some(Arc::new(Siblings::new(siblings, recorded)));
        self.undo_to(root);
        true
    }
}
