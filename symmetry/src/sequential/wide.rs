//! Functions of wide elements: leaves that are terms, and nodes that test atoms.
//!
//! Atoms are tested after all elements, in the order in which they were made. An element that is read as a term is never tested.
//!
//! # Soundness
//!
//! A diagram means the function in which each atom has its meaning. Atoms may depend on each other, so different diagrams may be the same
//! function; equal diagrams are always the same function. Diagrams leave out atoms that intervals decide in every state.

use frontend::sequential::BinaryOp;
use rustc_hash::FxHashMap;

use super::diagram::{Dd, Diagrams, Leaf};
use super::terms::{Atom, Term, TermId};

/// The most values with which a term is compared.
const MAX_CONCRETE: i64 = 1 << 8;

impl Diagrams {
    /// One function where an atom holds, another where it does not.
    fn either(&mut self, atom: Atom, then: Dd, otherwise: Dd) -> Dd {
        if let Some(known) = self.terms.decided(atom) {
            return if known { then } else { otherwise };
        }
        let number = self.terms.number(atom);
        self.query(self.atom_element(number), vec![otherwise, then], 0, &mut FxHashMap::default())
    }

    /// The leaf of a term.
    pub(super) fn term(&mut self, term: Term) -> Dd {
        match self.terms.intern(term) {
            Some(id) => self.leaf(Leaf::Term(id)),
            None => self.give_up(),
        }
    }

    fn give_up(&mut self) -> Dd {
        self.exhaust();
        Diagrams::FAULT
    }

    fn operand(&mut self, leaf: Leaf) -> Option<TermId> {
        match leaf {
            Leaf::Term(id) => Some(id),
            Leaf::Value(value) => self.terms.intern(Term::Value(value)),
            Leaf::Nothing | Leaf::Fault => None,
        }
    }

    /// An operator on two values, at least one of them a term.
    pub(super) fn compute(&mut self, op: BinaryOp, left: Leaf, right: Leaf) -> Dd {
        if let Leaf::Nothing | Leaf::Fault = right {
            return self.leaf(right);
        }
        let (Some(left), Some(right)) = (self.operand(left), self.operand(right)) else { return self.give_up() };
        let (atom, positive) = match op {
            BinaryOp::Equal => (Atom::Equal(left, right), true),
            BinaryOp::NotEqual => (Atom::Equal(left, right), false),
            BinaryOp::Less => (Atom::Less(left, right), true),
            BinaryOp::GreaterEqual => (Atom::Less(left, right), false),
            BinaryOp::Greater => (Atom::Less(right, left), true),
            BinaryOp::LessEqual => (Atom::Less(right, left), false),
            _ => {
                let faults = self.terms.may_fault(op, left, right);
                let Some(term) = self.terms.intern(Term::Binary(op, left, right)) else { return self.give_up() };
                let leaf = self.leaf(Leaf::Term(term));
                return if faults { self.either(Atom::Fault(term), Diagrams::FAULT, leaf) } else { leaf };
            }
        };
        let (then, otherwise) =
            if positive { (Diagrams::ONE, Diagrams::ZERO) } else { (Diagrams::ZERO, Diagrams::ONE) };
        self.either(atom, then, otherwise)
    }

    /// 0 or 1 in place of each term: whether it is not zero.
    pub(super) fn truths(&mut self, dd: Dd) -> Dd {
        self.resolve(dd, &mut |own, term| {
            let Some(zero) = own.terms.intern(Term::Value(0)) else { return own.give_up() };
            own.either(Atom::Equal(term, zero), Diagrams::ZERO, Diagrams::ONE)
        })
    }

    /// Values in place of terms, a fault outside these bounds, as far as intervals do not exclude it.
    pub(super) fn concrete(&mut self, dd: Dd, low: i32, high: i32) -> Dd {
        self.resolve(dd, &mut |own, term| {
            let (least, greatest) = own.terms.interval(term);
            // Where no other value is possible, the last value needs no atom.
            let is_within = low <= least && greatest <= high;
            let (least, greatest) = (low.max(least), high.min(greatest));
            if i64::from(greatest) - i64::from(least) >= MAX_CONCRETE {
                return own.give_up();
            }
            let mut result = if is_within { own.constant(greatest) } else { Diagrams::FAULT };
            // New atoms are numbered in the order of their first use, so that each goes on top of those that follow it.
            let mut literals = Vec::new();
            for value in (least..=greatest).filter(|&value| !is_within || value < greatest) {
                let Some(id) = own.terms.intern(Term::Value(value)) else { return own.give_up() };
                let atom = Atom::Equal(term, id);
                if own.terms.decided(atom).is_none() {
                    own.terms.number(atom);
                }
                literals.push((value, atom));
            }
            for (value, atom) in literals.into_iter().rev() {
                let here = own.constant(value);
                result = own.either(atom, here, result);
            }
            result
        })
    }

    /// Faults where a term is outside these bounds.
    pub(super) fn within(&mut self, dd: Dd, low: i32, high: i32) -> Dd {
        self.resolve(dd, &mut |own, term| {
            let bounds = [low, high].map(|value| own.terms.intern(Term::Value(value)));
            let [Some(low), Some(high)] = bounds else { return own.give_up() };
            let leaf = own.leaf(Leaf::Term(term));
            let below = own.either(Atom::Less(high, term), Diagrams::FAULT, leaf);
            own.either(Atom::Less(term, low), Diagrams::FAULT, below)
        })
    }

    /// The number of set bits of each term.
    pub(super) fn bits(&mut self, dd: Dd) -> Dd {
        self.resolve(dd, &mut |own, term| own.term(Term::Bits(term)))
    }

    /// A function in place of each term.
    fn resolve(&mut self, dd: Dd, by: &mut dyn FnMut(&mut Diagrams, TermId) -> Dd) -> Dd {
        self.resolve_at(dd, by, &mut FxHashMap::default())
    }

    fn resolve_at(
        &mut self,
        dd: Dd,
        by: &mut dyn FnMut(&mut Diagrams, TermId) -> Dd,
        memo: &mut FxHashMap<Dd, Dd>,
    ) -> Dd {
        if let Some(leaf) = self.as_leaf(dd) {
            return if let Leaf::Term(term) = leaf { by(self, term) } else { dd };
        }
        if let Some(&known) = memo.get(&dd) {
            return known;
        }
        if !self.step() {
            return Diagrams::FAULT;
        }
        let (element, children) = self.node_of(dd);
        let children = children.iter().map(|&child| self.resolve_at(child, by, memo)).collect();
        let result = self.above(element, children);
        memo.insert(dd, result);
        result
    }
}
