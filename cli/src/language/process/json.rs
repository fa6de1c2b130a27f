//! Traces of a process as JSON.

use frontend::sequential::interpret::{SeqFault, SeqStep};
use frontend::sequential::trace::Trace;
use frontend::sequential::{Expr, Sequential, SortId, Typing, ValueKind, Values};
use frontend::source::Source;
use serde_json::{Map, Value as Json, json};

use crate::trace_file::{
    ChangeFile, ChoiceFile, FaultFile, LocationFile, SHOWN_STATES, StartFile, StepFile, TraceFile, VALUE,
};

/// A trace.
pub(super) fn trace(model: &Sequential, source: &Source, trace: &Trace) -> TraceFile {
    let len = trace.steps.len();
    let steps = trace.steps.iter().enumerate().map(|(index, taken)| {
        let before = trace.state(index).expect("a step starts at a state");
        let after = taken.result.as_ref().ok();
        let is_shown = index < SHOWN_STATES || index + SHOWN_STATES >= len;
        StepFile {
            rebec: None,
            event: model.event_name(taken).to_owned(),
            arguments: Some(arguments(model, taken)),
            sender: None,
            choices: choices(model, taken),
            changes: after.map_or_else(Vec::new, |after| changes(model, before, after)),
            state: after.filter(|_| is_shown).map(|after| state(model, after)),
            location: LocationFile::of(source, model.summand(taken.summand).span),
        }
    });
    TraceFile {
        start: StartFile { state: Some(state(model, &trace.start)), ..StartFile::default() },
        steps: steps.collect(),
        cycle_from: trace.cycle_from,
        fault: trace.stop().map(|(step, stop)| fault(model, source, step, stop)),
    }
}

/// A state: each element with its value.
pub(super) fn state(model: &Sequential, state: &[i32]) -> Json {
    limits::work(VALUE * state.len() as u64);
    let elements = state.iter().enumerate();
    Json::Object(
        elements.map(|(at, &value)| (model.element_name(at), element(model, at, value))).collect::<Map<_, _>>(),
    )
}

/// The summation variables with their values.
pub(super) fn choices(model: &Sequential, step: &SeqStep) -> Vec<ChoiceFile> {
    let parameters = model.summand(step.summand).parameters.iter().zip(&step.parameters);
    let choice = |(parameter, &value): (&frontend::sequential::Parameter, &i32)| ChoiceFile {
        name: Some(parameter.name.clone()),
        value: of_sort(model, parameter.sort, value),
        option: None,
        line: None,
        column: None,
    };
    parameters.map(choice).collect()
}

/// The arguments of the event; none if the guard or one of them faults.
pub(super) fn arguments(model: &Sequential, step: &SeqStep) -> Vec<Json> {
    let summand = model.summand(step.summand);
    let kind = |argument: &Expr| {
        let sorts = summand.parameters.iter().map(|parameter| parameter.sort).collect();
        Typing::new(model, sorts).values(argument).map_or(ValueKind::Integer, Values::kind)
    };
    summand
        .arguments
        .iter()
        .zip(&step.arguments)
        .map(|(argument, &value)| of_kind(model, kind(argument), value))
        .collect()
}

fn changes(model: &Sequential, before: &[i32], after: &[i32]) -> Vec<ChangeFile> {
    limits::work(before.len() as u64);
    let differ = before.iter().zip(after).enumerate().filter(|(_, (from, to))| from != to);
    let change = |(at, (&from, &to)): (usize, (&i32, &i32))| ChangeFile::Variable {
        rebec: None,
        variable: model.element_name(at),
        from: element(model, at, from),
        to: element(model, at, to),
    };
    differ.map(change).collect()
}

fn fault(model: &Sequential, source: &Source, step: &SeqStep, fault: &SeqFault) -> FaultFile {
    let location = LocationFile::of(source, fault.span);
    FaultFile {
        rebec: None,
        event: Some(model.event_name(step).to_owned()),
        message: model.fault_text(&fault.kind),
        line: location.map(|location| location.line),
        column: location.map(|location| location.column),
    }
}

fn element(model: &Sequential, element: usize, value: i32) -> Json {
    of_sort(model, model.variable(model.element(element).0).sort, value)
}

fn of_sort(model: &Sequential, sort: SortId, value: i32) -> Json {
    of_kind(model, model.kind_of(sort), value)
}

/// A number, or the name of a value of an enumeration.
fn of_kind(model: &Sequential, kind: ValueKind, value: i32) -> Json {
    match kind {
        ValueKind::Integer => json!(value),
        ValueKind::Member(_) => json!(model.kind_value_name(kind, value)),
    }
}
