//! Models as constraints, and the graphs whose automorphisms are their symmetries.
//!
//! Rebeca models use [`actors`]. The stages for sequential models are [`ssa::build`] (bodies in static single assignment form) ->
//! [`ground::constraints`] (a [`csp::Csp`]) -> [`ColouredGraph::new`] -> [`project()`] (permutations of the literals of the state).
//! [`detect_graph`] runs all of them.
//!
//! Each instance of a summand, with its parameters replaced by values, is represented separately; of those that known symmetries map to each other, one
//! is evaluated. The conditions are functions of the
//! state. They take a canonical form by prime cubes, whatever their syntax: from a table while they are small, by products of cubes or by
//! all-SAT when they are larger. [`csp::Csp::as_written`] names the parts that exceed the bounds of both: there conditions keep their tree,
//! in which operands of `&&`, `||` and quantifiers are unordered. Summands with more than [`ground::MAX_CANDIDATES`] instances have no
//! graph; their symmetries are found and proved from the text alone, by another crate.
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
//! independent parts has at most 256 cubes, or grows with its text, quantifiers unrolled.
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
mod drawing;

pub mod actors;
pub mod csp;
pub mod graph;
pub mod ground;
pub mod growth;
pub mod project;
pub mod ssa;
#[cfg(test)]
mod tests;
pub mod weight;

use engine::{AutomorphismReport, Graph, Group, SparsePermutation};
use frontend::sequential::{Property, Sequential};
use num_bigint::BigUint;

pub use csp::Csp;
pub use drawing::Drawn;
pub use graph::{ColouredGraph, Ties, Vertex};
pub use ground::TooLarge;
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
    /// The report of the automorphism search: whether it found all automorphisms or only those that the time allowed. Its order also
    /// counts moves of vertices other than literals.
    pub report: AutomorphismReport,
}

impl Detected {
    /// The order of the group that the generators make.
    pub fn order(&self) -> BigUint {
        let group = Group::from_generators(self.literals.len(), self.generators.clone());
        group.expect("generators move literals").order()
    }
}

/// The automorphisms of a graph.
#[derive(Clone, Debug)]
pub struct Automorphisms {
    /// Generators, on the vertices.
    pub generators: Vec<SparsePermutation>,
    /// Their number, and whether they are all.
    pub report: AutomorphismReport,
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

/// The automorphisms of a graph. The search takes at most half of the time that is left; the proof takes the other half.
pub fn automorphisms(graph: &Graph) -> Automorphisms {
    limits::phase("finding automorphisms");
    let mut generators: Vec<SparsePermutation> = Vec::new();
    let search = || engine::automorphisms(graph, &mut |generator| generators.push(generator.clone()));
    let report = limits::share(1, 2, search).unwrap_or_else(|stopped| stopped.throw());
    let moved = generators.iter().flat_map(SparsePermutation::support).max();
    assert!(moved.is_none_or(|vertex| (vertex as usize) < graph.len()), "an automorphism moves vertices of its graph");
    Automorphisms { generators, report }
}

/// Automorphisms of the graph of a model as permutations of the points of [`Literals`]. Those that move none are left out.
pub fn candidates(
    model: &Sequential,
    csp: &Csp,
    graph: &ColouredGraph,
    found: &Automorphisms,
) -> Vec<SparsePermutation> {
    assert_eq!(graph.vertices.len(), graph.graph.len(), "every vertex has a meaning");
    let literals = Literals::new(model);
    assert_eq!(literals.elements(), csp.elements.len(), "the constraints are over the elements of the model");
    let projected = found.generators.iter().map(|automorphism| project(&literals, csp, graph, automorphism));
    projected.filter(|candidate| !candidate.is_identity()).collect()
}

/// Candidates that keep, for each label, the steps as a set, and each atom of these properties: permutations of the points of
/// [`Literals`], found on graphs of [`ground::relation`]; and whether they are all of their automorphisms. `None` where it has no graph.
/// A permutation of both elements and values keeps arguments with the elements that they index; else labels are permuted as wholes.
///
/// # Panics
/// If the model is not verified.
pub fn detect_relation(model: &Sequential, properties: &[&Property]) -> Option<(Vec<SparsePermutation>, bool)> {
    limits::phase("writing the relation of each label");
    let csp = ground::relation(model, &forms(model), properties)?;
    // Where no argument names an element, the first graph has all symmetries of the others.
    let ties = [Ties::Arrays, Ties::Places, Ties::Values];
    let ties = if csp.indexed.is_empty() { &ties[..1] } else { &ties[..] };
    let (mut list, mut complete) = (Vec::new(), true);
    for &ties in ties {
        let graph = ColouredGraph::verified(model, &csp, ties);
        let found = automorphisms(&graph.graph);
        let group = Group::from_generators(Literals::new(model).len(), list.clone()).expect("generators move literals");
        list.extend(candidates(model, &csp, &graph, &found).into_iter().filter(|one| !group.contains_sparse(one)));
        complete &= found.report.complete;
    }
    Some((list, complete))
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
    let csp = ground::constraints(model, &forms(model), properties)?;
    let graph = ColouredGraph::verified(model, &csp, ties);
    let found = automorphisms(&graph.graph);
    let generators = candidates(model, &csp, &graph, &found);
    Ok(Detected { csp, graph, literals: Literals::new(model), generators, report: found.report })
}
