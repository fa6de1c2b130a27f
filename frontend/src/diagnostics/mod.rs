//! Diagnostics: each names a fault in the user's text, its place, and a remedy.
//!
//! A stage does not stop at the first problem: it pushes a diagnostic into a [`Diagnostics`] sink and continues. The
//! sink keeps a bounded number of diagnostics and counts the rest, so that a hostile file cannot flood the terminal.
//!
//! Invariant: every [`Code`] is declared once, in [`codes`], with its explanation; a test demands a reject fixture for
//! each.

pub mod codes;
mod render;
mod suggest;

pub use codes::{Code, Explanation};
pub use render::{RenderStyle, render, render_short, summary_line};
pub use suggest::{closest, did_you_mean, sorted};

use crate::source::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Useful to know; nothing is wrong.
    Notice,
    /// Probably not the user's intention; the model is still checked as written.
    Warning,
    /// The model is not accepted.
    Error,
}

/// A related place of a diagnostic, in addition to the main one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The text to show there.
    pub text: String,
}

/// One diagnostic: code, place, message, further places, and a help line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// The severity.
    pub severity: Severity,
    /// The place; [`Span::NONE`] when the diagnostic is about the file as a whole.
    pub span: Span,
    /// The fault in one line, without a full stop.
    pub message: String,
    /// A short text at the place itself; may be empty.
    pub label: String,
    /// Related places.
    pub related: Vec<Label>,
    /// The remedy.
    pub help: Option<String>,
}

impl Diagnostic {
    fn new(severity: Severity, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        let message = message.into();
        Diagnostic { code, severity, span, message, label: String::new(), related: Vec::new(), help: None }
    }

    /// An error.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, span, message)
    }

    /// A warning.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, span, message)
    }

    /// A notice.
    pub fn notice(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Notice, code, span, message)
    }

    /// Sets the text shown at the place itself.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.label = text.into();
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.related.push(Label { span, text: text.into() });
        self
    }

    /// Sets the help line.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// Sets the help line if there is one: for did-you-mean suggestions.
    #[must_use]
    pub fn help_opt(mut self, text: Option<String>) -> Diagnostic {
        if text.is_some() {
            self.help = text;
        }
        self
    }
}

/// The number of diagnostics that a sink keeps; further ones are only counted.
pub const MAX_KEPT: usize = 100;

/// A sink for the diagnostics of one file.
///
/// Invariant: `errors`, `warnings` and `notices` count everything pushed, `list` keeps the first [`MAX_KEPT`] (an error
/// is always kept if it is the first error).
#[derive(Clone, Default, Debug)]
pub struct Diagnostics {
    /// The diagnostics kept, in the order they were found; [`Diagnostics::sort`] orders them by place.
    pub list: Vec<Diagnostic>,
    /// The number of errors that were pushed.
    pub errors: usize,
    /// The number of warnings that were pushed.
    pub warnings: usize,
    /// The number of notices that were pushed.
    pub notices: usize,
}

impl Diagnostics {
    /// An empty sink.
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let letter = match diagnostic.severity {
            Severity::Error => 'E',
            Severity::Warning => 'W',
            Severity::Notice => 'N',
        };
        debug_assert!(diagnostic.code.as_str().starts_with(letter), "a code tells its severity");
        let first_error = diagnostic.severity == Severity::Error && self.errors == 0;
        match diagnostic.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Notice => self.notices += 1,
        }
        if self.list.len() < MAX_KEPT || first_error {
            self.list.push(diagnostic);
        }
    }

    /// Adds all diagnostics of another sink.
    pub fn append(&mut self, other: Diagnostics) {
        let dropped = |total: usize, severity: Severity, list: &[Diagnostic]| {
            let kept = list.iter().filter(|diagnostic| diagnostic.severity == severity).count();
            assert!(kept <= total, "every diagnostic that a sink keeps is counted there");
            total - kept
        };
        let errors = dropped(other.errors, Severity::Error, &other.list);
        let warnings = dropped(other.warnings, Severity::Warning, &other.list);
        let notices = dropped(other.notices, Severity::Notice, &other.list);
        for diagnostic in other.list {
            self.push(diagnostic);
        }
        self.errors += errors;
        self.warnings += warnings;
        self.notices += notices;
        debug_assert!(self.list.len() <= self.errors + self.warnings + self.notices, "what is kept is counted");
    }

    /// Whether an error was pushed.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Orders the kept diagnostics by place, then by severity (errors first).
    pub fn sort(&mut self) {
        self.list.sort_by_key(|diagnostic| (diagnostic.span, std::cmp::Reverse(diagnostic.severity)));
    }
}

/// The values of a list, if each of them could be made. All are made, so that each fault is reported.
pub(crate) fn every<T>(list: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let made: Vec<Option<T>> = list.collect();
    made.into_iter().collect()
}
