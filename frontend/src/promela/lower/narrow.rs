//! Ranges of variables that hold few values: names of processes, symbols, flags.
//!
//! For each variable the set of the values that are ever assigned to it, whatever the order of the steps: constants, numbers of processes,
//! values of other such variables, and what operations make of few values. A variable whose set stays small gets the range of its set; one that
//! counts keeps its type.
//!
//! Soundness: the sets are a fixed point, so every value that an assignment does not refuse is in them: states and faults stay as they are.

use std::collections::BTreeSet;

use super::Lowering;
use crate::sequential::interpret::arithmetic;
use crate::sequential::{BinaryOp, Domain, Expr, ExprKind, Initial, ParameterId, SortId, Stmt, StmtKind};

/// The most values of a set.
const MOST_VALUES: usize = 64;
/// The rounds after which a set that still grows is given up.
const ROUNDS: usize = 12;

/// The values of a variable; `None` where there are too many.
type Values = Option<BTreeSet<i32>>;

impl Lowering<'_> {
    /// Gives variables that hold few values their ranges.
    pub(super) fn narrow(&mut self) {
        let of_variables = self.model.variables.iter().map(|variable| match &variable.initial {
            Initial::Values(values) => Some(values.iter().copied().collect()),
            Initial::Any => None,
        });
        let of_locals = self.model.locals.iter().map(|_| None);
        let mut sets: Vec<Values> = of_variables.chain(of_locals).collect();
        for round in 0.. {
            let before = sets.clone();
            for summand in &self.model.summands {
                let mut sorts: Vec<SortId> = summand.parameters.iter().map(|parameter| parameter.sort).collect();
                self.assigned(&summand.body, &mut sorts, &mut sets);
            }
            let mut grown = 0;
            for (set, old) in sets.iter_mut().zip(&before).filter(|(set, old)| set != old) {
                grown += 1;
                if round >= ROUNDS || old.is_none() {
                    *set = None;
                }
            }
            if grown == 0 {
                break;
            }
        }
        for (number, set) in sets.into_iter().enumerate().take(self.model.variables.len()) {
            let sort = self.model.variables[number].sort;
            let &Domain::Range { low, high } = self.model.domain(sort) else { continue };
            let is_turn = self.hold.is_some_and(|hold| hold.index() == number);
            let within =
                set.map(|set| set.into_iter().filter(|value| (low..=high).contains(value)).collect::<Vec<_>>());
            if let Some((Some(&least), Some(&most))) = within.as_ref().map(|set| (set.first(), set.last()))
                && !is_turn
                && most.abs_diff(least) < high.abs_diff(low)
            {
                self.model.variables[number].sort = self.range(least.min(0), most.max(1));
            }
        }
    }

    /// Adds what a body assigns.
    fn assigned(&self, body: &[Stmt], sorts: &mut Vec<SortId>, sets: &mut [Values]) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    let found = self.value_set(value, sorts, sets);
                    let set = &mut sets[place.variable.index()];
                    *set =
                        set.take().zip(found).map(|(set, found)| &set | &found).filter(|set| set.len() <= MOST_VALUES);
                }
                StmtKind::If(_, then, otherwise) => {
                    self.assigned(then, sorts, sets);
                    self.assigned(otherwise, sorts, sets);
                }
                StmtKind::For(parameter, inner) => {
                    sorts.push(parameter.sort);
                    self.assigned(inner, sorts, sets);
                    sorts.pop();
                }
                StmtKind::While(_, inner) => self.assigned(inner, sorts, sets),
                // Locals may hold anything.
                StmtKind::Var(..) | StmtKind::Fail(_) => {}
            }
        }
    }

    /// The values of an expression, faults left out.
    fn value_set(&self, expr: &Expr, sorts: &[SortId], sets: &[Values]) -> Values {
        match &expr.kind {
            ExprKind::Int(value) => Some(BTreeSet::from([*value])),
            ExprKind::Member(_, index) => Some(BTreeSet::from([index.cast_signed()])),
            ExprKind::Parameter(ParameterId(number)) => {
                let domain = self.model.domain(sorts[*number as usize]);
                (domain.size() <= MOST_VALUES).then(|| domain.values().collect())
            }
            ExprKind::Read(place) => sets[place.variable.index()].clone(),
            ExprKind::Not(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Implies(..)
            | ExprKind::Forall(_)
            | ExprKind::Exists(_) => Some(BTreeSet::from([0, 1])),
            ExprKind::Binary(op, ..) if op.is_comparison() => Some(BTreeSet::from([0, 1])),
            ExprKind::Ite(_, then, otherwise) => {
                Some(&self.value_set(then, sorts, sets)? | &self.value_set(otherwise, sorts, sets)?)
            }
            ExprKind::Negate(inner) => {
                combined(BinaryOp::Subtract, &BTreeSet::from([0]), &self.value_set(inner, sorts, sets)?)
            }
            ExprKind::Binary(op, left, right) => {
                combined(*op, &self.value_set(left, sorts, sets)?, &self.value_set(right, sorts, sets)?)
            }
            ExprKind::Lookup(..) | ExprKind::PopCount(_) => None,
        }
    }
}

/// The results of an operation.
fn combined(op: BinaryOp, left: &BTreeSet<i32>, right: &BTreeSet<i32>) -> Values {
    let pairs = left.iter().flat_map(|&a| right.iter().map(move |&b| (a, b)));
    let found: BTreeSet<i32> = pairs.filter_map(|(a, b)| arithmetic(op, a, b).ok()).collect();
    (found.len() <= MOST_VALUES).then_some(found)
}
