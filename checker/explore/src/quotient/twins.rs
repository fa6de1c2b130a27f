//! The slots that are twins in a state: the steps of one slot determine those of its twins, which are images of them.
//!
//! Blocks of a part that is permuted in all ways are alike if their values are equal in the first place and they have
//! the same view of the state (`refine`). The cycle through the blocks that are alike is an element of the group;
//! where it keeps every value that names something, it fixes the state, and slot for slot the blocks are twins.
//!
//! # Soundness
//!
//! An element `c` that fixes a state `s` takes the successors of `s` by the component in slot `x` to those by the
//! component in slot `c(x)`, one to one, and faulting steps to faulting steps. So they have the same representatives,
//! where there is one per orbit: the successors of one slot of each orbit of `c` are computed, and the others repeat
//! them. Whether the cycle fixes the state is checked value by value. Plain values of alike blocks are equal in the
//! first place, where the cycle takes them from block to block, and every element that keeps their block keeps other
//! plain values (`sorting`). Values that are not plain are carried along the cycle and compared. Blocks that look
//! alike but whose cycle does not fix the state have no twins.
//!
//! # Complexity
//!
//! One view of the state from each block, and for each class of blocks one product of as many exchanges for each
//! value with names.
//!
//! # Not done
//!
//! Blocks within blocks and small groups, which are canonised in other ways, have no twins here; nor have blocks with
//! names.

use engine::Permutation;

use super::action::Action;
use super::images::Images;
use super::search::{Canoniser, Fast};
use super::sorting::Sorting;
use crate::memory::Halt;

/// Known to be wrong: the slots that are treated as twins.
#[cfg(any(test, feature = "mutants"))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// Blocks of the same values, whichever values name them.
    Lookalikes,
    /// All components in the same local state, whatever the group.
    SameLocalState,
}

impl Canoniser {
    /// For each slot the least one that it is a twin of, itself if there is none; `twins` is empty if there are none at all.
    ///
    /// # Errors
    /// No room.
    pub fn twins<A: Action>(&mut self, action: &mut A, state: &[u32], twins: &mut Vec<u32>) -> Result<(), Halt> {
        twins.clear();
        let Fast::Sorting(sorting) = &mut self.fast else { return Ok(()) };
        let mut found = std::mem::take(&mut sorting.alike);
        let result = sorting.alike(action, (&mut self.images, self.chain.elements()), state, &mut found);
        if result.is_ok() {
            sorting.record_twins(&found, state.len(), twins);
        }
        sorting.alike = found;
        result
    }
}

/// Classes of alike blocks: the job, and the blocks, ascending.
pub(super) type Alike = Vec<(usize, Vec<usize>)>;

impl Sorting {
    /// Finds the classes of two blocks and more whose cycle fixes a state.
    fn alike<A: Action>(
        &mut self,
        action: &mut A,
        (images, elements): (&mut Images, &[Permutation]),
        state: &[u32],
        found: &mut Alike,
    ) -> Result<(), Halt> {
        found.clear();
        if self.views.is_empty() {
            return Ok(());
        }
        let is_plain = self.read(action, images, state)?;
        for job in 0..self.views.len() {
            self.views[job].sums.clear();
            if !is_plain {
                self.views[job].look(action, elements, state);
            }
            for class in self.classes(job) {
                if self.is_kept(action, (job, &class), state)? {
                    found.push((job, class));
                }
            }
        }
        Ok(())
    }

    /// The blocks of a job that look alike and name nothing, two and more, ascending.
    fn classes(&self, job: usize) -> Vec<Vec<usize>> {
        let Some(blocks) = self.blocks(job) else { return Vec::new() };
        let sums = &self.views[job].sums;
        #[cfg(any(test, feature = "mutants"))]
        let sums = if self.wrong_twins == Some(Wrong::Lookalikes) { &sums[..0] } else { &sums[..] };
        let look = |block: usize| (sums.get(block), blocks[block].iter().map(|&slot| self.key_of(slot)));
        let compare = |&a: &usize, &b: &usize| {
            let (a, b) = (look(a), look(b));
            a.0.cmp(&b.0).then_with(|| a.1.cmp(b.1))
        };
        let mut order: Vec<usize> =
            (0..blocks.len()).filter(|&block| blocks[block].iter().all(|&slot| self.is_plain(slot))).collect();
        order.sort_by(compare);
        let runs = order.chunk_by(|a, b| compare(a, b).is_eq());
        runs.filter(|run| run.len() > 1).map(<[usize]>::to_vec).collect()
    }

    /// Whether the cycle through blocks of a job keeps all values that name something.
    fn is_kept<A: Action>(&self, action: &mut A, (job, class): (usize, &[usize]), state: &[u32]) -> Result<bool, Halt> {
        #[cfg(any(test, feature = "mutants"))]
        if self.wrong_twins == Some(Wrong::Lookalikes) {
            return Ok(true);
        }
        let word = self.views[job].cycle(class);
        for (slot, &value) in state.iter().enumerate() {
            if !self.is_plain(slot) && !action.keeps(&word, slot, value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Turns classes of blocks into twins, slot by slot.
    fn record_twins(&self, found: &Alike, slots: usize, twins: &mut Vec<u32>) {
        for (job, class) in found {
            let Some(blocks) = self.blocks(*job) else { continue };
            if twins.is_empty() {
                twins.extend(0..u32::try_from(slots).expect("slots have 32 bits"));
            }
            let of = |slot: usize| u32::try_from(slot).expect("slots have 32 bits");
            debug_assert!(class.is_sorted() && class.len() > 1, "twins are two blocks and more");
            assert!(
                class.iter().all(|&block| blocks[block].len() == blocks[class[0]].len()),
                "blocks that are exchanged have one size"
            );
            for (place, &first) in blocks[class[0]].iter().enumerate() {
                let least = class.iter().map(|&block| blocks[block][place]).fold(first, usize::min);
                class.iter().for_each(|&block| twins[blocks[block][place]] = of(least));
            }
        }
        debug_assert!((0..).zip(&*twins).all(|(slot, &twin)| twin <= slot), "a twin is the least of its class");
    }
}
