//! The rebecs that stay: those that the question is about, and those that may send them a message or that they refer
//! to.
//!
//! Invariants: a rebec that stays refers only to rebecs that stay. A message that stays is sent from a rebec that stays
//! to one that stays, or not at all. A model that creates rebecs keeps all, because the identities of new ones depend
//! on each other.
//!
//! Soundness: a removed rebec never sends to one that stays, so the others behave as if it did not exist.
//!
//! Complexity: the rebecs with their known rebecs, and the pairs of classes.

use std::collections::BTreeSet;

use frontend::model::{Base, ClassId, ExprKind, RebecId, Role, StmtKind, Value, VariableId};

use super::keep::{Declared, Kept, declared};
use crate::analysis::bodies::{all, bodies_of};
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
    let mut open: Vec<RebecId> =
        if seeds.is_empty() { everybody.take(1).collect() } else { seeds.into_iter().collect() };
    let sends = Sends::new(kept);
    let mut found: BTreeSet<RebecId> = open.iter().copied().collect();
    #[cfg(test)]
    let first = found.clone();
    let mut all_of: BTreeSet<ClassId> = BTreeSet::new();
    while let Some(rebec) = open.pop() {
        limits::work(1);
        let class = model.class_of(rebec);
        let mut next = referred(kept, rebec, variables);
        next.extend(sends.of[class.index()].bound(kept, rebec));
        next.extend(&sends.bound_to[rebec.index()]);
        let classes = sends.of[class.index()].classes.iter().chain(&sends.to[class.index()]);
        for class in classes.copied().filter(|class| all_of.insert(*class)).collect::<Vec<_>>() {
            limits::work(sends.members[class.index()].len() as u64);
            next.extend(&sends.members[class.index()]);
        }
        open.extend(next.into_iter().filter(|&rebec| found.insert(rebec)));
    }
    #[cfg(test)]
    tests::compare(kept, variables, &first, &found);
    debug_assert!(
        found.iter().all(|&rebec| referred(kept, rebec, variables).is_subset(&found)),
        "a rebec that stays refers to rebecs that stay"
    );
    found
}

/// The possible receivers of the messages that stay, other than the senders themselves.
struct Sends {
    /// By class those of its rebecs.
    of: Vec<Receivers>,
    /// By class the rebecs of `main`.
    members: Vec<Vec<RebecId>>,
    /// By class those whose rebecs may send to any rebec of it.
    to: Vec<BTreeSet<ClassId>>,
    /// By rebec those that send to it as a known rebec.
    bound_to: Vec<Vec<RebecId>>,
}

/// The possible receivers of the messages of a class.
#[derive(Default)]
struct Receivers {
    /// Those bound to known rebecs of these names.
    known: BTreeSet<(ClassId, VariableId)>,
    /// All rebecs of these classes.
    classes: BTreeSet<ClassId>,
}

impl Sends {
    fn new(kept: &Kept<'_, '_>) -> Sends {
        let model = kept.graph.model;
        let classes = (0..model.classes.len()).map(ClassId::from_index);
        let of: Vec<Receivers> = classes.map(|class| receivers(kept, class)).collect();
        let mut members = vec![Vec::new(); of.len()];
        let mut bound_to = vec![Vec::new(); model.instances.len()];
        for rebec in (0..model.instances.len()).map(RebecId::from_index) {
            limits::work(1);
            let class = model.class_of(rebec).index();
            members[class].push(rebec);
            of[class].bound(kept, rebec).for_each(|receiver| bound_to[receiver.index()].push(rebec));
        }
        let mut to = vec![BTreeSet::new(); of.len()];
        for (from, receivers) in of.iter().enumerate() {
            limits::work(1 + receivers.classes.len() as u64);
            receivers.classes.iter().for_each(|class| _ = to[class.index()].insert(ClassId::from_index(from)));
        }
        Sends { of, members, to, bound_to }
    }
}

impl Receivers {
    /// The receivers of a rebec that are its known rebecs.
    fn bound<'k>(&'k self, kept: &'k Kept<'_, '_>, rebec: RebecId) -> impl Iterator<Item = RebecId> + 'k {
        let model = kept.graph.model;
        self.known.iter().flat_map(move |&(class, id)| {
            let slots = slots(model.class(class), id);
            model.instances[rebec.index()].known[slots].iter().flatten().copied()
        })
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
        debug_assert_eq!(own.len(), variable.len(), "every known rebec has its binding");
        found.extend(own.into_iter().flatten().filter(|_| stays));
    }
    let values = instance.arguments.iter().flatten();
    found.extend(values.filter_map(|value| match value {
        Value::Rebec(rebec) => Some(*rebec),
        _ => None,
    }));
    found
}

/// The rebecs that may receive a message that stays from a rebec of a class.
fn receivers(kept: &Kept<'_, '_>, class: ClassId) -> Receivers {
    let model = kept.graph.model;
    let mut found = Receivers::default();
    for body in bodies_of(class, model.class(class)) {
        all(0, &body.of(model).block, &mut |number, statement| {
            let StmtKind::Send { receiver, .. } = &statement.kind else { return };
            if !kept.statement(body, number) {
                return;
            }
            match &receiver.kind {
                ExprKind::SelfRef => return,
                ExprKind::Read(place) => {
                    if let Base::Variable(id) = place.base
                        && model.class(body.class).variables[id.index()].role == Role::Known
                    {
                        found.known.insert((body.class, id));
                        return;
                    }
                }
                _ => {}
            }
            found.classes.extend(kept.graph.targets.of(body, number).map(|(class, _)| class));
        });
    }
    found
}

/// The rebecs whose class has a criterion about all its rebecs.
pub(crate) fn of_classes(kept: &Kept<'_, '_>, classes: &BTreeSet<ClassId>) -> BTreeSet<RebecId> {
    let model = kept.graph.model;
    let everybody = (0..model.instances.len()).map(RebecId::from_index);
    everybody.filter(|&rebec| classes.contains(&model.class_of(rebec))).collect()
}

#[cfg(test)]
mod tests;
