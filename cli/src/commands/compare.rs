//! `quotient compare`: every detector side by side, with its gain.
//!
//! A row explores the whole state space of one model, with one detector and one choice of representatives. Its
//! question has no property, so that all rows of a model count the same thing.

use std::path::Path;
use std::time::Instant;

use checker::{GroupNames, Limits, Question, ReductionKind, Representative};
use slicing::reduce::Abstracted;
use symmetry::Strategy;

use crate::args::CompareArgs;
use crate::console::Console;
use crate::io;
use crate::language::Presented;
use crate::load::{self, AnyLoaded};
use crate::outcome::{Failure, Outcome};
use crate::paths::refuse_overwriting;
use crate::render::compare::{self as render, Found, Row, Table};
use crate::render::progress::Watch;
use crate::room;
use crate::words::detail;
use crate::world::default_memory;
use pipeline::Plan;
use pipeline::Slicing;

/// Compares the detectors on each model and writes the table.
pub(crate) fn run(args: &CompareArgs, console: &mut Console) -> Result<Outcome, Failure> {
    io::refuse_unwritable(args.output.as_deref())?;
    refuse_overwriting(args.models.iter().map(|path| &**path), args.output.as_deref())?;
    let mut sink = Sink { args, watch: Watch::new(console.shows_progress()), text: String::new() };
    let mut tables = Vec::new();
    sink.say(&render::before(args))?;
    for path in &args.models {
        let table = match load::load(path, &args.reading.options(), console)? {
            AnyLoaded::Actors(loaded) => table(io::display(&loaded.path), &loaded.model, tables.len(), &mut sink)?,
            AnyLoaded::Process(loaded) => table(io::display(&loaded.path), &loaded.model, tables.len(), &mut sink)?,
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

fn table<L: Presented>(path: String, model: &L, number: usize, sink: &mut Sink<'_>) -> Result<Table, Failure> {
    let args = sink.args;
    let width = if sink.is_at_once() { io::terminal_width() } else { None };
    sink.say(&render::head(&path, number, args, width))?;
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |mut row: Row, sink: &mut Sink<'_>| {
        row.reduction = rows.first().unwrap_or(&row).over(&row);
        sink.say(&render::row(&path, &row, args, width))?;
        rows.push(row);
        Ok::<(), Failure>(())
    };
    add(explored(model, None, Representative::Auto, args, &mut sink.watch)?, sink)?;
    for strategy in Strategy::ALL {
        let started = Instant::now();
        let find = || {
            let found = pipeline::line::detect(model, &L::Properties::default(), strategy);
            let group = found.map_err(|reason| reason.to_string())?.group;
            let seconds = started.elapsed().as_secs_f64();
            let GroupNames { structure, generators, .. } = model.names(&group);
            Ok(Found { order: L::engine_group(&group).order(), structure, generators: generators.len(), seconds })
        };
        let found = run_within(args).run(find).unwrap_or_else(|stopped| Err(stopped.to_string()));
        let found = match found {
            Ok(found) => found,
            Err(reason) => {
                add(Row { detector: strategy.name(), reason: Some(reason), ..Row::default() }, sink)?;
                continue;
            }
        };
        for representative in &args.representatives {
            let row = explored(model, Some(strategy), representative.method(), args, &mut sink.watch)?;
            add(Row { group: Some(found.clone()), ..row }, sink)?;
        }
    }
    sink.say(&render::reasons(&rows, args))?;
    Ok(Table { path, language: L::NAME, rows })
}

/// The watch of one run.
fn run_within(args: &CompareArgs) -> limits::Watch {
    limits::watch().within(Some(args.timeout), args.max_memory)
}

/// One run.
fn explored<L: Presented>(
    model: &L,
    symmetry: Option<Strategy>,
    representative: Representative,
    args: &CompareArgs,
    watch: &mut Watch,
) -> Result<Row, Failure> {
    let max_memory = room::most_memory(args.max_memory.or_else(default_memory));
    let limits = Limits { max_states: args.states_limit, max_memory, ..Limits::default() };
    let question = Question { keep_going: true, limits, ..Question::default() };
    let plan = Plan {
        slicing: Slicing::Off,
        replace: Abstracted::new(),
        proves_bounds: false,
        symmetry,
        heap_symmetry: symmetry.is_some(),
        representative,
        counts_orbits: false,
        partial_order: false,
        overflow_excluded: false,
    };
    reset_peak_memory();
    let report = run_within(args).run(|| pipeline::check(model, &question, &plan, watch));
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
