//! Text -> Model: parsing, lowering, verification, for each language.
//!
//! Every fault of a text is a diagnostic; all of them are collected, and reading never panics.
//!
//! Invariant: a model that is returned passed the `verify` of its language; one that does not pass is a fault of the tool.

use frontend::diagnostics::{Diagnostic, Diagnostics, closest, codes};
use frontend::lower::{LowerOptions, lower, lower_properties};
use frontend::model::verify::{verify, verify_properties};
use frontend::model::{Dialect, Model, PropertySet};
use frontend::sequential::{self, Sequential};
use frontend::source::Span;
use frontend::syntax::{ast, parse_model, parse_properties};

/// The language of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LanguageName {
    /// Rebeca.
    Rebeca,
    /// The sequential language.
    Lpe,
}

impl LanguageName {
    /// The language of a file by its name: `.lpe` is sequential, all else Rebeca.
    pub fn of(file: &str) -> LanguageName {
        let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
        if extension.eq_ignore_ascii_case("lpe") { LanguageName::Lpe } else { LanguageName::Rebeca }
    }
}

/// The options for reading a model.
#[derive(Clone, Default, Debug)]
pub struct Reading {
    /// The language; by the name of the file if absent.
    pub language: Option<LanguageName>,
    /// The version of Core Rebeca; by content if absent.
    pub dialect: Option<Dialect>,
    /// Values for constants and feature variables.
    pub constants: Vec<(String, i64)>,
}

/// A model in one of the languages.
#[derive(Clone, Debug)]
pub enum AnyModel {
    /// Rebeca.
    Actors(Model),
    /// The sequential language.
    Process(Sequential),
}

/// The reason why a text gave no model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unread {
    /// The text has faults, which the diagnostics describe.
    IllFormed,
    /// A version of Rebeca is requested, and the model is a sequential process.
    NoDialect,
    /// A fault of the tool.
    Internal(String),
}

/// Reads a model in its language: text -> tree -> model, verified.
///
/// # Errors
/// The text is no model.
pub fn read(file: &str, text: &str, reading: &Reading, diagnostics: &mut Diagnostics) -> Result<AnyModel, Unread> {
    match reading.language.unwrap_or_else(|| LanguageName::of(file)) {
        LanguageName::Rebeca => {
            let options = LowerOptions { dialect: reading.dialect, constants: reading.constants.clone() };
            read_actors(text, &options, diagnostics).map(AnyModel::Actors)
        }
        LanguageName::Lpe if reading.dialect.is_some() => Err(Unread::NoDialect),
        LanguageName::Lpe => read_process(text, &reading.constants, diagnostics).map(AnyModel::Process),
    }
}

fn read_process(text: &str, constants: &[(String, i64)], diagnostics: &mut Diagnostics) -> Result<Sequential, Unread> {
    let options = sequential::Options { constants: constants.to_vec() };
    let parsed = sequential::parse(text, &options, diagnostics);
    let declared: Vec<&str> = parsed.constants.iter().map(String::as_str).collect();
    for name in &parsed.unused {
        diagnostics.push(unknown_constant(name, &declared, "const"));
    }
    whole(parsed.model, diagnostics, |model| first(&sequential::verify::verify(model)))
}

fn read_actors(text: &str, options: &LowerOptions, diagnostics: &mut Diagnostics) -> Result<Model, Unread> {
    let program = parse_model(text, diagnostics);
    let model = if !is_whole(diagnostics) {
        None
    } else {
        refuse_unknown_constants(&program, options, diagnostics);
        lower(&program, options, diagnostics)
    };
    whole(model, diagnostics, |model| first(&verify(model)))
}

/// Reads a property file: text -> tree -> properties of the model, verified.
///
/// # Errors
/// The text is no property file of the model.
pub fn read_properties(text: &str, model: &Model, diagnostics: &mut Diagnostics) -> Result<PropertySet, Unread> {
    let file = parse_properties(text, diagnostics);
    let set = if diagnostics.has_errors() { None } else { lower_properties(&file, model, diagnostics) };
    whole(set, diagnostics, |set| first(&verify_properties(model, set)))
}

/// The result of the lowering, if the text has no fault.
fn whole<T>(
    lowered: Option<T>,
    diagnostics: &Diagnostics,
    violation: impl FnOnce(&T) -> Option<String>,
) -> Result<T, Unread> {
    match lowered {
        _ if diagnostics.has_errors() => Err(Unread::IllFormed),
        None => Err(Unread::Internal("the lowering gave neither a model nor an error".to_owned())),
        Some(lowered) => match violation(&lowered) {
            None => Ok(lowered),
            Some(violation) => Err(Unread::Internal(format!("the lowered model is not well formed: {violation}"))),
        },
    }
}

fn first<V: std::fmt::Debug>(violations: &[V]) -> Option<String> {
    violations.first().map(|violation| format!("{violation:?}"))
}

/// Whether the tree is the whole text, so that resolving names and types gives no follow-up errors: there are no
/// errors, or only numbers that are read as others.
fn is_whole(diagnostics: &Diagnostics) -> bool {
    let known = diagnostics.list.iter().filter(|diagnostic| diagnostic.code == codes::FLOAT_LITERAL).count();
    known == diagnostics.errors
}

/// `-D` must name constants or feature variables of the model: a misspelt one would silently check another model.
fn refuse_unknown_constants(program: &ast::Program, options: &LowerOptions, diagnostics: &mut Diagnostics) {
    let fields = program.environment.iter();
    let constants = fields.flat_map(|field| &field.declarators).map(|declarator| &declarator.name);
    let declared: Vec<&str> = constants.chain(&program.features).map(|name| name.text.as_str()).collect();
    for (name, _) in &options.constants {
        if declared.contains(&name.as_str()) {
            continue;
        }
        diagnostics.push(unknown_constant(name, &declared, "env"));
    }
}

fn unknown_constant(name: &str, declared: &[&str], keyword: &str) -> Diagnostic {
    let message = format!("`-D {name}=..` names no `{keyword}` constant of the model");
    let help = match closest(name, declared.iter().copied()) {
        Some(other) => format!("did you mean `{other}`?"),
        None if declared.is_empty() => format!("the model declares no `{keyword}` constants"),
        None => format!("the constants are {}", listed(declared.iter().copied())),
    };
    Diagnostic::error(codes::UNKNOWN_CONSTANT, Span::NONE, message).help(help)
}

/// Names for a help line; at most twelve.
pub fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.len() {
        0..=12 => names.join(", "),
        more => format!("{} and {} more", names[..12].join(", "), more - 12),
    }
}
