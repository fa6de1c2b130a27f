//! [`Action`]: the interface of a state space to the search for representatives.

use engine::Permutation;

use crate::memory::Halt;

/// The action of a group on the states of one space.
pub trait Action {
    /// The slot to which an element takes a slot.
    fn target(&self, element: usize, slot: usize) -> usize;

    /// The value that an element gives to the target of a slot.
    ///
    /// # Errors
    /// No room to number it.
    fn image(&mut self, element: usize, slot: usize, value: u32) -> Result<u32, Halt>;

    /// The value that a product of elements, the first one first, gives to the target of a slot.
    ///
    /// # Errors
    /// No room to number it.
    fn carry(&mut self, word: &[usize], slot: usize, value: u32) -> Result<u32, Halt> {
        let (mut slot, mut value) = (slot, value);
        for &element in word {
            value = self.image(element, slot, value)?;
            slot = self.target(element, slot);
        }
        Ok(value)
    }

    /// Whether a product of elements, the first one first, keeps the value of a slot in its place. Values are
    /// numbered for it only where that cannot be avoided.
    ///
    /// # Errors
    /// No room to number an intermediate value.
    fn keeps(&mut self, word: &[usize], slot: usize, value: u32) -> Result<bool, Halt> {
        let target = word.iter().fold(slot, |slot, &element| self.target(element, slot));
        Ok(target == slot && self.carry(word, slot, value)? == value)
    }

    /// A hash of the image of a slot and its value under `permutation`, with points replaced by their orbits. The
    /// hash is equal for any two slots with values if an element that keeps each orbit takes one to the other.
    fn key(&self, permutation: &Permutation, orbits: &[u32], slot: usize, value: u32) -> u64;

    /// Replaces a state by the representative of its class under an equivalence that commutes with all elements, and
    /// that keys do not distinguish.
    ///
    /// # Errors
    /// No room.
    fn normalise(&mut self, state: &mut [u32]) -> Result<(), Halt> {
        let _ = state;
        Ok(())
    }
}
