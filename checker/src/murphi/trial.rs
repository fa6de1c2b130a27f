//! The trial of a proved group in a state of a search (see [`crate::trial`]), by the reference interpreter of Murphi.

use ::symmetry::murphi::agrees;
use frontend::murphi::interpret::{State, successors_in_any_order};

use super::space::Space;
use super::symmetry::Symmetry;
use crate::trial::is_finished;

/// Tries some generators in a state; returns whether that took no more work than it may.
///
/// # Panics
/// If the reference interpreter contradicts the proof of one of them.
pub(super) fn run(space: &Space<'_>, symmetry: &Symmetry, state: &State) -> bool {
    is_finished(|| compare(space, symmetry, state))
}

fn compare(space: &Space<'_>, symmetry: &Symmetry, state: &State) {
    let Space { program, packing, claimed, trial, .. } = space;
    let (steps, shown) = successors_in_any_order(program, state, &symmetry.watched);
    if !shown.is_empty() {
        return;
    }
    let generators = symmetry.generators();
    for number in trial.generators(generators.len()) {
        let image = |state: &State| symmetry.image_of(program, packing, &generators[number], state);
        let agrees = agrees(program, claimed, &symmetry.watched, (state, &steps), &image);
        assert!(
            agrees != Some(false),
            "a symmetry was proved by text, and the reference interpreter contradicts it in a state of the search: {state:?} and {:?}",
            image(state)
        );
    }
}
