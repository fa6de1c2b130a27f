//! Invariants on packed states: conjunct by conjunct, each result stored by the local states that the conjunct reads.
//!
//! A conjunct that reads one slot has one entry per local state. One that reads several has a cache of fixed size,
//! indexed by a hash of their local states and holding them whole, so that an entry is never taken for another. A
//! miss calls [`frontend::interpret::evaluate_remote`]. Conjuncts are evaluated in order up to the first that does
//! not hold, as `&&` does.

use crate::tuning::TUNING;
use std::collections::BTreeSet;

use frontend::interpret::{Fault, evaluate_remote};
use frontend::model::{Base, Expr, ExprKind, Place, RebecId, Value};

use super::space::{Space, field_of};

const UNKNOWN: u8 = 0;
const HOLDS: u8 = 1;
const FAILS: u8 = 2;
const FAULTS: u8 = 3;

/// An invariant.
#[derive(Debug)]
pub(crate) struct Invariant {
    conjuncts: Vec<Conjunct>,
}

#[derive(Debug)]
struct Conjunct {
    expr: Expr,
    /// The fields it reads, ascending.
    fields: Vec<usize>,
    /// With one field: by local state. Otherwise by hash; the keys are `fields.len()` local states each.
    results: Vec<u8>,
    keys: Vec<u32>,
    key: Vec<u32>,
}

impl Invariant {
    /// Splits an invariant into its conjuncts.
    pub(super) fn new(expr: &Expr) -> Invariant {
        let conjuncts = match &expr.kind {
            ExprKind::And(operands) => operands.iter().map(Conjunct::new).collect(),
            _ => vec![Conjunct::new(expr)],
        };
        Invariant { conjuncts }
    }

    /// Whether the invariant holds in a stored state; it does not where its evaluation faults.
    pub(super) fn holds(&mut self, space: &Space<'_>, number: u32) -> bool {
        self.value(space, number) == Some(true)
    }

    /// The value of the invariant in a stored state; nothing where its evaluation faults.
    pub(super) fn value(&mut self, space: &Space<'_>, number: u32) -> Option<bool> {
        let words = space.store.state(number);
        let mut results = self.conjuncts.iter_mut().map(|conjunct| conjunct.result(space, &words));
        match results.find(|&result| result != HOLDS) {
            None => Some(true),
            Some(FAILS) => Some(false),
            Some(_) => None,
        }
    }

    /// The fault of an evaluation that does not give a value.
    pub(super) fn fault(&self, space: &Space<'_>, number: u32) -> Option<Fault> {
        let words = space.store.state(number);
        let mut results = self.conjuncts.iter().map(|conjunct| conjunct.evaluate(space, &words));
        results.find(|result| *result != Ok(Value::Bool(true))).and_then(Result::err)
    }
}

impl Conjunct {
    fn new(expr: &Expr) -> Conjunct {
        let mut fields = BTreeSet::new();
        reads(expr, &mut fields);
        let fields: Vec<usize> = fields.into_iter().collect();
        let (results, keys) = match fields.len() {
            1 => (Vec::new(), Vec::new()),
            several => (vec![UNKNOWN; TUNING.invariants], vec![0; TUNING.invariants * several]),
        };
        Conjunct { expr: expr.clone(), key: vec![0; fields.len()], fields, results, keys }
    }

    fn result(&mut self, space: &Space<'_>, words: &[u64]) -> u8 {
        for (local, &field) in self.key.iter_mut().zip(&self.fields) {
            *local = space.get_field(words, field);
        }
        let at = self.place();
        let mut result = self.results[at];
        let width = self.key.len();
        let is_known = result != UNKNOWN && (width == 1 || self.keys[at * width..][..width] == self.key);
        if !is_known {
            result = match self.evaluate(space, words) {
                Ok(Value::Bool(true)) => HOLDS,
                Ok(_) => FAILS,
                Err(_) => FAULTS,
            };
            self.results[at] = result;
            if width != 1 {
                self.keys[at * width..][..width].copy_from_slice(&self.key);
            }
        }
        result
    }

    /// The place where the result for the current key is or belongs.
    fn place(&mut self) -> usize {
        if let [local] = self.key[..] {
            let at = local as usize;
            if self.results.len() <= at {
                self.results.resize(at + 1, UNKNOWN);
            }
            return at;
        }
        let mix =
            |hash: u64, &local: &u32| (hash ^ u64::from(local)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let hash = self.key.iter().fold(1, mix);
        usize::try_from(hash % TUNING.invariants as u64).expect("below the size of the cache")
    }

    fn evaluate(&self, space: &Space<'_>, words: &[u64]) -> Result<Value, Fault> {
        let mut read = |rebec: RebecId, element: usize| space.element(words, rebec, element);
        evaluate_remote(space.model(), &self.expr, space.features_of(words), &mut read)
    }
}

/// The fields that an expression reads.
fn reads(expr: &Expr, fields: &mut BTreeSet<usize>) {
    match &expr.kind {
        ExprKind::Feature(_) => {
            fields.insert(0);
        }
        ExprKind::Read(Place { base: Base::Remote(rebec, _), .. }) => {
            fields.insert(field_of(rebec.index()));
        }
        _ => {}
    }
    expr.operands().into_iter().for_each(|operand| reads(operand, fields));
}
