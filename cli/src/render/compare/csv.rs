//! The rows of `compare` as comma-separated values.
//!
//! Invariant: names of columns are part of the interface; columns may be added behind the others, never renamed or moved. The last three
//! say what produced the file.

use super::engines::Engine;
use super::{Row, Subject, keys};
use crate::args::sweep;
use crate::machine;
use crate::paint::cell;
use crate::render::json::limit_word;

/// The columns of the CSV file; those of later versions stand behind them.
const COLUMNS: [&str; 15] = [
    "model",
    "detector",
    "order",
    "structure",
    "generators",
    "detection_seconds",
    "representative",
    "exact",
    "states",
    "transitions",
    "complete",
    "seconds",
    "memory_bytes",
    "reduction",
    "reason",
];

/// The columns behind the constants.
const FURTHER: [&str; 11] = [
    "options",
    "limit",
    "cpu_seconds",
    "detection_cpu_seconds",
    "repeats",
    "seconds_least",
    "seconds_greatest",
    "cpu_seconds_least",
    "cpu_seconds_greatest",
    "detection_seconds_least",
    "detection_seconds_greatest",
];

/// The names of the columns.
pub(super) fn head() -> String {
    let origin = machine::columns().map(|(name, _)| name).join(",");
    format!("{},constants,{},{origin}\n", COLUMNS.join(","), FURTHER.join(","))
}

/// The line of a row.
pub(super) fn line(subject: &Subject, row: &Row) -> String {
    let keys = keys(row);
    let (run, rest) = keys.split_at(9);
    let [seconds, cpu, memory, reduction] = rest else { unreachable!("thirteen cells") };
    let complete = row.complete.to_string();
    let reason = row.reason.clone().unwrap_or_default();
    let behind = [&complete, seconds, memory, reduction, &reason];
    fields(subject, run.iter().chain(behind).map(String::as_str), further(row, cpu.clone()))
}

/// The fields behind the constants and the options.
fn further(row: &Row, cpu: String) -> [String; FURTHER.len() - 1] {
    let text = |seconds: f64| format!("{seconds:.6}");
    let ends = |ends: Option<[f64; 2]>| ends.map_or_else(<[String; 2]>::default, |ends| ends.map(text));
    let group = row.group.as_ref();
    let [least, greatest] = ends(row.spread.as_ref().map(|spread| spread.seconds));
    let [cpu_least, cpu_greatest] = ends(row.spread.as_ref().and_then(|spread| spread.cpu_seconds));
    let [found_least, found_greatest] = ends(group.and_then(|group| Some(group.spread.as_ref()?.seconds)));
    [
        row.limit.map_or_else(String::new, |limit| limit_word(limit.kind).to_owned()),
        cpu,
        group.and_then(|group| group.cpu_seconds).map_or_else(String::new, text),
        row.spread.as_ref().map_or_else(String::new, |spread| spread.runs.to_string()),
        least,
        greatest,
        cpu_least,
        cpu_greatest,
        found_least,
        found_greatest,
    ]
}

/// Another program on the graph: its order, its time, and whether it agrees.
pub(super) fn line_of_engine(subject: &Subject, engine: &Engine) -> String {
    let mut cells = [""; COLUMNS.len() - 1];
    let seconds = engine.seconds.map(|seconds| format!("{seconds:.6}")).unwrap_or_default();
    let agreement = engine.reason.as_deref().unwrap_or(engine.agreement.word());
    let values = [
        ("detector", engine.name),
        ("order", engine.order.as_deref().unwrap_or_default()),
        ("detection_seconds", &seconds),
        ("reason", agreement),
    ];
    for (name, value) in values {
        if let Some(at) = COLUMNS[1..].iter().position(|column| *column == name) {
            cells[at] = value;
        }
    }
    fields(subject, cells.into_iter(), <[String; FURTHER.len() - 1]>::default())
}

/// A line of the CSV file: the fields between the model and its constants, those behind the options, and what produced the file.
fn fields<'a>(subject: &Subject, cells: impl Iterator<Item = &'a str>, further: [String; FURTHER.len() - 1]) -> String {
    let constants = sweep::written(&subject.constants);
    let origin = machine::columns().map(|(_, text)| text);
    let mut all: Vec<String> = vec![subject.path.clone()];
    all.extend(cells.map(str::to_owned));
    all.extend([constants, subject.options.clone().unwrap_or_default()]);
    all.extend(further.into_iter().chain(origin));
    record(all.iter().map(|field| cell(field)))
}

/// A line of comma-separated values.
fn record(fields: impl Iterator<Item = String>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(fields.map(String::into_bytes)).expect("a line in memory");
    let line = writer.into_inner().expect("a line in memory");
    String::from_utf8(line).expect("fields are texts")
}

#[cfg(test)]
mod tests {
    use super::record;

    #[test]
    fn fields_with_commas_are_quoted() {
        let fields = ["S2 wr S2", "a, \"b\"", ""].map(str::to_owned);
        assert_eq!(record(fields.into_iter()), "S2 wr S2,\"a, \"\"b\"\"\",\n");
    }
}
