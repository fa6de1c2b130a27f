//! Rebeca: actors under the commands.

mod changes;
mod describe;
mod json;
mod rerun;
mod topology;
pub(crate) mod words;

use checker::{Limit, Limits, explore_graph};
use frontend::interpret::trace::{Start, Step, Trace};
use frontend::interpret::{Bounds, Stop, chosen, starts, successors};
use frontend::model::{Dialect, Model, PropertySet, Role};
use frontend::source::Source;
use serde_json::Value as Json;

use super::{MOST_STARTS, Mismatch, Presented, Stopped, TraceStyle};
use crate::language::pictures::NamedGraph;
use crate::language::pictures::Topology;
use crate::language::state_space::{StateSpace, Transition};
use crate::trace_file::TraceFile;
use csp::actors::{ActorGraph, Actors, Switches};

impl Presented for Model {
    const BUILT_IN: &'static [&'static str] = &["deadlock", "overflow", "assertion", "error"];
    const PROPOSITIONS: &'static str =
        "names of the property file's `define`, and conditions such as `rebec.variable == 1`";
    const DEADLOCK: &'static str = "no rebec has a message";

    type Start = Start;
    type Step = Step;

    fn dialect(&self) -> Option<&'static str> {
        Some(match self.dialect {
            Dialect::Rebeca20 => "2.0",
            Dialect::Rebeca21 => "2.1",
        })
    }

    fn size(&self) -> (Option<usize>, usize) {
        let rebecs = self.instances.iter();
        let variables = rebecs.map(|instance| {
            words::elements(self, instance.class).iter().filter(|element| element.role == Role::State).count()
        });
        (Some(self.instances.len()), variables.sum())
    }

    fn topology(&self) -> Option<Topology> {
        Some(topology::topology(self))
    }

    fn state_space(&self, max_states: u64) -> Result<StateSpace, Option<Limit>> {
        let mut edges = Vec::new();
        let limits = Limits { max_states: Some(max_states), ..Limits::default() };
        let explored = explore_graph(self, &Bounds::default(), &limits, &mut (), &mut |edge| edges.push(edge));
        if !explored.is_complete() {
            return Err(explored.limit());
        }
        let mut from = None;
        let transitions = edges.into_iter().map(|edge| {
            let (_, state) = match from.take().filter(|(number, _)| *number == edge.from) {
                Some(known) => from.insert(known),
                None => from.insert((edge.from, explored.state(edge.from))),
            };
            let message = state.rebec(edge.rebec).and_then(|rebec| rebec.queue.front());
            let call = message.map_or_else(String::new, |message| words::call(self, edge.rebec, message));
            Transition { from: edge.from, label: format!("{}.{call}", self.rebec_name(edge.rebec)), to: edge.to }
        });
        Ok(StateSpace::new(explored.states(), explored.initial_states(), transitions))
    }

    fn coloured(&self, properties: &PropertySet) -> Option<NamedGraph> {
        let actors = Actors::new(self, properties).ok()?;
        let graph = ActorGraph::with(&actors, Switches::default());
        let names = graph.vertices.iter().map(|&vertex| actors.vertex_name(vertex)).collect();
        Some(NamedGraph { names, graph: graph.graph })
    }

    fn starts(&self) -> Vec<Start> {
        starts(self, &Bounds::default()).take(MOST_STARTS).collect()
    }

    fn random_start(&self, below: &mut dyn FnMut(usize) -> usize) -> Start {
        let mut starts = self.starts();
        let chosen = below(starts.len());
        starts.swap_remove(chosen)
    }

    fn begin(start: Start) -> Trace {
        Trace { start, steps: Vec::new(), cycle_from: None }
    }

    fn steps(&self, trace: &Trace) -> Vec<Step> {
        let state = trace.state(trace.steps.len());
        state.map_or_else(Vec::new, |state| successors(self, &Bounds::default(), state))
    }

    fn chosen(&self, trace: &Trace, choose: impl FnOnce(usize) -> usize) -> Option<Step> {
        chosen(self, &Bounds::default(), trace.state(trace.steps.len())?, choose)
    }

    fn are_alike(a: &Step, b: &Step) -> bool {
        a.rebec == b.rebec && a.result == b.result
    }

    fn fails(step: &Step) -> bool {
        step.result.is_err()
    }

    fn start_fails(start: &Start) -> bool {
        start.result.is_err()
    }

    fn take(trace: &mut Trace, step: Step) {
        trace.steps.push(step);
    }

    fn undo(trace: &mut Trace) -> bool {
        trace.steps.pop().is_some()
    }

    fn stopped(trace: &Trace) -> Option<Stopped> {
        trace.stop().map(|(_, stop)| match stop {
            Stop::Fault(_) => Stopped::Fault,
            Stop::Limit(_) => Stopped::Limit,
        })
    }

    fn rerun(&self, recorded: &TraceFile, deadlock: bool) -> (Option<Trace>, Option<Mismatch>) {
        let bounds = Bounds { max_rebecs: u32::MAX, ..Bounds::default() };
        rerun::rerun(self, &bounds, recorded, deadlock)
    }

    fn file(&self, source: &Source, trace: &Trace) -> TraceFile {
        json::trace(self, source, trace)
    }

    fn last_state(&self, trace: &Trace) -> Option<Json> {
        trace.states().last().map(|state| words::state_json(self, state))
    }

    fn describe(style: &TraceStyle<'_, Model>, trace: &Trace) -> String {
        style.trace(trace)
    }

    fn describe_choice(style: &TraceStyle<'_, Model>, start: &Start) -> String {
        style.start_facts(start).join("   ")
    }

    fn describe_start(style: &TraceStyle<'_, Model>, trace: &Trace) -> String {
        match (&trace.start.result, style.full) {
            (Ok(state), false) => format!("  start\n{}", style.state(state)),
            _ => style.start(&trace.start),
        }
    }

    fn describe_state(style: &TraceStyle<'_, Model>, trace: &Trace) -> String {
        trace.states().last().map_or_else(String::new, |state| style.state(state))
    }

    fn describe_last(style: &TraceStyle<'_, Model>, trace: &Trace) -> String {
        let (number, Some(step)) = (trace.steps.len(), trace.steps.last()) else { return String::new() };
        let before = trace.state(number - 1).expect("a step starts at a state");
        style.step(number, 3, 0, before, step)
    }

    fn describe_steps(style: &TraceStyle<'_, Model>, steps: &[&Step]) -> Vec<String> {
        let names = steps.iter().map(|step| style.model.rebec_name(step.rebec).chars().count());
        let width = names.max().unwrap_or(0);
        steps.iter().map(|step| style.headline(step, width)).collect()
    }
}
