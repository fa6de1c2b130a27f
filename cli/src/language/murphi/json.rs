//! Traces of a model of Murphi as JSON: a value is an integer, a condition or the name of a member, and `null` where it is
//! undefined; a slot of a multiset is `true` where it is used.

use frontend::murphi::interpret::{Cell, Part, Step, cell_text, parts};
use frontend::murphi::program::{Class, Program};
use frontend::murphi::trace::Trace;
use frontend::source::Source;
use serde_json::{Map, Value as Json, json};

use super::rule_of;
use crate::trace_file::{
    ChangeFile, ChoiceFile, FaultFile, LocationFile, SHOWN_STATES, StartChoices, StartFile, StepFile, TraceFile, VALUE,
};

/// A trace.
pub(super) fn trace(program: &Program, source: &Source, trace: &Trace) -> TraceFile {
    let len = trace.steps.len();
    let parts = parts(program);
    let steps = trace.steps.iter().enumerate().map(|(index, taken)| {
        let before = trace.state(index).expect("a step starts at a state");
        let after = taken.result.as_ref().ok();
        let is_shown = index < SHOWN_STATES || index + SHOWN_STATES >= len;
        let rule = rule_of(program, taken, false);
        StepFile {
            rebec: None,
            event: rule.name.clone(),
            arguments: None,
            sender: None,
            choices: choices(program, taken, false),
            changes: after.map_or_else(Vec::new, |after| changes(program, &parts, before, after)),
            state: after.filter(|_| is_shown).map(|after| state(program, after)),
            location: LocationFile::of(source, rule.span),
        }
    });
    let start = rule_of(program, &trace.start, true);
    let start = StartFile {
        constructors: vec![StartChoices { rebec: start.name.clone(), choices: choices(program, &trace.start, true) }],
        state: trace.start.result.as_ref().ok().map(|start| state(program, start)),
        ..StartFile::default()
    };
    TraceFile { start, steps: steps.collect(), cycle_from: trace.cycle_from, fault: fault(program, source, trace) }
}

/// A state: each part with its value.
pub(super) fn state(program: &Program, state: &[Cell]) -> Json {
    limits::work(VALUE * state.len() as u64);
    let values = parts(program).into_iter().zip(state).map(|(part, &cell)| {
        let value = value(program, &part, cell);
        (part.name, value)
    });
    Json::Object(values.collect::<Map<_, _>>())
}

fn value(program: &Program, part: &Part, cell: Cell) -> Json {
    match (part.of, cell) {
        (None, cell) => json!(cell.is_some()),
        (Some(_), None) => Json::Null,
        (Some(of), Some(value)) => match program.types.class(of) {
            Class::Boolean => json!(value != 0),
            Class::Integer => json!(value),
            Class::Names | Class::Compound => json!(cell_text(program, part, cell)),
        },
    }
}

/// The rulesets and choices with their values.
pub(super) fn choices(program: &Program, step: &Step, is_start: bool) -> Vec<ChoiceFile> {
    let rule = rule_of(program, step, is_start);
    let choice = |(name, value): (&str, String)| ChoiceFile {
        name: Some(name.to_owned()),
        value: value.parse::<i32>().map_or_else(|_| json!(value), |value| json!(value)),
        option: None,
        line: None,
        column: None,
    };
    program.parameters(&rule.header, &rule.frame, &step.values).into_iter().map(choice).collect()
}

fn changes(program: &Program, parts: &[Part], before: &[Cell], after: &[Cell]) -> Vec<ChangeFile> {
    limits::work(before.len() as u64);
    let differ = parts.iter().zip(before.iter().zip(after)).filter(|(_, (from, to))| from != to);
    let change = |(part, (&from, &to)): (&Part, (&Cell, &Cell))| ChangeFile::Variable {
        rebec: None,
        variable: part.name.clone(),
        from: value(program, part, from),
        to: value(program, part, to),
    };
    differ.map(change).collect()
}

fn fault(program: &Program, source: &Source, trace: &Trace) -> Option<FaultFile> {
    let (step, fault) = trace.stop()?;
    let location = LocationFile::of(source, fault.span);
    Some(FaultFile {
        rebec: None,
        event: Some(rule_of(program, step, trace.steps.is_empty()).name.clone()),
        message: fault.kind.text(&program.types),
        line: location.map(|location| location.line),
        column: location.map(|location| location.column),
    })
}
