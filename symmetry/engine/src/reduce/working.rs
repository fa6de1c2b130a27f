//! The graph under reduction, and the blocks that its vertices represent.
//!
//! # Invariants
//!
//! Every vertex represents an ordered block of original vertices, blocks are disjoint, and vertices of equal colour have blocks of equal
//! length. A colour-preserving automorphism of the working graph, applied to blocks entry by entry, is an automorphism of the original
//! graph that fixes everything outside the blocks.

use rustc_hash::FxHashMap;

use crate::graph::{Graph, from_parts, index};
use crate::partition::{Partition, Refiner, Trace};

/// A graph whose vertices represent blocks of original vertices.
#[derive(Debug)]
pub(crate) struct Working {
    pub(crate) graph: Graph,
    block_starts: Vec<u32>,
    block_items: Vec<u32>,
    /// Whether the colours are known to form an equitable partition.
    pub(crate) is_equitable: bool,
}

impl Working {
    /// The working graph in which every vertex represents itself.
    pub(crate) fn new(graph: Graph) -> Self {
        let n = index(graph.len());
        Self { graph, block_starts: (0..=n).collect(), block_items: (0..n).collect(), is_equitable: false }
    }

    /// The original vertices that `vertex` represents.
    pub(crate) fn block(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.block_items[self.block_starts[v] as usize..self.block_starts[v + 1] as usize]
    }

    /// A permutation of vertices as pairs of original vertices.
    pub(crate) fn lift(&self, pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let mut lifted = Vec::with_capacity(pairs.len());
        for &(point, image) in pairs {
            debug_assert_eq!(self.block(point).len(), self.block(image).len(), "blocks of one colour have one size");
            lifted.extend(self.block(point).iter().copied().zip(self.block(image).iter().copied()));
        }
        lifted
    }

    /// Refines the colours to the coarsest equitable partition below them.
    pub(crate) fn refine(&mut self) {
        let mut partition = Partition::by_colours(self.graph.colours());
        Refiner::new(self.graph.len()).refine_all(&self.graph, &mut partition, &mut Trace::default());
        self.graph.set_colours(self.graph.vertices().map(|v| partition.cell_of(v)).collect());
        self.is_equitable = true;
    }

    /// The vertices by cell: classes of equal colour, ascending by colour.
    pub(crate) fn cells(&self) -> Cells {
        let colours = self.graph.colours();
        let mut elements: Vec<u32> = self.graph.vertices().collect();
        elements.sort_by_key(|&v| colours[v as usize]);
        let mut starts = Vec::new();
        let mut cell_of = vec![0; elements.len()];
        for position in 0..elements.len() {
            let v = elements[position] as usize;
            if position == 0 || colours[elements[position - 1] as usize] != colours[v] {
                starts.push(index(position));
            }
            cell_of[v] = index(starts.len() - 1);
        }
        starts.push(index(elements.len()));
        debug_assert!(starts.is_sorted(), "cells follow each other");
        Cells { starts, elements, cell_of }
    }

    /// The graph on `groups`, lists of vertices that become one vertex each, with these edges and colours.
    pub(crate) fn regrouped(&self, groups: &[Vec<u32>], colours: Vec<u32>, edges: Vec<(u32, u32)>) -> Self {
        self.with_blocks(groups, from_parts(colours, edges))
    }

    /// A graph whose vertices represent groups of vertices of this one.
    fn with_blocks(&self, groups: &[Vec<u32>], graph: Graph) -> Self {
        let mut block_starts = Vec::with_capacity(groups.len() + 1);
        let mut block_items = Vec::with_capacity(self.block_items.len());
        block_starts.push(0);
        for group in groups {
            for &v in group {
                block_items.extend_from_slice(self.block(v));
            }
            block_starts.push(index(block_items.len()));
        }
        assert_eq!(block_starts.len(), graph.len() + 1, "one block per vertex");
        debug_assert!(block_items.len() <= self.block_items.len(), "blocks do not overlap");
        Self { graph, block_starts, block_items, is_equitable: self.is_equitable }
    }

    /// The graph on groups, the `i`-th of which has the kept edges of its member `leaders[i]`.
    ///
    /// Leaders ascend, `number[leaders[i]] == i`, and `keep` is symmetric and keeps only edges between leaders.
    pub(crate) fn filtered(
        &self,
        groups: &[Vec<u32>],
        leaders: &[u32],
        number: &[u32],
        colours: Vec<u32>,
        keep: impl Fn(u32, u32) -> bool,
    ) -> Self {
        let mut offsets = Vec::with_capacity(groups.len() + 1);
        let mut rows = Vec::with_capacity(2 * self.graph.edge_count());
        assert_eq!(
            (leaders.len(), number.len()),
            (groups.len(), self.graph.len()),
            "one leader per group, all vertices numbered"
        );
        debug_assert!(leaders.is_sorted(), "leaders ascend");
        offsets.push(0);
        for &v in leaders {
            let row = self.graph.neighbours(v).iter().copied().filter(|&u| keep(v, u));
            rows.extend(row.map(|u| number[u as usize]));
            offsets.push(index(rows.len()));
        }
        self.with_blocks(groups, Graph::from_rows(offsets, rows, colours))
    }

    /// The subgraph induced by `vertices`, numbered in their order; `local` maps them to their numbers.
    pub(crate) fn induced(&self, vertices: &[u32], local: &[u32]) -> Self {
        let mut offsets = Vec::with_capacity(vertices.len() + 1);
        let mut rows = Vec::new();
        let mut block_starts = Vec::with_capacity(vertices.len() + 1);
        let mut block_items = Vec::new();
        offsets.push(0);
        block_starts.push(0);
        for &v in vertices {
            let begin = rows.len();
            rows.extend(self.graph.neighbours(v).iter().map(|&u| local[u as usize]));
            rows[begin..].sort_unstable();
            offsets.push(index(rows.len()));
            block_items.extend_from_slice(self.block(v));
            block_starts.push(index(block_items.len()));
        }
        let colours = vertices.iter().map(|&v| self.graph.colour(v)).collect();
        debug_assert!(
            (0..).zip(vertices).all(|(number, &v)| local[v as usize] == number),
            "vertices are numbered in their order"
        );
        let graph = Graph::from_rows(offsets, rows, colours);
        Self { graph, block_starts, block_items, is_equitable: self.is_equitable }
    }
}

/// The cells of a working graph: cell `c` is `elements[starts[c]..starts[c + 1]]`.
#[derive(Debug)]
pub(crate) struct Cells {
    starts: Vec<u32>,
    elements: Vec<u32>,
    cell_of: Vec<u32>,
}

impl Cells {
    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Elements of a cell.
    pub(crate) fn cell(&self, cell: u32) -> &[u32] {
        &self.elements[self.starts[cell as usize] as usize..self.starts[cell as usize + 1] as usize]
    }

    /// Cell of a vertex.
    pub(crate) fn cell_of(&self, vertex: u32) -> u32 {
        self.cell_of[vertex as usize]
    }

    /// For a vertex, the cells of its neighbours with the number of neighbours in each, ascending.
    pub(crate) fn neighbour_cells(&self, graph: &Graph, vertex: u32) -> Vec<(u32, u32)> {
        let mut cells: Vec<u32> = graph.neighbours(vertex).iter().map(|&u| self.cell_of(u)).collect();
        cells.sort_unstable();
        cells.chunk_by(|a, b| a == b).map(|group| (group[0], index(group.len()))).collect()
    }
}

/// Numbers distinct values in ascending order.
pub(crate) fn ranks<T: Ord + Clone + std::hash::Hash>(values: &[T]) -> Vec<u32> {
    let mut rank: FxHashMap<&T, u32> = FxHashMap::default();
    for value in values {
        rank.insert(value, 0);
    }
    let mut distinct: Vec<&T> = rank.keys().copied().collect();
    distinct.sort_unstable();
    for (place, value) in distinct.into_iter().enumerate() {
        rank.insert(value, index(place));
    }
    values.iter().map(|value| rank[value]).collect()
}
