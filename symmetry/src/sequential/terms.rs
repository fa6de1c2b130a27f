//! [`Terms`]: the values computed from elements that are too wide to be distinguished value by value, as expressions.
//!
//! A term is a wide element, a constant, or an operator on terms. An [`Atom`] is a test of terms in a diagram: a comparison, or the
//! condition that an operator faults. Equal expressions are one term; operands of commutative operators are unordered.
//!
//! # Soundness
//!
//! Terms mean functions of the state, so equal ids are equal functions; different ids may be equal functions too. A renaming that maps
//! wide elements to those of the same bounds and keeps their values maps the meaning of a term to that of its image. The decisions by
//! intervals depend on the bounds only, so they are the same for images.

use frontend::sequential::{BinaryOp, Interval};
use rustc_hash::FxHashMap;

/// The deepest term.
const MAX_DEPTH: u32 = 1 << 8;
/// The most terms of a store.
const MAX_TERMS: usize = 1 << 20;

/// A term of a store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct TermId(u32);

/// The structure of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Term {
    /// A constant.
    Value(i32),
    /// The value of a wide element before the step.
    Element(usize),
    /// The number of set bits.
    Bits(TermId),
    /// An operator other than a comparison.
    Binary(BinaryOp, TermId, TermId),
}

/// A test of terms in a diagram.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Atom {
    /// The terms are equal.
    Equal(TermId, TermId),
    /// The first term is less than the second.
    Less(TermId, TermId),
    /// The operator of this term faults although the evaluation of its operands does not.
    Fault(TermId),
}

/// A store of terms over wide elements with these bounds.
pub(super) struct Terms {
    list: Vec<Term>,
    index: FxHashMap<Term, TermId>,
    depths: Vec<u32>,
    /// The intervals by term, without faults: where an operator faults there is no term.
    intervals: Vec<Interval>,
    bounds: std::rc::Rc<[(i32, i32)]>,
    atoms: Vec<Atom>,
    numbers: FxHashMap<Atom, usize>,
}

impl Terms {
    pub(super) fn new(bounds: std::rc::Rc<[(i32, i32)]>) -> Terms {
        Terms {
            list: Vec::new(),
            index: FxHashMap::default(),
            depths: Vec::new(),
            intervals: Vec::new(),
            bounds,
            atoms: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    /// The id of a term; `None` if it is too deep, or if there are too many.
    pub(super) fn intern(&mut self, term: Term) -> Option<TermId> {
        let term = match term {
            Term::Binary(op, left, right) if op.is_commutative() => Term::Binary(op, left.min(right), left.max(right)),
            other => other,
        };
        if let Some(&known) = self.index.get(&term) {
            return Some(known);
        }
        let depth = match term {
            Term::Value(_) | Term::Element(_) => 0,
            Term::Bits(inner) => 1 + self.depths[inner.0 as usize],
            Term::Binary(_, left, right) => 1 + self.depths[left.0 as usize].max(self.depths[right.0 as usize]),
        };
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

    /// The structure of a term.
    pub(super) fn term(&self, id: TermId) -> Term {
        self.list[id.0 as usize]
    }

    /// An interval that contains all values that a term may have.
    pub(super) fn interval(&self, id: TermId) -> (i32, i32) {
        let Interval { low, high, .. } = self.intervals[id.0 as usize];
        (low, high)
    }

    /// The values of a term where its operands have one.
    fn interval_of(&self, term: Term) -> Interval {
        let of = |id: TermId| self.intervals[id.0 as usize];
        let found = match term {
            Term::Value(value) => Interval::new(value, value),
            Term::Element(element) => Interval::new(self.bounds[element].0, self.bounds[element].1),
            Term::Bits(inner) => of(inner).ones(),
            Term::Binary(op, left, right) => of(left).operate(op, of(right)),
        };
        Interval::new(found.low, found.high)
    }

    /// Whether an operator may fault on these operands.
    pub(super) fn may_fault(&self, op: BinaryOp, left: TermId, right: TermId) -> bool {
        self.intervals[left.0 as usize].operate(op, self.intervals[right.0 as usize]).faults
    }

    /// The truth of an atom, if intervals decide it.
    pub(super) fn decided(&self, atom: Atom) -> Option<bool> {
        match atom {
            Atom::Equal(left, right) => {
                let ((a, b), (c, d)) = (self.interval(left), self.interval(right));
                if left == right || (a, a, a) == (b, c, d) { Some(true) } else { (b < c || d < a).then_some(false) }
            }
            Atom::Less(left, right) => {
                let ((a, b), (c, d)) = (self.interval(left), self.interval(right));
                if b < c { Some(true) } else { (left == right || a >= d).then_some(false) }
            }
            Atom::Fault(_) => None,
        }
    }

    /// Whether there is any atom.
    pub(super) fn has_atoms(&self) -> bool {
        !self.atoms.is_empty()
    }

    /// The number of an atom.
    pub(super) fn number(&mut self, atom: Atom) -> usize {
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

    /// The term with its wide elements renamed; `None` if there are too many.
    pub(super) fn rename(&mut self, id: TermId, elements: &[usize]) -> Option<TermId> {
        let renamed = match self.term(id) {
            Term::Value(_) => return Some(id),
            Term::Element(element) => {
                let bounds = self.bounds[element];
                debug_assert_eq!(bounds, self.bounds[elements[element]], "wide elements keep their bounds");
                Term::Element(elements[element])
            }
            Term::Bits(inner) => Term::Bits(self.rename(inner, elements)?),
            Term::Binary(op, left, right) => {
                Term::Binary(op, self.rename(left, elements)?, self.rename(right, elements)?)
            }
        };
        self.intern(renamed)
    }

    /// The number of an atom with its wide elements renamed; `None` if there are too many.
    pub(super) fn rename_atom(&mut self, number: usize, elements: &[usize]) -> Option<usize> {
        let renamed = match self.atoms[number] {
            Atom::Equal(left, right) => Atom::Equal(self.rename(left, elements)?, self.rename(right, elements)?),
            Atom::Less(left, right) => Atom::Less(self.rename(left, elements)?, self.rename(right, elements)?),
            Atom::Fault(term) => Atom::Fault(self.rename(term, elements)?),
        };
        Some(self.number(renamed))
    }

    /// The value of a term in a state; `None` where an operator faults.
    #[cfg(test)]
    pub(super) fn value(&self, id: TermId, state: &[i32]) -> Option<i32> {
        match self.term(id) {
            Term::Value(value) => Some(value),
            Term::Element(element) => Some(state[element]),
            Term::Bits(inner) => self.value(inner, state).map(|value| value.count_ones().cast_signed()),
            Term::Binary(op, left, right) => {
                let (left, right) = (self.value(left, state)?, self.value(right, state)?);
                frontend::sequential::interpret::arithmetic(op, left, right).ok()
            }
        }
    }

    /// Whether an atom is true in a state; no function tests atoms of terms that fault.
    #[cfg(test)]
    pub(super) fn holds(&self, number: usize, state: &[i32]) -> bool {
        match self.atoms[number] {
            Atom::Equal(left, right) => self.value(left, state) == self.value(right, state),
            Atom::Less(left, right) => self.value(left, state) < self.value(right, state),
            Atom::Fault(term) => self.value(term, state).is_none(),
        }
    }
}
