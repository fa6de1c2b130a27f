//! A trace for people: numbered steps, below each its changes, at the end the fault and its place.

use std::fmt::Write;

use frontend::execution::Outcome;
use frontend::source::Span;
use pipeline::{State, Trace};

use super::{Presented, TraceStyle};
use crate::paint::{clean, place};

impl<L: Presented> TraceStyle<'_, L> {
    /// A whole trace.
    pub(crate) fn trace(&self, trace: &Trace<L>) -> String {
        format!("{}{}", self.start(&trace.start), self.trace_from(trace, 0))
    }

    /// The steps of a trace behind so many.
    pub(crate) fn trace_from(&self, trace: &Trace<L>, from: usize) -> String {
        assert!(from <= trace.steps.len(), "the trace has the state that it is shown from");
        let mut out = String::new();
        let width = trace.steps.len().to_string().len().max(3);
        let name_width = self.name_width(&trace.steps[from..]);
        for (index, (step, before)) in trace.steps.iter().zip(trace.states()).enumerate().skip(from) {
            if trace.cycle_from == Some(index) && trace.last_state().is_some() {
                let _ = writeln!(out, "  {}", self.paint.bold("from here the run repeats for ever:"));
            }
            let _ = writeln!(out, "  {:>width$}  {}", index + 1, L::step_text(self, step, name_width));
            out.push_str(&self.outcome(before, step));
        }
        let end = match trace.cycle_from {
            None => return out,
            Some(_) if trace.last_state().is_none() => "the run has ended: its last state repeats for ever".to_owned(),
            Some(index) if index == trace.steps.len() => format!("{}: this state repeats for ever", L::NO_STEP),
            Some(index) => format!("back to the state before step {}", index + 1),
        };
        let _ = writeln!(out, "  {}", self.paint.bold(&end));
        out
    }

    /// The start of a run: the choices, and the initial state where it is not the obvious one.
    fn start(&self, start: &L::Start) -> String {
        let lines = match start.state() {
            Some(state) if self.full => L::state_lines(self, state),
            _ => L::start_lines(self, start),
        };
        format!("  {}{}\n{}", self.paint.bold("start"), L::start_text(self, start), indented(lines))
    }

    /// The start of a run, with its state.
    pub(crate) fn whole_start(&self, start: &L::Start) -> String {
        TraceStyle { full: true, ..*self }.start(start)
    }

    /// The last step of a run.
    pub(crate) fn last_step(&self, trace: &Trace<L>) -> String {
        let Some((step, number)) = trace.steps.last().zip(trace.steps.len().checked_sub(1)) else {
            return String::new();
        };
        let before = trace.state(number).expect("a step starts at a state");
        format!("  {:>3}  {}\n{}", number + 1, L::step_text(self, step, 0), self.outcome(before, step))
    }

    /// The last state of a run.
    pub(crate) fn last_state(&self, trace: &Trace<L>) -> String {
        trace.states().last().map_or_else(String::new, |state| indented(L::state_lines(self, state)))
    }

    /// Steps, one line each, in columns.
    pub(crate) fn steps<'s>(&self, steps: impl Iterator<Item = &'s L::Step> + Clone) -> Vec<String>
    where
        L::Step: 's,
    {
        let width = self.name_width(steps.clone());
        steps.map(|step| L::step_text(self, step, width)).collect()
    }

    fn name_width<'s>(&self, steps: impl IntoIterator<Item = &'s L::Step>) -> usize
    where
        L::Step: 's,
    {
        steps.into_iter().map(|step| self.model.name_width(step)).max().unwrap_or(0)
    }

    fn outcome(&self, before: &State<L>, step: &L::Step) -> String {
        indented(match step.state() {
            Some(after) if self.full => L::state_lines(self, after),
            _ => L::step_lines(self, before, step),
        })
    }

    /// The message of a fault, with the place and the first line of the faulting text.
    pub(crate) fn fault(&self, message: &str, span: Span) -> String {
        let text = format!("{}: {}", self.paint.bad("fault"), clean(message));
        if span.is_none() {
            return text;
        }
        let line = self.source.slice(span).lines().next().unwrap_or("").trim_end();
        let shown: String = clean(line).chars().take(100).collect();
        format!(
            "{text}\n       at {}: {shown}",
            place(self.source.name_at(span.start), self.source.position(span.start))
        )
    }
}

fn indented(lines: Vec<String>) -> String {
    lines.into_iter().map(|line| format!("       {line}\n")).collect()
}
