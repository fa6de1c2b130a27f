//! Standard error: diagnostics, the line that counts them, and whether colour and progress are wanted.
//!
//! Invariant: everything reported is counted, also the reports that `--quiet` hides; errors are always shown.

#[cfg(not(test))]
use std::io::Write;
use std::io::{IsTerminal, stderr, stdout};

use frontend::diagnostics::{Diagnostic, Diagnostics, RenderStyle, Severity, render, render_short, summary_line};
use frontend::source::{Position, Source};

use crate::args::{Colour, ConsoleArgs, Format};
use crate::codes::with_remedy;
use crate::outcome::Problem;

/// The width of rendered diagnostics, in columns.
const WIDTH: usize = 120;

/// A notice or warning that a report repeats.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    /// The diagnostic.
    pub(crate) diagnostic: Diagnostic,
    /// Its position, if it is about a place in a text.
    pub(crate) position: Option<Position>,
}

/// Standard error.
pub(crate) struct Console {
    args: ConsoleArgs,
    counted: Diagnostics,
    remarks: Vec<Remark>,
}

impl Console {
    /// A console with the settings of the options.
    pub(crate) fn new(args: ConsoleArgs) -> Console {
        Console { args, counted: Diagnostics::new(), remarks: Vec::new() }
    }

    /// Whether only errors and the bare result are wanted.
    pub(crate) fn is_quiet(&self) -> bool {
        self.args.quiet
    }

    /// Whether diagnostics have one line each, as editors read them.
    pub(crate) fn is_for_editors(&self) -> bool {
        self.args.format == Format::Short
    }

    /// Whether results on standard output are coloured; results in files never are.
    pub(crate) fn colours_stdout(&self) -> bool {
        wants_colour(self.args.colour, stdout().is_terminal())
    }

    /// Whether progress is shown.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.args.quiet && stderr().is_terminal()
    }

    /// Prints the diagnostics of one text, ordered by place.
    pub(crate) fn report(&mut self, mut diagnostics: Diagnostics, source: &Source) {
        diagnostics.sort();
        for diagnostic in &diagnostics.list {
            self.print(diagnostic, Some(source));
        }
        self.count(diagnostics);
    }

    /// Prints the only diagnostic of a text.
    pub(crate) fn report_one(&mut self, diagnostic: Diagnostic, source: &Source) {
        self.print(&diagnostic, Some(source));
        self.counted.push(diagnostic);
    }

    /// Prints and counts a problem with a file or an option.
    pub(crate) fn report_problem(&mut self, problem: &Problem) {
        self.print(&problem.diagnostic, problem.source.as_deref());
        self.counted.push(Diagnostic::clone(&problem.diagnostic));
    }

    /// Prints and counts a remark about the command line.
    pub(crate) fn remark(&mut self, diagnostic: Diagnostic) {
        let mut remark = Diagnostics::new();
        remark.push(diagnostic);
        self.report(remark, &Source::new("", ""));
    }

    /// The notices and warnings so far.
    pub(crate) fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Prints the line that counts errors and warnings, if there were any.
    pub(crate) fn summary(&self) {
        let wanted = self.counted.has_errors() || self.counted.warnings > 0;
        if let Some(line) = summary_line(&self.counted).filter(|_| wanted) {
            say(&line);
        }
    }

    /// Counts what is printed.
    fn count(&mut self, mut diagnostics: Diagnostics) {
        if self.args.quiet {
            (diagnostics.warnings, diagnostics.notices) = (0, 0);
            diagnostics.list.retain(|diagnostic| diagnostic.severity == Severity::Error);
        }
        self.counted.append(diagnostics);
    }

    fn print(&mut self, diagnostic: &Diagnostic, source: Option<&Source>) {
        let diagnostic = &with_remedy(diagnostic);
        if diagnostic.severity < Severity::Error {
            let placed = source.filter(|_| !diagnostic.span.is_none());
            let position = placed.map(|source| source.position(diagnostic.span.start));
            self.remarks.push(Remark { diagnostic: diagnostic.clone(), position });
            if self.args.quiet {
                return;
            }
        }
        let style = RenderStyle { colour: wants_colour(self.args.colour, stderr().is_terminal()), width: WIDTH };
        let nowhere = Source::new("", "");
        let source = source.unwrap_or(&nowhere);
        say(&match self.args.format {
            Format::Human => render(diagnostic, source, &style),
            Format::Short => render_short(diagnostic, source),
        });
    }
}

/// Reports a fault of the tool.
pub(crate) fn internal_error(message: &str) {
    say(&format!("internal error: {message}"));
    say("This is a fault of quotient, not of the model: please report it with the model and the command line.");
}

/// Prints a line on standard error; a closed standard error is ignored.
pub(crate) fn say(line: &str) {
    #[cfg(not(test))]
    let _ = writeln!(stderr().lock(), "{}", line.trim_end());
    // Tests keep what this macro prints to themselves.
    #[cfg(test)]
    eprintln!("{}", line.trim_end());
}

fn wants_colour(colour: Colour, terminal: bool) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => terminal && !refused,
    }
}
