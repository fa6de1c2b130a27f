//! Runs on pages: the drawing of a counterexample, a witness or a run that branches off one, and the table of its states.

use serde::Serialize;

use super::chart::{Chart, event};
use super::read::{PropertyFile, ReportFile, ShownFile, numbered};
use super::states::{flat, states};
use super::svg;
use crate::trace_file::TraceFile;

/// The most steps of a table of states at each end.
const MOST_STEPS: usize = 100;

/// The most variables of a table of states.
const MOST_COLUMNS: usize = 80;

/// The most characters of a cell that are shown at once.
const MOST_CHARACTERS: usize = 48;

/// A counterexample, a witness, or a run that branches off one.
#[derive(Serialize)]
pub(super) struct ShownRun {
    /// The kind of the run, before the name of the property.
    heading: String,
    name: String,
    /// Whether the row of the property leads to it.
    is_main: bool,
    message: String,
    steps: usize,
    svg: String,
    table: Table,
}

impl ShownRun {
    /// A counterexample.
    pub(super) fn violation(report: &ReportFile, property: &PropertyFile, trace: &TraceFile) -> ShownRun {
        ShownRun::headed("Counterexample to".to_owned(), true, report, property, trace)
    }

    fn headed(
        heading: String,
        is_main: bool,
        report: &ReportFile,
        property: &PropertyFile,
        trace: &TraceFile,
    ) -> ShownRun {
        let title = format!("{}: {heading} {}", report.model.path, property.name);
        ShownRun {
            heading,
            name: property.name.clone(),
            is_main,
            message: property.message.clone(),
            steps: trace.steps.len(),
            svg: svg::inline(&Chart::new(trace), &title),
            table: Table::new(trace),
        }
    }
}

/// The witnesses of formulas of branching time, and the runs that branch off a witness or a counterexample.
pub(super) fn explanations(report: &ReportFile) -> Vec<ShownRun> {
    let mut found = Vec::new();
    for property in &report.properties {
        let Some(explanation) = &property.explanation else { continue };
        if let Some(witness) = &explanation.witness {
            let run = ShownRun::headed("Witness of".to_owned(), true, report, property, witness);
            found.push(ShownRun { message: said(&explanation.shows), ..run });
        }
        for (place, branch) in numbered(&explanation.branches) {
            let heading = format!("Branch {place}, from step {} on, of", branch.from);
            let run = ShownRun::headed(heading, false, report, property, &branch.trace);
            found.push(ShownRun { message: said(&branch.shows), ..run });
        }
    }
    found
}

/// What a run shows, in words.
fn said(shows: &[ShownFile]) -> String {
    let of = |ShownFile { at, formula, value }: &ShownFile| format!("{formula} is {value} after step {at}");
    shows.iter().map(of).collect::<Vec<_>>().join("; ")
}

/// The states of a run.
#[derive(Serialize)]
struct Table {
    columns: Vec<String>,
    /// Variables that keep their value, with it.
    constant: Vec<String>,
    rows: Vec<TableRow>,
    /// Columns that are left out.
    hidden: usize,
}

#[derive(Serialize)]
struct TableRow {
    /// The number of the step; 0 is the start.
    number: usize,
    /// So many steps are left out before this one.
    gap: usize,
    event: String,
    cells: Vec<Cell>,
    /// Whether the run returns to this state.
    is_cycle: bool,
}

#[derive(Serialize)]
struct Cell {
    text: String,
    /// The beginning of a long text, which stands for it until it is opened.
    short: Option<String>,
    changed: bool,
}

impl Table {
    fn new(trace: &TraceFile) -> Table {
        let states: Vec<Vec<(String, String)>> =
            states(trace).iter().map(|state| state.as_ref().map(flat).unwrap_or_default()).collect();
        let mut columns: Vec<String> = Vec::new();
        let mut known = std::collections::HashMap::new();
        let mut first: Vec<&str> = Vec::new();
        let mut changes: Vec<bool> = Vec::new();
        for (name, value) in states.iter().flatten() {
            let column = *known.entry(name.as_str()).or_insert_with(|| {
                columns.push(name.clone());
                first.push(value);
                changes.push(false);
                columns.len() - 1
            });
            changes[column] |= first[column] != value;
        }
        assert!(first.len() == columns.len() && changes.len() == columns.len(), "every column has its first value");
        let moving: Vec<usize> = (0..columns.len()).filter(|&column| changes[column]).collect();
        let shown = &moving[..moving.len().min(MOST_COLUMNS)];
        let fixed = (0..columns.len()).filter(|&column| !changes[column]);
        let constant = fixed.map(|column| format!("{} = {}", columns[column], first[column])).collect();
        let mut rows = Vec::new();
        let mut gap = 0;
        for index in 0..states.len() {
            if index > MOST_STEPS && index + MOST_STEPS < states.len() {
                gap += 1;
                continue;
            }
            rows.push(row(trace, &states, index, gap, shown.iter().map(|&column| columns[column].as_str())));
            gap = 0;
        }
        assert!(rows.iter().all(|row| row.cells.len() == shown.len()), "a row has a cell for each column");
        assert_eq!(gap, 0, "the last state is shown");
        let hidden = moving.len() - shown.len();
        Table { columns: shown.iter().map(|&column| columns[column].clone()).collect(), constant, rows, hidden }
    }
}

fn row<'a>(
    trace: &TraceFile,
    states: &[Vec<(String, String)>],
    index: usize,
    gap: usize,
    columns: impl Iterator<Item = &'a str>,
) -> TableRow {
    let value = |index: usize, name: &str| {
        states[index].iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.as_str())
    };
    let cells = columns.map(|name| {
        let text = value(index, name).to_owned();
        let changed = index > 0 && !states[index].is_empty() && text != value(index - 1, name);
        let cut = text.char_indices().nth(MOST_CHARACTERS).map(|(at, _)| at);
        let short = cut.map(|at| {
            let messages = text.matches("), ").count() + 1;
            let more = if name.ends_with(".queue") { format!(" ({messages} messages)") } else { String::new() };
            format!("{} …{more}", &text[..at])
        });
        Cell { text, short, changed }
    });
    TableRow {
        number: index,
        gap,
        event: event(trace, index),
        cells: cells.collect(),
        is_cycle: trace.cycle_from == Some(index),
    }
}

#[cfg(test)]
mod tests {
    use super::super::chart::tests::sample;
    use super::Table;

    #[test]
    fn changes_are_marked() {
        let table = Table::new(&sample());
        assert_eq!(table.columns, ["a.x", "a.queue", "b.queue"]);
        assert_eq!(table.constant, ["b.x = 0"]);
        let marked: Vec<Vec<bool>> =
            table.rows.iter().map(|row| row.cells.iter().map(|cell| cell.changed).collect()).collect();
        assert_eq!(marked, [[false; 3], [true, true, true], [false, true, true]]);
    }
}
