//! Results as text: the report for people, symmetries, traces, JSON, other formats, and progress on a terminal.

pub(crate) mod compare;
pub(crate) mod detect;
pub(crate) mod export;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod progress;
