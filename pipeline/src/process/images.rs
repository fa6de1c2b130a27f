//! Invariants of processes that a group moves: the symmetries that keep them, and runs that violate them.

use engine::SparsePermutation;
use frontend::sequential::interpret::{State, evaluate};
use frontend::sequential::trace::{Trace, replay};
use frontend::sequential::{Property, PropertyKind, Sequential};
use symmetry::Strategy;
use symmetry::sequential::{ValidatedGroup, text_proves};

use crate::line;

/// For each invariant generators of symmetries in a group that keep it: those of the group, where the text proves it, or those of a detection of its own.
pub(super) fn keeping(
    model: &Sequential,
    group: &ValidatedGroup,
    properties: &[Property],
    invariants: &[String],
    strategy: Strategy,
) -> Option<Vec<Vec<SparsePermutation>>> {
    let of_invariant = |name: &String| {
        let property = properties.iter().find(|property| property.name == *name)?.clone();
        let proved = text_proves(model, std::slice::from_ref(&property), group.generators());
        if proved.iter().all(|&one| one) {
            return Some(group.generators().to_vec());
        }
        let own = line::detect(model, &vec![property], strategy).ok()?.group;
        let is_in = |one: &&SparsePermutation| group.group().contains_sparse(one);
        Some(own.generators().iter().filter(is_in).cloned().collect())
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
