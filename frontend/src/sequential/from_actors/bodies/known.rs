//! The facts known about values inside a body: the variables that hold the value of an expression on the state before
//! the step, and the conditions on that state under which the place is reached.
//!
//! Soundness: errs towards knowing nothing. Where two branches meet, only the facts known on both are kept. A loop
//! removes the facts about the variables that it writes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::analysis::{is_open, targets};
use super::{Bodies, Done, LOCALS, LOOPS, MAX_KNOWN, Out};
use crate::sequential::from_actors::build::{and, not, or, size, when};
use crate::sequential::interpret::evaluate;
use crate::sequential::{Expr, ExprKind, VariableId};

impl Bodies<'_, '_> {
    /// A conditional with two branches.
    pub(super) fn branches(
        &mut self,
        condition: Expr,
        then: impl FnOnce(&mut Self) -> Done<Vec<Out>>,
        otherwise: impl FnOnce(&mut Self) -> Done<Vec<Out>>,
    ) -> Done<Vec<Out>> {
        let (path, known) = (self.path.clone(), self.known.clone());
        let before = self.before_the_step(&condition);
        let extended = |by: Option<Expr>| {
            let mut path = path.clone()?;
            path.push(by?);
            Some(path)
        };
        self.path = extended(before.clone());
        let then = then(self)?;
        let after_then = std::mem::replace(&mut self.known, known);
        self.path = extended(before.map(not));
        let otherwise = otherwise(self)?;
        self.merge(&after_then);
        self.path = path;
        Ok(vec![when(condition, then, otherwise)])
    }

    /// Keeps only the facts that are also known on another branch to this place.
    pub(super) fn merge(&mut self, other: &FxHashMap<VariableId, Expr>) {
        self.known.retain(|variable, value| other.get(variable) == Some(value));
    }

    /// Keeps the facts known before a loop about the variables that the loop does not write. Facts found inside it
    /// hold for one round only.
    pub(super) fn after_loop(&mut self, before: FxHashMap<VariableId, Expr>, body: &[Out]) {
        let mut written = FxHashSet::default();
        targets(body, &mut written);
        self.known = before;
        self.known.retain(|variable, _| !written.contains(variable));
    }

    /// Records the value that is written to a place.
    pub(super) fn note(&mut self, variable: VariableId, indices: usize, value: &Expr) {
        let is_local = variable.0 >= LOCALS;
        let is_plain = indices == usize::from(!is_local);
        let value = if is_plain { self.before_the_step(value).filter(|value| size(value) <= MAX_KNOWN) } else { None };
        match value {
            Some(value) => self.known.insert(variable, value),
            None => self.known.remove(&variable),
        };
        if !is_local {
            self.written.insert(variable);
        }
    }

    /// A condition as one on the state before the step, if it reads nothing that was written since.
    pub(super) fn before_the_step(&self, expr: &Expr) -> Option<Expr> {
        let mut copy = expr.clone();
        self.place_before(&mut copy).then_some(copy)
    }

    fn place_before(&self, expr: &mut Expr) -> bool {
        match &expr.kind {
            ExprKind::Parameter(id) if id.0 >= LOOPS => return false,
            ExprKind::Read(place) => {
                if let Some(known) = self.known.get(&place.variable) {
                    *expr = known.clone();
                    return true;
                }
                if place.variable.0 >= LOCALS || self.written.contains(&place.variable) {
                    return false;
                }
            }
            _ => {}
        }
        if !expr.operands_mut().into_iter().all(|operand| self.place_before(operand)) {
            return false;
        }
        // A known value may be a chain like the one that it stands in.
        match &mut expr.kind {
            ExprKind::And(list) => *expr = and(std::mem::take(list)),
            ExprKind::Or(list) => *expr = or(std::mem::take(list)),
            _ => {}
        }
        true
    }

    /// The value of an expression that is the same in every state.
    pub(super) fn constant_of(&self, expr: &Expr) -> Option<i32> {
        let before = self.before_the_step(expr)?;
        if is_open(&before) { None } else { evaluate(&self.layout.out, &before, &[], &[]).ok() }
    }
}
