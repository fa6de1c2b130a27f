//! A recorded trace of a process against the reference interpreter: each step is searched for among the steps of the
//! reached state.
//!
//! Parts that a file leaves out are not compared: an omitted state or argument fits everything, and the first fitting
//! step is taken. Without a recorded initial state the first one of the process is taken.

use frontend::sequential::Sequential;
use frontend::sequential::interpret::{SeqStep, State, initial_states, is_initial, successors};
use frontend::sequential::trace::Trace;
use serde_json::Value as Json;

use super::json;
use crate::language::{Mismatch, first_difference};
use crate::trace_file::{ChoiceFile, FaultFile, StepFile, TraceFile};

/// Reruns a recorded trace: as far as it fits, with the mismatch that ends it. `deadlock` requires that the last
/// state is one.
pub(super) fn rerun(model: &Sequential, recorded: &TraceFile, deadlock: bool) -> (Option<Trace>, Option<Mismatch>) {
    let at = |place: String, message: String| Some(Mismatch { place, message });
    let start = match start(model, recorded.start.state.as_ref()) {
        Ok(start) => start,
        Err(message) => return (None, at("start".to_owned(), message)),
    };
    let mut trace = Trace::new(start);
    for (index, step) in recorded.steps.iter().enumerate() {
        let place = format!("step {}", index + 1);
        let Some(state) = trace.state(index) else {
            return (Some(trace), at(place, "the run has ended before this step".to_owned()));
        };
        let fault = recorded.fault.as_ref().filter(|_| index + 1 == recorded.steps.len());
        match find_step(model, state, step, fault) {
            Ok(step) => trace.steps.push(step),
            Err(message) => return (Some(trace), at(place, message)),
        }
    }
    let end = || "end".to_owned();
    if recorded.fault.is_none() && trace.stop().is_some() {
        return (Some(trace), at(end(), "the run fails, and the trace has no fault".to_owned()));
    }
    if recorded.fault.is_some() && trace.stop().is_none() {
        return (Some(trace), at(end(), "the run does not fail, and the trace has a fault".to_owned()));
    }
    if let Some(cycle) = recorded.cycle_from.filter(|&index| index > trace.steps.len() || !trace.close(model, index)) {
        return (Some(trace), at(end(), format!("the last state does not go back to state {cycle}")));
    }
    if deadlock && !trace.states().last().is_some_and(|state| successors(model, state).is_empty()) {
        return (Some(trace), at(end(), "the last state is not a deadlock".to_owned()));
    }
    (Some(trace), None)
}

/// The recorded initial state.
fn start(model: &Sequential, recorded: Option<&Json>) -> Result<State, String> {
    let first = initial_states(model).next().ok_or("the process has no initial state")?;
    let Some(recorded) = recorded else { return Ok(first) };
    let elements = recorded.as_object().ok_or("the state is not an object")?;
    let mut state = State::with_capacity(first.len());
    for at in 0..first.len() {
        let name = model.element_name(at);
        let value = elements.get(&name).ok_or_else(|| format!("the state has no `{name}`"))?;
        let sort = model.variable(model.element(at).0).sort;
        let value = match value {
            Json::String(word) => model.domain(sort).values().find(|&value| model.value_name(sort, value) == *word),
            number => number.as_i64().and_then(|number| i32::try_from(number).ok()),
        };
        state.push(value.ok_or_else(|| format!("`{name}` has no such value"))?);
    }
    if elements.len() != first.len() {
        return Err("the state has elements that the process does not have".to_owned());
    }
    if is_initial(model, &state) { Ok(state) } else { Err("the process does not start in this state".to_owned()) }
}

/// The first step of a state that a recorded step describes, or the difference.
fn find_step(
    model: &Sequential,
    state: &State,
    recorded: &StepFile,
    fault: Option<&FaultFile>,
) -> Result<SeqStep, String> {
    let same = |recorded: &ChoiceFile, made: &ChoiceFile| {
        recorded.value == made.value && (recorded.name.is_none() || recorded.name == made.name)
    };
    let fits = |step: &SeqStep| {
        let made = json::choices(model, step);
        model.event_name(step) == recorded.event
            && recorded.arguments.as_ref().is_none_or(|recorded| *recorded == json::arguments(model, step))
            && recorded.choices.len() == made.len()
            && recorded.choices.iter().zip(&made).all(|(recorded, made)| same(recorded, made))
    };
    let mut different = format!("`{}` is not enabled with these arguments and choices", recorded.event);
    for step in successors(model, state).into_iter().filter(fits) {
        match compare(model, &step, recorded, fault) {
            None => return Ok(step),
            Some(message) => different = message,
        }
    }
    Err(different)
}

/// The difference between the end of a step and the recorded one.
fn compare(model: &Sequential, step: &SeqStep, recorded: &StepFile, fault: Option<&FaultFile>) -> Option<String> {
    match (&step.result, fault) {
        (Ok(state), None) => first_difference(&json::state(model, state), recorded.state.as_ref()?),
        (Ok(_), Some(fault)) => Some(format!("the step does not fail; the trace has: {}", fault.message)),
        (Err(found), Some(fault)) if fault.message.is_empty() || fault.message == model.fault_text(&found.kind) => None,
        (Err(found), _) => Some(format!("the step fails: {}", model.fault_text(&found.kind))),
    }
}
