//! The trial of a proved symmetry: pseudo-random steps of pseudo-random states, and their images, by the reference interpreter.
//!
//! A state starts as an initial one, takes the steps that are found, and has some elements replaced by arbitrary values of their sorts
//! from time to time. An instance and its image must both be disabled, both fault, or give events and states that are images of each
//! other.
//!
//! # Soundness
//!
//! The proof does not rely on the trial: a contradiction is an error of this program.

use csp::ground::Symmetry;
use engine::RandomSource;
use frontend::sequential::interpret::{State, initial_states, step};
use frontend::sequential::{Domain, Sequential, SummandId};

/// The trials of one candidate: at least these, and at most those.
const TRIALS: std::ops::RangeInclusive<usize> = 16..=64;
/// The trials per summand.
const PER_SUMMAND: usize = 4;
/// A state is disturbed before one of this many trials.
const DISTURBED: usize = 3;

/// What a proved symmetry does to states, next to instances and events.
pub(super) trait Action: Symmetry {
    /// The image of a state.
    fn apply(&self, model: &Sequential, state: &State) -> State;
    /// The summand of a trial; there is one.
    fn summand(&self, model: &Sequential, number: usize) -> SummandId;
}

/// Tries an action; returns the number of elements of all states on which it was tried.
///
/// # Errors
/// An instance that contradicts it.
pub(super) fn agree(model: &Sequential, action: &dyn Action) -> Result<usize, String> {
    let mut random = RandomSource::new(1);
    let Some(first) = initial_states(model).next() else { return Ok(0) };
    if model.summands.is_empty() {
        return Ok(0);
    }
    let sorts = model.element_sorts();
    let mut state = first;
    let trials = (PER_SUMMAND * model.summands.len()).clamp(*TRIALS.start(), *TRIALS.end());
    let offset = random.below(model.summands.len());
    for trial in 0..trials {
        limits::work(4 * state.len() as u64);
        if random.below(DISTURBED) == 0 && !state.is_empty() {
            for _ in 0..=random.below(8) {
                let element = random.below(state.len());
                state[element] = any(model.domain(sorts[element]), &mut random);
            }
        }
        let summand = action.summand(model, trial + offset);
        let sorts = model.summand(summand).parameters.iter().map(|parameter| parameter.sort);
        let parameters: Vec<i32> = sorts.map(|sort| any(model.domain(sort), &mut random)).collect();
        if let Some(next) = agrees(model, action, &state, summand, &parameters)? {
            state = next;
        }
    }
    Ok(trials * state.len())
}

/// Compares one instance with its image; the state after it.
fn agrees(
    model: &Sequential,
    action: &dyn Action,
    state: &State,
    summand: SummandId,
    parameters: &[i32],
) -> Result<Option<State>, String> {
    let (image, moved) = action.instance(summand, parameters);
    let own = step(model, state, summand, parameters);
    let other = step(model, &action.apply(model, state), image, &moved);
    let arguments = |own: &[i32]| -> Vec<i32> {
        own.iter().enumerate().map(|(place, &value)| action.argument(summand, place, value)).collect()
    };
    let same = match (&own, &other) {
        (None, None) => true,
        (Some(own), Some(other)) => match (&own.result, &other.result) {
            (Err(_), Err(_)) => true,
            (Ok(after), Ok(to)) => action.apply(model, after) == *to && arguments(&own.arguments) == other.arguments,
            _ => false,
        },
        _ => false,
    };
    if !same {
        let event = &model.summand(summand).event;
        return Err(format!("`{event}` with {parameters:?} in {state:?}, and with {moved:?} in its image"));
    }
    Ok(own.and_then(|step| step.result.ok()))
}

/// A value of a domain.
fn any(domain: &Domain, random: &mut RandomSource) -> i32 {
    let (low, _) = domain.bounds();
    let step = random.below(domain.size());
    i32::try_from(i64::from(low) + i64::try_from(step).expect("sorts are bounded")).expect("between the bounds")
}
