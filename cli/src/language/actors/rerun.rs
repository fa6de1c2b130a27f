//! A recorded trace against the reference interpreter: each step is searched for among the steps of the reached
//! state.
//!
//! Parts that a file leaves out are not compared: an omitted state, sender or choice option fits everything, and the
//! first fitting start or step is taken.

use frontend::interpret::trace::{Start, Step, Trace};
use frontend::interpret::{Bounds, State, Stop, describe_fault, starts, step_results};
use frontend::model::{Model, RebecId};
use serde_json::Value as Json;

use super::json::same_choice;
use super::words;
use crate::language::Mismatch;
use crate::trace_file::{ChoiceFile, FaultFile, StartFile, StepFile, TraceFile};

/// The most starts that are tried.
const MAX_STARTS: usize = 100_000;

/// Reruns a recorded trace: as far as it fits, with the mismatch that ends it. `deadlock` requires that the last
/// state is one.
pub(super) fn rerun(
    model: &Model,
    bounds: &Bounds,
    recorded: &TraceFile,
    deadlock: bool,
) -> (Option<Trace>, Option<Mismatch>) {
    let at = |place: String, message: String| Some(Mismatch { place, message });
    let start_fault = recorded.fault.as_ref().filter(|_| recorded.steps.is_empty());
    let fits = |start: &Start| start_fits(model, &recorded.start, start_fault, start);
    let Some(start) = starts(model, bounds).take(MAX_STARTS).find(fits) else {
        return (None, at("start".to_owned(), no_start(model, bounds, &recorded.start)));
    };
    let mut trace = Trace { start, steps: Vec::with_capacity(recorded.steps.len()), cycle_from: None };
    for (index, step) in recorded.steps.iter().enumerate() {
        let place = format!("step {}", index + 1);
        let Some(state) = trace.state(index) else {
            return (Some(trace), at(place, "the run has ended before this step".to_owned()));
        };
        let fault = recorded.fault.as_ref().filter(|_| index + 1 == recorded.steps.len());
        match find_step(model, bounds, state, step, fault) {
            Ok(step) => trace.steps.push(step),
            Err(message) => return (Some(trace), at(place, message)),
        }
    }
    let end = || "end".to_owned();
    if recorded.fault.is_none() && trace.stop().is_some() {
        return (Some(trace), at(end(), "the run fails, and the trace has no fault".to_owned()));
    }
    if let Some(cycle_from) = recorded.cycle_from.filter(|&index| index > trace.steps.len() || !trace.close(index)) {
        return (Some(trace), at(end(), format!("the last state does not go back to state {cycle_from}")));
    }
    if deadlock && !trace.states().last().is_some_and(State::is_deadlock) {
        return (Some(trace), at(end(), "the last state is not a deadlock".to_owned()));
    }
    (Some(trace), None)
}

/// The reason that no start fits: with one start, the difference of its state.
fn no_start(model: &Model, bounds: &Bounds, recorded: &StartFile) -> String {
    let mut all = starts(model, bounds);
    match (all.next().map(|start| start.result), all.next(), &recorded.state) {
        (Some(Ok(state)), None, Some(recorded)) => first_difference(&words::state_json(model, &state), recorded),
        _ => None,
    }
    .unwrap_or_else(|| "the model has no such start".to_owned())
}

fn start_fits(model: &Model, recorded: &StartFile, fault: Option<&FaultFile>, start: &Start) -> bool {
    let features = model.features.iter().zip(&start.features);
    let argument = |rebec: &str, parameter: &str, value: &Json| {
        start.arguments.iter().any(|&(id, index, found)| {
            model.rebec_name(id) == rebec
                && words::parameter(model, id, index) == parameter
                && words::value_json(model, found) == *value
        })
    };
    let constructor = |rebec: &str, choices: &[ChoiceFile]| {
        let made = start.choices.iter().find(|(id, _)| model.rebec_name(*id) == rebec);
        made.is_some_and(|(_, made)| same_choices(model, choices, made))
    };
    let result = match (&start.result, fault) {
        (Ok(state), None) => {
            recorded.state.as_ref().is_none_or(|recorded| *recorded == words::state_json(model, state))
        }
        (Err((rebec, stop)), Some(fault)) => {
            Some(model.rebec_name(*rebec)) == fault.rebec && same_fault(model, fault, stop)
        }
        _ => false,
    };
    result
        && features.into_iter().all(|(feature, &value)| {
            recorded.features.get(&feature.name).is_none_or(|recorded| *recorded == Json::Bool(value))
        })
        && recorded.arguments.iter().all(|recorded| argument(&recorded.rebec, &recorded.parameter, &recorded.value))
        && recorded.constructors.iter().all(|recorded| constructor(&recorded.rebec, &recorded.choices))
}

fn same_choices(model: &Model, recorded: &[ChoiceFile], made: &[frontend::interpret::Choice]) -> bool {
    recorded.len() == made.len() && recorded.iter().zip(made).all(|(recorded, made)| same_choice(model, recorded, made))
}

fn same_fault(model: &Model, recorded: &FaultFile, stop: &Stop) -> bool {
    match stop {
        Stop::Fault(fault) => recorded.message.is_empty() || recorded.message == describe_fault(model, &fault.kind),
        Stop::Limit(_) => false,
    }
}

/// The first step of a state that a recorded step describes, or the difference.
fn find_step(
    model: &Model,
    bounds: &Bounds,
    state: &State,
    recorded: &StepFile,
    fault: Option<&FaultFile>,
) -> Result<Step, String> {
    let name = recorded.rebec.as_deref().unwrap_or_default();
    let rebec = state.identities().find(|&id| model.rebec_name(id) == name);
    let rebec = rebec.ok_or_else(|| format!("there is no rebec `{name}`"))?;
    let oldest = state.rebec(rebec).and_then(|rebec| rebec.queue.front());
    let oldest = oldest.ok_or_else(|| format!("`{name}` has no message"))?;
    let arguments: Vec<Json> = oldest.arguments.iter().map(|&value| words::value_json(model, value)).collect();
    let same = words::event(model, rebec, oldest) == recorded.event
        && recorded.arguments.as_ref().is_none_or(|recorded| *recorded == arguments)
        && recorded.sender.as_ref().is_none_or(|recorded| *recorded == model.rebec_name(oldest.sender));
    if !same {
        let found = words::message(model, rebec, oldest);
        return Err(format!("the oldest message of `{name}` is {found}, not {}", describe(recorded)));
    }
    let mut steps = step_results(model, bounds, state, rebec);
    steps.retain(|step| same_choices(model, &recorded.choices, &step.choices));
    if steps.is_empty() {
        return Err(format!("`{name}` has no outcome with these choices"));
    }
    let mut different = None;
    for step in steps {
        match compare(model, &step, rebec, recorded, fault) {
            None => return Ok(step),
            Some(message) => different = Some(message),
        }
    }
    Err(different.unwrap_or_default())
}

/// The difference between the end of a step and the recorded one.
fn compare(
    model: &Model,
    step: &Step,
    rebec: RebecId,
    recorded: &StepFile,
    fault: Option<&FaultFile>,
) -> Option<String> {
    match (&step.result, fault) {
        (Ok(state), None) => {
            let recorded = recorded.state.as_ref()?;
            first_difference(&words::state_json(model, state), recorded)
        }
        (Ok(_), Some(fault)) => Some(format!("the step does not fail; the trace has: {}", fault.message)),
        (Err(stop), Some(fault)) if same_fault(model, fault, stop) && Some(model.rebec_name(rebec)) == fault.rebec => {
            None
        }
        (Err(Stop::Fault(found)), _) => Some(format!("the step fails: {}", describe_fault(model, &found.kind))),
        (Err(Stop::Limit(_)), _) => Some("the step reaches a bound of the tool".to_owned()),
    }
}

/// The first rebec that is in another local state.
fn first_difference(found: &Json, recorded: &Json) -> Option<String> {
    if found == recorded {
        return None;
    }
    let (Some(found), Some(recorded)) = (found.as_object(), recorded.as_object()) else {
        return Some("the state is not an object".to_owned());
    };
    for (name, local) in found {
        match recorded.get(name) {
            None => return Some(format!("the state has no rebec `{name}`")),
            Some(other) if other != local => {
                return Some(format!("`{name}` is in another state: {local}, not {other}"));
            }
            Some(_) => {}
        }
    }
    let more = recorded.keys().find(|name| !found.contains_key(*name));
    Some(format!("there is no rebec `{}`", more.map_or("", String::as_str)))
}

fn describe(recorded: &StepFile) -> String {
    let arguments = recorded.arguments.as_ref().map(|arguments| {
        let arguments: Vec<String> =
            arguments.iter().map(|value| value.as_str().map_or(value.to_string(), str::to_owned)).collect();
        format!("({})", arguments.join(", "))
    });
    let sender = recorded.sender.as_ref().map(|sender| format!(" from {sender}"));
    format!("{}{}{}", recorded.event, arguments.unwrap_or_default(), sender.unwrap_or_default())
}
