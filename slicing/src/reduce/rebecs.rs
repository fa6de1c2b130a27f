//! The rebecs that stay: those that the question is about, and those that may send them a message or that they refer
//! to.
//!
//! Invariants: a rebec that stays refers only to rebecs that stay. A message that stays is sent from a rebec that stays
//! to one that stays, or not at all. A model that creates rebecs keeps all, because the identities of new ones depend
//! on each other.
//!
//! Soundness: a removed rebec never sends to one that stays, so the others behave as if it did not exist.

use std::collections::BTreeSet;

use frontend::model::{Base, ClassId, Expr, ExprKind, RebecId, Role, StmtKind, Value, VariableId};

use super::keep::{Declared, Kept, declared};
use crate::analysis::bodies::{BodyRef, all, bodies_of};
use crate::analysis::targets::slots;

/// The rebecs of `main` that stay.
pub(crate) fn retained(
    kept: &Kept<'_, '_>,
    seeds: BTreeSet<RebecId>,
    variables: &BTreeSet<Declared>,
) -> BTreeSet<RebecId> {
    let model = kept.graph.model;
    let everybody = (0..model.instances.len()).map(RebecId::from_index);
    if !model.creatable.is_empty() {
        return everybody.collect();
    }
    let mut found = seeds;
    if found.is_empty() {
        found.extend(everybody.clone().next());
    }
    loop {
        let before = found.len();
        for rebec in found.clone() {
            found.extend(referred(kept, rebec, variables));
            found.extend(receivers(kept, rebec));
        }
        for rebec in everybody.clone() {
            if receivers(kept, rebec).iter().any(|receiver| *receiver != rebec && found.contains(receiver)) {
                found.insert(rebec);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The rebecs that are bound to known rebecs and arguments that stay.
fn referred(kept: &Kept<'_, '_>, rebec: RebecId, variables: &BTreeSet<Declared>) -> BTreeSet<RebecId> {
    let model = kept.graph.model;
    let instance = &model.instances[rebec.index()];
    let mut found = BTreeSet::new();
    let mut known = instance.known.iter();
    for (index, variable) in model.class(instance.class).variables.iter().enumerate() {
        if variable.role != Role::Known {
            continue;
        }
        let stays = variables.contains(&declared(model, instance.class, VariableId::from_index(index)));
        let own: Vec<_> = known.by_ref().take(variable.len()).collect();
        found.extend(own.into_iter().flatten().filter(|_| stays));
    }
    let values = instance.arguments.iter().flatten();
    found.extend(values.filter_map(|value| match value {
        Value::Rebec(rebec) => Some(*rebec),
        _ => None,
    }));
    found
}

/// The rebecs that may receive a message that stays from this rebec.
fn receivers(kept: &Kept<'_, '_>, rebec: RebecId) -> BTreeSet<RebecId> {
    let model = kept.graph.model;
    let class = model.class_of(rebec);
    let mut found = BTreeSet::new();
    for body in bodies_of(class, model.class(class)) {
        all(0, &body.of(model).block, &mut |number, statement| {
            let StmtKind::Send { receiver, .. } = &statement.kind else { return };
            if kept.statement(body, number) {
                found.extend(possible(kept, rebec, body, number, receiver));
            }
        });
    }
    found
}

fn possible(kept: &Kept<'_, '_>, rebec: RebecId, body: BodyRef, number: usize, receiver: &Expr) -> Vec<RebecId> {
    let model = kept.graph.model;
    match &receiver.kind {
        ExprKind::SelfRef => return vec![rebec],
        ExprKind::Read(place) => {
            if let Base::Variable(id) = place.base
                && model.class(body.class).variables[id.index()].role == Role::Known
            {
                return bound(kept, rebec, body.class, id);
            }
        }
        _ => {}
    }
    let classes: BTreeSet<ClassId> = kept.graph.targets.of(body, number).map(|(class, _)| class).collect();
    let everybody = (0..model.instances.len()).map(RebecId::from_index);
    everybody.filter(|&other| classes.contains(&model.class_of(other))).collect()
}

fn bound(kept: &Kept<'_, '_>, rebec: RebecId, class: ClassId, id: VariableId) -> Vec<RebecId> {
    let model = kept.graph.model;
    let slots = slots(model.class(class), id);
    let known = &model.instances[rebec.index()].known[slots];
    known.iter().flatten().copied().collect()
}

/// The rebecs whose class has a criterion about all its rebecs.
pub(crate) fn of_classes(kept: &Kept<'_, '_>, classes: &BTreeSet<ClassId>) -> BTreeSet<RebecId> {
    let model = kept.graph.model;
    let everybody = (0..model.instances.len()).map(RebecId::from_index);
    everybody.filter(|&rebec| classes.contains(&model.class_of(rebec))).collect()
}
