//! The text of a model with the steps of counterexamples and the parts that no run executes.
//!
//! A line has the numbers of the steps that begin there, of each counterexample, and belongs to a part without executions if the report has
//! coverage. Long texts show the lines around marks only.
//!
//! Invariant: every line of the listing is a line of the text; numbers of lines count from 1.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::read::{CoveredFile, ReportFile};
use crate::paint::{clean, cut};

/// The most lines that are shown whole.
const MOST_LINES: usize = 1_500;
/// The lines shown around a mark in longer texts.
const AROUND: usize = 8;
/// The most steps that one line names of one counterexample.
const MOST_STEPS: usize = 12;
/// The most characters of a line.
const MOST_CHARACTERS: usize = 400;

/// A text with its marks.
#[derive(Clone, Serialize, Default, Debug)]
pub(crate) struct Listing {
    lines: Vec<Line>,
    /// The number of lines with steps.
    pub(crate) stepped: usize,
    /// The parts that no run executes, in words.
    pub(crate) never: Vec<String>,
    /// Whether the report says how often parts are executed.
    pub(crate) has_coverage: bool,
    /// Lines that are left out at the end.
    hidden: usize,
}

#[derive(Clone, Serialize, Default, Debug)]
struct Line {
    number: usize,
    text: String,
    /// Lines that are left out before this one.
    gap: usize,
    /// The steps that begin here.
    steps: Vec<Steps>,
    /// The most executions of a part that begins here.
    count: Option<u64>,
    /// Whether the line belongs to a part that no run executes.
    is_never: bool,
    /// Whether a fault stands here.
    is_fault: bool,
}

/// Steps of one counterexample.
#[derive(Clone, Serialize, Default, Debug)]
struct Steps {
    /// The number of the counterexample in the page, from 1.
    violation: usize,
    /// In words: `2, 5, 7`.
    text: String,
}

impl Listing {
    /// The listing of a text under a report.
    pub(crate) fn new(text: &str, report: &ReportFile) -> Listing {
        let mut lines: Vec<Line> = text
            .lines()
            .enumerate()
            .map(|(at, line)| Line {
                number: at + 1,
                text: cut(&clean(&line.replace('\t', "    ")), MOST_CHARACTERS, "…"),
                ..Line::default()
            })
            .collect();
        let coverage = report.coverage.as_deref().unwrap_or_default();
        for part in coverage {
            if let Some(line) = part.place.line.checked_sub(1).and_then(|at| lines.get_mut(at)) {
                line.count = line.count.max(Some(part.count));
            }
        }
        // The innermost part of a line decides, and of several on the same lines one that is executed.
        let lines_of = |part: &CoveredFile| (part.place.line.max(1), part.place.last_line.max(part.place.line).max(1));
        let mut outermost_first: Vec<&CoveredFile> = coverage.iter().collect();
        outermost_first.sort_by_key(|part| {
            let (first, last) = lines_of(part);
            (Reverse(last - first), part.count > 0)
        });
        for part in outermost_first {
            let (first, last) = lines_of(part);
            lines.iter_mut().skip(first - 1).take(last + 1 - first).for_each(|line| line.is_never = part.count == 0);
        }
        mark_steps(&mut lines, report);
        let stepped = lines.iter().filter(|line| !line.steps.is_empty()).count();
        let never = coverage.iter().filter(|part| part.is_never());
        let never = never.map(|part| format!("{} {} (line {})", part.kind, part.name, part.place.line)).collect();
        let (lines, hidden) = folded(lines);
        Listing { lines, stepped, never, has_coverage: report.coverage.is_some(), hidden }
    }
}

/// Puts the steps of counterexamples to their lines, and faults.
fn mark_steps(lines: &mut [Line], report: &ReportFile) {
    for (violation, (_, trace)) in (1..).zip(report.violations()) {
        let mut steps: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, step) in (1..).zip(&trace.steps) {
            if let Some(location) = step.location {
                steps.entry(location.line).or_default().push(number);
            }
        }
        for (line, numbers) in steps {
            let Some(line) = line.checked_sub(1).and_then(|at| lines.get_mut(at)) else { continue };
            let shown: Vec<String> = numbers.iter().take(MOST_STEPS).map(ToString::to_string).collect();
            let more = if numbers.len() > MOST_STEPS { ", .." } else { "" };
            line.steps.push(Steps { violation, text: format!("{}{more}", shown.join(", ")) });
        }
        let fault = trace.fault.as_ref().and_then(|fault| fault.line).and_then(|line| line.checked_sub(1));
        if let Some(line) = fault.and_then(|at| lines.get_mut(at)) {
            line.is_fault = true;
        }
    }
}

/// All lines of a short text; of a long one those around marks, and the number of lines left out at the end.
fn folded(lines: Vec<Line>) -> (Vec<Line>, usize) {
    if lines.len() <= MOST_LINES {
        return (lines, 0);
    }
    let mut wanted = vec![false; lines.len()];
    let count = lines.len();
    let marked = lines.iter().enumerate().filter(|(_, line)| !line.steps.is_empty() || line.is_never || line.is_fault);
    for (at, _) in marked {
        let end = (at + AROUND + 1).min(lines.len());
        wanted[at.saturating_sub(AROUND)..end].fill(true);
    }
    wanted[..AROUND.min(lines.len())].fill(true);
    let (mut shown, mut gap) = (Vec::new(), 0);
    for (line, wanted) in lines.into_iter().zip(wanted) {
        if wanted && shown.len() < MOST_LINES {
            shown.push(Line { gap, ..line });
            gap = 0;
        } else {
            gap += 1;
        }
    }
    let gaps: usize = shown.iter().map(|line| line.gap).sum();
    assert_eq!(shown.len() + gaps + gap, count, "every line is shown, or counted where it is left out");
    (shown, gap)
}

#[cfg(test)]
mod tests {
    use super::super::read::ReportFile;
    use super::Listing;
    use serde_json::json;

    fn report() -> ReportFile {
        let step = |line: usize| json!({ "event": "e", "location": { "line": line, "column": 1 } });
        ReportFile::read(json!({
            "properties": [{ "name": "P", "trace": { "steps": [step(2), step(3), step(2)], "cycle_from": null,
                "fault": { "message": "m", "line": 3 } } }],
            "coverage": [
                { "kind": "rule", "name": "a", "place": { "line": 2, "last_line": 3 }, "count": 5 },
                { "kind": "rule", "name": "b", "place": { "line": 4, "last_line": 5 }, "count": 0 } ] }))
        .expect("a report")
    }

    #[test]
    fn lines_have_their_steps_and_parts() {
        let listing = Listing::new("a\nb\nc\nd\ne\n", &report());
        assert_eq!((listing.lines.len(), listing.stepped), (5, 2));
        assert_eq!(listing.lines[1].steps[0].text, "1, 3");
        assert_eq!(
            listing.lines.iter().map(|line| line.is_never).collect::<Vec<_>>(),
            [false, false, false, true, true]
        );
        assert!(listing.lines[2].is_fault && listing.never == ["rule b (line 4)"]);
    }

    #[test]
    fn the_innermost_part_of_a_line_decides() {
        let part = |first, last, count| json!({ "kind": "branch", "place": { "line": first, "last_line": last }, "count": count });
        let list = [part(1, 5, 3), part(2, 4, 0), part(3, 3, 2), part(5, 5, 0), part(5, 5, 1)];
        let report = ReportFile::read(json!({ "coverage": list })).expect("a report");
        let never = Listing::new("a\nb\nc\nd\ne\n", &report).lines.iter().map(|line| line.is_never).collect::<Vec<_>>();
        assert_eq!(never, [false, true, false, true, false]);
    }

    #[test]
    fn long_texts_show_the_lines_around_marks() {
        let listing = Listing::new(&"line\n".repeat(5_000), &report());
        assert_eq!(listing.lines.len(), 13);
        assert_eq!(listing.hidden, 4_987);
    }
}
