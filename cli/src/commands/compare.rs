//! `quotient compare`: every detector side by side, with its gain.
//!
//! A row explores the whole state space of one model, with one detector and one choice of representatives. Its
//! question has no property, so that all rows of a model count the same thing.

use std::path::Path;
use std::time::{Duration, Instant};

use checker::{GroupNames, Limits, Question, ReductionKind, Representative};
use slicing::reduce::Abstracted;
use symmetry::Strategy;

use crate::args::CompareArgs;
use crate::console::Console;
use crate::io;
use crate::language::Presented;
use crate::load::{self, AnyLoaded, Loaded};
use crate::outcome::{Failure, Outcome};
use crate::paths::refuse_overwriting;
use crate::render::compare::{self as render, Found, Row, Table};
use crate::render::progress::Watch;
use crate::room;
use crate::words::detail;
use crate::world::default_memory;
use pipeline::Images;
use pipeline::Plan;
use pipeline::Slicing;
use pipeline::Starts;

/// The time for each model without `--timeout`.
const PER_MODEL: Duration = Duration::from_secs(60);

/// Compares the detectors on each model and writes the table.
pub(crate) fn run(args: &CompareArgs, console: &mut Console) -> Result<Outcome, Failure> {
    io::refuse_unwritable(args.output.as_deref())?;
    refuse_overwriting(args.models.iter().map(|path| &**path), args.output.as_deref())?;
    let mut sink = Sink { args, watch: Watch::new(console.shows_progress()), text: String::new() };
    let mut tables = Vec::new();
    let mut time = Time::new(args);
    sink.say(&render::before(args))?;
    for path in &args.models {
        let loaded = time.whole.enter(|| load::load(path, &args.reading.options(), console));
        let table = match loaded.unwrap_or_else(|stopped| Err(Failure::Stopped(stopped)))? {
            AnyLoaded::Actors(loaded) => table(&loaded, tables.len(), &mut time, &mut sink)?,
            AnyLoaded::Process(loaded) => table(&loaded, tables.len(), &mut time, &mut sink)?,
            AnyLoaded::Murphi(loaded) => table(&loaded, tables.len(), &mut time, &mut sink)?,
        };
        tables.push(table);
        if limits::watch().consult().is_err() {
            break;
        }
    }
    sink.say(&render::after(&tables, args))?;
    if !sink.is_at_once() {
        io::write(args.output.as_deref(), sink.text.as_bytes())?;
    }
    Ok(limits::watch().consult().map_or_else(Outcome::stopped, |()| Outcome::Done))
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
    fn new(args: &'a CompareArgs) -> Time<'a> {
        let models = u32::try_from(args.models.len()).unwrap_or(u32::MAX);
        let default = PER_MODEL.saturating_mul(models);
        let whole = limits::watch().within(Some(args.timeout.unwrap_or(default)), None);
        Time { args, whole, runs: models.saturating_mul(Time::of_model(args)) }
    }

    /// The number of runs for each model: one without symmetry, and for each detector the detection and one with each choice of representatives.
    fn of_model(args: &CompareArgs) -> u32 {
        let explorations = u32::try_from(args.representatives.len()).unwrap_or(u32::MAX);
        let detectors = u32::try_from(Strategy::ALL.len()).unwrap_or(u32::MAX);
        explorations.saturating_add(1).saturating_mul(detectors).saturating_add(1)
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
    watch: Watch,
    text: String,
}

impl Sink<'_> {
    fn is_at_once(&self) -> bool {
        self.args.output.as_deref().is_none_or(|path| path == Path::new(io::STANDARD))
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

fn table<L: Presented>(
    loaded: &Loaded<L>,
    number: usize,
    time: &mut Time<'_>,
    sink: &mut Sink<'_>,
) -> Result<Table, Failure> {
    let args = sink.args;
    let (path, model) = (io::display(&loaded.path), &loaded.model);
    let width = if sink.is_at_once() { io::terminal_width() } else { None };
    sink.say(&render::head(&path, number, args, width))?;
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |mut row: Row, sink: &mut Sink<'_>| {
        row.reduction = rows.first().unwrap_or(&row).over(&row);
        sink.say(&render::row(&path, &row, args, width))?;
        rows.push(row);
        Ok::<(), Failure>(())
    };
    add(explored(model, None, Representative::Auto, time, &mut sink.watch)?, sink)?;
    for strategy in Strategy::ALL {
        let started = Instant::now();
        let find = || {
            let found = pipeline::line::detect(model, &L::Properties::default(), strategy);
            let group = found.map_err(|reason| reason.to_string())?.group;
            let seconds = started.elapsed().as_secs_f64();
            let GroupNames { structure, generators, .. } = model.names(&group);
            Ok(Found { order: L::engine_group(&group).order(), structure, generators: generators.len(), seconds })
        };
        let found = time.next().run(find).unwrap_or_else(|stopped| Err(stopped.to_string()));
        let found = match found {
            Ok(found) => found,
            Err(reason) => {
                time.skip(u32::try_from(args.representatives.len()).unwrap_or(u32::MAX));
                add(Row { detector: strategy.name(), reason: Some(reason), ..Row::default() }, sink)?;
                continue;
            }
        };
        for representative in &args.representatives {
            let row = explored(model, Some(strategy), representative.method(), time, &mut sink.watch)?;
            add(Row { group: Some(found.clone()), ..row }, sink)?;
        }
    }
    sink.say(&render::reasons(&rows, args))?;
    Ok(Table { path, language: loaded.model.language(), rows })
}

/// One run.
fn explored<L: Presented>(
    model: &L,
    symmetry: Option<Strategy>,
    representative: Representative,
    time: &mut Time<'_>,
    watch: &mut Watch,
) -> Result<Row, Failure> {
    let args = time.args;
    let max_memory = room::most_memory(args.max_memory.or_else(default_memory));
    let limits = Limits { max_states: args.states_limit, max_memory, ..Limits::default() };
    let question = Question { keep_going: true, limits, ..Question::default() };
    let plan = Plan {
        slicing: Slicing::Off,
        replace: Abstracted::new(),
        dead_values: false,
        proves_bounds: false,
        symmetry,
        starts: Starts::Fixed,
        images: Images::Off,
        heap_symmetry: symmetry.is_some(),
        representative,
        counts_orbits: false,
        partial_order: false,
        overflow_excluded: false,
    };
    reset_peak_memory();
    let report = time.next().run(|| pipeline::check(model, &question, &plan, watch));
    let report = match report {
        Ok(report) => report?,
        Err(stopped) => {
            let reason = Some(stopped.to_string());
            return Ok(Row { detector: symmetry.map_or("none", Strategy::name), reason, ..Row::default() });
        }
    };
    let used = report.group.as_ref();
    let explanation =
        report.reductions.iter().find(|reduction| reduction.kind == ReductionKind::Symmetry && !reduction.is_applied());
    Ok(Row {
        detector: symmetry.map_or("none", Strategy::name),
        reason: explanation.map(detail),
        group: None,
        representative: used.map(|group| group.representative.clone()),
        exact: used.is_none_or(|group| group.exact),
        states: report.states,
        transitions: report.transitions,
        complete: report.complete,
        seconds: report.seconds,
        memory: crate::world::peak_memory(),
        reduction: None,
    })
}

/// Restarts the measurement of the peak, where the system can.
fn reset_peak_memory() {
    // Without it the peak is that of all runs so far.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
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
        let cli = Cli::parse_from(["quotient", "compare", "a.rebeca", "b.rebeca", "--timeout", "18h"]);
        let Command::Compare(args) = &cli.command else { panic!("compare") };
        let mut time = Watch::new(Arc::new(System::default()), None, None).enter(|| Time::new(args)).expect("no limit");
        assert_eq!(time.runs, 18);
        let hours = |watch: Watch| watch.left().expect("a limit").as_secs().div_ceil(3600);
        assert_eq!(hours(time.next()), 1);
        time.skip(8);
        assert_eq!((hours(time.next()), time.runs), (2, 8));
        time.skip(7);
        assert_eq!(hours(time.next()), 18);
        assert_eq!(time.next().left().map(|left| left > Duration::ZERO), Some(true), "no division by no runs");
    }
}
