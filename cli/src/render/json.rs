//! The report of `check` as JSON. The names of fields are a contract: fields may be added, never renamed.
//!
//! Only `seconds` and `peak_memory_bytes` differ between two runs of the same version with the same options. Times and
//! the value of the limit `time` are in seconds, sizes in bytes.

use checker::{Answer, AskedKind, Limit, LimitKind};
use frontend::diagnostics::Severity;
use frontend::interpret::trace::{Choice, Start, Step, Trace};
use frontend::interpret::{Stop, describe_fault, describe_limit};
use frontend::model::{Dialect, Model, RebecId};
use frontend::source::{Source, Span};
use serde_json::{Value as Json, json};

use super::{changes, human, words};
use crate::args::{CheckArgs, Search};
use crate::commands::check::Checked;
use crate::console::{Console, Remark};
use crate::pipeline::Loaded;
use crate::trace_file::{
    ChoiceFile, FaultFile, LocationFile, StartArgument, StartChoices, StartFile, StepFile, TraceFile,
};

/// The version of the contract.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// The report of `check`.
pub(crate) fn report(checked: &Checked, args: &CheckArgs, console: &Console) -> String {
    let Checked { loaded, report, .. } = checked;
    let properties: Vec<Json> = report.answers.iter().map(|answer| property(loaded, answer)).collect();
    pretty(&json!({
        "schema_version": SCHEMA_VERSION,
        "command": "check",
        "model": model(loaded, &args.model.reading.constants),
        "verdict": human::word(report.verdict),
        "complete": report.complete,
        "exact": report.exact,
        "properties": properties,
        "not_asked": human::not_asked(checked),
        "states": report.states,
        "transitions": report.transitions,
        "depth": report.depth,
        "deadlock_states": report.deadlock_states,
        "reductions": [],
        "group": null,
        "limit": report.limit.map(limit),
        "search": match args.search.search { Search::Bfs => "bfs", Search::Dfs => "dfs" },
        "threads": 1,
        "notices": console.remarks().iter().map(remark).collect::<Vec<Json>>(),
        "seconds": report.seconds,
        "peak_memory_bytes": checked.peak_memory,
    }))
}

/// JSON with indentation and a line end.
pub(crate) fn pretty(value: &Json) -> String {
    format!("{value:#}\n")
}

/// The model and what the command line fixed about it.
pub(crate) fn model(loaded: &Loaded, constants: &[(String, i64)]) -> Json {
    let constants: serde_json::Map<String, Json> =
        constants.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "path": loaded.path.to_string_lossy(),
        "language": "rebeca",
        "dialect": dialect(loaded.model.dialect),
        "constants": constants,
    })
}

/// A dialect as `--core` takes it.
fn dialect(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Rebeca20 => "2.0",
        Dialect::Rebeca21 => "2.1",
    }
}

fn property(loaded: &Loaded, answer: &Answer) -> Json {
    let kind = match answer.kind {
        AskedKind::Deadlock => "deadlock",
        AskedKind::Overflow => "overflow",
        AskedKind::Assertion => "assertion",
        AskedKind::Error => "error",
        AskedKind::Invariant => "invariant",
        AskedKind::Ltl => "ltl",
    };
    json!({
        "name": answer.name,
        "kind": kind,
        "verdict": human::word(answer.verdict),
        "message": answer.message,
        "trace": answer.trace.as_ref().map(|found| trace(&loaded.model, &loaded.source, found)),
    })
}

fn limit(limit: Limit) -> Json {
    let kind = match limit.kind {
        LimitKind::States => "states",
        LimitKind::Depth => "depth",
        LimitKind::Memory => "memory",
        LimitKind::Time => "time",
        LimitKind::Rebecs => "rebecs",
        LimitKind::Work => "work",
        LimitKind::Interrupt => "interrupt",
    };
    let value = match limit.kind {
        LimitKind::Time if limit.value.is_multiple_of(1000) => json!(limit.value / 1000),
        #[expect(clippy::cast_precision_loss)]
        LimitKind::Time => json!(limit.value as f64 / 1000.0),
        _ => json!(limit.value),
    };
    json!({ "kind": kind, "value": value })
}

fn remark(remark: &Remark) -> Json {
    let severity = match remark.diagnostic.severity {
        Severity::Notice => "notice",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    json!({
        "severity": severity,
        "code": remark.diagnostic.code.as_str(),
        "message": remark.diagnostic.message,
        "line": remark.position.map(|position| position.line),
        "column": remark.position.map(|position| position.column),
    })
}

/// How many steps at each end of a trace carry their whole state: of a longer trace the states between are left out, which
/// their changes give.
const TOLD_STATES: usize = 1_000;

/// A trace.
pub(crate) fn trace(model: &Model, source: &Source, trace: &Trace) -> TraceFile {
    let teller = Teller { model, source };
    let befores = (0..trace.steps.len()).map(|index| trace.state(index).expect("a step starts at a state"));
    let len = trace.steps.len();
    let steps = trace.steps.iter().zip(befores).enumerate().map(|(index, (taken, before))| {
        let changes = taken
            .result
            .as_ref()
            .map_or_else(|_| Vec::new(), |after| changes::between(model, before, after, Some(taken.rebec)));
        let told = index < TOLD_STATES || index + TOLD_STATES >= len;
        let state = taken.result.as_ref().ok().filter(|_| told).map(|state| words::state_json(model, state));
        let changes = changes.iter().map(|change| changes::json(model, change)).collect();
        StepFile { changes, state, ..teller.step(taken) }
    });
    TraceFile {
        start: teller.start(&trace.start),
        steps: steps.collect(),
        cycle_from: trace.cycle_from,
        fault: trace.stop().map(|(rebec, stop)| teller.fault(rebec, trace.steps.last(), stop)),
    }
}

/// Tells parts of traces in the names and places of a model.
struct Teller<'a> {
    model: &'a Model,
    source: &'a Source,
}

impl Teller<'_> {
    fn location(&self, span: Span) -> Option<LocationFile> {
        if span.is_none() {
            return None;
        }
        let position = self.source.position(span.start);
        Some(LocationFile { line: position.line, column: position.column })
    }

    fn choices(&self, choices: &[Choice]) -> Vec<ChoiceFile> {
        let choice = |choice: &Choice| {
            let location = self.location(choice.span);
            ChoiceFile {
                value: words::value_json(self.model, choice.value),
                option: Some(choice.option),
                line: location.map(|location| location.line),
                column: location.map(|location| location.column),
            }
        };
        choices.iter().map(choice).collect()
    }

    fn start(&self, start: &Start) -> StartFile {
        let model = self.model;
        let features = model.features.iter().zip(&start.features);
        let argument = |&(rebec, parameter, value): &(RebecId, usize, _)| StartArgument {
            rebec: model.rebec_name(rebec),
            parameter: words::parameter(model, rebec, parameter),
            value: words::value_json(model, value),
        };
        let constructor = |(rebec, choices): &(RebecId, Vec<Choice>)| StartChoices {
            rebec: model.rebec_name(*rebec),
            choices: self.choices(choices),
        };
        StartFile {
            features: features.map(|(feature, &value)| (feature.name.clone(), json!(value))).collect(),
            arguments: start.arguments.iter().map(argument).collect(),
            constructors: start.choices.iter().map(constructor).collect(),
            state: start.result.as_ref().ok().map(|state| words::state_json(model, state)),
        }
    }

    /// A step without its changes and its state.
    fn step(&self, step: &Step) -> StepFile {
        let model = self.model;
        let class = model.class(model.class_of(step.rebec));
        StepFile {
            rebec: model.rebec_name(step.rebec),
            event: words::event(model, step.rebec, &step.message).to_owned(),
            arguments: Some(step.message.arguments.iter().map(|&value| words::value_json(model, value)).collect()),
            sender: Some(model.rebec_name(step.message.sender)),
            choices: self.choices(&step.choices),
            changes: Vec::new(),
            state: None,
            location: self.location(class.servers[step.message.server.index()].span),
        }
    }

    fn fault(&self, rebec: RebecId, step: Option<&Step>, stop: &Stop) -> FaultFile {
        let (message, location) = match stop {
            Stop::Fault(fault) => (describe_fault(self.model, &fault.kind), self.location(fault.span)),
            Stop::Limit(limit) => (describe_limit(self.model, limit), None),
        };
        FaultFile {
            rebec: self.model.rebec_name(rebec),
            event: step.map(|step| words::event(self.model, rebec, &step.message).to_owned()),
            message,
            line: location.map(|location| location.line),
            column: location.map(|location| location.column),
        }
    }
}

/// A choice as a trace tells it, without its place.
pub(crate) fn same_choice(model: &Model, told: &ChoiceFile, choice: &Choice) -> bool {
    told.option.is_none_or(|option| option == choice.option) && told.value == words::value_json(model, choice.value)
}
