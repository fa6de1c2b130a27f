//! The choice of the cell to individualise next.
//!
//! Among the open cells touched by the latest splits (or the first ones when none is open), the one joined in a
//! non-trivial way to the most open cells; the smaller one on a tie. Staying near the latest splits lets a wrong image
//! contradict itself before unrelated choices are made, which is what keeps products of small gadgets from being
//! explored as a product (Cai-Fürer-Immerman and Miyazaki graphs).
//!
//! # Complexity
//!
//! At most 32 candidates, at most 256 neighbours each.

use crate::graph::Graph;
use crate::partition::Partition;

const CANDIDATES: usize = 32;
const LOOK_BACK: usize = 1024;
const NEIGHBOURS: usize = 256;
/// Cells among which a search with care chooses.
const COMPARED: usize = 16;

/// Start of the cell to individualise in, or `None` when the partition is discrete.
pub(crate) fn target_cell(graph: &Graph, partition: &Partition) -> Option<u32> {
    let mut best: Option<(usize, u32, u32)> = None;
    for cell in candidates(partition) {
        let (joined, length) = (joined_cells(graph, partition, cell, NEIGHBOURS), partition.length(cell));
        if best.is_none_or(|(most, least, _)| joined > most || (joined == most && length < least)) {
            best = Some((joined, length, cell));
        }
    }
    best.map(|(_, _, cell)| cell)
}

/// Starts of cells to individualise in, from which a search with care chooses: the first is [`target_cell`].
pub(crate) fn target_cells(graph: &Graph, partition: &Partition) -> Vec<u32> {
    let mut cells: Vec<u32> = partition.open_cells().take(COMPARED).collect();
    cells.extend(candidates(partition));
    let first = target_cell(graph, partition);
    cells.retain(|&cell| Some(cell) != first);
    cells.sort_unstable();
    cells.dedup();
    cells.sort_by_key(|&cell| {
        (std::cmp::Reverse(joined_cells(graph, partition, cell, NEIGHBOURS)), partition.length(cell))
    });
    cells.truncate(COMPARED);
    first.into_iter().chain(cells).collect()
}

/// The open cells touched by the latest splits, or the first ones when none is open.
fn candidates(partition: &Partition) -> Vec<u32> {
    let mut candidates: Vec<u32> = Vec::with_capacity(CANDIDATES);
    for split in partition.splits().iter().rev().take(LOOK_BACK) {
        for cell in [split.created, split.parent] {
            if partition.length(cell) > 1 && candidates.len() < CANDIDATES && !candidates.contains(&cell) {
                candidates.push(cell);
            }
        }
        if candidates.len() == CANDIDATES {
            break;
        }
    }
    if candidates.is_empty() {
        candidates.extend(partition.open_cells().take(CANDIDATES));
    }
    candidates
}

/// Number of open cells in which a vertex of `cell` has some but not all vertices as neighbours, going by its first
/// `most` neighbours. Without that limit it is the same for all vertices of the cell, as the partition is equitable.
pub(crate) fn joined_cells(graph: &Graph, partition: &Partition, cell: u32, most: usize) -> usize {
    let row = graph.neighbours(partition.cell(cell)[0]);
    let mut cells: Vec<u32> =
        row.iter().take(most).map(|&u| partition.cell_of(u)).filter(|&other| partition.length(other) > 1).collect();
    cells.sort_unstable();
    cells.chunk_by(|a, b| a == b).filter(|group| group.len() < partition.length(group[0]) as usize).count()
}
