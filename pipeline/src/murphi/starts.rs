//! The way back from a model of Murphi with further start states.

use frontend::murphi::interpret::{State, Step, successors};
use frontend::murphi::program::{Claim, ClaimKind, Program};
use frontend::murphi::trace::replay;
use symmetry::murphi::ValidatedGroup;
use symmetry::murphi::action::image;
use symmetry::murphi::starts::{Images, with_images};

use crate::starts::{WayBack, ended_like};

/// The model with the images of its start states, for claims about single states, and about runs.
pub(super) fn with_images_of(program: &Program, claims: &[Claim]) -> Option<Program> {
    let is_about_runs =
        |claim: &Claim| matches!(claim.kind, ClaimKind::Invariant(_) | ClaimKind::End(_) | ClaimKind::Ltl(_));
    if claims.iter().all(is_about_runs) { with_images(program, claims) } else { None }
}

/// The way back; `None` unless each start state is an image of an own one.
pub(super) fn way_back<'m>(
    program: &'m Program,
    wider: &Program,
    group: &ValidatedGroup,
) -> Option<WayBack<'m, Program>> {
    let images = Images::new(program, group)?;
    let is_reached = |state: &State| images.states.contains(state);
    if !wider.further.iter().all(is_reached) {
        return None;
    }
    let roles = group.roles().clone();
    Some(Box::new(move |trace| {
        let way = images.way_back(program, &roles, trace.start.result.as_ref().ok()?)?;
        let back = |state: &State| {
            way.iter().fold(state.clone(), |state, (renaming, cells)| image(program, cells, renaming, &state))
        };
        let states: Vec<State> = trace.states().map(back).collect();
        debug_assert!(states.iter().all(|state| state.len() == program.cells()), "a state has every cell");
        let run = replay(program, &states, None).ok()?;
        ended_like::<Program>(run, trace, &|state| successors(program, state), &is_alike)
    }))
}

/// Whether two steps of one rule fail with faults of one kind.
fn is_alike(one: &Step, other: &Step) -> bool {
    let kind = |step: &Step| step.result.as_ref().err().map(|fault| std::mem::discriminant(&fault.kind));
    kind(one).is_some() && kind(one) == kind(other) && one.rule == other.rule
}
