//! Coverage in words: the warnings about parts that no run executes, and the counts as JSON.

use frontend::diagnostics::{Diagnostic, Diagnostics};
use frontend::source::Source;
use pipeline::coverage::{Covered, Part, PartKind};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::paint::count;

/// The most warnings of one run.
const MOST: usize = 20;

/// A warning for each part without executions; the last of many counts the others.
pub(crate) fn never_executed(coverage: &[Covered], source: &Source) -> Diagnostics {
    let mut warnings = Diagnostics::new();
    let never: Vec<&Part> = coverage.iter().filter(|covered| covered.count == 0).map(|covered| &covered.part).collect();
    for (at, part) in never.iter().take(MOST).enumerate() {
        let others = if at + 1 == MOST { never.len() - MOST } else { 0 };
        warnings.push(warning(part, others, source));
    }
    warnings
}

fn warning(part: &Part, others: usize, source: &Source) -> Diagnostic {
    let kind = match part.kind {
        PartKind::Server => "message server",
        other => other.name(),
    };
    let mut message = format!("{kind} `{}` is never executed", part.name);
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

/// The parts with their places and counts.
pub(crate) fn json(coverage: &[Covered], source: &Source) -> Vec<Json> {
    let entry = |Covered { part, count }: &Covered| {
        let position = source.position(part.span.start);
        let last = part.span.end.saturating_sub(1).max(part.span.start);
        json!({
            "kind": part.kind.name(),
            "name": part.name,
            "place": { "line": position.line, "column": position.column, "last_line": source.position(last).line },
            "count": count,
        })
    };
    coverage.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use frontend::source::{Source, Span};
    use pipeline::coverage::{Covered, Part, PartKind};

    use super::{MOST, never_executed};

    #[test]
    fn many_warnings_are_counted() {
        let source = Source::new("a.m", "x\n".repeat(100));
        let part = |at: u32| Part {
            kind: PartKind::Rule,
            name: format!("r{at}"),
            span: Span { start: 2 * at, end: 2 * at + 1 },
            assertions: Vec::new(),
        };
        let covered = |parts: u32, count| (0..parts).map(|at| Covered { part: part(at), count }).collect::<Vec<_>>();
        assert!(never_executed(&covered(30, 1), &source).list.is_empty());
        let warnings = never_executed(&covered(30, 0), &source).list;
        assert_eq!(warnings.len(), MOST);
        assert_eq!(warnings[MOST - 1].message, "rule `r19` is never executed, and 10 more parts");
    }
}
