//! Traces of actors as JSON.

use frontend::interpret::trace::{Choice, Start, Step, Trace};
use frontend::interpret::{Stop, describe_fault, describe_limit};
use frontend::model::{Model, RebecId};
use frontend::source::{Source, Span};
use serde_json::json;

use super::{changes, words};
use crate::trace_file::{
    ChoiceFile, FaultFile, LocationFile, SHOWN_STATES, StartArgument, StartChoices, StartFile, StepFile, TraceFile,
};

/// A trace.
pub(crate) fn trace(model: &Model, source: &Source, trace: &Trace) -> TraceFile {
    let writer = TraceWriter { model, source };
    let befores = (0..trace.steps.len()).map(|index| trace.state(index).expect("a step starts at a state"));
    let len = trace.steps.len();
    let steps = trace.steps.iter().zip(befores).enumerate().map(|(index, (taken, before))| {
        let changes = taken
            .result
            .as_ref()
            .map_or_else(|_| Vec::new(), |after| changes::between(model, before, after, Some(taken.rebec)));
        let is_shown = index < SHOWN_STATES || index + SHOWN_STATES >= len;
        let state = taken.result.as_ref().ok().filter(|_| is_shown).map(|state| words::state_json(model, state));
        let changes = changes.iter().map(|change| changes::json(model, change)).collect();
        StepFile { changes, state, ..writer.step(taken) }
    });
    TraceFile {
        start: writer.start(&trace.start),
        steps: steps.collect(),
        cycle_from: trace.cycle_from,
        fault: trace.stop().map(|(rebec, stop)| writer.fault(rebec, trace.steps.last(), stop)),
    }
}

/// Writes parts of traces in the names and places of a model.
struct TraceWriter<'a> {
    model: &'a Model,
    source: &'a Source,
}

impl TraceWriter<'_> {
    fn location(&self, span: Span) -> Option<LocationFile> {
        LocationFile::of(self.source, span)
    }

    fn choices(&self, choices: &[Choice]) -> Vec<ChoiceFile> {
        let choice = |choice: &Choice| {
            let location = self.location(choice.span);
            ChoiceFile {
                name: None,
                value: words::value_json(self.model, choice.value),
                option: Some(choice.option),
                line: location.map(|location| location.line),
                column: location.map(|location| location.column),
            }
        };
        choices.iter().map(choice).collect()
    }

    fn start(&self, start: &Start) -> StartFile {
        let model = self.model;
        let features = model.features.iter().zip(&start.features);
        let argument = |&(rebec, parameter, value): &(RebecId, usize, _)| StartArgument {
            rebec: model.rebec_name(rebec),
            parameter: words::parameter(model, rebec, parameter),
            value: words::value_json(model, value),
        };
        let constructor = |(rebec, choices): &(RebecId, Vec<Choice>)| StartChoices {
            rebec: model.rebec_name(*rebec),
            choices: self.choices(choices),
        };
        StartFile {
            features: features.map(|(feature, &value)| (feature.name.clone(), json!(value))).collect(),
            arguments: start.arguments.iter().map(argument).collect(),
            constructors: start.choices.iter().map(constructor).collect(),
            state: start.result.as_ref().ok().map(|state| words::state_json(model, state)),
        }
    }

    /// A step without its changes and its state.
    fn step(&self, step: &Step) -> StepFile {
        let model = self.model;
        let class = model.class(model.class_of(step.rebec));
        StepFile {
            rebec: Some(model.rebec_name(step.rebec)),
            event: words::event(model, step.rebec, &step.message).to_owned(),
            arguments: Some(step.message.arguments.iter().map(|&value| words::value_json(model, value)).collect()),
            sender: Some(model.rebec_name(step.message.sender)),
            choices: self.choices(&step.choices),
            changes: Vec::new(),
            state: None,
            location: self.location(class.servers[step.message.server.index()].span),
        }
    }

    fn fault(&self, rebec: RebecId, step: Option<&Step>, stop: &Stop) -> FaultFile {
        let (message, location) = match stop {
            Stop::Fault(fault) => (describe_fault(self.model, &fault.kind), self.location(fault.span)),
            Stop::Limit(limit) => (describe_limit(self.model, limit), None),
        };
        FaultFile {
            rebec: Some(self.model.rebec_name(rebec)),
            event: step.map(|step| words::event(self.model, rebec, &step.message).to_owned()),
            message,
            line: location.map(|location| location.line),
            column: location.map(|location| location.column),
        }
    }
}

/// A choice as it is written in a trace, without its place.
pub(crate) fn same_choice(model: &Model, recorded: &ChoiceFile, choice: &Choice) -> bool {
    recorded.option.is_none_or(|option| option == choice.option)
        && recorded.value == words::value_json(model, choice.value)
}
