//! Which rebecs stay: those that what is asked is about, and everything that may send them a message or that they refer to.
//!
//! Invariants: what stays refers only to what stays; a message that stays goes from one that stays to one that stays, or
//! not at all. A model that makes rebecs keeps all, because the identities of new ones depend on each other.
//!
//! Soundness: a rebec that goes never sends to one that stays, so the others do as if it were not there.

use std::collections::BTreeSet;

use frontend::model::{Base, ClassId, Expr, ExprKind, RebecId, Role, StmtKind, Value, VariableId};

use super::keep::{Declared, Kept, declared};
use crate::analysis::bodies::{BodyRef, all, bodies_of};

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

/// The rebecs that may receive a message that stays from this one.
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
    let variables = &model.class(class).variables;
    let slot: usize = variables[..id.index()].iter().filter(|one| one.role == Role::Known).map(|one| one.len()).sum();
    let known = &model.instances[rebec.index()].known[slot..slot + variables[id.index()].len()];
    known.iter().flatten().copied().collect()
}

/// The rebecs whose class has a criterion of its own.
pub(crate) fn of_classes(kept: &Kept<'_, '_>, classes: &BTreeSet<ClassId>) -> BTreeSet<RebecId> {
    let model = kept.graph.model;
    let everybody = (0..model.instances.len()).map(RebecId::from_index);
    everybody.filter(|&rebec| classes.contains(&model.class_of(rebec))).collect()
}
