//! The packed states of a reduced space: each is replaced by the representative of its class before it is stored.
//!
//! A class is an orbit of the group, or all states that differ in the identities of created rebecs and in unreachable
//! rebecs, or both. With both, the created rebecs of each image that the search for a representative computes are
//! renumbered, and its keys distinguish created rebecs by class only.
//!
//! Soundness: an element of the group moves rebecs of `main` and keeps the identities of created ones, renumbering keeps those
//! of `main`; so the two commute, the group acts on classes of states up to renumbering, and the search is one among these.

use super::heap::HeapSymmetry;
use super::space::Space;
use explore::memory::Halt;
use frontend::interpret::State;

impl Space<'_> {
    /// Replaces the `index`-th state of a buffer by the representative of its class.
    ///
    /// # Errors
    /// No room, or too much work.
    pub(super) fn canonicalise(&mut self, buffers: [&mut Vec<u64>; 2], index: usize) -> Result<(), Halt> {
        if !self.is_reduced() {
            return Ok(());
        }
        let mut state = std::mem::take(&mut self.scratch);
        let [other, words] = buffers;
        self.unpack(&words[index * self.stride()..], &mut state);
        let slots = state.len();
        let mut found = match (&mut self.symmetry, &mut self.heap) {
            (Some(symmetry), Some(heap)) => {
                symmetry.canonical_with_heap(heap, &mut self.tables, &mut state).map(|_| ())
            }
            (Some(symmetry), None) => symmetry.represent(&mut self.tables, &mut state),
            (None, Some(heap)) => heap.canonical(&mut self.tables, &mut state),
            (None, None) => Ok(()),
        };
        debug_assert!(found.is_err() || state.len() == slots, "a representative has the slots of its state");
        for (slot, &local) in state.iter().enumerate() {
            found = found.and_then(|()| self.set([&mut *other, &mut *words], index, slot, local));
        }
        self.scratch = state;
        found
    }

    /// For each rebec of a packed state the first one whose steps it repeats up to symmetry; empty if there are none,
    /// and with heap symmetry.
    ///
    /// # Errors
    /// No room; or, in a fork, a value that has no number yet.
    pub(super) fn twins(&mut self, words: &[u64], twins: &mut Vec<u32>) -> Result<(), Halt> {
        twins.clear();
        if self.symmetry.is_none() || self.heap.is_some() {
            return Ok(());
        }
        let mut state = std::mem::take(&mut self.scratch);
        self.unpack(words, &mut state);
        let found = match &mut self.symmetry {
            Some(symmetry) => symmetry.twins(&mut self.tables, &state, twins),
            None => Ok(()),
        };
        self.scratch = state;
        found
    }

    /// Whether one state represents several.
    #[inline]
    pub(super) fn is_reduced(&self) -> bool {
        self.symmetry.is_some() || self.heap.is_some()
    }

    /// Renumbers created rebecs from now on.
    pub(crate) fn renumber(&mut self, heap: HeapSymmetry) {
        self.heap = Some(heap);
    }

    /// The number of the way that the last state took the rebecs to its representative.
    pub(super) fn last_moves(&mut self) -> u32 {
        self.symmetry.as_mut().map_or(0, |symmetry| symmetry.last_moves(&mut self.tables))
    }

    /// The local states of a packed state.
    pub(super) fn unpack(&self, words: &[u64], state: &mut Vec<u32>) {
        state.clear();
        state.extend((0..self.slots()).map(|slot| self.get(words, slot)));
    }

    /// The representative of a state of the reference interpreter, as local states without absent rebecs at the end.
    ///
    /// # Errors
    /// No room, or too much work.
    pub(super) fn representative(&mut self, state: &State) -> Result<Vec<u32>, Halt> {
        let main = self.model().instances.len();
        self.tables.grow(state.rebecs.len());
        let mut locals = vec![0; state.rebecs.len()];
        for (slot, rebec) in state.rebecs.iter().enumerate() {
            if let Some(rebec) = rebec {
                locals[slot] = self.tables.intern(slot, &rebec.values, &rebec.queue)?;
            }
        }
        match (&mut self.symmetry, &mut self.heap) {
            (Some(symmetry), Some(heap)) => {
                symmetry.canonical_with_heap(heap, &mut self.tables, &mut locals).map(|_| ())?;
            }
            (Some(symmetry), None) => symmetry.canonical(&mut self.tables, &mut locals).map(|_| ())?,
            (None, Some(heap)) => heap.canonical(&mut self.tables, &mut locals)?,
            (None, None) => {}
        }
        while locals.len() > main && locals.last() == Some(&0) {
            locals.pop();
        }
        Ok(locals)
    }
}
