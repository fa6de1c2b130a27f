//! Initial states: those of the reference interpreter, each as the values of all elements.
//!
//! If they are a product of single values and whole sorts, one `init` describes them; otherwise there is one `init`
//! per state.

use super::layout::{Home, Layout};
use crate::interpret::{Bounds, State, Stop, describe_fault, starts as starts_of};
use crate::model::{self, RebecId, Role};
use crate::sequential::{Initial, MAX_STARTS, Sequential};

/// Gives the variables their initial values.
///
/// # Errors
/// The reason why it is impossible.
pub(super) fn starts(layout: &mut Layout<'_>) -> Result<(), String> {
    let model = layout.model;
    let mut found: Vec<Vec<i32>> = Vec::new();
    let mut known = rustc_hash::FxHashSet::default();
    for start in starts_of(model, &Bounds::default()) {
        let state = match start.result {
            Ok(state) => state,
            Err((_, Stop::Fault(fault))) => {
                return Err(format!("a start that faults ({})", describe_fault(model, &fault.kind)));
            }
            Err((_, Stop::Limit(_))) => return Err("so many ways to start".into()),
        };
        let values = values(layout, &state);
        if known.insert(values.clone()) {
            found.push(values);
        }
    }
    let first = found.first().cloned().ok_or("a model without a start")?;
    debug_assert!(found.iter().all(|start| start.len() == layout.out.state_len()), "a start has every element");
    if let Some(initial) = product(&layout.out, &found) {
        for (variable, initial) in layout.out.variables.iter_mut().zip(initial) {
            variable.initial = initial;
        }
        return Ok(());
    }
    if found.len() > MAX_STARTS {
        return Err(format!("more than {MAX_STARTS} initial states that are no product"));
    }
    let mut at = 0;
    for index in 0..layout.out.variables.len() {
        let len = layout.out.len_of(&layout.out.variables[index]);
        layout.out.variables[index].initial = Initial::Values(first[at..at + len].to_vec());
        at += len;
    }
    assert_eq!(at, first.len(), "every element of a start belongs to a variable");
    layout.out.starts = found.split_off(1);
    Ok(())
}

/// The values of a state, in the order of the variables.
fn values(layout: &Layout<'_>, state: &State) -> Vec<i32> {
    let mut values = vec![0; layout.out.state_len()];
    debug_assert_eq!(layout.features.len(), state.features.len(), "every feature has a variable");
    for (index, class) in layout.classes.iter().enumerate() {
        let Some(class) = class else { continue };
        let declared = &layout.model.classes[index];
        for (place, &rebec) in class.rebecs.iter().enumerate() {
            let local = state.rebec(rebec).expect("the rebecs of `main` are in every state");
            debug_assert_eq!(declared.variables.len(), class.variables.len(), "every variable has a home");
            for (variable, home) in declared.variables.iter().zip(&class.variables) {
                let (Role::State, Home::Variable(id)) = (variable.role, home) else { continue };
                let set = match variable.sort {
                    model::Sort::Scalar(set) => Some(set),
                    _ => None,
                };
                let first = layout.out.variable(*id).offset + place * variable.len();
                for (element, value) in variable.elements().enumerate() {
                    values[first + element] = layout.value(local.values[value], set);
                }
            }
        }
        queues(layout, index, state, &mut values);
    }
    for (&feature, &value) in layout.features.iter().zip(&state.features) {
        values[layout.out.variable(feature).offset] = i32::from(value);
    }
    values
}

/// The queues of the rebecs of a class.
fn queues(layout: &Layout<'_>, class: usize, state: &State, values: &mut [i32]) {
    let Some(owner) = &layout.classes[class] else { return };
    let Some(queue) = &owner.queue else { return };
    let bound = usize::try_from(queue.bound).expect("bounds are positive");
    let offset = |id| layout.out.variable(id).offset;
    for (place, &rebec) in owner.rebecs.iter().enumerate() {
        for &(array, blank) in &queue.arrays {
            let first = offset(array) + place * bound;
            values[first..first + bound].fill(blank);
        }
        let messages = &state.rebec(rebec).expect("the rebecs of `main` are in every state").queue;
        values[offset(queue.length) + place] = i32::try_from(messages.len()).expect("bounded by the queue");
        for (slot, message) in messages.iter().enumerate() {
            let at = place * bound + slot;
            debug_assert!(slot < bound, "a queue is within its bound");
            let server = &layout.model.classes[class].servers[message.server.index()];
            values[offset(queue.message) + at] = layout.message_of(&server.name);
            values[offset(queue.sender) + at] = member(layout, message.sender);
            debug_assert!(layout.message_of(&server.name) > 0, "a message that is sent has a name");
            let arrays = &queue.parameters[message.server.index()];
            debug_assert_eq!(arrays.len(), message.arguments.len(), "an array for each argument");
            for (&array, &argument) in arrays.iter().zip(&message.arguments) {
                values[offset(array) + at] = layout.value(argument, None);
            }
        }
    }
}

fn member(layout: &Layout<'_>, rebec: RebecId) -> i32 {
    layout.member(rebec)
}

/// The initial values whose product is exactly this set of states, if there are such values.
pub(crate) fn product(out: &Sequential, states: &[Vec<i32>]) -> Option<Vec<Initial>> {
    debug_assert!(states.iter().all(|state| state.len() == out.state_len()), "a start has every element");
    let mut count = 1usize;
    let mut initial = Vec::new();
    for variable in &out.variables {
        let len = out.len_of(variable);
        let own = |state: &[i32]| state[variable.offset..variable.offset + len].to_vec();
        let first = own(&states[0]);
        if states.iter().all(|state| state[variable.offset..variable.offset + len] == first) {
            initial.push(Initial::Values(first));
            continue;
        }
        for _ in 0..len {
            count = count.checked_mul(out.domain(variable.sort).size())?;
        }
        initial.push(Initial::Any);
    }
    (count == states.len()).then_some(initial)
}
