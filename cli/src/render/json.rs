//! The report of `check` as JSON. The names of fields are a contract: fields may be added, never renamed.
//!
//! Only `seconds` and `peak_memory_bytes` differ between two runs of the same version with the same options. Times and
//! the value of the limit `time` are in seconds, sizes in bytes.

use std::fmt::Write;

use checker::{
    Answer, DataUse, GroupUsed, Growing, Limit, LimitKind, NetSize, Orbits, Outcome, Reduction, ReductionKind, Report,
    Run, StructuralEffect, StructuralRules,
};
use frontend::diagnostics::Severity;
use serde_json::{Value as Json, json};

use super::{Checked, coverage, explanation, human};
use crate::args::{CheckArgs, Search};
use crate::command_line::command_line;
use crate::console::{Console, Remark};
use crate::language::{self, Presented};
use crate::load::Loaded;
use crate::paint::escaped_json;
use crate::words;
use crate::world::peak_memory;
use pipeline::{LanguageName, Trace};

/// The version of the contract.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// The report of `check`.
pub(crate) fn report<L: Presented>(checked: &Checked<L>, args: &CheckArgs, console: &Console) -> Json {
    let Checked { loaded, report, .. } = checked;
    let definitions = checked.asked.definitions.iter().map(|(name, text)| json!({ "name": name, "text": text }));
    let properties = report.answers.iter().map(|answer| property(checked, answer));
    let mut document = document(report, &model(loaded, &args.model.reading.values()), args, console);
    document["properties"] = properties.collect();
    document["definitions"] = definitions.collect();
    document["not_asked"] = json!(human::not_asked(checked));
    document["coverage"] = json!(checked.coverage.as_ref().map(|list| coverage::json(list, &loaded.source)));
    document["peak_memory_bytes"] = json!(checked.peak_memory);
    document
}

/// The report of `check` where a limit or a signal came before the search, so that nothing is known of the model but its name.
pub(crate) fn unsearched(report: &Report<()>, args: &CheckArgs, console: &Console) -> Json {
    let (path, reading) = (args.model.model.to_string_lossy(), &args.model.reading);
    let language = reading.options().language.unwrap_or_else(|| LanguageName::of(&path, ""));
    let model = json!({
        "path": path,
        "language": language.name(),
        "dialect": null,
        "constants": constants(&reading.values()),
        "processes": null,
        "variables": 0,
    });
    document(report, &model, args, console)
}

/// The report with what is known without the model and its properties.
fn document<T>(report: &Report<T>, model: &Json, args: &CheckArgs, console: &Console) -> Json {
    let full = report.full();
    json!({
        "schema_version": SCHEMA_VERSION,
        "command": "check",
        "model": model,
        "verdict": human::word(report.verdict),
        "complete": report.complete,
        "exact": report.exact,
        "properties": [],
        "definitions": [],
        "not_asked": [],
        "command_line": command_line(),
        "states": report.states,
        "transitions": report.transitions,
        "full_states": full.as_ref().map(|full| &full.states),
        "full_transitions": full.as_ref().and_then(|full| full.transitions.as_ref()),
        "start_fixed": is_start_fixed(&report.reductions),
        "depth": report.depth,
        "deadlock_states": report.deadlock_states,
        "data": report.data.iter().map(data).collect::<Vec<Json>>(),
        "growing": report.growing.iter().map(growing).collect::<Vec<Json>>(),
        "coverage": null,
        "reductions": applied(&report.reductions),
        "reductions_considered": considered(&report.reductions),
        "group": report.group.as_ref().map(group),
        "orbits": report.group.as_ref().and_then(|group| group.orbits.as_ref()).map(orbits),
        "limit": report.first_limit().map(limit),
        "search": match args.search.search { Search::Bfs => "bfs", Search::Dfs => "dfs" },
        "threads": report.threads,
        "spilled_bytes": report.spilled.bytes,
        "compressed": report.spilled.compressed,
        "internal_error": report.fault.as_ref().map(|fault| &fault.0),
        "notices": console.remarks().iter().map(remark).collect::<Vec<Json>>(),
        "seconds": report.seconds,
        "peak_memory_bytes": peak_memory(),
    })
}

/// A sort of data.
fn data(found: &DataUse) -> Json {
    let DataUse { sort, values, used, needed } = found;
    json!({ "sort": sort, "values": values, "used": used, "needed": needed, "enough": found.enough() })
}

/// A variable that grows.
fn growing(found: &Growing) -> Json {
    let Growing { name, from, to, levels } = found;
    json!({ "name": name, "from": from, "to": to, "levels": levels })
}

/// A text that the watch of the thread can stop while it grows.
struct Watched(String);

impl Write for Watched {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        limits::work(1 + text.len() as u64);
        self.0.push_str(text);
        Ok(())
    }
}

/// JSON with indentation and a line end.
pub(crate) fn pretty(value: &Json) -> String {
    let mut out = Watched(String::new());
    let _ = writeln!(out, "{value:#}");
    escaped_json(&out.0)
}

/// As [`pretty`], without a tree in between. Nothing stops it: it copies parts that are texts already, whose making the limits bound.
pub(crate) fn serialised(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("keys are texts");
    escaped_json(&text) + "\n"
}

/// The values that the command line fixed in a model.
fn constants(values: &[(String, i64)]) -> serde_json::Map<String, Json> {
    values.iter().map(|(name, value)| (name.clone(), json!(value))).collect()
}

/// The model and the values that the command line fixed in it.
pub(crate) fn model<L: Presented>(loaded: &Loaded<L>, values: &[(String, i64)]) -> Json {
    let (processes, variables) = loaded.model.size();
    json!({
        "path": loaded.path.to_string_lossy(),
        "language": loaded.model.language(),
        "dialect": loaded.model.dialect(),
        "constants": constants(values),
        "processes": processes,
        "variables": variables,
    })
}

fn property<L: Presented>(checked: &Checked<L>, answer: &Answer<Trace<L>>) -> Json {
    let loaded = &checked.loaded;
    let mut texts = checked.asked.properties.iter();
    let text = texts.find(|(name, text)| *name == answer.name && !text.is_empty()).map(|(_, text)| text);
    json!({
        "name": answer.name,
        "kind": answer.kind.name(),
        "text": text,
        "verdict": human::word(answer.verdict),
        "message": words::finding(&answer.finding),
        "trace": answer.trace.as_ref().map(|found| language::json::trace(&loaded.model, &loaded.source, found)),
        "explanation": answer.explanation.as_ref().map(|found| explanation::json(loaded, found)),
        "run": answer.run.as_ref().map(run),
    })
}

/// The separate run that answered a formula.
fn run(run: &Run) -> Json {
    json!({
        "states": run.states,
        "transitions": run.transitions,
        "system_states": run.system_states,
        "sweeps": run.sweeps,
        "complete": run.complete,
        "fairness": human::fairness(run.fairness),
        "start_fixed": is_start_fixed(&run.reductions),
        "reductions": applied(&run.reductions),
        "reductions_considered": considered(&run.reductions),
        "group": run.group.as_ref().map(group),
        "limit": run.limit.map(limit),
        "seconds": run.seconds,
    })
}

/// Whether the group maps starts to starts.
fn is_start_fixed(reductions: &[Reduction]) -> bool {
    !reductions.iter().any(|one| one.kind == ReductionKind::MovedStarts && one.is_applied())
}

/// The names of the reductions that were applied.
fn applied(reductions: &[Reduction]) -> Vec<&'static str> {
    reductions.iter().filter(|reduction| reduction.is_applied()).map(|reduction| reduction.kind.name()).collect()
}

fn considered(reductions: &[Reduction]) -> Vec<Json> {
    let entry = |reduction: &Reduction| {
        let mut entry = json!({ "name": reduction.kind.name(), "applied": reduction.is_applied(), "detail": words::detail(reduction) });
        if let Outcome::Structural(effect) = &reduction.outcome {
            entry["structural"] = structural(effect);
        }
        entry
    };
    reductions.iter().map(entry).collect()
}

/// How often each rule made a net smaller, and the sizes of both nets.
fn structural(effect: &StructuralEffect) -> Json {
    let StructuralEffect { rules, before, after } = effect;
    let StructuralRules { constant, sinks, implied, dead, duplicates, irrelevant, agglomerated } = rules;
    let size = |size: &NetSize| json!({ "places": size.places, "transitions": size.transitions });
    json!({
        "rules": {
            "constant_places": constant,
            "sink_places": sinks,
            "implied_places": implied,
            "dead_transitions": dead,
            "duplicate_transitions": duplicates,
            "irrelevant_transitions": irrelevant,
            "agglomerated_places": agglomerated,
        },
        "before": size(before),
        "after": size(after),
    })
}

fn group(group: &GroupUsed) -> Json {
    let GroupUsed { order, model_order, detector, representative, exact, orbits: _, names } = group;
    let generators = names
        .generators
        .iter()
        .map(|generator| json!({ "cycles": generator.cycles, "kind": generator.kind, "rules": generator.rules }));
    json!({
        "order": order,
        "model_order": model_order,
        "detector": detector,
        "representative": representative,
        "exact": exact,
        "structure": names.structure,
        "generators": generators.collect::<Vec<Json>>(),
        "orbits": names.orbits,
    })
}

/// Orbits by size; numbers of more than 64 bits are strings.
fn orbits(orbits: &Orbits) -> Json {
    let number = |digits: &str| digits.parse::<u64>().map_or_else(|_| json!(digits), |number| json!(number));
    let by_size: Vec<Json> = orbits.by_size.iter().map(|(size, count)| json!([number(size), count])).collect();
    json!({ "by_size": by_size, "sum": number(&orbits.sum), "up_to_renumbering": orbits.up_to_renumbering })
}

/// The word for a kind of limit.
pub(crate) fn limit_word(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::States => "states",
        LimitKind::Depth => "depth",
        LimitKind::Memory => "memory",
        LimitKind::Time => "time",
        LimitKind::Rebecs => "rebecs",
        LimitKind::Processes => "processes",
        LimitKind::Work => "work",
        LimitKind::Representative => "representative",
        LimitKind::Disk => "disk",
        LimitKind::Interrupt => "interrupt",
    }
}

pub(crate) fn limit(limit: Limit) -> Json {
    let value = match limit.kind {
        LimitKind::Time if limit.value.is_multiple_of(1000) => json!(limit.value / 1000),
        #[expect(clippy::cast_precision_loss)]
        LimitKind::Time => json!(limit.value as f64 / 1000.0),
        _ => json!(limit.value),
    };
    json!({ "kind": limit_word(limit.kind), "value": value })
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
