//! The end of a command, and its exit code.

use std::time::Duration;

use checker::Verdict;
use frontend::diagnostics::{Code, Diagnostic};
use frontend::source::{Source, Span};
use limits::{Cause, Stopped, Watch};
use slicing::reduce::{Refused, TextPlace};

use crate::codes;
use crate::words::alternative;

/// The time that the report of a stopped computation may take.
const GRACE: Duration = Duration::from_secs(2);

/// The watch of the thread, or if it has stopped, one that leaves a report a short time after it.
pub(crate) fn report_watch() -> Watch {
    limits::watch().or_afterwards(GRACE)
}

/// Writes a report under [`report_watch`].
pub(crate) fn reporting<R>(write: impl FnOnce() -> Result<R, Failure>) -> Result<R, Failure> {
    report_watch().run(write).unwrap_or_else(|stopped| Err(Failure::Stopped(stopped)))
}

/// The failure of a command that takes one value for each constant.
pub(crate) fn sweep_refused() -> Failure {
    Failure::contradiction("a constant has several values, and this command takes one model")
        .help("`check`, `detect`, `compare` and `batch` run once for each value")
}

/// The exit code of a fault of the tool.
pub(crate) const INTERNAL_ERROR: u8 = 4;

/// A command that did its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// The question is answered with yes, or the work is done.
    Done,
    /// The question is answered with no: a violation, a trace that does not replay, a file that is not formatted.
    Refuted,
    /// A limit was reached.
    Inconclusive,
    /// A signal of this number stopped the work.
    Interrupted(i32),
    /// Part of the tool failed; the report covers the work before.
    Failed,
}

impl Outcome {
    /// The outcome of a finished search.
    pub(crate) fn of(verdict: Verdict) -> Outcome {
        match verdict {
            Verdict::Holds => Outcome::Done,
            Verdict::Violated => Outcome::Refuted,
            Verdict::Inconclusive => Outcome::Inconclusive,
        }
    }

    /// The outcome of a command that a limit or a signal stopped.
    pub(crate) fn stopped(stopped: Stopped) -> Outcome {
        match stopped.cause {
            Cause::Signal(signal) => Outcome::Interrupted(signal),
            Cause::Time(_) | Cause::Memory(_) | Cause::Work(_) => Outcome::Inconclusive,
        }
    }

    /// The exit code.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Outcome::Done => 0,
            Outcome::Refuted => 1,
            Outcome::Inconclusive => 3,
            Outcome::Failed => INTERNAL_ERROR,
            Outcome::Interrupted(signal) => {
                debug_assert!((1..128).contains(&signal), "{signal} is the number of a signal");
                128u8.saturating_add(u8::try_from(signal).unwrap_or(0))
            }
        }
    }
}

/// A problem with a file or an option, or one that stands in a text.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// The text that it is about, empty where only its name is shown; `None` for the command line itself.
    pub(crate) source: Option<Box<Source>>,
    /// The diagnostic.
    pub(crate) diagnostic: Box<Diagnostic>,
}

/// A command that could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The diagnostics were printed already.
    Reported,
    /// A problem that was not printed yet.
    Usage(Problem),
    /// A fault of the tool.
    Internal(String),
    /// A limit or a signal, before there was anything to report.
    Stopped(Stopped),
}

impl Failure {
    /// A problem with a file.
    pub(crate) fn file(name: impl Into<String>, code: Code, message: impl Into<String>) -> Failure {
        Failure::placed(code, Span::NONE, message, &Source::new(name, ""))
    }

    /// A problem with a place in a text.
    fn placed(code: Code, span: Span, message: impl Into<String>, source: &Source) -> Failure {
        let diagnostic = Box::new(Diagnostic::error(code, span, message));
        Failure::Usage(Problem { source: Some(Box::new(source.clone())), diagnostic })
    }

    /// A problem with the command line.
    pub(crate) fn usage(code: Code, message: impl Into<String>) -> Failure {
        Failure::Usage(Problem { source: None, diagnostic: Box::new(Diagnostic::error(code, Span::NONE, message)) })
    }

    /// Options that contradict each other, or one that has no meaning for the model.
    pub(crate) fn contradiction(message: impl Into<String>) -> Failure {
        Failure::usage(codes::CONTRADICTION, message)
    }

    /// A problem with its help line.
    pub(crate) fn help(self, text: impl Into<String>) -> Failure {
        self.help_opt(Some(text.into()))
    }

    /// A problem with its help line, if there is one.
    pub(crate) fn help_opt(mut self, text: Option<String>) -> Failure {
        debug_assert!(matches!(self, Failure::Usage(_)), "only what the user can change has a help line");
        if let Failure::Usage(problem) = &mut self {
            problem.diagnostic.help = text;
        }
        self
    }

    /// A method of slicing that does not preserve the question, with its place in the text of the model or in that of the properties.
    pub(crate) fn not_preserved(refused: &Refused, model: Option<&Source>, properties: Option<&Source>) -> Failure {
        let place = refused.place.and_then(|place| match place {
            TextPlace::Model(span) => Some((span, model?)),
            TextPlace::Properties(span) => Some((span, properties?)),
        });
        let reason = refused.reason.clone();
        let failure = match place {
            Some((span, source)) => Failure::placed(codes::NOT_PRESERVED, span, reason, source),
            None => Failure::usage(codes::NOT_PRESERVED, reason),
        };
        failure.help(alternative(refused.alternative))
    }

    /// The failure of a line, with the texts that its places are in.
    pub(crate) fn of_line(error: pipeline::Error, model: &Source, properties: Option<&Source>) -> Failure {
        match error {
            pipeline::Error::NotPreserved(refused) => Failure::not_preserved(&refused, Some(model), properties),
            other => other.into(),
        }
    }

    /// The exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::Reported | Failure::Usage(_) => 2,
            Failure::Internal(_) => INTERNAL_ERROR,
            Failure::Stopped(stopped) => Outcome::stopped(*stopped).exit_code(),
        }
    }
}

impl From<pipeline::Error> for Failure {
    fn from(error: pipeline::Error) -> Failure {
        match error {
            pipeline::Error::NotPreserved(refused) => Failure::not_preserved(&refused, None, None),
            pipeline::Error::OtherReductions => {
                let message =
                    "the checkpoint was saved with other symmetries or of another slice, which limits decide as well";
                Failure::usage(codes::UNUSABLE_CHECKPOINT, message)
                    .help("resume with the limit on time of the run that saved it or a longer one, or begin anew")
            }
            pipeline::Error::Contradicted(why) => {
                let message = format!("the content of the checkpoint is not of a search of this model: {why}");
                Failure::usage(codes::UNUSABLE_CHECKPOINT, message)
                    .help("begin anew; if that fails as well, it is a fault of quotient")
            }
            pipeline::Error::Internal(message) => Failure::Internal(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Verdict};

    #[test]
    fn exit_codes_are_those_of_the_manual() {
        assert_eq!(Outcome::of(Verdict::Holds).exit_code(), 0);
        assert_eq!(Outcome::of(Verdict::Violated).exit_code(), 1);
        assert_eq!(Outcome::of(Verdict::Inconclusive).exit_code(), 3);
        assert_eq!(Outcome::Failed.exit_code(), 4);
        assert_eq!(Outcome::Interrupted(2).exit_code(), 130);
        assert_eq!(Outcome::Interrupted(15).exit_code(), 143);
    }
}
