//! The product of a state space with an automaton, made as it is visited.
//!
//! A node is a stored state, a state of the automaton that is to read it, and whether the run has ended there. An edge takes a
//! step and an edge of the automaton that the state satisfies. A run ends in a state without steps, and at a step that
//! faults; the node then goes on in its ended form, whose state never changes.
//!
//! Conditions are evaluated once a state; states with the same values share a letter, and the edges of the automaton that a
//! letter allows are computed once.
//!
//! Invariants: nodes are numbered in the order of their discovery; the nodes of one state are a linked list from
//! `first[state]`; every node was visited, or lies beyond the limit on depth.
//!
//! Complexity: the steps of a state are computed once a node.

use std::ops::{ControlFlow, Range};

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::automaton::{Automaton, Bits};
use super::runs::{NOBODY, Runs};
use crate::memory::bytes_of;
use crate::search::{End, Expansion as _, Observer, Search, StateSpace};

const NONE: u32 = u32::MAX;

/// The mover of the edge to an ended node.
const END: u32 = u32::MAX - 1;

/// Looks at nothing.
pub(crate) struct Blind;

impl<S: StateSpace> Observer<S> for Blind {
    fn start_failed(&mut self, _: &S, _: &S::FailedStart) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn stored(&mut self, _: &S, _: Range<u32>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn expanded(&mut self, _: &S, _: u32, _: &S::Expansion) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Why the product is not visited to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// The search ends.
    End(End),
    /// A condition has no value in the state of a node.
    Undefined {
        /// The node.
        node: u32,
        /// Which condition.
        atom: usize,
    },
}

impl From<End> for Stop {
    fn from(end: End) -> Stop {
        Stop::End(end)
    }
}

/// An edge of the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    /// The state reached.
    pub(crate) state: u32,
    /// The state of the automaton, and whether the run has ended.
    pub(crate) place: u32,
    /// The process that moves; [`NOBODY`] for none.
    pub(crate) mover: u32,
    /// Where processes are taken, by number.
    pub(crate) moves: u32,
    /// The acceptance sets of the edge.
    pub(crate) marks: Bits,
}

/// The edges of a visited node: each successor with each edge of the automaton.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    /// The first successor in the buffer.
    first: usize,
    /// The first one after them.
    end: usize,
    /// The first edge of the automaton.
    choices: usize,
    /// One behind the last of them.
    choices_end: usize,
    next: usize,
}

/// The product.
pub(crate) struct Product<'a, 's, S: Runs> {
    /// The search of the state space.
    pub(crate) search: Search<'s, S, Blind>,
    /// The automaton.
    pub(crate) automaton: &'a Automaton,
    atoms: Vec<S::Invariant>,
    /// The letter of each state; [`NONE`] if unknown.
    letters: Vec<u32>,
    alphabet: IndexSet<Bits, FxBuildHasher>,
    /// By letter and state of the automaton: where its edges lie in `edges`.
    choices: FxHashMap<(u32, u32), (usize, usize)>,
    /// Targets and marks.
    edges: Vec<(u32, Bits)>,
    first: Vec<u32>,
    next: Vec<u32>,
    /// The state of each node.
    states: Vec<u32>,
    /// Twice the state of the automaton, and one more if the run has ended.
    places: Vec<u32>,
    /// (state, mover, moves) of successors of visited nodes on the stack.
    successors: Vec<(u32, u32, u32)>,
    /// The edges looked at.
    pub(crate) transitions: u64,
    /// The processes with a step in the state last visited.
    pub(crate) enabled: Vec<u64>,
    /// Bytes that the search for components holds.
    pub(crate) others: u64,
}

impl<'a, 's, S: Runs> Product<'a, 's, S> {
    /// The product without nodes.
    pub(crate) fn new(search: Search<'s, S, Blind>, automaton: &'a Automaton, atoms: Vec<S::Invariant>) -> Self {
        Product {
            search,
            automaton,
            atoms,
            letters: Vec::new(),
            alphabet: IndexSet::default(),
            choices: FxHashMap::default(),
            edges: Vec::new(),
            first: Vec::new(),
            next: Vec::new(),
            states: Vec::new(),
            places: Vec::new(),
            successors: Vec::new(),
            transitions: 0,
            enabled: Vec::new(),
            others: 0,
        }
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// The state of a node.
    pub(crate) fn state(&self, node: u32) -> u32 {
        self.states[node as usize]
    }

    /// The state of the automaton of a node.
    pub(crate) fn automaton_state(&self, node: u32) -> usize {
        (self.places[node as usize] >> 1) as usize
    }

    /// Whether the run has ended in a node.
    pub(crate) fn has_ended(&self, node: u32) -> bool {
        self.places[node as usize] & 1 == 1
    }

    /// The places in which runs start, each with each initial state.
    pub(crate) fn starts(&self) -> Vec<u32> {
        self.automaton.initial.iter().map(|&state| number(state) << 1).collect()
    }

    /// The node of a state at a place, and whether it is new.
    ///
    /// # Panics
    /// If there are 2^32 - 2 nodes.
    #[inline]
    pub(crate) fn node(&mut self, state: u32, place: u32) -> (u32, bool) {
        let at = state as usize;
        if self.first.len() <= at {
            self.first.resize((at + 1).max(self.search.space.store().len() as usize), NONE);
        }
        let mut node = self.first[at];
        while node != NONE {
            if self.places[node as usize] == place {
                return (node, false);
            }
            node = self.next[node as usize];
        }
        let node = u32::try_from(self.states.len()).expect("fewer than 2^32 nodes");
        self.states.push(state);
        self.places.push(place);
        self.next.push(self.first[at]);
        self.first[at] = node;
        (node, true)
    }

    /// The node of a state at a place, if there is one.
    pub(crate) fn known(&self, state: u32, place: u32) -> Option<u32> {
        let mut node = self.first.get(state as usize).copied().unwrap_or(NONE);
        while node != NONE && self.places[node as usize] != place {
            node = self.next[node as usize];
        }
        (node != NONE).then_some(node)
    }

    /// Visits a node at a depth: its edges, and in `enabled` the processes that have a step. The edges of nodes are left in
    /// the reverse order of visits, by [`Product::leave`].
    ///
    /// # Errors
    /// The search ends, or a condition has no value.
    pub(crate) fn visit(&mut self, node: u32, depth: u64) -> Result<Steps, Stop> {
        let (state, place) = (self.states[node as usize], self.places[node as usize]);
        let first = self.successors.len();
        self.enabled.clear();
        let letter = self.letter(node, state)?;
        let (choices, choices_end) = self.choices(letter, place >> 1);
        // Nothing of a node that the automaton gives up matters.
        if choices < choices_end {
            if place & 1 == 1 {
                self.successors.push((state, END, 0));
            } else {
                self.search.frontier_bytes = self.bytes();
                if self.search.visit(state, depth)? {
                    self.expanded(state);
                }
            }
        }
        Ok(Steps { first, end: self.successors.len(), choices, choices_end, next: 0 })
    }

    /// Takes over the steps of the state just expanded.
    #[inline]
    fn expanded(&mut self, state: u32) {
        let (space, expansion) = (&*self.search.space, &self.search.expansion);
        // Each successor has its mover: one more or less would hide successors.
        debug_assert_eq!(expansion.len(), S::movers(expansion).count());
        let moves = S::moves(expansion).iter().copied().chain(std::iter::repeat(0));
        let steps = expansion.successors().zip(S::movers(expansion)).zip(moves);
        self.successors.extend(steps.map(|((state, mover), moves)| (state, mover, moves)));
        let faults = || (0..space.stopped(expansion)).any(|at| space.kind_of_fault(expansion, at).is_some());
        if !expansion.is_enabled() || faults() {
            self.successors.push((state, END, 0));
        }
        space.enabled(state, expansion, &mut self.enabled);
    }

    /// The next edge of a node.
    #[inline]
    pub(crate) fn step(&mut self, steps: &mut Steps) -> Option<Step> {
        let width = steps.choices_end - steps.choices;
        if width == 0 || steps.next == (steps.end - steps.first) * width {
            return None;
        }
        let (successor, choice) = if width == 1 { (steps.next, 0) } else { (steps.next / width, steps.next % width) };
        steps.next += 1;
        self.transitions += 1;
        let (state, mover, moves) = self.successors[steps.first + successor];
        let (to, marks) = self.edges[steps.choices + choice];
        Some(match mover {
            END => Step { state, place: to << 1 | 1, mover: NOBODY, moves, marks },
            _ => Step { state, place: to << 1, mover, moves, marks },
        })
    }

    /// Forgets the edges of the node visited last.
    pub(crate) fn leave(&mut self, steps: &Steps) {
        self.successors.truncate(steps.first);
    }

    /// The edges of a node that was visited before, once more.
    pub(crate) fn steps_again(&mut self, node: u32) -> Vec<Step> {
        let (state, place) = (self.states[node as usize], self.places[node as usize]);
        let first = self.successors.len();
        self.enabled.clear();
        let Ok(letter) = self.letter(node, state) else { return Vec::new() };
        let (choices, choices_end) = self.choices(letter, place >> 1);
        if place & 1 == 1 {
            self.successors.push((state, END, 0));
        } else if self.search.space.expand(state, &mut self.search.expansion).is_ok() {
            self.expanded(state);
        }
        let end = self.successors.len();
        let mut steps = Steps { first, end, choices, choices_end, next: 0 };
        let transitions = self.transitions;
        let all = std::iter::from_fn(|| self.step(&mut steps)).collect();
        self.transitions = transitions;
        self.leave(&steps);
        all
    }

    /// The letter of the state of a node.
    #[inline]
    fn letter(&mut self, node: u32, state: u32) -> Result<u32, Stop> {
        let at = state as usize;
        if let Some(&letter) = self.letters.get(at).filter(|&&letter| letter != NONE) {
            return Ok(letter);
        }
        if self.letters.len() <= at {
            self.letters.resize((at + 1).max(self.search.space.store().len() as usize), NONE);
        }
        let mut bits: Bits = 0;
        for (index, atom) in self.atoms.iter_mut().enumerate() {
            match self.search.space.value(atom, state) {
                Some(true) => bits |= 1 << index,
                Some(false) => {}
                None => return Err(Stop::Undefined { node, atom: index }),
            }
        }
        let letter = number(self.alphabet.insert_full(bits).0);
        self.letters[at] = letter;
        Ok(letter)
    }

    /// The edges of the automaton that a letter allows in a state: where they lie.
    #[inline]
    fn choices(&mut self, letter: u32, state: u32) -> (usize, usize) {
        match self.choices.get(&(letter, state)) {
            Some(&known) => known,
            None => self.first_choices(letter, state),
        }
    }

    #[cold]
    fn first_choices(&mut self, letter: u32, state: u32) -> (usize, usize) {
        let bits = self.alphabet[letter as usize];
        let first = self.edges.len();
        for edge in &self.automaton.edges[state as usize] {
            let step = (number(edge.to), edge.marks);
            if edge.label.holds(bits) && !self.edges[first..].contains(&step) {
                self.edges.push(step);
            }
        }
        let found = (first, self.edges.len());
        self.choices.insert((letter, state), found);
        found
    }

    /// Why an atom has no value in a state.
    pub(crate) fn fault_of(&self, atom: usize, state: u32) -> Option<String> {
        self.search.space.fault_of_invariant(&self.atoms[atom], state)
    }

    /// Bytes held besides the state space.
    pub(crate) fn bytes(&self) -> u64 {
        bytes_of::<u32>(
            self.letters.capacity()
                + self.first.capacity()
                + self.next.capacity()
                + self.states.capacity()
                + self.places.capacity(),
        ) + bytes_of::<(u32, u32, u32)>(self.successors.capacity())
            + self.others
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("automata and alphabets are small")
}
