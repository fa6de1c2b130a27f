//! `check` and `detect` for several values of constants: a row for each, as in a batch of one model.
//!
//! Each row is run by a process of its own with the options of the command line and its limits. The model is read here once, with the first
//! value of each constant, so that a text that is wrong and a name that is no constant are reported as without several values.
//!
//! Invariant: options whose results have no place in a row are refused, not passed over.

use std::path::{Path, PathBuf};

use super::batch::{self, Kind};
use crate::args::sweep::assignments;
use crate::args::{
    BaselineArgs, BatchArgs, BatchReportArgs, CheckArgs, DetectArgs, GivenArgs, ModelArgs, ModelLimitArgs, OwnArgs,
    ReportFileArgs, ReportFormat, StepArgs, SweepArgs, WorkArgs,
};
use crate::console::Console;
use crate::io;
use crate::load;
use crate::outcome::{Failure, Outcome};

/// Checks a model for each of several values.
pub(crate) fn check(args: &CheckArgs, console: &mut Console) -> Result<Outcome, Failure> {
    let CheckArgs { model, search, report, files, sweep, own, .. } = args;
    refuse(&[
        (search.checkpoint.is_some(), "--checkpoint"),
        (search.resume.is_some(), "--resume"),
        (report.explain_reductions, "--explain-reductions"),
        (report.full, "--full"),
    ])?;
    let limits =
        ModelLimitArgs { max_states: search.max_states, timeout: search.timeout, max_memory: search.max_memory };
    let report = output(report.json, report.output.as_ref(), files)?;
    let steps = StepArgs { detect: false, check: true, compare: false };
    let work = WorkArgs { threads: 1, repeat: 1, skip_larger: sweep.skip_larger, ..WorkArgs::default() };
    run(Kind::Sweep("check", search.threads), Sweep { model, limits, report, steps, work, own }, console)
}

/// Finds the symmetries of a model for each of several values.
pub(crate) fn detect(args: &DetectArgs, console: &mut Console) -> Result<Outcome, Failure> {
    let DetectArgs { model, files, sweep, own, limits, .. } = args;
    refuse(&[(!args.why.is_empty(), "--why"), (args.family, "--family"), (args.gap.is_some(), "--gap")])?;
    let limits = ModelLimitArgs { max_states: None, timeout: limits.timeout, max_memory: limits.max_memory };
    let report = output(args.json, args.output.as_ref(), files)?;
    let steps = StepArgs { detect: true, check: false, compare: false };
    let work = WorkArgs { threads: 1, repeat: 1, skip_larger: sweep.skip_larger, ..WorkArgs::default() };
    run(Kind::Sweep("detect", None), Sweep { model, limits, report, steps, work, own }, console)
}

/// A sweep of one command.
struct Sweep<'a> {
    model: &'a ModelArgs,
    limits: ModelLimitArgs,
    report: BatchReportArgs,
    steps: StepArgs,
    work: WorkArgs,
    own: &'a OwnArgs,
}

fn run(kind: Kind, sweep: Sweep<'_>, console: &mut Console) -> Result<Outcome, Failure> {
    let Sweep { model: ModelArgs { model, reading }, limits, report, steps, work, own } = sweep;
    if model == Path::new(io::STANDARD) {
        let message = "a model on standard input is read once, and several values are given for a constant";
        return Err(contradiction(message, "name a file"));
    }
    assignments(&reading.constants).map_err(|message| batch::too_many(model, message))?;
    load::load(model, &reading.options(), console)?;
    let args = BatchArgs {
        paths: vec![model.clone()],
        reading: reading.clone(),
        steps,
        limits,
        work,
        report,
        baseline: BaselineArgs::default(),
        passed: GivenArgs(own.0.clone()),
    };
    batch::run_as(kind, &args, console)
}

/// The files of the result: tables and pages only.
fn output(json: bool, output: Option<&PathBuf>, files: &ReportFileArgs) -> Result<BatchReportArgs, Failure> {
    let mut report = BatchReportArgs { json, output: output.cloned(), ..BatchReportArgs::default() };
    for path in &files.report {
        let ends = |ending: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending));
        let slot = match files.report_format {
            Some(ReportFormat::Html) => &mut report.html,
            None if ends("html") || ends("htm") => &mut report.html,
            None if ends("csv") => &mut report.csv,
            _ => {
                let message = format!("`{}`: a run for several values has a table", io::display_output(path));
                return Err(contradiction(&message, "name it .csv or .html"));
            }
        };
        if slot.replace(path.clone()).is_some() {
            let message =
                format!("`{}`: a run for several values has one file of each format", io::display_output(path));
            return Err(contradiction(&message, "name one file"));
        }
    }
    Ok(report)
}

/// Refuses the options of a sweep where each constant has one value.
pub(super) fn refuse_alone(args: &SweepArgs) -> Result<(), Failure> {
    match args.skip_larger {
        false => Ok(()),
        true => {
            let message = "`--skip-larger` is about several values of constants, and none has several";
            Err(contradiction(message, "give several, as in `-D N=2..8`"))
        }
    }
}

fn refuse(options: &[(bool, &str)]) -> Result<(), Failure> {
    match options.iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, option)) => {
            let message = format!("`{option}` is about one run, and several values are given for a constant");
            Err(contradiction(&message, "give one value for each constant"))
        }
    }
}

fn contradiction(message: &str, help: &str) -> Failure {
    Failure::contradiction(message).help(help)
}
