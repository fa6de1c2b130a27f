//! [`Value`]: the result of an expression, as a function of the state before the step: for each value the condition under which it is the
//! result, and the condition under which the evaluation faults.
//!
//! # Invariants
//!
//! Cases are in ascending order of their values, never false, and exclude each other and the fault; the disjunction of all of them is
//! always true.

use crate::condition::{Cond, Conditions, Datum, Term};

/// A function of the state to values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Value {
    /// The values with their conditions.
    pub(super) cases: Vec<(Datum, Cond)>,
    /// The condition under which there is no value.
    pub(super) fault: Cond,
}

impl Value {
    /// The same value in every state.
    pub(super) fn constant(value: i32) -> Value {
        Value { cases: vec![(Datum::Value(value), Cond::TRUE)], fault: Cond::FALSE }
    }

    /// No value in any state.
    pub(super) fn fault() -> Value {
        Value { cases: Vec::new(), fault: Cond::TRUE }
    }

    /// The value of an element before the step.
    pub(super) fn element(store: &mut Conditions, element: usize) -> Value {
        let domain = store.domain(element);
        if domain.is_empty() {
            let Some(term) = store.terms.intern(Term::Element(element)) else {
                store.exhaust();
                return Value::fault();
            };
            return Value { cases: vec![(Datum::Term(term), Cond::TRUE)], fault: Cond::FALSE };
        }
        let tests = store.tests_of_values(element);
        let cases = domain.iter().zip(tests.iter()).map(|(&value, &when)| (Datum::Value(value), when)).collect();
        Value { cases, fault: Cond::FALSE }
    }

    /// Truth: 1 under `truth`, a fault under `fault`, else 0.
    pub(super) fn truth(store: &mut Conditions, truth: Cond, fault: Cond) -> Value {
        let neither = store.or([truth, fault]);
        let falsity = store.not(neither);
        let cases = [(Datum::Value(0), falsity), (Datum::Value(1), truth)]
            .into_iter()
            .filter(|&(_, when)| when != Cond::FALSE)
            .collect();
        Value { cases, fault }
    }

    /// The function that these cases define, in any order and with repetitions.
    pub(super) fn gathered(store: &mut Conditions, mut cases: Vec<(Datum, Cond)>, fault: Cond) -> Value {
        cases.retain(|&(_, when)| when != Cond::FALSE);
        cases.sort_by_key(|&(value, _)| value);
        let joined = cases.chunk_by(|one, next| one.0 == next.0).map(|list| match list {
            [only] => *only,
            _ => (list[0].0, store.or(list.iter().map(|&(_, when)| when))),
        });
        Value { cases: joined.collect(), fault }
    }

    /// A choice among several values, each under a condition; the conditions exclude each other.
    pub(super) fn select(store: &mut Conditions, choices: &[(Cond, &Value)], fault: Cond) -> Value {
        if let [(Cond::TRUE, only)] = choices
            && fault == Cond::FALSE
        {
            return (*only).clone();
        }
        let mut cases = Vec::new();
        let mut faults = vec![fault];
        for &(when, value) in choices.iter().filter(|(when, _)| *when != Cond::FALSE) {
            for &(result, inner) in &value.cases {
                cases.push((result, store.both(when, inner)));
            }
            faults.push(store.both(when, value.fault));
        }
        let fault = store.or(faults);
        Value::gathered(store, cases, fault)
    }

    /// The condition that the value is true, that is, not zero.
    pub(super) fn holds(&self, store: &mut Conditions) -> Cond {
        debug_assert!(!self.has_terms(), "terms are decided before");
        store.or(self.cases.iter().filter(|case| case.0 != Datum::Value(0)).map(|case| case.1))
    }

    /// The condition that the value is false, that is, zero.
    pub(super) fn fails(&self) -> Cond {
        self.when(0)
    }

    /// The condition that the value is this one.
    pub(super) fn when(&self, value: i32) -> Cond {
        self.cases
            .binary_search_by_key(&Datum::Value(value), |case| case.0)
            .map_or(Cond::FALSE, |place| self.cases[place].1)
    }
}
