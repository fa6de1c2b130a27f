//! Steps of a global state: one rebec takes its oldest message and serves it atomically.
//!
//! The message leaves the queue before the body runs. Then the variables are written back, and the effects are applied
//! in order: the bound of a queue is checked against its length at that moment ([Jag10] Definition 5, with the point of
//! `docs/semantics.md` on the removal of the message).

use std::collections::VecDeque;

use super::serve::{Activation, Effect, Outcome, outcomes};
use super::trace::Step;
use super::{Bounds, Fault, FaultKind, Heap, Message, Rebec, State, Stop};
use crate::model::{Model, RebecId};

/// Puts a message at the end of the queue of a rebec.
///
/// # Errors
/// [`FaultKind::QueueOverflow`] if the queue is full.
pub fn deliver(
    model: &Model,
    receiver: RebecId,
    queue: &mut VecDeque<Message>,
    message: Message,
) -> Result<(), FaultKind> {
    let bound = model.class(model.class_of(receiver)).queue_bound;
    if queue.len() >= bound as usize {
        return Err(FaultKind::QueueOverflow { receiver, bound });
    }
    queue.push_back(message);
    Ok(())
}

/// The steps of one rebec, in choice order; none if it has no message.
///
/// # Panics
/// If the model is not verified or the state is not one of it.
pub fn step_results(model: &Model, bounds: &Bounds, state: &State, rebec: RebecId) -> Vec<Step> {
    let Some(actor) = state.rebec(rebec) else { return Vec::new() };
    let Some(message) = actor.queue.front() else { return Vec::new() };
    let heap = if model.creatable.is_empty() { Heap::default() } else { state.heap(model) };
    let (features, values) = (&state.features, &actor.values);
    outcomes(&Activation { model, bounds, features, rebec, values, heap: &heap, message })
        .into_iter()
        .map(|mut outcome| {
            let choices = std::mem::take(&mut outcome.choices);
            Step { rebec, message: message.clone(), choices, result: after(model, state, rebec, outcome) }
        })
        .collect()
}

/// The steps of a state: rebecs ascending, then choice order; not deduplicated.
///
/// # Panics
/// If the model is not verified or the state is not one of it.
pub fn successors(model: &Model, bounds: &Bounds, state: &State) -> Vec<Step> {
    state.enabled().flat_map(|rebec| step_results(model, bounds, state, rebec)).collect()
}

/// The state after one branch of serving the oldest message.
fn after(model: &Model, state: &State, rebec: RebecId, outcome: Outcome) -> Result<State, Stop> {
    let mut state = state.clone();
    let actor = state.rebecs[rebec.index()].as_mut().expect("the rebec that serves");
    actor.queue.pop_front();
    complete(model, &mut state, rebec, outcome)?;
    Ok(state)
}

/// Writes back the variables and applies the effects of a branch.
pub(super) fn complete(model: &Model, state: &mut State, rebec: RebecId, outcome: Outcome) -> Result<(), Stop> {
    let actor = state.rebecs[rebec.index()].as_mut().expect("the rebec that ran");
    actor.values = outcome.values;
    for effect in outcome.effects {
        match effect {
            Effect::Create { rebec, values } => state.insert(rebec, Rebec { values, queue: VecDeque::new() }),
            Effect::Send { receiver, message, span } => {
                let target = state.rebecs[receiver.index()].as_mut().expect("receivers exist");
                deliver(model, receiver, &mut target.queue, message)
                    .map_err(|kind| Stop::Fault(Fault { kind, span }))?;
            }
        }
    }
    outcome.stop.map_or(Ok(()), Err)
}
