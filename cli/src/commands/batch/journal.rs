//! The journal: finished rows, one line of JSON each, behind a line that says with which options they were made.
//!
//! A line is written at once and whole; a run that is killed leaves at most one broken line, the last, which the next run
//! drops. Journals of shards may be put together with `cat`: further first lines are read over when they say the same.
//!
//! Invariant: a row is used again only under the options that made it and for the same texts (its fingerprint).

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use frontend::diagnostics::{Diagnostic, codes};
use frontend::source::Span;
use serde_json::{Value as Json, json};

use super::row::Row;
use crate::io;
use crate::outcome::Failure;

/// The largest journal that is read, in bytes.
const MOST_BYTES: usize = 1 << 30;

/// Where finished rows are kept.
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
    pub(super) fn open(path: &Path, options: &Json) -> Result<Journal, Failure> {
        let name = io::display(path);
        let bytes = if path.exists() { io::read(path, MOST_BYTES)? } else { Vec::new() };
        let text = String::from_utf8_lossy(&bytes);
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let (kept, known) = read(&name, &text[..whole], options)?;
        let opened = File::options().create(true).truncate(false).write(true).open(path);
        let mut file = opened.map_err(|error| unwritable(&name, &error))?;
        let broken = |error: std::io::Error| unwritable(&name, &error);
        file.set_len(whole as u64).map_err(broken)?; // drops a broken last line
        file.seek(SeekFrom::End(0)).map_err(broken)?;
        let mut journal = Journal { file, name, kept };
        if !known {
            journal.write(&json!({ "schema_version": 1, "command": "batch", "options": options }).to_string())?;
        }
        Ok(journal)
    }

    /// The row of a model whose texts have this fingerprint.
    pub(super) fn row(&self, path: &str, fingerprint: &str) -> Option<&Row> {
        self.kept.get(path).filter(|row| row.fingerprint == fingerprint)
    }

    /// Keeps a row.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn keep(&mut self, row: &Row) -> Result<(), Failure> {
        let line = serde_json::to_string(row).map_err(|error| Failure::Internal(error.to_string()))?;
        self.write(&line)
    }

    fn write(&mut self, line: &str) -> Result<(), Failure> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.and_then(|()| self.file.flush()).map_err(|error| unwritable(&self.name, &error))
    }
}

/// The rows of a journal, and whether it says how they were made.
fn read(name: &str, text: &str, options: &Json) -> Result<(HashMap<String, Row>, bool), Failure> {
    let mut kept = HashMap::new();
    let mut known = false;
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let malformed = || {
            let message = format!("`{name}` is not a journal of `quotient batch`: line {number} is no row");
            Failure::file(name, Diagnostic::error(codes::UNREADABLE, Span::NONE, message))
        };
        let json: Json = serde_json::from_str(line).map_err(|_| malformed())?;
        if let Some(told) = json.get("options") {
            if told != options {
                let message = format!("the rows of `{name}` were made with other options");
                let help = format!("they were {told}; use these, or another file");
                let diagnostic = Diagnostic::error(codes::CONTRADICTION, Span::NONE, message).help(help);
                return Err(Failure::file(name, diagnostic));
            }
            known = true;
            continue;
        }
        let row: Row = serde_json::from_value(json).map_err(|_| malformed())?;
        if !known {
            return Err(malformed());
        }
        kept.insert(row.path.clone(), row);
    }
    Ok((kept, known))
}

fn unwritable(name: &str, error: &std::io::Error) -> Failure {
    let message = format!("`{name}` cannot be written: {error}");
    Failure::file(name, Diagnostic::error(codes::UNWRITABLE, Span::NONE, message))
}

#[cfg(test)]
mod tests {
    use super::super::row::Row;
    use super::Journal;
    use serde_json::json;

    #[test]
    fn rows_survive_and_a_broken_line_is_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.jsonl");
        let options = json!({ "check": true });
        let row = Row::new("a".to_owned(), "1".to_owned());
        Journal::open(&path, &options).and_then(|mut journal| journal.keep(&row)).expect("kept");
        let mut text = std::fs::read_to_string(&path).expect("a text");
        text.push_str("{\"path\":\"b");
        std::fs::write(&path, text).expect("a file");
        let mut journal = Journal::open(&path, &options).expect("opened");
        assert_eq!(journal.row("a", "1"), Some(&row));
        assert_eq!((journal.row("a", "2"), journal.row("b", "1")), (None, None));
        journal.keep(&Row::new("b".to_owned(), "1".to_owned())).expect("kept");
        let text = std::fs::read_to_string(&path).expect("a text");
        assert_eq!(text.lines().count(), 3);
        assert!(Journal::open(&path, &options).is_ok());
        assert!(Journal::open(&path, &json!({ "check": false })).is_err());
        std::fs::write(&path, format!("{text}{text}")).expect("two shards");
        assert!(Journal::open(&path, &options).is_ok());
        std::fs::write(&path, "nonsense\n").expect("a file");
        assert!(Journal::open(&path, &options).is_err());
    }
}
