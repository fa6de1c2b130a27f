//! The candidates of a process: from the text where its graph would be large, otherwise from the graph.
//!
//! The graph grows with the number of instances, a proof by text with the text. So where instances have more than [`MAX_WEIGHT`] terms
//! together, and the text proves some symmetry, no graph is drawn: what only the graph shows is then not found, and the report names the
//! large summands as not shown.

use std::time::Instant;

use csp::{Detected, TooLarge};
use frontend::sequential::{Property, Sequential};
use symmetry::sequential::proved_by_text;

/// The most terms of all instances for a graph next to a proof by text.
const MAX_WEIGHT: u64 = 1 << 18;

/// The candidates for symmetries that keep these properties.
///
/// # Errors
/// When the process is too large to be written as constraints.
pub(super) fn candidates(model: &Sequential, properties: &[Property]) -> Result<Detected, TooLarge> {
    let requested: Vec<&Property> = properties.iter().collect();
    if csp::proposals::weight(model) > MAX_WEIGHT {
        let started = Instant::now();
        let proved = proved_by_text(model, properties, csp::proposals::proposals(model, &requested));
        if !proved.is_empty() {
            return Ok(Detected::without_graph(model, proved, started.elapsed(), MAX_WEIGHT));
        }
    }
    csp::detect_graph(model, &requested)
}
