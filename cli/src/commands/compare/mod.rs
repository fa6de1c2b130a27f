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

use super::batch::find;
use super::check::own_properties;
use crate::args::CompareArgs;
use crate::console::{Console, say};
use crate::io;
use crate::load::{self, AnyLoaded};
use crate::outcome::{Failure, Outcome};
use crate::paths::refuse_overwriting;
use crate::render::compare::{self as render, Table, page, summary::Summary};
use crate::render::progress::Watch;
use external::Installed;

/// The time for each model without `--timeout`.
const PER_MODEL: Duration = Duration::from_secs(60);

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
    let mut tables = Vec::new();
    let mut time = Time::new(args, models.len());
    let mut refused = None;
    sink.say(&render::before(args))?;
    for path in &models {
        let loaded = time.whole.enter(|| load::load(path, &args.reading.options(), console));
        let loaded = loaded.unwrap_or_else(|stopped| Err(Failure::Stopped(stopped)));
        let table = match loaded {
            Ok(AnyLoaded::Actors(loaded)) => model::table(&loaded, tables.len(), &mut time, &mut sink)?,
            Ok(AnyLoaded::Process(loaded)) => model::table(&loaded, tables.len(), &mut time, &mut sink)?,
            Ok(AnyLoaded::Murphi(loaded)) => model::table(&loaded, tables.len(), &mut time, &mut sink)?,
            Err(failure @ (Failure::Reported | Failure::Usage(_))) if models.len() > 1 => {
                if let Failure::Usage(problem) = &failure {
                    console.report_problem(problem);
                }
                refused = Some(Failure::Reported);
                time.skip(Time::of_model(args));
                let table = Table::refused(io::display(path));
                sink.say(&render::refused(&table, tables.len(), args))?;
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

/// The time of the command, which the runs share: each takes at most an equal part of what is left, and what it does not need is for
/// those after it.
struct Time<'a> {
    args: &'a CompareArgs,
    whole: limits::Watch,
    /// The number of runs that have not begun.
    runs: u32,
}

impl<'a> Time<'a> {
    fn new(args: &'a CompareArgs, models: usize) -> Time<'a> {
        let models = u32::try_from(models).unwrap_or(u32::MAX);
        let default = PER_MODEL.saturating_mul(models);
        let whole = limits::watch().within(Some(args.timeout.unwrap_or(default)), None);
        Time { args, whole, runs: models.saturating_mul(Time::of_model(args)) }
    }

    /// The number of runs for each model: one without symmetry, for each detector the detection and one with each choice of representatives,
    /// the comparison of the groups, and other programs.
    fn of_model(args: &CompareArgs) -> u32 {
        let explorations = u32::try_from(args.representatives.len()).unwrap_or(u32::MAX);
        let detectors = u32::try_from(Strategy::ALL.len()).unwrap_or(u32::MAX);
        explorations.saturating_add(1).saturating_mul(detectors).saturating_add(2 + u32::from(args.engines))
    }

    /// The watch of the next run.
    fn next(&mut self) -> limits::Watch {
        let watch = self.whole.share(1, self.runs.max(1)).within(None, self.args.max_memory);
        self.skip(1);
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
