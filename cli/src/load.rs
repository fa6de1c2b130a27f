//! Models and property files from disk: this module reads the files, `pipeline` makes models of them, and their
//! diagnostics go to the console.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use frontend::diagnostics::{Diagnostics, Severity};
use frontend::model::{Model, PropertySet};
use frontend::murphi::program::Program;
use frontend::promela::Included;
use frontend::sequential::{Origin, Sequential};
use frontend::source::{MAX_SOURCE_BYTES, Source};
use limits::{Cause, Stopped};
use pipeline::{AnyModel, LanguageName, Reading, Unread};

use crate::codes;
use crate::console::Console;
use crate::io;
use crate::outcome::Failure;

/// The time that reading a model may take whatever the limit on time, and the bytes whatever the limit on memory.
const READING: (Duration, u64) = (Duration::from_secs(1), 64 << 20);

/// A model with its text.
pub(crate) struct Loaded<M> {
    /// The path as the user gave it.
    pub(crate) path: PathBuf,
    /// The text.
    pub(crate) source: Source,
    /// The model.
    pub(crate) model: M,
}

/// A model in one of the languages.
pub(crate) enum AnyLoaded {
    /// Rebeca.
    Actors(Loaded<Model>),
    /// The sequential language.
    Process(Loaded<Sequential>),
    /// Murphi.
    Murphi(Loaded<Program>),
}

/// The properties for a model, and their text.
#[derive(Default)]
pub(crate) struct Properties {
    /// The text; absent without a property file.
    pub(crate) source: Option<Source>,
    /// The properties.
    pub(crate) set: PropertySet,
}

/// Reads a model in its language.
pub(crate) fn load(path: &Path, reading: &Reading, console: &mut Console) -> Result<AnyLoaded, Failure> {
    in_time(|| {
        limits::phase("reading the model");
        load_within(path, reading, console)
    })
}

/// Reads a text within the limits, and at least for the time of [`READING`]. A text that a signal interrupts is read again in a short time
/// after it, so that the partial report of a command can name what it was to examine, unless the text is long.
fn in_time<R>(mut read: impl FnMut() -> Result<R, Failure>) -> Result<R, Failure> {
    let watch = limits::watch();
    let stopped = |stopped| Err(Failure::Stopped(stopped));
    match watch.at_least(READING.0, READING.1).run(&mut read) {
        Err(Stopped { cause: Cause::Signal(_), .. }) => {
            watch.or_afterwards(READING.0).run(read).unwrap_or_else(stopped)
        }
        done => done.unwrap_or_else(stopped),
    }
}

/// As [`load`], under the watch of the thread.
fn load_within(path: &Path, reading: &Reading, console: &mut Console) -> Result<AnyLoaded, Failure> {
    let source = with_included(read_source(path, console)?, path, reading, console)?;
    let mut diagnostics = Diagnostics::new();
    let model = pipeline::read(&path.to_string_lossy(), &source.text, reading, &mut diagnostics);
    if reading.language.is_none() {
        say_guessed(path, &source.text, &mut diagnostics);
    }
    console.report(diagnostics, &source);
    let path = path.to_owned();
    match model.map_err(unread)? {
        AnyModel::Actors(model) => Ok(AnyLoaded::Actors(Loaded { path, source, model })),
        AnyModel::Process(model) => Ok(AnyLoaded::Process(Loaded { path, source, model })),
        AnyModel::Murphi(model) => Ok(AnyLoaded::Murphi(Loaded { path, source, model })),
    }
}

/// Says with the first fault of a text that it was read as Rebeca only because its name says nothing else.
fn say_guessed(path: &Path, text: &str, diagnostics: &mut Diagnostics) {
    let is = |known: &&str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(known));
    if ["rebeca", "property", "m"].iter().any(is) || language(path, text) != LanguageName::Rebeca {
        return;
    }
    diagnostics.sort();
    let Some(first) = diagnostics.list.iter_mut().find(|found| found.severity == Severity::Error) else { return };
    let guessed = "the text is read as Rebeca, because its name does not end in .lpe, .m, .dve, .pnml or .pml: `--language NAME` names another language";
    first.help = Some(first.help.take().map_or_else(|| guessed.to_owned(), |help| format!("{help}; {guessed}")));
}

/// A model with the texts that it includes, if its language has such. Their names are relative to the folder of the text that includes them, for
/// standard input to the current folder.
fn with_included(source: Source, path: &Path, reading: &Reading, console: &mut Console) -> Result<Source, Failure> {
    let mut paths = BTreeMap::from([(source.name.clone(), path.to_owned())]);
    let mut read = |from: &str, wanted: &str| {
        let folder = paths.get(from).and_then(|path| path.parent()).unwrap_or(Path::new(""));
        let path = folder.join(wanted);
        let bytes = io::read_regular(&path, MAX_SOURCE_BYTES)?;
        let name = io::display(&path);
        let decoded = Source::decode(&name, &bytes).map_err(|(diagnostic, _)| diagnostic.message.clone())?;
        paths.insert(name.clone(), path);
        Ok(Included { name, text: decoded.text })
    };
    let mut diagnostics = Diagnostics::new();
    let Some(joined) = pipeline::include(path, &source, reading, &mut read, &mut diagnostics) else {
        return Ok(source);
    };
    let source = Source::joined(source.name, joined.text, joined.parts);
    let has_faults = diagnostics.has_errors();
    console.report(diagnostics, &source);
    if has_faults { Err(Failure::Reported) } else { Ok(source) }
}

/// The language of a text by the name of its file and its beginning.
pub(crate) fn language(path: &Path, text: &str) -> LanguageName {
    LanguageName::of(&path.to_string_lossy(), text)
}

/// The failure of a command that does not read models of Murphi yet.
pub(crate) fn not_for_murphi(what: &str) -> Failure {
    Failure::usage(codes::NOT_AVAILABLE, format!("{what} is not available for models of Murphi in this version"))
        .help("`quotient convert MODEL --to lpe` writes the model as a sequential process, for which it is")
}

/// Reads a property file.
pub(crate) fn load_properties(path: &Path, model: &Model, console: &mut Console) -> Result<Properties, Failure> {
    in_time(|| read_properties(path, model, console))
}

/// As [`load_properties`], under the watch of the thread.
fn read_properties(path: &Path, model: &Model, console: &mut Console) -> Result<Properties, Failure> {
    let source = read_source(path, console)?;
    let mut diagnostics = Diagnostics::new();
    let set = pipeline::read_properties(&source.text, model, &mut diagnostics);
    console.report(diagnostics, &source);
    Ok(Properties { set: set.map_err(unread)?, source: Some(source) })
}

/// Adds the properties of the named file to a model, or of its own one where the language has such. Those of Rebeca are no part of the model: they
/// are given back, with their text.
pub(crate) fn add_properties(
    loaded: &mut AnyLoaded,
    named: Option<&Path>,
    own: Option<&Path>,
    reading: &Reading,
    console: &mut Console,
) -> Result<Properties, Failure> {
    let path = match loaded {
        AnyLoaded::Process(loaded) if loaded.model.origin != Origin::Dve => named,
        _ => named.or(own),
    };
    let Some(path) = path else { return Ok(Properties::default()) };
    match loaded {
        AnyLoaded::Actors(loaded) => return load_properties(path, &loaded.model, console),
        AnyLoaded::Murphi(loaded) => load_formulas(Some(path), &[], loaded, reading, console).map(|_| ())?,
        AnyLoaded::Process(loaded) => load_process_formulas(path, loaded, reading, console)?,
    }
    Ok(Properties::default())
}

/// Adds the formulas of a property file to a model of DVE, or those of a file of the contest to a net.
///
/// # Errors
/// The language has no such files, or the formulas have faults.
pub(crate) fn load_process_formulas(
    path: &Path,
    loaded: &mut Loaded<Sequential>,
    reading: &Reading,
    console: &mut Console,
) -> Result<(), Failure> {
    if let Origin::Lpe | Origin::Promela = loaded.model.origin {
        let message = "`--property` names a file, and the properties of this model are part of its text";
        let lines = if loaded.model.origin == Origin::Lpe { "`assert` and `ltl`" } else { "`ltl`" };
        let help = format!("write {lines} lines into the model; `check --questions FILE` takes them from a file");
        return Err(Failure::contradiction(message).help(help));
    }
    let (model, text) = (&loaded.model, &loaded.source.text);
    let (model, _) = with_formulas(path, console, |formulas, diagnostics| {
        pipeline::read_process_formulas(model.clone(), text, &reading.constants, formulas, diagnostics)
    })?;
    loaded.model = model;
    Ok(())
}

/// Adds the formulas of a property file to a model of Murphi, and the conditions under which states without steps are no deadlocks; their text.
pub(crate) fn load_formulas(
    path: Option<&Path>,
    ends: &[String],
    loaded: &mut Loaded<Program>,
    reading: &Reading,
    console: &mut Console,
) -> Result<Option<Source>, Failure> {
    let text = &loaded.source.text;
    let ends: Vec<String> = ends.iter().map(|end| format!("({end})")).collect();
    let ends = if ends.is_empty() { String::new() } else { format!("\nends: {}", ends.join(" | ")) };
    let read = |formulas: &str, diagnostics: &mut Diagnostics| {
        pipeline::read_formulas(text, &reading.constants, &format!("{formulas}{ends}"), diagnostics)
    };
    let (model, source) = match path {
        Some(path) => with_formulas(path, console, read)?,
        None if ends.is_empty() => return Ok(None),
        None => {
            let source = Source::new("--end", &ends);
            let mut diagnostics = Diagnostics::new();
            let model = in_time(|| read("", &mut diagnostics).map_err(unread));
            console.report(diagnostics, &source);
            (model?, source)
        }
    };
    loaded.model = model;
    Ok(Some(source))
}

/// Puts the questions of a file in place of the properties of a model of Murphi; their text.
pub(crate) fn load_questions(
    path: &Path,
    loaded: &mut Loaded<Program>,
    reading: &Reading,
    console: &mut Console,
) -> Result<Option<Source>, Failure> {
    let text = &loaded.source.text;
    let (model, source) = with_formulas(path, console, |questions, diagnostics| {
        pipeline::read_questions(text, &reading.constants, questions, diagnostics)
    })?;
    loaded.model = model;
    Ok(Some(source))
}

/// A model with the formulas, or questions, of another file, and the text of that file.
fn with_formulas<M>(
    path: &Path,
    console: &mut Console,
    mut read: impl FnMut(&str, &mut Diagnostics) -> Result<M, Unread>,
) -> Result<(M, Source), Failure> {
    in_time(|| {
        let source = read_source(path, console)?;
        let mut diagnostics = Diagnostics::new();
        let model = read(&source.text, &mut diagnostics);
        console.report(diagnostics, &source);
        Ok((model.map_err(unread)?, source))
    })
}

fn unread(why: Unread) -> Failure {
    match why {
        Unread::IllFormed => Failure::Reported,
        Unread::NoDialect => {
            Failure::contradiction("`--core` chooses a version of Rebeca, and the model is in another language")
        }
        Unread::Internal(message) => Failure::Internal(message),
    }
}

/// Reads and decodes a text.
pub(crate) fn read_source(path: &Path, console: &mut Console) -> Result<Source, Failure> {
    read_source_within(path, MAX_SOURCE_BYTES, console)
}

/// Reads and decodes a text of at most so many bytes.
pub(crate) fn read_source_within(path: &Path, most: usize, console: &mut Console) -> Result<Source, Failure> {
    let bytes = io::read(path, most + 1)?;
    Source::decode_within(&io::display(path), &bytes, most).map_err(|(diagnostic, source)| {
        console.report_one(*diagnostic, &source);
        Failure::Reported
    })
}
