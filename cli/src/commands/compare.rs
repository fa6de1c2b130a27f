//! `quotient compare`: every detector side by side, and what each one buys.
//!
//! A row explores the whole state space of one model, with one detector and one choice of representatives, and asks no
//! property, so that all rows of a model count the same thing.

use std::time::Instant;

use checker::{Limits, Question, Representative};
use num_bigint::BigUint;
use slicing::reduce::Abstracted;
use symmetry::Strategy;

use crate::args::CompareArgs;
use crate::console::Console;
use crate::io;
use crate::language::Presented;
use crate::load::{self, AnyLoaded};
use crate::outcome::{Failure, Outcome};
use crate::paths::refuse_overwriting;
use crate::render::compare as render;
use crate::render::progress::Watch;
use pipeline::Plan;
use pipeline::Slicing;

/// All rows of one model.
pub(crate) struct Table {
    /// The path as the user gave it.
    pub(crate) path: String,
    /// The language.
    pub(crate) language: &'static str,
    /// The rows, the one without symmetry first.
    pub(crate) rows: Vec<Row>,
}

/// One detector and one choice of representatives.
#[derive(Clone, Default)]
pub(crate) struct Row {
    /// `none`, or the name of a detector.
    pub(crate) detector: &'static str,
    /// Why there is no run, if there is none.
    pub(crate) reason: Option<String>,
    /// What the detector found.
    pub(crate) group: Option<Found>,
    /// How representatives were chosen.
    pub(crate) representative: Option<String>,
    /// Whether one state an orbit is stored.
    pub(crate) exact: bool,
    /// States stored.
    pub(crate) states: u64,
    /// Transitions taken.
    pub(crate) transitions: u64,
    /// Whether everything was explored.
    pub(crate) complete: bool,
    /// Wall-clock seconds of the search.
    pub(crate) seconds: f64,
    /// Bytes of memory at the peak of the process during the run, if the system tells.
    pub(crate) memory: Option<u64>,
    /// States without symmetry over states stored, if both runs finished.
    pub(crate) reduction: Option<f64>,
}

/// A group that a detector found.
#[derive(Clone)]
pub(crate) struct Found {
    /// Its order.
    pub(crate) order: BigUint,
    /// Its name.
    pub(crate) structure: String,
    /// How many generators it has.
    pub(crate) generators: usize,
    /// Seconds to find and prove them.
    pub(crate) seconds: f64,
}

/// Compares the detectors on each model and writes the table.
pub(crate) fn run(args: &CompareArgs, console: &mut Console) -> Result<Outcome, Failure> {
    io::refuse_unwritable(args.output.as_deref())?;
    refuse_overwriting(args.models.iter().map(|path| &**path), args.output.as_deref())?;
    let mut watch = Watch::new(console.shows_progress());
    let mut tables = Vec::new();
    for path in &args.models {
        let table = match load::load(path, &args.reading.options(), console)? {
            AnyLoaded::Actors(loaded) => table(io::display(&loaded.path), &loaded.model, args, &mut watch)?,
            AnyLoaded::Process(loaded) => table(io::display(&loaded.path), &loaded.model, args, &mut watch)?,
        };
        tables.push(table);
        if limits::watch().consult().is_err() {
            break;
        }
    }
    drop(watch);
    io::write(args.output.as_deref(), render::table(&tables, args).as_bytes())?;
    Ok(limits::watch().consult().map_or_else(Outcome::stopped, |()| Outcome::Done))
}

fn table<L: Presented>(path: String, model: &L, args: &CompareArgs, watch: &mut Watch) -> Result<Table, Failure> {
    let mut rows = vec![explored(model, None, Representative::Auto, args, watch)?];
    for strategy in Strategy::ALL {
        let started = Instant::now();
        let find = || {
            let group = model.group(&L::Properties::default(), strategy)?;
            let (structure, generators) = L::shape(&group);
            let seconds = started.elapsed().as_secs_f64();
            Ok(Found { order: L::order(&group), structure, generators, seconds })
        };
        let found = run_within(args).run(find).unwrap_or_else(|stopped| Err(stopped.to_string()));
        let found = match found {
            Ok(found) => found,
            Err(reason) => {
                rows.push(Row { detector: strategy.name(), reason: Some(reason), ..Row::default() });
                continue;
            }
        };
        for representative in &args.representatives {
            let row = explored(model, Some(strategy), representative.method(), args, watch)?;
            rows.push(Row { group: Some(found.clone()), ..row });
        }
    }
    let (full, is_known) = (rows[0].states, rows[0].complete);
    for row in rows.iter_mut().filter(|row| is_known && row.complete && row.states > 0) {
        #[expect(clippy::cast_precision_loss, reason = "a factor for people")]
        let reduction = full as f64 / row.states as f64;
        row.reduction = Some(reduction);
    }
    Ok(Table { path, language: L::NAME, rows })
}

/// The watch of one run.
fn run_within(args: &CompareArgs) -> limits::Watch {
    limits::watch().within(args.timeout, args.max_memory)
}

/// One run.
fn explored<L: Presented>(
    model: &L,
    symmetry: Option<Strategy>,
    representative: Representative,
    args: &CompareArgs,
    watch: &mut Watch,
) -> Result<Row, Failure> {
    let limits = Limits { max_states: args.states_limit, max_memory: args.max_memory, ..Limits::default() };
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
    let told = report.reductions.iter().find(|reduction| reduction.name == "symmetry" && !reduction.applied);
    Ok(Row {
        detector: symmetry.map_or("none", Strategy::name),
        reason: told.map(|reduction| reduction.detail.clone()),
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

/// Starts the measurement of the peak anew, where the system can.
fn reset_peak_memory() {
    // Without it the peak is that of all runs so far.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
