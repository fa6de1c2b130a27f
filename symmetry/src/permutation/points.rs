//! Model permutations as permutations of points, so that the engine's groups give order, orbits and membership.
//!
//! The points are the rebecs of `main`, then the values of each scalar set of each rebec whose state shows them: a state variable or a
//! parameter has the set as its sort or as an axis. Where only known rebecs are grouped by a set, the image of the rebecs determines the
//! effect of the rotation, so such sets get no points and the embedding is faithful on states.
//!
//! If some permutation has a local map for a rebec, that rebec and its images get other points instead of scalars: one per element
//! that may change and per parameter, one per value of these, and one per server.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use engine::{Permutation, SparsePermutation};
use frontend::interpret::Rebec;
use frontend::model::{Class, Dimension, Model, RebecId, Role, ScalarSetId, ServerId, Sort, Value, Variable};

use rustc_hash::FxHasher;

use super::details::{Detail, Details, name};
use super::{LocalMap, ModelPermutation, Move, ServerMove, has_set, rebecs, sets};
use crate::topology;

/// The points on which permutations of a model act.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Points {
    rebecs: u32,
    /// `(rebec, set, first point, size)`, ascending by rebec, then by set.
    clusters: Vec<(RebecId, ScalarSetId, u32, u32)>,
    details: Details,
    degree: usize,
}

/// Whether states of rebecs of a class show values or positions of a set, other than known rebecs.
fn is_shown(class: &Class, set: ScalarSetId) -> bool {
    let grouped = |variable: &Variable| variable.dimensions.contains(&Dimension::Scalar(set));
    let holds = |variable: &Variable| variable.sort == Sort::Scalar(set);
    let passed = class.servers.iter().flat_map(|server| server.body.parameters());
    class.variables.iter().any(|variable| variable.role == Role::State && (holds(variable) || grouped(variable)))
        || passed.into_iter().any(|parameter| parameter.sort == Sort::Scalar(set))
}

impl Points {
    /// The points of a model, for permutations that consist of images of rebecs and rotations.
    pub fn new(model: &Model) -> Points {
        Points::covering(model, &[])
    }

    /// The points of a model for some permutations and their products.
    pub fn covering(model: &Model, permutations: &[ModelPermutation]) -> Points {
        let count = u32::try_from(model.instances.len()).expect("the rebecs of `main` are bounded");
        let mut details = Details::covering(model, permutations);
        let mut next = count;
        let mut clusters = Vec::new();
        for rebec in rebecs(model).filter(|rebec| !details.rebecs.contains(rebec)) {
            let class = model.class(model.class_of(rebec));
            for set in sets(model).filter(|&set| has_set(model, rebec, set) && is_shown(class, set)) {
                let size = model.scalar_set(set).size();
                clusters.push((rebec, set, next, size));
                next += size;
            }
        }
        details.points = details.list.iter().copied().zip(next..).collect();
        let degree = next as usize + details.list.len();
        debug_assert!(clusters.is_sorted(), "clusters are ascending, for the search in them");
        Points { rebecs: count, clusters, details, degree }
    }

    /// The number of points.
    pub fn degree(&self) -> usize {
        self.degree
    }

    fn first(&self, rebec: RebecId, set: ScalarSetId) -> Option<u32> {
        let found = self.clusters.binary_search_by_key(&(rebec, set), |&(rebec, set, ..)| (rebec, set));
        found.ok().map(|at| self.clusters[at].2)
    }

    /// The point of a value of a scalar set of a rebec, by its place in the set; `None` if states do not show it.
    pub fn scalar(&self, rebec: RebecId, set: ScalarSetId, place: u32) -> Option<u32> {
        self.first(rebec, set).map(|first| first + place)
    }

    /// Whether a rebec has points for its elements, parameters and servers, because a local map may move them.
    pub fn is_detailed(&self, rebec: RebecId) -> bool {
        self.details.rebecs.contains(&rebec)
    }

    /// A number for the local state of a rebec with such points, computed from the values of `word` at its points; `None` for other
    /// rebecs.
    ///
    /// If `word` is constant on orbits of a group, a local state and its image under an element of the group get one number: each
    /// element and argument contributes a summand that depends on the points of its place and of its value.
    pub fn key(&self, model: &Model, owner: RebecId, rebec: &Rebec, word: &dyn Fn(u32) -> u64) -> Option<u64> {
        if !self.is_detailed(owner) {
            return None;
        }
        let point = |detail: Detail| self.details.points.get(&detail).map(|&point| word(point));
        let mixed = |parts: [u64; 2]| {
            let mut hasher = FxHasher::default();
            parts.hash(&mut hasher);
            hasher.finish()
        };
        let value = |value: Value, literal: Detail| match value {
            Value::Rebec(rebec) if rebec.0 < self.rebecs => word(rebec.0),
            _ => point(literal).unwrap_or_else(|| {
                let mut hasher = FxHasher::default();
                value.hash(&mut hasher);
                hasher.finish()
            }),
        };
        let mut sum = 0u64;
        for (place, &held) in (0..).zip(&rebec.values) {
            if let Some(element) = point(Detail::Element(owner, place)) {
                sum = sum.wrapping_add(mixed([element, value(held, Detail::Literal(owner, place, held))]));
            }
        }
        let mut key = mixed([word(owner.0), sum]);
        for message in &rebec.queue {
            let server = message.server;
            let mut sum = 0u64;
            for (place, &held) in (0..).zip(&message.arguments) {
                let parameter = point(Detail::Parameter(owner, server, place)).unwrap_or_default();
                let literal = Detail::Argument(owner, server, place, held);
                sum = sum.wrapping_add(mixed([parameter, value(held, literal)]));
            }
            let sender = if message.sender.0 < self.rebecs { word(message.sender.0) } else { u64::MAX };
            let sent = mixed([point(Detail::Server(owner, server)).unwrap_or_default(), sender]);
            key = mixed([key, mixed([sent, sum])]);
        }
        assert!(rebec.values.len() == model.class(model.class_of(owner)).elements());
        Some(key)
    }

    /// The action of a permutation on the points.
    ///
    /// # Panics
    /// If the permutation is of another model, or moves an object without points.
    pub fn embed(&self, permutation: &ModelPermutation) -> SparsePermutation {
        self.embedded(permutation).expect("a permutation of these points")
    }

    /// The action of a permutation on the points; `None` if it moves an object without points.
    pub fn embedded(&self, permutation: &ModelPermutation) -> Option<SparsePermutation> {
        let is_covered = |rebec: RebecId| permutation.local(rebec).is_none() || self.details.rebecs.contains(&rebec);
        if !(0..self.rebecs).map(RebecId).all(is_covered) {
            return None;
        }
        let mut pairs: Vec<(u32, u32)> =
            (0..self.rebecs).map(|rebec| (rebec, permutation.image(RebecId(rebec)).0)).collect();
        for &(rebec, set, first, size) in &self.clusters {
            let target = self.first(permutation.image(rebec), set)?;
            let amount = permutation.rotation(rebec, set);
            pairs.extend((0..size).map(|value| (first + value, target + super::add(value, amount, size))));
        }
        let locals: BTreeMap<RebecId, LocalMap> =
            self.details.rebecs.iter().map(|&rebec| (rebec, permutation.expanded(rebec))).collect();
        for (detail, &point) in &self.details.points {
            let image = detail.image(permutation, &locals[&detail.rebec()]);
            pairs.push((point, *self.details.points.get(&image)?));
        }
        assert!(pairs.iter().all(|&(from, to)| (from.max(to) as usize) < self.degree), "a permutation moves points");
        SparsePermutation::from_pairs(pairs).ok()
    }

    /// The permutation of the model that acts on the points in this way; `None` if there is none. Sets without points get the least
    /// rotations under which known rebecs fit.
    pub fn lift(&self, model: &Model, permutation: &Permutation) -> Option<ModelPermutation> {
        if permutation.degree() != self.degree {
            return None;
        }
        // The result takes some dozen bytes for each rebec.
        limits::work(permutation.degree() as u64 * 32);
        let images: Vec<RebecId> = (0..self.rebecs).map(|rebec| RebecId(permutation.image(rebec))).collect();
        if images.iter().any(|image| image.0 >= self.rebecs) {
            return None;
        }
        let mut rotations = vec![vec![0; model.scalar_sets.len()]; images.len()];
        for &(rebec, set, first, size) in &self.clusters {
            let target = self.first(images[rebec.index()], set)?;
            let amount = permutation.image(first).checked_sub(target).filter(|&amount| amount < size)?;
            rotations[rebec.index()][set.index()] = amount;
        }
        let mut lifted = ModelPermutation::new(model, images, rotations).ok()?;
        for rebec in rebecs(model) {
            let free = sets(model).filter(|&set| has_set(model, rebec, set) && self.first(rebec, set).is_none());
            let free = free.filter(|_| !self.details.rebecs.contains(&rebec));
            topology::fit_rotations(model, &mut lifted, rebec, &free.collect::<Vec<_>>());
        }
        if !self.details.rebecs.is_empty() {
            let locals: Option<Vec<(RebecId, LocalMap)>> = self
                .details
                .rebecs
                .iter()
                .map(|&rebec| Some((rebec, self.lift_local(model, rebec, lifted.image(rebec), permutation)?)))
                .collect();
            lifted = lifted.with_some_locals(locals?);
            lifted.check(model).ok()?;
            lifted = lifted.simplified(model);
        }
        (self.embedded(&lifted)?.to_dense(self.degree).ok()? == *permutation).then_some(lifted)
    }

    /// The action of a permutation of the points within a rebec.
    fn lift_local(&self, model: &Model, rebec: RebecId, image: RebecId, permutation: &Permutation) -> Option<LocalMap> {
        debug_assert_eq!(model.class_of(rebec), model.class_of(image), "a rebec goes to one of its class");
        let first = self.degree - self.details.list.len();
        let moved = |detail: Detail| {
            let point = permutation.image(*self.details.points.get(&detail)?) as usize;
            self.details.list.get(point.checked_sub(first)?).copied().filter(|detail| detail.rebec() == image)
        };
        let class = model.class(model.class_of(rebec));
        let (known, known_there) = (&model.instances[rebec.index()].known, &model.instances[image.index()].known);
        let (mut own, mut there) = (Vec::new(), Vec::new());
        let mut elements: Vec<Option<Move>> = vec![None; class.elements()];
        let slots = class.known().flat_map(Variable::elements);
        let value = |rebec: &Option<RebecId>| rebec.map_or(Value::Null, Value::Rebec);
        for (slot, (here, over)) in slots.zip(known.iter().zip(known_there)) {
            let place = u32::try_from(slot).ok()?;
            own.push((place, value(here)));
            there.push((place, value(over)));
        }
        own.extend(self.constants_of(class, rebec));
        there.extend(self.constants_of(class, image));
        own.sort_unstable();
        there.sort_unstable();
        for (&detail, _) in self.details.points.range(Detail::Element(rebec, 0)..=Detail::Element(rebec, u32::MAX)) {
            let (Detail::Element(_, place), Some(Detail::Element(_, target))) = (detail, moved(detail)) else {
                return None;
            };
            elements[place as usize] = Some(Move { target, values: Vec::new() });
        }
        let literals =
            Detail::Literal(rebec, 0, Value::Bool(false))..=Detail::Literal(rebec, u32::MAX, Value::Scalar(i32::MAX));
        for (&detail, _) in self.details.points.range(literals) {
            let (Detail::Literal(_, place, from), Some(Detail::Literal(_, _, to))) = (detail, moved(detail)) else {
                return None;
            };
            let values = &mut elements[place as usize].as_mut()?.values;
            if from != to {
                values.push((from, to));
            }
        }
        let mut servers = Vec::new();
        for (server, id) in class.servers.iter().zip((0..).map(ServerId)) {
            let Some(Detail::Server(_, target)) = moved(Detail::Server(rebec, id)) else { return None };
            let mut parameters = Vec::new();
            for (place, _) in (0..).zip(server.body.parameters()) {
                let Some(Detail::Parameter(_, _, to)) = moved(Detail::Parameter(rebec, id, place)) else { return None };
                let all = Detail::Argument(rebec, id, place, Value::Bool(false))
                    ..=Detail::Argument(rebec, id, place, Value::Scalar(i32::MAX));
                let mut values = Vec::new();
                for (&detail, _) in self.details.points.range(all) {
                    let (Detail::Argument(_, _, _, from), Some(Detail::Argument(_, _, _, to))) =
                        (detail, moved(detail))
                    else {
                        return None;
                    };
                    if from != to {
                        values.push((from, to));
                    }
                }
                parameters.push(Move { target: to, values });
            }
            servers.push(ServerMove { target, parameters });
        }
        Some(LocalMap { elements, own, image: there, servers })
    }

    /// The elements of a rebec that never change, except known rebecs.
    fn constants_of(&self, class: &Class, rebec: RebecId) -> Vec<(u32, Value)> {
        let known: Vec<usize> = class.known().flat_map(Variable::elements).collect();
        let own = self.details.constants.range((rebec, 0)..=(rebec, u32::MAX));
        own.map(|(&(_, place), &value)| (place, value))
            .filter(|&(place, _)| !known.contains(&(place as usize)))
            .collect()
    }

    /// The name of a point: a rebec, `rebec.set=value`, or an element, parameter or server of a rebec, with or without a value.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn name(&self, model: &Model, point: u32) -> String {
        if point < self.rebecs {
            return model.rebec_name(RebecId(point));
        }
        let first = self.degree - self.details.list.len();
        if let Some(place) = (point as usize).checked_sub(first) {
            return name(model, self.details.list[place]);
        }
        let at = self.clusters.partition_point(|&(_, _, first, _)| first <= point) - 1;
        let (rebec, set, first, size) = self.clusters[at];
        assert!(point - first < size, "a point of the model");
        let set = model.scalar_set(set);
        format!("{}.{}={}", model.rebec_name(rebec), set.name, i64::from(set.low) + i64::from(point - first))
    }

    /// The cycles of a permutation on elements, parameters, servers and their values, in names of the model, without those that only
    /// follow the rebecs.
    pub(crate) fn data_cycles(&self, model: &Model, permutation: &ModelPermutation) -> Vec<Vec<String>> {
        let first = self.degree - self.details.list.len();
        let detail = |point: u32| (point as usize).checked_sub(first).map(|place| self.details.list[place]);
        // The part of a point's meaning that a permutation keeps if it moves nothing but rebecs.
        let within = |detail: Detail| match detail {
            Detail::Element(_, place) => (place, 0, None),
            Detail::Literal(.., value) => (0, 0, Some(value)),
            Detail::Server(_, server) => (0, server.0, None),
            Detail::Parameter(_, _, place) => (place, 0, None),
            Detail::Argument(.., value) => (0, 0, Some(value)),
        };
        let cycles = self.embed(permutation).cycles().into_iter();
        let cycles = cycles.filter(|cycle| {
            let details: Vec<Detail> = cycle.iter().filter_map(|&point| detail(point)).collect();
            details.len() == cycle.len() && details.windows(2).any(|pair| within(pair[0]) != within(pair[1]))
        });
        cycles.map(|cycle| cycle.iter().map(|&point| self.name(model, point)).collect()).collect()
    }
}
