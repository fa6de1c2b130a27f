//! The ordered partition: cells are intervals of an array of elements, named by their first position.
//!
//! # Invariants
//!
//! `elements[places[v].position] == v`; `places[v].cell <= places[v].position < places[v].cell + lengths[cell]`;
//! `lengths` is meaningful only at starts of cells; `next`/`previous` link the cells of two and more elements by
//! position, between the sentinel `n` and itself. Splits are undone in reverse order only, which lets the links be
//! restored from the values they still hold (Knuth's dancing links).
//!
//! # Complexity
//!
//! Splitting off the back part of a cell and undoing it cost the length of that part.

use crate::graph::index;

/// The place of a vertex: its position and its cell.
#[derive(Clone, Copy, Debug)]
struct Place {
    cell: u32,
    position: u32,
}

/// A split on the undo stack: cell `created` was cut off the back of cell `parent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) parent: u32,
    pub(crate) created: u32,
}

/// An ordered partition with its undo stack.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    elements: Vec<u32>,
    places: Vec<Place>,
    lengths: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// At the start of a cell that was cut off another cell, the start of that cell; `u32::MAX` at other positions.
    parents: Vec<u32>,
    splits: Vec<Split>,
    cells: usize,
}

impl Partition {
    /// The partition into classes of equal colour, ordered by colour.
    pub(crate) fn by_colours(colours: &[u32]) -> Self {
        let n = colours.len();
        let mut elements: Vec<u32> = (0..index(n)).collect();
        elements.sort_by_key(|&v| colours[v as usize]);
        let mut partition = Self {
            elements,
            places: vec![Place { cell: 0, position: 0 }; n],
            lengths: vec![0; n],
            next: vec![0; n + 1],
            previous: vec![0; n + 1],
            parents: vec![u32::MAX; n],
            splits: Vec::new(),
            cells: 0,
        };
        let mut last = n;
        let mut start = 0;
        for position in 0..n {
            let v = partition.elements[position] as usize;
            if position > 0 && colours[v] != colours[partition.elements[position - 1] as usize] {
                partition.close_cell(start, position, &mut last);
                start = position;
            }
            partition.places[v] = Place { cell: index(start), position: index(position) };
        }
        if n > 0 {
            partition.close_cell(start, n, &mut last);
        }
        debug_assert_eq!(partition.starts().count(), partition.cells, "cells partition the vertices");
        partition.next[last] = index(n);
        partition.previous[n] = index(last);
        partition
    }

    fn close_cell(&mut self, start: usize, end: usize, last: &mut usize) {
        debug_assert!(start < end, "a cell has elements");
        self.lengths[start] = index(end - start);
        self.cells += 1;
        if end - start > 1 {
            self.next[*last] = index(start);
            self.previous[start] = index(*last);
            *last = start;
        }
    }

    /// Whether every cell has one element.
    pub(crate) fn is_discrete(&self) -> bool {
        self.cells == self.elements.len()
    }

    /// Start of the cell of `vertex`.
    #[inline]
    pub(crate) fn cell_of(&self, vertex: u32) -> u32 {
        self.places[vertex as usize].cell
    }

    /// Position of `vertex`.
    #[inline]
    pub(crate) fn position_of(&self, vertex: u32) -> u32 {
        self.places[vertex as usize].position
    }

    /// Length of the cell starting at `cell`.
    #[inline]
    pub(crate) fn length(&self, cell: u32) -> u32 {
        self.lengths[cell as usize]
    }

    /// Whether a cell starts at this position.
    pub(crate) fn starts_cell(&self, position: u32) -> bool {
        self.places[self.elements[position as usize] as usize].cell == position
    }

    /// Elements by position.
    pub(crate) fn elements(&self) -> &[u32] {
        &self.elements
    }

    /// Elements of the cell starting at `cell`.
    #[inline]
    pub(crate) fn cell(&self, cell: u32) -> &[u32] {
        &self.elements[cell as usize..(cell + self.lengths[cell as usize]) as usize]
    }

    /// Starts of all cells, ascending.
    pub(crate) fn starts(&self) -> impl Iterator<Item = u32> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at;
            if start as usize >= self.elements.len() {
                return None;
            }
            at += self.lengths[start as usize];
            Some(start)
        })
    }

    /// Starts of the cells of two and more elements, ascending.
    pub(crate) fn open_cells(&self) -> impl Iterator<Item = u32> + '_ {
        let n = self.elements.len();
        let mut at = n;
        std::iter::from_fn(move || {
            at = self.next[at] as usize;
            (at < n).then(|| index(at))
        })
    }

    /// Whether the single vertex at `start` was once followed by others in its cell.
    pub(crate) fn was_cut_at(&self, start: u32) -> bool {
        self.parents.get(start as usize + 1).is_some_and(|&parent| parent == start)
    }

    /// All splits that are not undone, oldest first.
    pub(crate) fn splits(&self) -> &[Split] {
        &self.splits
    }

    /// Moves `vertex` to `position` within its cell.
    #[inline]
    pub(crate) fn move_within_cell(&mut self, vertex: u32, position: u32) {
        let from = self.places[vertex as usize].position;
        let other = self.elements[position as usize];
        debug_assert_eq!(self.cell_of(other), self.cell_of(vertex), "both places are in one cell");
        self.elements[from as usize] = other;
        self.elements[position as usize] = vertex;
        self.places[other as usize].position = from;
        self.places[vertex as usize].position = position;
    }

    /// Elements between two positions of one cell, to be permuted; [`Self::settle`] must follow.
    pub(crate) fn elements_mut(&mut self, from: u32, to: u32) -> &mut [u32] {
        debug_assert!(from < to, "some elements");
        debug_assert_eq!(
            self.cell_of(self.elements[from as usize]),
            self.cell_of(self.elements[to as usize - 1]),
            "of one cell"
        );
        &mut self.elements[from as usize..to as usize]
    }

    /// Writes the positions of the elements between two positions.
    pub(crate) fn settle(&mut self, from: u32, to: u32) {
        for position in from..to {
            self.places[self.elements[position as usize] as usize].position = position;
        }
    }

    /// Cuts the elements from position `created` on off the cell starting at `parent`.
    pub(crate) fn split(&mut self, parent: u32, created: u32) {
        let whole = self.lengths[parent as usize];
        debug_assert!(self.starts_cell(parent), "a cell starts at the parent");
        let front = created - parent;
        let back = whole - front;
        debug_assert!(front > 0 && back > 0, "both parts of a split have elements");
        self.lengths[parent as usize] = front;
        self.lengths[created as usize] = back;
        for &v in &self.elements[created as usize..(created + back) as usize] {
            self.places[v as usize].cell = created;
        }
        if back > 1 {
            let after = self.next[parent as usize];
            self.next[created as usize] = after;
            self.previous[created as usize] = parent;
            self.next[parent as usize] = created;
            self.previous[after as usize] = created;
        }
        if front == 1 {
            let (before, after) = (self.previous[parent as usize], self.next[parent as usize]);
            self.next[before as usize] = after;
            self.previous[after as usize] = before;
        }
        self.parents[created as usize] = parent;
        self.splits.push(Split { parent, created });
        self.cells += 1;
        debug_assert!(self.cells <= self.elements.len(), "no cell is empty");
    }

    /// Makes `vertex` the last element of its cell and a cell of its own; returns the start of that cell.
    pub(crate) fn individualise(&mut self, vertex: u32) -> u32 {
        let cell = self.cell_of(vertex);
        let last = cell + self.length(cell) - 1;
        self.move_within_cell(vertex, last);
        self.split(cell, last);
        last
    }

    /// Undoes the last split, if it is not among the first `mark`.
    pub(crate) fn undo_one(&mut self, mark: usize) -> Option<Split> {
        if self.splits.len() <= mark {
            return None;
        }
        let split = self.splits.pop()?;
        let Split { parent, created } = split;
        let back = self.lengths[created as usize];
        if self.lengths[parent as usize] == 1 {
            let (before, after) = (self.previous[parent as usize], self.next[parent as usize]);
            self.next[before as usize] = parent;
            self.previous[after as usize] = parent;
        }
        if back > 1 {
            let after = self.next[created as usize];
            self.next[parent as usize] = after;
            self.previous[after as usize] = parent;
        }
        for &v in &self.elements[created as usize..(created + back) as usize] {
            self.places[v as usize].cell = parent;
        }
        self.lengths[parent as usize] += back;
        self.parents[created as usize] = u32::MAX;
        self.cells -= 1;
        Some(split)
    }

    /// Undoes all splits except the first `mark`.
    pub(crate) fn undo_to(&mut self, mark: usize) {
        while self.undo_one(mark).is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::Partition;

    fn cells(partition: &Partition) -> Vec<Vec<u32>> {
        partition
            .starts()
            .map(|start| {
                let mut cell = partition.cell(start).to_vec();
                cell.sort_unstable();
                cell
            })
            .collect()
    }

    #[test]
    fn undo_restores_cells_and_links() {
        let mut partition = Partition::by_colours(&[1, 0, 1, 1, 0, 2]);
        let before = cells(&partition);
        assert_eq!(before, [vec![1, 4], vec![0, 2, 3], vec![5]]);
        assert_eq!(partition.open_cells().collect::<Vec<_>>(), [0, 2]);
        partition.individualise(2);
        partition.individualise(1);
        partition.individualise(0);
        assert!(partition.is_discrete());
        assert_eq!(partition.open_cells().count(), 0);
        partition.undo_to(1);
        assert_eq!(cells(&partition), [vec![1, 4], vec![0, 3], vec![2], vec![5]]);
        assert_eq!(partition.open_cells().collect::<Vec<_>>(), [0, 2]);
        partition.undo_to(0);
        assert_eq!(cells(&partition), before);
        assert_eq!(partition.open_cells().collect::<Vec<_>>(), [0, 2]);
    }
}
