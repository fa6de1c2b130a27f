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

use csp::actors::{ActorGraph, Actors};
use csp::{Automorphisms, automorphisms};
use engine::{Graph, Group, SparsePermutation};
use frontend::model::{Model, PropertySet};
use num_bigint::BigUint;

use crate::permutation::{ModelPermutation, Points, has_set, rebecs, sets};
use crate::strategy::Strategy;
use crate::topology;
use graph::{Detail, Picture};

pub use csp::actors::Switches;

/// The part of a model that a strategy reads.
#[derive(Clone, Debug)]
pub enum Constraints<'m> {
    /// The behaviour of the servers, the initial states and the properties.
    Behaviour(Box<Actors<'m>>),
    /// `main`: the relations of its rebecs.
    Topology(Relations),
}

/// The relations of the rebecs of `main` that a strategy keeps.
#[derive(Clone, Copy, Debug)]
pub struct Relations {
    detail: Detail,
    /// The reason why the behaviour is not read, where the strategy would.
    unread: Option<&'static str>,
}

/// A coloured graph with the meanings of its vertices.
pub struct ColouredGraph(Drawn);

enum Drawn {
    Behaviour(ActorGraph),
    Topology(Picture),
}

/// The candidates of a graph.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Generators of the proposed group, none of them the identity.
    pub candidates: Vec<ModelPermutation>,
    /// The number of automorphisms; of [`Strategy::Constraint`], the order of the proposed group as it acts on states, 1 where there was no
    /// time to compute it.
    pub order: BigUint,
    /// Whether the time sufficed for all candidates and for the order.
    pub complete: bool,
}

impl<'m> Constraints<'m> {
    /// The part of a verified model that a strategy reads.
    pub fn new(model: &'m Model, properties: &PropertySet, strategy: Strategy) -> Constraints<'m> {
        limits::phase("writing the model as constraints");
        let relations = |detail| Relations { detail, unread: None };
        Constraints::Topology(match strategy {
            Strategy::KnownRebec => relations(Detail::Ordered),
            Strategy::ScalarSet => relations(Detail::Clusters),
            Strategy::ChannelDiagram => relations(Detail::Channels),
            Strategy::Constraint => match Actors::new(model, properties) {
                Ok(actors) => return Constraints::Behaviour(Box::new(actors)),
                Err(large) => Relations { unread: Some(large.0), ..relations(Detail::Clusters) },
            },
        })
    }

    /// The parts of the model that are not represented, in its own names; only the rules of the papers map them.
    pub fn opaque(&self) -> Vec<String> {
        match self {
            Constraints::Behaviour(actors) => actors.opaque(),
            Constraints::Topology(relations) => {
                relations.unread.iter().map(|reason| format!("the model: {reason}")).collect()
            }
        }
    }

    /// The parts with conditions outside the bounds of canonical forms: their text may hide a symmetry.
    pub fn as_written(&self) -> Vec<String> {
        match self {
            Constraints::Behaviour(actors) => actors.as_written(),
            Constraints::Topology(_) => Vec::new(),
        }
    }
}

impl ColouredGraph {
    /// Draws the part of a model that a strategy reads.
    pub fn new(model: &Model, csp: &Constraints<'_>) -> ColouredGraph {
        ColouredGraph::with(model, csp, Switches::default())
    }

    /// As [`ColouredGraph::new`], without the parts of a graph of the behaviour that the switches name.
    pub fn with(model: &Model, csp: &Constraints<'_>, switches: Switches) -> ColouredGraph {
        limits::phase("drawing the graph");
        ColouredGraph(match csp {
            Constraints::Behaviour(actors) => Drawn::Behaviour(ActorGraph::with(actors, switches)),
            Constraints::Topology(relations) => Drawn::Topology(Picture::new(model, relations.detail)),
        })
    }
}

impl AsRef<Graph> for ColouredGraph {
    fn as_ref(&self) -> &Graph {
        match &self.0 {
            Drawn::Behaviour(graph) => &graph.graph,
            Drawn::Topology(picture) => &picture.graph,
        }
    }
}

/// Lifts the automorphisms of the graph of these constraints to the model.
///
/// # Panics
/// If the graph is not one of these constraints.
pub fn candidates(
    model: &Model,
    properties: &PropertySet,
    csp: &Constraints<'_>,
    graph: &ColouredGraph,
    found: &Automorphisms,
) -> Proposal {
    let vertices = graph.as_ref().len();
    let is_inside = |one: &SparsePermutation| one.support().all(|vertex| (vertex as usize) < vertices);
    assert!(found.generators.iter().all(is_inside), "automorphisms move vertices of the graph");
    match (csp, &graph.0) {
        (Constraints::Behaviour(actors), Drawn::Behaviour(graph)) => {
            constraint::candidates(model, properties, actors, graph, found)
        }
        (Constraints::Topology(relations), Drawn::Topology(picture)) => {
            let lifted = found.generators.iter().map(|generator| relations.lifted(model, picture, generator));
            let mut candidates: Vec<_> = lifted.filter(|permutation| !permutation.is_identity()).collect();
            let order = match relations.unread {
                Some(_) => order(model, &mut candidates),
                None => found.report.order.clone(),
            };
            Proposal { candidates, order, complete: found.report.complete }
        }
        _ => panic!("the graph is not one of these constraints"),
    }
}

impl Relations {
    /// An automorphism on the model. Channel diagrams have no positions: rotations are chosen so that the known rebecs fit.
    fn lifted(&self, model: &Model, picture: &Picture, automorphism: &SparsePermutation) -> ModelPermutation {
        let mut lifted = picture.lift(model, automorphism);
        if self.detail == Detail::Channels {
            for rebec in rebecs(model) {
                let own: Vec<_> = sets(model).filter(|&set| has_set(model, rebec, set)).collect();
                topology::fit_rotations(model, &mut lifted, rebec, &own);
            }
        }
        lifted
    }
}

/// The order of the group on states; drops candidates that move nothing there.
fn order(model: &Model, candidates: &mut Vec<ModelPermutation>) -> BigUint {
    let points = Points::covering(model, candidates);
    candidates.retain(|candidate| points.embedded(candidate).is_some_and(|image| !image.is_identity()));
    let embedded = candidates.iter().map(|candidate| points.embed(candidate)).collect();
    Group::from_generators(points.degree(), embedded).map_or_else(|_| BigUint::from(1u32), |group| group.order())
}

/// The candidates of a strategy that keep each invariant and each atomic proposition of these properties.
pub fn detect(model: &Model, properties: &PropertySet, strategy: Strategy) -> Proposal {
    detect_with(model, properties, strategy, Switches::default())
}

/// As [`detect`], without the parts of a graph of the behaviour that the switches name.
pub fn detect_with(model: &Model, properties: &PropertySet, strategy: Strategy, switches: Switches) -> Proposal {
    let csp = Constraints::new(model, properties, strategy);
    let graph = ColouredGraph::with(model, &csp, switches);
    candidates(model, properties, &csp, &graph, &automorphisms(graph.as_ref()))
}

impl Strategy {
    /// The candidates for symmetries of a model without properties.
    pub fn candidates(self, model: &Model) -> Vec<ModelPermutation> {
        detect(model, &PropertySet::default(), self).candidates
    }
}
