//! Looking ahead: the steps of the states whose turn comes next, computed before it comes.
//!
//! Storing a successor costs two reads that miss every cache: an entry of the index, and the state it means. A search that takes
//! states in the order of their numbers has the steps of a state computed well before its turn, which asks for the entries; half-way
//! the entries are scanned, which asks for the states; and when its turn comes both are there. Successors are stored one
//! state after the other.
//!
//! Soundness: the steps of a state depend on the state only, and what is stored, and when, does not change.

use super::space::{Expansion, Space};
use crate::memory::{Full, bytes_of};
use crate::search;

/// The most states that are looked ahead to.
const MOST_STATES: u32 = 16;

/// Successors that are enough to be waited for together.
const ENOUGH: usize = 96;

/// States from the one whose turn it is whose successors are looked for in the index.
const SCANNED: u32 = 8;

/// States in a row before the search is looked ahead of; few in tests, so that small searches are, too.
const IN_A_ROW: u32 = if cfg!(test) { 2 } else { 16 };

/// The steps of the states from a number on.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// The number of the state that is expected next.
    next: u32,
    /// How many states came as expected.
    in_a_row: u32,
    /// The steps of a state lie at its number, round and round.
    steps: Vec<Expansion>,
    /// Of so many states, from the next one on, the steps are computed.
    computed: u32,
    /// Of so many of these the index was scanned.
    scanned: u32,
    /// How many successors these states have.
    successors: usize,
    /// Whether the steps of the state behind these were not to be computed.
    has_failed: bool,
}

/// A copy looks ahead by itself.
impl Clone for Ahead {
    fn clone(&self) -> Ahead {
        Ahead::default()
    }
}

/// Where the steps of a state lie.
#[inline]
fn place(number: u32) -> usize {
    (number % MOST_STATES) as usize
}

impl Ahead {
    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<Expansion>(self.steps.capacity()) + self.steps.iter().map(search::Expansion::bytes).sum::<u64>()
    }

    /// Whether the steps of one more state are to be computed.
    #[inline]
    fn is_short(&self) -> bool {
        self.computed == 0 || self.computed < MOST_STATES && self.successors < ENOUGH && !self.has_failed
    }
}

impl Expansion {
    /// Exchanges the machine.
    fn exchange_machines(&mut self, other: &mut Expansion) {
        std::mem::swap(&mut self.machine, &mut other.machine);
    }

    /// Takes the steps of a state that are to be stored from another expansion.
    fn take_steps(&mut self, other: &mut Expansion) {
        self.exchange_machines(other);
        std::mem::swap(self, other);
    }
}

impl Space<'_> {
    /// Takes the steps of a state that was looked ahead to, if the states come in the order of their numbers; whether it
    /// did.
    ///
    /// # Errors
    /// No room, or too much work, for the steps of this state.
    #[inline]
    pub(super) fn foresee(&mut self, number: u32, expansion: &mut Expansion) -> Result<bool, Full> {
        let ahead = &mut self.ahead;
        if std::mem::replace(&mut ahead.next, number.wrapping_add(1)) != number {
            (ahead.in_a_row, ahead.computed, ahead.scanned, ahead.successors) = (0, 0, 0, 0);
        }
        if ahead.in_a_row < IN_A_ROW {
            ahead.in_a_row += 1;
            return Ok(false);
        }
        self.look_ahead(number, expansion)?;
        let ahead = &mut self.ahead;
        ahead.computed -= 1;
        ahead.scanned -= 1;
        let own = &mut ahead.steps[place(number)];
        ahead.successors -= own.movers.len();
        expansion.take_steps(own);
        Ok(true)
    }

    /// Looks ahead as far as is to be done before the turn of a state.
    #[inline]
    fn look_ahead(&mut self, number: u32, expansion: &mut Expansion) -> Result<(), Full> {
        let mut steps = std::mem::take(&mut self.ahead.steps);
        steps.resize_with(MOST_STATES as usize, Expansion::default);
        let mut found = Ok(());
        while self.ahead.is_short() && number + self.ahead.computed < self.store.len() {
            let state = number + self.ahead.computed;
            let own = &mut steps[place(state)];
            // One machine learns from all states.
            own.exchange_machines(expansion);
            found = own.steps_of(self, state);
            own.exchange_machines(expansion);
            self.ahead.has_failed = found.is_err();
            if found.is_err() {
                break;
            }
            self.store.probe(&own.words, &mut own.probes);
            self.ahead.computed += 1;
            self.ahead.successors += own.movers.len();
        }
        while self.ahead.scanned < self.ahead.computed.min(SCANNED) {
            self.store.touch(&mut steps[place(number + self.ahead.scanned)].probes);
            self.ahead.scanned += 1;
        }
        self.ahead.steps = steps;
        // What fails later is met again when its turn comes.
        if self.ahead.computed == 0 { found } else { Ok(()) }
    }
}
