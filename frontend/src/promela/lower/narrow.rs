//! Ranges of variables that hold few values: names of processes, symbols, flags.
//!
//! For each variable the set of the values that are ever assigned to it, whatever the order of the steps: constants, numbers of processes,
//! values of other such variables, and what operations make of few values under the conditions that hold before them. A variable whose set
//! stays small gets the range of its set; one that counts without a bound keeps its type, and its values are numbers to every analysis.
//!
//! The value of slots and locals that hold nothing ([`free`], [`FREE`]) is copied, and never computed with: a slot is read where its channel
//! has a message there, a local where it was assigned. Where a variable never holds anything else it is computed with: the operation is one whose
//! other operands decide.
//!
//! Soundness: the sets are a fixed point, so every value that an assignment does not refuse is in them: states and faults stay as they are.

use std::collections::BTreeSet;

use super::Lowering;
use super::declare::free;
use super::merge::reads;
use super::resets::FREE;
use super::targets::NO_CHANNEL;
use crate::sequential::from_actors::build::not;
use crate::sequential::interpret::evaluate;
use crate::sequential::spans::expression_without_spans;
use crate::sequential::{Domain, Expr, ExprKind, Initial, ParameterId, Sequential, SortId, Stmt, StmtKind, VariableId};

/// The most values of a set.
const MOST_VALUES: usize = 64;
/// The rounds after which a set that still grows is given up.
const ROUNDS: usize = 40;
/// The most combinations of values that an expression is computed for.
const MOST_COMBINATIONS: usize = 1 << 10;

/// The values of a variable; `None` where there are too many.
type Values = Option<BTreeSet<i32>>;

impl Lowering<'_> {
    /// Gives variables that hold few values their ranges.
    pub(super) fn narrow(&mut self) {
        let sets = self.value_sets();
        assert!(sets.len() >= self.model.variables.len(), "every variable has its set of values");
        self.leave_out_faults_that_never_happen(&sets);
        for (number, set) in sets.into_iter().enumerate().take(self.model.variables.len()) {
            let sort = self.model.variables[number].sort;
            let &Domain::Range { low, high } = self.model.domain(sort) else { continue };
            let is_turn = self.hold.is_some_and(|hold| hold.index() == number);
            if is_turn {
                continue;
            }
            let Some(set) = set else {
                if high.abs_diff(low) as usize >= MOST_VALUES {
                    self.model.variables[number].sort = self.domain(Domain::Numbers { low, high });
                }
                continue;
            };
            let within: Vec<i32> = set.into_iter().filter(|value| (low..=high).contains(value)).collect();
            assert!(!within.is_empty(), "a variable has its initial values");
            let (least, most) = (within[0].min(0), within[within.len() - 1].max(1));
            if most.abs_diff(least) < high.abs_diff(low) {
                self.model.variables[number].sort = self.range(least, most);
            }
        }
    }

    /// Leaves out the faults of places that always denote a channel.
    fn leave_out_faults_that_never_happen(&mut self, sets: &[Values]) {
        let may_be_free = self.may_be_free();
        let mut summands = std::mem::take(&mut self.model.summands);
        summands.retain(|summand| {
            let is_about =
                matches!(summand.body.as_slice(), [Stmt { kind: StmtKind::Fail(text), .. }] if text == NO_CHANNEL);
            let ExprKind::And(guard) = &summand.guard.kind else { return true };
            if !is_about {
                return true;
            }
            let sorts = summand.parameters.iter().map(|parameter| parameter.sort).collect();
            let walk =
                Walk { lowering: self, sorts, conditions: Vec::new(), sets: sets.to_vec(), may_be_free: &may_be_free };
            // A condition without any value is one of which nothing is known.
            let is_never = |condition: &Expr| {
                let set = walk.value_set(condition);
                set.is_some_and(|set| {
                    (!set.is_empty() || self.wrong.nothing_has_no_value()) && set.iter().all(|&value| value == 0)
                })
            };
            !guard.iter().any(is_never)
        });
        self.model.summands = summands;
    }

    /// The variables that may hold nothing.
    pub(super) fn may_be_free(&self) -> BTreeSet<VariableId> {
        let of_groups = self.groups.iter().flat_map(|group| group.fields.iter().zip(&group.types));
        let slots = of_groups.filter(|(_, of)| free(of) == FREE).map(|(&id, _)| id);
        slots.chain(self.freed.iter().map(|freed| freed.variable)).collect()
    }

    /// The fixed point.
    fn value_sets(&self) -> Vec<Values> {
        let may_be_free = self.may_be_free();
        let of_variables = self.model.variables.iter().map(|variable| match &variable.initial {
            Initial::Values(values) => Some(values.iter().copied().collect()),
            Initial::Any => None,
        });
        // Locals may hold anything.
        let of_locals = self.model.locals.iter().map(|_| None);
        let mut sets: Vec<Values> = of_variables.chain(of_locals).collect();
        for round in 0.. {
            let before = sets.clone();
            for summand in &self.model.summands {
                let sorts = summand.parameters.iter().map(|parameter| parameter.sort).collect();
                let mut walk = Walk { lowering: self, sorts, conditions: Vec::new(), sets, may_be_free: &may_be_free };
                walk.assume(&summand.guard);
                walk.body(&summand.body);
                sets = walk.sets;
            }
            if sets == before || self.wrong.one_round() {
                break;
            }
            for (set, _) in sets.iter_mut().zip(&before).filter(|(set, old)| round >= ROUNDS && set != old) {
                *set = None;
            }
        }
        sets
    }
}

/// A walk through a body.
struct Walk<'l, 'a> {
    lowering: &'l Lowering<'a>,
    /// The sorts of the parameters in scope.
    sorts: Vec<SortId>,
    /// Conditions that hold at this place.
    conditions: Vec<Expr>,
    sets: Vec<Values>,
    /// The variables that may hold nothing.
    may_be_free: &'l BTreeSet<VariableId>,
}

impl Walk<'_, '_> {
    fn assume(&mut self, condition: &Expr) {
        match &condition.kind {
            ExprKind::And(list) => list.iter().for_each(|one| self.assume(one)),
            _ => self.conditions.push(condition.clone()),
        }
    }

    fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    let found = self.value_set(value);
                    let set = &mut self.sets[place.variable.index()];
                    let both = set.take().zip(found).map(|(set, found)| &set | &found);
                    *set = both.filter(|set| set.len() <= MOST_VALUES);
                    self.forget(place.variable);
                }
                StmtKind::If(condition, then, otherwise) => {
                    let before = self.conditions.clone();
                    self.assume(condition);
                    self.body(then);
                    self.conditions.clone_from(&before);
                    self.assume(&not(condition.clone()));
                    self.body(otherwise);
                    self.conditions = before;
                    self.forget_assigned(then);
                    self.forget_assigned(otherwise);
                }
                StmtKind::For(parameter, inner) => {
                    self.forget_assigned(inner);
                    self.sorts.push(parameter.sort);
                    self.body(inner);
                    self.sorts.pop();
                    self.forget_assigned(inner);
                }
                StmtKind::While(_, inner) => {
                    self.forget_assigned(inner);
                    self.body(inner);
                    self.forget_assigned(inner);
                }
                StmtKind::Var(id, _) => self.forget(*id),
                StmtKind::Fail(_) => {}
            }
        }
    }

    /// Conditions on a variable hold no more.
    fn forget(&mut self, variable: VariableId) {
        let keeps = self.lowering.wrong.keeps_conditions();
        self.conditions.retain(|condition| keeps || !reads(condition, &[variable]));
    }

    fn forget_assigned(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| stmt.visit(&mut |stmt| stmt.target().into_iter().for_each(|&id| self.forget(id))));
    }

    /// The values of an expression at this place, faults left out.
    fn value_set(&self, expr: &Expr) -> Values {
        limits::work(1);
        let mut inputs = Vec::new();
        if !self.inputs(expr, &mut inputs) {
            return None;
        }
        let computes = !matches!(expr.kind, ExprKind::Read(_));
        let mut conditions = Vec::new();
        for condition in &self.conditions {
            let mut more = inputs.clone();
            let is_about = self.inputs(condition, &mut more) && more.len() < inputs.len() + count(self, condition);
            if is_about && combinations(&more) <= MOST_COMBINATIONS {
                inputs = more;
                conditions.push(condition);
            }
        }
        if computes {
            for (input, values) in &mut inputs {
                let is_free = |id| self.may_be_free.contains(&id) && !self.lowering.wrong.computes_with_nothing();
                // Behind an operand that decides stands a value that is not needed, whatever it is.
                if values.iter().all(|&value| value == FREE) && !self.lowering.wrong.nothing_has_no_value() {
                    continue;
                }
                values.retain(|&value| {
                    value != FREE || !matches!(input, ExprKind::Read(place) if is_free(place.variable))
                });
            }
        }
        if combinations(&inputs) > MOST_COMBINATIONS {
            return None;
        }
        if inputs.iter().any(|(_, values)| values.is_empty()) {
            return Some(BTreeSet::new());
        }
        limits::work(combinations(&inputs) as u64);
        let model = &self.lowering.model;
        let mut found = BTreeSet::new();
        let mut at = vec![0; inputs.len()];
        loop {
            let value = |input: &Expr| {
                let number = inputs.iter().position(|(known, _)| *known == input.kind)?;
                Some(inputs[number].1[at[number]])
            };
            if conditions.iter().all(|condition| computed(model, condition, &value) != Some(0)) {
                found.extend(computed(model, expr, &value));
            }
            let Some(next) = (0..at.len()).find(|&place| at[place] + 1 < inputs[place].1.len()) else { break };
            at[next] += 1;
            at[..next].fill(0);
        }
        (found.len() <= MOST_VALUES).then_some(found)
    }

    /// Adds the elements and parameters of an expression with their values; returns whether all of them are few.
    fn inputs(&self, expr: &Expr, found: &mut Vec<(ExprKind, Vec<i32>)>) -> bool {
        let values = match &expr.kind {
            ExprKind::Parameter(ParameterId(number)) => {
                let domain = self.lowering.model.domain(self.sorts[*number as usize]);
                (domain.size() <= MOST_VALUES).then(|| domain.values().collect())
            }
            ExprKind::Read(place) => {
                self.sets[place.variable.index()].as_ref().map(|set| set.iter().copied().collect())
            }
            ExprKind::Lookup(..) | ExprKind::PopCount(_) => None,
            ExprKind::Forall(_) | ExprKind::Exists(_) => Some(vec![0, 1]),
            _ => return expr.operands().into_iter().all(|operand| self.inputs(operand, found)),
        };
        let kind = plain(expr).kind;
        if let Some(values) = &values
            && !found.iter().any(|(known, _)| *known == kind)
        {
            found.push((kind, values.clone()));
        }
        values.is_some()
    }
}

/// The number of inputs of a condition.
fn count(walk: &Walk<'_, '_>, condition: &Expr) -> usize {
    let mut found = Vec::new();
    walk.inputs(condition, &mut found);
    found.len()
}

fn combinations(inputs: &[(ExprKind, Vec<i32>)]) -> usize {
    inputs.iter().fold(1, |product, (_, values)| product.saturating_mul(values.len()))
}

/// An expression without its places in the text.
fn plain(expr: &Expr) -> Expr {
    expression_without_spans(expr)
}

/// The value of an expression where its elements and parameters have these values; `None` for a fault.
fn computed(model: &Sequential, expr: &Expr, value: &impl Fn(&Expr) -> Option<i32>) -> Option<i32> {
    let mut known = expr.clone();
    known.visit_mut(&mut |inner| {
        let kind = match inner.kind {
            ExprKind::Parameter(_) | ExprKind::Read(_) | ExprKind::Forall(_) | ExprKind::Exists(_) => plain(inner),
            _ => return,
        };
        inner.kind = value(&kind).map_or(kind.kind, ExprKind::Int);
    });
    evaluate(model, &known, &[], &[]).ok()
}
