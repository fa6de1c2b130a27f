//! Coverage in words: the warnings about parts that no run executes, and the counts as JSON.

use frontend::diagnostics::{Diagnostic, Diagnostics};
use frontend::parts::{Part, PartKind, Way};
use frontend::source::{Source, Span};
use pipeline::coverage::Covered;
use serde_json::{Value as Json, json};

use crate::codes;
use crate::paint::{count, cut};

/// The most warnings of one run.
const MOST: usize = 20;

/// The most characters of a text that is a name.
const LONG: usize = 60;

/// A warning for each part without executions, but for those inside of another one; the last of many counts the others.
pub(crate) fn never_executed(coverage: &[Covered], source: &Source) -> Diagnostics {
    let mut warnings = Diagnostics::new();
    let never: Vec<&Part> = coverage
        .iter()
        .filter(|covered| covered.count == 0 && !covered.is_nested)
        .map(|covered| &covered.part)
        .collect();
    for (at, part) in never.iter().take(MOST).enumerate() {
        let others = if at + 1 == MOST { never.len() - MOST } else { 0 };
        warnings.push(warning(part, others, source));
    }
    warnings
}

fn warning(part: &Part, others: usize, source: &Source) -> Diagnostic {
    let mut message = words(part, source);
    if others > 0 {
        message.push_str(&format!(", and {} more parts", count(others as u64)));
    }
    let lines: Vec<String> = part.assertions.iter().map(|span| source.position(span.start).line.to_string()).collect();
    let help = match (&lines[..], part.kind) {
        ([line], _) => Some(format!("its assertion in line {line} is never checked")),
        ([_, ..], _) => Some(format!("its assertions in lines {} are never checked", lines.join(", "))),
        ([], PartKind::Summand) => Some("its guard is true in no reachable state".to_owned()),
        ([], _) => None,
    };
    Diagnostic::warning(codes::NEVER_EXECUTED, part.span, message).help_opt(help)
}

/// The fact that a part is never executed.
fn words(part: &Part, source: &Source) -> String {
    let name = name(part, source);
    match (part.kind, part.mark) {
        (PartKind::Server, _) => format!("message server `{name}` is never executed"),
        (PartKind::Branch, Some(mark)) => {
            let line = source.position(mark.span.start).line;
            match mark.way {
                Way::Round => format!("the body of the loop of line {line} is never executed"),
                _ => format!("the `{name}` branch of line {line} is never executed"),
            }
        }
        (PartKind::Assertion, _) => format!("the assertion `{name}` is never checked"),
        (PartKind::Choice, _) => format!("the alternative `{name}` is never chosen"),
        (kind, _) => format!("{} `{name}` is never executed", kind.name()),
    }
}

/// The name of a part, or its text on one line.
fn name(part: &Part, source: &Source) -> String {
    if !part.name.is_empty() {
        return part.name.clone();
    }
    let words: Vec<&str> = source.slice(part.span).trim_end_matches(';').split_whitespace().collect();
    cut(&words.join(" "), LONG, "..")
}

/// Whether a place is none, or lies in a text.
pub(super) fn is_inside(span: Span, source: &Source) -> bool {
    span.is_none() || source.text.get(span.start as usize..span.end as usize).is_some()
}

/// The parts with their places and counts.
pub(crate) fn json(coverage: &[Covered], source: &Source) -> Vec<Json> {
    let entry = |Covered { part, count, is_nested }: &Covered| {
        debug_assert!(is_inside(part.span, source), "the place of a part lies in the text");
        let position = source.position(part.span.start);
        let last = part.span.end.saturating_sub(1).max(part.span.start);
        json!({
            "kind": part.kind.name(),
            "name": name(part, source),
            "place": { "line": position.line, "column": position.column, "last_line": source.position(last).line },
            "count": count,
            "nested": *is_nested && *count == 0,
        })
    };
    coverage.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use frontend::parts::{Part, PartKind};
    use frontend::source::{Source, Span};
    use pipeline::coverage::Covered;

    use super::{MOST, never_executed};

    #[test]
    fn many_warnings_are_counted() {
        let source = Source::new("a.m", "x\n".repeat(100));
        let part = |at: u32| Part::outer(PartKind::Rule, format!("r{at}"), Span { start: 2 * at, end: 2 * at + 1 });
        let covered = |parts: u32, count| -> Vec<Covered> {
            (0..parts).map(|at| Covered { part: part(at), count, is_nested: false }).collect()
        };
        assert!(never_executed(&covered(30, 1), &source).list.is_empty());
        let warnings = never_executed(&covered(30, 0), &source).list;
        assert_eq!(warnings.len(), MOST);
        assert_eq!(warnings[MOST - 1].message, "rule `r19` is never executed, and 10 more parts");
    }
}
