//! Traces as JSON.

use frontend::execution::Outcome;
use frontend::source::Source;
use pipeline::Trace;

use super::Presented;
use crate::trace_file::{SHOWN_STATES, StepFile, TraceFile};

/// The steps of a trace, each made when it is asked for.
pub(crate) fn steps<L: Presented>(model: &L, source: &Source, trace: &Trace<L>) -> impl Iterator<Item = StepFile> {
    let len = trace.steps.len();
    trace.steps.iter().zip(trace.states()).enumerate().map(move |(index, (taken, before))| {
        let is_shown = index < SHOWN_STATES || index + SHOWN_STATES >= len;
        let state = taken.state().filter(|_| is_shown).map(|state| model.state_json(state));
        StepFile { state, ..model.step_json(source, before, taken) }
    })
}

/// A trace.
pub(crate) fn trace<L: Presented>(model: &L, source: &Source, trace: &Trace<L>) -> TraceFile {
    let steps: Vec<StepFile> = steps(model, source, trace).collect();
    assert_eq!(steps.len(), trace.steps.len(), "every step starts at a state");
    trace_of(model, source, trace, steps)
}

/// A trace whose steps have their form already.
pub(crate) fn trace_of<L: Presented, S>(model: &L, source: &Source, trace: &Trace<L>, steps: S) -> TraceFile<S> {
    assert!(trace.cycle_from.is_none_or(|from| from <= trace.steps.len()), "a cycle begins at a state of the trace");
    let fault = model.fault_json(source, trace);
    assert_eq!(
        fault.is_some(),
        trace.last_state().is_none(),
        "a fault is the reason that a trace ends without a state"
    );
    TraceFile { start: model.start_json(source, &trace.start), steps, cycle_from: trace.cycle_from, fault }
}
