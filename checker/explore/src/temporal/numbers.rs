//! The numbers of nodes by state and place.
//!
//! With a small automaton each state has a row with a number for each of its places, so that a look-up is one read; places of ended
//! runs, which few states have, lie in a map. With a larger one the map has all of them.
//!
//! Invariant: a number is given once and never changes.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::memory::bytes_of;

const NONE: u32 = u32::MAX;

/// The states of an automaton that have rows.
const MOST_IN_ROW: usize = 8;

/// Numbers of nodes.
#[derive(Debug)]
pub(super) struct Numbers {
    /// The length of a row; nothing without rows.
    width: usize,
    rows: Vec<u32>,
    others: FxHashMap<(u32, u32), u32>,
}

impl Numbers {
    /// No numbers, for an automaton of so many states.
    pub(super) fn new(automaton: usize) -> Numbers {
        let width = if automaton <= MOST_IN_ROW { automaton } else { 0 };
        Numbers { width, rows: Vec::new(), others: FxHashMap::default() }
    }

    /// The number of a state at a place: `new` if it had none. The automaton has that many states.
    #[inline]
    pub(super) fn of(&mut self, state: u32, place: u32, new: u32, states: usize) -> u32 {
        debug_assert_ne!(new, NONE, "a number is not the mark of none");
        let Some(at) = self.at(state, place) else {
            return match self.others.entry((state, place)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(free) => *free.insert(new),
            };
        };
        if at >= self.rows.len() {
            self.rows.resize(states.max(state as usize + 1) * self.width, NONE);
        }
        let number = &mut self.rows[at];
        if *number == NONE {
            *number = new;
        }
        *number
    }

    /// The number of a state at a place, if it has one.
    pub(super) fn known(&self, state: u32, place: u32) -> Option<u32> {
        match self.at(state, place) {
            Some(at) => self.rows.get(at).copied().filter(|&number| number != NONE),
            None => self.others.get(&(state, place)).copied(),
        }
    }

    /// The position of the number, if it is in a row.
    #[inline]
    fn at(&self, state: u32, place: u32) -> Option<usize> {
        debug_assert!(self.width == 0 || ((place >> 1) as usize) < self.width, "a place is a state of the automaton");
        (self.width > 0 && place & 1 == 0).then(|| state as usize * self.width + (place >> 1) as usize)
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<u32>(self.rows.capacity()) + bytes_of::<(u32, u32, u32)>(self.others.capacity() * 8 / 7)
    }
}
