//! Models as constraints, and the graphs whose automorphisms are their symmetries.
//!
//! Rebeca models use [`actors`]. The stages for sequential models are [`ssa::build`] (bodies in static single assignment form) ->
//! [`ground::constraints`] (a [`csp::Csp`]) -> [`ColouredGraph::new`] -> [`project()`] (permutations of the literals of the state).
//! [`detect_graph`] runs all of them.
//!
//! A summand with at most [`parametric::MAX_GROUND`] instances is *ground*: each instance, with its parameters replaced by values, is
//! represented separately. A summand with more is *parametric*: it has one instance, whose parameters are variables outside the state
//! ([`parametric`]). The conditions are functions of the state. They take a canonical form by prime cubes, whatever their syntax: from a
//! table while they are small, by all-SAT when they are larger. [`csp::Csp::as_written`] names the parts that exceed the bounds of
//! all-SAT: there conditions keep their tree, in which operands of `&&`, `||` and quantifiers are unordered.
//!
//! # Soundness
//!
//! The proof is in [`graph`]: every symmetry found is one of the transition system on the states of live values, which contain all
//! reachable ones. Elements of wide sorts have no literals: the graph draws values computed from them as expressions. The graph misses
//! symmetries of conditions outside the bounds whose trees differ, and those that exist on reachable states only.
//!
//! # Complexity
//!
//! The vertices are literals, instances, their outputs, and the nodes of their conditions. A condition that does not fall apart into
//! independent parts has at most 256 cubes, or grows with its text, quantifiers unrolled. In parametric form the graph grows with text
//! and domains: an array that is read or written at a parameter costs its literals, and a guard costs the sum of its conjuncts.
//!
//! # Not done
//!
//! Sums of terms are a chain of pairs, so that their operands are no longer alike. A summand whose conditions grow beyond the limits of
//! the store is mapped to itself, and reported ([`csp::Opaque`]), if its instances are too large too; so is one with a `while` loop that
//! may continue for more than a few rounds.
//!
//! # Source
//!
//! \[Zha13\] IV with the corrections listed in the modules. Names of states, values and instances are the model's own.

//! # Example
//!
//! ```
//! use frontend::diagnostics::Diagnostics;
//! use frontend::sequential::{Options, parse};
//!
//! let text = "type AG : 0..2; proc P(done : BOOL[AG]) = sum a:AG . [!done[a]] finish(a) { done[a] := 1; } -> P; init P(done = 0);";
//! let model = parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a process");
//! let found = csp::detect_graph(&model, &[]).expect("small enough");
//! assert_eq!(found.report.order.to_string(), "6"); // any agent for any other
//! ```

#![forbid(unsafe_code)]

mod condition;

pub mod actors;
pub mod csp;
pub mod graph;
pub mod ground;
pub mod parametric;
pub mod project;
pub mod proposals;
pub mod ssa;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use engine::{AutomorphismReport, Group, SparsePermutation};
use frontend::sequential::{Property, Sequential, SummandId};
use num_bigint::BigUint;

pub use csp::Csp;
pub use graph::{ColouredGraph, Ties, Vertex};
pub use ground::TooLarge;
pub use parametric::{Move, Moves};
pub use project::{Literals, MAX_NARROW, is_wide, project};

/// The result of the detection on the graph of a model.
#[derive(Clone, Debug)]
pub struct Detected {
    /// The constraints.
    pub csp: Csp,
    /// The graph with the meanings of its vertices.
    pub graph: ColouredGraph,
    /// The literals as points.
    pub literals: Literals,
    /// Generators on the points of `literals`, none the identity.
    pub generators: Vec<SparsePermutation>,
    /// The moves of parameters and arguments that accompany each generator where summands are in parametric form.
    pub moves: Moves,
    /// The report of the automorphism search: whether it found all automorphisms or only those that the time allowed. Its order also
    /// counts moves of vertices other than literals.
    pub report: AutomorphismReport,
    /// Wall time.
    pub seconds: Seconds,
}

impl Detected {
    /// Candidates that were read from the text. No graph was drawn: those summands are opaque whose instances have more than their share
    /// of this many terms.
    pub fn without_graph(
        model: &Sequential,
        generators: Vec<SparsePermutation>,
        lower: Duration,
        most: u64,
    ) -> Detected {
        let count = model.summands.len() as u64;
        let is_large = |id: &SummandId| proposals::weight_of(model, model.summand(*id)).saturating_mul(count) > most;
        let large = (0..model.summands.len()).map(SummandId::from_index).filter(is_large);
        let opaque = large.map(|id| csp::Opaque { part: csp::Part::Summand(id), elements: Vec::new() });
        let csp = Csp { opaque: opaque.collect(), ..Csp::default() };
        let graph = ColouredGraph::empty();
        let report = engine::automorphisms(&graph.graph, &mut |_| ());
        let seconds = Seconds { lower, ..Seconds::default() };
        let (literals, moves) = (Literals::new(model), Moves::default());
        Detected { csp, graph, literals, generators, moves, report, seconds }
    }

    /// Whether a graph was drawn.
    pub fn has_graph(&self) -> bool {
        !self.graph.vertices.is_empty()
    }

    /// The order of the group that the generators make.
    pub fn order(&self) -> BigUint {
        let group = Group::from_generators(self.literals.len(), self.generators.clone());
        group.expect("generators move literals").order()
    }
}

/// Wall time by stage.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Seconds {
    /// From the model to the constraints.
    pub lower: Duration,
    /// From the constraints to the graph.
    pub graph: Duration,
    /// The automorphisms of the graph.
    pub search: Duration,
    /// Projection.
    pub project: Duration,
}

/// The bodies of all summands in static single assignment form.
pub fn forms(model: &Sequential) -> Vec<ssa::SsaSummand> {
    model.summands.iter().map(|summand| ssa::build(model, summand)).collect()
}

/// Lists the broken invariants of all stages: single assignment, constraints, graph.
pub fn verify(model: &Sequential, csp: &Csp, graph: &ColouredGraph) -> Vec<String> {
    let forms = model.summands.iter().zip(forms(model));
    let mut problems: Vec<String> = forms.flat_map(|(summand, form)| ssa::verify(model, summand, &form)).collect();
    problems.extend(csp::verify(csp));
    problems.extend(graph.verify());
    problems
}

/// Candidates that keep, for each label, the steps as a set, and each atom of these properties: permutations of the points of
/// [`Literals`], found on the graph of [`ground::relation`]; and whether they are all of its automorphisms. `None` where it has no graph.
///
/// # Panics
/// If the model is not verified.
pub fn detect_relation(model: &Sequential, properties: &[&Property]) -> Option<(Vec<SparsePermutation>, bool)> {
    limits::phase("writing the relation of each label");
    let csp = ground::relation(model, &forms(model), properties)?;
    let graph = ColouredGraph::new(model, &csp, Ties::Arrays);
    debug_assert_eq!(verify(model, &csp, &graph), Vec::<String>::new());
    limits::phase("finding automorphisms");
    let mut found = Vec::new();
    let search = || engine::automorphisms(&graph.graph, &mut |generator| found.push(generator.clone()));
    let report = limits::share(1, 2, search).unwrap_or_else(|stopped| stopped.throw());
    let literals = Literals::new(model);
    let generators = found.iter().map(|automorphism| project(&literals, &csp, &graph, automorphism));
    Some((generators.filter(|generator| !generator.is_identity()).collect(), report.complete))
}

/// Finds the symmetries of a model that keep each atom of these properties.
///
/// # Errors
/// When the model is too large to be written as constraints.
///
/// # Panics
/// If the model is not verified.
pub fn detect_graph(model: &Sequential, properties: &[&Property]) -> Result<Detected, TooLarge> {
    detect_graph_with(model, properties, Ties::default())
}

/// As [`detect_graph`], keeping the structure that `ties` names.
///
/// # Errors
/// As for [`detect_graph`].
///
/// # Panics
/// As for [`detect_graph`].
pub fn detect_graph_with(model: &Sequential, properties: &[&Property], ties: Ties) -> Result<Detected, TooLarge> {
    detect_graph_within(model, properties, ties, parametric::MAX_GROUND)
}

/// As [`detect_graph_with`], with another bound than [`parametric::MAX_GROUND`] for summands that are replaced by their instances.
///
/// # Errors
/// As for [`detect_graph_with`].
///
/// # Panics
/// As for [`detect_graph_with`].
pub fn detect_graph_within(
    model: &Sequential,
    properties: &[&Property],
    ties: Ties,
    most: usize,
) -> Result<Detected, TooLarge> {
    let start = Instant::now();
    limits::phase("writing the model as constraints");
    let csp = ground::constraints_within(model, &forms(model), properties, most)?;
    let lowered = Instant::now();
    limits::phase("drawing the graph");
    let graph = ColouredGraph::new(model, &csp, ties);
    debug_assert_eq!(verify(model, &csp, &graph), Vec::<String>::new());
    let drawn = Instant::now();
    let mut found = Vec::new();
    limits::phase("finding automorphisms");
    // The search for generators takes at most half of the time that is left; the proof takes the other half.
    let search = || engine::automorphisms(&graph.graph, &mut |generator| found.push(generator.clone()));
    let report = limits::share(1, 2, search).unwrap_or_else(|stopped| stopped.throw());
    let searched = Instant::now();
    let literals = Literals::new(model);
    let mut generators: Vec<SparsePermutation> = Vec::new();
    let mut list = Vec::new();
    for automorphism in &found {
        let moved = automorphism.pairs().last().map_or(0, |&(vertex, _)| vertex as usize + 1);
        assert!(moved <= graph.vertices.len(), "every vertex that is mapped has a meaning");
        let generator = project(&literals, &csp, &graph, automorphism);
        if !generator.is_identity() {
            generators.push(generator);
            list.push(Move::new(&csp, &graph, automorphism));
        }
    }
    let parametric = csp.instances.iter().filter(|instance| instance.free.is_some());
    assert_eq!(generators.len(), list.len(), "each generator has its moves");
    let moves = Moves { summands: parametric.map(|instance| instance.summand).collect(), list };
    let seconds = Seconds {
        lower: lowered - start,
        graph: drawn - lowered,
        search: searched - drawn,
        project: searched.elapsed(),
    };
    Ok(Detected { csp, graph, literals, generators, moves, report, seconds })
}
