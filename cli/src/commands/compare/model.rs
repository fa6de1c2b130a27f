//! The rows of one model, and its groups compared.

use checker::Representative;
use engine::SparsePermutation;
use num_bigint::BigUint;
use pipeline::comparison;
use symmetry::Strategy;

use super::Sink;
use super::external::{self, Installed, gap};
use super::jobs::Job;
use super::runs::{Detected, NoGroup, Runs};
use super::time::{OTHERS, Time};
use crate::language::Presented;
use crate::load::Loaded;
use crate::outcome::Failure;
use crate::render::compare::engines::GraphOfModel;
use crate::render::compare::{self as render, Detector, Row, Table};

/// Compares the detectors on one model, and writes its rows as they come.
pub(super) fn table<L: Presented>(
    loaded: &Loaded<L>,
    job: &Job,
    time: &mut Time,
    sink: &mut Sink<'_>,
) -> Result<Table, Failure> {
    let args = sink.args;
    let model = &loaded.model;
    let subject = &job.subject;
    let width = sink.width();
    sink.say(&render::head(subject, args, width))?;
    let mut rows: Vec<Row> = Vec::new();
    let (mut detectors, mut groups): (Vec<Detector>, Vec<L::Group>) = (Vec::new(), Vec::new());
    let mut add = |mut row: Row, sink: &mut Sink<'_>| {
        let first = rows.first().unwrap_or(&row);
        let are_exact = first.complete && row.complete && row.exact;
        assert!(!are_exact || row.states <= first.states, "a quotient has no more states than the model");
        (row.reduction, row.saved) = (first.over(&row), first.saved_by(&row));
        sink.say(&render::row(subject, &row, args, width))?;
        rows.push(row);
        Ok::<(), Failure>(())
    };
    let runs = Runs { model, job };
    add(runs.explored(None, Representative::Auto, time, &mut sink.watch)?, sink)?;
    for strategy in Strategy::ALL {
        let found = match runs.detected(strategy, time)? {
            Ok(Detected { found, generators, group }) => {
                let name = strategy.name();
                detectors.push(Detector { name, found: found.clone(), generators, small_group: None });
                groups.push(group);
                found
            }
            Err(NoGroup { reason, limit }) => {
                time.skip(u32::try_from(job.representatives.len()).unwrap_or(u32::MAX).saturating_mul(job.repeat));
                let (detector, limited) = (strategy.name(), limit.is_some());
                add(Row { detector, reason: Some(reason), limited, limit, ..Row::default() }, sink)?;
                continue;
            }
        };
        for representative in &job.representatives {
            let row = runs.explored(Some(strategy), representative.get(), time, &mut sink.watch)?;
            add(Row { group: Some(found.clone()), ..row }, sink)?;
        }
    }
    let groups: Vec<&L::Group> = groups.iter().collect();
    let comparison = time.next().run(|| comparison::compare(model, &groups)).unwrap_or_default();
    let found_by = &comparison.found_by;
    assert!(found_by.is_empty() || found_by.len() == detectors.len(), "each group is compared, or none is");
    let mut of_groups = detectors.iter().zip(found_by);
    assert!(
        of_groups.all(|(detector, found_by)| detector.generators.len() == found_by.len()),
        "each generator has the detectors that find it"
    );
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
    let subject = subject.clone();
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
