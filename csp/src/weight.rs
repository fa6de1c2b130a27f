//! The number of terms of all instances of a process, from its text: which processes are too large to be drawn.

use frontend::sequential::{Expr, ExprKind, Sequential, SortId, Stmt, StmtKind, Summand};

/// The number of terms that the process has when its parameters and quantifiers are replaced by values.
pub fn weight(model: &Sequential) -> u64 {
    model.summands.iter().map(|summand| weight_of(model, summand)).fold(0, u64::saturating_add)
}

/// The number of terms of all instances of a summand.
pub fn weight_of(model: &Sequential, summand: &Summand) -> u64 {
    let size = |sort: SortId| model.domain(sort).size() as u64;
    let combinations =
        summand.parameters.iter().fold(1u64, |count, parameter| count.saturating_mul(size(parameter.sort)));
    let parts = summand.arguments.iter().chain([&summand.guard]).map(|expr| terms(model, expr));
    let text = parts.fold(statements(model, &summand.body), u64::saturating_add);
    combinations.saturating_mul(text)
}

fn terms(model: &Sequential, expr: &Expr) -> u64 {
    let inner = expr.operands().into_iter().fold(0u64, |sum, operand| sum.saturating_add(terms(model, operand)));
    match &expr.kind {
        ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
            inner.saturating_mul(model.domain(quantified.sort).size() as u64)
        }
        _ => inner.saturating_add(1),
    }
}

fn statements(model: &Sequential, body: &[Stmt]) -> u64 {
    let weights = body.iter().map(|stmt| {
        let own = stmt.expressions().into_iter().map(|expr| terms(model, expr));
        let blocks = stmt.blocks().into_iter().map(|block| statements(model, block));
        let sum = own.chain(blocks).fold(0, u64::saturating_add);
        match &stmt.kind {
            StmtKind::For(parameter, _) => sum.saturating_mul(model.domain(parameter.sort).size() as u64),
            StmtKind::Fail(_) => 1,
            _ => sum,
        }
    });
    weights.fold(0, u64::saturating_add)
}
