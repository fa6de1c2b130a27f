//! Who knows whom: the rebecs of `main` and their known rebecs.

use std::collections::BTreeMap;

use frontend::model::{Model, Role};

use super::words;
use crate::language::pictures::Topology;

/// The rebecs of `main` as nodes, their known rebecs as edges; parallel edges become one with several names.
pub(crate) fn topology(model: &Model) -> Topology {
    let mut edges: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for (index, instance) in model.instances.iter().enumerate() {
        let elements = words::elements(model, instance.class).into_iter();
        let known = elements.filter(|element| element.role == Role::Known).zip(&instance.known);
        for (element, target) in known {
            if let &Some(target) = target {
                edges.entry((index, target.index())).or_default().push(element.name);
            }
        }
    }
    let nodes = model.instances.iter();
    let nodes = nodes.map(|instance| (instance.name.clone(), model.class(instance.class).name.clone()));
    Topology { nodes: nodes.collect(), edges: edges.into_iter().map(|((from, to), names)| (from, to, names)).collect() }
}
