//! A trace for people: numbered steps, below each its changes, at the end the fault and its place.
//!
//! ```text
//!   start   n of phil0 = 2
//!      1  phil0  arrive()  from phil0   chose true
//!           eating: false -> true
//!           fork0.queue: + request() from phil0
//! ```
//!
//! Variables without a rebec before them are those of the rebec that runs. Messages are in the order of sending for
//! each queue. Known rebecs of `main` never change and are not shown.

use std::fmt::Write;

use frontend::interpret::{Choice, Start, State, Step, Stop, describe_fault, describe_limit};
use frontend::model::{Dialect, Model, RebecId};

use super::changes::{self, Change};
use super::words;
use crate::language::TraceStyle;
use crate::trace_file::VALUE;

impl TraceStyle<'_, Model> {
    /// The choices before a run starts.
    pub(super) fn start_facts(&self, start: &Start) -> Vec<String> {
        let model = self.model;
        let mut facts = Vec::new();
        for (feature, value) in model.features.iter().zip(&start.features) {
            facts.push(format!("{} = {value}", feature.name));
        }
        for &(rebec, parameter, value) in &start.arguments {
            let name = words::parameter(model, rebec, parameter);
            facts.push(format!("{name} of {} = {}", model.rebec_name(rebec), words::value(model, value)));
        }
        for (rebec, choices) in &start.choices {
            facts.push(format!("{} chose {}", model.rebec_name(*rebec), self.choices(choices)));
        }
        facts
    }

    /// The initial state where it is not the obvious one, or the reason that there is none.
    pub(super) fn start_lines(&self, start: &Start) -> Vec<String> {
        let model = self.model;
        match &start.result {
            Ok(state) if model.dialect == Dialect::Rebeca21 => {
                let blank = changes::blank(model, start.features.clone());
                self.changes(&changes::between(model, &blank, state, None), None)
            }
            Ok(_) => Vec::new(),
            Err((rebec, stop)) => {
                vec![format!("in the constructor of {}: {}", model.rebec_name(*rebec), self.stop(stop))]
            }
        }
    }

    /// The changes of a step.
    pub(super) fn step_lines(&self, before: &State, step: &Step) -> Vec<String> {
        match &step.result {
            Ok(after) => {
                let changes = changes::between(self.model, before, after, Some(step.rebec));
                self.changes(&changes, Some(step.rebec))
            }
            Err(stop) => vec![self.stop(stop)],
        }
    }

    /// The rebec, its message, and its choices.
    pub(super) fn headline(&self, step: &Step, named: usize) -> String {
        let model = self.model;
        let name = format!("{:<named$}", model.rebec_name(step.rebec));
        let call = words::call(model, step.rebec, &step.message);
        let sender = self.paint.faint(&format!("from {}", model.rebec_name(step.message.sender)));
        let mut out = format!("{}  {}  {sender}", self.paint.bold(&name), self.paint.bold(&call));
        if !step.choices.is_empty() {
            let _ = write!(out, "   chose {}", self.choices(&step.choices));
        }
        out
    }

    fn choices(&self, choices: &[Choice]) -> String {
        let values: Vec<String> = choices.iter().map(|choice| words::value(self.model, choice.value)).collect();
        values.join(", ")
    }

    /// A whole state: the variables and the queue of each rebec.
    pub(super) fn state_lines(&self, state: &State) -> Vec<String> {
        let model = self.model;
        let mut out = Vec::new();
        for id in state.identities() {
            let Some(rebec) = state.rebec(id) else { continue };
            limits::work(VALUE * (rebec.values.len() + rebec.queue.len()) as u64);
            let variables: Vec<String> = words::shown(model, id, rebec)
                .map(|(name, value)| format!("{name} = {}", words::value(model, value)))
                .collect();
            let messages: Vec<String> = rebec.queue.iter().map(|message| words::message(model, id, message)).collect();
            let variables = if variables.is_empty() { String::new() } else { format!("{}; ", variables.join(", ")) };
            out.push(format!("{}: {variables}queue [{}]", model.rebec_name(id), messages.join(", ")));
        }
        out
    }

    /// Changes, one per line; those of `own` without its name, and without the message that it took.
    fn changes(&self, changes: &[Change], own: Option<RebecId>) -> Vec<String> {
        let model = self.model;
        let prefix = |rebec: RebecId| match Some(rebec) == own {
            true => String::new(),
            false => format!("{}.", model.rebec_name(rebec)),
        };
        let mut out = Vec::new();
        for change in changes {
            let line = match change {
                Change::Created(rebec) => {
                    format!("{} is made, a {}", model.rebec_name(*rebec), model.class(model.class_of(*rebec)).name)
                }
                Change::Variable { rebec, name, from: Some(from), to } => {
                    let (from, to) = (words::value(model, *from), words::value(model, *to));
                    format!("{}{name}: {from} -> {to}", prefix(*rebec))
                }
                Change::Variable { rebec, name, from: None, to } => {
                    format!("{}{name} = {}", prefix(*rebec), words::value(model, *to))
                }
                Change::Pop(..) => continue,
                Change::Push(rebec, message) => {
                    let message = words::message(model, *rebec, message);
                    format!("{}.queue: + {message}", model.rebec_name(*rebec))
                }
            };
            out.push(line);
        }
        out
    }

    /// The reason that a step has no successor, and its place.
    pub(super) fn stop(&self, stop: &Stop) -> String {
        match stop {
            Stop::Fault(fault) => self.fault(&describe_fault(self.model, &fault.kind), fault.span),
            Stop::Limit(limit) => self.paint.open(&describe_limit(self.model, limit)),
        }
    }
}
