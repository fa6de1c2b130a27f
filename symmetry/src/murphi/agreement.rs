//! Whether the reference interpreter agrees in one state that a permutation of states is a symmetry.

use frontend::murphi::interpret::{FaultKind, State, Step, Watched, evaluate_in_any_order, successors_in_any_order};
use frontend::murphi::program::Program;

/// Whether the steps of the image of a state are the images of its steps, and some properties have the same truths in both; `None` where the order of
/// a watched loop or quantifier shows, which tells nothing.
pub fn agrees(
    program: &Program,
    properties: &[usize],
    watched: &Watched,
    (state, steps): (&State, &[Step]),
    image: &dyn Fn(&State) -> State,
) -> Option<bool> {
    let other = image(state);
    let (its, shown) = successors_in_any_order(program, &other, watched);
    if !shown.is_empty() {
        return None;
    }
    let truths = |state: &State, at: usize| {
        let (truths, shown) = evaluate_in_any_order(program, &program.properties[at], state, watched);
        let mut truths: Vec<Option<bool>> = truths.into_iter().map(|truth| truth.holds.ok()).collect();
        truths.sort_unstable();
        shown.is_empty().then_some(truths)
    };
    let has_same_truths = |at: &usize| Some(truths(state, *at)? == truths(&other, *at)?);
    let has_same_steps = outcomes(steps, image) == outcomes(&its, &State::clone);
    Some(has_same_steps && properties.iter().all(|at| has_same_truths(at).unwrap_or(true)))
}

/// The images of the states that steps lead to, and for faults whether an assertion fails, in an order that does not depend on that of the steps.
fn outcomes(steps: &[Step], image: &dyn Fn(&State) -> State) -> Vec<Result<State, bool>> {
    let outcome =
        |step: &Step| step.result.as_ref().map(image).map_err(|fault| matches!(fault.kind, FaultKind::Assertion(_)));
    let mut list: Vec<Result<State, bool>> = steps.iter().map(outcome).collect();
    list.sort_unstable();
    list
}
