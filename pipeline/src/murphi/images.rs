//! Invariants of Murphi models that a group moves: the symmetries that keep them, and runs that violate them.

use engine::SparsePermutation;
use frontend::murphi::interpret::{State, evaluate};
use frontend::murphi::program::{Claim, ClaimKind, Program};
use frontend::murphi::trace::{Trace, replay};
use symmetry::murphi::ValidatedGroup;
use symmetry::murphi::keeping::{self, Exchanged, allows_images};

use crate::images::Keeping;

/// For each invariant generators of symmetries in a group that keep it; `None` if the group does more than to exchange values.
pub(super) fn keeping(
    program: &Program,
    group: &ValidatedGroup,
    claims: &[Claim],
    invariants: &[String],
) -> Option<Vec<Keeping>> {
    if !allows_images(program, group) {
        return None;
    }
    let own = invariants.iter().map(|name| claims.iter().find(|claim| claim.name == *name));
    let keeping = keeping::keeping(program, group, &own.collect::<Option<Vec<&Claim>>>()?);
    // The searches watch the order of values.
    Some(keeping.into_iter().map(|always| Keeping { always, in_any_order: Vec::new() }).collect())
}

/// The first image of a run whose last state violates an invariant.
pub(super) fn violating(
    program: &Program,
    group: &ValidatedGroup,
    elements: &[SparsePermutation],
    (claims, invariant): (&[Claim], &str),
    trace: &Trace,
) -> Option<Trace> {
    let ClaimKind::Invariant(number) = claims.iter().find(|claim| claim.name == invariant)?.kind else { return None };
    let last = trace.last_state()?;
    let violates = |state: &State| {
        evaluate(program, &program.properties[number], state).iter().any(|truth| truth.holds != Ok(true))
    };
    let mut images = elements.iter().filter_map(|element| Exchanged::new(program, group, element));
    let element = images.find(|element| violates(&element.image(program, last)))?;
    let states: Vec<State> = trace.states().map(|state| element.image(program, state)).collect();
    replay(program, &states, None).ok()
}
