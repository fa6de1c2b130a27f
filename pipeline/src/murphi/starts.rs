//! The way back from a model of Murphi with further start states.

use checker::Answer;
use frontend::murphi::interpret::{State, Step, successors};
use frontend::murphi::program::{Claim, ClaimKind, Program};
use frontend::murphi::trace::{Trace, replay};
use symmetry::murphi::ValidatedGroup;
use symmetry::murphi::action::image;
use symmetry::murphi::roles::Roles;
use symmetry::murphi::starts::{Images, with_images};

use crate::starts::WayBack;

/// The model with the images of its start states, for claims about single states, and about runs.
pub(super) fn with_images_of(program: &Program, claims: &[Claim]) -> Option<Program> {
    let is_about_runs =
        |claim: &Claim| matches!(claim.kind, ClaimKind::Invariant(_) | ClaimKind::End(_) | ClaimKind::Ltl(_));
    if claims.iter().all(is_about_runs) { with_images(program, claims) } else { None }
}

struct Back<'m> {
    program: &'m Program,
    roles: Roles,
    images: Images,
}

/// The way back; `None` unless each start state is an image of an own one.
pub(super) fn way_back<'m>(
    program: &'m Program,
    wider: &Program,
    group: &ValidatedGroup,
) -> Option<Box<dyn WayBack<Program> + 'm>> {
    let images = Images::new(program, group)?;
    let is_reached = |state: &State| images.states.contains(state);
    if !wider.further.iter().all(is_reached) {
        return None;
    }
    Some(Box::new(Back { program, roles: group.roles().clone(), images }))
}

impl WayBack<Program> for Back<'_> {
    fn lift(&self, answer: &Answer<Trace>) -> Option<Trace> {
        let trace = answer.trace.as_ref()?;
        let way = self.images.way_back(self.program, &self.roles, trace.start.result.as_ref().ok()?)?;
        let back = |state: &State| {
            way.iter().fold(state.clone(), |state, (renaming, cells)| image(self.program, cells, renaming, &state))
        };
        let states: Vec<State> = trace.states().map(back).collect();
        debug_assert!(states.iter().all(|state| state.len() == self.program.cells()), "a state has every cell");
        let mut run = replay(self.program, &states, None).ok()?;
        if let Some(wanted) = trace.steps.last().filter(|step| step.result.is_err()) {
            let mut steps = successors(self.program, states.last()?).into_iter();
            run.take(steps.find(|step| is_alike(step, wanted))?);
        }
        let is_end = |state: &State| successors(self.program, state).is_empty();
        if trace.cycle_from.is_some_and(|from| !run.close(from, is_end)) {
            return None;
        }
        Some(run)
    }
}

/// Whether two steps of one rule fail with faults of one kind.
fn is_alike(one: &Step, other: &Step) -> bool {
    let kind = |step: &Step| step.result.as_ref().err().map(|fault| std::mem::discriminant(&fault.kind));
    kind(one).is_some() && kind(one) == kind(other) && one.rule == other.rule
}
