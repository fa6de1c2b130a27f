//! Automata over infinite words, as users give them beside formulas.
//!
//! A run of an automaton reads the state of each position of a word by one edge and is accepted if it passes edges of every
//! acceptance set again and again (generalised Buchi acceptance on edges; without sets every run is accepted). A word is
//! accepted if some run over it is.
//!
//! Invariants: targets and initial states are states; the parts of a label are disjoint and name propositions that there are;
//! marks are below `sets`.

/// The most propositions, and the most acceptance sets, of an automaton.
pub const MOST_BITS: usize = 128;

/// An automaton over the truth of numbered propositions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Automaton {
    /// How many acceptance sets there are.
    pub sets: usize,
    /// Where runs start.
    pub initial: Vec<usize>,
    /// The edges by state.
    pub edges: Vec<Vec<AutomatonEdge>>,
}

/// An edge: it reads states in which all of some propositions hold and none of some others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AutomatonEdge {
    /// Where it goes.
    pub to: usize,
    /// The propositions that hold.
    pub positive: u128,
    /// The propositions that do not.
    pub negative: u128,
    /// The acceptance sets that it belongs to.
    pub marks: u128,
}

impl AutomatonEdge {
    /// Whether it reads a state in which exactly these propositions hold.
    pub fn reads(&self, letter: u128) -> bool {
        self.positive & !letter == 0 && self.negative & letter == 0
    }
}

impl Automaton {
    /// For each position of the word `0, 1, .., len - 1, cycle_from, ..` of letters, whether the rest from there is accepted. The
    /// obvious way: pairs of a position and a state are struck out that reach no edge of some set among those that are left.
    pub fn accepts(&self, letters: &[u128], cycle_from: usize) -> Vec<bool> {
        let states = self.edges.len();
        let next = |at: usize| if at + 1 == letters.len() { cycle_from } else { at + 1 };
        let moves = |node: usize| {
            let (at, state) = (node / states, node % states);
            let read = self.edges[state].iter().filter(move |edge| edge.reads(letters[at]));
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
