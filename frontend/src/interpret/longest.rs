//! The most statements that one call of a body may execute, from its text: an upper bound, or none.
//!
//! Statements are counted as [`Bounds::max_statements`](super::Bounds::max_statements) counts them: each statement, and each round of a
//! loop with the test of its condition. Branches count by the longest one, all arms of a `switch` count. A loop over a scalar set makes
//! as many rounds as the set has values. Any other loop has a bound only if it counts: its condition requires that a local is below a
//! constant, the local starts at constants, is raised at the top of each round, and is assigned nowhere else.
//!
//! Soundness: the bound holds on every path, whatever values, choices and faults there are, and for every part of the body that has,
//! for each loop, the assignments to what its condition reads.
//!
//! Complexity: the length of the body for each loop that is no loop over a scalar set.

use crate::model::{Base, BinaryOp, Block, Body, Expr, ExprKind, LocalId, Model, Place, Rvalue, Stmt, StmtKind};

/// The most statements that a call of a body executes, without those of the calls it makes, if there is a bound. Statements whose number
/// does not pass `stays` are left out, with those inside; statements have numbers in the order of the text, parents first.
pub fn most_statements(model: &Model, body: &Body, stays: &dyn Fn(usize) -> bool) -> Option<u64> {
    let mut count = Count { model, body, stays, next: 0 };
    let most = count.block(&body.block);
    let statements = || {
        let mut number = 0;
        body.block.iter().for_each(|statement| statement.visit(&mut |_| number += 1));
        number
    };
    debug_assert_eq!(count.next, statements(), "every statement has its number");
    most
}

struct Count<'a> {
    model: &'a Model,
    body: &'a Body,
    stays: &'a dyn Fn(usize) -> bool,
    next: usize,
}

impl Count<'_> {
    fn block(&mut self, block: &Block) -> Option<u64> {
        // No early return: the numbers of all statements have to pass.
        let counts: Vec<Option<u64>> = block.iter().map(|statement| self.statement(statement)).collect();
        counts.into_iter().try_fold(0, |sum: u64, count| sum.checked_add(count?))
    }

    fn statement(&mut self, statement: &Stmt) -> Option<u64> {
        let stays = (self.stays)(self.next);
        self.next += 1;
        let inner: Vec<Option<u64>> = statement.blocks().into_iter().map(|block| self.block(block)).collect();
        if !stays {
            return Some(0);
        }
        let sum = || inner.iter().try_fold(1, |sum: u64, count| sum.checked_add((*count)?));
        match &statement.kind {
            StmtKind::If { .. } => {
                inner.iter().try_fold(0, |most: u64, count| Some(most.max(*count.as_ref()?)))?.checked_add(1)
            }
            StmtKind::ForEach { set, .. } => {
                u64::from(self.model.scalar_set(*set).size()).checked_mul(sum()?)?.checked_add(1)
            }
            // The last test is one more.
            StmtKind::Loop { .. } => sum()?.checked_mul(rounds(self.body, statement)?)?.checked_add(2),
            _ => sum(),
        }
    }
}

/// The most rounds of a loop that counts.
fn rounds(body: &Body, statement: &Stmt) -> Option<u64> {
    let StmtKind::Loop { condition, .. } = &statement.kind else { return None };
    let conditions = match &condition.kind {
        ExprKind::And(parts) => parts.iter().collect(),
        _ => vec![condition],
    };
    conditions.into_iter().filter_map(limit).find_map(|(local, below)| rounds_of(body, statement, local, below))
}

/// The most rounds of a loop that makes none unless the local is below a constant.
fn rounds_of(body: &Body, statement: &Stmt, local: LocalId, below: i64) -> Option<u64> {
    let StmtKind::Loop { body: round, update, .. } = &statement.kind else { return None };
    // The update runs after `continue`, too.
    let continues = round.iter().any(|one| one.any(&mut |one| one.kind == StmtKind::Continue));
    let always = update.iter().chain(round.iter().filter(|_| !continues));
    let (raises, step) = always.into_iter().find_map(|one| Some((one, rise(one, local)?)))?;
    debug_assert!(step > 0, "a local that is raised grows");
    let inside = assignments(round, local).len() + assignments(update, local).len();
    if inside != 1 || local.index() < body.parameters().len() {
        return None;
    }
    let all = assignments(&body.block, local);
    let mut starts = all.into_iter().filter(|one| !std::ptr::eq(*one, raises));
    let least = starts.try_fold(below, |least, one| Some(least.min(start(one)?)))?;
    u64::try_from((below - least + step - 1) / step).ok()
}

/// The statements that assign to a local.
fn assignments(block: &Block, local: LocalId) -> Vec<&Stmt> {
    let mut found = Vec::new();
    let mut open: Vec<&Stmt> = block.iter().collect();
    while let Some(statement) = open.pop() {
        match &statement.kind {
            StmtKind::Let { local: own, .. } | StmtKind::ForEach { local: own, .. } if *own == local => {
                found.push(statement);
            }
            StmtKind::Assign { place, .. } if place.base == Base::Local(local) => found.push(statement),
            _ => {}
        }
        open.extend(statement.blocks().into_iter().flatten());
    }
    found
}

/// The local and the bound below which it is, if a condition requires that.
fn limit(condition: &Expr) -> Option<(LocalId, i64)> {
    let ExprKind::Binary(op, left, right) = &condition.kind else { return None };
    let (low, high, is_equal) = match op {
        BinaryOp::Less => (left, right, 0),
        BinaryOp::LessEqual => (left, right, 1),
        BinaryOp::Greater => (right, left, 0),
        BinaryOp::GreaterEqual => (right, left, 1),
        _ => return None,
    };
    Some((plain(low)?, constant(high)? + is_equal))
}

/// The positive constant by which a statement raises a local.
fn rise(statement: &Stmt, local: LocalId) -> Option<i64> {
    let StmtKind::Assign { place, value: Rvalue::Expr(value) } = &statement.kind else { return None };
    let value = match &value.kind {
        ExprKind::Narrow(_, inner) => inner,
        _ => value,
    };
    let ExprKind::Binary(BinaryOp::Add, left, right) = &value.kind else { return None };
    let is_own = place.base == Base::Local(local) && plain(left) == Some(local);
    constant(right).filter(|&step| is_own && step > 0)
}

/// The constant that a statement assigns.
fn start(statement: &Stmt) -> Option<i64> {
    match &statement.kind {
        StmtKind::Let { value: None, .. } => Some(0),
        StmtKind::Let { value: Some(Rvalue::Expr(value)), .. }
        | StmtKind::Assign { value: Rvalue::Expr(value), .. } => constant(value),
        _ => None,
    }
}

fn plain(expr: &Expr) -> Option<LocalId> {
    match &expr.kind {
        ExprKind::Read(Place { base: Base::Local(local), indices, .. }) if indices.is_empty() => Some(*local),
        _ => None,
    }
}

fn constant(expr: &Expr) -> Option<i64> {
    match expr.kind {
        ExprKind::Int(value) => Some(i64::from(value)),
        _ => None,
    }
}
