//! A recorded trace of a model of Murphi against the reference interpreter: each step is searched for among the steps of
//! the reached state.
//!
//! Parts that a file leaves out are not compared: an omitted state fits everything, and the first fitting step is taken.

use frontend::murphi::interpret::{Deadlock, Step, is_deadlock, starts, successors};
use frontend::murphi::program::Program;
use frontend::murphi::trace::Trace;

use super::{json, rule_of};
use crate::language::{Mismatch, first_difference};
use crate::trace_file::{ChoiceFile, FaultFile, StepFile, TraceFile};

/// Reruns a recorded trace: as far as it fits, with the mismatch that ends it. `deadlock` requires that the last
/// state is one.
pub(super) fn rerun(program: &Program, recorded: &TraceFile, deadlock: bool) -> (Option<Trace>, Option<Mismatch>) {
    let at = |place: String, message: String| Some(Mismatch { place, message });
    let Some(start) = start(program, recorded) else {
        return (None, at("start".to_owned(), "the model does not start in this way".to_owned()));
    };
    let mut trace = Trace::new(start);
    for (index, step) in recorded.steps.iter().enumerate() {
        let place = format!("step {}", index + 1);
        let Some(state) = trace.state(index) else {
            return (Some(trace), at(place, "the run has ended before this step".to_owned()));
        };
        let fault = recorded.fault.as_ref().filter(|_| index + 1 == recorded.steps.len());
        match find_step(program, successors(program, state), step, fault) {
            Ok(step) => trace.steps.push(step),
            Err(message) => return (Some(trace), at(place, message)),
        }
    }
    let end = || "end".to_owned();
    if recorded.fault.is_some() != trace.stop().is_some() {
        let message = match trace.stop() {
            Some(_) => "the run fails, and the trace tells of no fault",
            None => "the run does not fail, and the trace tells of a fault",
        };
        return (Some(trace), at(end(), message.to_owned()));
    }
    if let Some(cycle) = recorded.cycle_from.filter(|&index| index > trace.steps.len() || !trace.close(program, index))
    {
        return (Some(trace), at(end(), format!("the last state does not go back to state {cycle}")));
    }
    // A state without any step is a deadlock of both kinds.
    let is_end = |state| is_deadlock(state, &successors(program, state), Deadlock::Stuttering);
    if deadlock && !trace.states().last().is_some_and(is_end) {
        return (Some(trace), at(end(), "the last state is not a deadlock".to_owned()));
    }
    (Some(trace), None)
}

/// The first start that a file describes.
fn start(program: &Program, recorded: &TraceFile) -> Option<Step> {
    let described = recorded.start.constructors.first();
    let fits = |start: &Step| {
        let same_rule = described.is_none_or(|described| {
            rule_of(program, start, true).name == described.rebec
                && are_same(&described.choices, &json::choices(program, start, true))
        });
        let same_end = match (&start.result, &recorded.start.state) {
            (Ok(state), Some(wanted)) => first_difference(&json::state(program, state), wanted).is_none(),
            (Ok(_), None) => recorded.fault.is_none() || !recorded.steps.is_empty(),
            (Err(fault), wanted) => {
                let message = recorded.fault.as_ref().map(|fault| &fault.message);
                let is_same = |message: &String| message.is_empty() || *message == fault.kind.text(&program.types);
                wanted.is_none() && recorded.steps.is_empty() && message.is_some_and(is_same)
            }
        };
        same_rule && same_end
    };
    starts(program).into_iter().find(fits)
}

fn are_same(recorded: &[ChoiceFile], made: &[ChoiceFile]) -> bool {
    let same = |(recorded, made): (&ChoiceFile, &ChoiceFile)| {
        recorded.value == made.value && (recorded.name.is_none() || recorded.name == made.name)
    };
    recorded.len() == made.len() && recorded.iter().zip(made).all(same)
}

/// The first of some steps that a recorded step describes, or the difference.
fn find_step(
    program: &Program,
    steps: Vec<Step>,
    recorded: &StepFile,
    fault: Option<&FaultFile>,
) -> Result<Step, String> {
    let fits = |step: &Step| {
        rule_of(program, step, false).name == recorded.event
            && are_same(&recorded.choices, &json::choices(program, step, false))
    };
    let mut different = format!("`{}` is not enabled with these values", recorded.event);
    for step in steps.into_iter().filter(fits) {
        match compare(program, &step, recorded, fault) {
            None => return Ok(step),
            Some(message) => different = message,
        }
    }
    Err(different)
}

/// The difference between the end of a step and the recorded one.
fn compare(program: &Program, step: &Step, recorded: &StepFile, fault: Option<&FaultFile>) -> Option<String> {
    let text = |found: &frontend::murphi::interpret::Fault| found.kind.text(&program.types);
    match (&step.result, fault) {
        (Ok(state), None) => first_difference(&json::state(program, state), recorded.state.as_ref()?),
        (Ok(_), Some(fault)) => Some(format!("the step does not fail; the trace tells of: {}", fault.message)),
        (Err(found), Some(fault)) if fault.message.is_empty() || fault.message == text(found) => None,
        (Err(found), _) => Some(format!("the step fails: {}", text(found))),
    }
}
