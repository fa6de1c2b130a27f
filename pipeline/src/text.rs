//! From the text of a model to its report in one call.

use checker::{Control, Limits, Question, Report, SearchOrder, Threads, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::interpret::trace::Trace;
use frontend::murphi;
use frontend::sequential;

use crate::line::{Error, Plan, check};
use crate::read::{AnyModel, Reading, Unread, read, read_properties};

/// The question about a text, and the options for answering it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The options for reading the text.
    pub reading: Reading,
    /// The text of a property file, for Rebeca; a sequential process has its properties in its text.
    pub properties: Option<String>,
    /// Whether deadlock is part of the question.
    pub deadlock: bool,
    /// Whether overflow of queues is part of the question.
    pub overflow: bool,
    /// Whether everything is explored instead of stopping at the first violation.
    pub keep_going: bool,
    /// Bounds on the search.
    pub limits: Limits,
    /// The threads of the search.
    pub threads: Threads,
    /// The reductions that are allowed.
    pub plan: Plan,
}

impl Default for Options {
    /// The question includes everything, and every sound reduction is allowed.
    fn default() -> Options {
        Options {
            reading: Reading::default(),
            properties: None,
            deadlock: true,
            overflow: true,
            keep_going: false,
            limits: Limits::default(),
            threads: Threads::default(),
            plan: Plan::default(),
        }
    }
}

/// The reason why a text has no report.
#[derive(Debug)]
pub enum Failure {
    /// The text of the model or of its properties is ill-formed.
    Text(Diagnostics),
    /// A stage of the line failed.
    Line(Error),
}

/// A report, with executions in the terms of the language.
#[derive(Clone, Debug)]
pub enum AnyReport {
    /// Of a Rebeca model.
    Actors(Report<Trace>),
    /// Of a sequential process.
    Process(Report<sequential::trace::Trace>),
    /// Of a model of Murphi.
    Murphi(Report<murphi::trace::Trace>),
}

impl AnyReport {
    /// The verdict over the whole question.
    pub fn verdict(&self) -> Verdict {
        match self {
            AnyReport::Actors(report) => report.verdict,
            AnyReport::Process(report) => report.verdict,
            AnyReport::Murphi(report) => report.verdict,
        }
    }

    /// States stored: one per orbit in a quotient.
    pub fn states(&self) -> u64 {
        match self {
            AnyReport::Actors(report) => report.states,
            AnyReport::Process(report) => report.states,
            AnyReport::Murphi(report) => report.states,
        }
    }
}

/// Reads a model and checks the whole question. The name of the file decides the language unless the options do.
///
/// # Errors
/// The text is no model, or a stage of the line failed.
pub fn check_text(file: &str, text: &str, options: &Options) -> Result<AnyReport, Failure> {
    check_text_with(file, text, options, &mut ())
}

fn check_text_with(file: &str, text: &str, options: &Options, control: &mut dyn Control) -> Result<AnyReport, Failure> {
    let mut diagnostics = Diagnostics::new();
    match read(file, text, &options.reading, &mut diagnostics) {
        Err(unread) => Err(failure(unread, diagnostics)),
        Ok(AnyModel::Actors(model)) => {
            let properties = options.properties.as_deref().unwrap_or("");
            let properties = match properties {
                "" => frontend::model::PropertySet::default(),
                text => match read_properties(text, &model, &mut diagnostics) {
                    Ok(properties) => properties,
                    Err(unread) => return Err(failure(unread, diagnostics)),
                },
            };
            let report = check(&model, &question(options, properties), &options.plan, control);
            report.map(AnyReport::Actors).map_err(Failure::Line)
        }
        Ok(AnyModel::Process(model)) => {
            let question = question(options, model.properties.clone());
            check(&model, &question, &options.plan, control).map(AnyReport::Process).map_err(Failure::Line)
        }
        Ok(AnyModel::Murphi(model)) => {
            let question = question(options, model.claims());
            check(&model, &question, &options.plan, control).map(AnyReport::Murphi).map_err(Failure::Line)
        }
    }
}

fn failure(unread: Unread, diagnostics: Diagnostics) -> Failure {
    match unread {
        Unread::Internal(message) => Failure::Line(Error::Internal(message)),
        Unread::IllFormed | Unread::NoDialect => Failure::Text(diagnostics),
    }
}

fn question<P: Default>(options: &Options, properties: P) -> Question<P> {
    Question {
        deadlock: options.deadlock,
        overflow: options.overflow,
        properties,
        keep_going: options.keep_going,
        order: SearchOrder::BreadthFirst,
        threads: options.threads,
        limits: options.limits,
        ..Question::default()
    }
}
