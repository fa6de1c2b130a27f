//! Equitable refinement: the coarsest refinement in which any two vertices of a cell have equally many neighbours in
//! every cell.
//!
//! The algorithm keeps a worklist of splitter cells, single vertices first. A splitter counts its neighbours. The reached vertices move
//! to the back of their cells, grouped by ascending count, so the order of the fragments depends on counts only and isomorphic inputs are
//! refined alike. If a cell is not itself in the worklist, its largest fragment need not become a splitter (Hopcroft). A path under
//! comparison is abandoned at the first splitter whose word differs, before that splitter splits any cell.
//!
//! # Complexity
//!
//! `O(m log n)` neighbour visits; an abandoned refinement costs only its visits so far.
//!
//! # Source
//!
//! [Darga04], [McKay14]; fragments stay in place as in saucy, words are compared as in bliss.

use std::collections::VecDeque;

use super::{Partition, Trace, mix};
use crate::graph::Graph;

/// Receives every split.
pub(crate) trait SplitObserver {
    /// Cell `created` was cut off the back of cell `parent`; both have their new lengths.
    fn on_split(&mut self, partition: &Partition, parent: u32, created: u32);
}

/// Observes nothing.
pub(crate) struct Ignore;

impl SplitObserver for Ignore {
    fn on_split(&mut self, _: &Partition, _: u32, _: u32) {}
}

/// Scratch space of refinements over one graph.
#[derive(Debug)]
pub(crate) struct Refiner {
    singles: VecDeque<u32>,
    others: VecDeque<u32>,
    is_waiting: Vec<bool>,
    /// Neighbours in the splitter, by vertex; zero between splitters.
    counts: Vec<u32>,
    reached: Vec<u32>,
    /// Number of vertices already moved to the back, by cell; zero between splitters.
    moved: Vec<u32>,
    reached_cells: Vec<u32>,
}

impl Refiner {
    /// Scratch space for `n` vertices.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            singles: VecDeque::new(),
            others: VecDeque::new(),
            is_waiting: vec![false; n],
            counts: vec![0; n],
            reached: Vec::new(),
            moved: vec![0; n],
            reached_cells: Vec::new(),
        }
    }

    /// Refines with every cell as a splitter.
    pub(crate) fn refine_all(&mut self, graph: &Graph, partition: &mut Partition, trace: &mut Trace) -> bool {
        assert_eq!(graph.len(), partition.elements().len(), "the partition is of the vertices");
        for start in partition.starts() {
            self.enqueue(partition, start);
        }
        self.run(graph, partition, trace, &mut Ignore)
    }

    /// Refines an equitable partition from which the single vertex at `start` was just cut off.
    pub(crate) fn refine_from(
        &mut self,
        graph: &Graph,
        partition: &mut Partition,
        start: u32,
        trace: &mut Trace,
        observer: &mut impl SplitObserver,
    ) -> bool {
        debug_assert_eq!(partition.length(start), 1, "a single vertex was cut off");
        debug_assert!(self.singles.is_empty() && self.others.is_empty(), "nothing waits between refinements");
        self.enqueue(partition, start);
        self.run(graph, partition, trace, observer)
    }

    fn enqueue(&mut self, partition: &Partition, start: u32) {
        if !std::mem::replace(&mut self.is_waiting[start as usize], true) {
            let queue = if partition.length(start) == 1 { &mut self.singles } else { &mut self.others };
            queue.push_back(start);
        }
    }

    /// Processes splitters until the worklist is empty, the partition is discrete or the trace differs.
    fn run(
        &mut self,
        graph: &Graph,
        partition: &mut Partition,
        trace: &mut Trace,
        observer: &mut impl SplitObserver,
    ) -> bool {
        while !partition.is_discrete() {
            let Some(splitter) = self.singles.pop_front().or_else(|| self.others.pop_front()) else { return true };
            self.is_waiting[splitter as usize] = false;
            limits::work(1);
            let word = if partition.length(splitter) == 1 {
                self.reach_from_one(graph, partition, partition.cell(splitter)[0])
            } else {
                self.reach_from_many(graph, partition, splitter)
            };
            if !trace.accept(word.wrapping_add(mix(u64::from(splitter)))) {
                self.give_up();
                return false;
            }
            self.split_reached(partition, observer);
        }
        self.clear_queues();
        true
    }

    /// Moves the neighbours of one vertex to the back of their cells.
    fn reach_from_one(&mut self, graph: &Graph, partition: &mut Partition, vertex: u32) -> u64 {
        let mut word = 0_u64;
        limits::work(graph.neighbours(vertex).len() as u64);
        for &u in graph.neighbours(vertex) {
            let cell = partition.cell_of(u);
            word = word.wrapping_add(mix(u64::from(cell) << 32 | 1));
            self.move_back(partition, u, cell);
        }
        word
    }

    /// Counts neighbours in the splitter and moves the vertices reached to the back of their cells.
    fn reach_from_many(&mut self, graph: &Graph, partition: &mut Partition, splitter: u32) -> u64 {
        for &v in partition.cell(splitter) {
            limits::work(graph.neighbours(v).len() as u64);
            for &u in graph.neighbours(v) {
                let count = &mut self.counts[u as usize];
                if *count == 0 {
                    self.reached.push(u);
                }
                *count += 1;
            }
        }
        let mut word = 0_u64;
        let reached = std::mem::take(&mut self.reached);
        for &u in &reached {
            let cell = partition.cell_of(u);
            word = word.wrapping_add(mix(u64::from(cell) << 32 | u64::from(self.counts[u as usize])));
            self.move_back(partition, u, cell);
        }
        self.reached = reached;
        word
    }

    #[inline]
    fn move_back(&mut self, partition: &mut Partition, vertex: u32, cell: u32) {
        let length = partition.length(cell);
        if length == 1 {
            return;
        }
        let moved = &mut self.moved[cell as usize];
        if *moved == 0 {
            self.reached_cells.push(cell);
        }
        *moved += 1;
        debug_assert!(*moved <= length, "a vertex is reached once");
        partition.move_within_cell(vertex, cell + length - *moved);
    }

    /// Splits every reached cell, in the order of their starts.
    fn split_reached(&mut self, partition: &mut Partition, observer: &mut impl SplitObserver) {
        let mut cells = std::mem::take(&mut self.reached_cells);
        cells.sort_unstable();
        for &cell in &cells {
            let moved = std::mem::take(&mut self.moved[cell as usize]);
            if self.reached.is_empty() {
                let length = partition.length(cell);
                if moved < length {
                    partition.split(cell, cell + length - moved);
                    observer.on_split(partition, cell, cell + length - moved);
                    self.enqueue_fragments(partition, cell, cell + length);
                }
            } else {
                self.split_by_counts(partition, cell, moved, observer);
            }
        }
        cells.clear();
        self.reached_cells = cells;
        self.clear_counts();
    }

    /// Splits a cell whose last `moved` elements were reached into groups of equal counts.
    fn split_by_counts(&mut self, partition: &mut Partition, cell: u32, moved: u32, observer: &mut impl SplitObserver) {
        let end = cell + partition.length(cell);
        let from = end - moved;
        let counts = &self.counts;
        debug_assert!(moved > 0 && from >= cell, "reached elements are at the end of their cell");
        let slice = partition.elements_mut(from, end);
        let first = counts[slice[0] as usize];
        if slice.iter().any(|&v| counts[v as usize] != first) {
            slice.sort_unstable_by_key(|&v| counts[v as usize]);
            partition.settle(from, end);
        } else if from == cell {
            return;
        }
        // From the back, so that every element is relabelled once and undone once.
        for position in (from..end).rev() {
            let elements = partition.elements();
            let here = counts[elements[position as usize] as usize];
            let starts_group = position == from || counts[elements[position as usize - 1] as usize] != here;
            if starts_group && position > cell {
                partition.split(cell, position);
                observer.on_split(partition, cell, position);
            }
        }
        self.enqueue_fragments(partition, cell, end);
    }

    /// Enqueues the fragments of a cell, without the first largest one when the cell is not in the worklist.
    fn enqueue_fragments(&mut self, partition: &Partition, cell: u32, end: u32) {
        let mut spared = cell;
        if !self.is_waiting[cell as usize] {
            let mut start = cell;
            while start < end {
                if partition.length(start) > partition.length(spared) {
                    spared = start;
                }
                start += partition.length(start);
            }
        }
        let mut start = cell;
        while start < end {
            if start != spared {
                self.enqueue(partition, start);
            }
            start += partition.length(start);
        }
    }

    fn clear_counts(&mut self) {
        for u in self.reached.drain(..) {
            self.counts[u as usize] = 0;
        }
    }

    fn give_up(&mut self) {
        for cell in self.reached_cells.drain(..) {
            self.moved[cell as usize] = 0;
        }
        self.clear_counts();
        self.clear_queues();
    }

    fn clear_queues(&mut self) {
        for cell in self.singles.drain(..).chain(self.others.drain(..)) {
            self.is_waiting[cell as usize] = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Refiner;
    use crate::graph::GraphBuilder;
    use crate::partition::{Partition, Trace};

    #[test]
    fn a_path_is_refined_into_distances_from_its_ends() {
        let mut builder = GraphBuilder::new();
        builder.add_vertices(7, 0);
        for v in 0..6 {
            builder.add_edge(v, v + 1);
        }
        let graph = builder.build().expect("simple");
        let mut partition = Partition::by_colours(graph.colours());
        assert!(Refiner::new(7).refine_all(&graph, &mut partition, &mut Trace::default()));
        assert_eq!(partition.starts().count(), 4);
        for v in 0..7 {
            assert_eq!(partition.cell_of(v), partition.cell_of(6 - v));
        }
    }
}
