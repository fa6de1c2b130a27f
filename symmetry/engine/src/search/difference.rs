//! Counts, for the cells that two paths have in common, the vertices that are in one and not in the other.
//!
//! Left is the first path, known by its leaf; right is the partition being refined. `misplaced[c]` is the number of
//! vertices of the right cell `c` that are not in the left cell `c`, and `total` sums it over open cells. When the
//! total is zero, exchanging the vertices of the closed cells and fixing all others is a candidate, however many cells
//! are still open: a generator costs its support.
//!
//! # Complexity
//!
//! Each split costs the length of the fragment cut off, on both sides.
//!
//! # Source
//!
//! [Darga08], with the left partition replaced by its leaf.

use crate::partition::{Partition, Split, SplitObserver};

use super::Path;

/// The running difference between the first path and the partition under refinement.
#[derive(Debug)]
pub(crate) struct Difference {
    misplaced: Vec<u32>,
    /// Value of `misplaced` at the parent before each split.
    history: Vec<u32>,
    total: u64,
}

impl Difference {
    /// No difference yet: both sides have the same cells.
    pub(crate) fn new(n: usize) -> Self {
        Self { misplaced: vec![0; n], history: Vec::new(), total: 0 }
    }

    /// Whether all open cells agree.
    pub(crate) fn is_zero(&self) -> bool {
        self.total == 0
    }

    /// Undoes the effect of a split; the partition has already undone it.
    pub(crate) fn undo(&mut self, partition: &Partition, split: Split, created_length: u32) {
        let Split { parent, created } = split;
        let Some(before) = self.history.pop() else { return };
        if partition.length(parent) - created_length > 1 {
            self.total -= u64::from(self.misplaced[parent as usize]);
        }
        if created_length > 1 {
            self.total -= u64::from(self.misplaced[created as usize]);
        }
        self.misplaced[parent as usize] = before;
        self.total += u64::from(before);
    }
}

/// Keeps the difference from `path` up to date.
pub(crate) struct Watch<'a> {
    pub(crate) difference: &'a mut Difference,
    pub(crate) path: &'a Path,
}

impl SplitObserver for Watch<'_> {
    fn on_split(&mut self, partition: &Partition, parent: u32, created: u32) {
        let (front, back) = (partition.length(parent), partition.length(created));
        let end = created + back;
        let difference = &mut *self.difference;
        let before = difference.misplaced[parent as usize];
        let (mut foreign, mut stray, mut left_behind) = (0, 0, 0);
        for &v in partition.cell(created) {
            let at = self.path.leaf_positions[v as usize];
            foreign += u32::from(at < created || at >= end);
            stray += u32::from(at < parent || at >= end);
        }
        for &v in &self.path.leaf[created as usize..end as usize] {
            let at = partition.position_of(v);
            left_behind += u32::from(at >= parent && at < created);
        }
        let after = (before + left_behind).saturating_sub(stray);
        difference.history.push(before);
        difference.misplaced[parent as usize] = after;
        difference.misplaced[created as usize] = foreign;
        difference.total -= u64::from(before);
        if front > 1 {
            difference.total += u64::from(after);
        }
        if back > 1 {
            difference.total += u64::from(foreign);
        }
    }
}
