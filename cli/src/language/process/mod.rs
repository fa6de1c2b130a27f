//! The sequential language: one process under the commands.

use checker::sequential::explore_graph;
use checker::{Limit, Limits};
use frontend::sequential::interpret::{SeqFault, SeqStep, State, chosen, initial_states, is_initial, successors};
use frontend::sequential::print::{print_expression, print_formula};
use frontend::sequential::trace::Trace;
use frontend::sequential::{
    Expr, Initial, Origin, Parameter, Property, PropertyKind, Sequential, SortId, Typing, ValueKind, Values, Variable,
};
use frontend::source::Source;
use pipeline::Language;
use serde_json::{Map, Value as Json, json};
use symmetry::Strategy;

use super::rerun::same_choices;
use super::{Asked, MOST_STARTS, Presented, TraceStyle};
use crate::language::pictures::NamedGraph;
use crate::language::state_space::StateSpace;
use crate::trace_file::{ChangeFile, ChoiceFile, FaultFile, LocationFile, StartFile, StepFile, TraceFile, VALUE};

/// A number, or the name of a value of an enumeration.
fn of_kind(model: &Sequential, kind: ValueKind, value: i32) -> Json {
    match kind {
        ValueKind::Integer => json!(value),
        ValueKind::Member(_) => json!(model.kind_value_name(kind, value)),
    }
}

fn of_sort(model: &Sequential, sort: SortId, value: i32) -> Json {
    of_kind(model, model.kind_of(sort), value)
}

fn element_json(model: &Sequential, element: usize, value: i32) -> Json {
    of_sort(model, model.variable(model.element(element).0).sort, value)
}

/// The summation variables with their values.
fn choices_json(model: &Sequential, step: &SeqStep) -> Vec<ChoiceFile> {
    let parameters = model.summand(step.summand).parameters.iter().zip(&step.parameters);
    let choice = |(parameter, &value): (&Parameter, &i32)| ChoiceFile {
        name: Some(parameter.name.clone()),
        value: of_sort(model, parameter.sort, value),
        option: None,
        line: None,
        column: None,
    };
    parameters.map(choice).collect()
}

/// The arguments of the event; none if the guard or one of them faults.
fn arguments_json(model: &Sequential, step: &SeqStep) -> Vec<Json> {
    let summand = model.summand(step.summand);
    let has_all = step.arguments.len() == summand.arguments.len();
    assert!(
        has_all || step.arguments.is_empty() && step.result.is_err(),
        "a step has its arguments, unless one faults"
    );
    let kind = |argument: &Expr| {
        let sorts = summand.parameters.iter().map(|parameter| parameter.sort).collect();
        Typing::new(model, sorts).values(argument).map_or(ValueKind::Integer, Values::kind)
    };
    let arguments = summand.arguments.iter().zip(&step.arguments);
    arguments.map(|(argument, &value)| of_kind(model, kind(argument), value)).collect()
}

/// The processes that move by a step: those of weak fairness, those that a transition of DVE names, or the value by which a summand
/// chooses among elements of variables; none in a net.
fn movers(model: &Sequential, step: &SeqStep) -> Vec<String> {
    let named = |sort: SortId, value: i32| match model.kind_of(sort) {
        ValueKind::Integer => format!("{} {value}", model.sort(sort).name),
        ValueKind::Member(_) => model.value_name(sort, value),
    };
    if let Some(sort) = model.fair {
        let value = |process: u32| model.first_process().wrapping_add(process.cast_signed());
        return model.movers(step).into_iter().map(|process| named(sort, value(process))).collect();
    }
    if model.has_processes() {
        return model.movers(step).into_iter().map(|process| model.process_name(process)).collect();
    }
    let summand = model.summand(step.summand);
    match model.origin {
        Origin::Promela | Origin::Pnml => Vec::new(),
        Origin::Dve => {
            let parts = model.event_name(step).split(", ").filter_map(|part| part.split_once(": "));
            parts.filter(|(_, rest)| rest.contains(" -> ")).map(|(process, _)| process.to_owned()).collect()
        }
        Origin::Lpe => {
            let is_index = |sort: SortId| model.variables.iter().any(|variable| variable.indices.contains(&sort));
            let chosen = summand.parameters.iter().zip(&step.parameters);
            let first = chosen.map(|(parameter, &value)| (parameter.sort, value)).find(|&(sort, _)| is_index(sort));
            first.map(|(sort, value)| named(sort, value)).into_iter().collect()
        }
    }
}

/// A variable with its values: `turn = 2`, `pc = [idle, waiting]`, `met = [0, 1; 1, 0]`.
fn variable_text(model: &Sequential, variable: &Variable, state: &[i32]) -> String {
    let values = &state[variable.offset..][..model.len_of(variable)];
    let name = |&value: &i32| model.value_name(variable.sort, value);
    let Some(&last) = variable.indices.last() else { return format!("{} = {}", variable.name, name(&values[0])) };
    let row = |row: &[i32]| row.iter().map(name).collect::<Vec<String>>().join(", ");
    let rows: Vec<String> = values.chunks(model.domain(last).size()).map(row).collect();
    format!("{} = [{}]", variable.name, rows.join("; "))
}

impl Presented for Sequential {
    const BUILT_IN: &'static [&'static str] = &["deadlock", "error"];
    const PROPOSITIONS: &'static str = "names of `prop` lines, and conditions such as `pc[0] = req`";
    const DEADLOCK: &'static str = "no step is possible";

    fn ends(&self) -> Option<&'static str> {
        Some(match self.origin {
            Origin::Lpe => "`ends condition;` in the model",
            Origin::Dve => "`ends: condition` in the property file",
            Origin::Pnml => return None,
            Origin::Promela => "a label that begins with `end`",
        })
    }

    fn size(&self) -> (Option<usize>, usize) {
        (self.fair.map(|sort| self.domain(sort).size()), self.state_len())
    }

    fn state_space(&self, max_states: u64) -> Result<StateSpace, Option<Limit>> {
        let graph = explore_graph(self, &Limits { max_states: Some(max_states), ..Limits::default() });
        StateSpace::labelled(graph, |state| {
            let steps = successors(self, state).into_iter().filter(|step| step.result.is_ok());
            steps.map(|step| self.step_label(&step)).collect()
        })
    }

    fn coloured(&self, properties: &Vec<Property>) -> Option<NamedGraph> {
        let csp = self.constraints(properties, Strategy::Constraint, None).ok()?;
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

    fn steps(&self, state: &State) -> Vec<SeqStep> {
        successors(self, state)
    }

    fn chosen(&self, state: &State, choose: impl FnOnce(usize) -> usize) -> Option<SeqStep> {
        chosen(self, state, choose)
    }

    fn are_alike(a: &SeqStep, b: &SeqStep) -> bool {
        a == b
    }

    /// Without a recorded initial state the first one of the process is taken.
    fn recorded_start(&self, recorded: &TraceFile) -> Result<State, String> {
        let first = initial_states(self).next().ok_or("the process has no initial state")?;
        let Some(recorded) = &recorded.start.state else { return Ok(first) };
        let elements = recorded.as_object().ok_or("the state is not an object")?;
        let mut state = State::with_capacity(first.len());
        for at in 0..first.len() {
            let name = self.element_name(at);
            let value = elements.get(&name).ok_or_else(|| format!("the state has no `{name}`"))?;
            let sort = self.variable(self.element(at).0).sort;
            let value = match value {
                Json::String(word) => self.domain(sort).values().find(|&value| self.value_name(sort, value) == *word),
                number => number.as_i64().and_then(|number| i32::try_from(number).ok()),
            };
            state.push(value.ok_or_else(|| format!("`{name}` has no such value"))?);
        }
        if elements.len() != first.len() {
            return Err("the state has elements that the process does not have".to_owned());
        }
        if is_initial(self, &state) { Ok(state) } else { Err("the process does not start in this state".to_owned()) }
    }

    fn recorded_steps(&self, state: &State, recorded: &StepFile) -> Result<Vec<SeqStep>, String> {
        let mut steps = successors(self, state);
        steps.retain(|step| {
            self.event_name(step) == recorded.event
                && recorded.arguments.as_ref().is_none_or(|recorded| *recorded == arguments_json(self, step))
                && same_choices(&recorded.choices, &choices_json(self, step))
        });
        let missing = || format!("`{}` is not enabled with these arguments and choices", recorded.event);
        if steps.is_empty() { Err(missing()) } else { Ok(steps) }
    }

    fn fault(&self, step: &SeqStep) -> Option<String> {
        step.result.as_ref().err().map(|fault| self.fault_text(&fault.kind))
    }

    fn start_json(&self, _: &Source, start: &State) -> StartFile {
        StartFile { state: Some(self.state_json(start)), ..StartFile::default() }
    }

    fn step_json(&self, source: &Source, before: &State, step: &SeqStep) -> StepFile {
        limits::work(before.len() as u64);
        let after = step.result.as_ref().unwrap_or(before);
        let differ = before.iter().zip(after).enumerate().filter(|(_, (from, to))| from != to);
        let change = |(at, (&from, &to)): (usize, (&i32, &i32))| ChangeFile::Variable {
            rebec: None,
            variable: self.element_name(at),
            from: element_json(self, at, from),
            to: element_json(self, at, to),
        };
        StepFile {
            processes: movers(self, step),
            event: self.event_name(step).to_owned(),
            arguments: Some(arguments_json(self, step)),
            choices: choices_json(self, step),
            changes: differ.map(change).collect(),
            location: LocationFile::of(source, self.summand(step.summand).span),
            ..StepFile::default()
        }
    }

    fn asked(&self, _: &Source, _: Option<&Source>, properties: &Vec<Property>) -> Asked {
        let text = |property: &Property| match &property.kind {
            PropertyKind::Invariant(condition) | PropertyKind::End(condition) => print_expression(self, condition, &[]),
            PropertyKind::Ltl(formula) => print_formula(self, formula),
        };
        let definitions = self.propositions.iter();
        Asked {
            properties: properties.iter().map(|property| (property.name.clone(), text(property))).collect(),
            definitions: definitions.map(|one| (one.name.clone(), print_expression(self, &one.value, &[]))).collect(),
        }
    }

    fn state_json(&self, state: &State) -> Json {
        assert_eq!(state.len(), self.state_len(), "a state has every element");
        limits::work(VALUE * state.len() as u64);
        let elements = state.iter().enumerate();
        let elements = elements.map(|(at, &value)| (self.element_name(at), element_json(self, at, value)));
        Json::Object(elements.collect::<Map<_, _>>())
    }

    fn fault_json(&self, source: &Source, trace: &Trace) -> Option<FaultFile> {
        let (step, fault) = trace.stop()?;
        let event = self.event_name(step).to_owned();
        Some(FaultFile::new(source, None, Some(event), self.fault_text(&fault.kind), fault.span))
    }

    fn choices_text(style: &TraceStyle<'_, Sequential>, start: &State) -> String {
        Self::start_lines(style, start).join("   ")
    }

    fn start_text(_: &TraceStyle<'_, Sequential>, _: &State) -> String {
        String::new()
    }

    /// The variables whose initial values were chosen.
    fn start_lines(style: &TraceStyle<'_, Sequential>, start: &State) -> Vec<String> {
        let chosen = style.model.variables.iter().filter(|variable| variable.initial == Initial::Any);
        chosen.map(|variable| variable_text(style.model, variable, start)).collect()
    }

    /// The event with its arguments, or with the values of the summation variables.
    fn step_text(style: &TraceStyle<'_, Sequential>, step: &SeqStep, _: usize) -> String {
        style.paint.bold(&style.model.step_label(step))
    }

    fn step_lines(style: &TraceStyle<'_, Sequential>, before: &State, step: &SeqStep) -> Vec<String> {
        limits::work(before.len() as u64);
        let model = style.model;
        let fault = |fault: &SeqFault| vec![style.fault(&model.fault_text(&fault.kind), fault.span)];
        let changes = |after: &State| {
            let differ = before.iter().zip(after).enumerate().filter(|(_, (from, to))| from != to);
            let value = |element, value| model.element_value(element, value);
            let change = |(at, (&from, &to)): (usize, (&i32, &i32))| {
                format!("{}: {} -> {}", model.element_name(at), value(at, from), value(at, to))
            };
            differ.map(change).collect()
        };
        step.result.as_ref().map_or_else(fault, changes)
    }

    fn state_lines(style: &TraceStyle<'_, Sequential>, state: &State) -> Vec<String> {
        limits::work(VALUE * state.len() as u64);
        style.model.variables.iter().map(|variable| variable_text(style.model, variable, state)).collect()
    }
}
