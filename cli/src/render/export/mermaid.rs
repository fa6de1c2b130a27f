//! A message sequence chart as Mermaid text, for pages that draw Mermaid (Markdown of code hosts among them).
//!
//! Mermaid has no slanted messages, so each arrow stands where its message is served. Lanes have generated names
//! (`r0`, `r1`) and show those of the model, escaped.
//!
//! Source: the syntax of sequence diagrams in the documentation of Mermaid 10.

use std::fmt::Write;

use super::chart::{Chart, Origin, Row};
use super::escape::mermaid;

/// A chart as Mermaid text.
pub(crate) fn document(chart: &Chart, title: &str) -> String {
    let mut out = format!("sequenceDiagram\n  accTitle: {}\n", text(title));
    for (lane, name) in chart.lanes.iter().enumerate() {
        let _ = writeln!(out, "  participant r{lane} as {}", text(name));
    }
    for row in &chart.rows {
        match row {
            Row::Gap(steps) => {
                let _ = writeln!(out, "  Note over r0: {steps} steps are left out");
            }
            Row::Step(step) => {
                if chart.cycle_from == Some(step.number - 1) {
                    out.push_str("  loop for ever\n");
                }
                let lane = step.lane;
                let from = match step.origin {
                    Some(Origin::Start(from) | Origin::Step(_, from)) => from,
                    None => lane,
                };
                let _ = writeln!(out, "  r{from}->>r{lane}: {} {}", step.number, text(&step.label));
                if !step.notes.is_empty() {
                    let notes: Vec<String> = step.notes.iter().map(|note| text(note)).collect();
                    let _ = writeln!(out, "  Note right of r{lane}: {}", notes.join("<br/>"));
                }
            }
        }
    }
    if let Some(fault) = &chart.fault {
        let lane = chart.rows.iter().rev().find_map(Row::lane).unwrap_or(0);
        let _ = writeln!(out, "  Note over r{lane}: fault#58; {}", text(fault));
    }
    let loops = chart.cycle_from.is_some_and(|from| chart.rows.iter().any(|row| row.number() == Some(from + 1)));
    if loops {
        out.push_str("  end\n");
    }
    for waiting in &chart.waiting {
        let _ = writeln!(out, "  Note over r{}: {} waits in the queue", waiting.lane, text(&waiting.label));
    }
    out
}

impl Row {
    pub(super) fn lane(&self) -> Option<usize> {
        match self {
            Row::Step(step) => Some(step.lane),
            Row::Gap(_) => None,
        }
    }

    fn number(&self) -> Option<usize> {
        match self {
            Row::Step(step) => Some(step.number),
            Row::Gap(_) => None,
        }
    }
}

/// Escaped text, in which no word is a key word of Mermaid.
fn text(text: &str) -> String {
    let escaped = mermaid(text);
    let mut out = String::with_capacity(escaped.len());
    let mut word = String::new();
    for character in escaped.chars().chain(std::iter::once('\n')) {
        if character.is_alphanumeric() || character == '_' {
            word.push(character);
            continue;
        }
        if word.eq_ignore_ascii_case("end") {
            let _ = write!(out, "{}#110;{}", &word[..1], &word[2..]);
        } else {
            out.push_str(&word);
        }
        word.clear();
        if character != '\n' {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::chart::{Chart, tests::sample};
    use super::{document, text};

    #[test]
    fn messages_stand_where_they_are_served() {
        let mut trace = sample();
        trace.cycle_from = Some(1);
        let expected = "\
sequenceDiagram
  accTitle: counterexample
  participant r0 as a
  participant r1 as b
  r0->>r0: 1 initial()
  Note right of r0: chose true<br/>x#58; 0 #8594; 1
  loop for ever
  r0->>r1: 2 m(1)
  end
  Note over r0: answer() waits in the queue
";
        assert_eq!(document(&Chart::new(&trace), "counterexample"), expected);
    }

    #[test]
    fn key_words_and_markup_are_text() {
        assert_eq!(text("end bend <b>"), "e#110;d bend #60;b#62;");
    }
}
