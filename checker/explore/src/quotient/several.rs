//! The methods of the papers: the least image under all elements, and local search among the images under generators.
//!
//! Enumeration looks at every element and is exact. Local search takes the generators in turn, once, and goes to the image under each that
//! makes the state smaller; where it ends depends on where it began, so an orbit may have several representatives. Going on until no
//! generator helps stores fewer states than \[Zha13\] tells of; one round comes close to its figures.
//!
//! States are compared slot by slot. Soundness: what is stored is an image of the state in either case.
//!
//! Complexity: enumeration costs one image for each element of the group, local search one for each generator.
//!
//! Source: \[Zha13\] V.B; \[Jag10\] 5.1.1, naive.

use std::ops::Range;

use super::search::{Action, Canoniser};
use crate::memory::Full;

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
    ) -> Result<(), Full> {
        self.images.apply(action, element, state, image)
    }

    /// Makes a state its least image under the given elements.
    ///
    /// # Errors
    /// No room.
    pub fn least_image<A: Action>(
        &mut self,
        action: &mut A,
        elements: Range<usize>,
        state: &mut [u32],
    ) -> Result<(), Full> {
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

    /// Makes a state smaller by each of the given elements that does, in turn.
    ///
    /// # Errors
    /// No room.
    pub fn descend_locally<A: Action>(
        &mut self,
        action: &mut A,
        elements: Range<usize>,
        state: &mut [u32],
    ) -> Result<(), Full> {
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
