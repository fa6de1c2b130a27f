//! The automorphism group of a coloured graph.
//!
//! Reductions first make the graph smaller without losing automorphisms (`reduce`), a search examines the remaining graph (`search`), and
//! every generator is lifted to the original vertices and certified there before it is passed to the sink.
//!
//! # Soundness
//!
//! Each generator is checked on the original graph: bijection, colours, edges. The order is exact because reductions preserve the group
//! up to known factors and searches are complete. If a budget ran out or the watch of the thread stopped the search, the report says
//! `complete: false`, and the order is a lower bound.

mod emit;
mod order;

use num_bigint::BigUint;

use crate::graph::Graph;
use crate::group::{Group, Structure};
use crate::permutation::SparsePermutation;
use crate::reduce;
use crate::search::{Budget, Certifier};

use emit::Emitted;
pub(crate) use emit::Emitter;
pub(crate) use order::Order;

/// The result of a search for automorphisms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomorphismReport {
    /// Whether the search ran to its end. If not, the generators are automorphisms all the same, and the order and the orbits are lower
    /// bounds.
    pub complete: bool,
    /// Order of the group.
    pub order: BigUint,
    /// For every vertex the least vertex of its orbit.
    pub orbits: Vec<u32>,
    /// A set of vertices that no automorphism fixes pointwise except the identity.
    pub base: Vec<u32>,
    /// Number of generators passed to the sink.
    pub generators: usize,
    /// Nodes of the search trees.
    pub nodes: u64,
}

impl AutomorphismReport {
    /// Number of orbits.
    #[must_use]
    pub fn orbit_count(&self) -> usize {
        (0..).zip(&self.orbits).filter(|(v, least)| v == *least).count()
    }
}

/// Finds generators of the automorphism group of `graph`, and calls `sink` with each. When the watch of the thread stops the search, the
/// function does not unwind: the report says that the search is not complete.
pub fn automorphisms(graph: &Graph, sink: &mut dyn FnMut(&SparsePermutation)) -> AutomorphismReport {
    automorphisms_within(graph, &mut Budget::unlimited(), sink)
}

/// The automorphism group of `graph` with the report on the search.
///
/// # Panics
///
/// Never: generators are certified.
#[must_use]
pub fn automorphism_group(graph: &Graph) -> (AutomorphismReport, Group) {
    let found = find_automorphisms(graph);
    if !found.report.complete {
        limits::check();
    }
    let group = found.group();
    (found.report, group)
}

/// The automorphisms that a search found, with its report. Only a search makes one, so the order of the report is that of the
/// generators.
#[derive(Clone, Debug)]
pub struct Automorphisms {
    degree: usize,
    report: AutomorphismReport,
    generators: Vec<SparsePermutation>,
    /// The approximate cost of the search, in steps.
    steps: u64,
}

/// The steps of naming a group that are always allowed: about fifteen milliseconds.
const LEAST_NAMING_STEPS: u64 = 1 << 24;
/// The part of the cost of the search that naming may take in any case.
const NAMING_SHARE: u64 = 4;
/// The time that the product of the order may take after a stop.
const AFTERWARDS: std::time::Duration = std::time::Duration::from_secs(1);

impl Automorphisms {
    /// The report of the search.
    #[must_use]
    pub fn report(&self) -> &AutomorphismReport {
        &self.report
    }

    /// Generators, certified on the graph.
    #[must_use]
    pub fn generators(&self) -> &[SparsePermutation] {
        &self.generators
    }

    /// The group that they generate. Its order is known where the search is complete, which saves the proof of its chain.
    ///
    /// # Panics
    ///
    /// Never: generators are certified.
    #[must_use]
    pub fn group(&self) -> Group {
        let generators = self.generators.clone();
        debug_assert!(
            generators.iter().flat_map(SparsePermutation::support).all(|v| (v as usize) < self.degree),
            "automorphisms move vertices"
        );
        let group = if self.report.complete {
            Group::with_known_order(self.degree, generators, &self.report.order)
        } else {
            Group::from_generators(self.degree, generators)
        };
        group.expect("automorphisms move vertices")
    }

    /// The name of the group for reports, as [`Group::name`] gives it, at a small part of the cost of the search; the order where that
    /// is not enough.
    #[must_use]
    pub fn name(&self) -> Structure {
        let steps = (self.steps / NAMING_SHARE).max(LEAST_NAMING_STEPS);
        let name = self.group().name_within(&mut Budget::unlimited().with_max_steps(steps));
        name.unwrap_or_else(|_| Structure::Unknown(self.report.order.clone()))
    }
}

/// Finds all automorphisms of `graph`, and keeps the generators.
///
/// ```
/// use quotient_engine::{GraphBuilder, find_automorphisms};
///
/// let mut square = GraphBuilder::new();
/// let corners: Vec<_> = (0..4).map(|_| square.add_vertex(0)).collect();
/// for at in 0..4 {
///     square.add_edge(corners[at], corners[(at + 1) % 4]);
/// }
/// let found = find_automorphisms(&square.build()?);
/// assert_eq!(found.report().order.to_string(), "8");
/// assert_eq!(found.group().name().to_string(), "S2 wr S2");
/// # Ok::<(), quotient_engine::GraphError>(())
/// ```
#[must_use]
pub fn find_automorphisms(graph: &Graph) -> Automorphisms {
    let mut generators = Vec::new();
    let report = automorphisms(graph, &mut |generator| generators.push(generator.clone()));
    assert_eq!(report.generators, generators.len(), "every generator was passed on");
    assert_eq!(report.orbits.len(), graph.len(), "every vertex has an orbit");
    let steps = (report.nodes + 1).saturating_mul((graph.len() + graph.edge_count()) as u64);
    Automorphisms { degree: graph.len(), report, generators, steps }
}

/// Whether `permutation` is an automorphism of `graph`: bijection, colours and edges.
///
/// # Complexity
///
/// The number of vertices, plus the degrees of the support and of its image.
#[must_use]
pub fn certifies(graph: &Graph, permutation: &SparsePermutation) -> bool {
    permutation.support().all(|point| (point as usize) < graph.len())
        && Certifier::new(graph.len()).is_automorphism(graph, permutation.pairs())
}

/// Like [`automorphisms`], within a budget.
pub fn automorphisms_within(
    graph: &Graph,
    budget: &mut Budget,
    sink: &mut dyn FnMut(&SparsePermutation),
) -> AutomorphismReport {
    let mut emitter = Emitter::new(graph, sink);
    let mut order = Order::default();
    // A generator is passed on as a whole, and a factor of the order follows the generators that it counts: both are right at every stop.
    let whole = limits::watch().run(|| reduce::solve(graph, &mut emitter, &mut order, budget));
    let Emitted { mut orbits, base, generators } = emitter.finish();
    let value = limits::watch().or_afterwards(AFTERWARDS).run(|| order.value());
    assert!(base.iter().all(|&point| (point as usize) < graph.len()), "base points are vertices");
    AutomorphismReport {
        complete: whole.is_ok() && value.is_ok() && !budget.is_exhausted(),
        order: value.unwrap_or_else(|_| BigUint::from(1_u32)),
        orbits: orbits.least_members(),
        base,
        generators,
        nodes: budget.nodes(),
    }
}
