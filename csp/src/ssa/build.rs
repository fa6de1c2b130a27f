//! From the body of a summand to static single assignment form.

use std::collections::{BTreeMap, BTreeSet};

use frontend::sequential::{Expr, ExprKind, ParameterId, Sequential, Stmt, StmtKind, Summand, VariableId};
use frontend::source::Span;
use rustc_hash::FxHashMap;

use super::{SsaSummand, Step, StepKind, Version};

/// The most steps of a body.
const MAX_STEPS: usize = 1 << 14;
/// The number of rounds of a `while` loop that are unrolled: at the outermost level, within one loop, and within two or more.
const MAX_ROUNDS: [usize; 3] = [32, 8, 2];

/// The form of the body of a summand.
///
/// Loops over sorts are unrolled. A bounded number of rounds of each `while` loop is unrolled, with a mark where the loop may continue. A
/// body with more than a bounded number of steps is opaque.
pub fn build(model: &Sequential, summand: &Summand) -> SsaSummand {
    limits::work(1);
    let mut builder = Builder {
        model,
        parameters: summand.parameters.len(),
        rounds: Vec::new(),
        loops: 0,
        opaque: false,
        originals: model.variables.len() + model.locals.len(),
        made: Vec::new(),
        numbers: FxHashMap::default(),
        current: Current::new(),
        steps: Vec::new(),
        path: Vec::new(),
        decisions: 0,
    };
    builder.statements(&summand.body);
    assert!(builder.path.is_empty() && builder.rounds.is_empty(), "every branch and every loop ends");
    SsaSummand {
        originals: builder.originals,
        made: builder.made,
        steps: builder.steps,
        decisions: builder.decisions,
        latest: builder.current.into_iter().collect(),
        opaque: builder.opaque,
    }
}

/// The current version of each variable that has another one than 0.
type Current = BTreeMap<VariableId, VariableId>;

struct Builder<'m> {
    model: &'m Sequential,
    /// The number of parameters of the summand.
    parameters: usize,
    /// The values of the loops that enclose this place.
    rounds: Vec<i32>,
    /// The number of `while` loops that enclose this place.
    loops: usize,
    opaque: bool,
    originals: usize,
    /// The versions of other numbers than 0.
    made: Vec<Version>,
    /// The highest number of a version of each variable that has another one than 0.
    numbers: FxHashMap<VariableId, u32>,
    /// The versions at this place.
    current: Current,
    steps: Vec<Step>,
    path: Vec<(usize, bool)>,
    decisions: usize,
}

impl Builder<'_> {
    fn statements(&mut self, body: &[Stmt]) {
        for stmt in body {
            if self.opaque || self.steps.len() > MAX_STEPS {
                self.opaque = true;
                return;
            }
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    let indices = place.indices.iter().map(|index| self.renamed(index)).collect();
                    let value = self.renamed(value);
                    let base = self.current(place.variable);
                    let target = self.fresh(place.variable);
                    self.push(StepKind::Write { target, base, indices, value }, stmt.span);
                }
                StmtKind::If(condition, then, otherwise) => {
                    self.conditional(condition, stmt.span, |own, side| {
                        own.statements(if side { then } else { otherwise });
                    });
                }
                StmtKind::Var(id, value) => {
                    let value = self.renamed(value);
                    let base = self.current(*id);
                    let target = self.fresh(*id);
                    self.push(StepKind::Write { target, base, indices: Vec::new(), value }, stmt.span);
                }
                StmtKind::For(parameter, body) => {
                    for value in self.model.domain(parameter.sort).values() {
                        self.rounds.push(value);
                        self.statements(body);
                        self.rounds.pop();
                        if self.opaque {
                            return;
                        }
                    }
                }
                StmtKind::While(condition, body) => {
                    let rounds = MAX_ROUNDS[self.loops.min(MAX_ROUNDS.len() - 1)];
                    self.loops += 1;
                    self.repeat(condition, body, rounds, stmt.span);
                    self.loops -= 1;
                }
                StmtKind::Fail(_) => self.push(StepKind::Fail, stmt.span),
            }
        }
    }

    /// Unrolls `rounds` rounds of a `while` loop.
    fn repeat(&mut self, condition: &Expr, body: &[Stmt], rounds: usize, span: Span) {
        self.conditional(condition, span, |own, side| {
            if side && rounds > 0 {
                own.statements(body);
                if !own.opaque {
                    own.repeat(condition, body, rounds - 1, span);
                }
            } else if side {
                own.push(StepKind::Continues, span);
            }
        });
    }

    fn conditional(&mut self, condition: &Expr, span: Span, mut branches: impl FnMut(&mut Self, bool)) {
        let condition = self.renamed(condition);
        self.push(StepKind::Decide(condition), span);
        let decision = self.decisions;
        self.decisions += 1;
        let before = self.current.clone();
        let after_then = self.branch(&mut branches, decision, true, &before);
        let after_otherwise = self.branch(&mut branches, decision, false, &before);
        self.current.clone_from(&before);
        let changed: BTreeSet<VariableId> = after_then.keys().chain(after_otherwise.keys()).copied().collect();
        for variable in changed {
            let after = |current: &Current| current.get(&variable).copied().unwrap_or(variable);
            let (then, otherwise) = (after(&after_then), after(&after_otherwise));
            // Locals that were not declared before are out of scope.
            let is_dead = variable.index() >= self.model.variables.len() && !before.contains_key(&variable);
            if then != otherwise && !is_dead {
                let target = self.fresh(variable);
                self.push(StepKind::Phi { target, decision, then, otherwise }, span);
            }
        }
    }

    /// Runs a branch from the versions before the conditional; returns the versions at its end.
    fn branch(
        &mut self,
        branches: &mut impl FnMut(&mut Self, bool),
        decision: usize,
        side: bool,
        before: &Current,
    ) -> Current {
        limits::work(before.len() as u64);
        self.current.clone_from(before);
        self.path.push((decision, side));
        branches(self, side);
        self.path.pop();
        std::mem::take(&mut self.current)
    }

    fn push(&mut self, kind: StepKind, span: Span) {
        limits::work(1);
        self.steps.push(Step { kind, path: self.path.clone(), span });
    }

    /// The version of a variable at this place.
    fn current(&self, variable: VariableId) -> VariableId {
        self.current.get(&variable).copied().unwrap_or(variable)
    }

    /// A new version, which is current from here on.
    fn fresh(&mut self, variable: VariableId) -> VariableId {
        let number = self.numbers.entry(variable).or_default();
        *number += 1;
        let id = VariableId::from_index(self.originals + self.made.len());
        self.made.push(Version { variable, number: *number });
        self.current.insert(variable, id);
        id
    }

    /// The expression on the current versions.
    fn renamed(&self, expr: &Expr) -> Expr {
        let mut copy = expr.clone();
        self.rename(&mut copy);
        copy
    }

    fn rename(&self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Read(place) => place.variable = self.current(place.variable),
            ExprKind::Parameter(id) => match id.index().checked_sub(self.parameters) {
                None => {}
                Some(place) if place < self.rounds.len() => expr.kind = ExprKind::Int(self.rounds[place]),
                Some(_) => *id = ParameterId::from_index(id.index() - self.rounds.len()),
            },
            _ => {}
        }
        expr.operands_mut().into_iter().for_each(|operand| self.rename(operand));
    }
}
