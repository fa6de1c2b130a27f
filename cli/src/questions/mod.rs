//! Questions: invariants of a file of their own, `check --questions FILE`, which one run decides, and formulas next to them.
//!
//! A question is a line `name: condition` or `name: formula`, or in a sequential process `assert name = condition;`; a line that begins with
//! white space continues the one before. What the language reads as a condition is one, whatever its names. Those for models of Murphi are
//! read by its parser.

mod formula;

use frontend::diagnostics::{Diagnostic, Diagnostics};
use frontend::model::{Property, PropertyKind};
use frontend::source::{Source, Span};
use ltl::{Formula, Properties as _};

use crate::args::CheckArgs;
use crate::codes;
use crate::console::Console;
use crate::language::Presented;
use crate::load::{Loaded, read_source};
use crate::outcome::Failure;
use crate::paint::clean;

/// A question as it is written.
struct Line<'t> {
    name: &'t str,
    condition: String,
    span: Span,
}

/// Puts the questions that the options name in place of the properties.
pub(crate) fn replace<L: Presented>(
    args: &CheckArgs,
    loaded: &Loaded<L>,
    properties: &mut L::Properties,
    console: &mut Console,
) -> Result<(), Failure> {
    let Some(path) = &args.question.questions else { return Ok(()) };
    let source = read_source(path, console)?;
    let mut diagnostics = Diagnostics::new();
    let lines = lines(&source, &mut diagnostics);
    let reading = args.model.reading.options();
    let exactly = |wanted: &[&str]| L::conditions(&loaded.model, &loaded.source.text, &reading, properties, wanted);
    // A condition may have the implication of formulas where the language has another.
    let read = |wanted: &[&str]| {
        let again = |(found, text): (Result<_, _>, &&str)| match formula::without_implications(text) {
            Some(text) if found.is_err() => exactly(&[text.as_str()]).pop().filter(Result::is_ok).unwrap_or(found),
            _ => found,
        };
        exactly(wanted).into_iter().zip(wanted).map(again).collect::<Vec<_>>()
    };
    let wanted: Vec<&str> = lines.iter().map(|line| line.condition.as_str()).collect();
    let kinds: Vec<Result<PropertyKind<L::Condition>, String>> = read(&wanted)
        .into_iter()
        .zip(&wanted)
        .map(|(condition, text)| match condition {
            Ok(condition) => Ok(PropertyKind::Invariant(condition)),
            Err(_) if formula::is_temporal(text) => formula_of(text, &read).map(PropertyKind::Ltl),
            Err(_) if text.is_empty() => Err("has no condition".to_owned()),
            Err(reason) => Err(format!("is no condition of the model: {reason}")),
        })
        .collect();
    properties.keep(&|_| false, true);
    assert_eq!(kinds.len(), lines.len(), "an answer for each question");
    for (kind, line) in kinds.into_iter().zip(&lines) {
        match kind {
            Ok(kind) => L::add(properties, Property { name: line.name.to_owned(), kind, span: Span::NONE }),
            Err(reason) => {
                let message = format!("the question `{}` {reason}", clean(line.name));
                diagnostics.push(Diagnostic::error(codes::QUESTION, line.span, message).help(L::PROPOSITIONS));
            }
        }
    }
    let has_errors = diagnostics.has_errors();
    console.report(diagnostics, &source);
    if has_errors { Err(Failure::Reported) } else { Ok(()) }
}

/// Reads texts as conditions of a language, or says why one is none.
type Read<'r, C> = dyn Fn(&[&str]) -> Vec<Result<C, String>> + 'r;

/// The formula of a question, with the conditions that the language reads.
fn formula_of<C: Clone>(text: &str, read: &Read<'_, C>) -> Result<Formula<C>, String> {
    let formula = formula::read(text).map_err(|reason| format!("is no formula: {reason}"))?;
    let texts: Vec<&str> = formula.atoms().into_iter().map(String::as_str).collect();
    let mut conditions = Vec::with_capacity(texts.len());
    let found = read(&texts);
    assert_eq!(found.len(), texts.len(), "an answer for each condition");
    for (condition, text) in found.into_iter().zip(&texts) {
        let reason = |reason| format!("has a part `{}`, which is no condition of the model: {reason}", clean(text));
        conditions.push(condition.map_err(reason)?);
    }
    let mut conditions = conditions.into_iter();
    Ok(formula.map(&mut |_| conditions.next().expect("a condition for each atom")))
}

/// Adds the conditions of the option `--end`, under which states without steps are no deadlocks.
pub(crate) fn add_ends<L: Presented>(
    args: &CheckArgs,
    loaded: &Loaded<L>,
    properties: &mut L::Properties,
) -> Result<(), Failure> {
    if args.question.ends.is_empty() {
        return Ok(());
    }
    let wanted: Vec<&str> = args.question.ends.iter().map(String::as_str).collect();
    let reading = args.model.reading.options();
    let found = L::conditions(&loaded.model, &loaded.source.text, &reading, properties, &wanted);
    assert_eq!(found.len(), wanted.len(), "an answer for each condition");
    for (condition, text) in found.into_iter().zip(wanted) {
        let condition = condition.map_err(|reason| {
            Failure::usage(codes::QUESTION, format!("`--end {}` is no condition of the model: {reason}", clean(text)))
                .help(L::PROPOSITIONS)
        })?;
        let property = Property { name: "end".to_owned(), kind: PropertyKind::End(condition), span: Span::NONE };
        L::add(properties, property);
    }
    Ok(())
}

/// The questions of a text. Comments begin with `//`, `--` or `#` at the begin of a line.
fn lines<'t>(source: &'t Source, diagnostics: &mut Diagnostics) -> Vec<Line<'t>> {
    let mut lines: Vec<Line<'t>> = Vec::new();
    let place = |at: usize| u32::try_from(at).expect("texts are bounded");
    let mut at = 0;
    for text in source.text.split_inclusive('\n') {
        let span = Span::new(place(at), place(at + text.trim_end().len()));
        at += text.len();
        let line = text.trim();
        let is_comment = ["//", "--", "#"].iter().any(|mark| line.starts_with(mark));
        if line.is_empty() || is_comment {
            continue;
        }
        if let (true, Some(last)) = (text.starts_with(char::is_whitespace), lines.last_mut()) {
            last.condition.push(' ');
            last.condition.push_str(line);
            continue;
        }
        let named = match line.strip_prefix("assert ") {
            Some(claim) => claim.split_once('='),
            None => line.split_once(':'),
        };
        let named = named.map(|(name, condition)| (name.trim(), condition.trim()));
        match named.filter(|(name, _)| !name.is_empty()) {
            None => {
                let message = "a question is a line `name: condition` or `name: formula`";
                let help = "lines that begin with white space continue the question before them";
                diagnostics.push(Diagnostic::error(codes::QUESTION, span, message).help(help));
            }
            Some((name, _)) if lines.iter().any(|line| line.name == name) => {
                let message = format!("there already is a question `{}`", clean(name));
                diagnostics.push(Diagnostic::error(codes::QUESTION, span, message).help("choose another name"));
            }
            Some((name, condition)) => lines.push(Line { name, condition: condition.to_owned(), span }),
        }
    }
    for line in &mut lines {
        let condition = line.condition.trim_end_matches(|mark: char| mark == ';' || mark.is_whitespace()).len();
        line.condition.truncate(condition);
    }
    lines
}
