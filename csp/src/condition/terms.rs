//! [`Terms`]: what is computed from elements that are too wide for literals, as expressions.
//!
//! Equal expressions are one term; operands of commutative operators are unordered. Conditions ask terms by [`Atom`]s, which stand
//! behind the elements in tests: number `k` is element `n + k` of a model of `n` elements, with the values 0 and 1.
//!
//! # Soundness
//!
//! An atom is a function of the state. A permutation that maps wide elements to those of the same bounds, values kept, and terms
//! along with their operands, maps atoms to atoms of the image of their meaning. Atoms that depend on each other are drawn as if
//! they did not: symmetries may be missed for that, none is made up.

use frontend::sequential::BinaryOp;
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
    index: FxHashMap<Term, TermId>,
    numbers: FxHashMap<Atom, usize>,
    depths: Vec<u32>,
}

impl Terms {
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
