//! Looking ahead: the steps of several states whose turn comes next, computed together.
//!
//! Storing a successor costs two reads that miss every cache: an entry of the index and the state it means. The processor
//! fetches many side by side if it is asked for them in a row; the successors of one state are too few for that. So a search that
//! takes states in the order of their numbers has the steps of the next states computed and their places in the store
//! fetched at once. They are stored when their turn comes, one state after the other.
//!
//! Soundness: the steps of a state depend on the state only, and what is stored, and when, does not change.

use super::space::{Expansion, Space};
use crate::memory::{Full, bytes_of};
use crate::search;

/// The most states that are looked at together.
const MOST_STATES: usize = 16;

/// Successors that are enough to be fetched together.
const ENOUGH: usize = 64;

/// States in a row before the search is looked ahead of; few in tests, so that small searches are, too.
const IN_A_ROW: u32 = if cfg!(test) { 2 } else { 16 };

/// The steps of the states from a number on.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// The number of the state that is expected next.
    next: u32,
    /// How many states came as expected.
    in_a_row: u32,
    /// The steps of the states expected next are those from `at` to `end`.
    steps: Vec<Expansion>,
    at: usize,
    end: usize,
}

/// A copy looks ahead by itself.
impl Clone for Ahead {
    fn clone(&self) -> Ahead {
        Ahead::default()
    }
}

impl Ahead {
    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<Expansion>(self.steps.capacity()) + self.steps.iter().map(search::Expansion::bytes).sum::<u64>()
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
    pub(super) fn foresee(&mut self, number: u32, expansion: &mut Expansion) -> Result<bool, Full> {
        let Ahead { next, in_a_row, at, end, .. } = &mut self.ahead;
        if std::mem::replace(next, number.wrapping_add(1)) != number {
            (*in_a_row, *at, *end) = (0, 0, 0);
        }
        if *in_a_row < IN_A_ROW {
            *in_a_row += 1;
            return Ok(false);
        }
        if *at == *end {
            self.look_ahead(number, expansion)?;
        }
        let Ahead { steps, at, .. } = &mut self.ahead;
        expansion.take_steps(&mut steps[*at]);
        *at += 1;
        Ok(true)
    }

    fn look_ahead(&mut self, number: u32, expansion: &mut Expansion) -> Result<(), Full> {
        let mut steps = std::mem::take(&mut self.ahead.steps);
        steps.resize_with(MOST_STATES, Expansion::default);
        let (mut states, mut successors, mut failed) = (0, 0, None);
        while states < steps.len() && successors < ENOUGH {
            let state = number + u32::try_from(states).expect("few states");
            if state >= self.store.len() {
                break;
            }
            let own = &mut steps[states];
            // One machine learns from all states.
            own.exchange_machines(expansion);
            failed = own.steps_of(self, state).err();
            own.exchange_machines(expansion);
            if failed.is_some() {
                break;
            }
            successors += own.movers.len();
            states += 1;
        }
        for own in &mut steps[..states] {
            own.probe(&self.store);
        }
        for own in &mut steps[..states] {
            self.store.touch(&mut own.probes);
        }
        self.ahead.steps = steps;
        (self.ahead.at, self.ahead.end) = (0, states);
        // What fails later is met again when its turn comes.
        match failed {
            Some(full) if states == 0 => Err(full),
            _ => Ok(()),
        }
    }
}
