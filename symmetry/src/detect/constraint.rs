//! The constraint detector: symmetries read off what servers do, start with and are asked, in any order of known rebecs.
//!
//! The model is written as constraints (`csp::actors`), these are drawn as a coloured graph, and each automorphism of the graph is
//! lifted: rebecs to rebecs, elements and their values to those of the image, servers and parameters likewise. Elements that never
//! change have no vertex and are matched by place. What moves nothing in a state is dropped.
//!
//! Known rebecs are constants of the constraints, so their order is of no account where it is not used; scalar sets are permuted in
//! any way that the bodies allow, not only rotated; flags and positions of arrays move if they are treated alike.
//!
//! Rebecs that `new` makes stay where they are, with their places and values; what servers do with them is part of the graph.
//!
//! Parts that are not represented are named, and there the rules of the papers decide: an opaque server keeps all places in its
//! rebec, and what the scalar-set detector finds and the validator accepts is proposed as well. So the group contains theirs, always.
//!
//! Soundness: candidates only; the validator decides.
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
use crate::property::Asked;
use crate::validate::Validator;

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
    /// The order of the proposed group, as it acts on states; 1 where there was no time to compute it.
    pub order: BigUint,
    /// Whether there was time for all of them and for the order.
    pub complete: bool,
    /// From the model to its constraints.
    pub lower: Duration,
    /// From the constraints to the graph.
    pub graph: Duration,
    /// The automorphisms of the graph.
    pub search: Duration,
    /// The parts of the model that are not represented, in its own names; they are mapped by the rules of the papers only.
    pub opaque: Vec<String>,
    /// The parts with conditions past the bounds of canonical forms: how they are written may hide a symmetry.
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

/// As [`constraint()`], leaving out of the graph what the switches say.
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
    // Without the rules, or without the order, the candidates are what they are.
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

/// Adds what the rules of the papers find beyond some candidates, as far as it is proved: where parts are opaque, and rotations of
/// scalars that no reachable state shows. Drops candidates that move nothing in a state; gives the order of the group.
fn with_rules(model: &Model, properties: &PropertySet, found: &mut Vec<ModelPermutation>) -> BigUint {
    let mut validator = Validator::new(model);
    let asked = Asked::new(model, properties, false);
    let mut proved =
        |permutation: &ModelPermutation| asked.moved_by(permutation).is_none() && validator.check(permutation).is_ok();
    // What is not proved may not fit beside the others on any points.
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

/// What the rules of the papers find, for a model that is not represented as a whole.
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

/// An automorphism of the graph on its way to the model.
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

    /// What the vertex of something goes to; `None` if it has no vertex.
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

    /// The values of an element that change, rebecs aside, ascending.
    fn values(&self, element: ElementId) -> Option<Vec<(Value, Value)>> {
        let mut pairs = Vec::new();
        for (number, &value) in (0..).zip(self.space.values(element)) {
            let Vertex::Literal(target, place) = self.image(Vertex::Literal(element, number))? else { return None };
            pairs.push((value, self.space.values(target)[place as usize]));
        }
        Some(self.completed(element, pairs))
    }

    /// Images of values as the changes of a permutation of all values of the sort: those that never occur go to such ones.
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
        // Servers that nothing sends to go to each other, if possible to themselves.
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
        // Parameters that never change go to each other, if possible to themselves.
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
