//! Formulas to automata: normal form ([`formula`], [`simplify`]), translation ([`translate`]), reduction ([`reduce`]).
//!
//! An automaton has generalised Buchi acceptance on its edges: a run is accepted if it passes edges of every set again and
//! again. An edge reads the conditions of one state: a cube, a conjunction of literals.

mod degeneralise;
mod formula;
mod given;
mod reduce;
mod shape;
mod simplify;
mod translate;

use frontend::model::Formula;

pub(crate) use degeneralise::degeneralise;
use formula::Formulas;
pub(crate) use shape::Shape;

/// A set of atoms, or of acceptance sets.
pub(crate) type Bits = u128;

/// The most atoms of a formula, and the most acceptance sets of an automaton.
pub(crate) const MOST_BITS: usize = 128;

/// A conjunction of literals. All atoms of both parts are atoms of the formula; the parts are disjoint.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Cube {
    /// The atoms that hold.
    pub(crate) positive: Bits,
    /// The atoms that do not.
    pub(crate) negative: Bits,
}

impl Cube {
    /// The cube that always holds.
    pub(crate) const TRUE: Cube = Cube { positive: 0, negative: 0 };

    /// Both cubes; nothing if they contradict each other.
    pub(crate) fn and(self, other: Cube) -> Option<Cube> {
        let both = Cube { positive: self.positive | other.positive, negative: self.negative | other.negative };
        (both.positive & both.negative == 0).then_some(both)
    }

    /// Whether it implies another cube.
    pub(crate) fn implies(self, other: Cube) -> bool {
        other.positive & !self.positive == 0 && other.negative & !self.negative == 0
    }

    /// The number of its literals.
    pub(crate) fn size(self) -> u32 {
        self.positive.count_ones() + self.negative.count_ones()
    }

    /// Whether it holds where exactly these atoms hold.
    pub(crate) fn holds(self, letter: Bits) -> bool {
        self.positive & !letter == 0 && self.negative & letter == 0
    }
}

/// An edge of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Edge {
    /// Where it goes.
    pub(crate) to: usize,
    /// What it reads.
    pub(crate) label: Cube,
    /// The acceptance sets that it belongs to.
    pub(crate) marks: Bits,
}

/// An automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Automaton {
    /// How many acceptance sets there are.
    pub(crate) sets: usize,
    /// Where runs start.
    pub(crate) initial: Vec<usize>,
    /// The edges by state.
    pub(crate) edges: Vec<Vec<Edge>>,
}

impl Automaton {
    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.edges.len()
    }

    /// All acceptance sets.
    pub(crate) fn all(&self) -> Bits {
        if self.sets == 0 { 0 } else { Bits::MAX >> (MOST_BITS - self.sets) }
    }
}

/// A formula whose automaton would be too large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooLarge;

/// An automaton of the words that satisfy a formula, or that do not.
///
/// # Errors
/// More than [`MOST_BITS`] atoms, or too many states or edges.
pub(crate) fn automaton<A>(
    formula: &Formula<A>,
    positive: bool,
    atom: &mut dyn FnMut(&A) -> (usize, bool),
) -> Result<Automaton, TooLarge> {
    match (formula, positive) {
        (Formula::Accepted(given, propositions), true) => return given::automaton(given, propositions, atom),
        (Formula::Not(inner), _) if matches!(**inner, Formula::Accepted(..)) => {
            return automaton(inner, !positive, atom);
        }
        // Nothing here complements automata.
        _ if formula.has_automaton() => return Err(TooLarge),
        _ => {}
    }
    let mut formulas = Formulas::new();
    let normal = formulas.normal(formula, positive, atom);
    let raw = translate::translate(&mut formulas, normal)?;
    Ok(reduce::reduce(raw))
}
