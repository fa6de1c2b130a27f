//! Drops statements, members, parameters and arguments; all ids stay those of the original.
//!
//! A `switch` keeps its arms, because their labels decide where control enters; the labels of an empty arm move to the
//! next one.

use frontend::model::{Arm, Block, ClassId, Model, Rvalue, Stmt, StmtKind};

use super::keep::Kept;
use crate::analysis::bodies::{BodyRef, Member, bodies_of, inner, length, numbered};
use crate::graph::Key;

/// The model with pruned bodies; removed members have empty ones.
pub(crate) fn prune(kept: &Kept<'_, '_>) -> Model {
    let mut model = kept.graph.model.clone();
    for index in 0..model.classes.len() {
        let id = ClassId::from_index(index);
        for body in bodies_of(id, kept.graph.model.class(id)) {
            let original = body.of(kept.graph.model);
            let pruned = block(kept, body, 0, &original.block);
            debug_assert!(length(&pruned) <= length(&original.block), "a slice adds no statement");
            let class = &mut model.classes[index];
            let into = match body.member {
                Member::Server(id) => &mut class.servers[id.index()].body,
                Member::Method(id) => &mut class.methods[id.index()].body,
                Member::Constructor => &mut class.constructor.as_mut().expect("listed because it is there").body,
            };
            into.block = pruned;
        }
    }
    model
}

fn block(kept: &Kept<'_, '_>, body: BodyRef, first: usize, from: &Block) -> Block {
    let own = numbered(first, from).filter(|&(number, _)| kept.statement(body, number));
    own.map(|(number, statement)| one(kept, body, number, statement)).collect()
}

fn one(kept: &Kept<'_, '_>, body: BodyRef, number: usize, statement: &Stmt) -> Stmt {
    let mut blocks = inner(number, statement).map(|(first, from)| block(kept, body, first, from));
    let mut next = || blocks.next().expect("as many blocks as there were");
    let mut changed = Stmt { kind: StmtKind::Break, span: statement.span };
    changed.kind = match &statement.kind {
        StmtKind::If { condition, .. } => {
            StmtKind::If { condition: condition.clone(), then: next(), otherwise: next() }
        }
        StmtKind::Loop { condition, .. } => {
            StmtKind::Loop { condition: condition.clone(), body: next(), update: next() }
        }
        StmtKind::ForEach { set, local, .. } => StmtKind::ForEach { set: *set, local: *local, body: next() },
        StmtKind::Block(_) => StmtKind::Block(next()),
        StmtKind::Switch { value, arms } => {
            let pruned = arms.iter().map(|arm| Arm { block: next(), ..arm.clone() }).collect();
            StmtKind::Switch { value: value.clone(), arms: merged(pruned) }
        }
        StmtKind::Send { receiver, message, arguments, targets } => {
            let stays = |index: usize| kept.has(Key::Actual(body, number, index));
            let arguments = arguments.iter().enumerate().filter(|&(index, _)| stays(index));
            let arguments = arguments.map(|(_, argument)| argument.clone()).collect();
            StmtKind::Send { receiver: receiver.clone(), message: message.clone(), arguments, targets: targets.clone() }
        }
        other => other.clone(),
    };
    debug_assert!(blocks.next().is_none(), "every block is pruned");
    let is_replaced = kept.replaced.contains_key(&(body, number));
    assert!(!is_replaced || matches!(changed.kind, StmtKind::Assign { .. }), "assignments become choices");
    if let (Some(options), StmtKind::Assign { value, .. }) = (kept.replaced.get(&(body, number)), &mut changed.kind) {
        *value = Rvalue::Choose(options.clone());
    }
    changed
}

/// Arms without statements fall through: their labels move to the next arm. The last one may be empty; a `break` in it would be one more
/// statement than the model executes.
fn merged(arms: Vec<Arm>) -> Vec<Arm> {
    let mut out: Vec<Arm> = Vec::new();
    let mut pending = Arm { labels: Vec::new(), is_default: false, block: Vec::new() };
    let count = |arms: &[Arm]| arms.iter().map(|arm| arm.labels.len()).sum::<usize>();
    let before = count(&arms);
    for arm in arms {
        pending.labels.extend(arm.labels);
        pending.is_default |= arm.is_default;
        if !arm.block.is_empty() {
            pending.block = arm.block;
            out.push(std::mem::replace(&mut pending, Arm { labels: Vec::new(), is_default: false, block: Vec::new() }));
        }
    }
    if pending.is_default || !pending.labels.is_empty() {
        out.push(pending);
    }
    debug_assert_eq!(count(&out), before, "every label stays");
    out
}
