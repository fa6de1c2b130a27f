//! Invariants of processes that a group moves: the symmetries that keep them, and runs that violate them.

use engine::SparsePermutation;
use frontend::sequential::interpret::{State, evaluate};
use frontend::sequential::trace::{Trace, replay};
use frontend::sequential::{Property, PropertyKind, Sequential};
use symmetry::Strategy;
use symmetry::sequential::{ValidatedGroup, text_proves, text_proves_in_any_order};

use crate::detection::Effort;
use crate::images::Keeping;
use crate::line;

/// The most images of a state in which the order of values shows in an invariant, without a detection for it. A detection takes as long as the images of many such states.
const FEW: u32 = 1 << 8;

/// For each invariant symmetries in a group that keep it: those of the group, where the text proves it, or those of a detection of its own.
pub(super) fn keeping(
    model: &Sequential,
    group: &ValidatedGroup,
    properties: &[Property],
    invariants: &[String],
    strategy: Strategy,
) -> Option<Vec<Keeping>> {
    let of_invariant = |name: &String| {
        let property = properties.iter().find(|property| property.name == *name)?.clone();
        let (own, all) = (std::slice::from_ref(&property), group.generators());
        if text_proves(model, own, all).into_iter().all(|is_proved| is_proved) {
            return Some(Keeping { always: all.to_vec(), in_any_order: Vec::new() });
        }
        let proved = all.iter().zip(text_proves_in_any_order(model, own, all));
        let proved: Vec<SparsePermutation> =
            proved.filter(|(_, is_proved)| *is_proved).map(|(one, _)| one.clone()).collect();
        if proved.len() == all.len() && group.order() <= FEW.into() {
            return Some(Keeping { always: Vec::new(), in_any_order: proved });
        }
        let own = line::detect_by(model, &vec![property], strategy, Effort::Brief).ok()?.group;
        let is_in = |one: &&SparsePermutation| group.group().contains_sparse(one);
        let always: Vec<SparsePermutation> = own.generators().iter().filter(is_in).cloned().collect();
        Some(Keeping { always, in_any_order: proved })
    };
    invariants.iter().map(of_invariant).collect()
}

/// The first image of a run whose last state violates an invariant.
pub(super) fn violating(
    model: &Sequential,
    group: &ValidatedGroup,
    elements: &[SparsePermutation],
    (properties, invariant): (&[Property], &str),
    trace: &Trace,
) -> Option<Trace> {
    let PropertyKind::Invariant(condition) = &properties.iter().find(|one| one.name == invariant)?.kind else {
        return None;
    };
    let last = trace.last_state()?;
    let violates = |state: &State| evaluate(model, condition, state, &[]) != Ok(1);
    let element = elements.iter().find(|one| violates(&group.literals().apply(one, last)))?;
    let states: Vec<State> = trace.states().map(|state| group.literals().apply(element, state)).collect();
    replay(model, &states, None).ok()
}
