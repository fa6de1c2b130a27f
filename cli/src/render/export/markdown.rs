//! A report in Markdown, for comments on pull requests and summaries of CI jobs.
//!
//! The tables, folded parts and Mermaid diagrams are those that code hosts show. The counterexample is a list of steps and, where it is
//! short, a diagram; long lists are cut.
//!
//! Invariant: every text of a model goes through [`markdown`] or [`code`]: it is shown as text, whatever it holds, and calls nobody by name.
//!
//! Source: the specification of GitHub Flavored Markdown (tables, HTML blocks, fenced code).

use std::fmt::Write;

use super::Additions;
use super::chart::{Chart, Row};
use super::escape::markdown;
use super::listing::Listing;
use super::mermaid;
use super::read::{DetectionFile, GroupFile, NearFile, PropertyFile, ReportFile};
use crate::command_line::shell;
use crate::paint::{counted, size, time};
use crate::trace_file::TraceFile;

/// The most steps of a counterexample that are listed.
const MOST_STEPS: usize = 60;
/// The most steps of a diagram.
const MOST_DRAWN: usize = 40;
/// The most entries of a list.
const MOST_ENTRIES: usize = 12;

/// The report of `check`.
pub(crate) fn document(report: &ReportFile, additions: &Additions) -> String {
    let mut out = format!("## {} {}\n\n", mark(&report.verdict), code(&report.model.path));
    if !report.verdict.is_empty() {
        let _ = writeln!(out, "**{}**{}\n", report.verdict, reason(report));
    }
    out.push_str("| property | kind | verdict | |\n|---|---|---|---|\n");
    for property in &report.properties {
        let text = property.text.as_ref().map(|text| format!("<br>{}", code(text))).unwrap_or_default();
        let name = code(&property.name);
        let (kind, verdict, message) = (markdown(&property.kind), &property.verdict, markdown(&property.message));
        let _ = writeln!(out, "| {name}{text} | {kind} | {} {verdict} | {message} |", mark(verdict));
    }
    if !report.not_asked.is_empty() {
        let names: Vec<String> = report.not_asked.iter().map(|name| code(name)).collect();
        let _ = writeln!(out, "\nNot checked: {}.", names.join(", "));
    }
    for growing in &report.growing {
        let _ = writeln!(out, "\n{}.", growing.text(&code(&growing.name)));
    }
    for (property, trace) in report.violations() {
        violation(&mut out, report, property, trace);
    }
    if !report.verdict.is_empty() {
        let _ = writeln!(out, "\n{}", totals(report));
    }
    if let Some(group) = report.group.as_ref().filter(|group| group.order != "1") {
        symmetries(&mut out, group);
    }
    near(&mut out, &additions.near);
    let listing = additions.text.as_deref().map(|text| Listing::new(text, report));
    let never = listing.map_or_else(|| never(report), |listing| listing.never);
    listed(&mut out, "Never executed", &never.iter().map(|part| code(part)).collect::<Vec<_>>());
    if !report.command_line.is_empty() {
        let _ = writeln!(out, "\n<sub>{}</sub>", code(&shell(&report.command_line)));
    }
    out
}

/// The report of `detect`.
pub(crate) fn of_symmetries(found: &DetectionFile) -> String {
    let mut out = format!("## Symmetries of {}\n\n", code(&found.model.path));
    let _ = writeln!(out, "Found by {}, each proved on the model.", markdown(&found.strategy));
    if let Some(limit) = &found.limit {
        let _ = writeln!(out, "**{}**: there may be more.", markdown(&limit.text()));
    }
    symmetries(&mut out, &found.group);
    let orbits = found.group.orbits.iter().filter(|orbit| orbit.len() > 1).map(|orbit| code(&orbit.join(", ")));
    listed(&mut out, "Orbits", &orbits.collect::<Vec<_>>());
    near(&mut out, &found.near);
    out
}

fn never(report: &ReportFile) -> Vec<String> {
    let parts = report.coverage.iter().flatten().filter(|part| part.is_never());
    parts.map(|part| format!("{} {} (line {})", part.kind, part.name, part.place.line)).collect()
}

/// The sign of a verdict.
fn mark(verdict: &str) -> &'static str {
    match verdict {
        "holds" => "✅",
        "violated" => "❌",
        "inconclusive" => "⚠️",
        _ => "",
    }
}

fn reason(report: &ReportFile) -> String {
    match (report.verdict.as_str(), &report.limit) {
        ("holds", _) => ": every property that was checked holds.".to_owned(),
        ("inconclusive", Some(limit)) => format!(": {}.", markdown(&limit.text())),
        _ => String::new(),
    }
}

fn totals(report: &ReportFile) -> String {
    let mut facts = vec![
        counted(report.states, "stored state"),
        counted(report.transitions, "transition"),
        format!("depth {}", report.depth),
        time(report.seconds),
    ];
    facts.extend(report.peak_memory_bytes.map(size));
    let search = if report.complete { "complete" } else { "not complete" };
    let exact = if report.exact { "exact" } else { "not exact" };
    let reductions: Vec<String> = report.reductions.iter().map(|name| markdown(name)).collect();
    let reductions = if reductions.is_empty() { "none".to_owned() } else { reductions.join(", ") };
    format!("{} · {search}, {exact} · reductions: {reductions}", facts.join(" · "))
}

fn violation(out: &mut String, report: &ReportFile, property: &PropertyFile, trace: &TraceFile) {
    let chart = Chart::new(trace);
    let steps = counted(trace.steps.len() as u64, "step");
    let _ = writeln!(out, "\n### Counterexample to {}, {steps}\n", code(&property.name));
    let rows: Vec<&Row> = chart.rows.iter().collect();
    let folded = rows.len() > MOST_ENTRIES;
    if folded {
        let _ = writeln!(out, "<details><summary>The steps</summary>\n");
    }
    for row in rows.iter().take(MOST_STEPS) {
        match row {
            Row::Gap(steps) => {
                let _ = writeln!(out, "- … {steps} steps are left out");
            }
            Row::Step(step) => {
                let lane = if chart.lanes.len() > 1 { format!("{}: ", chart.lanes[step.lane]) } else { String::new() };
                let notes: Vec<String> = step.notes.iter().map(|note| markdown(note)).collect();
                let notes = if notes.is_empty() { String::new() } else { format!(" — {}", notes.join("; ")) };
                let _ = writeln!(out, "{}. {}{notes}", step.number, code(&format!("{lane}{}", step.label)));
            }
        }
    }
    if rows.len() > MOST_STEPS {
        let _ = writeln!(out, "\n… and {} more", counted((trace.steps.len() - MOST_STEPS) as u64, "step"));
    }
    if let Some(fault) = &chart.fault {
        let _ = writeln!(out, "\n**Fault:** {}", markdown(fault));
    }
    if let Some(from) = chart.cycle_from {
        let _ = writeln!(out, "\nThe run comes back to the state before step {}.", from + 1);
    }
    if folded {
        out.push_str("\n</details>\n");
    }
    if trace.steps.len() <= MOST_DRAWN && chart.lanes.len() > 1 {
        let title = format!("{}: counterexample to {}", report.model.path, property.name);
        let diagram = mermaid::document(&chart, &title).replace('`', "'");
        let _ = writeln!(out, "\n<details><summary>As a diagram</summary>\n\n```mermaid\n{diagram}```\n\n</details>");
    }
}

fn symmetries(out: &mut String, group: &GroupFile) {
    let structure = group.structure.as_ref().map(|text| format!(", {}", markdown(text))).unwrap_or_default();
    let _ = writeln!(out, "\nSymmetries: {}{structure}.", markdown(&group.order));
    let generators =
        group.generators.iter().map(|generator| format!("{} {}", code(&generator.text()), markdown(&generator.kind)));
    listed(out, "Generators", &generators.collect::<Vec<_>>());
}

fn near(out: &mut String, list: &[NearFile]) {
    let entries = list.iter().flat_map(|near| {
        near.places().map(|place| {
            let (text, reason) = (code(&place.text), markdown(&place.reason));
            format!("{}, but for line {}: {text}: {reason}", markdown(&near.permutations), place.line)
        })
    });
    let mut entries: Vec<String> = entries.collect();
    entries.dedup();
    listed(out, "Near symmetries", &entries);
}

/// A folded list under a title; nothing for an empty one.
fn listed(out: &mut String, title: &str, entries: &[String]) {
    if entries.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n<details><summary>{title}: {}</summary>\n", entries.len());
    for entry in entries.iter().take(MOST_ENTRIES) {
        let _ = writeln!(out, "- {entry}");
    }
    if entries.len() > MOST_ENTRIES {
        let _ = writeln!(out, "- … and {} more", entries.len() - MOST_ENTRIES);
    }
    out.push_str("\n</details>\n");
}

/// A text as code, also inside of a table: an element, because bars end a cell even inside of backquotes.
fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<code>{}</code>", markdown(text)) }
}

#[cfg(test)]
mod tests {
    use super::super::Additions;
    use super::super::chart::tests::sample;
    use super::super::read::{PropertyFile, ReportFile};
    use super::document;

    #[test]
    fn texts_of_a_model_are_text() {
        let name = "a|b `c` <script> @all #1 [x](y)";
        let property = PropertyFile {
            name: name.to_owned(),
            message: name.to_owned(),
            text: Some(name.to_owned()),
            verdict: "violated".to_owned(),
            trace: Some(sample()),
            ..PropertyFile::default()
        };
        let report = ReportFile { verdict: "violated".to_owned(), properties: vec![property], ..ReportFile::default() };
        let text = document(&report, &Additions::default());
        let (before_diagram, _) = text.split_once("```mermaid").expect("a diagram");
        for wrong in ["<script", "a|b", "@all", "`c`", "[x]("] {
            assert!(!before_diagram.contains(wrong), "{wrong}\n{text}");
        }
        assert!(text.contains("```mermaid\nsequenceDiagram") && text.contains("2. <code>b: m(1)</code>"), "{text}");
    }
}
