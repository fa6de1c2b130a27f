//! The columns: one definition for the CSV file, the table on the terminal and the page.
//!
//! Invariant: names of CSV columns are part of the interface; columns may be added at the end, never renamed or moved. An unknown value is
//! an empty cell. A line of comment would be a row to most readers of CSV, so what produced the file stands in columns.

use std::collections::BTreeSet;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};

use super::census;
use super::row::{DetectRow, Row, Spread};
use crate::machine;
use crate::outcome::Failure;
use crate::paint::{cell, clean, count, order, structure, time};

/// A column.
pub(super) struct Column {
    /// The name in the CSV file.
    pub(super) name: &'static str,
    /// The title for people; absent in columns for machines only.
    pub(super) title: Option<&'static str>,
    /// Whether it holds numbers.
    pub(super) is_number: bool,
    /// The value for machines.
    pub(super) value: fn(&Row) -> Option<String>,
    /// The value for people, if it differs.
    pub(super) shown: Option<fn(&Row) -> Option<String>>,
}

impl Column {
    /// The cell for people.
    pub(super) fn cell(&self, row: &Row) -> String {
        self.shown.unwrap_or(self.value)(row).unwrap_or_default()
    }
}

const fn raw(name: &'static str, value: fn(&Row) -> Option<String>) -> Column {
    Column { name, title: None, is_number: true, value, shown: None }
}

const fn word(name: &'static str, title: Option<&'static str>, value: fn(&Row) -> Option<String>) -> Column {
    Column { name, title, is_number: false, value, shown: None }
}

const fn number(
    name: &'static str,
    title: &'static str,
    value: fn(&Row) -> Option<String>,
    shown: fn(&Row) -> Option<String>,
) -> Column {
    Column { name, title: Some(title), is_number: true, value, shown: Some(shown) }
}

fn text(value: &str) -> Option<String> {
    Some(value.to_string())
}

fn detected(row: &Row, value: impl Fn(&DetectRow) -> u64) -> Option<String> {
    row.detect.as_ref().map(|detect| value(detect).to_string())
}

fn compared(row: &Row, detector: &str) -> Option<String> {
    row.compare.as_ref()?.order_of(detector).map(str::to_owned)
}

/// The verdict, or the other result of the model.
pub(super) fn verdict(row: &Row) -> String {
    match &row.check {
        Some(check) => check.verdict.clone(),
        None => row.status.name().to_owned(),
    }
}

/// A reduction factor for people.
pub(super) fn factor(value: f64) -> String {
    if value < 100.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

/// The columns, in the order of the CSV file.
pub(super) fn columns() -> Vec<Column> {
    let mut columns = vec![
        word("path", Some("model"), |row| text(&row.path)),
        word("language", None, |row| row.language.clone()),
        word("dialect", None, |row| row.dialect.clone()),
        word("status", None, |row| text(row.status.name())),
        word("verdict", Some("verdict"), |row| Some(verdict(row))),
        word("violated", None, |row| Some(row.check.as_ref()?.violated.join(" "))),
        number("processes", "processes", |row| row.processes.map(|n| n.to_string()), |row| row.processes.map(count)),
        number("variables", "variables", |row| row.variables.map(|n| n.to_string()), |row| row.variables.map(count)),
        number(
            "states",
            "states",
            |row| row.check.as_ref().map(|check| check.states.to_string()),
            |row| row.check.as_ref().map(|check| count(check.states)),
        ),
        raw("transitions", |row| row.check.as_ref().map(|check| check.transitions.to_string())),
        raw("depth", |row| row.check.as_ref().map(|check| check.depth.to_string())),
        raw("complete", |row| row.check.as_ref().map(|check| check.complete.to_string())),
        raw("check_group_order", |row| row.check.as_ref()?.order.clone()),
        word("check_detector", None, |row| row.check.as_ref()?.detector.clone()),
        number("group_order", "group", |row| row.order().map(str::to_owned), |row| row.order().map(order)),
        Column {
            shown: Some(|row| row.detect.as_ref()?.structure.as_deref().map(structure)),
            ..word("structure", Some("structure"), |row| row.detect.as_ref()?.structure.clone())
        },
        raw("generators", |row| detected(row, |detect| detect.generators)),
        raw("process_generators", |row| detected(row, |detect| detect.process)),
        raw("data_generators", |row| detected(row, |detect| detect.data)),
        raw("mixed_generators", |row| detected(row, |detect| detect.mixed)),
        raw("generators_beyond_rules", |row| detected(row, |detect| detect.beyond)),
        raw("rejected_candidates", |row| detected(row, |detect| detect.rejected)),
        number(
            "graph_vertices",
            "graph",
            |row| row.detect.as_ref()?.vertices.map(|n| n.to_string()),
            |row| row.detect.as_ref()?.vertices.map(count),
        ),
        raw("graph_edges", |row| row.detect.as_ref()?.edges.map(|n| n.to_string())),
        raw("known_rebec_order", |row| compared(row, "known-rebec")),
        raw("scalar_set_order", |row| compared(row, "scalar-set")),
        raw("channel_diagram_order", |row| compared(row, "channel-diagram")),
        raw("constraint_order", |row| compared(row, "constraint")),
        number(
            "full_states",
            "full",
            |row| row.reduction().map(|(full, _)| full.to_string()),
            |row| row.reduction().map(|(full, _)| count(full)),
        ),
        number(
            "orbits",
            "orbits",
            |row| row.reduction().map(|(_, least)| least.to_string()),
            |row| row.reduction().map(|(_, least)| count(least)),
        ),
        number(
            "reduction_factor",
            "factor",
            |row| row.factor().map(|f| format!("{f:.4}")),
            |row| row.factor().map(factor),
        ),
        raw("check_seconds", |row| row.check.as_ref().map(|check| format!("{:.6}", check.seconds))),
    ];
    columns.push(raw("detect_seconds", |row| row.detect.as_ref().map(|detect| format!("{:.6}", detect.seconds))));
    columns.extend([
        raw("peak_memory_bytes", |row| row.check.as_ref()?.memory.map(|bytes| bytes.to_string())),
        number("seconds", "time", |row| Some(format!("{:.6}", row.seconds)), |row| Some(time(row.seconds))),
        word("message", None, |row| row.message.clone()),
    ]);
    columns.extend(census_columns());
    columns.extend(further_columns());
    columns
}

/// The columns of the census, behind the message: readers that count columns find those before it where they were.
fn census_columns() -> Vec<Column> {
    vec![
        word("family", None, |row| Some(census::family(&row.path))),
        word("shape", None, |row| Some(row.census.as_ref()?.shape.name().to_owned())),
        raw("degree", |row| Some(row.census.as_ref()?.degree.to_string())),
        word("transitive", None, |row| Some(row.census.as_ref()?.transitive.to_string())),
        word("orbit_sizes", None, |row| Some(row.census.as_ref()?.orbits_text())),
        raw("proved_by_text", |row| Some(row.census.as_ref()?.by_text.to_string())),
        raw("proved_by_tables", |row| Some(row.census.as_ref()?.by_tables.to_string())),
        raw("near_symmetries", |row| Some(row.census.as_ref()?.near_count.to_string())),
        word("near_reasons", None, |row| Some(row.census.as_ref()?.reasons().join("; "))),
        raw("states_per_stored", |row| row.bought().map(|factor| format!("{factor:.4}"))),
    ]
}

/// The columns of several values, limits, processor time and repetitions.
fn further_columns() -> Vec<Column> {
    fn seconds(value: f64) -> String {
        format!("{value:.6}")
    }
    fn least(row: &Row, value: fn(&Spread) -> Option<[f64; 2]>) -> Option<String> {
        value(row.spread.as_ref()?).map(|[least, _]| seconds(least))
    }
    fn greatest(row: &Row, value: fn(&Spread) -> Option<[f64; 2]>) -> Option<String> {
        value(row.spread.as_ref()?).map(|[_, greatest]| seconds(greatest))
    }
    vec![
        word("constants", Some("constants"), |row| (!row.constants.is_empty()).then(|| row.constants_text())),
        word("options", None, |row| row.options.clone()),
        word("limit", Some("limit"), |row| row.limit().map(str::to_owned)),
        raw("check_full_states", |row| row.check.as_ref()?.full_states.clone()),
        number("cpu_seconds", "cpu", |row| row.cpu_seconds.map(seconds), |row| row.cpu_seconds.map(time)),
        raw("repeats", |row| row.spread.as_ref().map(|spread| spread.runs.to_string())),
        Column {
            title: Some("spread"),
            shown: Some(|row| row.spread.as_ref().map(|s| format!("{} to {}", time(s.seconds[0]), time(s.seconds[1])))),
            ..raw("seconds_least", |row| least(row, |spread| Some(spread.seconds)))
        },
        raw("seconds_greatest", |row| greatest(row, |spread| Some(spread.seconds))),
        raw("cpu_seconds_least", |row| least(row, |spread| spread.cpu_seconds)),
        raw("cpu_seconds_greatest", |row| greatest(row, |spread| spread.cpu_seconds)),
        raw("check_seconds_least", |row| least(row, |spread| spread.check_seconds)),
        raw("check_seconds_greatest", |row| greatest(row, |spread| spread.check_seconds)),
        raw("detect_seconds_least", |row| least(row, |spread| spread.detect_seconds)),
        raw("detect_seconds_greatest", |row| greatest(row, |spread| spread.detect_seconds)),
    ]
}

/// The columns of the page: those for people, and what a census is filtered by.
pub(super) fn page_columns(rows: &[Row]) -> Vec<Column> {
    const FILTERS: [&str; 7] =
        ["language", "family", "shape", "degree", "orbit_sizes", "near_symmetries", "states_per_stored"];
    let is_column = |name: &&str| columns().iter().any(|column| column.name == *name);
    debug_assert!(FILTERS.iter().all(is_column), "filters are columns");
    filled(rows, &|column| column.title.is_some() || FILTERS.contains(&column.name))
}

/// The columns for people that have a value in some row.
pub(super) fn filled_columns(rows: &[Row]) -> Vec<Column> {
    filled(rows, &|column| column.title.is_some())
}

/// The columns that have a value in some row, the constants behind the model.
fn filled(rows: &[Row], is_shown: &dyn Fn(&Column) -> bool) -> Vec<Column> {
    let says = |column: &Column| rows.iter().any(|row| !column.cell(row).is_empty());
    let mut filled: Vec<Column> = columns().into_iter().filter(|column| is_shown(column) && says(column)).collect();
    filled.sort_by_key(|column| match column.name {
        "path" => 0,
        "constants" => 1,
        _ => 2,
    });
    filled
}

/// The CSV file: the columns, a column for each constant that has several values, and what produced the file, in each row.
///
/// # Errors
/// Only faults of the tool.
pub(super) fn csv(rows: &[Row]) -> Result<Vec<u8>, Failure> {
    let columns = columns();
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    debug_assert!(crate::render::are_distinct(&names), "columns have names of their own");
    let constants: BTreeSet<&String> = rows.iter().flat_map(|row| row.constants.keys()).collect();
    let origin = machine::columns();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let fault = |error: &dyn std::fmt::Display| Failure::Internal(format!("the CSV file: {error}"));
    let heads = columns.iter().map(|column| column.name.to_owned());
    let heads = heads.chain(constants.iter().map(|name| format!("D_{name}")));
    let heads = heads.chain(origin.iter().map(|(name, _)| (*name).to_owned()));
    writer.write_record(heads).map_err(|error| fault(&error))?;
    for row in rows {
        let cells = columns.iter().map(|column| (column.value)(row).unwrap_or_default());
        let values = constants.iter().map(|name| row.constants.get(*name).map(i64::to_string).unwrap_or_default());
        let origin = origin.iter().map(|(_, text)| text.clone());
        let cells = cells.chain(values).chain(origin).map(|text| cell(&text));
        writer.write_record(cells).map_err(|error| fault(&error))?;
    }
    writer.into_inner().map_err(|error| fault(&error))
}

/// The table for people, within so many columns of the terminal if it is one: only structures of groups are wrapped for that.
pub(super) fn table(rows: &[Row], width: Option<u16>) -> String {
    let columns = filled_columns(rows);
    let mut table = Table::new();
    table.load_preset(NOTHING);
    match width {
        Some(width) => {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width.max(40));
        }
        None => {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
    }
    table.set_header(columns.iter().map(|column| column.title.unwrap_or(column.name)));
    let prefix = common_prefix(rows);
    for row in rows {
        table.add_row(columns.iter().map(|column| match column.name {
            "path" => clean(&row.path[prefix..]),
            _ => clean(&column.cell(row)),
        }));
    }
    for (at, column) in columns.iter().enumerate() {
        let Some(cells) = table.column_mut(at) else { continue };
        if column.is_number {
            cells.set_cell_alignment(CellAlignment::Right);
        }
        // Names of models and numbers stay in one piece; a line that is too long is the terminal's to wrap.
        if column.name != "structure" {
            cells.set_constraint(ColumnConstraint::ContentWidth);
        } else if width.is_some() {
            cells.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(14)));
        }
    }
    let mut out = String::new();
    for line in table.to_string().lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The length of the folders that all paths begin with.
pub(super) fn common_prefix(rows: &[Row]) -> usize {
    let Some(first) = rows.first().map(|row| row.path.as_str()) else { return 0 };
    let shared = rows.iter().fold(first.len(), |shared, row| {
        let same = first.bytes().zip(row.path.bytes()).take_while(|(a, b)| a == b).count();
        shared.min(same)
    });
    let prefix = first[..first.floor_char_boundary(shared)].rfind('/').map_or(0, |at| at + 1);
    assert!(rows.iter().all(|row| row.path.starts_with(&first[..prefix])), "every path has the prefix");
    prefix
}

#[cfg(test)]
mod tests {
    use super::super::row::Row;
    use super::{columns, csv, table};

    fn rows() -> Vec<Row> {
        ["models/a.rebeca", "models/deep/b\u{1b}[31m.lpe"].map(|path| Row::new(path.to_owned(), String::new())).to_vec()
    }

    #[test]
    fn names_of_columns_are_unique() {
        let mut names: Vec<&str> = columns().iter().map(|column| column.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), columns().len());
    }

    #[test]
    fn tables_have_no_control_characters_and_no_shared_folders() {
        let text = table(&rows(), Some(60));
        assert!(text.contains(" a.rebeca") && text.contains("deep/b\\u{1b}[31m.lpe"), "{text}");
        assert!(text.chars().all(|character| character == '\n' || !character.is_control()), "{text:?}");
    }

    #[test]
    fn names_of_models_stay_in_one_piece() {
        let name = |at: usize| format!("models/{}{at}.rebeca", "a_long_name_of_a_model_".repeat(at));
        let rows: Vec<Row> = (1..4).map(|at| Row::new(name(at), String::new())).collect();
        for width in [None, Some(20), Some(40), Some(80)] {
            let text = table(&rows, width);
            assert!((1..4).all(|at| text.contains(&name(at)["models/".len()..])), "{text}");
        }
    }

    #[test]
    fn csv_has_a_line_a_row() {
        let text = String::from_utf8(csv(&rows()).expect("CSV")).expect("text");
        assert_eq!(text.lines().count(), 3);
        assert!(text.starts_with("path,language,dialect,status,verdict,"), "{text}");
    }
}
