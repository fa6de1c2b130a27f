//! The points of rebecs with local maps: elements, parameters and servers, with the values that they show.
//!
//! [`Details`] collects the points of a list of permutations, closed under these. Booleans and scalars have one point per value, other
//! elements one per value that moves. Elements that never change have none.

use std::collections::{BTreeMap, BTreeSet};

use frontend::model::display::element_name;
use frontend::model::{Model, RebecId, Role, ServerId, Sort, Value};

use super::{LocalMap, ModelPermutation, Move, ServerMove, rebecs};

/// A point of a rebec with local maps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Detail {
    /// An element of its variables.
    Element(RebecId, u32),
    /// A value of such an element.
    Literal(RebecId, u32, Value),
    /// A server.
    Server(RebecId, ServerId),
    /// A parameter of such a server.
    Parameter(RebecId, ServerId, u32),
    /// A value of such a parameter.
    Argument(RebecId, ServerId, u32, Value),
}

/// The local map of a rebec under a permutation, with a move for every element.
struct Expanded<'p> {
    permutation: &'p ModelPermutation,
    rebec: RebecId,
    local: LocalMap,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Details {
    /// The rebecs that have such points.
    pub(super) rebecs: BTreeSet<RebecId>,
    /// The elements that never change, with their values.
    pub(super) constants: BTreeMap<(RebecId, u32), Value>,
    pub(super) points: BTreeMap<Detail, u32>,
    pub(super) list: Vec<Detail>,
}

/// The values of a sort that need no list of their own.
fn universe(model: &Model, sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Scalar(set) => (model.scalar_set(set).low..=model.scalar_set(set).high).map(Value::Scalar).collect(),
        _ => Vec::new(),
    }
}

impl Details {
    /// The points that the local maps of these permutations and of their products move.
    pub(super) fn covering(model: &Model, permutations: &[ModelPermutation]) -> Details {
        let mut details = Details::default();
        let with_local = |rebec: RebecId| permutations.iter().any(|found| found.local(rebec).is_some());
        details.rebecs = rebecs(model).filter(|&rebec| with_local(rebec)).collect();
        while let Some(new) = details.rebecs.iter().find_map(|&rebec| {
            permutations.iter().map(|found| found.image(rebec)).find(|image| !details.rebecs.contains(image))
        }) {
            details.rebecs.insert(new);
        }
        let moves: Vec<Expanded<'_>> = permutations
            .iter()
            .flat_map(|found| {
                details.rebecs.iter().map(move |&rebec| Expanded {
                    permutation: found,
                    rebec,
                    local: found.expanded(rebec),
                })
            })
            .collect();
        details.constants(&moves);
        let mut found: BTreeSet<Detail> = BTreeSet::new();
        for &rebec in &details.rebecs {
            let class = model.class(model.class_of(rebec));
            let elements = class.variables.iter().flat_map(|variable| variable.elements().map(move |_| variable));
            for (place, variable) in (0..).zip(elements) {
                if variable.role == Role::State && !details.constants.contains_key(&(rebec, place)) {
                    found.insert(Detail::Element(rebec, place));
                    let values = universe(model, variable.sort).into_iter();
                    found.extend(values.map(|value| Detail::Literal(rebec, place, value)));
                }
            }
            for (server, id) in class.servers.iter().zip((0..).map(ServerId)) {
                found.insert(Detail::Server(rebec, id));
                for (place, parameter) in (0..).zip(server.body.parameters()) {
                    found.insert(Detail::Parameter(rebec, id, place));
                    let values = universe(model, parameter.sort).into_iter();
                    found.extend(values.map(|value| Detail::Argument(rebec, id, place, value)));
                }
            }
        }
        for Expanded { rebec, local, .. } in &moves {
            for (place, moved) in (0..).zip(&local.elements).filter_map(|(place, moved)| Some((place, moved.as_ref()?)))
            {
                if found.contains(&Detail::Element(*rebec, place)) {
                    found.extend(moved.values.iter().map(|&(from, _)| Detail::Literal(*rebec, place, from)));
                }
            }
            for (server, id) in local.servers.iter().zip((0..).map(ServerId)) {
                for (place, moved) in (0..).zip(&server.parameters) {
                    found.extend(moved.values.iter().map(|&(from, _)| Detail::Argument(*rebec, id, place, from)));
                }
            }
        }
        // Closes the points under the maps.
        loop {
            let images: Vec<Detail> = moves
                .iter()
                .flat_map(|Expanded { permutation, rebec, local }| {
                    let own = found.iter().filter(|detail| detail.rebec() == *rebec);
                    own.map(|detail| detail.image(permutation, local)).collect::<Vec<_>>()
                })
                .collect();
            let before = found.len();
            found.extend(images);
            if found.len() == before {
                break;
            }
        }
        details.list = found.into_iter().collect();
        details
    }

    fn constants(&mut self, moves: &[Expanded<'_>]) {
        for Expanded { permutation, rebec, local } in moves {
            let image = permutation.image(*rebec);
            self.constants.extend(local.own.iter().map(|&(place, value)| ((*rebec, place), value)));
            self.constants.extend(local.image.iter().map(|&(place, value)| ((image, place), value)));
        }
        loop {
            let mut new = Vec::new();
            for Expanded { permutation, rebec, local } in moves {
                for (place, moved) in (0..).zip(&local.elements) {
                    let Some(moved) = moved else { continue };
                    let Some(&value) = self.constants.get(&(*rebec, place)) else { continue };
                    let target = (permutation.image(*rebec), moved.target);
                    if !self.constants.contains_key(&target) {
                        new.push((target, moved.value(value, &|rebec| permutation.image(rebec))));
                    }
                }
            }
            if new.is_empty() {
                return;
            }
            self.constants.extend(new);
        }
    }
}

impl Detail {
    pub(super) fn rebec(self) -> RebecId {
        match self {
            Detail::Element(rebec, _)
            | Detail::Literal(rebec, ..)
            | Detail::Server(rebec, _)
            | Detail::Parameter(rebec, ..)
            | Detail::Argument(rebec, ..) => rebec,
        }
    }

    pub(super) fn image(self, permutation: &ModelPermutation, local: &LocalMap) -> Detail {
        let rebec = permutation.image(self.rebec());
        let images = |rebec| permutation.image(rebec);
        let element = |place: u32| local.elements[place as usize].clone().unwrap_or_else(|| Move::stay(place as usize));
        match self {
            Detail::Element(_, place) => Detail::Element(rebec, element(place).target),
            Detail::Literal(_, place, value) => {
                let moved = element(place);
                Detail::Literal(rebec, moved.target, moved.value(value, &images))
            }
            Detail::Server(_, server) => Detail::Server(rebec, local.servers[server.index()].target),
            Detail::Parameter(_, server, place) => {
                let ServerMove { target, parameters } = &local.servers[server.index()];
                Detail::Parameter(rebec, *target, parameters[place as usize].target)
            }
            Detail::Argument(_, server, place, value) => {
                let ServerMove { target, parameters } = &local.servers[server.index()];
                let moved = &parameters[place as usize];
                Detail::Argument(rebec, *target, moved.target, moved.value(value, &images))
            }
        }
    }
}

/// The name of a point.
pub(super) fn name(model: &Model, detail: Detail) -> String {
    let value = |value: Value| match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) | Value::Scalar(value) => value.to_string(),
        Value::Rebec(rebec) => model.rebec_name(rebec),
        Value::Null => "null".to_owned(),
        Value::Undefined => "undefined".to_owned(),
    };
    let element = |rebec: RebecId, place: u32| {
        format!("{}.{}", model.rebec_name(rebec), element_name(model, model.class_of(rebec), place as usize))
    };
    let server = |rebec: RebecId, server: ServerId| {
        let class = model.class(model.class_of(rebec));
        format!("{}.{}", model.rebec_name(rebec), class.servers[server.index()].name)
    };
    let parameter = |rebec: RebecId, id: ServerId, place: u32| {
        let class = model.class(model.class_of(rebec));
        let parameter = &class.servers[id.index()].body.parameters()[place as usize];
        format!("{}.{}", server(rebec, id), parameter.name)
    };
    match detail {
        Detail::Element(rebec, place) => element(rebec, place),
        Detail::Literal(rebec, place, held) => format!("{}={}", element(rebec, place), value(held)),
        Detail::Server(rebec, id) => server(rebec, id),
        Detail::Parameter(rebec, id, place) => parameter(rebec, id, place),
        Detail::Argument(rebec, id, place, held) => format!("{}={}", parameter(rebec, id, place), value(held)),
    }
}
