//! The starts and steps of a recorded trace, searched for among those of the reference interpreter.

use frontend::interpret::trace::{Start, Step};
use frontend::interpret::{Bounds, State, Stop, describe_fault, starts, step_results};
use frontend::model::Model;
use serde_json::Value as Json;

use super::json::same_choice;
use super::words;
use crate::language::rerun::first_difference;
use crate::trace_file::{ChoiceFile, FaultFile, StartFile, StepFile, TraceFile};

/// The most starts that are tried.
const MAX_STARTS: usize = 100_000;

/// The start that a file describes.
pub(super) fn start(model: &Model, recorded: &TraceFile) -> Result<Start, String> {
    let bounds = bounds();
    let fault = recorded.fault.as_ref().filter(|_| recorded.steps.is_empty());
    let fits = |start: &Start| start_fits(model, &recorded.start, fault, start);
    let found = starts(model, &bounds).take(MAX_STARTS).find(fits);
    found.ok_or_else(|| no_start(model, &bounds, &recorded.start))
}

/// The bounds under which a recorded step is run: the model decides how many rebecs are made.
fn bounds() -> Bounds {
    Bounds { max_rebecs: u32::MAX, ..Bounds::default() }
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

/// The steps of a state that have the message and the choices of a recorded one.
pub(super) fn steps(model: &Model, state: &State, recorded: &StepFile) -> Result<Vec<Step>, String> {
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
    let mut steps = step_results(model, &bounds(), state, rebec);
    steps.retain(|step| same_choices(model, &recorded.choices, &step.choices));
    if steps.is_empty() { Err(format!("`{name}` has no outcome with these choices")) } else { Ok(steps) }
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
