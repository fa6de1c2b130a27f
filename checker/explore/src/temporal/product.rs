//! The product of a state space with an automaton, made as it is visited.
//!
//! A node is a stored state, a state of the automaton that is to read it, and whether the run has ended there. An
//! edge takes a step and an edge of the automaton that the state satisfies. A run ends in a state without steps, and
//! at a step that faults; the node then continues in its ended form, whose state never changes.
//!
//! Conditions are evaluated once per state; states with the same values share a letter, and the edges of the
//! automaton that a letter allows are computed once. Where conditions count inside of steps, too, a step is read by the
//! letter of its state with what holds inside of it. Edges that the shape of the automaton makes superfluous are left
//! out: where a state of the automaton may become another one at any time, the node of the latter is entered from the
//! node of the former, without a step.
//!
//! Invariants: nodes are numbered in the order of their discovery ([`Numbers`]); every node was visited, or lies
//! behind the limit on depth.
//!
//! Complexity: the steps of a state are computed once, as long as there is room to keep them ([`Kept`]); else once
//! per node.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::choices::{Choices, allowed, number};
use super::everywhere::{self, is_everywhere};
use super::kept::{Keeps, Kept, Successor};
use super::numbers::Numbers;
use super::runs::{NOBODY, Runs};
use crate::memory::bytes_of;
use crate::search::{End, Expansion as _, NoObserver, Search};
use ltl::{Automaton, Bits, Shape};

const NONE: u32 = u32::MAX;

/// The share of the memory that kept steps may take.
const SHARE_KEPT: u64 = 8;

/// The reason that the product is not visited to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// The search ends.
    End(End),
    /// A condition has no value in the state of a node.
    Undefined {
        /// The node.
        node: u32,
        /// The number of the condition.
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
pub(super) struct Step {
    /// The state reached.
    pub state: u32,
    /// The state of the automaton, and whether the run has ended.
    pub place: u32,
    /// The process that moves; [`NOBODY`] for none.
    pub mover: u32,
    /// The way that processes are taken, by number.
    pub moves: u32,
    /// The acceptance sets of the edge.
    pub marks: Bits,
    /// The noted conditions that hold inside of the step.
    pub inside: Bits,
}

/// The edges of a visited node: the nodes that it becomes without a step, then each successor with each edge of the
/// automaton.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    state: u32,
    place: u32,
    /// The number of examined states of the automaton that it becomes without a step.
    entered: u32,
    /// The first successor, in the kept lists or in the buffer.
    first: usize,
    /// The number of successors, without the end of the run.
    len: u32,
    /// The same, with the end of the run.
    all: u32,
    is_kept: bool,
    /// The letter of the state.
    letter: u32,
    /// The first edge of the automaton.
    choices: u32,
    /// The number of edges.
    width: u32,
    /// The next edge of the automaton, for the next successor.
    choice: u32,
    next: u32,
}

/// The product.
pub(super) struct Product<'a, 's, S: Runs> {
    /// The search of the state space.
    pub search: Search<'s, S, NoObserver>,
    /// The automaton.
    pub automaton: &'a Automaton,
    atoms: Vec<S::Invariant>,
    /// The letter of each state; [`NONE`] if unknown.
    letters: Vec<u32>,
    alphabet: IndexSet<Bits, FxBuildHasher>,
    /// The shape of the automaton, by which edges are left out.
    pub shape: Shape,
    /// By letter and state of the automaton: the place of its edges in `edges`, and their number.
    choices: Choices,
    /// Targets and marks.
    edges: Vec<(u32, Bits)>,
    numbers: Numbers,
    /// The state of each node.
    states: Vec<u32>,
    /// Twice the state of the automaton, and one more if the run has ended.
    places: Vec<u32>,
    kept: Kept,
    /// The successors of visited nodes on the stack that are not kept.
    successors: Vec<Successor>,
    /// Whether conditions count inside of steps, too.
    counts_inside: bool,
    /// The number of examined edges.
    pub transitions: u64,
    /// The processes with a step in the state last visited.
    pub enabled: Vec<u64>,
    /// Bytes that the search for components holds.
    pub others: u64,
}

impl<'a, 's, S: Runs> Product<'a, 's, S> {
    /// The product without nodes, which keeps so much of each step.
    pub(super) fn new(
        search: Search<'s, S, NoObserver>,
        automaton: &'a Automaton,
        atoms: Vec<S::Invariant>,
        keeps: Keeps,
    ) -> Self {
        let kept = Kept::new(keeps, search.space.most_bytes() / SHARE_KEPT);
        Product {
            search,
            automaton,
            atoms,
            letters: Vec::new(),
            alphabet: IndexSet::default(),
            shape: Shape::of(automaton),
            choices: Choices::new(automaton.len()),
            edges: Vec::new(),
            numbers: Numbers::new(automaton.len()),
            states: Vec::new(),
            places: Vec::new(),
            kept,
            successors: Vec::new(),
            counts_inside: false,
            transitions: 0,
            enabled: Vec::new(),
            others: 0,
        }
    }

    /// Reads steps by what holds inside of them, too; no steps are kept.
    #[must_use]
    pub(super) fn counting_inside(mut self, counts: bool) -> Self {
        self.counts_inside = counts;
        self
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// The state of a node.
    pub(super) fn state(&self, node: u32) -> u32 {
        self.states[node as usize]
    }

    /// The state of the automaton of a node.
    pub(super) fn automaton_state(&self, node: u32) -> usize {
        (self.places[node as usize] >> 1) as usize
    }

    /// Whether the run has ended in a node.
    pub(super) fn has_ended(&self, node: u32) -> bool {
        self.places[node as usize] & 1 == 1
    }

    /// The places in which runs start, each with each initial state.
    pub(super) fn starts(&self) -> Vec<u32> {
        self.automaton.initial.iter().map(|&state| number(state) << 1).collect()
    }

    /// The literals, by their place, that are true in no reachable state; none where the complete product does not show that (`everywhere`). That
    /// each stored state has a letter is checked.
    pub(super) fn untrue(&self, literals: &[Option<(usize, bool)>]) -> Vec<usize> {
        let states = self.search.space.store().len() as usize;
        let is_known = self.letters.len() >= states && self.letters[..states].iter().all(|&letter| letter != NONE);
        if !is_known || !is_everywhere(self.automaton, everywhere::Wrong::default()) {
            return Vec::new();
        }
        let is_true = |&(atom, is_positive): &(usize, bool)| {
            self.alphabet.iter().any(|letter| (letter >> atom & 1 == 1) == is_positive)
        };
        let untrue = |at: &usize| literals[*at].is_some_and(|literal| !is_true(&literal));
        (0..literals.len()).filter(untrue).collect()
    }

    /// The node of a state at a place, and whether it is new.
    ///
    /// # Panics
    /// If there are 2^32 - 2 nodes.
    #[inline]
    pub(super) fn node(&mut self, state: u32, place: u32) -> (u32, bool) {
        let states = self.search.space.store().len() as usize;
        let new = u32::try_from(self.states.len()).expect("fewer than 2^32 nodes");
        let node = self.numbers.of(state, place, new, states);
        debug_assert!(node <= new && (state as usize) < states, "a node is of a stored state");
        if node == new {
            self.states.push(state);
            self.places.push(place);
        }
        (node, node == new)
    }

    /// The node of a state at a place, if there is one.
    pub(super) fn known(&self, state: u32, place: u32) -> Option<u32> {
        self.numbers.known(state, place)
    }

    /// Whether a node may lie on an accepting cycle.
    #[inline]
    pub(super) fn accepts(&self, node: u32) -> bool {
        self.shape.accepts[(self.places[node as usize] >> 1) as usize]
    }

    /// Visits a node at a depth: its edges, and in `enabled` the processes that have a step. The edges of nodes are left in
    /// the reverse order of visits, by [`Product::leave`].
    ///
    /// # Errors
    /// The search ends, or a condition has no value.
    #[inline]
    pub(super) fn visit(&mut self, node: u32, depth: u64) -> Result<Steps, Stop> {
        let (state, place) = (self.states[node as usize], self.places[node as usize]);
        self.enabled.clear();
        let letter = self.letter(node, state)?;
        let (choices, width) = self.choices(letter, place >> 1);
        let mut steps = Steps {
            state,
            place,
            entered: 0,
            first: self.successors.len(),
            len: 0,
            all: 0,
            is_kept: false,
            letter,
            choices,
            width,
            choice: 0,
            next: 0,
        };
        // A node that the automaton gives up does not matter.
        if width == 0 && !self.counts_inside {
            return Ok(steps);
        }
        if place & 1 == 1 {
            steps.all = 1;
        } else if let Some(list) = self.kept.list(state) {
            (steps.first, steps.len, steps.is_kept) = (list.first, list.len, true);
            steps.all = list.len + u32::from(list.ends);
            self.enabled.extend_from_slice(self.kept.enabled(list));
            self.search.again()?;
        } else {
            self.search.frontier_bytes = self.bytes();
            if self.search.visit(state, depth)? {
                self.expanded(&mut steps);
            }
        }
        Ok(steps)
    }

    /// Takes over the steps of the state just expanded.
    fn expanded(&mut self, steps: &mut Steps) {
        let (space, expansion) = (&*self.search.space, &self.search.expansion);
        // Each successor has its mover: a missing or superfluous mover would hide successors.
        debug_assert_eq!(expansion.len(), S::movers(expansion).count(), "every successor has its mover");
        self.successors.extend(successors_of::<S>(expansion));
        let ends = ends(space, expansion);
        space.enabled(steps.state, expansion, &mut self.enabled);
        steps.len = number(self.successors.len() - steps.first);
        steps.all = steps.len + u32::from(ends);
        self.kept.keep(steps.state, &self.successors[steps.first..], ends, &self.enabled);
        if let Some(list) = self.kept.list(steps.state) {
            self.successors.truncate(steps.first);
            (steps.first, steps.is_kept) = (list.first, true);
        }
    }

    /// The next edge of a node.
    #[inline]
    pub(super) fn step(&mut self, steps: &mut Steps) -> Option<Step> {
        let from = (steps.place >> 1) as usize;
        if let Some(&entered) = self.shape.entered[from].get(steps.entered as usize) {
            steps.entered += 1;
            self.transitions += 1;
            let place = number(entered) << 1 | (steps.place & 1);
            return Some(Step { state: steps.state, place, mover: NOBODY, moves: 0, marks: 0, inside: 0 });
        }
        if self.counts_inside {
            self.read_inside(steps);
        }
        if steps.next == steps.all || steps.width == 0 {
            return None;
        }
        let (to, marks) = self.edges[(steps.choices + steps.choice) as usize];
        let successor = steps.next;
        steps.choice += 1;
        if steps.choice == steps.width {
            steps.choice = 0;
            steps.next += 1;
        }
        self.transitions += 1;
        if successor == steps.len {
            return Some(Step { state: steps.state, place: to << 1 | 1, mover: NOBODY, moves: 0, marks, inside: 0 });
        }
        let at = steps.first + successor as usize;
        let Successor { state, mover, moves, inside } =
            if steps.is_kept { self.kept.step(at) } else { self.successors[at] };
        Some(Step { state, place: to << 1, mover, moves, marks, inside })
    }

    /// Takes the edges of the automaton that the next step allows, by what holds in its state and inside of it; steps that allow none are
    /// passed over.
    #[inline(never)]
    fn read_inside(&mut self, steps: &mut Steps) {
        assert!(!steps.is_kept, "what holds inside of steps is not kept");
        while steps.choice == 0 && steps.next < steps.all {
            let successor = (steps.next < steps.len).then(|| self.successors[steps.first + steps.next as usize]);
            let inside = successor.map_or(0, |successor| successor.inside);
            let letter = self.with_inside(steps.letter, inside);
            (steps.choices, steps.width) = self.choices(letter, steps.place >> 1);
            if steps.width > 0 {
                return;
            }
            steps.next += 1;
        }
    }

    /// The letter of a state with what holds inside of a step from it.
    fn with_inside(&mut self, letter: u32, inside: Bits) -> u32 {
        let own = self.alphabet[letter as usize];
        if inside & !own == 0 { letter } else { number(self.alphabet.insert_full(own | inside).0) }
    }

    /// Removes the edges of the node visited last.
    #[inline]
    pub(super) fn leave(&mut self, steps: &Steps) {
        if !steps.is_kept {
            debug_assert_eq!(self.successors.len(), steps.first + steps.len as usize, "nodes are left in reverse");
            self.successors.truncate(steps.first);
        }
    }

    /// All edges of a node that was visited before, including those that entries replace.
    pub(super) fn steps_again(&mut self, node: u32) -> Vec<Step> {
        let (state, place) = (self.states[node as usize], self.places[node as usize]);
        self.enabled.clear();
        let Ok(letter) = self.letter(node, state) else { return Vec::new() };
        let mut found = Vec::new();
        let mut choices = Vec::new();
        let (edges, own) = (&self.automaton.edges[(place >> 1) as usize], self.alphabet[letter as usize]);
        let mut read = None;
        let mut each = |Successor { state, mover, moves, inside }: Successor, has_ended: bool| {
            let letter = own | inside;
            if read != Some(letter) {
                choices.clear();
                allowed(edges, letter, &mut choices);
                read = Some(letter);
            }
            found.extend(choices.iter().map(|&(to, marks)| Step {
                state,
                place: to << 1 | u32::from(has_ended),
                mover,
                moves,
                marks,
                inside,
            }));
        };
        let end = Successor { state, mover: NOBODY, moves: 0, inside: 0 };
        if place & 1 == 1 {
            each(end, true);
        } else if self.search.space.expand(state, &mut self.search.expansion).is_ok() {
            let (space, expansion) = (&*self.search.space, &self.search.expansion);
            successors_of::<S>(expansion).for_each(|successor| each(successor, false));
            if ends(space, expansion) {
                each(end, true);
            }
            space.enabled(state, expansion, &mut self.enabled);
        }
        found
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

    /// The edges of the automaton that a letter allows in a state, without those that entries replace: their place
    /// and their number.
    #[inline]
    fn choices(&mut self, letter: u32, state: u32) -> (u32, u32) {
        match self.choices.get(letter, state) {
            Some(known) => known,
            None => self.first_choices(letter, state),
        }
    }

    #[cold]
    fn first_choices(&mut self, letter: u32, state: u32) -> (u32, u32) {
        let first = self.edges.len();
        allowed(&self.automaton.edges[state as usize], self.alphabet[letter as usize], &mut self.edges);
        let entered = &self.shape.entered[state as usize];
        let mut at = first;
        while at < self.edges.len() {
            if entered.contains(&(self.edges[at].0 as usize)) {
                self.edges.remove(at);
            } else {
                at += 1;
            }
        }
        let found = (number(first), number(self.edges.len() - first));
        self.choices.set(letter, state, found);
        found
    }

    /// The reason that an atom has no value in a state.
    pub(super) fn fault_of(&self, atom: usize, state: u32) -> Option<String> {
        self.search.space.fault_of_invariant(&self.atoms[atom], state)
    }

    /// Bytes held outside the state space.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<u32>(self.letters.capacity() + self.states.capacity() + self.places.capacity())
            + self.numbers.bytes()
            + bytes_of::<Successor>(self.successors.capacity())
            + self.kept.bytes()
            + self.others
    }
}

/// The successors of a state just expanded.
fn successors_of<S: Runs>(expansion: &S::Expansion) -> impl Iterator<Item = Successor> {
    let moves = S::moves(expansion).iter().copied().chain(std::iter::repeat(0));
    let inside = S::inside(expansion).iter().copied().chain(std::iter::repeat(0));
    let successors = expansion.successors().zip(S::movers(expansion)).zip(moves).zip(inside);
    successors.map(|(((state, mover), moves), inside)| Successor { state, mover, moves, inside })
}

/// Whether a run may end in a state just expanded: it has no step, or one that faults and ends runs.
///
/// # Panics
/// If a run neither ends nor goes on, and no bound of the tool stopped it: it would be lost.
fn ends<S: Runs>(space: &S, expansion: &S::Expansion) -> bool {
    let faults = || (0..space.stopped(expansion)).any(|at| space.ends_with(expansion, at));
    let ends = !expansion.is_enabled() || faults();
    assert!(ends || !expansion.is_empty() || space.bound_of(expansion).is_some(), "a run ends or goes on");
    ends
}
