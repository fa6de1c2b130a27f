//! The rebecs that stay, pair by pair, compared with the worklist in every slice that these tests make.

use std::cell::Cell;

use battery::generate::{model, render};
use battery::harness::{read_model, read_properties};
use frontend::lower::LowerOptions;
use frontend::model::Expr;

use super::*;
use crate::analysis::bodies::BodyRef;
use crate::reduce::{Abstracted, Method, Query, slice};

thread_local! {
    /// Slices that were compared, and those in which some rebec does not stay.
    static COMPARED: Cell<[u32; 2]> = const { Cell::new([0; 2]) };
}

/// Compares the rebecs that stay with those that are found pair by pair.
pub(super) fn compare(
    kept: &Kept<'_, '_>,
    variables: &BTreeSet<Declared>,
    first: &BTreeSet<RebecId>,
    found: &BTreeSet<RebecId>,
) {
    assert_eq!(*found, by_pairs(kept, variables, first.clone()), "the worklist finds what the pairs do");
    let [all, cut] = COMPARED.get();
    COMPARED.set([all + 1, cut + u32::from(found.len() < kept.graph.model.instances.len())]);
}

/// Rounds over all rebecs until none is added.
fn by_pairs(kept: &Kept<'_, '_>, variables: &BTreeSet<Declared>, mut found: BTreeSet<RebecId>) -> BTreeSet<RebecId> {
    loop {
        let before = found.len();
        for rebec in found.clone() {
            found.extend(referred(kept, rebec, variables));
            found.extend(receivers(kept, rebec));
        }
        for rebec in (0..kept.graph.model.instances.len()).map(RebecId::from_index) {
            if receivers(kept, rebec).iter().any(|receiver| *receiver != rebec && found.contains(receiver)) {
                found.insert(rebec);
            }
        }
        if found.len() == before {
            return found;
        }
    }
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

#[test]
fn a_worklist_finds_the_rebecs_of_random_slices() {
    for seed in 0..400 {
        let spec = model(seed);
        let Some(model) = read_model(render::model(&spec).as_bytes(), &LowerOptions::default()).0 else { continue };
        let properties = render::properties(&spec);
        let properties = properties.and_then(|text| read_properties(text.as_bytes(), &model).0).unwrap_or_default();
        let query = Query {
            deadlock: false,
            overflow: false,
            assertions: seed % 2 == 0,
            faults: false,
            fair: false,
            properties,
        };
        // A refusal compares nothing.
        let _ = slice(&model, &query, Method::Static, &Abstracted::default());
    }
    let [all, cut] = COMPARED.get();
    assert!(all > 100 && cut > 20, "{all} slices, {cut} with fewer rebecs");
}
