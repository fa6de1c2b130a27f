//! The options of reports in other formats, shared by the commands that have a report.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Reports in other formats, in addition to the result.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportFileArgs {
    /// Also write the report to FILE in the format of its name: .html, .md, .sarif, and with a run .svg, .mmd, .itf.json, .junit.xml; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Vec<PathBuf>,
    /// The format of every --report FILE, whatever its name
    #[arg(long, value_enum, value_name = "FORMAT", requires = "report")]
    pub(crate) report_format: Option<ReportFormat>,
}

/// `--report-format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ReportFormat {
    /// A page that needs neither scripts nor a network
    Html,
    /// Markdown, for comments on pull requests
    Markdown,
    /// The counterexample as a message sequence chart
    Svg,
    /// The counterexample as a Mermaid sequence diagram
    Mermaid,
    /// The counterexample in the Informal Trace Format
    Itf,
    /// One test case per property, for CI
    Junit,
    /// Findings for code hosts, version 2.1.0
    Sarif,
}
