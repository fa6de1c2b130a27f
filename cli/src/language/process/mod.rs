//! The sequential language: one process under the commands.

mod describe;
mod json;
mod rerun;

use checker::sequential::explore_graph;
use checker::{Limit, Limits};
use frontend::sequential::interpret::{SeqStep, State, chosen, initial_states, successors};
use frontend::sequential::trace::Trace;
use frontend::sequential::{Initial, Property, Sequential};
use frontend::source::Source;
use pipeline::Language;
use serde_json::Value as Json;
use symmetry::Strategy;

use super::{MOST_STARTS, Mismatch, Presented, Stopped, TraceStyle};
use crate::language::pictures::NamedGraph;
use crate::language::pictures::Topology;
use crate::language::state_space::{StateSpace, Transition};
use crate::trace_file::TraceFile;

impl Presented for Sequential {
    const BUILT_IN: &'static [&'static str] = &["deadlock", "error"];
    const PROPOSITIONS: &'static str = "names of `prop` lines, and conditions such as `pc[0] = req`";
    const DEADLOCK: &'static str = "no summand is enabled";

    type Start = State;
    type Step = SeqStep;

    fn dialect(&self) -> Option<&'static str> {
        None
    }

    fn size(&self) -> (Option<usize>, usize) {
        (self.fair.map(|sort| self.domain(sort).size()), self.state_len())
    }

    fn topology(&self) -> Option<Topology> {
        None
    }

    fn state_space(&self, max_states: u64) -> Result<StateSpace, Option<Limit>> {
        let mut edges = Vec::new();
        let limits = Limits { max_states: Some(max_states), ..Limits::default() };
        let explored = explore_graph(self, &limits, &mut (), &mut |edge| edges.push(edge));
        if !explored.is_complete() {
            return Err(explored.limit());
        }
        // The transitions of a state are its steps with a successor, in the same order.
        let labels = (0..explored.states()).flat_map(|number| {
            let steps = successors(self, &explored.state(number));
            steps.into_iter().filter(|step| step.result.is_ok()).map(|step| self.step_label(&step))
        });
        let transitions =
            edges.iter().zip(labels).map(|(edge, label)| Transition { from: edge.from, label, to: edge.to });
        Ok(StateSpace::new(explored.states(), explored.initial_states(), transitions))
    }

    fn coloured(&self, properties: &Vec<Property>) -> Option<NamedGraph> {
        let csp = self.constraints(properties, Strategy::Constraint).ok()?;
        let graph = self.coloured_graph(&csp);
        let names = graph.vertices.iter().map(|vertex| vertex.name(self, &csp)).collect();
        Some(NamedGraph { names, graph: graph.graph })
    }

    fn starts(&self) -> Vec<State> {
        initial_states(self).take(MOST_STARTS).collect()
    }

    fn random_start(&self, below: &mut dyn FnMut(usize) -> usize) -> State {
        let mut state = State::with_capacity(self.state_len());
        for variable in &self.variables {
            match &variable.initial {
                Initial::Values(values) => state.extend(values),
                Initial::Any => {
                    let domain = self.domain(variable.sort);
                    let value = |_| domain.bounds().0 + i32::try_from(below(domain.size())).expect("sorts are bounded");
                    state.extend((0..self.len_of(variable)).map(value));
                }
            }
        }
        state
    }

    fn begin(start: State) -> Trace {
        Trace::new(start)
    }

    fn steps(&self, trace: &Trace) -> Vec<SeqStep> {
        trace.state(trace.steps.len()).map_or_else(Vec::new, |state| successors(self, state))
    }

    fn chosen(&self, trace: &Trace, choose: impl FnOnce(usize) -> usize) -> Option<SeqStep> {
        chosen(self, trace.state(trace.steps.len())?, choose)
    }

    fn are_alike(a: &SeqStep, b: &SeqStep) -> bool {
        a == b
    }

    fn fails(step: &SeqStep) -> bool {
        step.result.is_err()
    }

    fn start_fails(_: &State) -> bool {
        false
    }

    fn take(trace: &mut Trace, step: SeqStep) {
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

    fn describe(style: &TraceStyle<'_, Sequential>, trace: &Trace) -> String {
        style.trace(trace)
    }

    fn describe_choice(style: &TraceStyle<'_, Sequential>, start: &State) -> String {
        style.chosen(start).join("   ")
    }

    fn describe_start(style: &TraceStyle<'_, Sequential>, trace: &Trace) -> String {
        format!("  start\n{}", style.state(&trace.start))
    }

    fn describe_state(style: &TraceStyle<'_, Sequential>, trace: &Trace) -> String {
        trace.states().last().map_or_else(String::new, |state| style.state(state))
    }

    fn describe_last(style: &TraceStyle<'_, Sequential>, trace: &Trace) -> String {
        let (number, Some(step)) = (trace.steps.len(), trace.steps.last()) else { return String::new() };
        let before = trace.state(number - 1).expect("a step starts at a state");
        style.step(number, 3, before, step)
    }

    fn describe_steps(style: &TraceStyle<'_, Sequential>, steps: &[&SeqStep]) -> Vec<String> {
        steps.iter().map(|step| style.headline(step)).collect()
    }
}
