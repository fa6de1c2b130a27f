//! Results as text: the report for people, symmetries, traces, JSON, other formats, and progress on a terminal.

pub(crate) mod compare;
pub(crate) mod coverage;
pub(crate) mod detect;
pub(crate) mod explanation;
pub(crate) mod export;
pub(crate) mod growth;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod plot;
pub(crate) mod progress;
pub(crate) mod unbounded;
pub(crate) mod unread;

use checker::Report;

use crate::language::{Asked, Presented};
use crate::load::Loaded;
use pipeline::Trace;
use pipeline::coverage::Covered;

/// Whether no name repeats, for the columns of tables.
pub(crate) fn are_distinct(names: &[&str]) -> bool {
    (1..names.len()).all(|at| !names[..at].contains(&names[at]))
}

/// The content of a report.
pub(crate) struct Checked<L: Presented> {
    /// The model.
    pub(crate) loaded: Loaded<L>,
    /// The names of the properties of the question, and the places of their declarations.
    pub(crate) declared: Vec<(String, String)>,
    /// The properties of the question as text.
    pub(crate) asked: Asked,
    /// The result.
    pub(crate) report: Report<Trace<L>>,
    /// The names of properties outside the question.
    pub(crate) left_out: Vec<String>,
    /// Whether the question says which states may end.
    pub(crate) has_ends: bool,
    /// The parts of the model with the numbers of their executions, if all steps of all states were counted.
    pub(crate) coverage: Option<Vec<Covered>>,
    /// Bytes of memory at the peak, if the system reports them.
    pub(crate) peak_memory: Option<u64>,
}
