//! A trace of a model of Murphi for people: numbered steps, below each its changes, at the end the fault and its place.
//!
//! ```text
//!   start  "all idle"
//!      1  request(n=node_2)
//!           cache[node_2].state: I -> S
//! ```

use std::fmt::Write;

use frontend::murphi::interpret::{Cell, Fault, Step, cell_text, changes, parts};
use frontend::murphi::program::Program;
use frontend::murphi::trace::Trace;

use super::rule_of;
use crate::language::TraceStyle;
use crate::paint::{clean, place};
use crate::trace_file::VALUE;

impl TraceStyle<'_, Program> {
    /// A whole trace.
    pub(super) fn trace(&self, trace: &Trace) -> String {
        let mut out = self.start(&trace.start);
        let width = trace.steps.len().to_string().len().max(3);
        for (index, step) in trace.steps.iter().enumerate() {
            let before = trace.state(index).expect("a step starts at a state");
            if trace.cycle_from == Some(index) && trace.stop().is_none() {
                let _ = writeln!(out, "  {}", self.paint.bold("these steps repeat for ever:"));
            }
            out.push_str(&self.step(index + 1, width, before, step));
        }
        let end = match trace.cycle_from {
            None => return out,
            Some(_) if trace.stop().is_some() => "the run has ended: its last state repeats for ever".to_owned(),
            Some(index) if index == trace.steps.len() => "no rule is enabled: this state repeats for ever".to_owned(),
            Some(index) => format!("back to the state before step {}", index + 1),
        };
        let _ = writeln!(out, "  {}", self.paint.bold(&end));
        out
    }

    /// The start state by name, and the state that it makes.
    pub(super) fn start(&self, start: &Step) -> String {
        let mut out = format!("  {}  {}\n", self.paint.bold("start"), self.headline(start, true));
        match &start.result {
            Ok(state) => out.push_str(&self.state(state)),
            Err(fault) => {
                let _ = writeln!(out, "       {}", self.fault(fault));
            }
        }
        out
    }

    /// One step; `number` counts from 1 and is padded to `width`.
    pub(super) fn step(&self, number: usize, width: usize, before: &[Cell], step: &Step) -> String {
        limits::work(before.len() as u64);
        let mut out = format!("  {number:>width$}  {}\n", self.headline(step, false));
        match &step.result {
            Ok(after) if self.full => out.push_str(&self.state(after)),
            Ok(after) => {
                for change in changes(self.model, before, after) {
                    let _ = writeln!(out, "       {}: {} -> {}", change.name, change.before, change.after);
                }
            }
            Err(fault) => {
                let _ = writeln!(out, "       {}", self.fault(fault));
            }
        }
        out
    }

    /// The rule or start state with the values of its rulesets.
    pub(super) fn headline(&self, step: &Step, is_start: bool) -> String {
        let rule = rule_of(self.model, step, is_start);
        self.paint.bold(&clean(&self.model.label(rule, &step.values)))
    }

    /// A whole state, one line for each part that is defined.
    pub(super) fn state(&self, state: &[Cell]) -> String {
        limits::work(VALUE * state.len() as u64);
        let mut out = String::new();
        for (part, &cell) in parts(self.model).iter().zip(state).filter(|(_, cell)| cell.is_some()) {
            let _ = writeln!(out, "       {} = {}", part.name, cell_text(self.model, part, cell));
        }
        out
    }

    /// The message of a fault, with the place and the first line of the faulting text.
    fn fault(&self, fault: &Fault) -> String {
        let text = format!("{}: {}", self.paint.bad("fault"), clean(&fault.kind.text(&self.model.types)));
        if fault.span.is_none() {
            return text;
        }
        let line = self.source.slice(fault.span).lines().next().unwrap_or("").trim_end();
        let shown: String = clean(line).chars().take(100).collect();
        format!("{text}\n       at {}: {shown}", place(&self.source.name, self.source.position(fault.span.start)))
    }
}
