//! `quotient compare`: every detector side by side, with its gain.
//!
//! A row explores the whole state space of one model, with one detector and one choice of representatives (`model`). Its
//! question has no property, so that all rows of a model count the same thing. The groups are compared as groups
//! (`pipeline::comparison`), and a summary over all models closes the report.
//!
//! Invariant: a model that cannot be read does not end the comparison of the others.

mod external;
mod jobs;
mod model;
mod runs;
mod time;

use std::path::{Path, PathBuf};

use super::batch::find;
use super::check::own_properties;
use crate::args::{CompareArgs, sweep};
use crate::console::{Console, say};
use crate::io;
use crate::load::{self, AnyLoaded};
use crate::outcome::{Failure, Outcome};
use crate::paths::{refuse_overwriting, refuse_two_on_standard_output};
use crate::render::compare::{self as render, Absent, Subject, Table, page, summary::Summary};
use crate::render::progress::Watch;
use external::Installed;
use jobs::Job;
use time::Time;

/// Compares the detectors on each model and writes the table.
pub(crate) fn run(args: &CompareArgs, console: &mut Console) -> Result<Outcome, Failure> {
    io::refuse_unwritable(args.output.as_deref())?;
    io::refuse_unwritable(args.html.as_deref())?;
    refuse_two_on_standard_output(args.output.as_deref(), args.html.as_deref())?;
    let models = find::models(&args.models)?;
    let property_files: Vec<PathBuf> = models.iter().filter_map(|path| own_properties(path)).collect();
    let reads = models.iter().chain(&property_files).map(PathBuf::as_path);
    refuse_overwriting(reads, args.output.as_deref().into_iter().chain(args.html.as_deref()))?;
    let installed = args.engines.then(Installed::find);
    if let Some(missing) = installed.as_ref().map(|installed| &installed.missing).filter(|missing| !missing.is_empty())
    {
        say(&format!("not installed: {}", missing.join(", ")));
    }
    let mut sink = Sink { args, installed, watch: Watch::new(console.shows_progress()), text: String::new() };
    let jobs = jobs::jobs(args, &models, console)?;
    let mut tables: Vec<Table> = Vec::new();
    let mut time = Time::new(args, &jobs);
    let mut refused = None;
    sink.say(&render::before(args, sink.is_file()))?;
    for job in &jobs {
        time.begin(job);
        if !tables.is_empty() {
            sink.say(render::gap(args))?;
        }
        if let Some(reason) = left_out(args, &tables, &job.subject) {
            let table = Table::absent(job.subject.clone(), Absent::LeftOut(reason));
            sink.say(&render::absent(&table, args))?;
            tables.push(table);
            continue;
        }
        let table = match loaded(job, &time, console) {
            Ok(AnyLoaded::Actors(loaded)) => model::table(&loaded, job, &mut time, &mut sink)?,
            Ok(AnyLoaded::Process(loaded)) => model::table(&loaded, job, &mut time, &mut sink)?,
            Ok(AnyLoaded::Murphi(loaded)) => model::table(&loaded, job, &mut time, &mut sink)?,
            Err(failure @ (Failure::Reported | Failure::Usage(_))) if jobs.len() > 1 => {
                if let Failure::Usage(problem) = &failure {
                    console.report_problem(problem);
                }
                refused = Some(Failure::Reported);
                let table = Table::absent(job.subject.clone(), Absent::Refused);
                sink.say(&render::absent(&table, args))?;
                table
            }
            Err(failure) => return Err(failure),
        };
        tables.push(table);
        if limits::watch().consult().is_err() {
            break;
        }
    }
    let summary = Summary::new(&tables);
    let width = sink.width();
    sink.say(&render::after(&tables, &summary, args, width))?;
    if !sink.is_at_once() {
        io::write(args.output.as_deref(), sink.text.as_bytes())?;
    }
    if let Some(path) = &args.html {
        io::write(Some(path), page::page(&tables, &summary)?.as_bytes())?;
    }
    match (limits::watch().consult(), refused) {
        (Err(stopped), _) => Ok(Outcome::stopped(stopped)),
        (Ok(()), Some(failure)) => Err(failure),
        (Ok(()), None) => Ok(Outcome::Done),
    }
}

/// Reads a model; one whose head is wrong was reported before.
fn loaded(job: &Job, time: &Time, console: &mut Console) -> Result<AnyLoaded, Failure> {
    let Some(reading) = &job.reading else { return Err(Failure::Reported) };
    let loaded = time.whole().enter(|| load::load(&job.path, reading, console));
    loaded.unwrap_or_else(|stopped| Err(Failure::Stopped(stopped)))
}

/// The reason that a model with larger values is left out: with smaller ones it met a limit.
fn left_out(args: &CompareArgs, tables: &[Table], subject: &Subject) -> Option<String> {
    let is_smaller = |table: &&Table| {
        table.subject.path == subject.path && sweep::is_larger(&subject.constants, &table.subject.constants)
    };
    let limited =
        tables.iter().filter(is_smaller).find(|table| table.met_limit()).filter(|_| args.sweep.skip_larger)?;
    Some(format!("left out: {} met a limit", sweep::written(&limited.subject.constants)))
}

/// Where rows go: to standard output as they come, or into a file when all are there.
struct Sink<'a> {
    args: &'a CompareArgs,
    /// Other programs that are run, if they are asked for.
    installed: Option<Installed>,
    watch: Watch,
    text: String,
}

impl Sink<'_> {
    fn is_at_once(&self) -> bool {
        self.args.output.as_deref().is_none_or(|path| path == Path::new(io::STANDARD))
    }

    /// Whether they go to a file.
    fn is_file(&self) -> bool {
        !self.is_at_once()
    }

    /// The width of the terminal, if rows go there.
    fn width(&self) -> Option<u16> {
        if self.is_at_once() { io::terminal_width() } else { None }
    }

    fn say(&mut self, text: &str) -> Result<(), Failure> {
        self.watch.clear();
        if self.is_at_once() {
            return io::write(None, text.as_bytes());
        }
        self.text.push_str(text);
        Ok(())
    }
}
