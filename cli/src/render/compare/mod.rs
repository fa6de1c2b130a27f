//! The report of `compare`: its rows for people and as comma-separated values (`csv`); what stands below them (`groups`), as JSON (`as_json`), as
//! a page (`page`), and the summary over all models (`summary`).

mod as_json;
mod csv;
pub(crate) mod engines;
mod groups;
pub(crate) mod page;
mod plots;
pub(crate) mod summary;

use checker::{GeneratorNames, Limit};
use num_bigint::BigUint;
use pipeline::comparison::Comparison;
use serde::Serialize;

use crate::args::CompareArgs;
use crate::args::sweep::{self, Assignment};
use crate::machine;
use crate::paint::{clean, count, order, size, structure, time};
use crate::render::human::stopped;
use engines::GraphOfModel;
use summary::Summary;

/// What is compared: a model, or a model with one value for each constant that has several.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Subject {
    /// The path as the user gave it.
    pub(crate) path: String,
    /// The values of the constants that have several.
    pub(crate) constants: Assignment,
    /// The values of all constants that the command line or the head of the model gives.
    pub(crate) given: Assignment,
    /// The options of the head of the model.
    pub(crate) options: Option<String>,
}

impl Subject {
    /// Its name for people.
    pub(crate) fn name(&self) -> String {
        clean(&sweep::named(&self.path, &sweep::written(&self.constants)))
    }
}

/// Why a model has no rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Absent {
    /// Its text has errors.
    Refused,
    /// It met a limit with smaller values of its constants; in words.
    LeftOut(String),
}

/// All rows of one model.
pub(crate) struct Table {
    /// The model.
    pub(crate) subject: Subject,
    /// The language, if the model was read.
    pub(crate) language: Option<&'static str>,
    /// The reason that there are no rows, if there are none.
    pub(crate) absent: Option<Absent>,
    /// The rows, the one without symmetry first.
    pub(crate) rows: Vec<Row>,
    /// The detectors that came to a group.
    pub(crate) detectors: Vec<Detector>,
    /// The groups of these detectors, compared.
    pub(crate) comparison: Comparison,
    /// The coloured graph, if other programs were run on it.
    pub(crate) graph: Option<GraphOfModel>,
    /// Why GAP, which was asked, gave no names of groups.
    pub(crate) unnamed: Option<String>,
}

impl Table {
    /// A model without rows.
    pub(crate) fn absent(subject: Subject, absent: Absent) -> Table {
        let (rows, detectors, comparison) = (Vec::new(), Vec::new(), Comparison::default());
        Table { subject, language: None, absent: Some(absent), rows, detectors, comparison, graph: None, unnamed: None }
    }

    /// Whether its text has errors.
    pub(crate) fn is_refused(&self) -> bool {
        self.absent == Some(Absent::Refused)
    }

    /// Whether a limit ended one of its runs, so that larger values would meet it too.
    pub(crate) fn met_limit(&self) -> bool {
        self.rows.iter().any(|row| row.limited)
    }

    /// The first row of a detector, or of `none`.
    pub(crate) fn row(&self, detector: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.detector == detector)
    }
}

/// A detector that came to a group.
pub(crate) struct Detector {
    /// Its name.
    pub(crate) name: &'static str,
    /// The group.
    pub(crate) found: Found,
    /// The generators of the group.
    pub(crate) generators: Vec<GeneratorNames>,
    /// The place of the group in the library of small groups of GAP: its order and its number.
    pub(crate) small_group: Option<[u64; 2]>,
}

/// One detector and one choice of representatives.
#[derive(Clone, PartialEq, Serialize, Default)]
pub(crate) struct Row {
    /// `none`, or the name of a detector.
    pub(crate) detector: &'static str,
    /// The reason that there is no run, if there is none.
    pub(crate) reason: Option<String>,
    /// The group that the detector found.
    pub(crate) group: Option<Found>,
    /// The name of the method that chose representatives.
    pub(crate) representative: Option<String>,
    /// Whether one state per orbit is stored.
    pub(crate) exact: bool,
    /// States stored.
    pub(crate) states: u64,
    /// Transitions taken.
    pub(crate) transitions: u64,
    /// Whether everything was explored.
    pub(crate) complete: bool,
    /// Whether a limit ended the detection or the search.
    pub(crate) limited: bool,
    /// That limit, where it is known.
    #[serde(serialize_with = "as_json::limit_of")]
    pub(crate) limit: Option<Limit>,
    /// Wall-clock seconds of the search.
    pub(crate) seconds: f64,
    /// Seconds of processors that the search used, if the system reports them.
    pub(crate) cpu_seconds: Option<f64>,
    /// The spread of the times of repetitions of the search.
    pub(crate) spread: Option<Spread>,
    /// Bytes of memory at the peak of the process during the run, if the system reports them.
    #[serde(rename = "peak_memory_bytes")]
    pub(crate) memory: Option<u64>,
    /// States without symmetry over states stored, if both runs finished.
    pub(crate) reduction: Option<f64>,
    /// The difference to the run without symmetry, if both finished.
    pub(crate) saved: Option<Saved>,
}

/// What a run needs less than the one without symmetry; negative where it needs more.
#[derive(Clone, Copy, PartialEq, Serialize, Debug)]
pub(crate) struct Saved {
    /// Stored states.
    pub(crate) states: i64,
    /// Transitions.
    pub(crate) transitions: i64,
    /// Seconds, the detection included.
    pub(crate) seconds: f64,
    /// Bytes at the peak.
    #[serde(rename = "peak_memory_bytes")]
    pub(crate) memory: Option<i64>,
}

impl Row {
    /// What another run needs less than this one, if both finished.
    pub(crate) fn saved_by(&self, other: &Row) -> Option<Saved> {
        let less = |one: u64, two: u64| i64::try_from(i128::from(one) - i128::from(two)).ok();
        if !(self.complete && other.complete) {
            return None;
        }
        Some(Saved {
            states: less(self.states, other.states)?,
            transitions: less(self.transitions, other.transitions)?,
            seconds: self.total_seconds() - other.total_seconds(),
            memory: self.memory.zip(other.memory).and_then(|(one, two)| less(one, two)),
        })
    }

    /// The seconds of the detection and of the search.
    pub(crate) fn total_seconds(&self) -> f64 {
        self.seconds + self.group.as_ref().map_or(0.0, |group| group.seconds)
    }

    /// The states of this run over those of another one, if both finished.
    pub(crate) fn over(&self, other: &Row) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a factor for people")]
        let factor = self.states as f64 / other.states as f64;
        (self.complete && other.complete && other.states > 0).then_some(factor)
    }
}

/// The spread of the times of repetitions: the least and the greatest.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub(crate) struct Spread {
    /// The number of repetitions.
    pub(crate) runs: u32,
    /// Wall-clock seconds.
    pub(crate) seconds: [f64; 2],
    /// Seconds of processors.
    pub(crate) cpu_seconds: Option<[f64; 2]>,
}

/// A group that a detector found.
#[derive(Clone, PartialEq, Serialize)]
pub(crate) struct Found {
    /// Its order.
    #[serde(serialize_with = "as_json::digits")]
    pub(crate) order: BigUint,
    /// Its name.
    pub(crate) structure: String,
    /// The number of its generators.
    pub(crate) generators: usize,
    /// Seconds to find and prove them.
    pub(crate) seconds: f64,
    /// Seconds of processors for that, if the system reports them.
    pub(crate) cpu_seconds: Option<f64>,
    /// The spread of the times of repetitions.
    pub(crate) spread: Option<Spread>,
}

/// The text before all tables; a file begins with what produced it.
pub(crate) fn before(args: &CompareArgs, is_file: bool) -> String {
    if args.csv {
        return csv::head();
    }
    if is_file && !args.json { format!("{}\n\n", machine::line()) } else { String::new() }
}

/// The head of the table of a model.
pub(crate) fn head(subject: &Subject, args: &CompareArgs, width: Option<u16>) -> String {
    if args.json || args.csv {
        return String::new();
    }
    let options = subject.options.as_ref().map(|options| format!("  options    {}\n", clean(options)));
    format!("{}\n{}{}", subject.name(), options.unwrap_or_default(), folded(&HEADS.map(str::to_owned), width))
}

/// A row of the table of a model.
pub(crate) fn row(subject: &Subject, row: &Row, args: &CompareArgs, width: Option<u16>) -> String {
    if args.json {
        return String::new();
    }
    if args.csv { csv::line(subject, row) } else { folded(&cells(row), width) }
}

/// A model without rows.
pub(crate) fn absent(table: &Table, args: &CompareArgs) -> String {
    if args.json {
        return String::new();
    }
    let (word, sentence) = match &table.absent {
        Some(Absent::LeftOut(reason)) => (reason.as_str(), reason.as_str()),
        _ => ("refused", "refused: its text has errors"),
    };
    if args.csv {
        return csv::line(&table.subject, &Row { detector: "none", reason: Some(word.to_owned()), ..Row::default() });
    }
    format!("{}\n  {}\n", table.subject.name(), clean(sentence))
}

/// The gap between the tables of two models.
pub(crate) fn gap(args: &CompareArgs) -> &'static str {
    if args.json || args.csv { "" } else { "\n" }
}

/// The text below the rows of a model.
pub(crate) fn below(table: &Table, args: &CompareArgs, width: Option<u16>) -> String {
    if args.json {
        return String::new();
    }
    if args.csv {
        let engines = table.graph.iter().flat_map(|graph| &graph.engines);
        return engines.map(|engine| csv::line_of_engine(&table.subject, engine)).collect();
    }
    let graph = table.graph.as_ref().map(|graph| engines::text(graph, width));
    reasons(&table.rows, width) + &groups::text(table, width) + &graph.unwrap_or_default()
}

/// The reasons that there is no group, and the limits that ended searches.
fn reasons(rows: &[Row], width: Option<u16>) -> String {
    rows.iter().flat_map(reasons_of).map(|reason| wrapped(&format!("  {reason}"), 4, width)).collect()
}

/// The reason that a row has no group, and the limit that ended its search.
fn reasons_of(row: &Row) -> impl Iterator<Item = String> {
    let reason = row.reason.as_deref().filter(|_| row.representative.is_none());
    let limit = row.limit.as_ref().filter(|_| row.states > 0).map(stopped);
    reason.map(clean).into_iter().chain(limit).map(|text| format!("{}: {text}", row.detector))
}

/// The text below all tables: the summary, or everything at once for machines that read it whole.
pub(crate) fn after(tables: &[Table], summary: &Summary, args: &CompareArgs, width: Option<u16>) -> String {
    match (args.json, args.csv) {
        (true, _) => as_json::document(tables, summary),
        (false, true) => String::new(),
        (false, false) => summary.text(width),
    }
}

const HEADS: [&str; 13] = [
    "detector",
    "order",
    "structure",
    "generators",
    "detection",
    "representative",
    "exact",
    "states",
    "transitions",
    "time",
    "cpu",
    "memory",
    "reduction",
];

/// The least widths of the columns: a row is printed before those below it are known.
const WIDTHS: [usize; 13] = [15, 9, 12, 10, 9, 14, 5, 11, 11, 9, 9, 9, 9];

/// The columns of texts.
const LEFT: [usize; 4] = [0, 2, 5, 6];

/// A line of the table. Where it is wider than the terminal it continues in the next line; nothing is cut.
fn folded(cells: &[String], width: Option<u16>) -> String {
    folded_to(cells, &WIDTHS, &LEFT, width)
}

/// As [`folded`], with the least widths of the columns and those columns that begin at the left.
fn folded_to(cells: &[String], widths: &[usize], left: &[usize], width: Option<u16>) -> String {
    let most = width.map_or(usize::MAX, usize::from);
    assert!(cells.len() == widths.len(), "a row has a cell for each column");
    assert!(left.iter().all(|&column| column < widths.len()), "columns are named that the table has");
    let mut out = String::new();
    let mut line = String::new();
    for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        let padded = if left.contains(&column) { format!("  {cell:<width$}") } else { format!("  {cell:>width$}") };
        if column > 0 && line.chars().count() + padded.trim_end().chars().count() > most {
            out.push_str(line.trim_end());
            out.push('\n');
            line = "  ".to_owned();
        }
        line.push_str(&padded);
    }
    out + line.trim_end() + "\n"
}

/// A line of text. Where it is wider than the terminal it continues behind an indent in the next line; only words that are wider go on.
fn wrapped(line: &str, indent: usize, width: Option<u16>) -> String {
    let most = width.map_or(usize::MAX, usize::from);
    let (mut out, mut rest, mut filled) = (String::new(), line, 0);
    while !rest.is_empty() {
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        let end = rest[blanks..].find(' ').map_or(rest.len(), |end| blanks + end);
        let (mut word, behind) = rest.split_at(end);
        if filled > indent && filled + word.chars().count() > most {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            (word, filled) = (word.trim_start(), indent);
        }
        out.push_str(word);
        filled += word.chars().count();
        rest = behind;
    }
    out + "\n"
}

fn cells(row: &Row) -> Vec<String> {
    let dash = || "-".to_owned();
    let group = row.group.as_ref();
    let was_run = row.states > 0 || row.reason.is_none();
    let run = |text: String| if was_run { text } else { dash() };
    let more = if row.complete { "" } else { "> " };
    vec![
        row.detector.to_owned(),
        group.map_or_else(dash, |group| order(&group.order.to_string())),
        group.map_or_else(dash, |group| structure(&group.structure)),
        group.map_or_else(dash, |group| group.generators.to_string()),
        group.map_or_else(dash, |group| time(group.seconds)),
        row.representative.clone().unwrap_or_else(dash),
        if row.representative.is_none() { dash() } else { if row.exact { "yes" } else { "no" }.to_owned() },
        run(format!("{more}{}", count(row.states))),
        run(format!("{more}{}", count(row.transitions))),
        run(format!("{more}{}", time(row.seconds))),
        row.cpu_seconds.map_or_else(dash, |seconds| run(format!("{more}{}", time(seconds)))),
        row.memory.map_or_else(dash, size),
        row.reduction.map_or_else(dash, |factor| format!("{factor:.1}")),
    ]
}

/// The cells as they are sorted.
fn keys(row: &Row) -> [String; 13] {
    let group = row.group.as_ref();
    let seconds = |seconds: f64| format!("{seconds:.6}");
    [
        row.detector.to_owned(),
        group.map_or_else(String::new, |group| group.order.to_string()),
        group.map_or_else(String::new, |group| group.structure.clone()),
        group.map_or_else(String::new, |group| group.generators.to_string()),
        group.map_or_else(String::new, |group| seconds(group.seconds)),
        row.representative.clone().unwrap_or_default(),
        row.exact.to_string(),
        row.states.to_string(),
        row.transitions.to_string(),
        seconds(row.seconds),
        row.cpu_seconds.map_or_else(String::new, seconds),
        row.memory.map_or_else(String::new, |bytes| bytes.to_string()),
        row.reduction.map_or_else(String::new, |factor| format!("{factor:.3}")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_on_in_the_next_line_and_nothing_is_cut() {
        let cells: Vec<String> = (0..13).map(|at| format!("cell{at}-{}", "x".repeat(at))).collect();
        assert_eq!(folded(&cells, None).lines().count(), 1);
        for width in [1, 20, 40, 80, 120] {
            let text = folded(&cells, Some(width));
            assert!(cells.iter().all(|cell| text.contains(cell.as_str())), "{text}");
            let fits = |line: &str| line.chars().count() <= usize::from(width).max(23);
            assert!(width < 20 || text.lines().all(fits), "{text}");
        }
    }

    #[test]
    fn sentences_go_on_in_the_next_line() {
        let line = "  gain       constraint: 4 fewer states, 6 fewer transitions   by scalar-set";
        assert_eq!(wrapped(line, 13, None), format!("{line}\n"));
        assert_eq!(wrapped(line, 13, Some(200)), format!("{line}\n"));
        let text = wrapped(line, 13, Some(40));
        assert!(text.lines().count() == 3 && text.lines().all(|line| line.chars().count() <= 40), "{text}");
        assert!(
            text.lines().skip(1).all(|line| line.starts_with(&" ".repeat(13)) && !line.starts_with(&" ".repeat(14)))
        );
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&text), words(line));
        // A word that is wider than the terminal stays whole.
        assert_eq!(words(&wrapped(line, 13, Some(1))), words(line));
    }
}
