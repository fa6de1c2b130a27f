//! `quotient check`: the line of `pipeline`, with the model's property file, and a report of the result.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use checker::{GroupUsed, LimitKind, Limits, Question, Report, Verdict, stopped_report};
use frontend::diagnostics::{Diagnostic, Diagnostics};
use frontend::model::{Formula, Model};
use frontend::murphi::program::{ClaimKind, Program};
use frontend::sequential::{Origin, Sequential};
use frontend::source::{Source, Span};
use frontend::unread::Unread;
use ltl::Properties as _;
use slicing::reduce::Abstracted;
use symmetry::Strategy;

use super::requested::{Requested, one_thread, requested};
use super::slice;
use super::sweep;
use crate::args::{CheckArgs, Emptiness, Fairness, ImagesMode, Search, SliceMode, StructuralMode, Symmetry};
use crate::automata;
use crate::checkpoint::{self, CheckpointWriter};
use crate::codes;
use crate::console::Console;
use crate::io;
use crate::language::Presented;
use crate::load::{self, AnyLoaded, Loaded, Properties};
use crate::outcome::{Failure, Outcome, reporting};
use crate::paint::place;
use crate::paths::{refuse_overwriting, refuse_two_on_standard_output};
use crate::questions;
use crate::render::coverage::never_executed;
use crate::render::export::read::NearFile;
use crate::render::export::{Additions, Targets};
use crate::render::progress::Watch;
use crate::render::unread::never_read;
use crate::render::{Checked, detect, human, json};
use crate::spill::Folder;
use crate::world::peak_memory;
use pipeline::{Language, Plan};

/// Checks a model and writes the report.
pub(crate) fn run(args: &CheckArgs, console: &mut Console) -> Result<Outcome, Failure> {
    if args.model.reading.is_sweep() {
        return sweep::check(args, console);
    }
    sweep::refuse_alone(&args.sweep)?;
    let started = Instant::now();
    match limits::watch().enter(|| check(args, console)) {
        Ok(Err(Failure::Stopped(stopped))) | Err(stopped) => {
            let report = Report { seconds: started.elapsed().as_secs_f64(), ..stopped_report(Vec::new(), stopped) };
            reporting(|| present_unsearched(args, &report, stopped.phase, console))?;
            Ok(Outcome::stopped(stopped))
        }
        Ok(done) => done,
    }
}

/// Writes the report where a limit or a signal came before the search, in a phase.
fn present_unsearched(args: &CheckArgs, report: &Report<()>, phase: &str, console: &Console) -> Result<(), Failure> {
    let document = json::unsearched(report, args, console);
    let text = match args.report.json {
        true => json::pretty(&document),
        false => human::unsearched(&io::display(&args.model.model), report, phase, colours(args, console)),
    };
    io::write(args.report.output.as_deref(), text.as_bytes())?;
    Targets::new(&args.files)?.write(document, &Additions::default())
}

/// Whether the report is in colour.
fn colours(args: &CheckArgs, console: &Console) -> bool {
    let to_stdout = args.report.output.as_deref().is_none_or(|path| path == Path::new(io::STANDARD));
    to_stdout && console.colours_stdout()
}

/// Checks a model and writes the report, unless this is stopped before.
fn check(args: &CheckArgs, console: &mut Console) -> Result<Outcome, Failure> {
    io::refuse_unwritable(args.report.output.as_deref())?;
    Targets::new(&args.files)?;
    let saved = |folder: &Option<PathBuf>| folder.as_deref().map(checkpoint::file);
    let own = own_properties(&args.model.model);
    // A search may continue in the folder from which it is resumed.
    let continues = args.search.resume.as_deref().zip(args.search.checkpoint.as_deref());
    let continues = continues.is_some_and(|(resumed, kept)| checkpoint::is_same(resumed, kept));
    let resumed = saved(&args.search.resume).filter(|_| !continues);
    refuse_two_on_standard_output(args.report.output.as_deref(), args.files.report.iter().map(PathBuf::as_path))?;
    let read = [
        Some(&args.model.model),
        args.question.property.as_ref(),
        args.question.questions.as_ref(),
        own.as_ref(),
        resumed.as_ref(),
    ];
    let kept = saved(&args.search.checkpoint);
    let written = [args.report.output.as_ref(), kept.as_ref()];
    refuse_overwriting(
        read.into_iter().flatten().chain(&args.question.buchi).map(PathBuf::as_path),
        written.into_iter().flatten().chain(&args.files.report).map(PathBuf::as_path),
    )?;
    match load::load(&args.model.model, &args.model.reading.options(), console)? {
        AnyLoaded::Actors(loaded) => {
            let Properties { source, mut set } = properties(args, &loaded.model, console)?;
            let unread = unread(args, &loaded, &set);
            questions::replace(args, &loaded, &mut set, console)?;
            questions::add_ends(args, &loaded, &mut set)?;
            let replace = replaced(args, &loaded.model)?;
            let texts = Texts { declared: source.as_ref(), other: None, unread: &unread, left_out: &[] };
            check_question(args, loaded, texts, set, replace, console)
        }
        AnyLoaded::Process(mut loaded) => {
            let formulas = match loaded.model.origin {
                Origin::Dve => property_file(args, console),
                Origin::Pnml | Origin::Lpe | Origin::Promela => {
                    remark_unread_properties(args, console);
                    args.question.property.clone()
                }
            };
            if let Some(path) = formulas {
                load::load_process_formulas(&path, &mut loaded, &args.model.reading.options(), console)?;
            }
            let unread = unread(args, &loaded, &loaded.model.properties);
            let mut own = loaded.model.properties.clone();
            let mut left_out = Vec::new();
            if args.question.no_property {
                left_out = names_of::<Sequential>(&own);
                own.clear();
            }
            questions::replace(args, &loaded, &mut own, console)?;
            questions::add_ends(args, &loaded, &mut own)?;
            let source = loaded.source.clone();
            if !args.reductions.replace.is_empty() {
                let message = "`--abstract` is for actors, and the model is a sequential process";
                return Err(Failure::contradiction(message));
            }
            let texts = Texts { declared: Some(&source), other: None, unread: &unread, left_out: &left_out };
            check_question(args, loaded, texts, own, Abstracted::new(), console)
        }
        AnyLoaded::Murphi(mut loaded) => {
            refuse_for_murphi(args)?;
            let reading = args.model.reading.options();
            let unread = unread(args, &loaded, &Vec::new());
            let other = if let Some(path) = &args.question.questions {
                load::load_questions(path, &mut loaded, &reading, console)?
            } else {
                let (path, ends) = (property_file(args, console), &args.question.ends);
                load::load_formulas(path.as_deref(), ends, &mut loaded, &reading, console)?
            };
            let mut own = loaded.model.claims();
            let left_out = if args.question.no_property { names_of::<Program>(&own) } else { Vec::new() };
            own.retain(|claim| match claim.kind {
                ClaimKind::End(_) => true,
                ClaimKind::Invariant(_) | ClaimKind::Ltl(_) => !args.question.no_property,
                _ => !args.question.no_property && args.question.questions.is_none(),
            });
            let source = loaded.source.clone();
            let texts = Texts { declared: Some(&source), other: other.as_ref(), unread: &unread, left_out: &left_out };
            check_question(args, loaded, texts, own, Abstracted::new(), console)
        }
    }
}

/// The names of properties, as reports have them.
pub(super) fn names_of<L: Presented>(properties: &L::Properties) -> Vec<String> {
    L::declared(properties).into_iter().map(|(name, _)| name.to_owned()).collect()
}

/// Refuses options that mean nothing for a model of Murphi.
fn refuse_for_murphi(args: &CheckArgs) -> Result<(), Failure> {
    let unfit = [(!args.question.buchi.is_empty(), "--buchi"), (!args.reductions.replace.is_empty(), "--abstract")];
    let Some((_, option)) = unfit.into_iter().find(|(given, _)| *given) else { return Ok(()) };
    Err(Failure::contradiction(format!("`{option}` is for other languages, and the model is one of Murphi")))
}

/// The texts in which properties stand, and what was found in the model with its own properties before the options chose among them.
#[derive(Clone, Copy)]
struct Texts<'a> {
    /// The text of the places of properties.
    declared: Option<&'a Source>,
    /// A file of formulas or questions for a model of Murphi.
    other: Option<&'a Source>,
    /// The variables that are never read, without questions.
    unread: &'a [Unread],
    /// The names of the model's own properties that `--no-property` leaves out.
    left_out: &'a [String],
}

/// Checks a model with properties and writes the report.
fn check_question<L: Presented>(
    args: &CheckArgs,
    loaded: Loaded<L>,
    texts: Texts<'_>,
    mut properties: L::Properties,
    replace: Abstracted,
    console: &mut Console,
) -> Result<Outcome, Failure> {
    let source = texts.declared;
    let mut automata = Vec::new();
    for path in &args.question.buchi {
        let reading = args.model.reading.options();
        automata.push(automata::add_property(path, &loaded, &reading, &mut properties, console)?);
    }
    let mut never = unread(args, &loaded, &properties);
    never.retain(|variable| texts.unread.iter().any(|own| own.span == variable.span));
    console.report(never_read(&never), &loaded.source);
    let Requested { mut question, mut left_out } = requested::<L>(args, properties)?;
    left_out.extend_from_slice(texts.left_out);
    if args.reductions.fairness.is_none() && !loaded.model.assumes_fairness() {
        question.fairness = checker::Fairness::None;
    }
    refuse_mixed(&loaded.model, &question.properties, source, console)?;
    refuse_unfair(args, &loaded.model)?;
    refuse_unfit(args, &loaded.model)?;
    if let (Some(threads @ 2..), Some(option)) = (args.search.threads, one_thread(&args.search)) {
        let message = format!("`{option}` searches on one thread, not {threads}");
        console.remark(Diagnostic::notice(codes::ONE_THREAD, Span::NONE, message));
    }
    let mut watch = Watch::new(console.shows_progress());
    if !args.search.no_spill {
        watch.spilling = Some(Arc::new(Folder::new(args.search.spill.as_deref())?));
    }
    let plan = args.reductions.plan(&args.question, replace);
    if plan.symmetry.is_some() {
        let remarks = limits::share(1, 10, || loaded.model.remarks(&question.properties)).unwrap_or_default();
        console.report(remarks, &loaded.source);
    }
    checkpoints(args, &loaded, &question, &plan, &mut watch)?;
    let declared = L::declared(&question.properties).into_iter().filter_map(|(name, span)| {
        let source = source.filter(|_| !span.is_none())?;
        Some((name.to_owned(), place(source.name_at(span.start), source.position(span.start))))
    });
    let declared = declared.chain(automata).collect();
    let report = pipeline::check(&loaded.model, &question, &plan, &mut watch)
        .map_err(|error| Failure::of_line(error, &loaded.source, source))?;
    if report.answers.is_empty() {
        let message = "nothing is asked: the verdict says only whether the search ended";
        let diagnostic = Diagnostic::notice(codes::NOTHING_ASKED, Span::NONE, message);
        console
            .remark(diagnostic.help("leave out some of the options that leave out questions, such as `--no-deadlock`"));
    }
    if let Some(checkpoint_writer) = &watch.checkpoint_writer {
        remark_lost_checkpoint(
            checkpoint_writer,
            report.limit.is_some() || report.verdict == Verdict::Inconclusive,
            console,
        );
    }
    if let Some(failure) = &report.spilled.failure {
        let message = format!("states could not be put on the disk: {failure}");
        console.remark(Diagnostic::notice(codes::SPILL_FAILED, Span::NONE, message));
    }
    drop(watch);
    let coverage = reporting(|| Ok(pipeline::coverage::coverage(&loaded.model, &report))).unwrap_or_default();
    console.report(never_executed(coverage.as_deref().unwrap_or_default(), &loaded.source), &loaded.source);
    // The report is written after every end of the search.
    let has_ends = loaded.model.has_ends(&question.properties);
    let asked = || loaded.model.asked(&loaded.source, texts.other, &question.properties);
    let asked = reporting(|| Ok(asked())).unwrap_or_default();
    let peak_memory = peak_memory();
    let mut checked = Checked { declared, asked, loaded, report, left_out, has_ends, coverage, peak_memory };
    present(args, &mut checked, console)?;
    present_files(args, &checked, &question, console)?;
    if checked.report.fault.is_some() {
        return Ok(Outcome::Failed); // the panic reported itself
    }
    Ok(match checked.report.limit {
        Some(limit) if limit.kind == LimitKind::Interrupt => {
            Outcome::Interrupted(i32::try_from(limit.value).unwrap_or(0))
        }
        _ => Outcome::of(checked.report.verdict),
    })
}

/// The variables that neither a model nor properties read. Nothing is known where the property file of the model is not read.
fn unread<L: Presented>(args: &CheckArgs, loaded: &Loaded<L>, properties: &L::Properties) -> Vec<Unread> {
    if args.question.replaces_own() && own_properties(&args.model.model).is_some() {
        return Vec::new();
    }
    let reading = args.model.reading.options();
    limits::share(1, 10, || loaded.model.unread(&loaded.source.text, &reading, properties)).unwrap_or_default()
}

/// Writes the report; without runs where these are too long to be written within the limits, so that the verdict is never lost.
fn present<L: Presented>(args: &CheckArgs, checked: &mut Checked<L>, console: &mut Console) -> Result<(), Failure> {
    let text = |checked: &Checked<L>, console: &Console| match args.report.json {
        true => json::pretty(&json::report(checked, args, console)),
        false => human::report(checked, args, console, colours(args, console)),
    };
    let text = match reporting(|| Ok(text(checked, console))) {
        Err(Failure::Stopped(stopped)) => {
            for answer in &mut checked.report.answers {
                (answer.trace, answer.explanation) = (None, None);
            }
            let message =
                format!("the runs are left out of the report: {} came before they were written", stopped.cause);
            console.remark(Diagnostic::notice(codes::RUN_LEFT_OUT, Span::NONE, message));
            reporting(|| Ok(text(checked, console)))?
        }
        written => written?,
    };
    io::write(args.report.output.as_deref(), text.as_bytes())
}

/// Writes the files of the report. Where a limit comes first they are missing, and the verdict stays.
fn present_files<L: Presented>(
    args: &CheckArgs,
    checked: &Checked<L>,
    question: &Question<L::Properties>,
    console: &mut Console,
) -> Result<(), Failure> {
    let files = Targets::new(&args.files)?;
    if files.is_empty() {
        return Ok(());
    }
    let write = || {
        let document = json::report(checked, args, console);
        let is_constraint = |group: &GroupUsed| group.detector == Strategy::Constraint.name();
        let found = files.show_pictures() && checked.report.group.as_ref().is_some_and(is_constraint);
        let coloured = || checked.loaded.model.coloured(&question.properties);
        let coloured = if found { limits::share(1, 2, coloured).ok().flatten() } else { None };
        let has_group = files.show_near() && !args.reductions.plain && args.reductions.symmetry != Symmetry::None;
        let near = if has_group { near(checked) } else { Vec::new() };
        // A listing has the lines of one text.
        let own = Some(&checked.loaded.source).filter(|source| files.show_pictures() && !source.is_joined());
        let text = own.map(|source| source.text.clone());
        files.write(document, &Additions { topology: checked.loaded.model.topology(), coloured, text, near })
    };
    match reporting(write) {
        Err(Failure::Stopped(stopped)) => {
            let message = format!("files of the report are not written: {} came before", stopped.cause);
            console.remark(Diagnostic::notice(codes::RUN_LEFT_OUT, Span::NONE, message));
            Ok(())
        }
        written => written,
    }
}

/// The permutations that a few places keep out of the group of the model: what `detect` says, without properties.
fn near<L: Presented>(checked: &Checked<L>) -> Vec<NearFile> {
    let (loaded, none) = (&checked.loaded, L::Properties::default());
    let find = || pipeline::detection::detect(&loaded.model, &none, Strategy::Constraint, &[]);
    let found = limits::share(1, 4, find).ok().and_then(Result::ok);
    let near = found.map_or_else(Vec::new, |found| found.near);
    let read = near.iter().map(|near| serde_json::from_value(detect::near_as_json(&loaded.source, near)));
    read.filter_map(Result::ok).collect()
}

/// The checkpoint to write, and the one to continue from.
fn checkpoints<L: Presented>(
    args: &CheckArgs,
    loaded: &Loaded<L>,
    question: &Question<L::Properties>,
    plan: &Plan,
    watch: &mut Watch,
) -> Result<(), Failure> {
    let (folder, resumed) = (args.search.checkpoint.as_deref(), args.search.resume.as_deref());
    let Some(option) = folder.map(|_| "--checkpoint").or(resumed.map(|_| "--resume")) else { return Ok(()) };
    if args.search.search == Search::Dfs {
        let message = format!("`{option}` saves breadth-first searches, and `--search dfs` requests another");
        return Err(Failure::contradiction(message));
    }
    // Everything but the limits.
    let requested: Question<()> = Question { limits: Limits::default(), ..question.clone_without_properties() };
    let (name, text, properties) = (loaded.model.language(), loaded.model.text(), &question.properties);
    let build = checkpoint::build()?;
    let text = format!("{build}\n{name}\n{text}\n{requested:?}\n{properties:?}\n{plan:?}");
    let fingerprint = pipeline::stamp::fingerprint(&text);
    if let Some(folder) = folder {
        let continues = resumed.is_some_and(|resumed| checkpoint::is_same(resumed, folder));
        watch.checkpoint_writer =
            Some(CheckpointWriter::new(folder, args.search.every, fingerprint, continues || args.search.overwrite)?);
    }
    if let Some(folder) = resumed {
        watch.resumed = Some(checkpoint::resume(folder, fingerprint)?);
    }
    Ok(())
}

/// Warns that checkpoints were requested and none is as new as the end of the search.
fn remark_lost_checkpoint(checkpoint_writer: &CheckpointWriter, is_open: bool, console: &mut Console) {
    let message = match &checkpoint_writer.failure {
        Some(failure) => format!("a checkpoint could not be written: {failure}"),
        None if checkpoint_writer.written == 0 && is_open => {
            "no checkpoint was written: only the search for states is saved, and the limit was met elsewhere".to_owned()
        }
        None => return,
    };
    console.remark(Diagnostic::notice(codes::CHECKPOINT_LOST, Span::NONE, message));
}

/// The variables that `--abstract` names for bounded slicing.
fn replaced(args: &CheckArgs, model: &Model) -> Result<Abstracted, Failure> {
    let given = &args.reductions.replace;
    if !given.is_empty() && (args.reductions.plain || args.reductions.slice != SliceMode::Bounded) {
        return Err(Failure::contradiction("`--abstract` names variables for bounded slicing, which is not requested")
            .help("add `--slice bounded`, or leave `--abstract` out"));
    }
    slice::replaced(given, model)
}

/// Refuses formulas with path quantifiers that are none of CTL.
fn refuse_mixed<L: Presented>(
    model: &L,
    properties: &L::Properties,
    source: Option<&Source>,
    console: &mut Console,
) -> Result<(), Failure> {
    let is_mixed = |formula: &Formula<L::Condition>| formula.is_branching() && !formula.is_ctl();
    let formulas = properties.formulas().into_iter();
    let mixed: Vec<&str> = formulas.filter(|(_, formula)| is_mixed(formula)).map(|(name, _)| name).collect();
    if mixed.is_empty() {
        return Ok(());
    }
    // Formulas for these are in a file of their own.
    let is_elsewhere = model.language() == pipeline::DVE || L::NAME == <Program as Language>::NAME;
    let declared = L::declared(properties);
    let mut diagnostics = Diagnostics::new();
    for name in mixed {
        let place = declared.iter().find(|(known, _)| *known == name).filter(|_| !is_elsewhere);
        let message =
            format!("the formula `{name}` has a temporal operator without a path quantifier next to one with");
        let span = place.map_or(Span::NONE, |(_, span)| *span);
        diagnostics.push(Diagnostic::error(codes::NOT_CTL, span, message));
    }
    let nowhere = Source::new("", "");
    console.report(diagnostics, source.unwrap_or(&nowhere));
    Err(Failure::Reported)
}

/// Refuses to assume fairness of processes that do not exist.
fn refuse_unfair<L: Presented>(args: &CheckArgs, model: &L) -> Result<(), Failure> {
    let fairness = args.reductions.fairness;
    let is_assumed = model.has_processes() && fairness.map_or(model.assumes_fairness(), |mode| mode == Fairness::Weak);
    if is_assumed && args.reductions.emptiness == Emptiness::Ndfs {
        return Err(Failure::contradiction("`--emptiness ndfs` does not find fair runs, and weak fairness is assumed")
            .help("use `--fairness none`, or leave `--emptiness` out"));
    }
    if fairness != Some(Fairness::Weak) || model.has_processes() {
        return Ok(());
    }
    let message = "`--fairness weak` assumes something of processes, and the model declares none";
    let help = match L::NAME {
        <Program as Language>::NAME => "rules of Murphi belong to no process: write the assumption into the formula",
        _ => "name the sort of the processes in the model, as in `proc P(..) fair Id = ..`",
    };
    Err(Failure::usage(codes::NO_PROCESSES, message).help(help))
}

/// Refuses reductions that the language of the model does not have.
fn refuse_unfit<L: Presented>(args: &CheckArgs, model: &L) -> Result<(), Failure> {
    let (asked, language) = (&args.reductions, model.language());
    let unfit = [
        (asked.images == ImagesMode::On && language == <Model as Language>::NAME, "--images on", "other languages"),
        (asked.structural == StructuralMode::On && language != pipeline::PNML, "--structural on", "Petri nets"),
    ];
    let Some((_, option, of)) = unfit.into_iter().find(|(is_unfit, ..)| *is_unfit) else { return Ok(()) };
    let message = format!("`{option}` is for {of}, and this model is one of {language}");
    Err(Failure::contradiction(message))
}

/// The requested properties, or those next to the model.
fn properties(args: &CheckArgs, model: &Model, console: &mut Console) -> Result<Properties, Failure> {
    match property_file(args, console) {
        None => Ok(Properties::default()),
        Some(path) => load::load_properties(&path, model, console),
    }
}

/// The requested property file, or the one next to the model.
fn property_file(args: &CheckArgs, console: &mut Console) -> Option<PathBuf> {
    if let Some(path) = &args.question.property {
        return Some(path.clone());
    }
    let own = own_properties(&args.model.model).filter(|_| !args.question.no_property)?;
    let message = format!("properties from {}; --no-property ignores them", io::display(&own));
    console.remark(Diagnostic::notice(codes::PROPERTIES_FOUND, Span::NONE, message));
    Some(own)
}

/// Remarks on a property file next to a model whose language has none, unless the options leave it out or name another.
fn remark_unread_properties(args: &CheckArgs, console: &mut Console) {
    if let Some(own) = own_properties(&args.model.model).filter(|_| !args.question.replaces_own()) {
        let message = format!("{} is not read: models of this language have no such file", io::display(&own));
        let diagnostic = Diagnostic::notice(codes::PROPERTIES_FOUND, Span::NONE, message);
        console.remark(diagnostic.help("`--questions FILE` checks the lines of a file"));
    }
}

/// The property file next to a model, if there is one.
pub(super) fn own_properties(model: &Path) -> Option<PathBuf> {
    if model == Path::new(io::STANDARD) {
        return None;
    }
    let path = model.with_extension("property");
    (path != model && path.is_file()).then_some(path)
}
