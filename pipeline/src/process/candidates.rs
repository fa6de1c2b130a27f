//! The candidates of a process: those that the text proves, and those of the graph.
//!
//! A proof by text takes time linear in the text; the graph and the proofs of its candidates grow with the number of instances. So
//! where the text proves some symmetry, no graph is drawn if instances have more than [`MAX_WEIGHT`] terms together, and otherwise the graph
//! and the proofs take at most so many [`Steps`], whose number does not depend on the machine. Symmetries that
//! only the graph shows may then be missed, and the report says that the group may be too small.

use std::time::Instant;

use csp::{Detected, TooLarge};
use engine::SparsePermutation;
use frontend::sequential::{Property, Sequential};
use limits::{Cause, Stopped};
use symmetry::sequential::{Rejection, ValidatedGroup, proved_by_text};

/// The most terms of all instances for a graph next to a proof by text.
const MAX_WEIGHT: u64 = 1 << 18;

/// The most steps next to a proof by text.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    /// For a graph and its automorphisms.
    graph: u64,
    /// For the proofs of the candidates of the graph.
    proof: u64,
}

impl Default for Steps {
    /// About a second for each on the machines of today.
    fn default() -> Steps {
        Steps { graph: 1 << 29, proof: 1 << 24 }
    }
}

/// The candidates of a process.
pub(super) struct Candidates {
    /// Those that the text proves.
    pub(super) by_text: Vec<SparsePermutation>,
    /// Those of the graph; those of the text if no graph was drawn.
    pub(super) found: Detected,
    steps: Steps,
}

/// The candidates for symmetries that keep these properties.
///
/// # Errors
/// When the process is too large to be written as constraints.
pub(super) fn candidates(model: &Sequential, properties: &[Property], steps: Steps) -> Result<Candidates, TooLarge> {
    let requested: Vec<&Property> = properties.iter().collect();
    let started = Instant::now();
    let by_text = proved_by_text(model, properties, csp::proposals::proposals(model, &requested));
    let draw = || csp::detect_graph(model, &requested);
    if by_text.is_empty() {
        return Ok(Candidates { by_text, found: draw()?, steps });
    }
    let is_small = csp::proposals::weight(model) <= MAX_WEIGHT;
    let drawn = is_small.then(|| within(steps.graph, draw)).flatten();
    let without = || Ok(Detected::without_graph(model, by_text.clone(), started.elapsed(), MAX_WEIGHT));
    let found = drawn.unwrap_or_else(without)?;
    Ok(Candidates { by_text, found, steps })
}

/// The proved group of the candidates; `false` if some of those of the graph were not decided within the steps for them.
pub(super) fn group(model: &Sequential, properties: &[Property], candidates: &Candidates) -> (ValidatedGroup, bool) {
    let Candidates { by_text, found, steps } = candidates;
    let of_graph = || ValidatedGroup::with_moves(model, properties, found.generators.clone(), &found.moves);
    if by_text.is_empty() || !found.has_graph() {
        return (of_graph(), true);
    }
    let group = within(steps.proof, of_graph);
    let decided = |group: &ValidatedGroup| !group.stopped().is_some_and(|stopped| is_of_work(&stopped));
    let is_decided = group.as_ref().is_some_and(decided);
    let group = match group {
        Some(group) if is_decided && (!is_open(found, &group) || group.contains_on_states(by_text)) => {
            return (group, true);
        }
        group => group,
    };
    let text = ValidatedGroup::new(model, properties, by_text.clone());
    let more = group.as_ref().map_or(&[][..], ValidatedGroup::generators);
    if text.contains_on_states(more) {
        return (text, is_decided);
    }
    let all = || by_text.iter().chain(more).cloned().collect();
    let joined = within(steps.proof, || ValidatedGroup::new(model, properties, all()));
    (joined.unwrap_or(text), is_decided)
}

/// The result of a function that takes at most this number of steps.
fn within<R>(work: u64, function: impl FnOnce() -> R) -> Option<R> {
    match limits::watch().at_most(work).run(function) {
        Ok(result) => Some(result),
        Err(stopped) if is_of_work(&stopped) => None,
        Err(stopped) => stopped.throw(),
    }
}

/// Whether the graph or the proofs of its candidates may have missed a symmetry that the text proves.
fn is_open(found: &Detected, group: &ValidatedGroup) -> bool {
    let undecided = group.rejected().iter().any(|rejected| matches!(rejected.reason, Rejection::NotDecided(_)));
    undecided || !found.csp.opaque.is_empty() || !found.csp.as_written.is_empty()
}

/// Whether a computation was stopped by a limit on its steps.
pub(super) fn is_of_work(stopped: &Stopped) -> bool {
    stopped.is_share && matches!(stopped.cause, Cause::Work(_))
}

#[cfg(test)]
mod tests {
    use frontend::diagnostics::Diagnostics;
    use frontend::sequential::Sequential;

    use super::{Steps, candidates, group};
    use crate::read::{AnyModel, Reading, read};

    /// Cells pass on what they hold; the text proves S3.
    const CELLS: &str = "
        type CELL : 1..3;
        type KIND : { free, red, blue };
        proc P(holds : KIND[CELL], last : CELL) =
            sum c:CELL . [holds[c] = free] fill(c) { holds[c] := red; } -> P
          + sum c:CELL . [holds[c] = free] paint(c) { holds[c] := blue; } -> P
          + sum c:CELL . sum d:CELL . [holds[c] != free && holds[d] = free] pass(c, d) { holds[d] := holds[c]; holds[c] := free; last := d; } -> P;
        init P(holds = free, last = *);";

    fn model() -> Sequential {
        match read("cells.lpe", CELLS, &Reading::default(), &mut Diagnostics::default()) {
            Ok(AnyModel::Process(model)) => model,
            _ => unreachable!("a valid process"),
        }
    }

    #[test]
    fn what_the_text_proves_is_found_however_few_steps_the_graph_may_take() {
        let model = model();
        let most = Steps::default();
        for (steps, has_graph) in
            [(most, true), (Steps { graph: 1, ..most }, false), (Steps { proof: 0, ..most }, true)]
        {
            let found = candidates(&model, &[], steps).expect("a small process");
            assert_eq!(found.found.has_graph(), has_graph);
            let (group, _) = group(&model, &[], &found);
            assert_eq!(group.order(), 6_u32.into());
        }
    }
}
