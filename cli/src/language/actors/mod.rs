//! Rebeca: actors under the commands.

mod changes;
mod detect;
mod json;
mod rerun;
mod told;
mod topology;
pub(crate) mod words;

use checker::{Control, GroupNames, InternalError, Limit, Limits, Question, Reductions, Report, explore_graph};
use frontend::interpret::trace::{Start, Step, Trace};
use frontend::interpret::{Bounds, Stop, starts, successors};
use frontend::lower::lower_condition;
use frontend::model::print::{print, print_condition};
use frontend::model::spans::expression_without_spans;
use frontend::model::{Dialect, Expr, Formula, Model, Property, PropertyKind, PropertySet, Role};
use frontend::source::{Source, Span};
use ltl::Automaton;
use num_bigint::BigUint;
use serde_json::Value as Json;
use slicing::reduce::Abstracted;
use symmetry::{ChannelDiagram, Detector, KnownRebec, ScalarSets, Strategy, ValidatedGroup};

use super::detection::{Detection, Undetected};
use super::{Language, MOST_STARTS, Mismatch, Stopped, TraceStyle};
use crate::commands::state_space::StateSpace;
use crate::outcome::Failure;
use crate::pipeline::{Plan, Reading};
use crate::render::export::coloured::Coloured;
use crate::render::export::graph::Topology;
use crate::sliced::{self, Sliced, Slicing};
use crate::trace_file::TraceFile;
use csp::actors::{ActorGraph, Actors, Switches};

impl Language for Model {
    const NAME: &'static str = "rebeca";
    const BUILT_IN: &'static [&'static str] = &["deadlock", "overflow", "assertion", "error"];
    const HAS_QUEUES: bool = true;
    const PROPOSITIONS: &'static str =
        "names of the property file's `define`, and conditions such as `rebec.variable == 1`";
    const DEADLOCK: &'static str = "no rebec has a message";

    type Properties = PropertySet;
    type Condition = Expr;
    type Start = Start;
    type Step = Step;
    type Trace = Trace;
    type Group = ValidatedGroup;

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

    fn has_processes(&self) -> bool {
        true
    }

    fn text(&self) -> String {
        print(self)
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
            (edge.from, format!("{}.{call}", self.rebec_name(edge.rebec)), edge.to)
        });
        Ok(StateSpace::new(explored.states(), explored.initial_states(), transitions))
    }

    fn group(&self, properties: &PropertySet, strategy: Strategy) -> Result<ValidatedGroup, String> {
        let candidates = match strategy {
            Strategy::KnownRebec => KnownRebec.candidates(self),
            Strategy::ScalarSet => ScalarSets.candidates(self),
            Strategy::Constraint => symmetry::detect::constraint(self, properties).candidates,
            Strategy::ChannelDiagram => ChannelDiagram.candidates(self),
        };
        Ok(ValidatedGroup::new(self, properties, candidates))
    }

    fn detect(&self, properties: &PropertySet, strategy: Strategy) -> Result<Detection, Undetected> {
        Ok(detect::detect(self, properties, strategy))
    }

    fn shape(group: &ValidatedGroup) -> (String, usize) {
        (group.group().name().to_string(), group.generators().len())
    }

    fn names(&self, group: &ValidatedGroup) -> GroupNames {
        detect::names(self, group)
    }

    fn coloured(&self, properties: &PropertySet) -> Option<Coloured> {
        let actors = Actors::new(self, properties).ok()?;
        let graph = ActorGraph::with(&actors, Switches::default());
        Coloured::new(&graph.graph, &|vertex| actors.vertex_name(graph.vertices[vertex]))
    }

    fn generators(group: &ValidatedGroup) -> String {
        format!("{:?}", group.group().generators())
    }

    fn order(group: &ValidatedGroup) -> BigUint {
        group.order()
    }

    fn slice(
        &self,
        question: &Question<PropertySet>,
        (slicing, replace): (Slicing, &Abstracted),
        control: &mut dyn Control,
    ) -> Result<Sliced<'_, Self>, Failure> {
        sliced::of_actors(self, question, (slicing, replace), control)
    }

    fn never_overflows(&self) -> bool {
        slicing::bounds::never_overflows(self)
    }

    fn split(properties: &PropertySet) -> (PropertySet, Vec<PropertySet>) {
        let (formulas, others): (Vec<_>, Vec<_>) =
            properties.properties.iter().cloned().partition(|property| matches!(property.kind, PropertyKind::Ltl(_)));
        let with = |list| PropertySet { definitions: properties.definitions.clone(), properties: list };
        (with(others), formulas.into_iter().map(|formula| with(vec![formula])).collect())
    }

    fn makes_rebecs(&self) -> bool {
        !self.creatable.is_empty()
    }

    fn unfair_quotient(&self, question: &Question, plan: Plan) -> Option<&'static str> {
        let Plan { partial_order, overflow_excluded, .. } = plan;
        let beside = Reductions::<ValidatedGroup> { partial_order, overflow_excluded, ..Reductions::default() };
        checker::unfair_quotient(self, question, plan.representative, &beside)
    }

    fn check(
        &self,
        question: &Question,
        reductions: Reductions<'_>,
        control: &mut dyn Control,
    ) -> Result<Report, InternalError> {
        checker::check_reduced(self, question, reductions, control)
    }

    fn declared(properties: &PropertySet) -> Vec<(&str, Span)> {
        properties.properties.iter().map(|property| (property.name.as_str(), property.span)).collect()
    }

    fn retain(properties: &mut PropertySet, wanted: &dyn Fn(&str) -> bool) {
        properties.properties.retain(|property| wanted(&property.name));
    }

    fn formulas(properties: &PropertySet) -> Vec<(&str, &Formula)> {
        let formulas = properties.properties.iter().filter_map(|property| match &property.kind {
            PropertyKind::Ltl(formula) => Some((property.name.as_str(), formula)),
            PropertyKind::Invariant(_) => None,
        });
        formulas.collect()
    }

    fn add(properties: &mut PropertySet, property: Property) {
        properties.properties.push(property);
    }

    fn conditions(&self, _: (&str, &Reading), properties: &PropertySet, wanted: &[&str]) -> Vec<Result<Expr, String>> {
        wanted.iter().map(|text| lower_condition(text, self, &properties.definitions)).collect()
    }

    fn condition_text(&self, properties: &PropertySet, condition: &Expr) -> String {
        let condition = expression_without_spans(condition);
        let mut definitions = properties.definitions.iter();
        let known = definitions.find(|definition| expression_without_spans(&definition.value) == condition);
        known.map_or_else(|| print_condition(self, &condition), |definition| definition.name.clone())
    }

    fn violating(formula: &Formula) -> Option<(Automaton, Vec<Expr>)> {
        checker::violating(formula)
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

    fn taken(trace: &Trace) -> usize {
        trace.steps.len()
    }

    fn stopped(trace: &Trace) -> Option<Stopped> {
        trace.stop().map(|(_, stop)| match stop {
            Stop::Fault(_) => Stopped::Fault,
            Stop::Limit(_) => Stopped::Limit,
        })
    }

    fn rerun(&self, told: &TraceFile, deadlock: bool) -> (Option<Trace>, Option<Mismatch>) {
        let bounds = Bounds { max_rebecs: u32::MAX, ..Bounds::default() };
        rerun::rerun(self, &bounds, told, deadlock)
    }

    fn file(&self, source: &Source, trace: &Trace) -> TraceFile {
        json::trace(self, source, trace)
    }

    fn last_state(&self, trace: &Trace) -> Option<Json> {
        trace.states().last().map(|state| words::state_json(self, state))
    }

    fn tell(style: &TraceStyle<'_, Model>, trace: &Trace) -> String {
        style.trace(trace)
    }

    fn tell_choice(style: &TraceStyle<'_, Model>, start: &Start) -> String {
        style.start_facts(start).join("   ")
    }

    fn tell_start(style: &TraceStyle<'_, Model>, trace: &Trace) -> String {
        match (&trace.start.result, style.full) {
            (Ok(state), false) => format!("  start\n{}", style.state(state)),
            _ => style.start(&trace.start),
        }
    }

    fn tell_state(style: &TraceStyle<'_, Model>, trace: &Trace) -> String {
        trace.states().last().map_or_else(String::new, |state| style.state(state))
    }

    fn tell_last(style: &TraceStyle<'_, Model>, trace: &Trace) -> String {
        let (number, Some(step)) = (trace.steps.len(), trace.steps.last()) else { return String::new() };
        let before = trace.state(number - 1).expect("a step starts at a state");
        style.step(number, 3, 0, before, step)
    }

    fn tell_steps(style: &TraceStyle<'_, Model>, steps: &[&Step]) -> Vec<String> {
        let names = steps.iter().map(|step| style.model.rebec_name(step.rebec).chars().count());
        let width = names.max().unwrap_or(0);
        steps.iter().map(|step| style.headline(step, width)).collect()
    }
}
