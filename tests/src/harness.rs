//! The harness: runs a text through the library, and a command to its end.
//!
//! The library line is the one of `pipeline/src/line.rs`: decode, parse, lower, verify, check. Only the tests of the
//! `cli` package know the built binary (`cli/tests/program/binary.rs`).

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use checker::{Question, Reductions, Report, SearchOrder};
use frontend::diagnostics::{Diagnostics, Severity};
use frontend::interpret::Bounds;
use frontend::interpret::Stop;
use frontend::interpret::trace::{Trace, replay};
use frontend::lower::{LowerOptions, lower, lower_properties};
use frontend::model::verify::{verify, verify_properties};
use frontend::model::{Dialect, Model, PropertySet};
use frontend::source::Source;
use frontend::syntax::{parse_model, parse_properties};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a member of the workspace").to_owned()
}

/// All files below a folder with one of the extensions, sorted by path.
///
/// # Panics
/// If a folder cannot be read.
pub fn files(folder: &Path, extensions: &[&str], recurses: bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry of a folder").path();
        if path.is_dir() {
            if recurses {
                found.extend(files(&path, extensions, true));
            }
        } else if path.extension().is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The codes of diagnostics of some severities, in the order of the text.
pub fn codes(diagnostics: &Diagnostics, wanted: impl Fn(Severity) -> bool) -> Vec<String> {
    let mut sorted = diagnostics.clone();
    sorted.sort();
    let wanted = sorted.list.iter().filter(|diagnostic| wanted(diagnostic.severity));
    wanted.map(|diagnostic| diagnostic.code.as_str().to_owned()).collect()
}

/// The messages of diagnostics, one per line.
pub fn messages(diagnostics: &Diagnostics) -> String {
    let line = |d: &frontend::diagnostics::Diagnostic| format!("{} {:?}: {}\n", d.code, d.span, d.message);
    diagnostics.list.iter().map(line).collect()
}

/// The text of a file, or the diagnostic for bytes that are no text.
fn decoded(bytes: &[u8], diagnostics: &mut Diagnostics) -> Option<Source> {
    Source::decode("fixture", bytes).map_err(|(diagnostic, _)| diagnostics.push(*diagnostic)).ok()
}

/// A model from its bytes; `None` when the diagnostics hold errors.
///
/// # Panics
/// If the frontend gives a model that is not well-formed.
pub fn read_model(bytes: &[u8], options: &LowerOptions) -> (Option<Model>, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let Some(source) = decoded(bytes, &mut diagnostics) else { return (None, diagnostics) };
    let program = parse_model(&source.text, &mut diagnostics);
    if diagnostics.has_errors() {
        return (None, diagnostics);
    }
    let model = lower(&program, options, &mut diagnostics);
    let model = model.filter(|_| !diagnostics.has_errors());
    if let Some(model) = &model {
        let violations = verify(model);
        assert!(violations.is_empty(), "the model is not well-formed: {violations:?}");
    }
    (model, diagnostics)
}

/// The properties of a property file; `None` when the diagnostics hold errors.
///
/// # Panics
/// If the frontend gives properties that are not well-formed.
pub fn read_properties(bytes: &[u8], model: &Model) -> (Option<PropertySet>, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let Some(source) = decoded(bytes, &mut diagnostics) else { return (None, diagnostics) };
    let file = parse_properties(&source.text, &mut diagnostics);
    if diagnostics.has_errors() {
        return (None, diagnostics);
    }
    let set = lower_properties(&file, model, &mut diagnostics).filter(|_| !diagnostics.has_errors());
    if let Some(set) = &set {
        let violations = verify_properties(model, set);
        assert!(violations.is_empty(), "the properties are not well-formed: {violations:?}");
    }
    (set, diagnostics)
}

/// The meaning of options of the command line to the library.
///
/// # Errors
/// An option that the harness does not know.
pub fn options(run: &[String]) -> Result<(LowerOptions, Question), String> {
    let (mut lowering, mut question) = (LowerOptions::default(), Question::default());
    let mut words = run.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` has no value"));
        match word.as_str() {
            "--no-deadlock" => question.deadlock = false,
            "--no-overflow" => question.overflow = false,
            "--no-faults" => question.faults = false,
            "--max-rebecs" => question.bounds.max_rebecs = number(value()?)?,
            "--max-states" => question.limits.max_states = Some(number(value()?)?),
            "--core" => {
                let dialect = if value()? == "2.0" { Dialect::Rebeca20 } else { Dialect::Rebeca21 };
                lowering.dialect = Some(dialect);
            }
            "-D" => {
                let (name, number_text) = value()?.split_once('=').ok_or("expected `-D NAME=VALUE`")?;
                lowering.constants.push((name.to_owned(), number(number_text)?));
            }
            _ => return Err(format!("the harness does not know the option `{word}`")),
        }
    }
    Ok((lowering, question))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

/// A report of the library.
///
/// # Errors
/// The checker's report of its own fault.
pub fn check(model: &Model, question: &Question, order: SearchOrder, keep_going: bool) -> Result<Report, String> {
    let question = Question { order, keep_going, ..question.clone() };
    checker::check(model, &question, &mut ()).map_err(|error| format!("internal error: {}", error.0))
}

/// A report of the library on everything, with partial order.
///
/// # Errors
/// The checker's report of its own fault.
pub fn check_reduced(model: &Model, question: &Question, order: SearchOrder) -> Result<Report, String> {
    let question = Question { order, keep_going: true, ..question.clone() };
    let reductions = Reductions { partial_order: true, ..Reductions::default() };
    checker::check_reduced(model, &question, reductions, &mut ())
        .map_err(|error| format!("internal error: {}", error.0))
}

/// Replays a counterexample by the reference semantics.
///
/// # Errors
/// The step that does not replay.
pub fn replays(model: &Model, bounds: &Bounds, found: &Trace) -> Result<(), String> {
    let states: Vec<_> = found.states().cloned().collect();
    let last = match found.stop() {
        Some((rebec, Stop::Fault(fault))) => Some((rebec, fault)),
        Some((_, Stop::Limit(limit))) => return Err(format!("a counterexample ends in the bound {limit:?}")),
        None => None,
    };
    let again: Result<Trace, frontend::execution::ReplayError> = replay(model, bounds, &states, last);
    again.map(|_| ()).map_err(|error| error.to_string())
}

/// The result of a run of a command.
#[derive(Debug)]
pub struct Run {
    /// The exit code.
    pub code: Option<i32>,
    /// The result.
    pub stdout: String,
    /// Diagnostics.
    pub stderr: String,
}

/// Runs a command to its end with a text on its standard input.
///
/// # Panics
/// If it cannot be started.
pub fn run(command: &mut Command, input: &[u8]) -> Run {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            let _ = stdin.write_all(input); // the binary need not read it
        });
        child.wait_with_output().expect("the binary ends")
    });
    Run {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
