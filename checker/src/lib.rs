//! The explicit-state checker: a model and a question in, a report out.

#![forbid(unsafe_code)]

mod question;
mod report;

pub use question::{Limits, Question, SearchOrder};
pub use report::{
    Answer, AskedKind, Control, InternalError, Limit, LimitKind, Progress, Report, Unwatched, Verdict,
};
