//! [`Terms`]: what is computed from elements that are too wide for literals, as expressions.
//!
//! Equal expressions are one term; operands of commutative operators are unordered. Conditions ask terms by [`Atom`]s, which stand
//! behind the elements in tests: number `k` is element `n + k` of a model of `n` elements, with the values 0 and 1.
//!
//! # Soundness
//!
//! An atom is a function of the state. A permutation that maps wide elements to those of the same bounds, values kept, and terms
//! along with their operands, maps atoms to atoms of the image of their meaning. What intervals decide is not asked; it depends on the
//! bounds of sorts alone, so it is decided alike for images. Atoms that depend on each other are drawn as if
//! they did not: symmetries may be missed for that, none is made up.

use frontend::sequential::{BinaryOp, Interval};
use rustc_hash::FxHashMap;

/// The deepest term.
const MAX_DEPTH: u32 = 1 << 8;
/// The most terms of a store.
const MAX_TERMS: usize = 1 << 20;

/// Index into the list of terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TermId(pub u32);

impl TermId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function of wide elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A constant.
    Value(i32),
    /// A wide element before the step.
    Element(usize),
    /// The number of ones.
    Bits(TermId),
    /// An operator; operands of commutative ones ascending.
    Binary(BinaryOp, TermId, TermId),
}

/// What conditions ask of terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// They are equal; ascending.
    Equal(TermId, TermId),
    /// The first is less.
    Less(TermId, TermId),
    /// The operator of this term faults, its operands given.
    Fault(TermId),
}

/// A value, or a term for what is not told apart value by value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Datum {
    /// A value.
    Value(i32),
    /// A term, not a constant.
    Term(TermId),
}

impl Term {
    /// The terms it is made of.
    pub fn operands(self) -> Vec<TermId> {
        match self {
            Term::Value(_) | Term::Element(_) => Vec::new(),
            Term::Bits(inner) => vec![inner],
            Term::Binary(_, left, right) => vec![left, right],
        }
    }

    /// Whether its operands may change places.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Term::Binary(BinaryOp::Add | BinaryOp::Multiply | BinaryOp::Xor | BinaryOp::BitAnd | BinaryOp::BitOr, ..)
        )
    }
}

impl Atom {
    /// The terms it asks.
    pub fn operands(self) -> Vec<TermId> {
        match self {
            Atom::Equal(left, right) | Atom::Less(left, right) => vec![left, right],
            Atom::Fault(term) => vec![term],
        }
    }
}

/// A store of terms and atoms.
#[derive(Default, Debug)]
pub(crate) struct Terms {
    pub(crate) list: Vec<Term>,
    pub(crate) atoms: Vec<Atom>,
    /// By element; where none is given, all values.
    bounds: Vec<Interval>,
    /// By term, without faults: where an operator faults there is no term.
    intervals: Vec<Interval>,
    index: FxHashMap<Term, TermId>,
    numbers: FxHashMap<Atom, usize>,
    depths: Vec<u32>,
}

impl Terms {
    /// No terms yet, over elements within these bounds.
    pub(crate) fn within(bounds: impl Iterator<Item = (i32, i32)>) -> Terms {
        Terms { bounds: bounds.map(|(low, high)| Interval::new(low, high)).collect(), ..Terms::default() }
    }

    /// Values that contain all that a term may have.
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
            Term::Element(element) => self.bounds.get(element).copied().unwrap_or(any),
            Term::Bits(inner) => of(inner).ones(),
            Term::Binary(op, left, right) => of(left).operate(op, of(right)),
        };
        Interval::new(found.low, found.high)
    }

    /// What intervals say of a question.
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

    /// The id of a term; nothing if it is too deep, or there are too many.
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
