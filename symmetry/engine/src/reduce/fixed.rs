//! Drops the parts that carry no information once the partition is equitable: cells of one vertex, and all edges between two cells that
//! are joined completely.

use rustc_hash::FxHashSet;

use super::working::Working;
use crate::graph::index;

/// Drops fixed vertices and complete joins. Returns whether anything changed.
pub(crate) fn drop(working: &mut Working) -> bool {
    let graph = &working.graph;
    let cells = working.cells();
    let size = |cell: u32| index(cells.cell(cell).len());
    let mut complete = FxHashSet::default();
    for cell in (0..index(cells.len())).filter(|&cell| size(cell) > 1) {
        for (other, neighbours) in cells.neighbour_cells(graph, cells.cell(cell)[0]) {
            if size(other) > 1 && neighbours == size(other) - u32::from(other == cell) {
                complete.insert((cell, other));
            }
        }
    }
    let mut kept = Vec::with_capacity(graph.len());
    let mut groups = Vec::with_capacity(graph.len());
    let mut number = vec![u32::MAX; graph.len()];
    let mut colours = Vec::with_capacity(graph.len());
    for v in graph.vertices().filter(|&v| size(cells.cell_of(v)) > 1) {
        number[v as usize] = index(kept.len());
        kept.push(v);
        groups.push(vec![v]);
        colours.push(graph.colour(v));
    }
    if kept.len() == graph.len() && complete.is_empty() {
        return false;
    }
    assert_eq!(groups.len(), kept.len(), "one group per kept vertex");
    *working = if complete.is_empty() {
        working.filtered(&groups, &kept, &number, colours, |_, u| number[u as usize] != u32::MAX)
    } else {
        working.filtered(&groups, &kept, &number, colours, |v, u| {
            number[u as usize] != u32::MAX && !complete.contains(&(cells.cell_of(v), cells.cell_of(u)))
        })
    };
    true
}
