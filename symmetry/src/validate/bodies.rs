//! The bodies of a class under the rotations of one rebec: literals, loops over scalar sets, scalars that travel.
//!
//! Source: \[Jag10\] 3.3.2, Lemma 3.

use frontend::interpret::{Bounds, most_statements};
use frontend::model::{Body, Class, Expr, ExprKind, Model, RebecId, Rvalue, ScalarSetId, Sort, Stmt, StmtKind};
use frontend::source::Span;

use super::rounds::{Loop, Verdict, rounds};
use super::{Certificate, Rejection, Wrong};
use crate::permutation::has_set;

/// A body with its name and place.
pub(super) struct Named<'m> {
    pub(super) name: &'m str,
    pub(super) body: &'m Body,
    pub(super) is_method: bool,
    pub(super) is_constructor: bool,
}

/// All bodies of a class.
pub(super) fn bodies(class: &Class) -> impl Iterator<Item = Named<'_>> {
    let plain = |name, body| Named { name, body, is_method: false, is_constructor: false };
    let servers = class.servers.iter().map(move |server| plain(server.name.as_str(), &server.body));
    let methods =
        class.methods.iter().map(move |method| Named { is_method: true, ..plain(&method.name, &method.body) });
    let constructor = class.constructor.iter();
    let constructor =
        constructor.map(move |made| Named { is_constructor: true, ..plain(class.name.as_str(), &made.body) });
    servers.chain(methods).chain(constructor)
}

/// Whether some statement of a block, at any depth, passes a test.
pub(super) fn any_statement(block: &[Stmt], test: &mut dyn FnMut(&Stmt) -> bool) -> bool {
    block.iter().any(|statement| statement.any(test))
}

/// The expressions of a statement itself, except choices.
fn expressions(statement: &Stmt) -> Vec<&Expr> {
    let choices = match statement.value() {
        Some(Rvalue::Choose(options)) => options.len(),
        _ => 0,
    };
    let mut found = statement.expressions();
    found.truncate(found.len() - choices);
    found
}

/// The scalar sets whose values are sent to other rebecs.
pub(super) struct Traffic {
    sends: Vec<Option<Span>>,
}

impl Traffic {
    pub(super) fn new(model: &Model) -> Traffic {
        let mut sends = vec![None; model.scalar_sets.len()];
        for body in model.classes.iter().flat_map(bodies) {
            any_statement(&body.body.block, &mut |statement| {
                if let StmtKind::Send { receiver, arguments, .. } = &statement.kind
                    && receiver.kind != ExprKind::SelfRef
                {
                    for argument in arguments {
                        if let Sort::Scalar(set) = argument.sort {
                            sends[set.index()].get_or_insert(statement.span);
                        }
                    }
                }
                false
            });
        }
        Traffic { sends }
    }

    /// A statement that may send a scalar of the set to another rebec.
    pub(super) fn sends(&self, set: ScalarSetId) -> Option<Span> {
        self.sends[set.index()]
    }
}

/// Checks all bodies of the class of a rebec of `main` under any rotation of the given sets of this rebec.
pub(super) fn check(
    model: &Model,
    rebec: RebecId,
    sets: &[ScalarSetId],
    wrong: Wrong,
) -> Result<Certificate, Rejection> {
    let class = model.class(model.class_of(rebec));
    debug_assert!(sets.iter().all(|&set| has_set(model, rebec, set)), "a rebec turns only sets that it has");
    let mut certificate = Certificate { keeps_fault_classes: true };
    for named in bodies(class) {
        let bound = u64::from(Bounds::default().max_statements);
        let is_long = most_statements(model, named.body, &|_| true).is_none_or(|most| most > bound);
        let is_long = is_long && !wrong.forgets_length();
        let mut walk = Walk { model, rebec, sets, body: named.body, is_long, wrong, certificate: &mut certificate };
        walk.block(&named.body.block, named.is_method).map_err(|(reason, span)| Rejection::Body {
            rebec,
            body: named.name.to_owned(),
            reason,
            span,
        })?;
    }
    Ok(certificate)
}

struct Walk<'w> {
    model: &'w Model,
    rebec: RebecId,
    sets: &'w [ScalarSetId],
    body: &'w Body,
    /// Whether it may execute more statements than a call may.
    is_long: bool,
    wrong: Wrong,
    certificate: &'w mut Certificate,
}

impl Walk<'_> {
    /// Checks a block; `repeated` is true if the block may run more than once in one step.
    fn block(&mut self, block: &[Stmt], repeated: bool) -> Result<(), (String, Span)> {
        for statement in block {
            self.literals(statement)?;
            let mut inner = repeated;
            match &statement.kind {
                StmtKind::ForEach { set, local, body } if self.sets.contains(set) => {
                    let task = Loop { model: self.model, rebec: self.rebec, body: self.body, set: *set, local: *local };
                    let Verdict { keeps_fault_classes, stops, is_uneven } = rounds(&task, body, self.wrong)?;
                    if repeated && stops {
                        let reason = "a loop over a scalar set that may fault stands in another loop or in a method";
                        return Err((reason.to_owned(), statement.span));
                    }
                    if is_uneven && self.is_long {
                        let reason =
                            "a loop over a scalar set may end early, and the bound on statements may be reached";
                        return Err((reason.to_owned(), statement.span));
                    }
                    self.certificate.keeps_fault_classes &= keeps_fault_classes;
                    inner = true;
                }
                StmtKind::ForEach { .. } | StmtKind::Loop { .. } => inner = true,
                _ => {}
            }
            for block in statement.blocks() {
                self.block(block, inner)?;
            }
        }
        Ok(())
    }

    /// Checks that literals of a rotated set occur only in choices over the whole set.
    fn literals(&self, statement: &Stmt) -> Result<(), (String, Span)> {
        if let Some(Rvalue::Choose(options)) = statement.value() {
            self.options(options, statement.span)?;
        }
        expressions(statement).into_iter().try_for_each(|expr| self.no_literal(expr))
    }

    fn options(&self, options: &[Expr], span: Span) -> Result<(), (String, Span)> {
        let mut literals: Vec<i32> = Vec::new();
        for option in options {
            match option.kind {
                ExprKind::Scalar(value) => literals.push(value),
                _ => self.no_literal(option)?,
            }
        }
        let Some(Sort::Scalar(set)) = options.first().map(|option| option.sort) else { return Ok(()) };
        if !self.sets.contains(&set) || literals.is_empty() {
            return Ok(());
        }
        literals.sort_unstable();
        let bounds = self.model.scalar_set(set);
        let whole = literals.iter().copied().eq(bounds.low..=bounds.high);
        if !whole || literals.len() < options.len() {
            return Err(("a choice is not over the whole scalar set".to_owned(), span));
        }
        Ok(())
    }

    fn no_literal(&self, expr: &Expr) -> Result<(), (String, Span)> {
        match (&expr.kind, expr.sort) {
            (ExprKind::Scalar(_), Sort::Scalar(set)) if self.sets.contains(&set) => {
                Err(("a single value of the scalar set is named".to_owned(), expr.span))
            }
            _ => expr.operands().into_iter().try_for_each(|operand| self.no_literal(operand)),
        }
    }
}
