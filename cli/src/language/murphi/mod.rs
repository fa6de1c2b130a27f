//! Murphi: a typed program under the commands.

mod describe;
mod json;
mod rerun;

use checker::murphi::explore_graph;
use checker::{Limit, Limits};
use frontend::murphi::interpret::{Fault, FaultKind, Step, starts, successors};
use frontend::murphi::program::{Claim, Program, Rule, RuleId};
use frontend::murphi::trace::Trace;
use frontend::source::{Source, Span};
use serde_json::Value as Json;

use super::{MOST_STARTS, Mismatch, Presented, Stopped, TraceStyle};
use crate::language::pictures::{NamedGraph, Topology};
use crate::language::state_space::{StateSpace, Transition};
use crate::trace_file::TraceFile;

/// The rule of a step behind a start, or the start state of a start.
fn rule_of<'p>(program: &'p Program, step: &Step, is_start: bool) -> &'p Rule {
    let rules = if is_start { &program.starts } else { &program.rules };
    &rules[step.rule.index()]
}

/// The starts, or one that says that there is none.
fn some_starts(program: &Program) -> Vec<Step> {
    let mut starts = starts(program);
    if starts.is_empty() {
        let fault = Fault { kind: FaultKind::NoStart, span: Span::NONE };
        starts.push(Step { rule: RuleId(0), values: Vec::new(), covers: Vec::new(), result: Err(fault) });
    }
    starts
}

impl Presented for Program {
    const BUILT_IN: &'static [&'static str] = &["deadlock", "assertion", "error"];
    const PROPOSITIONS: &'static str = "nothing yet";
    const DEADLOCK: &'static str = "no step leads to another state";

    type Start = Step;
    type Step = Step;

    fn dialect(&self) -> Option<&'static str> {
        None
    }

    fn size(&self) -> (Option<usize>, usize) {
        (None, self.cells())
    }

    fn topology(&self) -> Option<Topology> {
        None
    }

    fn state_space(&self, max_states: u64) -> Result<StateSpace, Option<Limit>> {
        let graph = explore_graph(self, &Limits { max_states: Some(max_states), ..Limits::default() })?;
        // The transitions of a state are its steps with a successor, in the same order.
        let labelled = (0u64..).zip(graph.states.iter().zip(&graph.targets)).flat_map(|(from, (state, targets))| {
            let steps = successors(self, state).into_iter().filter(|step| step.result.is_ok());
            let labels = steps.map(|step| self.label(self.rule(step.rule), &step.values));
            labels
                .zip(targets)
                .map(move |(label, &to)| Transition { from, label, to: u64::from(to) })
                .collect::<Vec<_>>()
        });
        Ok(StateSpace::new(graph.states.len() as u64, graph.initial, labelled))
    }

    fn coloured(&self, _: &Vec<Claim>) -> Option<NamedGraph> {
        None
    }

    fn starts(&self) -> Vec<Step> {
        let mut starts = some_starts(self);
        starts.truncate(MOST_STARTS);
        starts
    }

    fn random_start(&self, below: &mut dyn FnMut(usize) -> usize) -> Step {
        let mut starts = some_starts(self);
        let chosen = below(starts.len());
        starts.swap_remove(chosen)
    }

    fn begin(start: Step) -> Trace {
        Trace::new(start)
    }

    fn steps(&self, trace: &Trace) -> Vec<Step> {
        trace.state(trace.steps.len()).map_or_else(Vec::new, |state| successors(self, state))
    }

    fn chosen(&self, trace: &Trace, choose: impl FnOnce(usize) -> usize) -> Option<Step> {
        let mut steps = self.steps(trace);
        if steps.is_empty() {
            return None;
        }
        let chosen = choose(steps.len());
        Some(steps.swap_remove(chosen))
    }

    fn are_alike(a: &Step, b: &Step) -> bool {
        a == b
    }

    fn fails(step: &Step) -> bool {
        step.result.is_err()
    }

    fn start_fails(start: &Step) -> bool {
        start.result.is_err()
    }

    fn take(trace: &mut Trace, step: Step) {
        trace.steps.push(step);
    }

    fn undo(trace: &mut Trace) -> bool {
        trace.steps.pop().is_some()
    }

    fn stopped(trace: &Trace) -> Option<Stopped> {
        trace.stop().map(|_| Stopped::Fault)
    }

    fn rerun(&self, recorded: &TraceFile, deadlock: bool) -> (Option<Trace>, Option<Mismatch>) {
        rerun::rerun(self, recorded, deadlock)
    }

    fn file(&self, source: &Source, trace: &Trace) -> TraceFile {
        json::trace(self, source, trace)
    }

    fn last_state(&self, trace: &Trace) -> Option<Json> {
        trace.states().last().map(|state| json::state(self, state))
    }

    fn describe(style: &TraceStyle<'_, Program>, trace: &Trace) -> String {
        style.trace(trace)
    }

    fn describe_choice(style: &TraceStyle<'_, Program>, start: &Step) -> String {
        style.headline(start, true)
    }

    fn describe_start(style: &TraceStyle<'_, Program>, trace: &Trace) -> String {
        style.start(&trace.start)
    }

    fn describe_state(style: &TraceStyle<'_, Program>, trace: &Trace) -> String {
        trace.states().last().map_or_else(String::new, |state| style.state(state))
    }

    fn describe_last(style: &TraceStyle<'_, Program>, trace: &Trace) -> String {
        let (number, Some(step)) = (trace.steps.len(), trace.steps.last()) else { return String::new() };
        let before = trace.state(number - 1).expect("a step starts at a state");
        style.step(number, 3, before, step)
    }

    fn describe_steps(style: &TraceStyle<'_, Program>, steps: &[&Step]) -> Vec<String> {
        steps.iter().map(|step| style.headline(step, false)).collect()
    }
}
