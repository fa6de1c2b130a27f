//! `quotient compare`: every detector side by side, with its gain.
//!
//! A row explores the whole state space of one model, with one detector and one choice of representatives (`model`). Its
//! question has no property, so that all rows of a model count the same thing. The groups are compared as groups
//! (`pipeline::comparison`), and a summary over all models closes the report.
//!
//! Invariant: a model that cannot be read does not end the comparison of the others.

mod external;
mod model;

use std::path::{Path, PathBuf};
use std::time::Duration;

use symmetry::Strategy;

use super::batch::{find, too_many};
use super::check::own_properties;
use crate::args::{CompareArgs, sweep};
use crate::console::{Console, say};
use crate::io;
use crate::load::{self, AnyLoaded};
use crate::outcome::{Failure, Outcome};
use crate::paths::refuse_overwriting;
use crate::render::compare::{self as render, Absent, Subject, Table, page, summary::Summary};
use crate::render::progress::Watch;
use external::Installed;

/// The time for each model without `--timeout`.
const PER_MODEL: Duration = Duration::from_secs(60);

/// The further time for each model when other programs are run.
const FOR_OTHERS: Duration = Duration::from_secs(40);

/// The runs as many as which other programs count: they start slowly.
const OTHERS: u32 = 8;

/// Compares the detectors on each model and writes the table.
pub(crate) fn run(args: &CompareArgs, console: &mut Console) -> Result<Outcome, Failure> {
    io::refuse_unwritable(args.output.as_deref())?;
    io::refuse_unwritable(args.html.as_deref())?;
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
    let subjects = subjects(args, &models)?;
    let mut tables: Vec<Table> = Vec::new();
    let mut time = Time::new(args, subjects.len());
    let mut refused = None;
    sink.say(&render::before(args, sink.is_file()))?;
    for (path, subject) in subjects {
        if !tables.is_empty() {
            sink.say(render::gap(args))?;
        }
        if let Some(reason) = left_out(args, &tables, &subject) {
            time.skip(Time::of_model(args));
            let table = Table::absent(subject, Absent::LeftOut(reason));
            sink.say(&render::absent(&table, args))?;
            tables.push(table);
            continue;
        }
        let reading = args.reading.assigned(&subject.constants).options();
        let loaded = time.whole.enter(|| load::load(path, &reading, console));
        let loaded = loaded.unwrap_or_else(|stopped| Err(Failure::Stopped(stopped)));
        let table = match loaded {
            Ok(AnyLoaded::Actors(loaded)) => model::table(&loaded, subject, &mut time, &mut sink)?,
            Ok(AnyLoaded::Process(loaded)) => model::table(&loaded, subject, &mut time, &mut sink)?,
            Ok(AnyLoaded::Murphi(loaded)) => model::table(&loaded, subject, &mut time, &mut sink)?,
            Err(failure @ (Failure::Reported | Failure::Usage(_))) if time.subjects > 1 => {
                if let Failure::Usage(problem) = &failure {
                    console.report_problem(problem);
                }
                refused = Some(Failure::Reported);
                time.skip(Time::of_model(args));
                let table = Table::absent(subject, Absent::Refused);
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

/// What is compared: each model, with each combination of several values of constants.
fn subjects<'m>(args: &CompareArgs, models: &'m [PathBuf]) -> Result<Vec<(&'m Path, Subject)>, Failure> {
    let mut subjects = Vec::new();
    for path in models {
        let all = sweep::assignments(&args.reading.constants).map_err(|message| too_many(path, message))?;
        let subject = |constants| (path.as_path(), Subject { path: io::display(path), constants });
        subjects.extend(all.into_iter().map(subject));
    }
    Ok(subjects)
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

/// The time of the command, which the runs share: each takes at most an equal part of what is left, and what it does not need is for
/// those after it.
struct Time<'a> {
    args: &'a CompareArgs,
    whole: limits::Watch,
    /// The number of models with their values.
    subjects: usize,
    /// The number of runs that have not begun.
    runs: u32,
}

impl<'a> Time<'a> {
    fn new(args: &'a CompareArgs, subjects: usize) -> Time<'a> {
        let models = u32::try_from(subjects).unwrap_or(u32::MAX);
        let per_model = if args.engines { PER_MODEL + FOR_OTHERS } else { PER_MODEL };
        let default = per_model.saturating_mul(models);
        let whole = limits::watch().within(Some(args.timeout.unwrap_or(default)), None);
        Time { args, whole, subjects, runs: models.saturating_mul(Time::of_model(args)) }
    }

    /// The number of runs for each model: one without symmetry, for each detector the detection and one with each choice of representatives,
    /// the comparison of the groups, and other programs.
    fn of_model(args: &CompareArgs) -> u32 {
        let explorations = u32::try_from(args.representatives.len()).unwrap_or(u32::MAX);
        let detectors = u32::try_from(Strategy::ALL.len()).unwrap_or(u32::MAX);
        explorations
            .saturating_add(1)
            .saturating_mul(detectors)
            .saturating_add(2 + if args.engines { OTHERS } else { 0 })
    }

    /// The watch of the next run.
    fn next(&mut self) -> limits::Watch {
        self.part(1)
    }

    /// The watch of something that takes as long as some runs.
    fn part(&mut self, runs: u32) -> limits::Watch {
        let watch = self.whole.share(runs, self.runs.max(runs)).within(None, self.args.max_memory);
        self.skip(runs);
        watch
    }

    /// Leaves the time of runs that do not take place to the others.
    fn skip(&mut self, runs: u32) {
        self.runs = self.runs.saturating_sub(runs);
    }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use clap::Parser;
    use limits::{System, Watch};

    use super::Time;
    use crate::args::{Cli, Command};

    #[test]
    fn runs_share_the_time_of_the_command() {
        let cli = Cli::parse_from(["quotient", "compare", "a.rebeca", "b.rebeca", "--timeout", "20h"]);
        let Command::Compare(args) = &cli.command else { panic!("compare") };
        let mut time =
            Watch::new(Arc::new(System::default()), None, None).enter(|| Time::new(args, 2)).expect("no limit");
        assert_eq!(time.runs, 20);
        let hours = |watch: Watch| watch.left().expect("a limit").as_secs().div_ceil(3600);
        assert_eq!(hours(time.next()), 1);
        time.skip(9);
        assert_eq!((hours(time.next()), time.runs), (2, 9));
        time.skip(8);
        assert_eq!(hours(time.next()), 20);
        assert_eq!(time.next().left().map(|left| left > Duration::ZERO), Some(true), "no division by no runs");
    }
}
