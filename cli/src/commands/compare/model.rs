//! The rows of one model, and its groups compared.

use std::time::Instant;

use checker::{GroupNames, Limits, Question, ReductionKind, Representative};
use engine::SparsePermutation;
use num_bigint::BigUint;
use pipeline::comparison;
use pipeline::{Images, Plan, Slicing, Starts};
use slicing::reduce::Abstracted;
use symmetry::Strategy;

use super::external::{self, Installed, gap};
use super::{OTHERS, Sink, Time};
use crate::language::Presented;
use crate::load::Loaded;
use crate::outcome::Failure;
use crate::render::compare::engines::GraphOfModel;
use crate::render::compare::{self as render, Detector, Found, Row, Subject, Table};
use crate::render::progress::Watch;
use crate::room;
use crate::words::detail;
use crate::world::default_memory;

/// Compares the detectors on one model, and writes its rows as they come.
pub(super) fn table<L: Presented>(
    loaded: &Loaded<L>,
    subject: Subject,
    time: &mut Time<'_>,
    sink: &mut Sink<'_>,
) -> Result<Table, Failure> {
    let args = sink.args;
    let model = &loaded.model;
    let width = sink.width();
    sink.say(&render::head(&subject, args, width))?;
    let mut rows: Vec<Row> = Vec::new();
    let (mut detectors, mut groups): (Vec<Detector>, Vec<L::Group>) = (Vec::new(), Vec::new());
    let mut add = |mut row: Row, sink: &mut Sink<'_>| {
        let first = rows.first().unwrap_or(&row);
        (row.reduction, row.saved) = (first.over(&row), first.saved_by(&row));
        sink.say(&render::row(&subject, &row, args, width))?;
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
            let order = L::engine_group(&group).order();
            let found = Found { order, structure, generators: generators.len(), seconds };
            let detector = Detector { name: strategy.name(), found: found.clone(), generators, small_group: None };
            Ok((detector, found, group))
        };
        let found = time.next().run(find);
        let limited = found.is_err();
        let found = match found.unwrap_or_else(|stopped| Err(stopped.to_string())) {
            Ok((detector, found, group)) => {
                detectors.push(detector);
                groups.push(group);
                found
            }
            Err(reason) => {
                time.skip(u32::try_from(args.representatives.len()).unwrap_or(u32::MAX));
                add(Row { detector: strategy.name(), reason: Some(reason), limited, ..Row::default() }, sink)?;
                continue;
            }
        };
        for representative in &args.representatives {
            let row = explored(model, Some(strategy), representative.method(), time, &mut sink.watch)?;
            add(Row { group: Some(found.clone()), ..row }, sink)?;
        }
    }
    let groups: Vec<&L::Group> = groups.iter().collect();
    let comparison = time.next().run(|| comparison::compare(model, &groups)).unwrap_or_default();
    let others = match &sink.installed {
        Some(installed) => {
            let generators = groups.iter().map(|group| L::engine_group(group).generators().to_vec());
            let orders = detectors.iter().map(|detector| detector.found.order.clone());
            let groups: Vec<_> = orders.zip(generators).collect();
            time.part(OTHERS).run(|| ask_others(model, installed, &groups, &mut detectors)).unwrap_or_default()
        }
        None => Others::default(),
    };
    let Others { graph, unnamed } = others;
    let language = Some(loaded.model.language());
    let table = Table { subject, language, absent: None, rows, detectors, comparison, graph, unnamed };
    sink.say(&render::below(&table, args, width))?;
    Ok(table)
}

/// What other programs say of a model.
#[derive(Default)]
struct Others {
    /// The coloured graph, if the model has one.
    graph: Option<GraphOfModel>,
    /// Why GAP gave no names.
    unnamed: Option<String>,
}

/// The order of the graph of the model by other programs, and the names that GAP has for the groups.
fn ask_others<L: Presented>(
    model: &L,
    installed: &Installed,
    groups: &[(BigUint, Vec<SparsePermutation>)],
    detectors: &mut [Detector],
) -> Others {
    limits::phase("running other programs");
    let mut unnamed = None;
    if installed.has_gap {
        match gap::names(groups) {
            Ok(names) => detectors.iter_mut().zip(names).for_each(|(detector, name)| detector.small_group = name),
            Err(reason) => unnamed = Some(reason),
        }
    }
    let coloured = model.coloured(&L::Properties::default());
    Others { graph: coloured.map(|coloured| external::run(&coloured.graph, installed)), unnamed }
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
    let limits = Limits { max_states: args.max_states, max_memory, ..Limits::default() };
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
            let detector = symmetry.map_or("none", Strategy::name);
            return Ok(Row { detector, reason, limited: true, ..Row::default() });
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
        limited: !report.complete,
        seconds: report.seconds,
        memory: crate::world::peak_memory(),
        reduction: None,
        saved: None,
    })
}

/// Restarts the measurement of the peak, where the system can.
fn reset_peak_memory() {
    // Without it the peak is that of all runs so far.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
