//! `quotient replay`: a trace from a file, rerun by the reference interpreter only.
//!
//! Invariant: exit code 0 only if every step of the file is a step of the model with the event, the choices and the
//! state in the file, the fault is the one in the file, and a lasso closes.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use frontend::model::{Dialect, Model};
use frontend::murphi::program::Program;
use frontend::sequential::Sequential;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::args::ReplayArgs;
use crate::codes;
use crate::console::Console;
use crate::language::rerun::{Mismatch, rerun};
use crate::language::{self, Presented, TraceStyle};
use crate::load::{AnyLoaded, Loaded};
use crate::outcome::{Failure, Outcome};
use crate::paint::{Paint, clean, counted};
use crate::paths::{refuse_overwriting, refuse_two_on_standard_output};
use crate::render::export::read::{BranchFile, numbered};
use crate::render::export::{Additions, Targets};
use crate::render::json;
use crate::trace_file::TraceFile;
use crate::{io, load};
use pipeline::{DVE, Language, LanguageName, PNML, PROMELA, Reading, listed};

/// The largest file of a trace that is read, in bytes.
const MAX_TRACE_BYTES: usize = 1 << 30;

/// Replays a trace.
pub(crate) fn run(args: &ReplayArgs, console: &mut Console) -> Result<Outcome, Failure> {
    let name = io::display(&args.trace);
    Targets::new(&args.files)?;
    refuse_two_on_standard_output(None, args.files.report.iter().map(|path| &**path))?;
    let bytes = io::read(&args.trace, MAX_TRACE_BYTES)?;
    let json: Json = serde_json::from_slice(&bytes).map_err(|error| not_a_trace(&name, &error.to_string()))?;
    drop(bytes);
    let recorded = recorded(&name, json, args.property.as_deref())?;
    let path = model_path(&name, args, &recorded.model)?;
    refuse_overwriting([&*args.trace, &*path], args.files.report.iter().map(|path| &**path))?;
    match load::load(&path, &recorded.model.options(args), console)? {
        AnyLoaded::Actors(loaded) => again(&loaded, &recorded, &name, args, console),
        AnyLoaded::Process(loaded) => again(&loaded, &recorded, &name, args, console),
        AnyLoaded::Murphi(loaded) => again(&loaded, &recorded, &name, args, console),
    }
}

/// Reruns a recorded trace and reports its progress.
fn again<L: Presented>(
    loaded: &Loaded<L>,
    recorded: &RecordedRun,
    name: &str,
    args: &ReplayArgs,
    console: &Console,
) -> Result<Outcome, Failure> {
    let (trace, mut mismatch) =
        rerun(&loaded.model, &loaded.source, &recorded.trace, recorded.kind.as_deref() == Some("deadlock"));
    let branches = numbered(&recorded.branches);
    for (number, branch) in &branches {
        let of_branch = |found: Mismatch| Mismatch { place: format!("branch {number}, {}", found.place), ..found };
        mismatch = mismatch.or_else(|| rerun(&loaded.model, &loaded.source, &branch.trace, false).1.map(of_branch));
    }
    let paint = Paint { on: console.colours_stdout() };
    let mut out = format!("{}: ", paint.bold(&clean(name)));
    let verdict = match &mismatch {
        None => paint.good("replays"),
        Some(_) => paint.bad("does not replay"),
    };
    let _ = writeln!(out, "{verdict} on {}", clean(&loaded.source.name));
    if let Some(trace) = trace.as_ref().filter(|_| !console.is_quiet()) {
        let style = TraceStyle { model: &loaded.model, source: &loaded.source, full: args.full, paint };
        out.push_str(&style.trace(trace));
        if mismatch.is_none() {
            let branches = match branches.len() {
                0 => String::new(),
                count => format!(", and {}", counted(count as u64, "branch")),
            };
            let _ = writeln!(out, "\n  {} replayed{branches}", counted(trace.steps.len() as u64, "step"));
        }
    }
    if let Some(Mismatch { place, message }) = &mismatch {
        let _ = writeln!(out, "  {}: {}", paint.bad(place), clean(message));
    }
    io::write(None, out.as_bytes())?;
    if let (Some(trace), None) = (&trace, &mismatch) {
        let constants = args.reading.values();
        let property = json!({
            "name": args.property.as_deref().or(recorded.kind.as_deref()).unwrap_or("trace"),
            "kind": recorded.kind.clone().unwrap_or_default(),
            "verdict": "violated",
            "message": "replayed by the reference semantics",
            "trace": language::json::trace(&loaded.model, &loaded.source, trace),
        });
        let report = json!({ "model": json::model(loaded, &constants), "properties": [property] });
        let text = (!loaded.source.is_joined()).then(|| loaded.source.text.clone());
        let additions = Additions { topology: loaded.model.topology(), text, ..Additions::default() };
        Targets::new(&args.files)?.write(report, &additions)?;
    }
    Ok(if mismatch.is_none() { Outcome::Done } else { Outcome::Refuted })
}

/// The content of a file.
struct RecordedRun {
    trace: TraceFile,
    /// The runs that branch off it.
    branches: Vec<BranchFile>,
    /// The kind of the property whose counterexample it is.
    kind: Option<String>,
    model: RecordedModel,
}

/// The description of the model in a report.
#[derive(Deserialize, Default)]
#[serde(default)]
struct RecordedModel {
    path: Option<PathBuf>,
    language: Option<String>,
    dialect: Option<String>,
    constants: serde_json::Map<String, Json>,
}

impl RecordedModel {
    /// The options of the command line, completed by those of the report.
    fn options(&self, args: &ReplayArgs) -> Reading {
        let mut options = args.reading.options();
        let dialect = self.dialect.as_deref().and_then(|dialect| match dialect {
            "2.0" => Some(Dialect::Rebeca20),
            "2.1" => Some(Dialect::Rebeca21),
            _ => None,
        });
        let language = self.language.as_deref().and_then(|language| match language {
            Model::NAME => Some(LanguageName::Rebeca),
            Sequential::NAME => Some(LanguageName::Lpe),
            Program::NAME => Some(LanguageName::Murphi),
            DVE => Some(LanguageName::Dve),
            PNML => Some(LanguageName::Pnml),
            PROMELA => Some(LanguageName::Promela),
            _ => None,
        });
        options.language = options.language.or(language);
        options.dialect = options.dialect.or(dialect);
        let recorded = self.constants.iter().filter_map(|(name, value)| Some((name.clone(), value.as_i64()?)));
        options.constants = recorded.chain(options.constants).collect(); // later ones win
        options
    }
}

/// Finds the trace in a report of `check` or `simulate`, or takes the file as a trace.
fn recorded(name: &str, json: Json, wanted: Option<&str>) -> Result<RecordedRun, Failure> {
    let Json::Object(mut fields) = json else { return Err(not_a_trace(name, "it is JSON, but not an object")) };
    let model = match fields.remove("model").map(serde_json::from_value).transpose() {
        Ok(model) => model.unwrap_or_default(),
        Err(error) => return Err(not_a_trace(name, &format!("model: {error}"))),
    };
    let (json, list, kind) = if let Some(Json::Array(properties)) = fields.remove("properties") {
        shown_run(name, &properties, wanted)?
    } else if let Some(trace) = fields.remove("trace") {
        (trace, fields.remove("branches"), None)
    } else {
        (Json::Object(fields), None, None)
    };
    let no_trace = |error: serde_json::Error| not_a_trace(name, &error.to_string());
    let trace = serde_json::from_value(json).map_err(no_trace)?;
    let branches: Option<Vec<BranchFile>> = serde_json::from_value(list.unwrap_or_default()).map_err(no_trace)?;
    Ok(RecordedRun { trace, branches: branches.unwrap_or_default(), kind, model })
}

/// The counterexample or witness of the requested property, or the first one, with the runs that branch off.
fn shown_run(
    name: &str,
    properties: &[Json],
    wanted: Option<&str>,
) -> Result<(Json, Option<Json>, Option<String>), Failure> {
    let text = |property: &Json, key: &str| property.get(key).and_then(Json::as_str).map(str::to_owned);
    let runs = ["/trace", "/explanation/witness"];
    let run = |property: &Json| runs.into_iter().find(|run| property.pointer(run).is_some_and(Json::is_object));
    let shown = || properties.iter().filter(|property| run(property).is_some());
    let fits = |property: &&Json| wanted.is_none_or(|wanted| text(property, "name").as_deref() == Some(wanted));
    // A counterexample comes first.
    let is_violated = |property: &&Json| run(property) == Some("/trace");
    let found = shown().filter(is_violated).find(fits).or_else(|| shown().find(fits));
    if let Some((property, place)) = found.and_then(|property| Some((property, run(property)?))) {
        let part = |place: &str| property.pointer(place).cloned();
        return Ok((part(place).unwrap_or_default(), part("/explanation/branches"), text(property, "kind")));
    }
    let message = match wanted {
        Some(wanted) => format!("the report has no run for `{}`", clean(wanted)),
        None => "the report has no counterexample".to_owned(),
    };
    let names: Vec<String> = shown().filter_map(|property| text(property, "name")).collect();
    let help = (!names.is_empty()).then(|| format!("it has one for {}", listed(names.iter().map(String::as_str))));
    Err(Failure::file(name, codes::NO_TRACE, message).help_opt(help))
}

fn model_path(name: &str, args: &ReplayArgs, recorded: &RecordedModel) -> Result<PathBuf, Failure> {
    if let Some(path) = &args.model {
        return Ok(path.clone());
    }
    match &recorded.path {
        Some(path) if path != Path::new(io::STANDARD) => Ok(path.clone()),
        _ => Err(Failure::file(name, codes::NOT_A_TRACE, "the trace names no model file")
            .help("name the model behind the trace: quotient replay TRACE.json MODEL")),
    }
}

fn not_a_trace(name: &str, why: &str) -> Failure {
    Failure::file(name, codes::NOT_A_TRACE, format!("`{name}` is not a trace: {}", clean(why)))
        .help("a trace is written by `quotient check MODEL --json` and `quotient simulate MODEL --json`")
}

#[cfg(test)]
mod tests {
    use super::{Failure, recorded};
    use serde_json::json;

    #[test]
    fn traces_are_found_in_reports_and_by_themselves() {
        let trace = json!({ "steps": [{ "rebec": "a", "event": "m" }] });
        let report = json!({ "model": { "path": "m.rebeca" }, "properties": [
            { "name": "deadlock", "kind": "deadlock", "trace": null },
            { "name": "overflow", "kind": "overflow", "trace": trace },
        ] });
        for file in [trace.clone(), json!({ "trace": trace }), report] {
            assert_eq!(recorded("file", file, None).map_err(|_| ()).map(|recorded| recorded.trace.steps.len()), Ok(1));
        }
    }

    #[test]
    fn other_files_are_refused() {
        let report = json!({ "properties": [{ "name": "overflow", "trace": null }] });
        for file in [json!([1]), json!({}), json!({ "steps": 3 }), json!({ "model": 1, "steps": [] }), report] {
            assert!(matches!(recorded("file", file, None), Err(Failure::Usage(_))));
        }
    }
}
