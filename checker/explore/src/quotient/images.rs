//! Images of values under elements, stored by element, slot and value.

use super::action::Action;
use super::by_value::{ByValue, UNKNOWN};
use crate::memory::Halt;

/// Images of values, by element, slot and value.
#[derive(Clone, Debug, Default)]
pub(super) struct Images {
    values: Vec<Vec<ByValue>>,
    /// Bytes held.
    pub(super) bytes: u64,
}

impl Images {
    /// The image of the value of a slot.
    #[inline]
    pub(super) fn get<A: Action>(
        &mut self,
        action: &mut A,
        element: usize,
        slot: usize,
        value: u32,
    ) -> Result<u32, Halt> {
        let known = self.values.get(element).and_then(|slots| Some(slots.get(slot)?.get(value)));
        match known {
            Some(image) if image != UNKNOWN => Ok(image),
            _ => self.first(action, element, slot, value),
        }
    }

    #[cold]
    fn first<A: Action>(&mut self, action: &mut A, element: usize, slot: usize, value: u32) -> Result<u32, Halt> {
        let image = action.image(element, slot, value)?;
        let row = entry(entry(&mut self.values, element), slot);
        let before = row.bytes();
        row.set(value, image);
        self.bytes += row.bytes() - before;
        Ok(image)
    }

    /// Whether elements, one after the other and each image normalised, take a state to its representative. All images are known:
    /// they were computed when the representative was chosen.
    pub(super) fn lead<A: Action>(
        &mut self,
        action: &mut A,
        elements: impl Iterator<Item = usize>,
        [state, representative]: [&[u32]; 2],
    ) -> Result<bool, Halt> {
        assert_eq!(state.len(), representative.len(), "a representative has the slots of its state");
        let mut at = state.to_vec();
        let mut next = vec![0; state.len()];
        action.normalise(&mut at)?;
        for element in elements {
            self.apply(action, element, &at, &mut next)?;
            action.normalise(&mut next)?;
            std::mem::swap(&mut at, &mut next);
        }
        Ok(at == representative)
    }

    /// Writes the image of a state under an element.
    pub(super) fn apply<A: Action>(
        &mut self,
        action: &mut A,
        element: usize,
        state: &[u32],
        image: &mut [u32],
    ) -> Result<(), Halt> {
        debug_assert_eq!(state.len(), image.len(), "an element takes slots to slots");
        for (slot, &value) in state.iter().enumerate() {
            image[action.target(element, slot)] = self.get(action, element, slot, value)?;
        }
        Ok(())
    }

    /// Whether an element fixes a state.
    pub(super) fn fixes<A: Action>(&mut self, action: &mut A, element: usize, state: &[u32]) -> Result<bool, Halt> {
        for (slot, &value) in state.iter().enumerate() {
            let target = action.target(element, slot);
            if self.get(action, element, slot, value)? != state[target] {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The entry of an index, made if it is not there.
pub(super) fn entry<T: Default>(vec: &mut Vec<T>, index: usize) -> &mut T {
    if vec.len() <= index {
        vec.resize_with(index + 1, T::default);
    }
    &mut vec[index]
}
