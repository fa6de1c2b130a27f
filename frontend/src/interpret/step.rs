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

/// The elementary steps of copying a rebec.
const COPY: u64 = 16;

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
    let class = model.class(model.class_of(receiver));
    debug_assert!(message.server.index() < class.servers.len(), "the receiver has a server for the message");
    let parameters = class.servers[message.server.index()].body.parameters().len();
    debug_assert_eq!(message.arguments.len(), parameters, "a message has every argument");
    let bound = class.queue_bound;
    if queue.len() >= bound as usize {
        return Err(FaultKind::QueueOverflow { receiver, bound });
    }
    queue.push_back(message);
    debug_assert!(queue.len() <= bound as usize, "a queue is within its bound");
    Ok(())
}

/// The steps of one rebec, in choice order; none if it has no message.
///
/// # Panics
/// If the model is not verified or the state is not one of it.
pub fn step_results(model: &Model, bounds: &Bounds, state: &State, rebec: RebecId) -> Vec<Step> {
    let Some(mut served) = served(model, bounds, state, rebec) else { return Vec::new() };
    let outcomes = std::mem::take(&mut served.outcomes);
    outcomes.into_iter().map(|outcome| served.step(model, state, outcome)).collect()
}

/// The oldest message of a rebec, and the branches of serving it.
struct Served<'s> {
    rebec: RebecId,
    message: &'s Message,
    outcomes: Vec<Outcome>,
}

impl Served<'_> {
    /// The step of one of its branches.
    fn step(&self, model: &Model, state: &State, mut outcome: Outcome) -> Step {
        let choices = std::mem::take(&mut outcome.choices);
        let result = after(model, state, self.rebec, outcome);
        Step { rebec: self.rebec, message: self.message.clone(), choices, result }
    }
}

/// Serves the oldest message of a rebec; `None` if it has none.
fn served<'s>(model: &Model, bounds: &Bounds, state: &'s State, rebec: RebecId) -> Option<Served<'s>> {
    let actor = state.rebec(rebec)?;
    let message = actor.queue.front()?;
    let heap = if model.creatable.is_empty() { Heap::default() } else { state.heap(model) };
    let (features, values) = (&state.features, &actor.values);
    let outcomes = outcomes(&Activation { model, bounds, features, rebec, values, heap: &heap, message });
    Some(Served { rebec, message, outcomes })
}

/// The steps of a state: rebecs ascending, then choice order; not deduplicated.
///
/// # Panics
/// If the model is not verified or the state is not one of it.
pub fn successors(model: &Model, bounds: &Bounds, state: &State) -> Vec<Step> {
    debug_assert!(state.is_of(model), "the state of another model");
    state.enabled().flat_map(|rebec| step_results(model, bounds, state, rebec)).collect()
}

/// The step of a state that `choose` chooses by its number in the list of [`successors`], whose length it receives: the states
/// that those lead to that are not chosen are not made. `None` if there is none.
///
/// # Panics
/// As [`successors`], and if there is no step of this number.
pub fn chosen(model: &Model, bounds: &Bounds, state: &State, choose: impl FnOnce(usize) -> usize) -> Option<Step> {
    let served: Vec<Served<'_>> = state.enabled().filter_map(|rebec| served(model, bounds, state, rebec)).collect();
    let count = served.iter().map(|served| served.outcomes.len()).sum();
    let mut number = if count == 0 { return None } else { choose(count) };
    for mut served in served {
        if number < served.outcomes.len() {
            let outcome = served.outcomes.swap_remove(number);
            return Some(served.step(model, state, outcome));
        }
        number -= served.outcomes.len();
    }
    panic!("there is no step of this number")
}

/// The state after one branch of serving the oldest message.
fn after(model: &Model, state: &State, rebec: RebecId, outcome: Outcome) -> Result<State, Stop> {
    limits::work(COPY * state.rebecs.len() as u64);
    let mut state = state.clone();
    let actor = state.rebecs[rebec.index()].as_mut().expect("the rebec that serves");
    let taken = actor.queue.pop_front();
    debug_assert!(taken.is_some(), "a rebec serves a message of its queue");
    complete(model, &mut state, rebec, outcome)?;
    Ok(state)
}

/// Writes back the variables and applies the effects of a branch.
pub(super) fn complete(model: &Model, state: &mut State, rebec: RebecId, outcome: Outcome) -> Result<(), Stop> {
    let actor = state.rebecs[rebec.index()].as_mut().expect("the rebec that ran");
    debug_assert_eq!(actor.values.len(), outcome.values.len(), "a rebec keeps its variables");
    actor.values = outcome.values;
    for effect in outcome.effects {
        match effect {
            Effect::Create { rebec, values } => {
                debug_assert!(state.rebec(rebec).is_none(), "a new rebec has an identity of its own");
                state.insert(rebec, Rebec { values, queue: VecDeque::new() });
            }
            Effect::Send { receiver, message, span } => {
                let target = state.rebecs[receiver.index()].as_mut().expect("receivers exist");
                deliver(model, receiver, &mut target.queue, message)
                    .map_err(|kind| Stop::Fault(Fault { kind, span }))?;
            }
        }
    }
    outcome.stop.map_or(Ok(()), Err)
}
