//! The first path: individualise and refine until the partition is discrete, recording every step.
//!
//! # Invariants
//!
//! `leaf[leaf_positions[v]] == v`. The cells of the partition at level `k` are intervals of positions that depend on
//! the trace alone, so the cell of `v` at any level, on this path, is the interval around `leaf_positions[v]`.

use crate::graph::{Graph, index};
use crate::partition::{Ignore, Partition, Refiner, Siblings, Trace};

use super::target::target_cell;

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
    pub(crate) siblings: Vec<Option<Siblings>>,
    pub(crate) leaf: Vec<u32>,
    pub(crate) leaf_positions: Vec<u32>,
}

impl Path {
    /// Goes down from `partition`, which is discrete afterwards, recording in `trace`.
    pub(crate) fn descend(graph: &Graph, partition: &mut Partition, refiner: &mut Refiner, trace: &mut Trace) -> Self {
        let mut levels = Vec::new();
        while let Some(target) = target_cell(graph, partition) {
            let base = partition.cell(target)[0];
            let (mark, before, length) = (partition.splits().len(), trace.len(), partition.length(target));
            let start = partition.individualise(base);
            refiner.refine_from(graph, partition, start, trace, &mut Ignore);
            levels.push(Level { target, length, base, mark, words: (before, trace.len()), orbit: 1 });
        }
        let leaf = partition.elements().to_vec();
        let mut leaf_positions = vec![0; leaf.len()];
        for (position, &v) in leaf.iter().enumerate() {
            leaf_positions[v as usize] = index(position);
        }
        let siblings = vec![None; levels.len()];
        Self { levels, siblings, leaf, leaf_positions }
    }
}
