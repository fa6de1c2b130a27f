//! Models as constraints, and the graphs whose automorphisms are their symmetries.
//!
//! Rebeca models go through [`actors`]. For sequential models the line is [`ssa::build`] (bodies in static single assignment form) -> [`ground::constraints`] (a [`csp::Csp`]) ->
//! [`ColouredGraph::new`] -> [`project()`] (permutations of the literals of the state). [`detect_graph`] is the whole of it.
//!
//! A summand with at most [`parametric::MAX_GROUND`] instances is *ground*: each instance, its parameters replaced by values, stands for itself.
//! One with more is *parametric*: one instance, with its parameters as variables that no state has ([`parametric`]). The
//! conditions are functions of the state, which take a canonical form by prime cubes whatever their syntax: from a table while they
//! are small, by all-SAT beyond ([`csp::Csp::as_written`] says where that is past its bounds: there they keep their tree, in which
//! operands of `&&`, `||` and quantifiers are unordered).
//!
//! # Soundness
//!
//! Proved in [`graph`]; every symmetry found is one of the transition system on the states of live values, which contain all
//! reachable ones. Elements of wide sorts have no literals: what is computed from them is drawn as expressions. What is missed: symmetries of
//! conditions past the bounds whose trees differ, and those that exist on reachable states only.
//!
//! # Complexity
//!
//! Vertices: literals, instances, what they change, and the nodes of their conditions. A condition that does not fall apart into
//! independent parts has at most 256 cubes, or grows with its text, quantifiers unrolled. In parametric form the graph grows with text and
//! domains: an array that is read or written at a parameter costs its literals, and a guard the sum of its conjuncts.
//!
//! # Not done
//!
//! Sums of terms are a chain of pairs, so that their operands are no longer alike. A summand whose conditions grow beyond the limits of the store is mapped to
//! itself, and named ([`csp::Opaque`]), if its instances are too large too; so is one with a `while` loop that may go on for more than a few rounds.
//!
//! # Source
//!
//! \[Zha13\] IV with the corrections listed in the modules. Names of states, values and instances are the model's own.

#![forbid(unsafe_code)]

mod condition;

pub mod actors;
pub mod csp;
pub mod graph;
pub mod ground;
pub mod parametric;
pub mod project;
pub mod ssa;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use engine::{AutomorphismReport, Group, SparsePermutation};
use frontend::sequential::{Property, Sequential};
use num_bigint::BigUint;

pub use csp::Csp;
pub use graph::{ColouredGraph, Ties, Vertex};
pub use ground::TooLarge;
pub use parametric::{Move, Moves};
pub use project::{Literals, MAX_NARROW, is_wide, project};

/// What the graph of a model shows.
#[derive(Clone, Debug)]
pub struct Detected {
    /// The constraints.
    pub csp: Csp,
    /// The graph with what its vertices stand for.
    pub graph: ColouredGraph,
    /// The literals as points.
    pub literals: Literals,
    /// Generators on the points of `literals`, none the identity.
    pub generators: Vec<SparsePermutation>,
    /// What goes with each generator where summands are in parametric form.
    pub moves: Moves,
    /// How the automorphisms of the graph were found, all of them or those of the time that there was; its order counts moves of vertices other than literals too.
    pub report: AutomorphismReport,
    /// Wall time.
    pub seconds: Seconds,
}

impl Detected {
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

/// Lists what is broken in any stage: single assignment, constraints, graph.
pub fn verify(model: &Sequential, csp: &Csp, graph: &ColouredGraph) -> Vec<String> {
    let forms = model.summands.iter().zip(forms(model));
    let mut problems: Vec<String> = forms.flat_map(|(summand, form)| ssa::verify(model, summand, &form)).collect();
    problems.extend(csp::verify(csp));
    problems.extend(graph.verify());
    problems
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

/// As [`detect_graph`], keeping what `ties` says.
///
/// # Errors
/// As there.
///
/// # Panics
/// As there.
pub fn detect_graph_with(model: &Sequential, properties: &[&Property], ties: Ties) -> Result<Detected, TooLarge> {
    detect_graph_within(model, properties, ties, parametric::MAX_GROUND)
}

/// As [`detect_graph_with`], with another bound than [`parametric::MAX_GROUND`] for summands that are replaced by their instances.
///
/// # Errors
/// As there.
///
/// # Panics
/// As there.
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
    // What is found in a half of the time that is left is proved in the other half.
    let search = || engine::automorphisms(&graph.graph, &mut |generator| found.push(generator.clone()));
    let report = limits::share(1, 2, search).unwrap_or_else(|stopped| stopped.throw());
    let searched = Instant::now();
    let literals = Literals::new(model);
    let mut generators: Vec<SparsePermutation> = Vec::new();
    let mut list = Vec::new();
    for automorphism in &found {
        let generator = project(&literals, &csp, &graph, automorphism);
        if !generator.is_identity() {
            generators.push(generator);
            list.push(Move::new(&csp, &graph, automorphism));
        }
    }
    let parametric = csp.instances.iter().filter(|instance| instance.free.is_some());
    let moves = Moves { summands: parametric.map(|instance| instance.summand).collect(), list };
    let seconds = Seconds {
        lower: lowered - start,
        graph: drawn - lowered,
        search: searched - drawn,
        project: searched.elapsed(),
    };
    Ok(Detected { csp, graph, literals, generators, moves, report, seconds })
}
