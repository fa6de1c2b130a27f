//! A recorded trace against the reference interpreter: each step is searched for among the steps of the reached state.
//!
//! Parts that a file leaves out are not compared: what is omitted fits everything, and the first fitting start or step is taken.

use frontend::execution::Outcome;
use frontend::source::Source;
use pipeline::{State, Trace};
use serde_json::Value as Json;

use super::Presented;
use crate::trace_file::{ChangeFile, ChoiceFile, FaultFile, StepFile, TraceFile};

/// The first mismatch of a recorded trace with the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mismatch {
    /// The start, a step, the end.
    pub(crate) place: String,
    /// The difference.
    pub(crate) message: String,
}

/// Reruns a recorded trace: as far as it fits, with the mismatch that ends it. `deadlock` requires that the last
/// state is one.
pub(crate) fn rerun<L: Presented>(
    model: &L,
    source: &Source,
    recorded: &TraceFile,
    deadlock: bool,
) -> (Option<Trace<L>>, Option<Mismatch>) {
    let at = |place: &str, message: String| Some(Mismatch { place: place.to_owned(), message });
    let mut trace = match model.recorded_start(recorded) {
        Ok(start) => Trace::<L>::new(start),
        Err(message) => return (None, at("start", message)),
    };
    for (index, step) in recorded.steps.iter().enumerate() {
        let place = format!("step {}", index + 1);
        let Some(state) = trace.state(index) else {
            return (Some(trace), at(&place, "the run has ended before this step".to_owned()));
        };
        let fault = recorded.fault.as_ref().filter(|_| index + 1 == recorded.steps.len());
        match find_step(model, source, state, step, fault) {
            Ok(step) => trace.take(step),
            Err(message) => return (Some(trace), at(&place, message)),
        }
    }
    match (trace.last_state(), &recorded.fault) {
        (None, None) => return (Some(trace), at("end", "the run fails, and the trace has no fault".to_owned())),
        (Some(_), Some(_)) => {
            return (Some(trace), at("end", "the run does not fail, and the trace has a fault".to_owned()));
        }
        _ => {}
    }
    let mut closes = |index| trace.close(index, |state| model.steps(state).is_empty());
    if let Some(cycle) = recorded.cycle_from.filter(|&index| !closes(index)) {
        return (Some(trace), at("end", format!("the last state does not go back to state {cycle}")));
    }
    if deadlock && !trace.last_state().is_some_and(|state| model.is_deadlock(state)) {
        return (Some(trace), at("end", "the last state is not a deadlock".to_owned()));
    }
    (Some(trace), None)
}

/// The first step of a state that a recorded step describes, or the difference. Where the state behind it is left out, its changes tell it
/// from other steps; no changes are those of a step that changes nothing, and where there is none, they are left out, too.
fn find_step<L: Presented>(
    model: &L,
    source: &Source,
    state: &State<L>,
    recorded: &StepFile,
    fault: Option<&FaultFile>,
) -> Result<L::Step, String> {
    let mut different = String::new();
    let mut first = None;
    for step in model.recorded_steps(state, recorded)? {
        match difference(model, &step, recorded, fault) {
            None if recorded.state.is_some() || makes(&model.step_json(source, state, &step).changes, recorded) => {
                return Ok(step);
            }
            None if recorded.changes.is_empty() => first = first.or(Some(step)),
            None => different = "the step has other changes".to_owned(),
            Some(message) => different = message,
        }
    }
    if let Some(step) = first {
        return Ok(step);
    }
    assert!(!different.is_empty(), "where no step is like the recorded one, the language says why");
    Err(different)
}

/// Whether changes are the recorded ones, as far as these can be read.
fn makes(changes: &[ChangeFile], recorded: &StepFile) -> bool {
    changes == recorded.changes || recorded.changes.iter().any(|change| matches!(change, ChangeFile::Other(_)))
}

/// The difference between the end of a step and the recorded one.
fn difference<L: Presented>(
    model: &L,
    step: &L::Step,
    recorded: &StepFile,
    fault: Option<&FaultFile>,
) -> Option<String> {
    match (step.state(), fault) {
        (Some(state), None) => first_difference(&model.state_json(state), recorded.state.as_ref()?),
        (Some(_), Some(fault)) => Some(format!("the step does not fail; the trace has: {}", fault.message)),
        (None, fault) => match (model.fault(step), fault) {
            (Some(found), Some(fault))
                if (fault.message.is_empty() || fault.message == found)
                    && (fault.rebec.is_none() || fault.rebec == recorded.rebec) =>
            {
                None
            }
            (Some(found), _) => Some(format!("the step fails: {found}")),
            (None, _) => Some("the step reaches a bound of the tool".to_owned()),
        },
    }
}

/// The first part of a state that has another value.
pub(crate) fn first_difference(found: &Json, recorded: &Json) -> Option<String> {
    let (Some(found), Some(recorded)) = (found.as_object(), recorded.as_object()) else {
        return Some("the state is not an object".to_owned());
    };
    for (name, value) in found {
        match recorded.get(name) {
            None => return Some(format!("the state has no `{name}`")),
            Some(other) if other != value => return Some(format!("`{name}` is {value}, not {other}")),
            Some(_) => {}
        }
    }
    let more = recorded.keys().find(|name| !found.contains_key(*name))?;
    Some(format!("there is no `{more}`"))
}

/// Whether recorded choices are those that were made, by name and value.
pub(crate) fn same_choices(recorded: &[ChoiceFile], made: &[ChoiceFile]) -> bool {
    let same = |(recorded, made): (&ChoiceFile, &ChoiceFile)| {
        recorded.value == made.value
            && (recorded.name.is_none() || recorded.name == made.name)
            && (recorded.option.is_none() || recorded.option == made.option)
    };
    recorded.len() == made.len() && recorded.iter().zip(made).all(same)
}
