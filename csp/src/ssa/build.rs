//! From the body of a summand to static single assignment form.

use frontend::sequential::{Expr, ExprKind, ParameterId, Sequential, Stmt, StmtKind, Summand, VariableId};
use frontend::source::Span;

use super::{SsaSummand, Step, StepKind, Version};

/// The most steps of a body.
const MAX_STEPS: usize = 1 << 14;

/// The form of the body of a summand.
///
/// Loops over sorts are unrolled; a body with a `while` loop, or with more than a bounded number of steps, is opaque.
pub fn build(model: &Sequential, summand: &Summand) -> SsaSummand {
    let originals: Vec<VariableId> =
        (0..model.variables.len() + model.locals.len()).map(VariableId::from_index).collect();
    let mut builder = Builder {
        model,
        parameters: summand.parameters.len(),
        rounds: Vec::new(),
        opaque: false,
        versions: originals.iter().map(|&variable| Version { variable, number: 0 }).collect(),
        numbers: vec![0; originals.len()],
        current: originals,
        steps: Vec::new(),
        path: Vec::new(),
        decisions: 0,
    };
    builder.statements(&summand.body);
    SsaSummand {
        versions: builder.versions,
        steps: builder.steps,
        decisions: builder.decisions,
        latest: builder.current,
        opaque: builder.opaque,
    }
}

struct Builder<'m> {
    model: &'m Sequential,
    /// The number of parameters of the summand.
    parameters: usize,
    /// The values of the loops around this place.
    rounds: Vec<i32>,
    opaque: bool,
    versions: Vec<Version>,
    /// The highest number of a version of each variable.
    numbers: Vec<u32>,
    /// The version of each variable that holds here.
    current: Vec<VariableId>,
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
                    let base = self.current[place.variable.index()];
                    let target = self.fresh(place.variable);
                    self.push(StepKind::Write { target, base, indices, value }, stmt.span);
                }
                StmtKind::If(condition, then, otherwise) => self.conditional(condition, then, otherwise, stmt.span),
                StmtKind::Var(id, value) => {
                    let value = self.renamed(value);
                    let base = self.current[id.index()];
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
                StmtKind::While(..) => self.opaque = true,
                StmtKind::Fail(_) => self.push(StepKind::Fail, stmt.span),
            }
        }
    }

    fn conditional(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt], span: Span) {
        let condition = self.renamed(condition);
        self.push(StepKind::Decide(condition), span);
        let decision = self.decisions;
        self.decisions += 1;
        let before = self.current.clone();
        let after_then = self.branch(then, decision, true, &before);
        let after_otherwise = self.branch(otherwise, decision, false, &before);
        self.current.clone_from(&before);
        for (variable, (&then, &otherwise)) in after_then.iter().zip(&after_otherwise).enumerate() {
            // Locals that were not declared before are out of scope.
            let is_gone = variable >= self.model.variables.len() && before[variable].index() == variable;
            if then != otherwise && !is_gone {
                let target = self.fresh(VariableId::from_index(variable));
                self.push(StepKind::Phi { target, decision, then, otherwise }, span);
            }
        }
    }

    /// Runs a branch from the versions before the conditional; the versions at its end.
    fn branch(&mut self, body: &[Stmt], decision: usize, side: bool, before: &[VariableId]) -> Vec<VariableId> {
        self.current = before.to_vec();
        self.path.push((decision, side));
        self.statements(body);
        self.path.pop();
        std::mem::take(&mut self.current)
    }

    fn push(&mut self, kind: StepKind, span: Span) {
        self.steps.push(Step { kind, path: self.path.clone(), span });
    }

    /// A new version, which holds from here on.
    fn fresh(&mut self, variable: VariableId) -> VariableId {
        let number = &mut self.numbers[variable.index()];
        *number += 1;
        let id = VariableId::from_index(self.versions.len());
        self.versions.push(Version { variable, number: *number });
        self.current[variable.index()] = id;
        id
    }

    /// The expression on the versions that hold here.
    fn renamed(&self, expr: &Expr) -> Expr {
        let mut copy = expr.clone();
        self.rename(&mut copy);
        copy
    }

    fn rename(&self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Read(place) => place.variable = self.current[place.variable.index()],
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
