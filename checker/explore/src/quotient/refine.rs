//! Representatives where components name each other, for groups that permute blocks in all ways: blocks are sorted by
//! their view of the whole state.
//!
//! Each block has a sum: over the slots of the state, of a hash of the value as it is seen when this block is the
//! first one, with names replaced by their orbits under the stabiliser of the first block. The sum of a queue thus
//! depends on where it names the block. Blocks are sorted by their sums; if blocks with the same sum are *twins*
//! (exchanging them changes nothing), the arrangement is unique up to the stabiliser of the state, and one product of
//! elements is applied. Otherwise the search along the chain handles the state.
//!
//! Soundness: an element that takes a block to another takes the sum along, since it differs from the exchanges of
//! both with the first one by an element that keeps the first block. So the sorted arrangements of two states of an
//! orbit differ by permutations among blocks of the same sum, which are products of exchanges of twins. Being twins
//! is an equivalence, so that neighbours in the order suffice, and whether all ties are twins is the same for the
//! whole orbit, whatever the hash. The stabiliser consists of the permutations of twins.
//!
//! Complexity: a row of hashes, one for each block, for each value that is met in a slot; per state one addition per
//! slot and block, and one image of each value that names something.
//!
//! Source: \[Lin04\] and colour refinement, with one round.

use engine::{Permutation, UnionFind};

use super::action::Action;
use super::by_value::{ByValue, UNKNOWN};
use super::images::entry;
use crate::memory::Footprint;

/// The view of a state from the blocks of one part.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// The elements that exchange the first block with each other one.
    swaps: Vec<usize>,
    /// For every point the least point of its orbit under the stabiliser of the first block.
    orbits: Vec<u32>,
    rows: Vec<ByValue>,
    entries: Vec<u64>,
    /// By block.
    pub(super) sums: Vec<u64>,
}

impl View {
    /// The view of one of several parts, each given by its exchanges.
    pub(super) fn new(parts: &[&[usize]], own: usize, elements: &[Permutation]) -> View {
        let mut keeping = Vec::new();
        for (number, swaps) in parts.iter().enumerate() {
            if number != own {
                keeping.extend(swaps.iter().map(|&swap| elements[swap].to_sparse()));
                continue;
            }
            for pair in swaps.windows(2) {
                let (a, b) = (&elements[pair[0]], &elements[pair[1]]);
                keeping.push(a.then(b).then(a).to_sparse());
            }
        }
        let degree = elements.first().map_or(0, Permutation::degree);
        View {
            swaps: parts[own].to_vec(),
            orbits: UnionFind::of_orbits(degree, &keeping).least_members(),
            rows: Vec::new(),
            entries: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Computes the sums of all blocks.
    pub(super) fn look<A: Action>(&mut self, action: &A, elements: &[Permutation], state: &[u32]) {
        self.sums.clear();
        self.sums.resize(self.swaps.len() + 1, 0);
        for (slot, &value) in state.iter().enumerate() {
            let known = self.rows.get(slot).map(|row| row.get(value));
            let first = match known {
                Some(first) if first != UNKNOWN => first as usize,
                _ => self.first(action, elements, slot, value),
            };
            debug_assert!(first + self.sums.len() <= self.entries.len(), "a row has a hash for each block");
            for (sum, key) in self.sums.iter_mut().zip(&self.entries[first..]) {
                *sum = sum.wrapping_add(*key);
            }
        }
    }

    #[cold]
    fn first<A: Action>(&mut self, action: &A, elements: &[Permutation], slot: usize, value: u32) -> usize {
        let first = self.entries.len();
        let identity = Permutation::identity(self.orbits.len());
        let swaps = self.swaps.iter().map(|&swap| &elements[swap]);
        let keys = std::iter::once(&identity).chain(swaps).map(|swap| action.key(swap, &self.orbits, slot, value));
        self.entries.extend(keys);
        // If the table has more rows than numbers, the row is not stored: the result is right all the same.
        entry(&mut self.rows, slot).set(value, u32::try_from(first).unwrap_or(UNKNOWN));
        first
    }

    /// The product of exchanges that exchanges two blocks.
    pub(super) fn exchange(&self, a: usize, b: usize) -> Vec<usize> {
        debug_assert_ne!(a, b, "two blocks are exchanged");
        match (a.min(b).checked_sub(1), self.swaps[a.max(b) - 1]) {
            (None, swap) => vec![swap],
            (Some(other), swap) => vec![self.swaps[other], swap, self.swaps[other]],
        }
    }

    /// A product of exchanges that takes each of these blocks to the next one and the last to the first, and keeps
    /// the others.
    pub(super) fn cycle(&self, blocks: &[usize]) -> Vec<usize> {
        let (first, rest) = blocks.split_first().expect("some blocks");
        let swap = |block: &usize| block.checked_sub(1).map(|swap| self.swaps[swap]);
        // No element exchanges the first block of all with itself; each other block takes its place for a while.
        let ends = swap(first);
        ends.into_iter().chain(rest.iter().filter_map(swap)).chain(ends).collect()
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add_vec(&self.entries);
        self.rows.iter().for_each(|row| footprint.add(row.bytes()));
        footprint
    }
}
