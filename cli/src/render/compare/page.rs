//! The page of `compare`: summary, plots, and each model with its rows, groups and generators.
//!
//! Invariant: without scripts the page is whole; the script only sorts.

use minijinja::{Value, context};

use super::summary::Summary;
use super::{Absent, HEADS, LEFT, Row, Table, cells, groups, keys, plots, reasons_of};
use crate::machine;
use crate::outcome::Failure;
use crate::paint::clean;
use crate::render::export::html;

/// The page.
///
/// # Errors
/// Only faults of the tool.
pub(crate) fn page(tables: &[Table], summary: &Summary) -> Result<String, Failure> {
    let heads = (0..).zip(HEADS).map(|(at, title)| context! { title, is_left => LEFT.contains(&at) });
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

fn model(table: &Table) -> Value {
    let row = |row: &Row| {
        assert_eq!(cells(row).len(), HEADS.len(), "a row has a cell for each column");
        let cell = |(text, key): (String, String)| context! { text => clean(&text), key => clean(&key) };
        cells(row).into_iter().zip(keys(row)).map(cell).collect::<Vec<_>>()
    };
    let generator = |one: groups::Partial<'_>| {
        let rules = if one.rules.is_empty() { "none".to_owned() } else { one.rules.join(", ") };
        let (by, missing) = (one.by.join(", "), one.missing.join(", "));
        context! { cycles => one.cycles, kind => one.kind, by, missing, rules }
    };
    context! {
        path => table.subject.name(),
        absent => table.absent.as_ref().map(absent),
        rows => table.rows.iter().map(row).collect::<Vec<_>>(),
        reasons => table.rows.iter().flat_map(reasons_of).collect::<Vec<_>>(),
        groups => table.comparison.pairs.iter().map(|pair| groups::sentence(table, pair)).collect::<Vec<_>>(),
        generators => groups::partial(table).into_iter().map(generator).collect::<Vec<_>>(),
        small_groups => groups::small_groups(table),
        graph => table.graph,
        gain => table.rows.iter().skip(1).filter_map(groups::gain).collect::<Vec<_>>(),
        spread => table.rows.iter().filter_map(groups::spread).collect::<Vec<_>>(),
        options => table.subject.options.as_deref().map(clean),
    }
}
