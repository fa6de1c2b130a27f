//! The constraint detector: it finds the symmetries of the behaviour, the initial states and the properties, for any order of known
//! rebecs.
//!
//! The detector writes the model as constraints (`csp::actors`), draws these as a coloured graph, and lifts each automorphism of the
//! graph: rebecs are mapped to rebecs, elements and their values to those of the image, and servers and parameters likewise. Elements
//! that never change have no vertex and are matched by place. Candidates that move nothing in a state are dropped.
//!
//! Known rebecs are constants of the constraints, so their order does not matter where the behaviour does not use it. Scalar sets are
//! permuted in any way that the bodies allow, not only rotated. Flags and positions of arrays move if the bodies treat them alike.
//!
//! Rebecs that `new` creates stay fixed, with their places and values; the use that servers make of them is part of the graph.
//!
//! The detector reports the parts that it cannot represent. For these the rules of the papers decide: an opaque server keeps all places
//! in its rebec, and the detector also proposes the candidates of the scalar-set detector that the validator accepts. The group therefore
//! always contains the group of these rules.
//!
//! Soundness: it only proposes candidates; the validator decides.
//!
//! Source: \[Zha13\] IV with the corrections of `csp::actors`.

use std::time::{Duration, Instant};

use csp::actors::graph::Vertex;
use csp::actors::{ActorGraph, Actors, Domain, ElementId, Holder, Space, Switches};
use engine::{Group, SparsePermutation};
use frontend::model::{Model, PropertySet, RebecId, ServerId, Sort, Value};
use num_bigint::BigUint;

use super::graph::{Detail, Picture};
use super::{Detector, Proposal, ScalarSets, searched};
use crate::permutation::{LocalMap, ModelPermutation, Move, Points, ServerMove, rebecs};
use crate::property::PropertyKeys;
use crate::validate::Validator;

/// The detector of symmetries of the constraints that bodies, topology, initial states and properties make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constraint;

/// The candidates of the constraint detector, with sizes and times.
#[derive(Clone, Debug)]
pub struct ConstraintDetection {
    /// Generators of the proposed group, none of them the identity.
    pub candidates: Vec<ModelPermutation>,
    /// The vertices of the graph.
    pub vertices: usize,
    /// The edges of the graph.
    pub edges: usize,
    /// The order of the proposed group, as it acts on states; 1 where there was no time to compute it.
    pub order: BigUint,
    /// Whether the time sufficed for all candidates and for the order.
    pub complete: bool,
    /// The time from the model to its constraints.
    pub lower: Duration,
    /// The time from the constraints to the graph.
    pub graph: Duration,
    /// The time of the automorphism search.
    pub search: Duration,
    /// The parts of the model that are not represented, in its own names; only the rules of the papers map them.
    pub opaque: Vec<String>,
    /// The parts with conditions outside the bounds of canonical forms: their text may hide a symmetry.
    pub as_written: Vec<String>,
}

impl Detector for Constraint {
    fn name(&self) -> &'static str {
        "constraint"
    }

    fn propose(&self, model: &Model) -> Proposal {
        let ConstraintDetection { candidates, vertices, edges, order, complete, graph, search, .. } =
            constraint(model, &PropertySet::default());
        Proposal { candidates, vertices, edges, order, complete, graph, search }
    }
}

/// Finds the symmetries of a verified model that keep each invariant and each atomic proposition of these properties.
pub fn constraint(model: &Model, properties: &PropertySet) -> ConstraintDetection {
    constraint_with(model, properties, Switches::default())
}

/// As [`constraint()`], without the parts of the graph that the switches name.
pub fn constraint_with(model: &Model, properties: &PropertySet, switches: Switches) -> ConstraintDetection {
    let start = Instant::now();
    limits::phase("writing the model as constraints");
    let actors = match Actors::new(model, properties) {
        Ok(actors) => actors,
        Err(error) => return by_rules(model, error.0),
    };
    let lowered = Instant::now();
    limits::phase("drawing the graph");
    let graph = ActorGraph::with(&actors, switches);
    let drawn = Instant::now();
    let mut candidates = Vec::new();
    let report = searched(&graph.graph, &mut |generator| {
        candidates.extend(Lift { space: &actors.space, graph: &graph, generator }.permutation(model));
    });
    let search = drawn.elapsed();
    let (opaque, as_written) = (actors.opaque(), actors.as_written());
    candidates.retain(|permutation| !permutation.is_identity());
    let mut all = candidates.clone();
    let with_rules = || {
        let order = with_rules(model, properties, &mut all);
        (all, order)
    };
    // Without the rules, or without the order, the candidates stay unchanged.
    let (candidates, order, with_rules) = match limits::share(1, 3, with_rules) {
        Ok((candidates, order)) => (candidates, order, true),
        Err(_) => (candidates, BigUint::from(1u32), false),
    };
    ConstraintDetection {
        order,
        complete: report.complete && with_rules,
        candidates,
        vertices: graph.graph.len(),
        edges: graph.graph.edge_count(),
        lower: lowered - start,
        graph: drawn - lowered,
        search,
        opaque,
        as_written,
    }
}

/// Adds the candidates that the rules of the papers find in addition and that the validator proves: where parts are opaque, and rotations
/// of scalars that no reachable state shows. Drops candidates that move nothing in a state; returns the order of the group.
fn with_rules(model: &Model, properties: &PropertySet, found: &mut Vec<ModelPermutation>) -> BigUint {
    let mut validator = Validator::new(model);
    let property_keys = PropertyKeys::new(model, properties, false);
    let mut proved = |permutation: &ModelPermutation| {
        property_keys.moved_by(permutation).is_none() && validator.check(permutation).is_ok()
    };
    // A candidate that is not proved may not be compatible with the others on any points.
    let rules: Vec<ModelPermutation> = ScalarSets.candidates(model).into_iter().filter(|rule| proved(rule)).collect();
    let all: Vec<ModelPermutation> = found.iter().chain(&rules).cloned().collect();
    let points = Points::covering(model, &all);
    let (mut embedded, mut kept) = (Vec::new(), Vec::new());
    for candidate in found.drain(..) {
        let image = points.embedded(&candidate).filter(|image| !image.is_identity());
        let Some(image) = image else { continue };
        embedded.push(image);
        kept.push(candidate);
    }
    *found = kept;
    let group = Group::from_generators(points.degree(), embedded).expect("points are within the degree");
    let is_new = |rule: &ModelPermutation| points.embedded(rule).is_some_and(|image| !group.contains_sparse(&image));
    let new: Vec<ModelPermutation> = rules.into_iter().filter(is_new).collect();
    if new.is_empty() {
        return group.order();
    }
    found.extend(new);
    order(model, found)
}

/// The candidates of the rules of the papers, for a model that cannot be represented as a whole.
fn by_rules(model: &Model, reason: &str) -> ConstraintDetection {
    let start = Instant::now();
    let picture = Picture::new(model, Detail::Clusters);
    let drawn = start.elapsed();
    let mut candidates = ScalarSets.candidates(model);
    ConstraintDetection {
        order: order(model, &mut candidates),
        candidates,
        complete: true,
        vertices: picture.graph.len(),
        edges: picture.graph.edge_count(),
        lower: Duration::ZERO,
        graph: drawn,
        search: start.elapsed() - drawn,
        opaque: vec![format!("the model: {reason}")],
        as_written: Vec::new(),
    }
}

/// The order of the group on states; drops candidates that move nothing there.
fn order(model: &Model, candidates: &mut Vec<ModelPermutation>) -> BigUint {
    let points = Points::covering(model, candidates);
    candidates.retain(|candidate| points.embedded(candidate).is_some_and(|image| !image.is_identity()));
    let embedded = candidates.iter().map(|candidate| points.embed(candidate)).collect();
    Group::from_generators(points.degree(), embedded).map_or_else(|_| BigUint::from(1u32), |group| group.order())
}

/// The lift of an automorphism of the graph to the model.
struct Lift<'a, 'm> {
    space: &'a Space<'m>,
    graph: &'a ActorGraph,
    generator: &'a SparsePermutation,
}

impl Lift<'_, '_> {
    fn permutation(&self, model: &Model) -> Option<ModelPermutation> {
        let image = |rebec| match self.image(Vertex::Rebec(rebec)) {
            Some(Vertex::Rebec(image)) => Some(image),
            _ => None,
        };
        let images: Vec<RebecId> = rebecs(model).map(image).collect::<Option<_>>()?;
        let locals = rebecs(model).map(|rebec| self.local(rebec, images[rebec.index()]));
        let locals: Vec<LocalMap> = locals.collect::<Option<_>>()?;
        ModelPermutation::with_locals(model, images, locals).ok()
    }

    /// The image of a vertex; `None` if the graph does not have the vertex.
    fn image(&self, vertex: Vertex) -> Option<Vertex> {
        let vertex = self.graph.vertex(vertex)?;
        Some(self.graph.vertices[self.generator.image(vertex) as usize])
    }

    fn local(&self, rebec: RebecId, image: RebecId) -> Option<LocalMap> {
        let space = self.space;
        let class = space.class(rebec);
        let mut elements = Vec::new();
        for place in 0..class.elements() {
            let element = space.state(rebec, place);
            elements.push(match self.image(Vertex::Element(element)) {
                None => None,
                Some(Vertex::Element(target)) => match space.element(target).holder {
                    Holder::State(owner, target_place) if owner == image => {
                        Some(Move { target: target_place, values: self.values(element)? })
                    }
                    _ => return None,
                },
                Some(_) => return None,
            });
        }
        Some(LocalMap {
            elements,
            own: self.constants(rebec),
            image: self.constants(image),
            servers: self.servers(rebec, image)?,
        })
    }

    /// The elements of a rebec that never change.
    fn constants(&self, rebec: RebecId) -> Vec<(u32, Value)> {
        let elements = 0..self.space.class(rebec).elements();
        let constant = |place: usize| {
            let element = self.space.state(rebec, place);
            let value =
                self.space.constant(element).filter(|_| self.graph.vertex(Vertex::Element(element)).is_none())?;
            Some((u32::try_from(place).ok()?, value))
        };
        elements.filter_map(constant).collect()
    }

    /// The images of the values of an element, ascending; `None` if a value has no image.
    fn values(&self, element: ElementId) -> Option<Vec<(Value, Value)>> {
        let mut pairs = Vec::new();
        for (number, &value) in (0..).zip(self.space.values(element)) {
            let Vertex::Literal(target, place) = self.image(Vertex::Literal(element, number))? else { return None };
            pairs.push((value, self.space.values(target)[place as usize]));
        }
        Some(self.completed(element, pairs))
    }

    /// Completes images of values to a permutation of all values of the sort: values that never occur are mapped to such values.
    fn completed(&self, element: ElementId, mut pairs: Vec<(Value, Value)>) -> Vec<(Value, Value)> {
        if let Sort::Bool | Sort::Scalar(_) = self.space.element(element).sort
            && let Domain::Values(all) = self.space.universe(self.space.element(element).sort)
        {
            for own_first in [true, false] {
                for &value in &all {
                    let found = all.iter().copied().find(|&other| {
                        (other == value) >= own_first && !pairs.iter().any(|&(_, taken)| taken == other)
                    });
                    if let Some(other) = found
                        && !pairs.iter().any(|&(known, _)| known == value)
                    {
                        pairs.push((value, other));
                    }
                }
            }
        }
        pairs.retain(|&(value, image)| value != image && !matches!(value, Value::Rebec(_)));
        pairs.sort_unstable();
        pairs
    }

    fn servers(&self, rebec: RebecId, image: RebecId) -> Option<Vec<ServerMove>> {
        let space = self.space;
        let all = || (0..space.class(rebec).servers.len()).map(ServerId::from_index);
        let mut targets: Vec<Option<ServerId>> = Vec::new();
        for server in all() {
            targets.push(match self.image(Vertex::Instance(space.instance(rebec, server))) {
                None => None,
                Some(Vertex::Instance(target)) => Some(space.meaning(target).1),
                Some(_) => return None,
            });
        }
        let sorts = |rebec: RebecId, server: ServerId| {
            let instance = space.instance(rebec, server);
            (0..space.arity(instance))
                .map(|number| space.element(space.parameter(instance, number)).sort)
                .collect::<Vec<_>>()
        };
        // Servers whose messages are never sent are mapped to each other, if possible to themselves.
        for own_first in [true, false] {
            for server in all().filter(|server| !space.is_live(space.instance(rebec, *server))) {
                if targets[server.index()].is_some() {
                    continue;
                }
                let found = all().find(|&target| {
                    (target == server) >= own_first
                        && !space.is_live(space.instance(image, target))
                        && !targets.contains(&Some(target))
                        && sorts(rebec, server) == sorts(image, target)
                });
                targets[server.index()] = found;
            }
        }
        let moves = all().zip(targets).map(|(server, target)| {
            Some(ServerMove { target: target?, parameters: self.parameters((rebec, server), (image, target?))? })
        });
        moves.collect()
    }

    fn parameters(&self, here: (RebecId, ServerId), there: (RebecId, ServerId)) -> Option<Vec<Move>> {
        let space = self.space;
        let (instance, target) = (space.instance(here.0, here.1), space.instance(there.0, there.1));
        let mut moves: Vec<Option<Move>> = Vec::new();
        for place in 0..space.arity(instance) {
            let parameter = space.parameter(instance, place);
            moves.push(match self.image(Vertex::Element(parameter)) {
                None => None,
                Some(Vertex::Element(image)) => match space.element(image).holder {
                    Holder::Parameter(owner, position) if owner == target => {
                        Some(Move { target: position, values: self.values(parameter)? })
                    }
                    _ => return None,
                },
                Some(_) => return None,
            });
        }
        // Parameters that never change are mapped to each other, if possible to themselves.
        for own_first in [true, false] {
            for place in 0..moves.len() {
                if moves[place].is_some() {
                    continue;
                }
                let parameter = space.parameter(instance, place);
                let found = (0..space.arity(target)).find(|&other| {
                    let image = space.parameter(target, other);
                    (other == place) >= own_first
                        && self.graph.vertex(Vertex::Element(image)).is_none()
                        && space.element(image).sort == space.element(parameter).sort
                        && !moves.iter().flatten().any(|moved| moved.target as usize == other)
                });
                let Some(found) = found else { continue };
                let (value, image) = (space.constant(parameter), space.constant(space.parameter(target, found)));
                let values = self.completed(parameter, value.zip(image).into_iter().collect());
                moves[place] = Some(Move { target: u32::try_from(found).ok()?, values });
            }
        }
        moves.into_iter().collect()
    }
}
