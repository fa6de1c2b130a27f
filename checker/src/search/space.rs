//! What a search needs of a state space, whatever the language of the model.
//!
//! States are numbers of a [`Store`]; only a space knows how they are packed, and an expansion how successors are made.

use crate::checkpoint::Saved;
use crate::memory::{Footprint, Full};
use crate::reductions::Reduction;
use crate::report::Limit;
use crate::states::Store;

/// A state space under exploration.
pub(crate) trait StateSpace: Saved {
    /// An initial state of the reference semantics.
    type Initial;
    /// A start that has no state.
    type FailedStart;
    /// The ways to start, one by one: there may be more than can be stored.
    type Starts: Iterator<Item = Result<Self::Initial, Self::FailedStart>>;
    /// The steps of one state, and the buffers in which they are made.
    type Expansion: Expansion;

    /// The visited set.
    fn store(&self) -> &Store;

    /// The visited set, to be changed.
    fn store_mut(&mut self) -> &mut Store;

    /// The ways to start, in the order of the reference semantics.
    fn starts(&self) -> Self::Starts;

    /// Stores an initial state; its number, and whether it is new.
    ///
    /// # Errors
    /// No room.
    fn insert_initial(&mut self, state: &Self::Initial) -> Result<(u32, bool), Full>;

    /// Computes the steps of a stored state and stores the successors.
    ///
    /// # Errors
    /// No room: some successors are stored, and the expansion is meaningless.
    fn expand(&mut self, number: u32, expansion: &mut Self::Expansion) -> Result<(), Full>;

    /// Whether a stored state has no step.
    fn is_deadlock(&self, number: u32) -> bool;

    /// The bound of the tool that ended a start, if it was one.
    fn bound_of_start(&self, failed: &Self::FailedStart) -> Option<Limit>;

    /// The first bound of the tool that ended a step of an expansion, if one did.
    fn bound_of(&self, expansion: &Self::Expansion) -> Option<Limit>;

    /// A number that changes whenever memory besides the store may have grown.
    fn growth(&self) -> u64;

    /// Bytes held besides the store.
    fn footprint(&self) -> Footprint;

    /// The limit on memory.
    fn most_bytes(&self) -> u64;

    /// What the expansions left out, and why.
    fn reductions(&self) -> Vec<Reduction> {
        Vec::new()
    }

    /// Bytes allocated, `others` of them by the search.
    fn bytes(&self, others: u64) -> u64 {
        self.footprint().total.saturating_add(others).saturating_add(self.store().bytes())
    }

    /// Tells the store how much memory is left for it.
    ///
    /// # Errors
    /// The space and what the search holds could not double their largest part within the limit.
    fn settle(&mut self, others: u64) -> Result<(), Full> {
        let (mut footprint, most) = (self.footprint(), self.most_bytes());
        footprint.add(others);
        self.store_mut().allow(most.saturating_sub(footprint.total));
        footprint.total = footprint.total.saturating_add(self.store().bytes());
        if footprint.fits(most) { Ok(()) } else { Err(Full::Memory) }
    }
}

/// The steps of one state.
pub(crate) trait Expansion: Default {
    /// How many transitions there are.
    fn len(&self) -> usize;

    /// The successors, one a transition.
    fn successors(&self) -> impl Iterator<Item = u32>;

    /// Whether there is any step, faulting ones included.
    fn is_enabled(&self) -> bool;

    /// Forgets the transitions.
    fn clear(&mut self);

    /// Bytes allocated.
    fn bytes(&self) -> u64;
}
