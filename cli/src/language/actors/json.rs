//! Traces of actors as JSON.

use frontend::interpret::trace::{Choice, Start, Step, Trace};
use frontend::interpret::{State, Stop, describe_fault, describe_limit};
use frontend::model::{Model, RebecId};
use frontend::source::{Source, Span};
use serde_json::json;

use super::{changes, words};
use crate::trace_file::{ChoiceFile, FaultFile, LocationFile, StartArgument, StartChoices, StartFile, StepFile};

/// Writes parts of traces in the names and places of a model.
pub(super) struct TraceWriter<'a> {
    pub(super) model: &'a Model,
    pub(super) source: &'a Source,
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

    pub(super) fn start(&self, start: &Start) -> StartFile {
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

    /// A step without its state.
    pub(super) fn step(&self, before: &State, step: &Step) -> StepFile {
        let model = self.model;
        let changes = step.result.as_ref().map(|after| changes::between(model, before, after, Some(step.rebec)));
        let class = model.class(model.class_of(step.rebec));
        StepFile {
            rebec: Some(model.rebec_name(step.rebec)),
            event: words::event(model, step.rebec, &step.message).to_owned(),
            arguments: Some(step.message.arguments.iter().map(|&value| words::value_json(model, value)).collect()),
            sender: Some(model.rebec_name(step.message.sender)),
            processes: Vec::new(),
            choices: self.choices(&step.choices),
            changes: changes.iter().flatten().map(|change| changes::json(model, change)).collect(),
            state: None,
            location: self.location(class.servers[step.message.server.index()].span),
        }
    }

    pub(super) fn fault(&self, trace: &Trace) -> Option<FaultFile> {
        let (rebec, stop) = trace.stop()?;
        let (message, span) = match stop {
            Stop::Fault(fault) => (describe_fault(self.model, &fault.kind), fault.span),
            Stop::Limit(limit) => (describe_limit(self.model, limit), Span::NONE),
        };
        let step = trace.steps.last();
        let event = step.map(|step| words::event(self.model, rebec, &step.message).to_owned());
        Some(FaultFile::new(self.source, Some(self.model.rebec_name(rebec)), event, message, span))
    }
}

/// A choice as it is written in a trace, without its place.
pub(crate) fn same_choice(model: &Model, recorded: &ChoiceFile, choice: &Choice) -> bool {
    recorded.option.is_none_or(|option| option == choice.option)
        && recorded.value == words::value_json(model, choice.value)
}
