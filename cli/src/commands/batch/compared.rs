//! What is kept of a report of `compare`.
//!
//! Invariant: fields that the report does not have are absent in the row.

use serde_json::Value as Json;

use super::row::{CompareRow, DetectorRow};

/// The row of one model in a report of `compare`; none if the report does not tell of it.
pub(super) fn compare_row(report: &Json, _path: &str) -> Option<CompareRow> {
    let strategies = report["strategies"].as_array()?;
    let named = |name: &str| strategies.iter().find(|strategy| strategy["strategy"] == name);
    let plain = named("none");
    let detectors = strategies.iter().filter(|strategy| strategy["strategy"] != "none").map(|strategy| DetectorRow {
        name: strategy["strategy"].as_str().unwrap_or_default().to_owned(),
        order: strategy["order"].as_str().map(str::to_owned),
        states: strategy["states"].as_u64(),
        detect_seconds: strategy["detect_seconds"].as_f64(),
        check_seconds: strategy["check_seconds"].as_f64(),
    });
    Some(CompareRow {
        states: plain.and_then(|plain| plain["states"].as_u64()),
        seconds: plain.and_then(|plain| plain["check_seconds"].as_f64()),
        detectors: detectors.collect(),
    })
}
