//! The behaviour of an instance of a summand, as functions of the state: the reference semantics of [`frontend::sequential::interpret`],
//! step by step, on functions in place of values.
//!
//! # Soundness
//!
//! Every operation gives in each state of live values the result of the reference, faults included. Where the reference skips an operand,
//! the result of the operand does not matter. Tests compare both on random models.

use frontend::sequential::{
    BinaryOp, Expr, ExprKind, Place, Quantified, Sequential, SortId, Stmt, StmtKind, Summand, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::diagram::{Dd, Diagrams, Leaf, Op};

/// The most offsets that one place may denote.
const MAX_OFFSETS: usize = 1 << 10;
/// The most rounds of `while` loops that are followed per instance; far fewer than those that end in a fault.
const MAX_ROUNDS: usize = 1 << 8;
/// The most labels that one instance may have.
const MAX_LABELS: usize = 1 << 8;

/// The behaviour of an instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Behaviour {
    /// 1 where it is enabled and does not fault, 0 where it is not enabled, otherwise a fault.
    pub(super) status: Dd,
    /// The arguments of its event where it runs: values, or terms for results that are computed from wide elements.
    pub(super) labels: Vec<(Vec<Leaf>, Dd)>,
    /// The new values of the elements that may change, where it runs, ascending.
    pub(super) outputs: Vec<(usize, Dd)>,
}

/// The elements that differ from the state before the step.
pub(super) type Changed = FxHashMap<usize, Dd>;

/// The evaluation over one store.
pub(super) struct Symbolic<'a> {
    pub(super) model: &'a Sequential,
    pub(super) diagrams: &'a mut Diagrams,
    /// The values of the binders in scope.
    pub(super) scope: Vec<i32>,
    /// The rounds of `while` loops so far.
    rounds: usize,
    pub(super) changed: Changed,
    /// The elements whose values before the step were read.
    pub(super) read: FxHashSet<usize>,
}

impl<'a> Symbolic<'a> {
    pub(super) fn new(model: &'a Sequential, diagrams: &'a mut Diagrams, parameters: &[i32]) -> Symbolic<'a> {
        let (scope, changed, read) = (parameters.to_vec(), Changed::default(), FxHashSet::default());
        Symbolic { model, diagrams, scope, rounds: 0, changed, read }
    }

    /// The behaviour of an instance.
    pub(super) fn behaviour(&mut self, summand: &Summand) -> Behaviour {
        let guard = self.truth(&summand.guard);
        let enabled = self.diagrams.map(guard, &|leaf| if leaf == Leaf::Fault { Leaf::Value(0) } else { leaf });
        if enabled == Diagrams::ZERO {
            return Behaviour { status: guard, labels: Vec::new(), outputs: Vec::new() };
        }
        let arguments: Vec<Dd> = summand.arguments.iter().map(|argument| self.value(argument)).collect();
        let mut ends = self.body(&summand.body);
        debug_assert_eq!(self.scope.len(), summand.parameters.len(), "every binder ends");
        for &argument in arguments.iter().rev() {
            ends = self.diagrams.apply(Op::Then, argument, ends);
        }
        let status = self.diagrams.apply(Op::And, guard, ends);
        let is_status = |leaf: &Leaf| matches!(leaf, Leaf::Value(0 | 1) | Leaf::Fault);
        debug_assert!(self.diagrams.leaves(status).iter().all(is_status), "a step runs, faults or is not enabled");
        let labels = self.labels(status, &arguments);
        let kept = self.model.state_len();
        let mut elements: Vec<usize> = self.changed.keys().copied().filter(|&element| element < kept).collect();
        elements.sort_unstable();
        let mut outputs = Vec::new();
        for element in elements {
            let (new, old) = (self.changed[&element], self.diagrams.element(element));
            let [new, old] = [new, old].map(|value| self.diagrams.apply(Op::Only(1), status, value));
            if new != old {
                outputs.push((element, new));
            }
        }
        Behaviour { status, labels, outputs }
    }

    fn labels(&mut self, status: Dd, arguments: &[Dd]) -> Vec<(Vec<Leaf>, Dd)> {
        let mut labels = vec![(Vec::new(), status)];
        for &argument in arguments {
            let mut longer = Vec::new();
            for (prefix, when) in labels {
                let here = self.diagrams.apply(Op::WhenTrue, when, argument);
                for leaf in self.diagrams.leaves(here) {
                    if let Leaf::Nothing | Leaf::Fault = leaf {
                        continue;
                    }
                    let when = self.diagrams.map(here, &|other| Leaf::Value(i32::from(other == leaf)));
                    longer.push((prefix.iter().copied().chain([leaf]).collect::<Vec<Leaf>>(), when));
                }
            }
            if longer.len() > MAX_LABELS {
                self.diagrams.exhaust();
                return Vec::new();
            }
            labels = longer;
        }
        labels
    }

    /// The truth of a condition: 0, 1 or a fault.
    pub(super) fn truth(&mut self, expr: &Expr) -> Dd {
        let value = self.value(expr);
        let value = self.diagrams.truths(value);
        self.diagrams.map(value, &|leaf| match leaf {
            Leaf::Value(value) => Leaf::Value(i32::from(value != 0)),
            other => other,
        })
    }

    pub(super) fn value(&mut self, expr: &Expr) -> Dd {
        if !self.diagrams.step() {
            return Diagrams::FAULT;
        }
        let strict = |change: fn(i32) -> Option<i32>| {
            move |leaf| match leaf {
                Leaf::Value(value) => change(value).map_or(Leaf::Fault, Leaf::Value),
                other => other,
            }
        };
        match &expr.kind {
            ExprKind::Int(value) => self.diagrams.constant(*value),
            ExprKind::Member(_, index) => self.diagrams.constant(i32::try_from(*index).expect("sorts are bounded")),
            ExprKind::Parameter(id) => self.diagrams.constant(self.scope[id.index()]),
            ExprKind::Read(place) => {
                let variable = self.model.variable(place.variable);
                let offset = self.offset(&variable.indices, &place.indices);
                self.choose(offset, |own, step| own.read(variable.offset + step))
            }
            ExprKind::Lookup(id, indices) => {
                let table = self.model.table(*id);
                let offset = self.offset(&table.indices, indices);
                self.diagrams.map(offset, &|leaf| match leaf {
                    Leaf::Value(offset) => Leaf::Value(table.values[usize::try_from(offset).expect("an offset")]),
                    other => other,
                })
            }
            ExprKind::Negate(inner) => {
                // 0 - x faults where -x does.
                let value = self.value(inner);
                self.diagrams.apply(Op::Arithmetic(BinaryOp::Subtract), Diagrams::ZERO, value)
            }
            ExprKind::Not(inner) => {
                let value = self.truth(inner);
                self.diagrams.map(value, &strict(|value| Some(i32::from(value == 0))))
            }
            ExprKind::PopCount(inner) => {
                let value = self.value(inner);
                let value = self.diagrams.map(value, &strict(|value| Some(value.count_ones().cast_signed())));
                self.diagrams.bits(value)
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                self.diagrams.apply(Op::Arithmetic(*op), left, right)
            }
            ExprKind::And(list) => self.chain(Op::And, list.iter().map(|operand| (None, operand))),
            ExprKind::Or(list) => self.chain(Op::Or, list.iter().map(|operand| (None, operand))),
            ExprKind::Implies(left, right) => {
                let left = self.truth(left);
                let right = if left == Diagrams::ZERO { Diagrams::ONE } else { self.truth(right) };
                self.diagrams.apply(Op::Implies, left, right)
            }
            ExprKind::Ite(condition, then, otherwise) => {
                let condition = self.truth(condition);
                let then = if condition == Diagrams::ZERO { Diagrams::FAULT } else { self.value(then) };
                let otherwise = if condition == Diagrams::ONE { Diagrams::FAULT } else { self.value(otherwise) };
                self.join(condition, then, otherwise)
            }
            ExprKind::Forall(quantified) => self.quantified(Op::And, quantified),
            ExprKind::Exists(quantified) => self.quantified(Op::Or, quantified),
        }
    }

    /// One value where a condition is true, another where it is false, a fault where it faults.
    pub(super) fn join(&mut self, condition: Dd, then: Dd, otherwise: Dd) -> Dd {
        let then = self.diagrams.apply(Op::WhenTrue, condition, then);
        let otherwise = self.diagrams.apply(Op::WhenFalse, condition, otherwise);
        self.diagrams.apply(Op::Else, then, otherwise)
    }

    fn quantified(&mut self, op: Op, quantified: &Quantified) -> Dd {
        let model = self.model;
        let values = model.domain(quantified.sort).values();
        self.chain(op, values.map(|value| (Some(value), &quantified.body)))
    }

    /// A short-circuit chain, some operands below a binder with a value. Operands after one that always ends the chain are skipped.
    fn chain<'e>(&mut self, op: Op, operands: impl Iterator<Item = (Option<i32>, &'e Expr)>) -> Dd {
        let neutral = if op == Op::And { Diagrams::ONE } else { Diagrams::ZERO };
        let mut truths = Vec::new();
        for (binding, operand) in operands {
            self.scope.extend(binding);
            let truth = self.truth(operand);
            self.scope.truncate(self.scope.len() - usize::from(binding.is_some()));
            if truth != neutral {
                truths.push(truth);
            }
            if self.diagrams.exhausted() || (truth != neutral && self.diagrams.as_leaf(truth).is_some()) {
                break;
            }
        }
        truths.into_iter().rev().fold(neutral, |rest, truth| self.diagrams.apply(op, truth, rest))
    }

    /// The row-major offset of a list of indices; a fault where one is outside its sort.
    fn offset(&mut self, sorts: &[SortId], indices: &[Expr]) -> Dd {
        let mut offset = Diagrams::ZERO;
        for (index, &sort) in indices.iter().zip(sorts) {
            let domain = self.model.domain(sort);
            let (low, high) = domain.bounds();
            let value = self.value(index);
            let value = self.diagrams.concrete(value, low, high);
            let size = i32::try_from(domain.size()).expect("sorts are bounded");
            offset = self.diagrams.apply(Op::Offset(low, size), offset, value);
        }
        offset
    }

    /// A function chosen by an offset: `of` gives it for each possible offset.
    fn choose(&mut self, offset: Dd, mut of: impl FnMut(&mut Self, usize) -> Dd) -> Dd {
        let leaves = self.diagrams.leaves(offset);
        if leaves.len() > MAX_OFFSETS {
            self.diagrams.exhaust();
            return Diagrams::FAULT;
        }
        let mut result = self.diagrams.leaf(Leaf::Nothing);
        for leaf in leaves.into_iter().rev() {
            let Leaf::Value(value) = leaf else { continue };
            let part = of(self, usize::try_from(value).expect("an offset"));
            let part = self.diagrams.apply(Op::Only(value), offset, part);
            result = self.diagrams.apply(Op::Else, part, result);
        }
        let faults = self.diagrams.map(offset, &|leaf| if leaf == Leaf::Fault { leaf } else { Leaf::Nothing });
        self.diagrams.apply(Op::Else, faults, result)
    }

    pub(super) fn read(&mut self, element: usize) -> Dd {
        if let Some(&changed) = self.changed.get(&element) {
            return changed;
        }
        self.read.insert(element);
        self.diagrams.element(element)
    }

    /// Runs statements; 1 where they end, a fault where they fault.
    pub(super) fn body(&mut self, body: &[Stmt]) -> Dd {
        let mut ends = Diagrams::ONE;
        for stmt in body {
            let here = match &stmt.kind {
                StmtKind::Assign(place, value) => self.assign(place, value),
                StmtKind::If(condition, then, otherwise) => self.branch(condition, then, otherwise),
                StmtKind::Var(id, value) => self.declare(*id, value),
                StmtKind::For(parameter, body) => self.each(parameter.sort, body),
                StmtKind::While(condition, body) => self.repeat(condition, body, Diagrams::ONE),
                StmtKind::Fail(_) => Diagrams::FAULT,
            };
            ends = self.diagrams.apply(Op::Then, ends, here);
            if self.diagrams.exhausted() {
                return Diagrams::FAULT;
            }
        }
        ends
    }

    /// Gives all elements of a local a value.
    fn declare(&mut self, id: VariableId, value: &Expr) -> Dd {
        let (local, value) = (self.model.variable(id), self.value(value));
        let value = self.fitting(local.sort, value);
        for element in local.offset..local.offset + self.model.len_of(local) {
            self.changed.insert(element, value);
        }
        self.diagrams.map(value, &|leaf| if leaf == Leaf::Fault { leaf } else { Leaf::Value(1) })
    }

    fn each(&mut self, sort: SortId, body: &[Stmt]) -> Dd {
        let mut ends = Diagrams::ONE;
        for value in self.model.domain(sort).values() {
            self.scope.push(value);
            let here = self.body(body);
            self.scope.pop();
            ends = self.diagrams.apply(Op::Then, ends, here);
            if self.diagrams.exhausted() {
                return Diagrams::FAULT;
            }
        }
        ends
    }

    /// A loop, in the states that reach this round of it.
    fn repeat(&mut self, condition: &Expr, body: &[Stmt], reached: Dd) -> Dd {
        let holds = self.truth(condition);
        let reached = self.diagrams.apply(Op::And, reached, holds);
        let continues = self.diagrams.leaves(reached).contains(&Leaf::Value(1));
        let before = self.changed.clone();
        let mut ends = Diagrams::ONE;
        if continues {
            self.rounds += 1;
            if self.rounds > MAX_ROUNDS || self.diagrams.exhausted() {
                self.diagrams.exhaust();
                return Diagrams::FAULT;
            }
            let here = self.body(body);
            let rest = self.repeat(condition, body, reached);
            ends = self.diagrams.apply(Op::Then, here, rest);
        }
        let then = std::mem::replace(&mut self.changed, before);
        self.merge(holds, &then);
        self.join(holds, ends, Diagrams::ONE)
    }

    /// The value as it is written to a sort: a fault outside the sort.
    pub(super) fn fitting(&mut self, sort: SortId, value: Dd) -> Dd {
        let domain = self.model.domain(sort);
        let (low, high) = domain.bounds();
        let value = match csp::is_wide(domain) {
            true => self.diagrams.within(value, low, high),
            false => self.diagrams.concrete(value, low, high),
        };
        self.diagrams.map(value, &|leaf| match leaf {
            Leaf::Value(value) if value < low || value > high => Leaf::Fault,
            other => other,
        })
    }

    fn branch(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) -> Dd {
        let condition = self.truth(condition);
        let before = self.changed.clone();
        let left = if condition == Diagrams::ZERO { Diagrams::ONE } else { self.body(then) };
        let first = std::mem::replace(&mut self.changed, before);
        let right = if condition == Diagrams::ONE { Diagrams::ONE } else { self.body(otherwise) };
        self.merge(condition, &first);
        self.join(condition, left, right)
    }

    /// Joins the changes of `first`, where a condition holds, with the current changes, where it does not. Locals of one side are out of
    /// scope.
    fn merge(&mut self, condition: Dd, first: &Changed) {
        let kept = self.model.state_len();
        let mut elements: Vec<usize> = first.keys().chain(self.changed.keys()).copied().collect();
        elements.sort_unstable();
        elements.dedup();
        for element in elements {
            let is_local = element >= kept;
            if is_local && !(first.contains_key(&element) && self.changed.contains_key(&element)) {
                self.changed.remove(&element);
                continue;
            }
            let then = match first.get(&element) {
                Some(&value) => value,
                None => {
                    self.read.insert(element);
                    self.diagrams.element(element)
                }
            };
            let otherwise = self.read(element);
            let value = self.join(condition, then, otherwise);
            self.changed.insert(element, value);
        }
    }

    fn assign(&mut self, place: &Place, value: &Expr) -> Dd {
        let variable = self.model.variable(place.variable);
        let offset = self.offset(&variable.indices, &place.indices);
        let value = self.value(value);
        let value = self.fitting(variable.sort, value);
        let leaves = self.diagrams.leaves(offset);
        if leaves.len() > MAX_OFFSETS {
            self.diagrams.exhaust();
        }
        for leaf in leaves {
            let Leaf::Value(step) = leaf else { continue };
            if self.diagrams.exhausted() {
                return Diagrams::FAULT;
            }
            let element = variable.offset + usize::try_from(step).expect("an offset");
            debug_assert!(element < variable.offset + self.model.len_of(variable), "an offset lies in its variable");
            let old = self.read(element);
            let new = self.diagrams.apply(Op::Only(step), offset, value);
            let new = self.diagrams.apply(Op::Else, new, old);
            self.changed.insert(element, new);
        }
        let written = self.diagrams.map(value, &|leaf| if leaf == Leaf::Fault { leaf } else { Leaf::Value(1) });
        self.diagrams.apply(Op::Then, offset, written)
    }
}
