//! Synchronous systems: every process takes one transition in every step, so that there is one summand for each combination.
//!
//! All guards and effects read the state before the step; within one process, later effects see earlier ones. What one process
//! writes and a later one reads is kept in a local first. Two processes that write one global variable are a fault.

use std::collections::BTreeMap;

use super::Lowering;
use super::steps::{Step, assign, read};
use crate::diagnostics::codes;
use crate::dve::MAX_COMBINATIONS;
use crate::dve::syntax::ast::System;
use crate::sequential::{Expr, ExprKind, Stmt, StmtKind, VariableId};
use crate::source::Span;

/// The locals that keep variables.
type Kept = BTreeMap<VariableId, VariableId>;

impl<'a> Lowering<'a> {
    /// The summands of a synchronous system.
    pub(super) fn synchronous_steps(&mut self, system: &System) {
        let steps = self.resolved();
        let sync = steps.iter().find_map(|step| step.sync.as_ref().map(|message| message.span));
        let committed = self.processes.iter().flat_map(|process| &process.tree.commit).map(|name| name.span).next();
        if let Some(span) = sync.or(committed) {
            let message = "nothing waits for messages or committed processes in a synchronous system";
            self.error(codes::DVE_SYNCHRONOUS, span, message, "write `system async;`, or leave this out");
            return;
        }
        let takes_part = |&number: &usize| self.processes[number].control.is_some();
        let of = |number: usize| steps.iter().filter(|step| step.process == number).collect::<Vec<_>>();
        let choices: Vec<Vec<&Step<'_>>> = (0..self.processes.len()).filter(takes_part).map(of).collect();
        let count = choices.iter().try_fold(1usize, |count, list| count.checked_mul(list.len()));
        if count.is_none_or(|count| count > MAX_COMBINATIONS) {
            let message = format!("the transitions have more than {MAX_COMBINATIONS} combinations");
            return self.too_large(system.span, &message);
        }
        for number in 0..count.unwrap_or(0) {
            let mut rest = number;
            let mut chosen = Vec::new();
            for list in choices.iter().rev() {
                chosen.push(list[rest % list.len()]);
                rest /= list.len();
            }
            chosen.reverse();
            assert_eq!(rest, 0, "the number of a combination is below that of all");
            debug_assert_eq!(chosen.len(), choices.len(), "every process makes a step");
            self.together(&chosen);
        }
    }

    /// One step of all processes.
    fn together(&mut self, steps: &[&Step<'a>]) {
        let span = steps.first().map_or(Span::NONE, |step| step.tree.span);
        let sources = steps.iter().map(|step| step.enabled[0].clone());
        let guards = sources.chain(steps.iter().flat_map(|step| step.enabled[1..].iter().cloned())).collect();
        let label = steps.iter().map(|step| self.words(step)).collect::<Vec<String>>().join(", ");
        let body = self.conflict(steps).map_or_else(|| self.at_once(steps), |fault| vec![fault]);
        self.summand("together", guards, body, label, span);
    }

    /// The fault of a step in which two processes write one variable.
    fn conflict(&self, steps: &[&Step<'_>]) -> Option<Stmt> {
        let mut written: Vec<VariableId> = Vec::new();
        for step in steps {
            let mut own: Vec<VariableId> = targets(&step.changes).collect();
            own.sort_unstable();
            own.dedup();
            if let Some(&variable) = own.iter().find(|variable| written.contains(variable)) {
                let text = format!("two processes write {}", self.model.variable(variable).name);
                return Some(Stmt { kind: StmtKind::Fail(text), span: step.tree.span });
            }
            written.extend(own);
        }
        None
    }

    /// The changes of all steps, each of which reads what the others have not yet written.
    fn at_once(&mut self, steps: &[&Step<'_>]) -> Vec<Stmt> {
        let (mut before, mut changes) = (Vec::new(), Vec::new());
        let mut kept = Kept::default();
        for (number, step) in steps.iter().enumerate() {
            let mut own = step.changes.clone();
            own.iter_mut().for_each(|stmt| redirect(stmt, &kept));
            changes.extend(own);
            for variable in targets(&step.changes) {
                let is_read =
                    steps[number + 1..].iter().any(|later| later.changes.iter().any(|stmt| reads(stmt, variable)));
                if is_read && !kept.contains_key(&variable) {
                    let local = self.keep(variable, kept.len(), step.tree.span, &mut before);
                    kept.insert(variable, local);
                }
            }
        }
        before.extend(changes);
        before
    }

    /// Keeps the value of a variable in a local.
    fn keep(&mut self, variable: VariableId, number: usize, span: Span, before: &mut Vec<Stmt>) -> VariableId {
        let (sort, indices) = (self.model.variable(variable).sort, self.model.variable(variable).indices.clone());
        let local = self.local(format!("before.{number}"), sort, indices.clone());
        debug_assert!(indices.len() <= 1, "arrays have one dimension");
        let at = |index: i32| vec![Expr::new(ExprKind::Int(index), span)];
        let Some(&index) = indices.first() else {
            before.push(Stmt { kind: StmtKind::Var(local, read(variable, Vec::new(), span)), span });
            return local;
        };
        before.push(Stmt { kind: StmtKind::Var(local, read(variable, at(0), span)), span });
        for value in self.model.domain(index).values() {
            let place = crate::sequential::Place { variable: local, indices: at(value), span };
            before.push(assign(place, read(variable, at(value), span), span));
        }
        local
    }
}

/// The variables that statements assign to.
fn targets(changes: &[Stmt]) -> impl Iterator<Item = VariableId> + '_ {
    changes.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Assign(place, _) => Some(place.variable),
        _ => None,
    })
}

/// Whether a statement reads a variable.
fn reads(stmt: &Stmt, variable: VariableId) -> bool {
    stmt.expressions().into_iter().any(|expr| expr.reads(|read| read == variable))
}

/// Reads locals in place of the variables that they keep.
fn redirect(stmt: &mut Stmt, kept: &Kept) {
    let local = |variable| kept.get(&variable).copied().unwrap_or(variable);
    stmt.expressions_mut().into_iter().for_each(|expr| expr.rename(local));
}
