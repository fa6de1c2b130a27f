//! The sequential language: one process under the commands.

mod detect;
mod json;
mod rerun;
mod told;

use checker::sequential::explore_graph;
use checker::{Control, GroupNames, InternalError, Limit, Limits, Question, Reductions, Report};
use frontend::model::PropertyKind;
use frontend::sequential::interpret::{SeqStep, State, initial_states, successors};
use frontend::sequential::print::{print, print_expression};
use frontend::sequential::spans::expression_without_spans;
use frontend::sequential::trace::Trace;
use frontend::sequential::{Expr, Formula, Initial, Options, Property, Sequential, conditions};
use frontend::source::{Source, Span};
use ltl::Automaton;
use num_bigint::BigUint;
use serde_json::Value as Json;
use slicing::reduce::Abstracted;
use symmetry::Strategy;
use symmetry::sequential::ValidatedGroup;

use super::detection::{Detection, Undetected};
use super::{Language, MOST_STARTS, Mismatch, Stopped, TraceStyle};
use crate::commands::state_space::StateSpace;
use crate::outcome::Failure;
use crate::pipeline::{Plan, Reading};
use crate::render::export::coloured::Coloured;
use crate::render::export::graph::Topology;
use crate::sliced::{self, Sliced, Slicing};
use crate::trace_file::TraceFile;

impl Language for Sequential {
    const NAME: &'static str = "lpe";
    const BUILT_IN: &'static [&'static str] = &["deadlock", "error"];
    const HAS_QUEUES: bool = false;
    const PROPOSITIONS: &'static str = "names of `prop` lines, and conditions such as `pc[0] = req`";
    const DEADLOCK: &'static str = "no summand is enabled";

    type Properties = Vec<Property>;
    type Condition = Expr;
    type Start = State;
    type Step = SeqStep;
    type Trace = Trace;
    type Group = ValidatedGroup;

    fn dialect(&self) -> Option<&'static str> {
        None
    }

    fn size(&self) -> (Option<usize>, usize) {
        (self.fair.map(|sort| self.domain(sort).size()), self.state_len())
    }

    fn topology(&self) -> Option<Topology> {
        None
    }

    fn has_processes(&self) -> bool {
        self.fair.is_some()
    }

    fn text(&self) -> String {
        print(self)
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
        let transitions = edges.iter().zip(labels).map(|(edge, label)| (edge.from, label, edge.to));
        Ok(StateSpace::new(explored.states(), explored.initial_states(), transitions))
    }

    fn group(&self, properties: &Vec<Property>, strategy: Strategy) -> Result<ValidatedGroup, String> {
        if strategy != Strategy::Constraint {
            return Err(format!(
                "{strategy} reads the topology of Rebeca models, and the model is a sequential process"
            ));
        }
        let asked: Vec<&Property> = properties.iter().collect();
        let found = csp::detect_graph(self, &asked).map_err(|large| large.to_string())?;
        Ok(ValidatedGroup::with_moves(self, properties, found.generators, &found.moves))
    }

    fn detect(&self, properties: &Vec<Property>, strategy: Strategy) -> Result<Detection, Undetected> {
        detect::detect(self, properties, strategy)
    }

    fn shape(group: &ValidatedGroup) -> (String, usize) {
        (group.group().name().to_string(), group.generators().len())
    }

    fn names(&self, group: &ValidatedGroup) -> GroupNames {
        detect::names(self, group)
    }

    fn coloured(&self, properties: &Vec<Property>) -> Option<Coloured> {
        let asked: Vec<&Property> = properties.iter().collect();
        let found = csp::detect_graph(self, &asked).ok()?;
        let vertices = &found.graph.vertices;
        Coloured::new(&found.graph.graph, &|vertex| vertices[vertex].name(self, &found.csp))
    }

    fn generators(group: &ValidatedGroup) -> String {
        format!("{:?}", group.group().generators())
    }

    fn order(group: &ValidatedGroup) -> BigUint {
        group.order()
    }

    fn slice(
        &self,
        question: &Question<Vec<Property>>,
        (slicing, _): (Slicing, &Abstracted),
        _: &mut dyn Control,
    ) -> Result<Sliced<'_, Self>, Failure> {
        sliced::of_process(self, question, slicing)
    }

    fn never_overflows(&self) -> bool {
        true
    }

    fn split(properties: &Vec<Property>) -> (Vec<Property>, Vec<Vec<Property>>) {
        let (formulas, others): (Vec<_>, Vec<_>) =
            properties.iter().cloned().partition(|property| matches!(property.kind, PropertyKind::Ltl(_)));
        (others, formulas.into_iter().map(|formula| vec![formula]).collect())
    }

    fn unfair_quotient(&self, question: &Question<Vec<Property>>, plan: Plan) -> Option<&'static str> {
        checker::unfair_quotient_of_process(self, question, plan.representative)
    }

    fn check(
        &self,
        question: &Question<Vec<Property>>,
        reductions: Reductions<'_, ValidatedGroup>,
        control: &mut dyn Control,
    ) -> Result<Report<Trace>, InternalError> {
        checker::sequential::check_reduced(self, question, reductions, control)
    }

    fn declared(properties: &Vec<Property>) -> Vec<(&str, Span)> {
        properties.iter().map(|property| (property.name.as_str(), property.span)).collect()
    }

    fn retain(properties: &mut Vec<Property>, wanted: &dyn Fn(&str) -> bool) {
        properties.retain(|property| wanted(&property.name));
    }

    fn formulas(properties: &Vec<Property>) -> Vec<(&str, &Formula)> {
        let formulas = properties.iter().filter_map(|property| match &property.kind {
            PropertyKind::Ltl(formula) => Some((property.name.as_str(), formula)),
            PropertyKind::Invariant(_) => None,
        });
        formulas.collect()
    }

    fn add(properties: &mut Vec<Property>, property: Property) {
        properties.push(property);
    }

    fn conditions(
        &self,
        (text, reading): (&str, &Reading),
        _: &Vec<Property>,
        wanted: &[&str],
    ) -> Vec<Result<Expr, String>> {
        conditions(text, &Options { constants: reading.constants.clone() }, wanted)
    }

    fn condition_text(&self, _: &Vec<Property>, condition: &Expr) -> String {
        let condition = expression_without_spans(condition);
        let mut propositions = self.propositions.iter();
        let known = propositions.find(|proposition| expression_without_spans(&proposition.value) == condition);
        known.map_or_else(|| print_expression(self, &condition, &[]), |proposition| proposition.name.clone())
    }

    fn violating(formula: &Formula) -> Option<(Automaton, Vec<Expr>)> {
        checker::sequential::violating(formula)
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

    fn taken(trace: &Trace) -> usize {
        trace.steps.len()
    }

    fn stopped(trace: &Trace) -> Option<Stopped> {
        trace.stop().map(|_| Stopped::Fault)
    }

    fn rerun(&self, told: &TraceFile, deadlock: bool) -> (Option<Trace>, Option<Mismatch>) {
        rerun::rerun(self, told, deadlock)
    }

    fn file(&self, source: &Source, trace: &Trace) -> TraceFile {
        json::trace(self, source, trace)
    }

    fn last_state(&self, trace: &Trace) -> Option<Json> {
        trace.states().last().map(|state| json::state(self, state))
    }

    fn tell(style: &TraceStyle<'_, Sequential>, trace: &Trace) -> String {
        style.trace(trace)
    }

    fn tell_choice(style: &TraceStyle<'_, Sequential>, start: &State) -> String {
        style.chosen(start).join("   ")
    }

    fn tell_start(style: &TraceStyle<'_, Sequential>, trace: &Trace) -> String {
        format!("  start\n{}", style.state(&trace.start))
    }

    fn tell_state(style: &TraceStyle<'_, Sequential>, trace: &Trace) -> String {
        trace.states().last().map_or_else(String::new, |state| style.state(state))
    }

    fn tell_last(style: &TraceStyle<'_, Sequential>, trace: &Trace) -> String {
        let (number, Some(step)) = (trace.steps.len(), trace.steps.last()) else { return String::new() };
        let before = trace.state(number - 1).expect("a step starts at a state");
        style.step(number, 3, before, step)
    }

    fn tell_steps(style: &TraceStyle<'_, Sequential>, steps: &[&SeqStep]) -> Vec<String> {
        steps.iter().map(|step| style.headline(step)).collect()
    }
}
