//! The line from text to report, written as Rust:
//!
//! ```text
//! text -> Model -> slice -> group -> check -> Report
//! ```
//!
//! Each stage is a function of another crate; here they are put in order, and their diagnostics go to the console.
//! [`check`] says in which order reductions are stacked, and that each formula is a run of its own.
//!
//! A model is Rebeca or a sequential process; from here on the commands are written for any [`Language`].
//!
//! Invariant: a model that leaves [`load`] passed the `verify` of its language; one that does not is a fault of the tool.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use checker::{
    Answer, AskedKind, Control, Fairness, Limit, LimitKind, Limits, Question, Quotient, Reduction, Reductions, Report,
    Representative, Unsaved, Verdict,
};
use frontend::diagnostics::{Diagnostic, Diagnostics, closest, codes};
use frontend::lower::{LowerOptions, lower, lower_properties};
use frontend::model::verify::{verify, verify_properties};
use frontend::model::{Dialect, Model, PropertySet};
use frontend::sequential::{self, Sequential};
use frontend::source::{MAX_SOURCE_BYTES, Source, Span};
use frontend::syntax::{ast, parse_model, parse_properties};
use num_bigint::BigUint;
use slicing::reduce::Abstracted;
use symmetry::Strategy;

use crate::args::LanguageName;
use crate::checkpoint::fingerprint;
use crate::console::Console;
use crate::detection;
use crate::io;
use crate::language::Language;
use crate::outcome::Failure;
use crate::sliced::{Sliced, Slicing, bring_back};
use crate::stamped::{Stamped, split};

/// How a model is read.
#[derive(Clone, Default, Debug)]
pub(crate) struct Reading {
    /// The language; by the extension of the file if absent.
    pub(crate) language: Option<LanguageName>,
    /// The version of Core Rebeca; by content if absent.
    pub(crate) dialect: Option<Dialect>,
    /// Values for constants.
    pub(crate) constants: Vec<(String, i64)>,
}

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
}

/// Reads a model in its language.
pub(crate) fn load(path: &Path, reading: &Reading, console: &mut Console) -> Result<AnyLoaded, Failure> {
    let by_name = if is_process(path) { LanguageName::Lpe } else { LanguageName::Rebeca };
    match reading.language.unwrap_or(by_name) {
        LanguageName::Rebeca => {
            let options = LowerOptions { dialect: reading.dialect, constants: reading.constants.clone() };
            load_actors(path, &options, console).map(AnyLoaded::Actors)
        }
        LanguageName::Lpe if reading.dialect.is_some() => {
            let message = "`--core` chooses a version of Rebeca, and the model is a sequential process";
            Err(Failure::usage(Diagnostic::error(codes::CONTRADICTION, Span::NONE, message)))
        }
        LanguageName::Lpe => load_process(path, &reading.constants, console).map(AnyLoaded::Process),
    }
}

/// Whether a file is a sequential process by its name.
pub(crate) fn is_process(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("lpe"))
}

/// Reads a sequential process: text -> tree -> Sequential, verified.
fn load_process(
    path: &Path,
    constants: &[(String, i64)],
    console: &mut Console,
) -> Result<Loaded<Sequential>, Failure> {
    let source = read_source(path, console)?;
    let mut diagnostics = Diagnostics::new();
    let options = sequential::Options { constants: constants.to_vec() };
    let parsed = sequential::parse(&source.text, &options, &mut diagnostics);
    let declared: Vec<&str> = parsed.constants.iter().map(String::as_str).collect();
    for name in &parsed.unused {
        diagnostics.push(unknown_constant(name, &declared, "const"));
    }
    let failed = diagnostics.has_errors();
    console.report(diagnostics, &source);
    match parsed.model {
        Some(model) if !failed => {
            sound(&sequential::verify::verify(&model))?;
            Ok(Loaded { path: path.to_owned(), source, model })
        }
        None if !failed => Err(Failure::Internal("the lowering gave neither a process nor an error".to_owned())),
        _ => Err(Failure::Reported),
    }
}

/// The properties that are asked with a model, and their text.
#[derive(Default)]
pub(crate) struct Properties {
    /// The text; absent without a property file.
    pub(crate) source: Option<Source>,
    /// The properties.
    pub(crate) set: PropertySet,
}

/// Reads a Rebeca model: text -> tree -> Model, verified.
fn load_actors(path: &Path, options: &LowerOptions, console: &mut Console) -> Result<Loaded<Model>, Failure> {
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

/// The reductions that the user allows.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Whether the model is sliced, and how.
    pub(crate) slicing: Slicing,
    /// The variables that bounded slicing replaces.
    pub(crate) replace: Abstracted,
    /// What proposes symmetries; none for no quotient.
    pub(crate) symmetry: Option<Strategy>,
    /// Whether created rebecs may be renumbered and collected.
    pub(crate) heap_symmetry: bool,
    /// How representatives are chosen.
    pub(crate) representative: Representative,
    /// Whether orbits are counted by size.
    pub(crate) counts_orbits: bool,
    /// Whether partial order reduction may be used.
    pub(crate) partial_order: bool,
    /// Whether the message flow is asked whether it excludes overflow.
    pub(crate) proves_bounds: bool,
    /// Whether an earlier run proved that no queue overflows.
    pub(crate) overflow_excluded: bool,
}

/// Model x Question -> Report: the reachability run, then a run of its own for each formula.
pub(crate) fn check<L: Language>(
    model: &L,
    question: &Question<L::Properties>,
    plan: &Plan,
    control: &mut dyn Control,
) -> Result<Report<L::Trace>, Failure> {
    let started = Instant::now();
    let (safety, formulas) = L::split(&question.properties);
    let order: Vec<String> = L::declared(&question.properties).iter().map(|(name, _)| (*name).to_owned()).collect();
    let question = Question { properties: safety, ..question.clone_without_properties() };
    let mut report = run(model, &question, plan, control)?;
    let is_excluded = |answer: &Answer<_>| answer.kind == AskedKind::Overflow && answer.verdict == Verdict::Holds;
    let overflow_excluded = report.answers.iter().any(is_excluded);
    for formula in formulas {
        let mut alone = Question {
            deadlock: false,
            overflow: false,
            assertions: false,
            faults: false,
            properties: formula,
            keep_going: false,
            ..question.clone_without_properties()
        };
        // The limit on time is one for the whole command.
        let timeout = question.limits.timeout;
        alone.limits.timeout = timeout.map(|timeout| timeout.saturating_sub(started.elapsed()));
        // Where fairness is not followed through a quotient, or partial order stands in its place, no group is looked for.
        let unfair =
            plan.symmetry.and_then(|_| model.unfair_quotient(&alone, Plan { overflow_excluded, ..plan.clone() }));
        let symmetry = plan.symmetry.filter(|_| unfair.is_none());
        let on_all = if alone.fairness == Fairness::Weak && model.makes_rebecs() {
            on_all_runs(model, &alone, &Plan { overflow_excluded, ..plan.clone() }, control)?
        } else {
            None
        };
        let unfair = unfair.filter(|_| on_all.is_none());
        alone.limits.timeout = timeout.map(|timeout| timeout.saturating_sub(started.elapsed()));
        let mut own = match on_all {
            Some(report) => report,
            None => {
                let plan = Plan { symmetry, overflow_excluded, ..plan.clone() };
                run(model, &alone, &plan, &mut Unsaved(control))?
            }
        };
        if let (Some(_), Some(reason)) = (plan.symmetry, unfair) {
            own.reductions.push(not_applied("symmetry", reason.to_owned()));
        }
        for run in own.answers.iter_mut().filter_map(|answer| answer.run.as_mut()) {
            run.reductions.splice(0..0, std::mem::take(&mut own.reductions));
            if let (Some(used), Some(strategy)) = (&mut run.group, plan.symmetry) {
                used.detector = strategy.name().to_owned();
            }
            name_whole_time(&mut run.limit, timeout);
        }
        let interrupted = own.limit.filter(|limit| limit.kind == LimitKind::Interrupt);
        report.limit = report.limit.or(interrupted);
        report.answers.extend(own.answers);
    }
    report.seconds = started.elapsed().as_secs_f64();
    let place = |name: &str| order.iter().position(|known| known == name);
    report.answers.sort_by_key(|answer| match answer.kind {
        AskedKind::Invariant | AskedKind::Ltl => place(&answer.name),
        AskedKind::Deadlock | AskedKind::Overflow | AskedKind::Assertion | AskedKind::Error => None,
    });
    report.verdict = report.verdict_of_answers();
    Ok(report)
}

/// The states that the attempt to prove a formula of all runs may store: few enough that a violated formula is not slowed down.
const MOST_ON_ALL_RUNS: u64 = 20_000;

/// The report of a formula that holds on all runs, and so on the fair ones. It is looked for first where weak fairness rules out
/// what keeps the states few: the renumbering of created rebecs. Anything but `holds` is no answer.
fn on_all_runs<L: Language>(
    model: &L,
    question: &Question<L::Properties>,
    plan: &Plan,
    control: &mut dyn Control,
) -> Result<Option<Report<L::Trace>>, Failure> {
    let mut first = Question { fairness: Fairness::None, ..question.clone() };
    let most = question.limits.max_states.map_or(MOST_ON_ALL_RUNS, |most| most.min(MOST_ON_ALL_RUNS));
    first.limits.max_states = Some(most);
    let mut report = run(model, &first, plan, &mut Unsaved(control))?;
    if !report.answers.iter().all(|answer| answer.verdict == Verdict::Holds) {
        return Ok(None);
    }
    let told = "the formula holds on all runs, and so on the fair ones".to_owned();
    report.reductions.push(Reduction { name: "all-runs", applied: true, detail: told });
    Ok(Some(report))
}

/// One run: on the slice first, where the question is one that a slice answers; everything after it belongs to the slice.
fn run<L: Language>(
    model: &L,
    question: &Question<L::Properties>,
    plan: &Plan,
    control: &mut dyn Control,
) -> Result<Report<L::Trace>, Failure> {
    let started = Instant::now();
    let cut = match model.slice(question, (plan.slicing, &plan.replace), control)? {
        Sliced::Whole => return reduced(model, question, plan, control),
        Sliced::Refused(reason) => {
            let mut report = reduced(model, question, plan, control)?;
            report.reductions.insert(0, not_applied("slicing", reason));
            return Ok(report);
        }
        Sliced::Cut(cut) => cut,
    };
    // Slicing, its check and the way back share one limit on time.
    let timeout = question.limits.timeout;
    let left = || Limits { timeout: timeout.map(|most| most.saturating_sub(started.elapsed())), ..question.limits };
    let own = Question { properties: cut.properties, limits: left(), ..question.clone_without_properties() };
    let report = reduced(&cut.model, &own, plan, control)?;
    let is_over = || control.interrupted().is_some() || left().timeout.is_some_and(|left| left.is_zero());
    let (mut report, told) = match bring_back::<L>(report, &*cut.lift, &is_over) {
        Ok(report) => (report, Reduction { name: "slicing", applied: true, detail: cut.detail }),
        Err(reason) => {
            let again = Question { limits: left(), ..question.clone() };
            (reduced(model, &again, plan, &mut Unsaved(control))?, not_applied("slicing", reason))
        }
    };
    name_whole_time(&mut report.limit, timeout);
    report.reductions.insert(0, told);
    Ok(report)
}

/// One run, with its reductions in the order in which they are stacked.
fn reduced<L: Language>(
    model: &L,
    question: &Question<L::Properties>,
    plan: &Plan,
    control: &mut dyn Control,
) -> Result<Report<L::Trace>, Failure> {
    // 1. The group: of this model, fixing exactly what this run asks.
    let (started, timeout) = (Instant::now(), question.limits.timeout);
    let mut told = Vec::new();
    let look = |strategy| detection::group(model, &question.properties, strategy, &question.limits, control);
    let group = plan.symmetry.and_then(|strategy| match look(strategy) {
        Ok(group) if L::order(&group) > BigUint::from(1u32) => Some(group),
        Ok(_) => {
            told.push(not_applied("symmetry", format!("{strategy} finds no symmetry that fixes what is asked")));
            None
        }
        Err(reason) => {
            told.push(not_applied("symmetry", reason));
            None
        }
    });
    // 2. The search, in the quotient and with partial order where both are sound.
    let Plan { representative, counts_orbits, .. } = *plan;
    let is_open = question.overflow || !plan.overflow_excluded;
    let is_proved = (plan.proves_bounds && L::HAS_QUEUES && is_open).then(|| model.never_overflows());
    let is_bounded = is_proved == Some(true);
    let overflow_excluded = plan.overflow_excluded || is_bounded;
    let heap_symmetry = plan.heap_symmetry;
    // While everything is asked of a process, what is stored is one state an orbit and nothing less, as for actors.
    let is_put_off = plan.partial_order && !L::HAS_QUEUES && question.faults && !plan.proves_bounds;
    let partial_order = plan.partial_order && !is_put_off;
    // A search goes on only under what it was begun with; one that was begun without a group goes on without.
    let stamp = |group: Option<&L::Group>| {
        let generators = group.map_or_else(String::new, L::generators);
        format!("{}\n{generators}\n{heap_symmetry} {partial_order} {overflow_excluded}", model.text())
    };
    let mut group = group;
    let resumed = match control.resumed().map(split) {
        None => None,
        Some(Some((known, rest))) if known == fingerprint(&stamp(group.as_ref())) => Some(rest),
        Some(Some((known, rest))) if known == fingerprint(&stamp(None)) => {
            group = None;
            told.push(not_applied("symmetry", "the search that goes on was begun without it".to_owned()));
            Some(rest)
        }
        Some(_) => return Err(other_reductions()),
    };
    let quotient = group.as_ref().map(|group| Quotient { group, representative, counts_orbits });
    let reductions = Reductions { quotient, heap_symmetry, partial_order, overflow_excluded };
    let mut question = question.clone();
    question.limits.timeout = timeout.map(|timeout| timeout.saturating_sub(started.elapsed()));
    let text = || stamp(group.as_ref());
    let mut control = Stamped::new(control, resumed, &text);
    let mut report = model.check(&question, reductions, &mut control).map_err(|error| Failure::Internal(error.0))?;
    name_whole_time(&mut report.limit, timeout);
    told.append(&mut report.reductions);
    if is_put_off {
        told.push(not_applied(
            "partial-order",
            "run-time faults are asked; --por on or --no-faults allows it".to_owned(),
        ));
    }
    if let Some(is_bounded) = is_proved {
        told.push(Reduction { name: "queue-bounds", applied: is_bounded, detail: bounded(is_bounded, &mut report)? });
    }
    report.reductions = told;
    if let (Some(used), Some(strategy)) = (&mut report.group, plan.symmetry) {
        used.detector = strategy.name().to_owned();
    }
    let names = group.as_ref().map(|group| model.names(group));
    let runs = report.answers.iter_mut().filter_map(|answer| answer.run.as_mut()?.group.as_mut());
    for used in report.group.iter_mut().chain(runs) {
        used.names = names.clone().unwrap_or_default();
    }
    Ok(report)
}

/// A limit on time is that of the whole command, not what was left of it.
fn name_whole_time(limit: &mut Option<Limit>, timeout: Option<Duration>) {
    if let (Some(limit), Some(timeout)) = (limit, timeout)
        && limit.kind == LimitKind::Time
    {
        limit.value = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
    }
}

/// What the message flow says of overflow, for the report. A proof answers the question whatever the search has seen of it.
fn bounded<T>(is_bounded: bool, report: &mut Report<T>) -> Result<String, Failure> {
    if !is_bounded {
        return Ok("the message flow does not exclude overflow; `quotient bounds` says of which queues".to_owned());
    }
    let proof = "the message flow proves that no queue overflows";
    for answer in report.answers.iter_mut().filter(|answer| answer.kind == AskedKind::Overflow) {
        if answer.verdict == Verdict::Violated {
            return Err(Failure::Internal(format!("{proof}, and one does")));
        }
        (answer.verdict, answer.message) = (Verdict::Holds, proof.to_owned());
    }
    Ok(proof.to_owned())
}

/// A checkpoint that is of this model and question, and of another reduction of it.
fn other_reductions() -> Failure {
    let message = "the checkpoint was saved with other symmetries or of another slice, which limits decide as well";
    let help = "resume with the limit on time of the run that saved it or a longer one, or begin anew";
    Failure::usage(Diagnostic::error(codes::UNUSABLE_CHECKPOINT, Span::NONE, message).help(help))
}

fn not_applied(name: &'static str, detail: String) -> Reduction {
    Reduction { name, applied: false, detail }
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
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.len() {
        0..=12 => names.join(", "),
        more => format!("{} and {} more", names[..12].join(", "), more - 12),
    }
}

fn sound<V: std::fmt::Debug>(violations: &[V]) -> Result<(), Failure> {
    match violations {
        [] => Ok(()),
        [first, ..] => Err(Failure::Internal(format!("the lowered model is not well formed: {first:?}"))),
    }
}
