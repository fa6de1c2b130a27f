//! The page of `compare`: summary, plots, and each model with its rows, groups and generators.
//!
//! Invariant: without scripts the page is whole; the script only sorts.

use minijinja::{Value, context};
use serde::Serialize;

use super::summary::Summary;
use super::{Absent, HEADS, LEFT, Row, Table, cells, engines, groups, keys, plots, reasons_of};
use crate::machine;
use crate::outcome::Failure;
use crate::paint::clean;
use crate::render::export::html;

#[derive(Serialize)]
struct Head {
    title: &'static str,
    is_left: bool,
}

#[derive(Serialize)]
struct Cell {
    text: String,
    /// The key by which the cell is sorted.
    key: String,
}

#[derive(Serialize)]
struct Generator {
    cycles: String,
    kind: &'static str,
    by: String,
    missing: String,
    rules: String,
}

#[derive(Serialize)]
struct Model {
    path: String,
    /// The badge and the reason of a model without rows.
    absent: Option<(&'static str, String)>,
    rows: Vec<Vec<Cell>>,
    reasons: Vec<String>,
    groups: Vec<String>,
    generators: Vec<Generator>,
    small_groups: Vec<String>,
    gain: Vec<String>,
    spread: Vec<String>,
    options: Option<String>,
    graph: Option<Value>,
}

/// The page.
///
/// # Errors
/// Only faults of the tool.
pub(crate) fn page(tables: &[Table], summary: &Summary) -> Result<String, Failure> {
    let heads = (0..).zip(HEADS).map(|(at, title)| Head { title, is_left: LEFT.contains(&at) });
    let (summary_heads, summary_rows) = summary.cells();
    let against: Vec<_> = summary
        .pairs
        .iter()
        .map(|pair| {
            let relations: Vec<String> = pair.relations.iter().map(|(word, many)| format!("{many} {word}")).collect();
            let of = format!("{} against {}", pair.of[0], pair.of[1]);
            context! { of => of, states => pair.states, relations => relations.join(", ") }
        })
        .collect();
    let text = html::page(
        "compare.html",
        context! {
            title => "Comparison of detectors",
            produced => machine::line(),
            distinct => summary.distinct,
            summary_heads => summary_heads[1..],
            summary_rows => summary_rows,
            against => against,
            plots => plots::all(tables, summary),
            heads => heads.collect::<Vec<_>>(),
            models => tables.iter().map(model).collect::<Vec<_>>(),
        },
    );
    text.map_err(|error| Failure::Internal(error.to_string()))
}

fn absent(absent: &Absent) -> (&'static str, String) {
    match absent {
        Absent::Refused => ("refused", "its text has errors".to_owned()),
        Absent::LeftOut(reason) => ("skipped", clean(reason)),
    }
}

fn model(table: &Table) -> Model {
    let row = |row: &Row| {
        let cell = |(text, key): (String, String)| Cell { text: clean(&text), key: clean(&key) };
        cells(row).into_iter().zip(keys(row)).map(cell).collect()
    };
    let generator = |one: groups::Partial<'_>| Generator {
        cycles: one.cycles,
        kind: one.kind,
        by: one.by.join(", "),
        missing: one.missing.join(", "),
        rules: if one.rules.is_empty() { "none".to_owned() } else { one.rules.join(", ") },
    };
    Model {
        path: table.subject.name(),
        absent: table.absent.as_ref().map(absent),
        rows: table.rows.iter().map(row).collect(),
        reasons: table.rows.iter().flat_map(reasons_of).collect(),
        groups: table.comparison.pairs.iter().map(|pair| groups::sentence(table, pair)).collect(),
        generators: groups::partial(table).into_iter().map(generator).collect(),
        small_groups: groups::small_groups(table),
        graph: table.graph.as_ref().map(|graph| Value::from_serialize(engines::as_json(graph))),
        gain: table.rows.iter().skip(1).filter_map(groups::gain).collect(),
        spread: table.rows.iter().filter_map(groups::spread).collect(),
        options: table.subject.options.as_deref().map(clean),
    }
}
