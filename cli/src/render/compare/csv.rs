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

/// The names of the columns.
pub(super) fn head() -> String {
    let names: Vec<&str> = fields(&Subject::default(), &Row::default()).into_iter().map(|(name, _)| name).collect();
    debug_assert!(crate::render::are_distinct(&names), "columns have names of their own");
    names.join(",") + "\n"
}

/// The line of a row.
pub(super) fn line(subject: &Subject, row: &Row) -> String {
    record(fields(subject, row).into_iter().map(|(_, text)| cell(&text)))
}

/// Another program on the graph: its order, its time, and whether it agrees.
pub(super) fn line_of_engine(subject: &Subject, engine: &Engine) -> String {
    let seconds = engine.seconds.map(|seconds| format!("{seconds:.6}")).unwrap_or_default();
    let agreement = engine.reason.as_deref().unwrap_or(engine.agreement.name());
    let own = |(name, text): (&str, String)| match name {
        "detector" => engine.name.to_owned(),
        "order" => engine.order.clone().unwrap_or_default(),
        "detection_seconds" => seconds.clone(),
        "reason" => agreement.to_owned(),
        "exact" | "states" | "transitions" | "complete" | "seconds" => String::new(),
        _ => text,
    };
    let fields = fields(subject, &Row::default());
    let is_column = |wanted: &&str| fields.iter().any(|(name, _)| name == wanted);
    assert!(["detector", "order", "detection_seconds", "reason"].iter().all(is_column), "an engine fills columns");
    record(fields.into_iter().map(|field| cell(&own(field))))
}

/// The columns of a row, and what produced the file; those of later versions stand behind the others.
fn fields(subject: &Subject, row: &Row) -> Vec<(&'static str, String)> {
    let text = |seconds: f64| format!("{seconds:.6}");
    let ends = |ends: Option<[f64; 2]>| ends.map_or_else(<[String; 2]>::default, |ends| ends.map(text));
    let group = row.group.as_ref();
    let [least, greatest] = ends(row.spread.as_ref().map(|spread| spread.seconds));
    let [cpu_least, cpu_greatest] = ends(row.spread.as_ref().and_then(|spread| spread.cpu_seconds));
    let [found_least, found_greatest] = ends(group.and_then(|group| Some(group.spread.as_ref()?.seconds)));
    let keys = keys(row);
    let [detector, order, structure, generators, detection, representative, exact, states, transitions, ..] = &keys;
    let [.., seconds, cpu, memory, reduction] = &keys;
    let of_row = [
        ("model", &subject.path),
        ("detector", detector),
        ("order", order),
        ("structure", structure),
        ("generators", generators),
        ("detection_seconds", detection),
        ("representative", representative),
        ("exact", exact),
        ("states", states),
        ("transitions", transitions),
        ("complete", &row.complete.to_string()),
        ("seconds", seconds),
        ("memory_bytes", memory),
        ("reduction", reduction),
    ];
    let further = [
        ("reason", row.reason.clone().unwrap_or_default()),
        ("constants", sweep::written(&subject.constants)),
        ("options", subject.options.clone().unwrap_or_default()),
        ("limit", row.limit.map_or_else(String::new, |limit| limit_word(limit.kind).to_owned())),
        ("cpu_seconds", cpu.clone()),
        ("detection_cpu_seconds", group.and_then(|group| group.cpu_seconds).map_or_else(String::new, text)),
        ("repeats", row.spread.as_ref().map_or_else(String::new, |spread| spread.runs.to_string())),
        ("seconds_least", least),
        ("seconds_greatest", greatest),
        ("cpu_seconds_least", cpu_least),
        ("cpu_seconds_greatest", cpu_greatest),
        ("detection_seconds_least", found_least),
        ("detection_seconds_greatest", found_greatest),
    ];
    of_row.map(|(name, text)| (name, text.clone())).into_iter().chain(further).chain(machine::columns()).collect()
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
