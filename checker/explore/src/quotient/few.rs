//! The least image of a state under all elements of a small group, slot by slot with an early cut.
//!
//! At each slot of the image only the elements that give the least value there are kept; as soon as one is left, its
//! image is the representative. Images of a value under all elements are stored side by side, so that a slot costs
//! one look-up for each element that is still a candidate; most are dropped at the first slots. For a cyclic group
//! this is the least rotation.
//!
//! Invariant: values have numbers that never change, and all comparisons compare numbers; so the representative does
//! not depend on the images that were computed before.
//!
//! Soundness: the least of all images is the same for all states of an orbit; the elements that are left at the end are those
//! that give it, as many as the stabiliser has.
//!
//! Complexity: at most the order of the group times the slots; about one image for each element and then those of one element
//! where the first slot differs. Memory: one number for each element and value.
//!
//! Source: \[Jag10\] 5.1.1, naive, with the cut.

use std::ops::Range;

use super::action::Action;
use super::by_value::{ByValue, UNKNOWN};
use super::images::entry;
use crate::memory::{Footprint, Halt};

/// All elements of a small group.
#[derive(Clone, Debug)]
pub(super) struct Few {
    elements: Range<usize>,
    /// By target slot and element: the slot whose value the element moves there.
    sources: Vec<u32>,
    /// By slot and value: its row of images.
    rows: Vec<ByValue>,
    /// A row has one image for each element.
    images: Vec<u32>,
    /// The rows of the current state.
    current: Vec<usize>,
    /// The elements that are still candidates.
    left: Vec<u32>,
    /// Known to be wrong: takes the first element that is least at the first slot.
    #[cfg(test)]
    pub(super) is_hasty: bool,
}

impl Few {
    /// The least images under these elements.
    pub(super) fn new(elements: Range<usize>) -> Few {
        Few {
            elements,
            sources: Vec::new(),
            rows: Vec::new(),
            images: Vec::new(),
            current: Vec::new(),
            left: Vec::new(),
            #[cfg(test)]
            is_hasty: false,
        }
    }

    /// Replaces a state by its least image; returns the order of its stabiliser, and the element that was applied.
    ///
    /// # Errors
    /// No room: the state is then unchanged.
    pub(super) fn canonical<A: Action>(
        &mut self,
        action: &mut A,
        state: &mut [u32],
        image: &mut Vec<u32>,
    ) -> Result<(u128, usize), Halt> {
        let count = self.elements.len();
        if self.sources.len() < state.len() * count {
            self.find_sources(action, state.len());
        }
        self.current.clear();
        for (slot, &value) in state.iter().enumerate() {
            let known = self.rows.get(slot).map(|row| row.get(value));
            let first = match known {
                Some(row) if row != UNKNOWN => row as usize,
                _ => self.new_row(slot, value)?,
            };
            self.current.push(first);
        }
        self.left.clear();
        self.left.extend(0..u32::try_from(count).expect("a small group"));
        image.clear();
        image.resize(state.len(), 0);
        for target in 0..state.len() {
            limits::work(self.left.len() as u64);
            let mut least = u32::MAX;
            let mut kept = 0;
            for at in 0..self.left.len() {
                let element = self.left[at];
                let value = self.image(action, target, element as usize, state)?;
                if value > least {
                    continue;
                }
                if value < least {
                    (least, kept) = (value, 0);
                }
                self.left[kept] = element;
                kept += 1;
            }
            self.left.truncate(kept);
            #[cfg(test)]
            if self.is_hasty {
                self.left.truncate(1);
            }
            image[target] = least;
            if self.left.len() == 1 {
                let element = self.left[0] as usize;
                for (rest, value) in image.iter_mut().enumerate().skip(target + 1) {
                    *value = self.image(action, rest, element, state)?;
                }
                break;
            }
        }
        debug_assert!(count.is_multiple_of(self.left.len()), "the order of a stabiliser divides that of the group");
        state.copy_from_slice(image);
        Ok((self.left.len() as u128, self.elements.start + self.left[0] as usize))
    }

    /// The value that an element gives to a target.
    #[inline]
    fn image<A: Action>(&mut self, action: &mut A, target: usize, element: usize, state: &[u32]) -> Result<u32, Halt> {
        let source = self.sources[target * self.elements.len() + element] as usize;
        let at = self.current[source] + element;
        match self.images[at] {
            UNKNOWN => {
                self.images[at] = action.image(self.elements.start + element, source, state[source])?;
                Ok(self.images[at])
            }
            known => Ok(known),
        }
    }

    #[cold]
    fn new_row(&mut self, slot: usize, value: u32) -> Result<usize, Halt> {
        let first = self.images.len();
        let number = u32::try_from(first).ok().filter(|&first| first != UNKNOWN).ok_or(Halt::Memory)?;
        self.images.resize(first + self.elements.len(), UNKNOWN);
        entry(&mut self.rows, slot).set(value, number);
        Ok(first)
    }

    #[cold]
    fn find_sources<A: Action>(&mut self, action: &A, slots: usize) {
        let count = self.elements.len();
        self.sources.clear();
        self.sources.resize(slots * count, UNKNOWN);
        for (place, element) in self.elements.clone().enumerate() {
            limits::work(slots as u64);
            for slot in 0..slots {
                let source = u32::try_from(slot).expect("slots have 32 bits");
                self.sources[action.target(element, slot) * count + place] = source;
            }
        }
        assert!(!self.sources.contains(&UNKNOWN), "an element permutes the slots of a state");
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add_vec(&self.images);
        self.rows.iter().for_each(|row| footprint.add(row.bytes()));
        footprint.add_vec(&self.sources);
        footprint
    }
}
