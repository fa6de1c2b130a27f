//! The first path: individualise and refine until the partition is discrete, recording every step.
//!
//! If the search for images of a path turns out to be hard, another path is chosen carefully: vertices that split most make the path
//! short, and make their words rare. Where a search needs them, the path learns the words of all children of its nodes, so that a survey
//! of its children refutes a node.
//!
//! # Invariants
//!
//! `leaf[leaf_positions[v]] == v`. The cells of the partition at level `k` are intervals of positions that depend on the trace only, so
//! the cell of `v` at any level, on this path, is the interval around `leaf_positions[v]`.

use std::sync::Arc;

use crate::graph::{Graph, index};
use crate::partition::{Ignore, Partition, Refiner, Siblings, Trace};

use super::Budget;
use super::target::{target_cell, target_cells};

/// The most vertices of a target cell that a careful choice compares.
const COMPARED: usize = 48;

/// One individualised vertex of the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// Start of the target cell.
    pub(crate) target: u32,
    /// Length of the target cell.
    pub(crate) length: u32,
    /// The vertex individualised.
    pub(crate) base: u32,
    /// Splits made before it.
    pub(crate) mark: usize,
    /// Words recorded before and after its refinement.
    pub(crate) words: (usize, usize),
    /// Size of its orbit under the automorphisms fixing the vertices before; a lower bound until the level is done.
    pub(crate) orbit: u32,
}

/// A path from an equitable partition to a discrete one.
#[derive(Debug)]
pub(crate) struct Path {
    pub(crate) levels: Vec<Level>,
    /// By level, the words of all children of the path's node, once they were needed.
    pub(crate) siblings: Vec<Option<Arc<Siblings>>>,
    /// Whether the vertices were chosen carefully: few others have their words.
    pub(crate) is_careful: bool,
    pub(crate) leaf: Vec<u32>,
    pub(crate) leaf_positions: Vec<u32>,
}

impl Path {
    /// Descends from `partition`, which is discrete afterwards, and records the words in `trace`.
    pub(crate) fn descend(graph: &Graph, partition: &mut Partition, refiner: &mut Refiner, trace: &mut Trace) -> Self {
        let mut levels = Vec::new();
        while let Some(target) = target_cell(graph, partition) {
            let base = partition.cell(target)[0];
            levels.push(record(graph, partition, refiner, trace, target, base));
        }
        let siblings = vec![None; levels.len()];
        Self::new(levels, siblings, partition)
    }

    /// As [`Self::descend`], with a careful choice: of several target cells the one whose vertices split most, and in it a vertex that
    /// splits most. `None` when the budget ran out.
    ///
    /// # Complexity
    ///
    /// At most `COMPARED` refinements per level, and some more to choose the cell.
    pub(crate) fn descend_carefully(
        graph: &Graph,
        partition: &mut Partition,
        refiner: &mut Refiner,
        trace: &mut Trace,
        budget: &mut Budget,
    ) -> Option<Self> {
        let mut levels = Vec::new();
        while !partition.is_discrete() {
            let mark = partition.splits().len();
            let mut best: Option<(usize, u32, u32)> = None;
            for target in target_cells(graph, partition) {
                let (length, first) = (partition.length(target), partition.cell(target)[0]);
                child_words(graph, partition, refiner, first, budget)?;
                let splits = partition.splits().len();
                partition.undo_to(mark);
                if best.is_none_or(|(most, least, _)| splits > most || (splits == most && length < least)) {
                    best = Some((splits, length, target));
                }
            }
            let (_, _, target) = best.expect("a partition that is not discrete has open cells");
            let length = partition.length(target) as usize;
            let mut children = Vec::new();
            // Of a long cell some vertices, evenly spread.
            let some: Vec<u32> = partition.cell(target).iter().copied().step_by(length.div_ceil(COMPARED)).collect();
            for child in some {
                let words = child_words(graph, partition, refiner, child, budget)?;
                children.push((std::cmp::Reverse(partition.splits().len()), words, child));
                partition.undo_to(mark);
            }
            children.sort_unstable();
            let base = children[0].2;
            levels.push(record(graph, partition, refiner, trace, target, base));
        }
        let siblings = vec![None; levels.len()];
        Some(Self { is_careful: true, ..Self::new(levels, siblings, partition) })
    }

    /// The path to the leaf that `partition` is.
    fn new(levels: Vec<Level>, siblings: Vec<Option<Arc<Siblings>>>, partition: &Partition) -> Self {
        let leaf = partition.elements().to_vec();
        let mut leaf_positions = vec![0; leaf.len()];
        assert!(partition.is_discrete(), "a path ends at a leaf");
        for (position, &v) in leaf.iter().enumerate() {
            leaf_positions[v as usize] = index(position);
        }
        Self { levels, siblings, is_careful: false, leaf, leaf_positions }
    }
}

/// Individualises a vertex of a target cell and refines, recording.
fn record(
    graph: &Graph,
    partition: &mut Partition,
    refiner: &mut Refiner,
    trace: &mut Trace,
    target: u32,
    base: u32,
) -> Level {
    let (mark, before, length) = (partition.splits().len(), trace.len(), partition.length(target));
    debug_assert!(length > 1, "a target cell is open");
    let start = partition.individualise(base);
    refiner.refine_from(graph, partition, start, trace, &mut Ignore);
    Level { target, length, base, mark, words: (before, trace.len()), orbit: 1 }
}

/// Individualises a vertex and refines; returns the words, or `None` when the budget ran out.
fn child_words(
    graph: &Graph,
    partition: &mut Partition,
    refiner: &mut Refiner,
    child: u32,
    budget: &mut Budget,
) -> Option<Vec<u64>> {
    if !budget.visit() {
        return None;
    }
    let mut trace = Trace::default();
    let start = partition.individualise(child);
    refiner.refine_from(graph, partition, start, &mut trace, &mut Ignore);
    Some(trace.into_words())
}
