//! Equitable refinement: the coarsest refinement in which any two vertices of a cell have equally many neighbours in
//! every cell.
//!
//! The algorithm keeps a worklist of splitter cells, single vertices first. A splitter counts its neighbours. The reached vertices move
//! to the back of their cells, grouped by ascending count (cells of which a good part is reached are grouped as a whole), so the order of the fragments depends on counts only and isomorphic inputs are
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

use super::grouping::Grouping;
use super::{Partition, Trace, mix};
use crate::graph::Graph;

/// The part of a cell below which its reached vertices are moved one by one: one in so many.
const FEW: u32 = 4;

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

/// The part of a vertex in the word of a splitter: its cell, and its neighbours in the splitter.
#[inline]
fn reach(cell: u32, count: u32) -> u64 {
    let word = (u64::from(cell) << 32 | u64::from(count)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Scratch space of refinements over one graph.
#[derive(Debug)]
pub(crate) struct Refiner {
    singles: VecDeque<u32>,
    others: VecDeque<u32>,
    is_waiting: Vec<bool>,
    /// Neighbours in the splitter, by vertex; zero between splitters and for splitters of one vertex.
    counts: Vec<u32>,
    /// The vertices with neighbours in a splitter of several vertices; the first [`Self::reached`] are meant.
    reached_vertices: Vec<u32>,
    reached: usize,
    /// Number of vertices reached, by cell; zero between splitters.
    tallies: Vec<u32>,
    /// The cells with a tally; the first [`Self::open`] are meant.
    reached_cells: Vec<u32>,
    open: usize,
    /// Number of vertices already moved to the back, by cell; zero but while cells are split.
    moved: Vec<u32>,
    grouping: Grouping,
}

impl Refiner {
    /// Scratch space for `n` vertices.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            singles: VecDeque::new(),
            others: VecDeque::new(),
            is_waiting: vec![false; n],
            counts: vec![0; n],
            reached_vertices: vec![0; n + 1],
            reached: 0,
            tallies: vec![0; n],
            reached_cells: vec![0; n + 1],
            open: 0,
            moved: vec![0; n],
            grouping: Grouping::default(),
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
            let single = (partition.length(splitter) == 1).then(|| partition.cell(splitter)[0]);
            let word = match single {
                Some(vertex) => self.reach_from_one(graph, partition, vertex),
                None => self.reach_from_many(graph, partition, splitter),
            };
            if !trace.accept(word.wrapping_add(mix(u64::from(splitter)))) {
                self.give_up();
                return false;
            }
            match single {
                Some(vertex) => self.split_by_one(graph, partition, vertex, observer),
                None => self.split_by_many(partition, observer),
            }
        }
        self.clear_queues();
        true
    }

    /// Tallies the neighbours of one vertex by cells; only the cells that they split stay.
    fn reach_from_one(&mut self, graph: &Graph, partition: &Partition, vertex: u32) -> u64 {
        let neighbours = graph.neighbours(vertex);
        limits::work(neighbours.len() as u64);
        let mut cells = 0;
        for &u in neighbours {
            cells += self.tally(partition.cell_of(u), cells);
        }
        let (mut word, mut open) = (0_u64, 0);
        for at in 0..cells {
            let cell = self.reached_cells[at];
            let tally = self.tallies[cell as usize];
            word = word.wrapping_add(reach(cell, tally));
            if tally < partition.length(cell) {
                self.reached_cells[open] = cell;
                open += 1;
            } else {
                self.tallies[cell as usize] = 0;
            }
        }
        self.open = open;
        word
    }

    /// Counts neighbours in the splitter, and tallies the vertices that have some; cells of one vertex do not stay.
    fn reach_from_many(&mut self, graph: &Graph, partition: &Partition, splitter: u32) -> u64 {
        let mut reached = 0;
        for &v in partition.cell(splitter) {
            let neighbours = graph.neighbours(v);
            limits::work(neighbours.len() as u64);
            for &u in neighbours {
                let count = &mut self.counts[u as usize];
                // Written in any case: a branch would be mispredicted often.
                self.reached_vertices[reached] = u;
                reached += usize::from(*count == 0);
                *count += 1;
            }
        }
        self.reached = reached;
        let mut word = 0_u64;
        let mut cells = 0;
        for at in 0..reached {
            let u = self.reached_vertices[at];
            let cell = partition.cell_of(u);
            word = word.wrapping_add(reach(cell, self.counts[u as usize]));
            cells += self.tally(cell, cells);
        }
        let mut open = 0;
        for at in 0..cells {
            let cell = self.reached_cells[at];
            if partition.length(cell) > 1 {
                self.reached_cells[open] = cell;
                open += 1;
            } else {
                self.tallies[cell as usize] = 0;
            }
        }
        self.open = open;
        word
    }

    /// Counts a vertex of a cell, and lists the cell as the one with number `at` if it is new; returns the number of new cells.
    #[inline]
    fn tally(&mut self, cell: u32, at: usize) -> usize {
        let tally = &mut self.tallies[cell as usize];
        // Written in any case: a branch would be mispredicted often.
        self.reached_cells[at] = cell;
        let new = usize::from(*tally == 0);
        *tally += 1;
        new
    }

    /// Moves a vertex to the back of its cell, before those that were moved already.
    #[inline]
    fn move_back(&mut self, partition: &mut Partition, vertex: u32, cell: u32) {
        let moved = &mut self.moved[cell as usize];
        *moved += 1;
        debug_assert!(*moved <= self.tallies[cell as usize], "a vertex is reached once");
        partition.move_within_cell(vertex, cell + partition.length(cell) - *moved);
    }

    /// Splits the tallied cells, in the order of their starts, into the vertices that are not neighbours of `vertex` and those that are.
    fn split_by_one(
        &mut self,
        graph: &Graph,
        partition: &mut Partition,
        vertex: u32,
        observer: &mut impl SplitObserver,
    ) {
        if self.open == 0 {
            return;
        }
        for &u in graph.neighbours(vertex) {
            let cell = partition.cell_of(u);
            if self.tallies[cell as usize] > 0 {
                self.move_back(partition, u, cell);
            }
        }
        self.reached_cells[..self.open].sort_unstable();
        for at in 0..std::mem::take(&mut self.open) {
            let cell = self.reached_cells[at];
            let end = cell + partition.length(cell);
            self.tallies[cell as usize] = 0;
            let moved = std::mem::take(&mut self.moved[cell as usize]);
            partition.split(cell, end - moved);
            observer.on_split(partition, cell, end - moved);
            self.enqueue_fragments(partition, cell, end);
        }
    }

    /// Splits the tallied cells, in the order of their starts, by the counts of their vertices.
    fn split_by_many(&mut self, partition: &mut Partition, observer: &mut impl SplitObserver) {
        self.move_few(partition);
        self.reached_cells[..self.open].sort_unstable();
        for at in 0..std::mem::take(&mut self.open) {
            let cell = self.reached_cells[at];
            let end = cell + partition.length(cell);
            self.tallies[cell as usize] = 0;
            let from = match std::mem::take(&mut self.moved[cell as usize]) {
                0 => cell,
                moved => end - moved,
            };
            let splits = self.grouping.group(partition.elements_mut(from, end), &self.counts);
            if splits {
                partition.settle(from, end);
            }
            // From the back, so that every element is relabelled once and undone once.
            for &start in self.grouping.starts().iter().rev().filter(|_| splits) {
                partition.split(cell, from + start);
                observer.on_split(partition, cell, from + start);
            }
            if from > cell {
                partition.split(cell, from);
                observer.on_split(partition, cell, from);
            }
            if splits || from > cell {
                self.enqueue_fragments(partition, cell, end);
            }
        }
        self.clear_counts();
    }

    /// Moves the reached vertices to the back of those cells in which they are few; the other cells are sorted as a whole.
    fn move_few(&mut self, partition: &mut Partition) {
        let mut few = false;
        for &cell in &self.reached_cells[..self.open] {
            let is_sparse = self.tallies[cell as usize] < partition.length(cell) / FEW;
            few |= is_sparse;
            if !is_sparse {
                self.tallies[cell as usize] = 0;
            }
        }
        if !few {
            return;
        }
        for at in 0..self.reached {
            let u = self.reached_vertices[at];
            let cell = partition.cell_of(u);
            if self.tallies[cell as usize] > 0 {
                self.move_back(partition, u, cell);
            }
        }
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
        for &u in &self.reached_vertices[..std::mem::take(&mut self.reached)] {
            self.counts[u as usize] = 0;
        }
    }

    fn give_up(&mut self) {
        for &cell in &self.reached_cells[..std::mem::take(&mut self.open)] {
            self.tallies[cell as usize] = 0;
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
