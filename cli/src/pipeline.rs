//! The line from text to report, written as Rust:
//!
//! ```text
//! text -> Model -> check -> Report
//! ```
//!
//! Each stage is a function of another crate; here they are put in order, and their diagnostics go to the console. No
//! reduction stands between the model and the check in this version: what is asked of the reference semantics is what
//! is searched.
//!
//! Invariant: a model that leaves [`load`] passed `model::verify`; one that does not is a fault of the tool.

use std::path::{Path, PathBuf};

use checker::{Control, Question, Report};
use frontend::diagnostics::{Diagnostic, Diagnostics, closest, codes};
use frontend::lower::{LowerOptions, lower, lower_properties};
use frontend::model::verify::{Violation, verify, verify_properties};
use frontend::model::{Model, PropertySet};
use frontend::source::{MAX_SOURCE_BYTES, Source, Span};
use frontend::syntax::{ast, parse_model, parse_properties};

use crate::console::Console;
use crate::io;
use crate::outcome::Failure;

/// A model with its text.
pub(crate) struct Loaded {
    /// The path as the user gave it.
    pub(crate) path: PathBuf,
    /// The text.
    pub(crate) source: Source,
    /// The model.
    pub(crate) model: Model,
}

/// The properties that are asked with a model, and their text.
#[derive(Default)]
pub(crate) struct Properties {
    /// The text; absent without a property file.
    pub(crate) source: Option<Source>,
    /// The properties.
    pub(crate) set: PropertySet,
}

/// Reads a model: text -> tree -> Model, verified.
pub(crate) fn load(path: &Path, options: &LowerOptions, console: &mut Console) -> Result<Loaded, Failure> {
    let source = read_source(path, console)?;
    let mut diagnostics = Diagnostics::new();
    let program = parse_model(&source.text, &mut diagnostics);
    let model = if !is_whole(&diagnostics) {
        None
    } else {
        refuse_unknown_constants(&program, options, &mut diagnostics);
        lower(&program, options, &mut diagnostics)
    };
    let failed = diagnostics.has_errors();
    console.report(diagnostics, &source);
    match model {
        Some(model) if !failed => {
            sound(&verify(&model))?;
            Ok(Loaded { path: path.to_owned(), source, model })
        }
        Some(_) => Err(Failure::Reported),
        None if failed => Err(Failure::Reported),
        None => Err(Failure::Internal("the lowering gave neither a model nor an error".to_owned())),
    }
}

/// Whether the tree is all that was written, so that looking at names and types tells no follow-up errors: no errors, or
/// only numbers that are read as others.
fn is_whole(diagnostics: &Diagnostics) -> bool {
    let known = diagnostics.list.iter().filter(|diagnostic| diagnostic.code == codes::FLOAT_LITERAL).count();
    known == diagnostics.errors
}

/// Reads a property file: text -> tree -> properties of the model, verified.
pub(crate) fn load_properties(path: &Path, model: &Model, console: &mut Console) -> Result<Properties, Failure> {
    let source = read_source(path, console)?;
    let mut diagnostics = Diagnostics::new();
    let file = parse_properties(&source.text, &mut diagnostics);
    let set = if diagnostics.has_errors() { None } else { lower_properties(&file, model, &mut diagnostics) };
    let failed = diagnostics.has_errors();
    console.report(diagnostics, &source);
    match set {
        Some(set) if !failed => {
            sound(&verify_properties(model, &set))?;
            Ok(Properties { source: Some(source), set })
        }
        _ if failed => Err(Failure::Reported),
        _ => Err(Failure::Internal("the lowering gave neither properties nor an error".to_owned())),
    }
}

/// Model x Question -> Report.
pub(crate) fn check(model: &Model, question: &Question, control: &mut dyn Control) -> Result<Report, Failure> {
    checker::check(model, question, control).map_err(|error| Failure::Internal(error.0))
}

/// Reads and decodes a text.
pub(crate) fn read_source(path: &Path, console: &mut Console) -> Result<Source, Failure> {
    read_source_within(path, MAX_SOURCE_BYTES, console)
}

/// Reads and decodes a text of at most so many bytes.
pub(crate) fn read_source_within(path: &Path, most: usize, console: &mut Console) -> Result<Source, Failure> {
    let bytes = io::read(path, most + 1)?;
    Source::decode_within(&io::display(path), &bytes, most).map_err(|(diagnostic, source)| {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(*diagnostic);
        console.report(diagnostics, &source);
        Failure::Reported
    })
}

/// `-D` must name constants of the model: a misspelt one would silently check another model.
fn refuse_unknown_constants(program: &ast::Program, options: &LowerOptions, diagnostics: &mut Diagnostics) {
    let fields = program.environment.iter();
    let declared: Vec<&str> =
        fields.flat_map(|field| &field.declarators).map(|declarator| declarator.name.text.as_str()).collect();
    for (name, _) in &options.constants {
        if declared.contains(&name.as_str()) {
            continue;
        }
        let message = format!("`-D {name}=..` names no `env` constant of the model");
        let help = match closest(name, declared.iter().copied()) {
            Some(other) => format!("did you mean `{other}`?"),
            None if declared.is_empty() => "the model declares no `env` constants".to_owned(),
            None => format!("the constants are {}", listed(declared.iter().copied())),
        };
        diagnostics.push(Diagnostic::error(codes::UNKNOWN_CONSTANT, Span::NONE, message).help(help));
    }
}

/// Names for a help line; at most twelve.
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.len() {
        0..=12 => names.join(", "),
        more => format!("{} and {} more", names[..12].join(", "), more - 12),
    }
}

fn sound(violations: &[Violation]) -> Result<(), Failure> {
    match violations {
        [] => Ok(()),
        [first, ..] => Err(Failure::Internal(format!("the lowered model is not well formed: {first:?}"))),
    }
}
