//! Text -> Model: parsing, lowering, verification, for each language.
//!
//! Every fault of a text is a diagnostic; all of them are collected, and reading never panics.
//!
//! Invariant: a model that is returned passed the `verify` of its language; one that does not pass is a fault of the tool.

use std::path::Path;

use frontend::diagnostics::{Diagnostic, Diagnostics, closest, codes};
use frontend::dve;
use frontend::lower::{LowerOptions, lower, lower_properties};
use frontend::model::verify::{verify, verify_properties};
use frontend::model::{Dialect, Model, PropertySet};
use frontend::murphi::{self, program::Program};
use frontend::pnml;
use frontend::promela;
use frontend::sequential::{self, Options, Origin, Sequential};
use frontend::source::{Source, Span};
use frontend::syntax::{ast, parse_model, parse_properties};

frontend::named! {
    /// The language of a text.
    pub enum LanguageName {
        /// Rebeca.
        Rebeca = "rebeca",
        /// The sequential language.
        Lpe = "lpe",
        /// Murphi.
        Murphi = "murphi",
        /// DVE, whose models are processes of the sequential language.
        Dve = "dve",
        /// Petri nets, whose models are processes too.
        Pnml = "pnml",
        /// Promela, whose models are processes too.
        Promela = "promela",
    }
}

impl LanguageName {
    /// The language of a file by its name and text: `.lpe` is sequential, `.dve` DVE, `.pnml` a Petri net, `.pml` Promela, `.m` is Murphi unless it begins as a Rebeca
    /// model does, all else is Rebeca.
    pub fn of(file: &str, text: &str) -> LanguageName {
        let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            "lpe" | "LPE" | "Lpe" => LanguageName::Lpe,
            "dve" | "DVE" | "Dve" => LanguageName::Dve,
            "pnml" | "PNML" => LanguageName::Pnml,
            "pml" | "prom" | "promela" | "PML" => LanguageName::Promela,
            "m" | "M" if !begins_as_rebeca(text) => LanguageName::Murphi,
            _ => LanguageName::Rebeca,
        }
    }
}

/// The words with which Rebeca models begin.
const REBECA: [&str; 7] = ["env", "interface", "abstract", "reactiveclass", "main", "featurevar", "featurevars"];

/// Whether a text begins as a Rebeca model does, behind comments of either language.
fn begins_as_rebeca(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let after = match (rest.strip_prefix("/*"), rest.starts_with("--")) {
            (Some(comment), _) => comment.split_once("*/").map_or("", |(_, after)| after),
            (None, true) => rest.split_once('\n').map_or("", |(_, after)| after),
            (None, false) => break,
        };
        rest = after.trim_start();
    }
    let word: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
    rest.starts_with("//") || REBECA.contains(&word.as_str())
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
    /// Those of their names whose values are part of a range, and so are numbers.
    pub ranges: Vec<String>,
}

/// A model in one of the languages.
#[derive(Clone, Debug)]
pub enum AnyModel {
    /// Rebeca.
    Actors(Model),
    /// The sequential language.
    Process(Sequential),
    /// Murphi.
    Murphi(Program),
}

/// The reason why a text gave no model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unread {
    /// The text has faults, which the diagnostics describe.
    IllFormed,
    /// A version of Rebeca is requested, and the model is in another language.
    NoDialect,
    /// A fault of the tool.
    Internal(String),
}

/// Reads a model in its language: text -> tree -> model, verified.
///
/// # Errors
/// The text is no model.
pub fn read(file: &str, text: &str, reading: &Reading, diagnostics: &mut Diagnostics) -> Result<AnyModel, Unread> {
    match reading.language.unwrap_or_else(|| LanguageName::of(file, text)) {
        LanguageName::Rebeca => {
            let options = LowerOptions { dialect: reading.dialect, constants: reading.constants.clone() };
            read_actors(text, &options, &reading.ranges, diagnostics).map(AnyModel::Actors)
        }
        _ if reading.dialect.is_some() => Err(Unread::NoDialect),
        LanguageName::Murphi => read_murphi(text, &reading.constants, diagnostics).map(AnyModel::Murphi),
        language => read_process(language, text, &reading.constants, diagnostics).map(AnyModel::Process),
    }
}

/// The text of a model with the texts that it includes; nothing where it includes none.
pub fn include(
    file: &Path,
    source: &Source,
    reading: &Reading,
    read: promela::Reader<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<promela::Joined> {
    match reading.language.unwrap_or_else(|| LanguageName::of(&file.to_string_lossy(), &source.text)) {
        LanguageName::Promela => promela::include(&source.name, &source.text, &reading.constants, read, diagnostics),
        _ => None,
    }
}

/// Reads the formulas of a property file for a model of Murphi that was read from a text: the model with them.
///
/// # Errors
/// The formulas have faults.
pub fn read_formulas(
    model: &str,
    constants: &[(String, i64)],
    formulas: &str,
    diagnostics: &mut Diagnostics,
) -> Result<Program, Unread> {
    whole(murphi::parse_formulas(model, &overrides(constants), formulas, diagnostics), diagnostics, |_| None)
}

/// Reads the questions of a file for a model of Murphi that was read from a text: the model with them in place of its properties.
///
/// # Errors
/// The questions have faults.
pub fn read_questions(
    model: &str,
    constants: &[(String, i64)],
    questions: &str,
    diagnostics: &mut Diagnostics,
) -> Result<Program, Unread> {
    whole(murphi::parse_questions(model, &overrides(constants), questions, diagnostics), diagnostics, |_| None)
}

/// The constants that have another value, as far as they fit.
fn overrides(constants: &[(String, i64)]) -> murphi::Options {
    let value = |(name, value): &(String, i64)| Some((name.clone(), i32::try_from(*value).ok()?));
    murphi::Options { constants: constants.iter().filter_map(value).collect() }
}

/// Reads the formulas of a file for a model of DVE, or those of the contest for a net, which was read from a text: the model with them.
///
/// # Errors
/// The formulas have faults.
pub fn read_process_formulas(
    mut model: Sequential,
    text: &str,
    constants: &[(String, i64)],
    formulas: &str,
    diagnostics: &mut Diagnostics,
) -> Result<Sequential, Unread> {
    let options = Options { constants: constants.to_vec() };
    let read = match model.origin {
        Origin::Pnml => pnml::parse_formulas(&model, text, formulas, diagnostics),
        _ => dve::parse_formulas(text, &options, formulas, diagnostics),
    };
    model.properties.extend(read);
    whole_process(Some(model), diagnostics)
}

/// Reads a model in a language whose models are processes of the sequential form.
fn read_process(
    language: LanguageName,
    text: &str,
    constants: &[(String, i64)],
    diagnostics: &mut Diagnostics,
) -> Result<Sequential, Unread> {
    let options = Options { constants: constants.to_vec() };
    let (parsed, keyword) = match language {
        LanguageName::Dve => (dve::parse(text, &options, diagnostics), "const"),
        LanguageName::Pnml => (pnml::parse(text, &options, diagnostics), "const"),
        LanguageName::Promela => (promela::parse(text, &options, diagnostics), "#define"),
        _ => (sequential::parse(text, &options, diagnostics), "const"),
    };
    let declared: Vec<&str> = parsed.constants.iter().map(String::as_str).collect();
    for name in &parsed.unused {
        diagnostics.push(unknown_constant(name, &declared, keyword));
    }
    whole_process(parsed.model, diagnostics)
}

/// The result of a lowering to the sequential form, if the text has no fault: what a lowering adds may make expressions too high that
/// are nested no deeper than their language allows.
fn whole_process(lowered: Option<Sequential>, diagnostics: &mut Diagnostics) -> Result<Sequential, Unread> {
    let process = lowered.as_ref().filter(|_| !diagnostics.has_errors());
    let mut violations = process.map_or(Vec::new(), sequential::verify::verify);
    violations.dedup();
    if violations.iter().all(|violation| violation.rule == "nesting") {
        for violation in &violations {
            let most = sequential::MAX_NESTING;
            let message = format!("{} is nested more than {most} levels deep in the sequential form", violation.what);
            let help = "write shorter conditions, or keep their parts in variables";
            diagnostics.push(Diagnostic::error(codes::NESTED_TOO_DEEPLY, Span::NONE, message).help(help));
        }
        return whole(lowered, diagnostics, |_| None);
    }
    whole(lowered, diagnostics, |_| first(&violations))
}

fn read_murphi(text: &str, constants: &[(String, i64)], diagnostics: &mut Diagnostics) -> Result<Program, Unread> {
    let mut options = murphi::Options::default();
    for (name, value) in constants {
        match i32::try_from(*value) {
            Ok(value) => options.constants.push((name.clone(), value)),
            Err(_) => {
                let message = format!("`{name}` cannot be {value}");
                let help = "integers lie between -2147483648 and 2147483647";
                diagnostics.push(Diagnostic::error(codes::MURPHI_OVERRIDE, Span::NONE, message).help(help));
            }
        }
    }
    let parsed = murphi::parse(text, &options, diagnostics);
    let declared = parsed.program.iter().flat_map(|program| &program.constants);
    let declared: Vec<&str> = declared.map(|constant| constant.name.as_str()).collect();
    for name in &parsed.unused {
        diagnostics.push(unknown_constant(name, &declared, "const"));
    }
    whole(parsed.program, diagnostics, |_| None)
}

fn read_actors(
    text: &str,
    options: &LowerOptions,
    ranges: &[String],
    diagnostics: &mut Diagnostics,
) -> Result<Model, Unread> {
    let program = parse_model(text, diagnostics);
    let model = if !is_whole(diagnostics) {
        None
    } else {
        refuse_unknown_constants(&program, options, diagnostics);
        refuse_ranges_of_features(&program, ranges, diagnostics);
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

/// Feature variables are true or false, which is no range.
fn refuse_ranges_of_features(program: &ast::Program, ranges: &[String], diagnostics: &mut Diagnostics) {
    for name in ranges.iter().filter(|name| program.features.iter().any(|feature| feature.text == **name)) {
        let message = format!("`{name}` is a feature variable, and a range of numbers is given for it");
        let help = format!("feature variables are true or false: `-D {name}=true,false` takes both");
        diagnostics.push(Diagnostic::error(codes::FEATURE_RANGE, Span::NONE, message).help(help));
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

#[cfg(test)]
mod tests {
    use frontend::diagnostics::Diagnostics;

    use super::{LanguageName, Unread, read_process, read_process_formulas};

    /// Expressions that are too high after the lowering only are faults of the text.
    #[test]
    fn expressions_that_grow_in_the_lowering_are_reported() {
        let dve = |levels: usize| {
            let guard = format!("{}x{}", "(".repeat(levels), " + 1 and x)".repeat(levels));
            format!(
                "byte x; process P {{ state s; init s; trans s -> s {{ guard {guard}; effect x = 1; }}; }} system async;"
            )
        };
        for (levels, codes) in [(60, &[][..]), (95, &["E0112"][..])] {
            let mut diagnostics = Diagnostics::new();
            let read = read_process(LanguageName::Dve, &dve(levels), &[], &mut diagnostics);
            let found: Vec<&str> = diagnostics.list.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
            assert_eq!((found.as_slice(), read.is_ok()), (codes, codes.is_empty()), "{levels}");
            assert!(matches!(read, Ok(_) | Err(Unread::IllFormed)), "{levels}");
        }
        let net = "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"n\" \
            type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\"><place id=\"a\"/></page></net></pnml>";
        let [open, close] = ["<negation>", "</negation>"].map(|tag| tag.repeat(300));
        let formulas = format!(
            "<property-set><property><id>f</id><formula><exists-path><finally>{open}<integer-le><tokens-count><place>a</place>\
             </tokens-count><integer-constant>1</integer-constant></integer-le>{close}</finally></exists-path></formula></property></property-set>"
        );
        let mut diagnostics = Diagnostics::new();
        let model = read_process(LanguageName::Pnml, net, &[], &mut diagnostics).expect("a net");
        let read = read_process_formulas(model, net, &[], &formulas, &mut diagnostics);
        assert!(matches!(read, Err(Unread::IllFormed)));
        assert!(
            diagnostics.list.iter().all(|diagnostic| diagnostic.code.as_str() == "E0112"),
            "{:?}",
            diagnostics.list
        );
    }

    #[test]
    fn the_language_is_that_of_the_name_and_the_text() {
        let cases = [
            ("a.lpe", "", LanguageName::Lpe),
            ("a.dve", "", LanguageName::Dve),
            ("a.pnml", "", LanguageName::Pnml),
            ("a.pml", "", LanguageName::Promela),
            ("a.rebeca", "const N: 3;", LanguageName::Rebeca),
            ("a.m", "-- a model\n/* of */ Const N: 3;", LanguageName::Murphi),
            ("a.M", "", LanguageName::Murphi),
            ("a.m", "/* a model */ reactiveclass A(2) {", LanguageName::Rebeca),
            ("a.m", "// a model", LanguageName::Rebeca),
            ("-", "var x: boolean;", LanguageName::Rebeca),
        ];
        for (file, text, language) in cases {
            assert_eq!(LanguageName::of(file, text), language, "{file} {text}");
        }
    }
}
