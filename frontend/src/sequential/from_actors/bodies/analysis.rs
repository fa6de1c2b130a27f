//! Analyses of bodies, before and after translation.

use rustc_hash::FxHashSet;

use super::{MAX_CALLS, Out};
use crate::model::{self, Base, LocalId, Rvalue, Stmt, StmtKind};
use crate::sequential::{Expr, ExprKind, StmtKind as Kind, VariableId};

/// The variables and locals that statements write.
pub(super) fn targets(body: &[Out], found: &mut FxHashSet<VariableId>) {
    for stmt in body {
        match &stmt.kind {
            Kind::Assign(place, _) => drop(found.insert(place.variable)),
            Kind::Var(local, _) => drop(found.insert(*local)),
            Kind::If(_, then, otherwise) => {
                targets(then, found);
                targets(otherwise, found);
            }
            Kind::For(_, body) | Kind::While(_, body) => targets(body, found),
            Kind::Fail(_) => {}
        }
    }
}

/// Whether the value of an expression depends on the state or on a binder.
pub(super) fn is_open(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Read(_) | ExprKind::Parameter(_)) || expr.operands().into_iter().any(is_open)
}

/// Whether control never reaches the end of a block. Errs towards no.
pub(super) fn leaves(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => true,
        StmtKind::If { then, otherwise, .. } => leaves(then) && leaves(otherwise),
        StmtKind::Block(inner) => leaves(inner),
        _ => false,
    })
}

/// The locals that some statement of a block assigns to.
pub(super) fn assigned(block: &[Stmt]) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    collect(block, &mut found);
    found
}

fn collect(block: &[Stmt], found: &mut FxHashSet<LocalId>) {
    for stmt in block {
        if let StmtKind::Assign { place, .. } = &stmt.kind
            && let Base::Local(id) = place.base
        {
            found.insert(id);
        }
        stmt.blocks().into_iter().for_each(|block| collect(block, found));
    }
}

/// Whether a block may reach a choice, itself or in a method it calls.
pub(super) fn chooses(class: &model::Class, block: &[Stmt], depth: usize) -> bool {
    let value = |value: &Rvalue| match value {
        Rvalue::Choose(_) => true,
        Rvalue::Call { method, .. } => {
            depth < MAX_CALLS && chooses(class, &class.methods[method.index()].body.block, depth + 1)
        }
        Rvalue::Expr(_) | Rvalue::New { .. } => false,
    };
    block.iter().any(|stmt| {
        let own = match &stmt.kind {
            StmtKind::Let { value: Some(found), .. } | StmtKind::Assign { value: found, .. } | StmtKind::Do(found) => {
                value(found)
            }
            _ => false,
        };
        own || stmt.blocks().into_iter().any(|block| chooses(class, block, depth))
    })
}
