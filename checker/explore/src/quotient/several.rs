//! The methods of the papers: the least image under all elements, and local search among the images under generators.
//!
//! Enumeration tries every element and is exact. Local search takes the generators in turn, once, and moves to the
//! image under each that makes the state smaller; its end depends on its start, so an orbit may have several
//! representatives. Repeating until no generator helps stores fewer states than \[Zha13\] reports; one round comes
//! close to its figures.
//!
//! States are compared slot by slot. Soundness: the stored state is an image of the state in either case.
//!
//! Complexity: enumeration costs one image for each element of the group, local search one for each generator.
//!
//! Source: \[Zha13\] V.B; \[Jag10\] 5.1.1, naive.

use std::ops::Range;

use super::action::Action;
use super::search::Canoniser;
use crate::memory::Halt;

impl Canoniser {
    /// Writes the image of a state under an element.
    ///
    /// # Errors
    /// No room.
    pub fn image<A: Action>(
        &mut self,
        action: &mut A,
        element: usize,
        state: &[u32],
        image: &mut [u32],
    ) -> Result<(), Halt> {
        self.images.apply(action, element, state, image)
    }

    /// Replaces a state by its least image under the given elements.
    ///
    /// # Errors
    /// No room.
    pub fn least_image<A: Action>(
        &mut self,
        action: &mut A,
        elements: Range<usize>,
        state: &mut [u32],
    ) -> Result<(), Halt> {
        let original = state.to_vec();
        self.next.clear();
        self.next.resize(state.len(), 0);
        for element in elements {
            limits::work(4 * original.len() as u64);
            self.images.apply(action, element, &original, &mut self.next)?;
            if self.next[..] < *state {
                state.copy_from_slice(&self.next);
            }
        }
        Ok(())
    }

    /// Applies, in turn, each of the given elements that makes the state smaller.
    ///
    /// # Errors
    /// No room.
    pub fn descend_locally<A: Action>(
        &mut self,
        action: &mut A,
        elements: Range<usize>,
        state: &mut [u32],
    ) -> Result<(), Halt> {
        self.next.clear();
        self.next.resize(state.len(), 0);
        for element in elements {
            limits::work(4 * state.len() as u64);
            self.images.apply(action, element, state, &mut self.next)?;
            if self.next[..] < *state {
                state.copy_from_slice(&self.next);
            }
        }
        Ok(())
    }
}
