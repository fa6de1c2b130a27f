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

use csp::Automorphisms;
use csp::actors::graph::Vertex;
use csp::actors::{ActorGraph, Actors, Domain, ElementId, Holder, InstanceId, Space};
use engine::{Group, SparsePermutation};
use frontend::model::{Model, PropertySet, RebecId, ServerId, Sort, Value};
use num_bigint::BigUint;

use super::{Proposal, order};
use crate::permutation::{LocalMap, ModelPermutation, Move, Points, ServerMove, distinct, rebecs};
use crate::property::PropertyKeys;
use crate::strategy::Strategy;
use crate::validate::Validator;

/// Lifts automorphisms of the graph of a behaviour, and adds candidates of the rules.
pub(super) fn candidates(
    model: &Model,
    properties: &PropertySet,
    actors: &Actors<'_>,
    graph: &ActorGraph,
    found: &Automorphisms,
) -> Proposal {
    let lift = |generator| Lift { space: &actors.space, graph, generator }.permutation(model);
    let lifted = found.generators.iter().filter_map(lift);
    let candidates: Vec<_> = lifted.filter(|permutation| !permutation.is_identity()).collect();
    let mut all = candidates.clone();
    // Without the rules, or without the order, the candidates stay unchanged.
    match limits::share(1, 3, || with_rules(model, properties, &mut all)) {
        Ok(order) => Proposal { candidates: all, order, complete: found.report.complete },
        Err(_) => Proposal { candidates, order: BigUint::from(1u32), complete: false },
    }
}

/// Adds the candidates that the rules of the papers find in addition and that the validator proves: where parts are opaque, and rotations
/// of scalars that no reachable state shows. Drops candidates that move nothing in a state; returns the order of the group.
fn with_rules(model: &Model, properties: &PropertySet, found: &mut Vec<ModelPermutation>) -> BigUint {
    let points = Points::covering(model, found);
    let mut embedded = Vec::new();
    found.retain(|candidate| {
        let image = points.embedded(candidate).filter(|image| !image.is_identity());
        image.map(|image| embedded.push(image)).is_some()
    });
    let group = Group::from_generators(points.degree(), embedded).expect("points are within the degree");
    let is_new = |rule: &ModelPermutation| points.embedded(rule).is_none_or(|image| !group.contains_sparse(&image));
    let mut rules: Vec<ModelPermutation> = Strategy::ScalarSet.candidates(model).into_iter().filter(is_new).collect();
    if !rules.is_empty() {
        // A candidate that is not proved may not be compatible with the others on any points.
        let mut validator = Validator::new(model);
        let property_keys = PropertyKeys::new(model, properties, false);
        rules.retain(|rule| property_keys.moved_by(rule).is_none() && validator.check(rule).is_ok());
    }
    if rules.is_empty() {
        return group.order();
    }
    found.extend(rules);
    order(model, found)
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
        debug_assert!(distinct(pairs.iter().map(|pair| pair.0)), "a value has one image");
        debug_assert!(distinct(pairs.iter().map(|pair| pair.1)), "two values have one image");
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
            Some(ServerMove {
                target: target?,
                parameters: self.parameters(space.instance(rebec, server), space.instance(image, target?))?,
            })
        });
        moves.collect()
    }

    /// The moves of the parameters of an instance to those of another.
    fn parameters(&self, instance: InstanceId, target: InstanceId) -> Option<Vec<Move>> {
        let space = self.space;
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
