//! Looking ahead: the steps of the states whose turn comes next, computed before it comes.
//!
//! Storing a successor costs two reads that miss every cache: an entry of the index, and the state it means. A search that takes
//! states in the order of their numbers has the steps of a state computed well before its turn, which asks for the entries; half-way
//! the entries are scanned, which asks for the states; and when its turn comes both are there. Successors are stored one
//! state after the other.
//!
//! Soundness: the steps of a state depend on the state only, and what is stored, and when, does not change.

use super::space::{Expansion, StateSpace};
use crate::memory::{Full, bytes_of};

/// The most states that are looked ahead to.
const MOST_STATES: u32 = 16;

/// Successors that are enough to be waited for together.
const ENOUGH: usize = 96;

/// States from the one whose turn it is whose successors are looked for in the index.
const SCANNED: u32 = 8;

/// A space whose steps can be computed ahead.
pub trait Foresight: StateSpace {
    /// What was looked ahead to.
    fn ahead(&mut self) -> &mut Ahead<Self::Expansion>;

    /// Computes the steps of a stored state, and probes the store for the successors; how many there are, or nothing if states are
    /// packed in another way since. `last` is the expansion that the search is given.
    ///
    /// # Errors
    /// No room, or too much work.
    fn compute(
        &mut self,
        number: u32,
        own: &mut Self::Expansion,
        last: &mut Self::Expansion,
    ) -> Result<Option<usize>, Full>;

    /// Has the successors looked for in the store.
    fn touch(&self, own: &mut Self::Expansion);

    /// Takes the steps that are to be stored, and leaves those that were.
    fn exchange(last: &mut Self::Expansion, own: &mut Self::Expansion);

    /// Takes the steps of a state that was looked ahead to, if the states come in the order of their numbers; whether it did.
    ///
    /// # Errors
    /// No room, or too much work, for the steps of this state.
    #[inline]
    fn foresee(&mut self, number: u32, expansion: &mut Self::Expansion) -> Result<bool, Full> {
        let in_a_row = self.store().tuning().in_a_row;
        let ahead = self.ahead();
        if std::mem::replace(&mut ahead.next, number.wrapping_add(1)) != number {
            (ahead.in_a_row, ahead.computed, ahead.scanned, ahead.waiting) = (0, 0, 0, 0);
        }
        if ahead.in_a_row < in_a_row {
            ahead.in_a_row += 1;
            return Ok(false);
        }
        self.look_ahead(number, expansion)?;
        let ahead = self.ahead();
        ahead.computed -= 1;
        ahead.scanned -= 1;
        let (own, successors) = &mut ahead.steps[place(number)];
        ahead.waiting -= *successors;
        Self::exchange(expansion, own);
        Ok(true)
    }

    /// Looks ahead as far as is to be done before the turn of a state.
    ///
    /// # Errors
    /// As [`Foresight::foresee`].
    #[inline]
    fn look_ahead(&mut self, number: u32, expansion: &mut Self::Expansion) -> Result<(), Full> {
        let mut ahead = std::mem::take(self.ahead());
        if ahead.steps.is_empty() {
            ahead.steps.resize_with(MOST_STATES as usize, Default::default);
        }
        let mut found = Ok(());
        while ahead.is_short() && number + ahead.computed < self.store().len() {
            let state = number + ahead.computed;
            let (own, successors) = &mut ahead.steps[place(state)];
            match self.compute(state, own, expansion) {
                Ok(Some(count)) => {
                    *successors = count;
                    ahead.computed += 1;
                    ahead.waiting += count;
                    ahead.has_failed = false;
                }
                // Once more, now that everything has a number.
                Ok(None) => (ahead.computed, ahead.scanned, ahead.waiting) = (0, 0, 0),
                Err(full) => {
                    ahead.has_failed = true;
                    found = Err(full);
                    break;
                }
            }
        }
        while ahead.scanned < ahead.computed.min(SCANNED) {
            self.touch(&mut ahead.steps[place(number + ahead.scanned)].0);
            ahead.scanned += 1;
        }
        // What fails later is met again when its turn comes.
        let found = if ahead.computed == 0 { found } else { Ok(()) };
        *self.ahead() = ahead;
        found
    }
}

/// The steps of the states from a number on.
#[derive(Debug)]
pub struct Ahead<E> {
    /// The number of the state that is expected next.
    next: u32,
    /// How many states came as expected.
    in_a_row: u32,
    /// The steps of a state lie at its number, round and round, with the number of its successors.
    steps: Vec<(E, usize)>,
    /// Of so many states, from the next one on, the steps are computed.
    computed: u32,
    /// Of so many of these the index was scanned.
    scanned: u32,
    /// How many successors these states have.
    waiting: usize,
    /// Whether the steps of the state behind these could not be computed.
    has_failed: bool,
}

impl<E> Default for Ahead<E> {
    fn default() -> Ahead<E> {
        Ahead { next: 0, in_a_row: 0, steps: Vec::new(), computed: 0, scanned: 0, waiting: 0, has_failed: false }
    }
}

/// A copy looks ahead by itself.
impl<E> Clone for Ahead<E> {
    fn clone(&self) -> Ahead<E> {
        Ahead::default()
    }
}

/// Where the steps of a state lie.
#[inline]
fn place(number: u32) -> usize {
    (number % MOST_STATES) as usize
}

impl<E: Expansion> Ahead<E> {
    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        bytes_of::<(E, usize)>(self.steps.capacity()) + self.steps.iter().map(|(own, _)| own.bytes()).sum::<u64>()
    }
}

impl<E> Ahead<E> {
    /// Whether the steps of one more state are to be computed.
    #[inline]
    fn is_short(&self) -> bool {
        self.computed == 0 || self.computed < MOST_STATES && self.waiting < ENOUGH && !self.has_failed
    }
}
