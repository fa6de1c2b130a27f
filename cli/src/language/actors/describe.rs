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

use frontend::interpret::{Choice, Start, State, Step, Stop, describe_fault, describe_limit, trace::Trace};
use frontend::model::{Dialect, Model, RebecId};
use frontend::source::Span;

use super::changes::{self, Change};
use super::words;
use crate::language::TraceStyle;
use crate::paint::{clean, place};
use crate::trace_file::VALUE;

impl TraceStyle<'_, Model> {
    /// A whole trace.
    pub(crate) fn trace(&self, trace: &Trace) -> String {
        let mut out = self.start(&trace.start);
        let width = trace.steps.len().to_string().len().max(3);
        let named = trace.steps.iter().map(|step| self.model.rebec_name(step.rebec).chars().count()).max();
        for (index, step) in trace.steps.iter().enumerate() {
            if trace.cycle_from == Some(index) && trace.stop().is_none() {
                let _ = writeln!(out, "  {}", self.paint.bold("from here the run repeats for ever:"));
            }
            let before = trace.state(index).expect("a step starts at a state");
            out.push_str(&self.step(index + 1, width, named.unwrap_or(0), before, step));
        }
        match trace.cycle_from {
            Some(_) if trace.stop().is_some() => {
                let _ = writeln!(out, "  {}", self.paint.bold("the run has ended: its last state repeats for ever"));
            }
            Some(index) if index == trace.steps.len() => {
                let _ = writeln!(out, "  {}", self.paint.bold("no rebec has a message: this state repeats for ever"));
            }
            Some(index) => {
                let text = format!("back to the state before step {}", index + 1);
                let _ = writeln!(out, "  {}", self.paint.bold(&text));
            }
            None => {}
        }
        out
    }

    /// The choices before a run starts.
    pub(crate) fn start_facts(&self, start: &Start) -> Vec<String> {
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

    /// The start of a run: the choices, and the initial state where it is not the obvious one.
    pub(crate) fn start(&self, start: &Start) -> String {
        let (model, facts) = (self.model, self.start_facts(start));
        let mut out = format!("  {}", self.paint.bold("start"));
        if !facts.is_empty() {
            let _ = write!(out, "   {}", facts.join("   "));
        }
        out.push('\n');
        match &start.result {
            Ok(state) if self.full => out.push_str(&self.state(state)),
            Ok(state) if model.dialect == Dialect::Rebeca21 => {
                let blank = changes::blank(model, start.features.clone());
                out.push_str(&self.changes(&changes::between(model, &blank, state, None), None));
            }
            Ok(_) => {}
            Err((rebec, stop)) => {
                let body = format!("in the constructor of {}", model.rebec_name(*rebec));
                let _ = writeln!(out, "       {body}: {}", self.stop(stop));
            }
        }
        out
    }

    /// One step; `number` counts from 1 and is padded to `width`, the rebec's name to `named`.
    pub(crate) fn step(&self, number: usize, width: usize, named: usize, before: &State, step: &Step) -> String {
        let model = self.model;
        let mut out = format!("  {number:>width$}  {}", self.headline(step, named));
        out.push('\n');
        match &step.result {
            Ok(after) if self.full => out.push_str(&self.state(after)),
            Ok(after) => {
                let changes = changes::between(model, before, after, Some(step.rebec));
                out.push_str(&self.changes(&changes, Some(step.rebec)));
            }
            Err(stop) => {
                let _ = writeln!(out, "       {}", self.stop(stop));
            }
        }
        out
    }

    /// The rebec, its message, and its choices.
    pub(crate) fn headline(&self, step: &Step, named: usize) -> String {
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
    pub(crate) fn state(&self, state: &State) -> String {
        let model = self.model;
        let mut out = String::new();
        for id in state.identities() {
            let Some(rebec) = state.rebec(id) else { continue };
            limits::work(VALUE * (rebec.values.len() + rebec.queue.len()) as u64);
            let variables: Vec<String> = words::shown(model, id, rebec)
                .map(|(name, value)| format!("{name} = {}", words::value(model, value)))
                .collect();
            let messages: Vec<String> = rebec.queue.iter().map(|message| words::message(model, id, message)).collect();
            let _ = write!(out, "       {}:", model.rebec_name(id));
            if !variables.is_empty() {
                let _ = write!(out, " {}", variables.join(", "));
            }
            let queue = format!("[{}]", messages.join(", "));
            let _ = writeln!(out, "{}queue {queue}", if variables.is_empty() { " " } else { "; " });
        }
        out
    }

    /// Changes, one per line; those of `own` without its name, and without the message that it took.
    fn changes(&self, changes: &[Change], own: Option<RebecId>) -> String {
        let model = self.model;
        let prefix = |rebec: RebecId| match Some(rebec) == own {
            true => String::new(),
            false => format!("{}.", model.rebec_name(rebec)),
        };
        let mut out = String::new();
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
            let _ = writeln!(out, "       {line}");
        }
        out
    }

    /// The reason that a step has no successor, and its place.
    pub(crate) fn stop(&self, stop: &Stop) -> String {
        match stop {
            Stop::Fault(fault) => {
                let text = clean(&describe_fault(self.model, &fault.kind));
                format!("{}: {text}{}", self.paint.bad("fault"), self.at(fault.span))
            }
            Stop::Limit(limit) => self.paint.open(&describe_limit(self.model, limit)),
        }
    }

    /// The place and the first line of a span, on separate lines.
    fn at(&self, span: Span) -> String {
        if span.is_none() {
            return String::new();
        }
        let line = self.source.slice(span).lines().next().unwrap_or("").trim_end();
        let shown: String = clean(line).chars().take(100).collect();
        format!("\n       at {}: {shown}", place(&self.source.name, self.source.position(span.start)))
    }
}
