//! [`LocalMap`]: the map of the variables and messages of one rebec to those of its image, where rotations do not suffice.
//!
//! Each variable element has a place at the image and each of its values an image; rebecs among the values move with the images of
//! rebecs. Elements that never change are given by their values on both sides. Servers and their parameters have places too.
//!
//! [`Shape`] is the part of a model that is needed to write rotations in this form.
//!
//! Invariants: places are bijections; value maps list values that move, ascending, and permute them or map them to those of the other
//! element; `own` and `image` list elements that no place mentions.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use frontend::model::{Class, Dimension, Model, RebecId, ScalarSet, ScalarSetId, Server, ServerId, Sort, Value};

use super::{add, distinct};

/// The place of an element or parameter at the image, and the images of its values.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Move {
    /// The element or parameter of the image.
    pub target: u32,
    /// The images of values that change, except rebecs, ascending.
    pub values: Vec<(Value, Value)>,
}

/// The elements of a rebec that belong to a scalar set and to no other.
#[derive(Clone, Copy)]
pub(super) struct Part<'m> {
    pub model: &'m Model,
    pub rebec: RebecId,
    pub set: ScalarSetId,
}

/// The place of a server at the image.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ServerMove {
    /// The server of the image.
    pub target: ServerId,
    /// One move per parameter.
    pub parameters: Vec<Move>,
}

/// The map of the variables and messages of a rebec to those of its image.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalMap {
    /// One move per element; `None` for one that never changes.
    pub elements: Vec<Option<Move>>,
    /// The elements that never change, with their values.
    pub own: Vec<(u32, Value)>,
    /// The elements of the image that never change, with their values.
    pub image: Vec<(u32, Value)>,
    /// One move per server.
    pub servers: Vec<ServerMove>,
}

impl Move {
    /// The move that fixes an element with all its values.
    pub fn stay(place: usize) -> Move {
        Move { target: u32::try_from(place).expect("elements are bounded"), values: Vec::new() }
    }

    /// The image of a value.
    pub fn value(&self, value: Value, images: &dyn Fn(RebecId) -> RebecId) -> Value {
        if let Value::Rebec(rebec) = value {
            return Value::Rebec(images(rebec));
        }
        match self.values.binary_search_by_key(&value, |&(from, _)| from) {
            Ok(at) => self.values[at].1,
            Err(_) => value,
        }
    }

    /// Whether another move, with more values, does the same on the values of this one; a map does not cover values that never occur.
    fn does(&self, other: &Move) -> bool {
        self.target == other.target && self.values == other.values
    }

    fn then(&self, next: &Move, images: &dyn Fn(RebecId) -> RebecId) -> Move {
        let mut values: Vec<(Value, Value)> =
            self.values.iter().map(|&(from, to)| (from, next.value(to, images))).collect();
        for &(from, to) in &next.values {
            let is_hit = self.values.iter().any(|&(_, hit)| hit == from);
            let is_moved = self.values.iter().any(|&(moved, _)| moved == from);
            if !is_hit && !is_moved {
                values.push((from, to));
            }
        }
        values.retain(|(from, to)| from != to);
        values.sort_unstable();
        Move { target: next.target, values }
    }

    fn inverse(&self, place: usize) -> Move {
        let mut values: Vec<(Value, Value)> = self.values.iter().map(|&(from, to)| (to, from)).collect();
        values.sort_unstable();
        Move { values, ..Move::stay(place) }
    }
}

/// For each place the inverse of the move whose target is this place.
fn inverse(moves: &[Move]) -> Vec<Move> {
    let mut undone = moves.to_vec();
    debug_assert!(distinct(moves.iter().map(|moved| moved.target)), "two places have one target");
    for (place, moved) in moves.iter().enumerate() {
        undone[moved.target as usize] = moved.inverse(place);
    }
    undone
}

/// Whether the moves have different targets below a bound, and map different values to different ones.
fn is_bijection<'l>(moves: impl Iterator<Item = &'l Move>, fixed: impl Iterator<Item = u32>, count: usize) -> bool {
    let mut seen = vec![false; count];
    let mut take = |place: u32| seen.get_mut(place as usize).is_some_and(|seen| !std::mem::replace(seen, true));
    let mut right = true;
    for moved in moves {
        let mut images: Vec<Value> = moved.values.iter().map(|&(_, to)| to).collect();
        images.sort_unstable();
        right &= take(moved.target)
            && images.windows(2).all(|pair| pair[0] < pair[1])
            && moved.values.windows(2).all(|pair| pair[0].0 < pair[1].0);
    }
    for place in fixed {
        right &= take(place);
    }
    right && seen.into_iter().all(|seen| seen)
}

impl LocalMap {
    /// Whether this is a map of a class onto itself.
    pub(super) fn fits(&self, class: &Class) -> bool {
        let places: Vec<usize> = (0..self.elements.len()).filter(|&place| self.elements[place].is_none()).collect();
        let own = self.own.iter().map(|&(place, _)| place as usize);
        let kept = own.eq(places);
        let same = |one: &[Sort], moves: &[Move], other: &[Sort]| {
            moves.iter().zip(one).all(|(moved, sort)| other.get(moved.target as usize) == Some(sort))
        };
        let sorts: Vec<Sort> =
            class.variables.iter().flat_map(|variable| vec![variable.sort; variable.len()]).collect();
        let moves = || self.elements.iter().flatten();
        let mut targets = vec![false; class.servers.len()];
        kept && self.elements.len() == sorts.len()
            && self.servers.len() == class.servers.len()
            && is_bijection(moves(), self.image.iter().map(|&(place, _)| place), sorts.len())
            && self
                .elements
                .iter()
                .zip(&sorts)
                .all(|(moved, sort)| moved.as_ref().is_none_or(|moved| sorts.get(moved.target as usize) == Some(sort)))
            && self.servers.iter().zip(&class.servers).all(|(moved, server)| {
                let sorts = |server: &Server| {
                    server.body.parameters().iter().map(|parameter| parameter.sort).collect::<Vec<_>>()
                };
                let Some(target) = class.servers.get(moved.target.index()) else { return false };
                let (here, there) = (sorts(server), sorts(target));
                let is_new = !std::mem::replace(&mut targets[moved.target.index()], true);
                is_new
                    && here.len() == there.len()
                    && moved.parameters.len() == here.len()
                    && is_bijection(moved.parameters.iter(), std::iter::empty(), here.len())
                    && same(&here, &moved.parameters, &there)
            })
    }

    /// Whether another map, which moves every element, does the same; if a part is given, only on the elements of it.
    pub(super) fn agrees(&self, other: &LocalMap, images: &dyn Fn(RebecId) -> RebecId, only: Option<Part<'_>>) -> bool {
        let is_compared = |place: usize| {
            let Some(Part { model, rebec, set }) = only else { return true };
            let variables = &model.class(model.class_of(rebec)).variables;
            let variable = variables.iter().find(|variable| variable.elements().contains(&place));
            variable.is_some_and(|variable| {
                let by_set = variable.dimensions.iter().all(|&axis| axis == Dimension::Scalar(set));
                let is_scalar = matches!(variable.sort, Sort::Scalar(_));
                by_set && (!is_scalar || variable.sort == Sort::Scalar(set))
            })
        };
        let there = |place: u32| self.image.iter().find(|&&(other, _)| other == place).map(|&(_, value)| value);
        let constants = self.own.iter().filter(|&&(place, _)| is_compared(place as usize)).all(|&(place, value)| {
            let Some(moved) = &other.elements[place as usize] else { return false };
            there(moved.target) == Some(moved.value(value, images))
        });
        let elements = self.elements.iter().zip(&other.elements).enumerate();
        constants
            && elements.filter(|&(place, (moved, _))| moved.is_some() && is_compared(place)).all(
                |(_, (moved, other))| moved.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| one.does(other)),
            )
            && (only.is_some()
                || self.servers.iter().zip(&other.servers).all(|(one, other)| {
                    one.target == other.target
                        && one.parameters.iter().zip(&other.parameters).all(|(one, other)| one.does(other))
                }))
    }

    /// Whether the map fixes all places, and changes values only by the images of rebecs.
    pub fn is_plain(&self, images: &dyn Fn(RebecId) -> RebecId) -> bool {
        let stays = |place: usize, moved: &Move| moved.target as usize == place && moved.values.is_empty();
        let moved = |value| Move::stay(0).value(value, images);
        let kept = self.own.iter().map(|&(place, value)| (place, moved(value)));
        self.elements.iter().enumerate().all(|(place, moved)| moved.as_ref().is_none_or(|moved| stays(place, moved)))
            && kept.eq(self.image.iter().copied())
            && self.servers.iter().enumerate().all(|(place, server)| {
                let parameters = &mut server.parameters.iter().enumerate();
                server.target.index() == place && parameters.all(|(place, moved)| stays(place, moved))
            })
    }

    /// This map followed by that of the image. The functions are those of the permutations to which the maps belong; the last one is the
    /// inverse of the first.
    pub fn then(
        &self,
        next: &LocalMap,
        further: &dyn Fn(RebecId) -> RebecId,
        back: &dyn Fn(RebecId) -> RebecId,
    ) -> LocalMap {
        let (mut own, mut image) = (self.own.clone(), next.image.clone());
        debug_assert_eq!(self.elements.len(), next.elements.len(), "both map rebecs of one class");
        let elements = self.elements.iter().enumerate().map(|(place, moved)| {
            let moved = moved.as_ref()?;
            let Some(after) = &next.elements[moved.target as usize] else {
                let known = next.own.iter().find(|&&(element, _)| element == moved.target);
                let undone = known.map(|&(_, value)| moved.inverse(place).value(value, back));
                own.extend(undone.map(|value| (Move::stay(place).target, value)));
                return None;
            };
            Some(moved.then(after, further))
        });
        let elements = elements.collect();
        for &(element, value) in &self.image {
            if let Some(after) = &next.elements[element as usize] {
                image.push((after.target, after.value(value, further)));
            }
        }
        debug_assert_eq!(own.len(), image.len(), "as many elements never change on both sides");
        own.sort_unstable();
        image.sort_unstable();
        let servers = self.servers.iter().map(|server| {
            let after = &next.servers[server.target.index()];
            let parameters =
                server.parameters.iter().map(|moved| moved.then(&after.parameters[moved.target as usize], further));
            ServerMove { target: after.target, parameters: parameters.collect() }
        });
        LocalMap { elements, own, image, servers: servers.collect() }
    }

    /// The inverse map, which belongs to the image.
    pub fn inverse(&self) -> LocalMap {
        let mut elements = vec![None; self.elements.len()];
        let targets = self.elements.iter().flatten().map(|moved| moved.target);
        debug_assert!(distinct(targets.chain(self.image.iter().map(|one| one.0))), "two elements have one image");
        debug_assert!(distinct(self.servers.iter().map(|server| server.target)), "two servers have one image");
        for (place, moved) in self.elements.iter().enumerate() {
            if let Some(moved) = moved {
                elements[moved.target as usize] = Some(moved.inverse(place));
            }
        }
        let mut servers = self.servers.clone();
        for (place, server) in self.servers.iter().enumerate() {
            servers[server.target.index()] =
                ServerMove { target: ServerId::from_index(place), parameters: inverse(&server.parameters) };
        }
        LocalMap { elements, own: self.image.clone(), image: self.own.clone(), servers }
    }
}

/// A variable: sort and axes of its elements.
#[derive(Clone, Debug)]
struct Axes {
    sort: Sort,
    dimensions: Vec<Dimension>,
    offset: usize,
    len: usize,
}

#[derive(Clone, Debug)]
struct ClassShape {
    variables: Vec<Axes>,
    servers: Vec<Vec<Sort>>,
}

/// Scalar sets and classes of a model, to write rotations as local maps. All shapes count as equal.
#[derive(Clone, Debug)]
pub(super) struct Shape(Arc<(Vec<ScalarSet>, Vec<ClassShape>, Owners)>);

/// The classes of the rebecs of `main`, and of those that `new` creates.
type Owners = (Vec<usize>, Vec<usize>);

impl PartialEq for Shape {
    fn eq(&self, _: &Shape) -> bool {
        true
    }
}

impl Eq for Shape {}

impl PartialOrd for Shape {
    fn partial_cmp(&self, other: &Shape) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Shape {
    fn cmp(&self, _: &Shape) -> Ordering {
        Ordering::Equal
    }
}

impl Hash for Shape {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Shape {
    pub(super) fn new(model: &Model) -> Shape {
        let classes = model.classes.iter().map(|class| ClassShape {
            variables: class
                .variables
                .iter()
                .map(|variable| Axes {
                    sort: variable.sort,
                    dimensions: variable.dimensions.clone(),
                    offset: variable.offset as usize,
                    len: variable.len(),
                })
                .collect(),
            servers: class
                .servers
                .iter()
                .map(|server| server.body.parameters().iter().map(|parameter| parameter.sort).collect())
                .collect(),
        });
        let owners = model.instances.iter().map(|instance| instance.class.index());
        let creatable = model.creatable.iter().map(|class| class.index()).collect();
        Shape(Arc::new((model.scalar_sets.clone(), classes.collect(), (owners.collect(), creatable))))
    }

    /// Rotations of the sets of a rebec as a local map.
    pub(super) fn expand(&self, rebec: RebecId, rotations: &[u32]) -> LocalMap {
        let (sets, classes, (owners, creatable)) = &*self.0;
        debug_assert!(rotations.iter().zip(sets).all(|(&amount, set)| amount < set.size()), "rotations are reduced");
        let class = match owners.get(rebec.index()) {
            Some(&class) => &classes[class],
            None => &classes[creatable[(rebec.index() - owners.len()) % creatable.len()]],
        };
        let values = |sort: Sort| match sort {
            Sort::Scalar(set) if rotations[set.index()] != 0 => {
                let bounds = &sets[set.index()];
                let value = |position: u32| {
                    Value::Scalar(i32::try_from(i64::from(bounds.low) + i64::from(position)).expect("within the set"))
                };
                let moved = |position| add(position, rotations[set.index()], bounds.size());
                (0..bounds.size()).map(|position| (value(position), value(moved(position)))).collect()
            }
            _ => Vec::new(),
        };
        let extent = |dimension: &Dimension| match dimension {
            Dimension::Array(len) => (*len as usize, 0),
            Dimension::Scalar(set) => (sets[set.index()].size() as usize, rotations[set.index()] as usize),
        };
        let mut elements = Vec::new();
        for variable in &class.variables {
            for position in 0..variable.len {
                let (mut rest, mut stride, mut target) = (position, 1, 0);
                for dimension in variable.dimensions.iter().rev() {
                    let (len, amount) = extent(dimension);
                    target += (rest % len + amount) % len * stride;
                    rest /= len;
                    stride *= len;
                }
                elements.push(Some(Move { values: values(variable.sort), ..Move::stay(variable.offset + target) }));
            }
        }
        let servers = class.servers.iter().enumerate().map(|(place, parameters)| {
            let moves = parameters.iter().enumerate();
            let moves = moves.map(|(place, &sort)| Move { values: values(sort), ..Move::stay(place) });
            ServerMove { target: ServerId::from_index(place), parameters: moves.collect() }
        });
        LocalMap { elements, own: Vec::new(), image: Vec::new(), servers: servers.collect() }
    }
}
