//! Values that are terms: operators on them, their truth, and the values of a narrow sort that they may have.
//!
//! A term that has to be a value, for example as an index or when it is written to a narrow element, is compared with each possible
//! value.

use frontend::sequential::{BinaryOp, Domain};

use super::value::Value;
use crate::condition::{Atom, Cond, Conditions, Datum, Term, TermId};
use crate::project::is_wide;

/// The most values with which a term is compared.
const MAX_CONCRETE: usize = 1 << 8;

impl Conditions {
    /// The condition that an atom holds; intervals decide the cases that they can.
    pub(super) fn atom(&mut self, atom: Atom) -> Cond {
        if let Some(known) = self.terms.decided(atom) {
            return if known { Cond::TRUE } else { Cond::FALSE };
        }
        let element = self.elements() + self.terms.number(atom);
        self.test(element, &[1])
    }

    fn term_of(&mut self, datum: Datum) -> Option<TermId> {
        let id = self.terms.of(datum);
        if id.is_none() {
            self.exhaust();
        }
        id
    }

    /// Whether two values are the same.
    pub(super) fn same(&mut self, left: Datum, right: Datum) -> Cond {
        if let (Datum::Value(left), Datum::Value(right)) = (left, right) {
            return if left == right { Cond::TRUE } else { Cond::FALSE };
        }
        let (Some(left), Some(right)) = (self.term_of(left), self.term_of(right)) else { return Cond::FALSE };
        self.atom(Atom::Equal(left, right))
    }

    fn less(&mut self, left: Datum, right: Datum) -> Cond {
        if let (Datum::Value(left), Datum::Value(right)) = (left, right) {
            return if left < right { Cond::TRUE } else { Cond::FALSE };
        }
        let (Some(left), Some(right)) = (self.term_of(left), self.term_of(right)) else { return Cond::FALSE };
        self.atom(Atom::Less(left, right))
    }

    /// The result of an operator, one of whose operands is a term: values with their conditions, and the condition under which it faults.
    pub(super) fn compute(&mut self, op: BinaryOp, left: Datum, right: Datum) -> (Vec<(Datum, Cond)>, Cond) {
        let has_term = matches!(left, Datum::Term(_)) || matches!(right, Datum::Term(_));
        assert!(has_term, "an operator on two values is computed before");
        let truth = match op {
            BinaryOp::Equal | BinaryOp::NotEqual => self.same(left, right),
            BinaryOp::Less | BinaryOp::GreaterEqual => self.less(left, right),
            BinaryOp::Greater | BinaryOp::LessEqual => self.less(right, left),
            _ => return self.operate(op, left, right),
        };
        let opposite = self.not(truth);
        let negated = matches!(op, BinaryOp::NotEqual | BinaryOp::GreaterEqual | BinaryOp::LessEqual);
        let (one, zero) = if negated { (opposite, truth) } else { (truth, opposite) };
        (vec![(Datum::Value(0), zero), (Datum::Value(1), one)], Cond::FALSE)
    }

    fn operate(&mut self, op: BinaryOp, left: Datum, right: Datum) -> (Vec<(Datum, Cond)>, Cond) {
        let nothing = (Vec::new(), Cond::TRUE);
        let (Some(left), Some(right)) = (self.term_of(left), self.term_of(right)) else { return nothing };
        let Some(term) = self.terms.intern(Term::Binary(op, left, right)) else {
            self.exhaust();
            return nothing;
        };
        let fault = self.atom(Atom::Fault(term));
        let sound = self.not(fault);
        (vec![(Datum::Term(term), sound)], fault)
    }
}

impl Value {
    /// Whether a case is a term.
    pub(super) fn has_terms(&self) -> bool {
        self.cases.iter().any(|case| matches!(case.0, Datum::Term(_)))
    }

    /// The value with 0 or 1 in place of each term.
    pub(super) fn decided(self, store: &mut Conditions) -> Value {
        if !self.has_terms() {
            return self;
        }
        let mut cases = Vec::new();
        for &(datum, when) in &self.cases {
            if let Datum::Value(_) = datum {
                cases.push((datum, when));
                continue;
            }
            let zero = store.same(datum, Datum::Value(0));
            let other = store.not(zero);
            cases.push((Datum::Value(0), store.both(when, zero)));
            cases.push((Datum::Value(1), store.both(when, other)));
        }
        Value::gathered(store, cases, self.fault)
    }

    /// The value with the values of a sort in place of each term; outside the sort it faults.
    pub(super) fn concrete(self, store: &mut Conditions, domain: &Domain) -> Value {
        if !self.has_terms() {
            return self;
        }
        let mut cases = Vec::new();
        let mut faults = vec![self.fault];
        for &(datum, when) in &self.cases {
            if let Datum::Value(_) = datum {
                cases.push((datum, when));
                continue;
            }
            let (low, high) = match datum {
                Datum::Term(term) => store.terms.interval(term),
                Datum::Value(value) => (value, value),
            };
            let possible = domain.bounds();
            let values = low.max(possible.0)..=high.min(possible.1);
            if values.clone().count() > MAX_CONCRETE {
                store.exhaust();
                return Value::fault();
            }
            // Where no other value is possible, the last value needs no atom.
            let is_last = |value: i32| value == high && domain.contains(low) && domain.contains(high);
            let mut rest = when;
            for value in values {
                let here = if is_last(value) { Cond::TRUE } else { store.same(datum, Datum::Value(value)) };
                cases.push((Datum::Value(value), store.both(rest, here)));
                let other = store.not(here);
                rest = store.both(rest, other);
            }
            faults.push(rest);
        }
        let fault = store.or(faults);
        Value::gathered(store, cases, fault)
    }

    /// The part of the value that fits a sort to which it is written, and the condition under which it does not fit.
    pub(super) fn fitted(self, store: &mut Conditions, domain: &Domain) -> (Value, Cond) {
        let before = self.fault;
        let value = if is_wide(domain) { self } else { self.concrete(store, domain) };
        let mut unfit = if value.fault == before { Vec::new() } else { vec![value.fault] };
        let (low, high) = domain.bounds();
        let mut cases = Vec::new();
        for &(datum, when) in &value.cases {
            match datum {
                Datum::Value(result) if domain.contains(result) => cases.push((datum, when)),
                Datum::Value(_) => unfit.push(when),
                Datum::Term(_) => {
                    let mut outside = Vec::new();
                    if low > i32::MIN {
                        outside.push(store.less(datum, Datum::Value(low)));
                    }
                    if high < i32::MAX {
                        outside.push(store.less(Datum::Value(high), datum));
                    }
                    let outside = store.or(outside);
                    unfit.push(store.both(when, outside));
                    let inside = store.not(outside);
                    cases.push((datum, store.both(when, inside)));
                }
            }
        }
        let unfit = store.or(unfit);
        cases.retain(|case| case.1 != Cond::FALSE);
        debug_assert!(cases.is_sorted_by(|one, next| one.0 < next.0), "cases are ascending, for the search in them");
        (Value { cases, fault: value.fault }, unfit)
    }
}
