//! A trace of a process for people: numbered steps, below each its changes, at the end the fault and its place.
//!
//! ```text
//!   start
//!      1  request(i=2)
//!           pc[2]: idle -> waiting
//! ```

use std::fmt::Write;

use frontend::sequential::interpret::{SeqFault, SeqStep};
use frontend::sequential::trace::Trace;
use frontend::sequential::{Initial, Sequential, Variable};

use crate::language::TraceStyle;
use crate::paint::{clean, place};
use crate::trace_file::VALUE;

impl TraceStyle<'_, Sequential> {
    /// A whole trace.
    pub(super) fn trace(&self, trace: &Trace) -> String {
        let mut out = self.start(&trace.start);
        let width = trace.steps.len().to_string().len().max(3);
        for (index, step) in trace.steps.iter().enumerate() {
            if trace.cycle_from == Some(index) && trace.stop().is_none() {
                let _ = writeln!(out, "  {}", self.paint.bold("from here the run repeats for ever:"));
            }
            let before = trace.state(index).expect("a step starts at a state");
            out.push_str(&self.step(index + 1, width, before, step));
        }
        match trace.cycle_from {
            Some(_) if trace.stop().is_some() => {
                let _ = writeln!(out, "  {}", self.paint.bold("the run has ended: its last state repeats for ever"));
            }
            Some(index) if index == trace.steps.len() => {
                let _ = writeln!(out, "  {}", self.paint.bold("no summand is enabled: this state repeats for ever"));
            }
            Some(index) => {
                let text = format!("back to the state before step {}", index + 1);
                let _ = writeln!(out, "  {}", self.paint.bold(&text));
            }
            None => {}
        }
        out
    }

    /// The variables whose initial values were chosen.
    pub(super) fn chosen(&self, state: &[i32]) -> Vec<String> {
        let chosen = self.model.variables.iter().filter(|variable| variable.initial == Initial::Any);
        chosen.map(|variable| self.variable(variable, state)).collect()
    }

    fn start(&self, state: &[i32]) -> String {
        let mut out = format!("  {}\n", self.paint.bold("start"));
        if self.full {
            out.push_str(&self.state(state));
        } else {
            for line in self.chosen(state) {
                let _ = writeln!(out, "       {line}");
            }
        }
        out
    }

    /// One step; `number` counts from 1 and is padded to `width`.
    pub(super) fn step(&self, number: usize, width: usize, before: &[i32], step: &SeqStep) -> String {
        limits::work(before.len() as u64);
        let mut out = format!("  {number:>width$}  {}\n", self.headline(step));
        match &step.result {
            Ok(after) if self.full => out.push_str(&self.state(after)),
            Ok(after) => {
                for (element, (&from, &to)) in before.iter().zip(after).enumerate().filter(|(_, (from, to))| from != to)
                {
                    let value = |value| self.model.element_value(element, value);
                    let name = self.model.element_name(element);
                    let _ = writeln!(out, "       {name}: {} -> {}", value(from), value(to));
                }
            }
            Err(fault) => {
                let _ = writeln!(out, "       {}", self.fault(fault));
            }
        }
        out
    }

    /// The event with its arguments, or with the values of the summation variables.
    pub(super) fn headline(&self, step: &SeqStep) -> String {
        self.paint.bold(&self.model.step_label(step))
    }

    /// A whole state, one variable per line.
    pub(super) fn state(&self, state: &[i32]) -> String {
        limits::work(VALUE * state.len() as u64);
        let lines = self.model.variables.iter().map(|variable| format!("       {}\n", self.variable(variable, state)));
        lines.collect()
    }

    /// A variable with its values: `turn = 2`, `pc = [idle, waiting]`, `met = [0, 1; 1, 0]`.
    fn variable(&self, variable: &Variable, state: &[i32]) -> String {
        let model = self.model;
        let values = &state[variable.offset..][..model.len_of(variable)];
        let name = |&value: &i32| model.value_name(variable.sort, value);
        let Some(&last) = variable.indices.last() else { return format!("{} = {}", variable.name, name(&values[0])) };
        let row = |row: &[i32]| row.iter().map(name).collect::<Vec<String>>().join(", ");
        let rows: Vec<String> = values.chunks(model.domain(last).size()).map(row).collect();
        format!("{} = [{}]", variable.name, rows.join("; "))
    }

    /// The message of a fault, with the place and the first line of the faulting text.
    fn fault(&self, fault: &SeqFault) -> String {
        let text = format!("{}: {}", self.paint.bad("fault"), clean(&self.model.fault_text(&fault.kind)));
        if fault.span.is_none() {
            return text;
        }
        let line = self.source.slice(fault.span).lines().next().unwrap_or("").trim_end();
        let shown: String = clean(line).chars().take(100).collect();
        format!("{text}\n       at {}: {shown}", place(&self.source.name, self.source.position(fault.span.start)))
    }
}
