//! Canonical labelling: two graphs get equal canonical forms if and only if they are isomorphic.
//!
//! The algorithm explores the search tree of individualisation and refinement depth first. Of all leaves, the one with the greatest pair
//! (words of the refinements along its path, edges under its numbering) gives the labelling. Two prunings keep the result. The first
//! removes branches whose words are already less than the best. The second removes all but one child in each orbit of the elements of the
//! automorphism group that fix the path.
//!
//! # Soundness
//!
//! Words, the choice of the target cell and the order of fragments depend on the coloured graph only, not on its numbering, so isomorphic
//! graphs have the same set of pairs and the same maximum. Collisions of words do no harm: they are the same in isomorphic graphs, and
//! edges decide in the end.
//!
//! # Complexity
//!
//! One node per orbit of sequences that the words cannot distinguish: exponential on hard rigid graphs. Stabilisers of paths are computed
//! with chains, so this is meant for graphs of some thousand vertices.

use crate::automorphisms::automorphism_group;
use crate::graph::Graph;
use crate::group::Group;
use crate::partition::{Ignore, Partition, Refiner, Trace};
use crate::search::joined_cells;

/// A graph numbered canonically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalForm {
    /// The canonical number of every vertex.
    pub labelling: Vec<u32>,
    /// The graph under that numbering: equal for isomorphic graphs.
    pub graph: Graph,
}

/// A node whose children are being visited.
struct Frame {
    mark: usize,
    choices: Vec<u32>,
    /// The automorphisms that fix the path to this node.
    group: Group,
}

/// The search for the best leaf.
struct Search<'a> {
    graph: &'a Graph,
    partition: Partition,
    refiner: Refiner,
    /// Words of the refinements along the path.
    words: Vec<Vec<u64>>,
    best: Option<(Vec<Vec<u64>>, CanonicalForm)>,
}

/// The canonical form of a graph; colours do not change.
#[must_use]
pub fn canonical_labelling(graph: &Graph) -> CanonicalForm {
    let (_, group) = automorphism_group(graph);
    let mut partition = Partition::by_colours(graph.colours());
    let mut refiner = Refiner::new(graph.len());
    refiner.refine_all(graph, &mut partition, &mut Trace::default());
    debug_assert_eq!(
        partition.starts().map(|cell| partition.length(cell) as usize).sum::<usize>(),
        graph.len(),
        "cells partition the vertices"
    );
    let mut search = Search { graph, partition, refiner, words: Vec::new(), best: None };
    search.run(group);
    search.best.expect("every tree has a leaf").1
}

impl Search<'_> {
    fn run(&mut self, group: Group) {
        let mut frames = Vec::new();
        frames.extend(self.enter(group));
        while let Some(frame) = frames.last_mut() {
            self.partition.undo_to(frame.mark);
            self.words.truncate(frames.len() - 1);
            let frame = frames.last_mut().expect("not empty");
            let Some(vertex) = frame.choices.pop() else {
                frames.pop();
                continue;
            };
            let mut trace = Trace::default();
            let start = self.partition.individualise(vertex);
            self.refiner.refine_from(self.graph, &mut self.partition, start, &mut trace, &mut Ignore);
            self.words.push(trace.into_words());
            if self.is_promising() {
                let stabiliser = frame.group.stabiliser(vertex);
                frames.extend(self.enter(stabiliser));
            }
        }
    }

    /// Whether the words so far are at least those of the best leaf.
    fn is_promising(&self) -> bool {
        let depth = self.words.len();
        self.best.as_ref().is_none_or(|(best, _)| self.words[..] >= best[..depth.min(best.len())])
    }

    /// Takes a leaf, or opens an inner node.
    fn enter(&mut self, group: Group) -> Option<Frame> {
        let Some(target) = self.target_cell() else {
            self.take_leaf();
            return None;
        };
        assert_eq!(group.degree(), self.graph.len(), "the group acts on the vertices");
        let orbits = group.orbits();
        let mut choices = self.partition.cell(target).to_vec();
        choices.sort_unstable_by_key(|&v| (orbits[v as usize], v));
        choices.dedup_by_key(|v| orbits[*v as usize]);
        Some(Frame { mark: self.partition.splits().len(), choices, group })
    }

    /// The first of the open cells joined in a non-trivial way to the most open cells.
    fn target_cell(&self) -> Option<u32> {
        let joined = |&cell: &u32| (joined_cells(self.graph, &self.partition, cell, usize::MAX), u32::MAX - cell);
        self.partition.open_cells().max_by_key(joined)
    }

    fn take_leaf(&mut self) {
        assert!(self.partition.is_discrete(), "a leaf numbers every vertex");
        let labelling: Vec<u32> = self.graph.vertices().map(|v| self.partition.position_of(v)).collect();
        let graph = self.graph.relabelled(&labelling);
        debug_assert_eq!(graph.edge_count(), self.graph.edge_count(), "a renumbering keeps the edges");
        let is_better = self.best.as_ref().is_none_or(|(words, form)| {
            self.words.cmp(words).then_with(|| graph.edges().cmp(form.graph.edges())).is_gt()
        });
        if is_better {
            self.best = Some((self.words.clone(), CanonicalForm { labelling, graph }));
        }
    }
}
