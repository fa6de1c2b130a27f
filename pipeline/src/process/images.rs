//! Invariants of processes that a group moves: the symmetries that keep them, and runs that violate them.

use engine::SparsePermutation;
use frontend::sequential::interpret::{State, evaluate};
use frontend::sequential::trace::{Trace, replay};
use frontend::sequential::{Property, PropertyKind, Sequential};
use symmetry::Strategy;
use symmetry::sequential::{ValidatedGroup, text_proves, text_proves_in_any_order};

use crate::images::Keeping;
use crate::line;

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
        let proved = text_proves(model, std::slice::from_ref(&property), group.generators());
        if proved.iter().all(|&one| one) {
            return Some(Keeping { always: group.generators().to_vec(), in_any_order: group.generators().to_vec() });
        }
        let proved = text_proves_in_any_order(model, std::slice::from_ref(&property), group.generators());
        let proved = group.generators().iter().zip(proved).filter_map(|(one, is_proved)| is_proved.then_some(one));
        let proved: Vec<SparsePermutation> = proved.cloned().collect();
        let own = line::detect(model, &vec![property], strategy).ok()?.group;
        let is_in = |one: &&SparsePermutation| group.group().contains_sparse(one);
        let always: Vec<SparsePermutation> = own.generators().iter().filter(is_in).cloned().collect();
        Some(Keeping { in_any_order: always.iter().cloned().chain(proved).collect(), always })
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
