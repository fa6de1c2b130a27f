//! [`Terms`]: the values computed from elements that are too wide for literals, as expressions.
//!
//! Equal expressions are one term; operands of commutative operators are unordered. Conditions refer to terms by [`Atom`]s, whose numbers
//! follow those of the elements in tests: atom `k` is element `n + k` of a model of `n` elements, with the values 0 and 1.
//!
//! # Soundness
//!
//! An atom is a function of the state. A permutation that maps wide elements to those of the same bounds, keeps their values, and maps
//! terms along with their operands, maps atoms to atoms of the image of their meaning. No atom exists for a comparison that intervals
//! decide. That decision depends on the bounds of sorts only, so it is the same for images. Atoms that depend on each other are drawn as
//! if they did not: the graph may miss symmetries for this reason, but it adds none.

use std::rc::Rc;

use frontend::sequential::{BinaryOp, Interval, Sequential};
use rustc_hash::FxHashMap;

/// The deepest term.
const MAX_DEPTH: u32 = 1 << 8;
/// The most terms of a store.
const MAX_TERMS: usize = 1 << 20;

frontend::ids! {
    /// Index into the list of terms.
    TermId;
}

/// A function of wide elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A constant.
    Value(i32),
    /// The value of a wide element before the step.
    Element(usize),
    /// The number of set bits.
    Bits(TermId),
    /// An operator with its operands, which are ascending if it is commutative.
    Binary(BinaryOp, TermId, TermId),
}

/// A comparison or a fault of terms, which conditions test.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// The terms are equal; ascending.
    Equal(TermId, TermId),
    /// The first term is less than the second.
    Less(TermId, TermId),
    /// The operator of this term faults although the evaluation of its operands does not.
    Fault(TermId),
}

/// A value, or a term for a result that is not distinguished value by value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Datum {
    /// A value.
    Value(i32),
    /// A term, not a constant.
    Term(TermId),
}

impl Term {
    /// The operands of the term.
    pub fn operands(self) -> Vec<TermId> {
        match self {
            Term::Value(_) | Term::Element(_) => Vec::new(),
            Term::Bits(inner) => vec![inner],
            Term::Binary(_, left, right) => vec![left, right],
        }
    }

    /// Whether its operands may be exchanged.
    pub fn is_commutative(self) -> bool {
        matches!(self, Term::Binary(op, ..) if op.is_commutative())
    }
}

impl Atom {
    /// The terms that the atom compares.
    pub fn operands(self) -> Vec<TermId> {
        match self {
            Atom::Equal(left, right) | Atom::Less(left, right) => vec![left, right],
            Atom::Fault(term) => vec![term],
        }
    }
}

/// The bounds of the values by element; an element without an entry may have any value.
#[derive(Clone, Default, Debug)]
pub(crate) struct Bounds(Rc<[Interval]>);

impl Bounds {
    /// The bounds of the elements of a model.
    pub(crate) fn of(model: &Sequential) -> Bounds {
        let sorts = model.element_sorts().into_iter();
        Bounds(sorts.map(|sort| model.domain(sort).bounds()).map(|(low, high)| Interval::new(low, high)).collect())
    }
}

/// A store of terms and atoms.
#[derive(Default, Debug)]
pub(crate) struct Terms {
    pub(crate) list: Vec<Term>,
    pub(crate) atoms: Vec<Atom>,
    bounds: Bounds,
    /// The intervals by term, without faults: where an operator faults there is no term.
    intervals: Vec<Interval>,
    index: FxHashMap<Term, TermId>,
    numbers: FxHashMap<Atom, usize>,
    depths: Vec<u32>,
}

impl Terms {
    /// An empty store over elements within these bounds.
    pub(crate) fn within(bounds: &Bounds) -> Terms {
        Terms { bounds: bounds.clone(), ..Terms::default() }
    }

    /// An interval that contains all values that a term may have.
    pub(crate) fn interval(&self, id: TermId) -> (i32, i32) {
        let Interval { low, high, .. } = self.intervals[id.index()];
        (low, high)
    }

    /// The values of a term where its operands have one.
    fn interval_of(&self, term: Term) -> Interval {
        let of = |id: TermId| self.intervals[id.index()];
        let any = Interval::new(i32::MIN, i32::MAX);
        let found = match term {
            Term::Value(value) => Interval::new(value, value),
            Term::Element(element) => self.bounds.0.get(element).copied().unwrap_or(any),
            Term::Bits(inner) => of(inner).ones(),
            Term::Binary(op, left, right) => of(left).operate(op, of(right)),
        };
        Interval::new(found.low, found.high)
    }

    /// The truth of an atom, if intervals decide it.
    pub(crate) fn decided(&self, atom: Atom) -> Option<bool> {
        let of = |id: TermId| self.intervals[id.index()];
        let (op, left, right) = match atom {
            Atom::Equal(left, right) | Atom::Less(left, right) if left == right => {
                return Some(matches!(atom, Atom::Equal(..)));
            }
            Atom::Equal(left, right) => (BinaryOp::Equal, of(left), of(right)),
            Atom::Less(left, right) => (BinaryOp::Less, of(left), of(right)),
            Atom::Fault(term) => match self.list[term.index()] {
                Term::Binary(op, left, right) => return (!of(left).operate(op, of(right)).faults).then_some(false),
                _ => return Some(false),
            },
        };
        left.operate(op, right).constant().map(|truth| truth != 0)
    }

    /// The id of a term; `None` if it is too deep, or if there are too many.
    pub(crate) fn intern(&mut self, term: Term) -> Option<TermId> {
        let term = match term {
            Term::Binary(op, left, right) if term.is_commutative() => {
                Term::Binary(op, left.min(right), left.max(right))
            }
            other => other,
        };
        if let Some(&known) = self.index.get(&term) {
            return Some(known);
        }
        let depth = term.operands().iter().map(|operand| 1 + self.depths[operand.index()]).max().unwrap_or(0);
        if depth > MAX_DEPTH || self.list.len() >= MAX_TERMS {
            return None;
        }
        let id = TermId(u32::try_from(self.list.len()).ok()?);
        debug_assert!(term.operands().iter().all(|operand| *operand < id), "a term follows its operands");
        self.intervals.push(self.interval_of(term));
        self.list.push(term);
        self.depths.push(depth);
        self.index.insert(term, id);
        Some(id)
    }

    /// The id of a value or a term.
    pub(crate) fn of(&mut self, datum: Datum) -> Option<TermId> {
        match datum {
            Datum::Value(value) => self.intern(Term::Value(value)),
            Datum::Term(term) => Some(term),
        }
    }

    /// The number of an atom.
    pub(crate) fn number(&mut self, atom: Atom) -> usize {
        let atom = match atom {
            Atom::Equal(left, right) => Atom::Equal(left.min(right), left.max(right)),
            other => other,
        };
        let next = self.atoms.len();
        let number = *self.numbers.entry(atom).or_insert(next);
        if number == next {
            self.atoms.push(atom);
        }
        number
    }
}
