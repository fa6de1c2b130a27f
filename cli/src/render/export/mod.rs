//! Reports in other formats: pages, charts, and the formats of CI systems and other tools.
//!
//! `--report FILE` of a command also writes its report in the format of the file's extension. The writers read the
//! report from its JSON ([`read`]), never from the search: they cannot contain more than the JSON does.

pub(crate) mod chart;
pub(crate) mod coloured;
mod escape;
pub(crate) mod graph;
pub(crate) mod html;
mod itf;
mod junit;
mod listing;
mod markdown;
mod mermaid;
pub(crate) mod read;
mod runs;
mod sarif;
pub(crate) mod states;
mod svg;

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::args::{ReportFileArgs, ReportFormat};
use crate::io;
use crate::language::pictures::NamedGraph;
use crate::language::pictures::Topology;
use crate::outcome::Failure;
use crate::render::json::pretty;
use chart::Chart;
pub(crate) use escape::{markdown, uri, xml};
use read::{DetectionFile, NearFile, ReportFile};

/// The files and formats of reports; checked before the work is done.
pub(crate) struct Targets(Vec<(PathBuf, ReportFormat)>);

impl Targets {
    /// The files that options name.
    ///
    /// # Errors
    /// A format that does not follow from the name, or a file that cannot be written.
    pub(crate) fn new(args: &ReportFileArgs) -> Result<Targets, Failure> {
        let mut targets = Vec::new();
        for path in &args.report {
            let Some(format) = args.report_format.or_else(|| by_name(path)) else {
                let message = format!("the format of `{}` is not clear from its name", io::display_output(path));
                let help = "name it .html, .md, .svg, .mmd, .itf.json, .junit.xml or .sarif, or give --report-format";
                return Err(Failure::contradiction(message).help(help));
            };
            io::refuse_unwritable(Some(path))?;
            targets.push((path.clone(), format));
        }
        Ok(Targets(targets))
    }

    /// The files for the symmetries of a model: pages, and findings for code hosts.
    ///
    /// # Errors
    /// Another format, or a file that cannot be written.
    pub(crate) fn of_symmetries(args: &ReportFileArgs) -> Result<Targets, Failure> {
        let targets = Targets::new(args)?;
        let is_for_traces =
            |format| !matches!(format, ReportFormat::Html | ReportFormat::Markdown | ReportFormat::Sarif);
        let Some((path, _)) = targets.0.iter().find(|&&(_, format)| is_for_traces(format)) else {
            return Ok(targets);
        };
        let message =
            format!("`{}`: symmetries have no trace; their report is a page, .md or .sarif", io::display_output(path));
        Err(Failure::contradiction(message).help("name it .html, .md or .sarif"))
    }

    /// Whether any of them shows pictures.
    pub(crate) fn show_pictures(&self) -> bool {
        self.0.iter().any(|(_, format)| *format == ReportFormat::Html)
    }

    /// Whether any of them says what keeps permutations out of the group.
    pub(crate) fn show_near(&self) -> bool {
        self.0.iter().any(|(_, format)| matches!(format, ReportFormat::Html | ReportFormat::Markdown))
    }

    /// Whether there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes a report, given as JSON, to each file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn write(&self, report: Json, additions: &Additions) -> Result<(), Failure> {
        if self.is_empty() {
            return Ok(());
        }
        let fault = |error: String| Failure::Internal(format!("the report does not keep its contract: {error}"));
        if report["command"] == "detect" {
            let found = DetectionFile::read(report).map_err(fault)?;
            return self.0.iter().try_for_each(|(path, format)| {
                let text = match format {
                    ReportFormat::Sarif => pretty(&sarif::of_symmetries(&found)),
                    ReportFormat::Markdown => markdown::of_symmetries(&found),
                    _ => html::detection(&found, additions).map_err(|error| fault(error.to_string()))?,
                };
                io::write(Some(path), text.as_bytes())
            });
        }
        let report = ReportFile::read(report).map_err(fault)?;
        for (path, format) in &self.0 {
            io::write(Some(path), render(&report, *format, additions)?.as_bytes())?;
        }
        Ok(())
    }
}

/// The parts of pages in addition to the report.
#[derive(Default)]
pub(crate) struct Additions {
    /// The rebecs and their known rebecs.
    pub(crate) topology: Option<Topology>,
    /// The graph that symmetries are read from, if it is small.
    pub(crate) coloured: Option<NamedGraph>,
    /// The text of the model.
    pub(crate) text: Option<String>,
    /// Permutations that a few places keep out of the group.
    pub(crate) near: Vec<NearFile>,
}

/// The format of a name.
fn by_name(path: &Path) -> Option<ReportFormat> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let ends = |ending: &str| name.ends_with(ending);
    match () {
        () if ends(".html") || ends(".htm") => Some(ReportFormat::Html),
        () if ends(".md") || ends(".markdown") => Some(ReportFormat::Markdown),
        () if ends(".svg") => Some(ReportFormat::Svg),
        () if ends(".mmd") || ends(".mermaid") => Some(ReportFormat::Mermaid),
        () if ends(".itf.json") || ends(".itf") => Some(ReportFormat::Itf),
        () if ends(".xml") => Some(ReportFormat::Junit),
        () if ends(".sarif") || ends(".sarif.json") => Some(ReportFormat::Sarif),
        () => None,
    }
}

/// A report in a format. Formats of a single trace hold the first counterexample, or a note that there is none.
fn render(report: &ReportFile, format: ReportFormat, additions: &Additions) -> Result<String, Failure> {
    let violation = report.violations().next();
    let chart = violation.map_or_else(Chart::default, |(_, trace)| Chart::new(trace));
    let title = violation.map_or_else(
        || "no counterexample".to_owned(),
        |(property, _)| format!("{}: counterexample to {}", report.model.path, property.name),
    );
    Ok(match format {
        ReportFormat::Html => html::report(report, additions).map_err(|error| Failure::Internal(error.to_string()))?,
        ReportFormat::Markdown => markdown::document(report, additions),
        ReportFormat::Svg => svg::document(&chart, &title),
        ReportFormat::Mermaid => mermaid::document(&chart, &title),
        ReportFormat::Itf => {
            let written = violation.map_or_else(
                || itf::document(&no_trace(), &report.model.path, &title),
                |(property, trace)| itf::document(trace, &report.model.path, &property.name),
            );
            pretty(&written)
        }
        ReportFormat::Junit => junit::document(report),
        ReportFormat::Sarif => pretty(&sarif::document(report)),
    })
}

fn no_trace() -> crate::trace_file::TraceFile {
    crate::trace_file::TraceFile {
        start: crate::trace_file::StartFile::default(),
        steps: Vec::new(),
        cycle_from: None,
        fault: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{ReportFormat, by_name};
    use std::path::Path;

    #[test]
    fn formats_are_recognised_by_name() {
        for (name, format) in [
            ("a.html", Some(ReportFormat::Html)),
            ("a.md", Some(ReportFormat::Markdown)),
            ("a.itf.json", Some(ReportFormat::Itf)),
            ("a.junit.xml", Some(ReportFormat::Junit)),
            ("a.sarif.json", Some(ReportFormat::Sarif)),
            ("A.SVG", Some(ReportFormat::Svg)),
            ("a.mmd", Some(ReportFormat::Mermaid)),
            ("a.json", None),
            ("-", None),
        ] {
            assert_eq!(by_name(Path::new(name)), format, "{name}");
        }
    }
}
