//! Rebeca: actors under the commands.

mod changes;
mod describe;
mod json;
mod rerun;
mod topology;
pub(crate) mod words;

use checker::{Graph, Limit, Limits, explore_graph};
use frontend::interpret::trace::{Start, Step, Trace};
use frontend::interpret::{Bounds, State, Stop, chosen, describe_fault, starts, successors};
use frontend::model::print::{print_condition, print_properties};
use frontend::model::{Dialect, Model, Property, PropertySet, Role};
use frontend::source::Source;
use serde_json::Value as Json;

use super::{Asked, MOST_STARTS, Presented, TraceStyle};
use crate::language::pictures::NamedGraph;
use crate::language::pictures::Topology;
use crate::language::state_space::{StateSpace, Transition};
use crate::trace_file::{FaultFile, StartFile, StepFile, TraceFile};
use csp::actors::{ActorGraph, Actors, Switches};
use json::TraceWriter;

impl Presented for Model {
    const BUILT_IN: &'static [&'static str] = &["deadlock", "overflow", "assertion", "error"];
    const PROPOSITIONS: &'static str =
        "names of the property file's `define`, and conditions such as `rebec.variable == 1`";
    const DEADLOCK: &'static str = "no rebec has a message";

    fn ends(&self) -> Option<&'static str> {
        Some("`End { name: condition; }` in the property file")
    }

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
        let limits = Limits { max_states: Some(max_states), ..Limits::default() };
        let Graph { states, initial, edges, complete, limit } = explore_graph(self, &Bounds::default(), &limits);
        if !complete {
            return Err(limit);
        }
        let transitions = edges.into_iter().map(|edge| {
            let state = &states[usize::try_from(edge.from).expect("states are in memory")];
            let message = state.rebec(edge.rebec).and_then(|rebec| rebec.queue.front());
            let call = message.map_or_else(String::new, |message| words::call(self, edge.rebec, message));
            Transition { from: edge.from, label: format!("{}.{call}", self.rebec_name(edge.rebec)), to: edge.to }
        });
        Ok(StateSpace::new(states.len() as u64, initial, transitions))
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

    fn steps(&self, state: &State) -> Vec<Step> {
        successors(self, &Bounds::default(), state)
    }

    fn chosen(&self, state: &State, choose: impl FnOnce(usize) -> usize) -> Option<Step> {
        chosen(self, &Bounds::default(), state, choose)
    }

    fn are_alike(a: &Step, b: &Step) -> bool {
        a.rebec == b.rebec && a.result == b.result
    }

    fn is_deadlock(&self, state: &State) -> bool {
        state.is_deadlock()
    }

    fn is_limited(trace: &Trace) -> bool {
        matches!(trace.stop(), Some((_, Stop::Limit(_))))
    }

    fn recorded_start(&self, recorded: &TraceFile) -> Result<Start, String> {
        rerun::start(self, recorded)
    }

    fn recorded_steps(&self, state: &State, recorded: &StepFile) -> Result<Vec<Step>, String> {
        rerun::steps(self, state, recorded)
    }

    fn fault(&self, step: &Step) -> Option<String> {
        match &step.result {
            Err(Stop::Fault(fault)) => Some(describe_fault(self, &fault.kind)),
            _ => None,
        }
    }

    /// Each property is printed by itself, so that its text is one line of the print.
    fn asked(&self, _: &Source, _: Option<&Source>, properties: &PropertySet) -> Asked {
        let text = |property: &Property| {
            let only = PropertySet { definitions: Vec::new(), properties: vec![property.clone()] };
            let printed = print_properties(self, &only);
            let line = printed.lines().find_map(|line| line.trim_start().strip_prefix(&format!("{}: ", property.name)));
            let text = line.unwrap_or_default().trim_end_matches(';').to_owned();
            (property.name.clone(), text)
        };
        let definitions = properties.definitions.iter();
        Asked {
            properties: properties.properties.iter().map(text).collect(),
            definitions: definitions.map(|one| (one.name.clone(), print_condition(self, &one.value))).collect(),
        }
    }

    fn start_json(&self, source: &Source, start: &Start) -> StartFile {
        TraceWriter { model: self, source }.start(start)
    }

    fn step_json(&self, source: &Source, before: &State, step: &Step) -> StepFile {
        TraceWriter { model: self, source }.step(before, step)
    }

    fn state_json(&self, state: &State) -> Json {
        words::state_json(self, state)
    }

    fn fault_json(&self, source: &Source, trace: &Trace) -> Option<FaultFile> {
        TraceWriter { model: self, source }.fault(trace)
    }

    fn choices_text(style: &TraceStyle<'_, Model>, start: &Start) -> String {
        style.start_facts(start).join("   ")
    }

    fn start_lines(style: &TraceStyle<'_, Model>, start: &Start) -> Vec<String> {
        style.start_lines(start)
    }

    fn name_width(&self, step: &Step) -> usize {
        self.rebec_name(step.rebec).chars().count()
    }

    fn step_text(style: &TraceStyle<'_, Model>, step: &Step, width: usize) -> String {
        style.headline(step, width)
    }

    fn step_lines(style: &TraceStyle<'_, Model>, before: &State, step: &Step) -> Vec<String> {
        style.step_lines(before, step)
    }

    fn state_lines(style: &TraceStyle<'_, Model>, state: &State) -> Vec<String> {
        style.state_lines(state)
    }
}
