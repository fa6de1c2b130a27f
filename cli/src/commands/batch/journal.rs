//! The journal: finished rows, one line of JSON each, behind a line with the options that made them.
//!
//! Each row ends with a checksum of its text (CRC-32). A line that is no row, or whose checksum is wrong, is reported
//! and not used, so that its model is run again. A line is written at once and whole; a run that is killed leaves at
//! most one broken line, the last, which the next run drops. Journals of shards may be put together with `cat`:
//! further first lines are skipped when they are the same.
//!
//! Invariant: a row is used again only under the options that made it and for the same texts (its fingerprint).

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use frontend::diagnostics::Diagnostic;
use frontend::source::Span;
use serde_json::{Value as Json, json};

use super::row::Row;
use crate::codes;
use crate::io;
use crate::machine;
use crate::outcome::Failure;

/// The beginning of a journal.
const HEAD: &str = r#"{"schema_version":1,"command":"batch""#;

/// The largest journal that is read, in bytes.
const MOST_BYTES: usize = 1 << 30;

/// The file of finished rows.
pub(super) struct Journal {
    file: File,
    name: String,
    kept: HashMap<String, Row>,
}

impl Journal {
    /// Opens a journal, or begins one.
    ///
    /// # Errors
    /// A file that cannot be read or written, that is no journal, or whose rows were made with other options.
    pub(super) fn open(path: &Path, options: &Json, remark: &mut dyn FnMut(Diagnostic)) -> Result<Journal, Failure> {
        let name = io::display(path);
        let bytes = if path.exists() { io::read(path, MOST_BYTES)? } else { Vec::new() };
        let text = String::from_utf8_lossy(&bytes);
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let Rows { kept, damaged, known } = read(&text[..whole]);
        // Nothing, or a part of the first line, which a run leaves that is killed at once.
        let is_begun = whole == 0 && (text.starts_with(HEAD) || HEAD.starts_with(&*text));
        let refused = refuse_other_options(&name, known.as_ref(), options, is_begun);
        for line in damaged.iter().filter(|_| known.is_some()) {
            let message = format!("line {line} of `{name}` is damaged: its model is run again");
            remark(Diagnostic::notice(codes::DAMAGED_ROW, Span::NONE, message));
        }
        refused?;
        let opened = File::options().create(true).truncate(false).write(true).open(path);
        let mut file = opened.map_err(|error| unwritable(&name, &error))?;
        let broken = |error: std::io::Error| unwritable(&name, &error);
        file.set_len(whole as u64).map_err(broken)?; // drops a broken last line
        file.seek(SeekFrom::End(0)).map_err(broken)?;
        let mut journal = Journal { file, name, kept };
        if known.is_none() {
            let machine = machine::machine();
            let head = json!({ "schema_version": 1, "command": "batch", "options": options, "machine": machine });
            let head = head.to_string();
            assert!(head.starts_with(HEAD), "a part of the first line is known as one");
            journal.write(&head)?;
        }
        Ok(journal)
    }

    /// The row of this identity whose texts have this fingerprint.
    pub(super) fn row(&self, identity: &str, fingerprint: &str) -> Option<&Row> {
        self.kept.get(identity).filter(|row| row.fingerprint == fingerprint)
    }

    /// Keeps a row.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn keep(&mut self, row: &Row) -> Result<(), Failure> {
        let line = serde_json::to_string(row).map_err(|error| Failure::Internal(error.to_string()))?;
        self.write(&summed(&line))
    }

    fn write(&mut self, line: &str) -> Result<(), Failure> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.and_then(|()| self.file.flush()).map_err(|error| unwritable(&self.name, &error))
    }
}

/// The beginning of the checksum behind the fields of a row.
const CHECKSUM: &str = ",\"checksum\":\"";

/// An object with a checksum of its text.
fn summed(line: &str) -> String {
    let fields = line.strip_suffix('}').unwrap_or(line);
    format!("{fields}{CHECKSUM}{:08x}\"}}", crc32fast::hash(fields.as_bytes()))
}

/// A row whose checksum is right.
fn row(line: &str) -> Option<Row> {
    let (fields, _) = line.rsplit_once(CHECKSUM)?;
    let object = format!("{fields}}}");
    if summed(&object) == line { serde_json::from_str(&object).ok() } else { None }
}

/// The content of a journal.
struct Rows {
    kept: HashMap<String, Row>,
    /// The lines that are neither rows nor options, counted from 1.
    damaged: Vec<usize>,
    /// The options that made the rows: once, if all lines of options are the same.
    known: Option<Result<Json, Json>>,
}

fn read(text: &str) -> Rows {
    let mut rows = Rows { kept: HashMap::new(), damaged: Vec::new(), known: None };
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        if let Some(row) = row(line).filter(|_| rows.known.is_some()) {
            rows.kept.insert(row.identity(), row);
            continue;
        }
        let said = serde_json::from_str(line).ok().and_then(|mut json: Json| Some(json.get_mut("options")?.take()));
        match (said, &rows.known) {
            (None, _) => rows.damaged.push(number),
            (Some(options), None) => rows.known = Some(Ok(options)),
            (Some(options), Some(Ok(known))) if options != *known => rows.known = Some(Err(options)),
            (Some(_), Some(_)) => {}
        }
    }
    rows
}

/// Refuses rows that were made with other options, and files without options that are not the beginning of a journal.
fn refuse_other_options(
    name: &str,
    known: Option<&Result<Json, Json>>,
    options: &Json,
    is_begun: bool,
) -> Result<(), Failure> {
    let recorded = match known {
        None if is_begun => return Ok(()),
        None => {
            let message = format!("`{name}` is not a journal of `quotient batch`: no line says how its rows were made");
            return Err(Failure::file(name, codes::UNREADABLE, message)
                .help("give another file, which is made if it is not there"));
        }
        Some(Ok(recorded)) if recorded == options => return Ok(()),
        Some(Ok(recorded) | Err(recorded)) => recorded,
    };
    Err(Failure::file(name, codes::CONTRADICTION, format!("the rows of `{name}` were made with other options"))
        .help(format!("they were {recorded}; use these, or another file")))
}

fn unwritable(name: &str, error: &std::io::Error) -> Failure {
    Failure::file(name, codes::UNWRITABLE, format!("`{name}` cannot be written: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens a journal, and counts the damaged lines.
    fn open(path: &Path, options: &Json) -> (Result<Journal, Failure>, usize) {
        let mut damaged = 0;
        (Journal::open(path, options, &mut |_| damaged += 1), damaged)
    }

    fn whole(path: &Path, options: &Json) -> Journal {
        let (journal, damaged) = open(path, options);
        assert_eq!(damaged, 0);
        journal.expect("opened")
    }

    #[test]
    fn rows_survive_and_a_broken_line_is_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.jsonl");
        let options = json!({ "check": true });
        let row = Row::new("a".to_owned(), "1".to_owned());
        whole(&path, &options).keep(&row).expect("kept");
        let mut text = std::fs::read_to_string(&path).expect("a text");
        text.push_str("{\"path\":\"b");
        std::fs::write(&path, text).expect("a file");
        let mut journal = whole(&path, &options);
        assert_eq!(journal.row("a\0", "1"), Some(&row));
        assert_eq!((journal.row("a\0", "2"), journal.row("b\0", "1")), (None, None));
        journal.keep(&Row::new("b".to_owned(), "1".to_owned())).expect("kept");
        let text = std::fs::read_to_string(&path).expect("a text");
        assert_eq!(text.lines().count(), 3);
        whole(&path, &options);
        assert!(open(&path, &json!({ "check": false })).0.is_err());
        std::fs::write(&path, format!("{text}{text}")).expect("two shards");
        whole(&path, &options);
        for other in ["nonsense\n", "nonsense", "{\"one\":\"line\"}"] {
            std::fs::write(&path, other).expect("a file");
            assert!(matches!(open(&path, &options), (Err(_), 0)), "{other}");
            assert_eq!(std::fs::read_to_string(&path).expect("a text"), other);
        }
        for part in ["", "{\"schema", "{\"schema_version\":1,\"command\":\"batch\",\"opt"] {
            std::fs::write(&path, part).expect("a file");
            whole(&path, &options);
        }
    }

    #[test]
    fn rows_are_told_apart_by_the_path_and_the_values() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.jsonl");
        let options = json!({ "check": true });
        let with = |path: &str, values: &[i64]| Row {
            constants: values.iter().map(|value| ("N".to_owned(), *value)).collect(),
            seconds: values.iter().sum::<i64>() as f64,
            ..Row::new(path.to_owned(), "1".to_owned())
        };
        // The second has the name that people see of the first.
        let rows = [with("a", &[2]), with("a N=2", &[]), with("a", &[3]), with("a", &[])];
        let mut journal = whole(&path, &options);
        for row in &rows {
            journal.keep(row).expect("kept");
        }
        let journal = whole(&path, &options);
        for row in &rows {
            assert_eq!(journal.row(&row.identity(), "1"), Some(row));
        }
    }

    #[test]
    fn a_row_with_any_byte_changed_is_reported_and_not_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.jsonl");
        let options = json!({ "check": true });
        let mut journal = whole(&path, &options);
        for name in ["a", "b"] {
            journal.keep(&Row::new(name.to_owned(), "1".to_owned())).expect("kept");
        }
        let text = std::fs::read(&path).expect("a text");
        let ends: Vec<usize> = (0..text.len()).filter(|&at| text[at] == b'\n').collect();
        for at in ends[0] + 1..ends[1] {
            let mut damaged = text.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, damaged).expect("a file");
            let (journal, recorded) = open(&path, &options);
            let journal = journal.expect("opened");
            assert!(
                recorded > 0 && journal.row("a\0", "1").is_none() && journal.row("b\0", "1").is_some(),
                "byte {at}"
            );
        }
    }
}
