//! Lookahead: the steps of the next states, computed before their turn.
//!
//! Storing a successor costs two reads that miss every cache: an entry of the index, and the state that the entry
//! refers to. A search that takes states in the order of their numbers computes the steps of a state well before its
//! turn, which prefetches the entries; half-way it scans the entries, which prefetches the states; at the turn of the
//! state both are in the cache. Successors are stored one state after the other.
//!
//! Soundness: the steps of a state depend on the state only; the stored states and their order do not change.

use super::space::{Expansion, StateSpace};
use crate::memory::{Halt, bytes_of};

/// The most states of the lookahead.
const MOST_STATES: u32 = 16;

/// The number of successors that are enough to be waited for together.
const ENOUGH: usize = 96;

/// The number of states, from the current one on, whose successors are searched in the index.
const SCANNED: u32 = 8;

/// A space whose steps can be computed ahead.
pub trait Lookahead: StateSpace {
    /// The lookahead.
    fn lookahead(&mut self) -> &mut Precomputed<Self::Expansion>;

    /// Computes the steps of a stored state, and probes the store for the successors; returns their number, or
    /// nothing if the packing of states has changed since. `last` is the expansion that the search receives.
    ///
    /// # Errors
    /// No room, or too much work.
    fn compute(
        &mut self,
        number: u32,
        own: &mut Self::Expansion,
        last: &mut Self::Expansion,
    ) -> Result<Option<usize>, Halt>;

    /// Scans the store for the successors.
    fn touch(&self, own: &mut Self::Expansion);

    /// Takes the steps that are to be stored, and returns those that were.
    fn exchange(last: &mut Self::Expansion, own: &mut Self::Expansion);

    /// Takes the precomputed steps of a state, if the states come in the order of their numbers; returns whether
    /// there were any.
    ///
    /// # Errors
    /// No room, or too much work, for the steps of this state.
    #[inline]
    fn take_precomputed(&mut self, number: u32, expansion: &mut Self::Expansion) -> Result<bool, Halt> {
        let mut window = self.lookahead().0.take().unwrap_or_default();
        let taken = self.take_from(&mut window, number, expansion);
        self.lookahead().0 = Some(window);
        taken
    }

    /// Takes the precomputed steps of a state as [`Lookahead::take_precomputed`] does.
    ///
    /// # Errors
    /// As there.
    #[inline]
    fn take_from(
        &mut self,
        window: &mut Window<Self::Expansion>,
        number: u32,
        expansion: &mut Self::Expansion,
    ) -> Result<bool, Halt> {
        let in_a_row = self.store().tuning().in_a_row;
        if std::mem::replace(&mut window.next, number.wrapping_add(1)) != number {
            (window.in_a_row, window.computed, window.scanned, window.waiting) = (0, 0, 0, 0);
        }
        if window.in_a_row < in_a_row {
            window.in_a_row += 1;
            return Ok(false);
        }
        if window.computed == 0 && expansion.len() >= ENOUGH {
            // No other state would be looked at meanwhile: one buffer of many successors is enough.
            return Ok(false);
        }
        self.look_ahead(window, number, expansion)?;
        assert!(0 < window.scanned && window.scanned <= window.computed, "steps are computed before their turn");
        window.computed -= 1;
        window.scanned -= 1;
        let (own, successors) = &mut window.steps[place(number)];
        window.waiting -= *successors;
        Self::exchange(expansion, own);
        Ok(true)
    }

    /// Computes as many steps ahead as are due before the turn of a state.
    ///
    /// # Errors
    /// As [`Lookahead::take_precomputed`].
    #[inline]
    fn look_ahead(
        &mut self,
        window: &mut Window<Self::Expansion>,
        number: u32,
        expansion: &mut Self::Expansion,
    ) -> Result<(), Halt> {
        let mut found = Ok(());
        while window.is_short() && number + window.computed < self.store().len() {
            let state = number + window.computed;
            let (own, successors) = &mut window.steps[place(state)];
            match self.compute(state, own, expansion) {
                Ok(Some(count)) => {
                    *successors = count;
                    window.computed += 1;
                    window.waiting += count;
                    window.has_failed = false;
                }
                // A second attempt, now that every value has a number.
                Ok(None) => (window.computed, window.scanned, window.waiting) = (0, 0, 0),
                Err(cause) => {
                    window.has_failed = true;
                    found = Err(cause);
                    break;
                }
            }
        }
        while window.scanned < window.computed.min(SCANNED) {
            self.touch(&mut window.steps[place(number + window.scanned)].0);
            window.scanned += 1;
        }
        // A later failure is met again at the turn of its state.
        if window.computed == 0 { found } else { Ok(()) }
    }
}

/// The steps that are computed before the turn of their states. It is taken out of the space while steps are
/// computed, once per state.
#[derive(Debug)]
pub struct Precomputed<E>(Option<Box<Window<E>>>);

impl<E> Default for Precomputed<E> {
    fn default() -> Precomputed<E> {
        Precomputed(None)
    }
}

/// A copy has its own lookahead.
impl<E> Clone for Precomputed<E> {
    fn clone(&self) -> Precomputed<E> {
        Precomputed::default()
    }
}

/// The steps of the states from a number on.
#[derive(Debug)]
pub struct Window<E> {
    /// The number of the state that is expected next.
    next: u32,
    /// The number of states that came as expected.
    in_a_row: u32,
    /// The steps of a state are stored at its number, as in a ring, with the number of its successors.
    steps: Vec<(E, usize)>,
    /// The number of states, from the next one on, whose steps are computed.
    computed: u32,
    /// The number of these for which the index was scanned.
    scanned: u32,
    /// The number of successors of these states.
    waiting: usize,
    /// Whether the steps of the state behind these could not be computed.
    has_failed: bool,
}

impl<E: Default> Default for Window<E> {
    fn default() -> Window<E> {
        let steps = std::iter::repeat_with(Default::default).take(MOST_STATES as usize).collect();
        Window { next: 0, in_a_row: 0, steps, computed: 0, scanned: 0, waiting: 0, has_failed: false }
    }
}

/// The place of the steps of a state.
#[inline]
fn place(number: u32) -> usize {
    (number % MOST_STATES) as usize
}

impl<E: Expansion> Precomputed<E> {
    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let steps = self.0.iter().flat_map(|window| &window.steps);
        steps.map(|(own, _)| bytes_of::<(E, usize)>(1) + own.bytes()).sum()
    }
}

impl<E> Window<E> {
    /// Whether the steps of one more state are to be computed.
    #[inline]
    fn is_short(&self) -> bool {
        self.computed == 0 || self.computed < MOST_STATES && self.waiting < ENOUGH && !self.has_failed
    }
}
