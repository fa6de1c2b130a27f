//! Automata in the HOA format for a model: `check --buchi FILE` and `convert --to hoa`.
//!
//! `check --buchi` checks that no run is accepted: the property is the negation of acceptance, and its propositions
//! are conditions of the model like those of any formula.

use std::path::Path;

use frontend::diagnostics::Diagnostic;
use frontend::model::{Formula, Property, PropertyKind};
use frontend::source::{Source, Span};
use ltl::Properties as _;
use ltl::hoa::{self, Hoa, HoaError, HoaErrorKind, Place};

use crate::codes;
use crate::console::Console;
use crate::io;
use crate::language::Presented;
use crate::load::{Loaded, read_source};
use crate::outcome::Failure;
use crate::paint::{clean, place};
use crate::words::there_are;
use pipeline::{Reading, listed};

/// Adds to the properties that no run is accepted by the automaton of a file; returns the name of the property, and
/// its place.
pub(crate) fn add_property<L: Presented>(
    path: &Path,
    loaded: &Loaded<L>,
    reading: &Reading,
    properties: &mut L::Properties,
    console: &mut Console,
) -> Result<(String, String), Failure> {
    let source = read_source(path, console)?;
    let read = hoa::parse(&source.text).map_err(diagnostic);
    let read = read.and_then(|hoa| property::<L>(hoa, path, loaded, reading, properties));
    let property = match read {
        Ok(property) => property,
        Err(diagnostic) => {
            console.report_one(*diagnostic, &source);
            return Err(Failure::Reported);
        }
    };
    let at = if property.span.is_none() { io::display(path) } else { location(&source, property.span) };
    let name = property.name.clone();
    // Its span belongs to another text.
    L::add(properties, Property { span: Span::NONE, ..property });
    Ok((name, at))
}

fn span_of(place: Place) -> Span {
    Span::new(place.start, place.end)
}

/// The diagnostic of a text that is no automaton.
fn diagnostic(error: HoaError) -> Box<Diagnostic> {
    let (code, help) = match error.kind {
        HoaErrorKind::Syntax => {
            (codes::HOA_SYNTAX, "`quotient convert MODEL --to hoa --name P` writes an automaton to start from")
        }
        HoaErrorKind::Unsupported => {
            (codes::HOA_UNSUPPORTED, "make it a (generalised) Buchi automaton, a smaller one if it is too large")
        }
    };
    Box::new(Diagnostic::error(code, span_of(error.place), error.message).help(help))
}

fn location(source: &Source, span: Span) -> String {
    place(&source.name, source.position(span.start))
}

fn property<L: Presented>(
    hoa: Hoa,
    path: &Path,
    loaded: &Loaded<L>,
    reading: &Reading,
    properties: &L::Properties,
) -> Result<Property<L::Condition>, Box<Diagnostic>> {
    let stem = || path.file_stem().map_or_else(|| "automaton".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let (name, span) = match hoa.name.filter(|(name, _)| !name.trim().is_empty()) {
        Some((name, place)) => (name, span_of(place)),
        None => (stem(), Span::NONE),
    };
    let is_taken = L::declared(properties).iter().any(|(known, _)| *known == name);
    if is_taken || L::BUILT_IN.contains(&name.as_str()) {
        let message = format!("there already is a property `{}`", clean(&name));
        let help = "give the automaton another `name:`, or the file another name";
        return Err(Box::new(Diagnostic::error(codes::DUPLICATE_PROPERTY, span, message).help(help)));
    }
    let wanted: Vec<&str> = hoa.propositions.iter().map(|(name, _)| name.as_str()).collect();
    let found = L::conditions(&loaded.model, &loaded.source.text, reading, properties, &wanted);
    let mut atoms = Vec::new();
    for (condition, (name, place)) in found.into_iter().zip(&hoa.propositions) {
        let atom = condition.map_err(|reason| {
            let message = format!("`{}` is not a condition of the model: {reason}", clean(name));
            let help = L::PROPOSITIONS;
            Box::new(Diagnostic::error(codes::HOA_PROPOSITION, span_of(*place), message).help(help))
        })?;
        atoms.push(Formula::Atom(atom));
    }
    let accepted = Formula::Accepted(Box::new(hoa.automaton), atoms);
    Ok(Property { name, kind: PropertyKind::Ltl(Formula::Not(Box::new(accepted))), span })
}

/// The automaton of the runs that violate a formula, as text.
pub(crate) fn text<L: Presented>(
    model: &L,
    properties: &L::Properties,
    wanted: Option<&str>,
) -> Result<String, Failure> {
    let formulas = properties.formulas();
    let names = || formulas.iter().map(|(name, _)| *name);
    let refused = |message: String, help: String| Err(Failure::usage(codes::UNKNOWN_PROPERTY, message).help(help));
    let chosen = match (wanted, &formulas[..]) {
        (_, []) => {
            let message = "there is no LTL formula whose automaton could be written".to_owned();
            return refused(message, "name a file with formulas by `--property FILE`".to_owned());
        }
        (None, [only]) => only,
        (None, _) => {
            return refused(
                "which formula's automaton is to be written is not said".to_owned(),
                format!("choose by `--name`; there are {}", listed(names())),
            );
        }
        (Some(name), _) => match formulas.iter().find(|(known, _)| *known == name) {
            Some(known) => known,
            None => {
                return refused(format!("there is no LTL formula `{}`", clean(name)), there_are(name, names()));
            }
        },
    };
    let Some(violating) = L::violating(chosen.1) else {
        let (what, help) = match chosen.1.is_branching() {
            true => ("it quantifies over runs", "formulas with `X F G U W R` have automata"),
            false => ("it is too large", "split the formula"),
        };
        return Err(Failure::usage(codes::HOA_UNSUPPORTED, format!("there is no automaton of `{}`: {what}", chosen.0))
            .help(help));
    };
    let conditions: Vec<String> =
        violating.conditions.iter().map(|condition| model.condition_text(properties, condition)).collect();
    Ok(hoa::print(&violating.automaton, &conditions, &format!("!({})", chosen.0)))
}
