//! A report as JUnit XML: one test case per property, for CI systems that show test results.
//!
//! A violation is a failure with its counterexample as text. An inconclusive answer is an error and never a skipped test: a
//! limit must not look like an answer.
//!
//! Source: the schema of JUnit reports as Jenkins and GitLab read it.

use std::fmt::Write;

use super::chart::{Chart, Row};
use super::escape::xml;
use super::read::{PropertyFile, ReportFile};

/// The most lines of a counterexample.
const MOST_LINES: usize = 400;

/// A report.
pub(crate) fn document(report: &ReportFile) -> String {
    let count = |verdict: &str| report.properties.iter().filter(|property| property.verdict == verdict).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3}\"",
        report.properties.len(),
        count("violated"),
        count("inconclusive"),
        report.seconds
    );
    let suite = xml(&report.model.path);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"quotient\" {counts}>\n  <testsuite name=\"{suite}\" {counts}>\n"
    );
    for property in &report.properties {
        out.push_str(&case(property, &suite, &report.model.path));
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn case(property: &PropertyFile, suite: &str, path: &str) -> String {
    let (name, message, kind) = (xml(&property.name), xml(&property.message), xml(&property.kind));
    let head = format!("    <testcase classname=\"{suite}\" name=\"{name}\" file=\"{}\"", xml(path));
    match property.verdict.as_str() {
        "holds" => format!("{head}/>\n"),
        "violated" => format!(
            "{head}>\n      <failure type=\"{kind}\" message=\"{message}\">{}</failure>\n    </testcase>\n",
            xml(&counterexample(property))
        ),
        other => format!("{head}>\n      <error type=\"{}\" message=\"{message}\"/>\n    </testcase>\n", xml(other)),
    }
}

/// The counterexample, one line per step and per change.
fn counterexample(property: &PropertyFile) -> String {
    let Some(trace) = &property.trace else { return String::new() };
    let chart = Chart::new(trace);
    let mut out = format!("{}\n", property.message);
    for row in chart.rows.iter().take(MOST_LINES) {
        match row {
            Row::Gap(steps) => {
                let _ = writeln!(out, "     … {steps} steps are left out …");
            }
            Row::Step(step) => {
                let _ = writeln!(out, "{:>4} {}.{}", step.number, chart.lanes[step.lane], step.label);
                for note in &step.notes {
                    let _ = writeln!(out, "       {note}");
                }
            }
        }
    }
    if let Some(fault) = &chart.fault {
        let _ = writeln!(out, "     fault: {fault}");
    }
    if let Some(from) = chart.cycle_from {
        let _ = writeln!(out, "     back to the state before step {}", from + 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::chart::tests::sample;
    use super::super::read::{PropertyFile, ReportFile};
    use super::document;

    #[test]
    fn a_limit_is_an_error_and_a_violation_a_failure() {
        let property = |name: &str, verdict: &str| PropertyFile {
            name: name.to_owned(),
            verdict: verdict.to_owned(),
            trace: (verdict == "violated").then(sample),
            ..PropertyFile::default()
        };
        let properties = vec![property("a<b", "holds"), property("c", "violated"), property("d", "inconclusive")];
        let text = document(&ReportFile { properties, ..ReportFile::default() });
        assert!(text.contains("tests=\"3\" failures=\"1\" errors=\"1\""), "{text}");
        assert!(text.contains("name=\"a&lt;b\"") && text.contains("   2 b.m(1)"), "{text}");
        assert!(text.contains("<error type=\"inconclusive\"") && !text.contains("skipped"), "{text}");
    }
}
