//! `--expect`: the results of a run against those of an earlier one.
//!
//! A baseline is a file of JSON lines: one that says what it is, and one for each row with its verdict, its counts and its groups, under the
//! names of the columns of the CSV file. Times and memory are not among them. Where time, memory or a signal ended a run, neither are its
//! counts and groups: they depend on the machine.
//!
//! Invariant: what is compared is what is kept. A row that the baseline does not have and one that was not run have moved as well, so that
//! a model cannot leave a baseline without a word.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::row::{Row, Status};
use super::sheet;
use crate::codes;
use crate::io;
use crate::machine;
use crate::outcome::Failure;
use crate::paint::{clean, counted};

/// The largest baseline that is read, in bytes.
const MOST_BYTES: usize = 1 << 30;

/// The columns that are kept of every row.
const ENDS: [&str; 4] = ["status", "verdict", "violated", "limit"];

/// The columns that are kept where neither time nor memory ended the run.
const COUNTS: [&str; 16] = [
    "states",
    "transitions",
    "depth",
    "complete",
    "check_group_order",
    "group_order",
    "structure",
    "known_rebec_order",
    "scalar_set_order",
    "channel_diagram_order",
    "constraint_order",
    "full_states",
    "orbits",
    "check_full_states",
    "degree",
    "orbit_sizes",
];

/// What is kept of a row.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(super) struct Kept {
    /// The path of the model.
    path: String,
    /// The values of its constants.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    constants: BTreeMap<String, i64>,
    /// Values by the names of columns.
    results: BTreeMap<String, String>,
}

impl Kept {
    fn new(row: &Row) -> Kept {
        let measured = ["time", "memory", "interrupt", "disk"];
        let depends = row.limit().is_some_and(|limit| measured.contains(&limit))
            || matches!(row.status, Status::Killed | Status::Crashed)
            || row.status == Status::Inconclusive && row.limit().is_none() && row.compare.is_some();
        let is_kept = |name: &str| ENDS.contains(&name) || !depends && COUNTS.contains(&name);
        let columns = sheet::columns();
        let kept = columns.iter().filter(|column| is_kept(column.name));
        let results = kept.filter_map(|column| {
            Some((column.name.to_owned(), (column.value)(row).filter(|value| !value.is_empty())?))
        });
        Kept { path: row.path.clone(), constants: row.constants.clone(), results: results.collect() }
    }

    fn key(&self) -> (&str, &BTreeMap<String, i64>) {
        (&self.path, &self.constants)
    }

    fn name(&self) -> String {
        let constants = self.constants.iter().map(|(name, value)| format!(" {name}={value}"));
        clean(&format!("{}{}", self.path, constants.collect::<String>()))
    }
}

/// A difference.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub(super) struct Moved {
    /// The path of the model.
    path: String,
    /// The values of its constants.
    constants: BTreeMap<String, i64>,
    /// The name of a column, or nothing where a whole row is new or gone.
    column: Option<String>,
    /// Its value in the baseline.
    was: Option<String>,
    /// Its value in this run.
    is: Option<String>,
}

/// The comparison of a run with a baseline.
#[derive(Clone, Serialize, Debug)]
pub(super) struct Comparison {
    /// The file.
    file: String,
    /// The number of rows that are as they were.
    same: usize,
    /// What moved, in the order of the rows; rows that are gone in the end.
    pub(super) moved: Vec<Moved>,
}

/// A baseline.
pub(super) struct Baseline {
    file: String,
    rows: Vec<Kept>,
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// A file that cannot be read, or that is none.
    pub(super) fn read(path: &Path) -> Result<Baseline, Failure> {
        let file = io::display(path);
        let bytes = io::read(path, MOST_BYTES)?;
        let text = String::from_utf8_lossy(&bytes);
        let wrong = |line: usize| {
            Failure::file(&*file, codes::NOT_A_BASELINE, format!("line {line} of `{file}` is no line of a baseline"))
                .help("`quotient batch .. --expect FILE --update-expect` writes one")
        };
        let mut lines = (1..).zip(text.lines());
        let is_head = |line: &str| {
            serde_json::from_str::<serde_json::Value>(line).is_ok_and(|head| head["command"] == "batch baseline")
        };
        if !lines.next().is_some_and(|(_, line)| is_head(line)) {
            return Err(wrong(1));
        }
        let rows: Result<Vec<Kept>, Failure> =
            lines.map(|(at, line)| serde_json::from_str(line).map_err(|_| wrong(at))).collect();
        Ok(Baseline { rows: rows?, file })
    }

    /// Compares rows with those of the baseline; of a part of the models, rows that were not run are not missed.
    pub(super) fn compare(&self, rows: &[Row], is_part: bool) -> Comparison {
        let known: BTreeMap<_, &Kept> = self.rows.iter().map(|kept| (kept.key(), kept)).collect();
        let found: Vec<Kept> = rows.iter().map(Kept::new).collect();
        let (mut moved, mut same) = (Vec::new(), 0);
        for row in &found {
            let before = moved.len();
            match known.get(&row.key()) {
                None => moved.push(whole(row, true)),
                Some(kept) => moved.extend(differences(kept, row)),
            }
            same += usize::from(moved.len() == before);
        }
        let run: std::collections::BTreeSet<_> = found.iter().map(Kept::key).collect();
        let gone = self.rows.iter().filter(|kept| !is_part && !run.contains(&kept.key()));
        moved.extend(gone.map(|kept| whole(kept, false)));
        Comparison { file: self.file.clone(), same, moved }
    }
}

/// A whole row that is new, or gone.
fn whole(row: &Kept, is_new: bool) -> Moved {
    let word = row.results.get("verdict").cloned();
    let (was, is) = if is_new { (None, word) } else { (word, None) };
    Moved { path: row.path.clone(), constants: row.constants.clone(), column: None, was, is }
}

/// The columns in which two rows differ.
fn differences(was: &Kept, is: &Kept) -> Vec<Moved> {
    let names = ENDS.into_iter().chain(COUNTS);
    let differ = names.filter(|name| was.results.get(*name) != is.results.get(*name));
    differ
        .map(|name| Moved {
            path: is.path.clone(),
            constants: is.constants.clone(),
            column: Some(name.to_owned()),
            was: was.results.get(name).cloned(),
            is: is.results.get(name).cloned(),
        })
        .collect()
}

impl Comparison {
    /// In words.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let named = |value: &Option<String>| value.as_deref().map_or_else(|| "nothing".to_owned(), clean);
        for Moved { path, constants, column, was, is } in &self.moved {
            let kept = Kept { path: path.clone(), constants: constants.clone(), results: BTreeMap::new() };
            let name = kept.name();
            out.push_str(&match (column, was, is) {
                (Some(column), was, is) => {
                    format!("moved: {name}: {column} was {}, is {}\n", named(was), named(is))
                }
                (None, None, is) => format!("new: {name}: {}\n", named(is)),
                (None, was, _) => format!("gone: {name}: {}\n", named(was)),
            });
        }
        let rows = counted(self.same as u64, "row");
        out + &format!("{rows} as in {}, {} moved\n", clean(&self.file), self.moved.len())
    }
}

/// The text of a baseline with these rows.
///
/// # Errors
/// Only faults of the tool.
pub(super) fn written(rows: &[Row]) -> Result<String, Failure> {
    let head = json!({ "schema_version": 1, "command": "batch baseline", "run": machine::json() });
    let mut out = format!("{head}\n");
    for row in rows {
        let line = serde_json::to_string(&Kept::new(row)).map_err(|error| Failure::Internal(error.to_string()))?;
        out.push_str(&line);
        out.push('\n');
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::row::{Row, Status, check_row};
    use super::{Baseline, written};
    use serde_json::json;

    fn row(path: &str, states: u64, seconds: f64) -> Row {
        let report = json!({ "verdict": "holds", "states": states, "complete": true, "seconds": seconds });
        Row { check: Some(check_row(&report)), seconds, ..Row::new(path.to_owned(), String::new()) }
    }

    fn baseline(rows: &[Row]) -> Baseline {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("baseline");
        std::fs::write(&path, written(rows).expect("a text")).expect("a file");
        Baseline::read(&path).map_err(|_| "read").expect("a baseline")
    }

    #[test]
    fn only_times_may_move() {
        let baseline = baseline(&[row("a", 5, 1.0), row("b", 6, 1.0)]);
        assert!(baseline.compare(&[row("a", 5, 9.0), row("b", 6, 9.0)], false).moved.is_empty());
        let moved = baseline.compare(&[row("a", 4, 1.0), row("c", 1, 1.0)], false);
        let text = moved.text();
        for line in ["moved: a: states was 5, is 4\n", "new: c: holds\n", "gone: b: holds\n", "0 rows as in "] {
            assert!(text.contains(line), "{text}");
        }
        assert!(baseline.compare(&[row("a", 5, 1.0)], true).moved.is_empty(), "of a part nothing is missed");
    }

    #[test]
    fn counts_that_depend_on_the_machine_are_not_kept() {
        let ended = |limit: &str, states: u64| {
            let report = json!({ "verdict": "inconclusive", "states": states, "limit": { "kind": limit } });
            Row {
                check: Some(check_row(&report)),
                status: Status::Inconclusive,
                ..Row::new("a".to_owned(), String::new())
            }
        };
        assert!(baseline(&[ended("time", 5)]).compare(&[ended("time", 6)], false).moved.is_empty());
        assert_eq!(baseline(&[ended("states", 5)]).compare(&[ended("states", 6)], false).moved.len(), 1);
        assert!(!baseline(&[ended("time", 5)]).compare(&[ended("states", 5)], false).moved.is_empty());
    }
}
