//! Detectors: each reads the static part of a model and proposes generators of a group.
//!
//! The first three build a coloured graph of `main` (see `graph.rs`), the last one a graph of the behaviour of the servers
//! (`constraint.rs`). The engine finds exactly the automorphisms of the graph, and the detector lifts the generators back to the model.
//! The detectors differ in the relations that the graph keeps:
//!
//! | detector | known rebecs | scalar sets |
//! |---|---|---|
//! | `known-rebec` | in order | not rotated |
//! | `scalar-set` | in order up to one rotation per cluster | rotated |
//! | `channel-diagram` | as a set | rotated where that makes the known rebecs fit |
//! | `constraint` | as they are used | permuted as they are used |
//!
//! Soundness: nothing relies on a detector. The first two keep the initial topology by construction; channel diagrams propose
//! permutations that the code of a class need not keep. The validator decides.
//!
//! Source: \[Jag10\] 5.1, Figures 6 and 7, with the graph instead of the search; static channel diagrams after Donaldson and Miller, as
//! \[Jag10\] 1.1 cites them.

mod constraint;
mod graph;

use std::time::{Duration, Instant};

use engine::{AutomorphismReport, Graph, SparsePermutation, automorphisms};
use frontend::model::Model;
use num_bigint::BigUint;

use crate::permutation::{ModelPermutation, has_set, rebecs, sets};
use crate::topology;
use graph::{Detail, Picture};

pub use constraint::{Constraint, ConstraintDetection, constraint, constraint_with};
pub use csp::actors::Switches;

/// The candidates of a detector, with the sizes of its graph and the times.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Generators of the proposed group, none of them the identity.
    pub candidates: Vec<ModelPermutation>,
    /// The number of vertices of the graph.
    pub vertices: usize,
    /// The number of its edges.
    pub edges: usize,
    /// The number of its automorphisms.
    pub order: BigUint,
    /// Whether the search was complete: otherwise the proposal consists of the automorphisms found in the available time.
    pub complete: bool,
    /// The time to draw the graph.
    pub graph: Duration,
    /// The time to find its automorphisms.
    pub search: Duration,
}

/// A method that proposes symmetries of a model.
pub trait Detector {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// The proposal for a model.
    fn propose(&self, model: &Model) -> Proposal;

    /// Generators of the proposed group, none of them the identity.
    fn candidates(&self, model: &Model) -> Vec<ModelPermutation> {
        self.propose(model).candidates
    }
}

/// Inter-rebec symmetry: classes, ordered known rebecs and arguments are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownRebec;

/// Intra-rebec symmetry: as [`KnownRebec`], up to one rotation for each cluster of each rebec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScalarSets;

/// Symmetry of the communication graph: classes, arguments and the sets of known rebecs are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChannelDiagram;

impl Detector for KnownRebec {
    fn name(&self) -> &'static str {
        "known-rebec"
    }

    fn propose(&self, model: &Model) -> Proposal {
        proposal(model, Detail::Ordered)
    }
}

impl Detector for ScalarSets {
    fn name(&self) -> &'static str {
        "scalar-set"
    }

    fn propose(&self, model: &Model) -> Proposal {
        proposal(model, Detail::Clusters)
    }
}

impl Detector for ChannelDiagram {
    fn name(&self) -> &'static str {
        "channel-diagram"
    }

    fn propose(&self, model: &Model) -> Proposal {
        let mut proposal = proposal(model, Detail::Channels);
        for candidate in &mut proposal.candidates {
            for rebec in rebecs(model) {
                let own: Vec<_> = sets(model).filter(|&set| has_set(model, rebec, set)).collect();
                topology::fit_rotations(model, candidate, rebec, &own);
            }
        }
        proposal
    }
}

/// The automorphisms of a graph. The search may use half of the time that is left, so that the other half remains for the proofs.
fn searched(graph: &Graph, sink: &mut dyn FnMut(&SparsePermutation)) -> AutomorphismReport {
    let search = || {
        limits::phase("finding automorphisms");
        automorphisms(graph, sink)
    };
    limits::share(1, 2, search).unwrap_or_else(|stopped| stopped.throw())
}

/// The generators of the automorphism group of a picture, on the model.
fn proposal(model: &Model, detail: Detail) -> Proposal {
    let start = Instant::now();
    let picture = Picture::new(model, detail);
    let graph = start.elapsed();
    let mut generators: Vec<SparsePermutation> = Vec::new();
    let report = searched(&picture.graph, &mut |generator| generators.push(generator.clone()));
    let lifted = generators.iter().map(|generator| picture.lift(model, generator));
    Proposal {
        candidates: lifted.filter(|permutation| !permutation.is_identity()).collect(),
        vertices: picture.graph.len(),
        edges: picture.graph.edge_count(),
        order: report.order,
        complete: report.complete,
        graph,
        search: start.elapsed() - graph,
    }
}
