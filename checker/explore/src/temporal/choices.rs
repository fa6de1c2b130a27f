//! The edges of an automaton that letters allow.

use ltl::{Bits, Edge};
use rustc_hash::FxHashMap;

/// No entry.
const NONE: u32 = u32::MAX;

/// The states of an automaton whose edges are looked up in a table.
const MOST_IN_TABLE: usize = 64;

/// Adds the targets and marks of the edges that a letter allows.
pub(super) fn allowed(edges: &[Edge], letter: Bits, found: &mut Vec<(u32, Bits)>) {
    let first = found.len();
    for edge in edges {
        let step = (number(edge.to), edge.marks);
        if edge.label.holds(letter) && !found[first..].contains(&step) {
            found.push(step);
        }
    }
}

/// The edges of the automaton by letter and state: in a table if the automaton is small.
pub(super) struct Choices {
    /// The states of the automaton, if there are few.
    width: usize,
    table: Vec<(u32, u32)>,
    others: FxHashMap<(u32, u32), (u32, u32)>,
}

impl Choices {
    /// No letters yet.
    pub(super) fn new(states: usize) -> Choices {
        let width = if states <= MOST_IN_TABLE { states } else { 0 };
        Choices { width, table: Vec::new(), others: FxHashMap::default() }
    }

    #[inline]
    pub(super) fn get(&self, letter: u32, state: u32) -> Option<(u32, u32)> {
        if self.width == 0 {
            return self.others.get(&(letter, state)).copied();
        }
        let at = letter as usize * self.width + state as usize;
        self.table.get(at).copied().filter(|&(first, _)| first != NONE)
    }

    pub(super) fn set(&mut self, letter: u32, state: u32, choices: (u32, u32)) {
        if self.width == 0 {
            self.others.insert((letter, state), choices);
            return;
        }
        assert!((state as usize) < self.width, "a choice is of a state of the automaton");
        let at = letter as usize * self.width + state as usize;
        if self.table.len() <= at {
            self.table.resize((letter as usize + 1) * self.width, (NONE, 0));
        }
        self.table[at] = choices;
    }
}

/// A number of a state or letter.
pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("automata and alphabets are small")
}
