//! The interface of a state space to the search, for any language of models.
//!
//! States are numbers of a [`Store`]; only a space knows their packing, and an expansion computes their successors.

use crate::checkpoint::Saved;
use crate::executions::Executions;
use crate::memory::{Footprint, Halt};
use crate::reductions::Reduction;
use crate::report::Limit;
use crate::states::{Layout, Store};

/// The counts of a space for its report.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Expansions that left out steps.
    pub left_out: u64,
    /// States whose representative may not be the only one of its class.
    pub inexact: u64,
}

/// A state space under exploration.
pub trait StateSpace: Saved {
    /// An initial state of the reference semantics.
    type Initial;
    /// A start that has no state.
    type FailedStart;
    /// The ways to start, one by one: there may be more than can be stored.
    type Starts: Iterator<Item = Result<Self::Initial, Self::FailedStart>>;
    /// The steps of one state, and the buffers in which they are made.
    type Expansion: Expansion + Send;

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
    fn insert_initial(&mut self, state: &Self::Initial) -> Result<(u32, bool), Halt>;

    /// Computes the steps of a stored state and stores the successors.
    ///
    /// # Errors
    /// No room: some successors are stored, and the expansion is meaningless.
    fn expand(&mut self, number: u32, expansion: &mut Self::Expansion) -> Result<(), Halt>;

    /// Whether a stored state has no step.
    fn is_deadlock(&self, number: u32) -> bool;

    /// The bound of the tool that ended a start, if it was one.
    fn bound_of_start(&self, _: &Self::FailedStart) -> Option<Limit> {
        None
    }

    /// The first bound of the tool that ended a step of an expansion, if one did.
    fn bound_of(&self, _: &Self::Expansion) -> Option<Limit> {
        None
    }

    /// A number that changes whenever memory outside the store may have grown.
    fn growth(&self) -> u64 {
        0
    }

    /// Bytes held outside the store.
    fn footprint(&self) -> Footprint;

    /// The limit on memory.
    fn most_bytes(&self) -> u64;

    /// The counts of expansions, without transitions.
    fn tally(&self) -> Tally {
        Tally::default()
    }

    /// Sets the counts.
    fn set_tally(&mut self, tally: Tally) {
        let _ = tally;
    }

    /// How often each part of the model was executed by the states that were expanded, if that is counted.
    fn executions(&self) -> Option<&Executions> {
        None
    }

    /// Counts the executions of an expansion that is part of the search: [`expand`](Self::expand) does not, as a visit may be taken back.
    fn count_executions(&mut self, _: &Self::Expansion) {}

    /// The steps that the expansions left out, with the reasons.
    fn reductions(&self) -> Vec<Reduction> {
        Vec::new()
    }

    /// The number of expansions that left out steps.
    fn left_out(&self) -> u64 {
        self.tally().left_out
    }

    /// Sets the number of expansions that left out steps, those of forks included.
    fn set_left_out(&mut self, expansions: u64) {
        self.set_tally(Tally { left_out: expansions, ..self.tally() });
    }

    /// Whether the bound on the work for a representative was met, so that an orbit may have several.
    fn has_cut_ties(&self) -> bool {
        false
    }

    /// Bytes allocated, `others` of them by the search.
    fn bytes(&self, others: u64) -> u64 {
        self.footprint().total.saturating_add(others).saturating_add(self.store().bytes())
    }

    /// Passes to the store how much memory is left for it, when the search has `others` and the process holds `held`
    /// other bytes.
    ///
    /// # Errors
    /// The space and the search could not double their largest part within the limit.
    fn settle(&mut self, others: u64, held: u64) -> Result<(), Halt> {
        let (mut footprint, most) = (self.footprint(), self.most_bytes().saturating_sub(held));
        footprint.add(others);
        self.store_mut().allow(most.saturating_sub(footprint.total));
        let room = footprint.left(most).ok_or(Halt::Memory)?;
        self.store_mut().shrink(room)
    }
}

/// A state space whose states can be distributed among forks: copies that agree with it on the packing of states, and
/// never number anything themselves.
pub trait Sharded: StateSpace + Send {
    /// The numbered values, and the packing of states, at one time.
    type Mark;
    /// The values that were numbered since.
    type Learnt: Send + Sync;
    /// The packing of states.
    type Packing: Send;

    /// A fork without states that may take so many bytes.
    fn fork(&self, most_bytes: u64) -> Self;

    /// Sets how many bytes a fork may take from now on.
    fn limit(&mut self, most_bytes: u64);

    /// Turns a fork into a separate space again.
    fn part(&mut self) {}

    /// Computes the packed successors of a packed state, as they are to be stored, and stores nothing; returns the
    /// number of transitions.
    ///
    /// # Errors
    /// No room; or, in a fork, a value that has no number yet.
    fn steps(&mut self, state: &[u64], expansion: &mut Self::Expansion) -> Result<u32, Halt>;

    /// The packed successors.
    fn packed(expansion: &Self::Expansion) -> &[u64];

    /// Whether steps were left out by partial order.
    fn leaves_out(_: &Self::Expansion) -> bool {
        false
    }

    /// A hash that does not depend on the packing of the state.
    #[inline]
    fn shard_hash(&self, state: &[u64]) -> u64 {
        self.store().hash(state)
    }

    /// The packed successors that [`Sharded::steps`] computed, by the place of each, with [`Sharded::shard_hash`] of each.
    #[inline]
    fn shard_hashes(&self, expansion: &Self::Expansion, mut each: impl FnMut(usize, &[u64], u64)) {
        let (mut rest, mut place, stride) = (Self::packed(expansion), 0, self.store().stride());
        while !rest.is_empty() {
            let state;
            (state, rest) = rest.split_at(stride);
            each(place, state, self.shard_hash(state));
            place += 1;
        }
    }

    /// The fields of packed states.
    fn layout(&self) -> &Layout;

    /// A packed state as numbers that do not depend on its packing.
    fn fields(&self, state: &[u64]) -> Vec<u32> {
        (0..self.layout().len()).map(|field| self.layout().get(state, field)).collect()
    }

    /// Packs such numbers, and appends them.
    fn pack(&self, fields: &[u32], to: &mut Vec<u64>) {
        let (layout, first) = (self.layout(), to.len());
        assert!(fields.len() <= layout.len(), "the fields of a state; those of slots that were added are 0");
        to.resize(first + layout.stride(), 0);
        for (field, &value) in fields.iter().enumerate() {
            layout.set(&mut to[first..], field, value);
        }
    }

    /// Sets the number of states that forks hold, since the packing depends on it.
    fn hold_elsewhere(&mut self, states: u32) {
        let _ = states;
    }

    /// The values that are numbered now.
    fn mark(&self) -> Self::Mark;

    /// The values that were numbered since.
    fn learnt(&self, _: &Self::Mark) -> Option<Self::Learnt> {
        None
    }

    /// Takes over the values that another space numbered, and packs the states of the store as that one does.
    ///
    /// # Errors
    /// No room.
    fn learn(&mut self, _: &Self::Learnt) -> Result<(), Halt> {
        Ok(())
    }

    /// The packing of states.
    fn packing(&self) -> Self::Packing;

    /// Packs states in the current way that were packed in an earlier way.
    fn repack<'b>(&self, _: &Self::Packing, _: impl Iterator<Item = &'b mut Vec<u64>>) {}
}

/// The steps of one state.
pub trait Expansion: Default {
    /// The number of transitions.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The successors, one per transition.
    fn successors(&self) -> impl Iterator<Item = u32>;

    /// Whether there is any step, faulting ones included.
    fn is_enabled(&self) -> bool;

    /// Whether the state counts as a deadlock: there is no step, and the processes may not rest there.
    fn is_deadlock(&self) -> bool {
        !self.is_enabled()
    }

    /// Removes the transitions.
    fn clear(&mut self);

    /// Bytes allocated.
    fn bytes(&self) -> u64;
}
