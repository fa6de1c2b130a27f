//! Drops what carries no information once the partition is equitable: cells of one vertex, and all edges between two
//! cells that are joined completely.

use super::working::Working;

/// Drops fixed vertices and complete joins. Returns whether anything changed.
pub(crate) fn drop(working: &mut Working) -> bool {
    let graph = &working.graph;
    let cells = working.cells();
    let count = crate::graph::index(cells.len());
    let size = |cell: u32| crate::graph::index(cells.cell(cell).len());
    let mut is_dropped_for = vec![u32::MAX; cells.len()];
    let mut kept = Vec::with_capacity(graph.len());
    let mut number = vec![u32::MAX; graph.len()];
    let mut colours = Vec::with_capacity(graph.len());
    for v in graph.vertices() {
        if size(cells.cell_of(v)) > 1 {
            number[v as usize] = crate::graph::index(kept.len());
            kept.push(vec![v]);
            colours.push(graph.colour(v));
        }
    }
    let mut edges = Vec::with_capacity(graph.edge_count());
    for cell in 0..count {
        if size(cell) == 1 {
            continue;
        }
        for (other, neighbours) in cells.neighbour_cells(graph, cells.cell(cell)[0]) {
            if neighbours == size(other) - u32::from(other == cell) {
                is_dropped_for[other as usize] = cell;
            }
        }
        for &v in cells.cell(cell) {
            let row = graph.neighbours(v);
            for &u in &row[row.partition_point(|&u| u < v)..] {
                let other = cells.cell_of(u);
                if is_dropped_for[other as usize] != cell && size(other) > 1 {
                    edges.push((number[v as usize], number[u as usize]));
                }
            }
        }
    }
    if kept.len() == graph.len() && edges.len() == graph.edge_count() {
        return false;
    }
    *working = working.regrouped(&kept, colours, edges);
    true
}
