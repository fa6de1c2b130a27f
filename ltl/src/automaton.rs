//! Automata over infinite words: the results of translating formulas, and properties that users give in addition to
//! formulas.
//!
//! A run of an automaton reads each position of a word by one edge. It is accepted if it passes edges of every
//! acceptance set infinitely often (generalised Buchi acceptance on edges; without sets every run is accepted). A word
//! is accepted if some run over it is accepted.
//!
//! Invariants: targets and initial states are states; the parts of a label are disjoint and name existing propositions;
//! marks are below `sets`.

/// The greatest number of propositions, and of acceptance sets, of an automaton.
pub const MOST_BITS: usize = 128;

/// A set of atoms, or of acceptance sets.
pub type Bits = u128;

/// A conjunction of literals over numbered propositions. The parts are disjoint.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Cube {
    /// The propositions that hold.
    pub positive: Bits,
    /// The propositions that do not.
    pub negative: Bits,
}

impl Cube {
    /// The cube that always holds.
    pub const TRUE: Cube = Cube { positive: 0, negative: 0 };

    /// One literal: a proposition, or its negation.
    pub fn literal(proposition: usize, holds: bool) -> Cube {
        assert!(proposition < MOST_BITS, "a cube has room for its propositions");
        let bit = 1 << proposition;
        if holds { Cube { positive: bit, ..Cube::TRUE } } else { Cube { negative: bit, ..Cube::TRUE } }
    }

    /// Both cubes; `None` if they contradict each other.
    pub fn and(self, other: Cube) -> Option<Cube> {
        debug_assert!(self.positive & self.negative == 0 && other.positive & other.negative == 0, "cubes can hold");
        let both = Cube { positive: self.positive | other.positive, negative: self.negative | other.negative };
        (both.positive & both.negative == 0).then_some(both)
    }

    /// Whether it implies another cube.
    pub fn implies(self, other: Cube) -> bool {
        other.positive & !self.positive == 0 && other.negative & !self.negative == 0
    }

    /// The number of its literals.
    pub fn size(self) -> u32 {
        self.positive.count_ones() + self.negative.count_ones()
    }

    /// Whether it holds where exactly these propositions hold.
    pub fn holds(self, letter: Bits) -> bool {
        self.positive & !letter == 0 && self.negative & letter == 0
    }
}

/// An edge of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The target.
    pub to: usize,
    /// The label that it reads.
    pub label: Cube,
    /// The acceptance sets that it belongs to.
    pub marks: Bits,
}

/// An automaton over the truth of numbered propositions.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Automaton {
    /// The number of acceptance sets.
    pub sets: usize,
    /// The initial states of runs.
    pub initial: Vec<usize>,
    /// The edges by state.
    pub edges: Vec<Vec<Edge>>,
}

impl Automaton {
    /// The number of states.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there are no states: no word is accepted.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Whether runs start in states, and edges lead to states and are in sets that there are.
    pub(crate) fn is_closed(&self) -> bool {
        let can_hold = |label: Cube| label.positive & label.negative == 0;
        let fits = |edge: &Edge| edge.to < self.len() && edge.marks & !self.all() == 0 && can_hold(edge.label);
        self.initial.iter().all(|&state| state < self.len()) && self.edges.iter().flatten().all(fits)
    }

    /// Whether labels name only the first propositions, so many of them.
    pub(crate) fn reads_only(&self, propositions: usize) -> bool {
        let named = |edge: &Edge| edge.label.positive | edge.label.negative;
        self.edges.iter().flatten().all(|edge| (propositions..MOST_BITS).all(|bit| named(edge) >> bit & 1 == 0))
    }

    /// All acceptance sets.
    pub fn all(&self) -> Bits {
        assert!(self.sets <= MOST_BITS, "the acceptance sets have room");
        if self.sets == 0 { 0 } else { Bits::MAX >> (MOST_BITS - self.sets) }
    }

    /// For each position of the word `0, 1, .., len - 1, cycle_from, ..` of letters, whether the rest from there is
    /// accepted. The naive algorithm: it removes pairs of a position and a state from which no edge of some set is
    /// reachable among the remaining pairs.
    pub fn accepts(&self, letters: &[u128], cycle_from: usize) -> Vec<bool> {
        assert!(cycle_from < letters.len(), "the word goes back to one of its positions");
        let states = self.edges.len();
        let next = |at: usize| if at + 1 == letters.len() { cycle_from } else { at + 1 };
        let moves = |node: usize| {
            let (at, state) = (node / states, node % states);
            let read = self.edges[state].iter().filter(move |edge| edge.label.holds(letters[at]));
            read.map(move |edge| (next(at) * states + edge.to, edge.marks))
        };
        let mut left = vec![true; letters.len() * states];
        loop {
            let before = left.clone();
            for set in 0..self.sets.max(1) {
                let is_marked = |marks: u128| self.sets == 0 || marks >> set & 1 == 1;
                let mut reaching = vec![false; left.len()];
                let mut changed = true;
                while std::mem::take(&mut changed) {
                    for node in (0..left.len()).rev().filter(|&node| left[node]) {
                        let reaches = |(to, marks): (usize, u128)| left[to] && (is_marked(marks) || reaching[to]);
                        if !reaching[node] && moves(node).any(reaches) {
                            (reaching[node], changed) = (true, true);
                        }
                    }
                }
                left = reaching;
            }
            if left == before {
                break;
            }
        }
        (0..letters.len()).map(|at| self.initial.iter().any(|state| left[at * states + state])).collect()
    }
}
