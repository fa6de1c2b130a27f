//! Splits a working graph into connected components and finds the isomorphic ones.
//!
//! Components of an equitable graph that share a cell and have equally many vertices have equally many vertices of every cell, so these
//! two numbers sort them. Components without two vertices of one colour are then isomorphic by colour; a search compares the others
//! (`isomorphism`).

use super::Context;
use super::isomorphism::Matcher;
use super::working::Working;
use crate::automorphisms::Emitter;
use crate::graph::{Graph, index};

/// Pairs of original vertices, ascending by the first.
pub(crate) type PointMap = Vec<(u32, u32)>;

/// A class of isomorphic components.
pub(crate) struct ComponentClass {
    /// The first component of the class, unless it has no automorphisms because its colours are distinct.
    pub(crate) representative: Option<Working>,
    /// For each other component, `(point, image)` from the original vertices of the first, ascending.
    pub(crate) copies: Vec<PointMap>,
}

impl ComponentClass {
    /// Emits the exchanges of neighbouring copies; with `emit_base` also base points that hold all copies in place.
    pub(crate) fn exchange_copies(&self, emitter: &mut Emitter<'_>, emit_base: bool) {
        for (place, copy) in self.copies.iter().enumerate() {
            let mut pairs = Vec::with_capacity(2 * copy.len());
            for (at, &(point, image)) in copy.iter().enumerate() {
                let other = if place == 0 { point } else { self.copies[place - 1][at].1 };
                pairs.push((other, image));
                pairs.push((image, other));
            }
            if emit_base {
                emitter.emit_base(pairs[0].0);
            }
            emitter.emit(pairs);
        }
    }
}

/// The classes of components of a graph with equitable colours, or `None` when it is connected.
pub(crate) fn classify(working: &Working, context: &mut Context<'_, '_>) -> Option<Vec<ComponentClass>> {
    let graph = &working.graph;
    let components = components(working)?;
    assert_eq!(components.iter().map(Vec::len).sum::<usize>(), graph.len(), "components partition the vertices");
    let mut local = vec![0; graph.len()];
    for component in &components {
        for (number, &v) in component.iter().enumerate() {
            local[v as usize] = index(number);
        }
    }
    let key = |component: &[u32]| (graph.colour(component[0]), component.len());
    let mut order: Vec<&[u32]> = components.iter().map(Vec::as_slice).collect();
    order.sort_by_key(|component| key(component));
    let mut classes = Vec::new();
    for alike in order.chunk_by(|a, b| key(a) == key(b)) {
        if alike[0].windows(2).all(|pair| graph.colour(pair[0]) != graph.colour(pair[1])) {
            classes.push(rigid_class(working, alike));
        } else {
            classes.extend(searched_classes(working, alike, &local, context));
        }
    }
    Some(classes)
}

/// The vertices of each component by colour, or `None` when there is only one.
fn components(working: &Working) -> Option<Vec<Vec<u32>>> {
    let graph = &working.graph;
    let (labels, count) = label(graph);
    if count < 2 {
        return None;
    }
    let mut components = vec![Vec::new(); count];
    let cells = working.cells();
    for cell in 0..index(cells.len()) {
        for &v in cells.cell(cell) {
            components[labels[v as usize] as usize].push(v);
        }
    }
    Some(components)
}

/// The number of the component of every vertex, and the number of components.
fn label(graph: &Graph) -> (Vec<u32>, usize) {
    let mut labels = vec![u32::MAX; graph.len()];
    let mut count = 0;
    let mut stack = Vec::new();
    for root in graph.vertices() {
        if labels[root as usize] != u32::MAX {
            continue;
        }
        labels[root as usize] = index(count);
        stack.push(root);
        while let Some(v) = stack.pop() {
            for &u in graph.neighbours(v) {
                if labels[u as usize] == u32::MAX {
                    labels[u as usize] = index(count);
                    stack.push(u);
                }
            }
        }
        count += 1;
    }
    debug_assert!(labels.iter().all(|&label| (label as usize) < count), "every vertex has a component");
    (labels, count)
}

/// The class of components whose vertices all have distinct colours: equitable colours make them isomorphic.
fn rigid_class(working: &Working, alike: &[&[u32]]) -> ComponentClass {
    debug_assert!(alike.iter().all(|other| other.len() == alike[0].len()), "alike components have one size");
    let first = alike[0];
    let copies = alike[1..].iter().map(|other| point_map(working, first.iter().zip(other.iter()))).collect();
    ComponentClass { representative: None, copies }
}

/// The classes found by searching for isomorphisms to the representatives so far.
fn searched_classes(
    working: &Working,
    alike: &[&[u32]],
    local: &[u32],
    context: &mut Context<'_, '_>,
) -> Vec<ComponentClass> {
    let mut classes: Vec<(Matcher, &[u32], Vec<PointMap>)> = Vec::new();
    for &component in alike {
        let induced = working.induced(component, local);
        let mut is_new = true;
        for (matcher, first, copies) in &mut classes {
            if let Some(pairs) = matcher.find(&induced.graph, &mut context.certifier, context.budget) {
                let vertices = pairs.iter().map(|&(a, b)| (&first[a as usize], &component[b as usize]));
                copies.push(point_map(working, vertices));
                is_new = false;
                break;
            }
        }
        if is_new {
            classes.push((Matcher::new(induced, alike.len() > 1), component, Vec::new()));
        }
    }
    classes
        .into_iter()
        .map(|(matcher, _, copies)| ComponentClass { representative: Some(matcher.into_working()), copies })
        .collect()
}

/// A map of vertices as pairs of original vertices, ascending by the first.
fn point_map<'a>(working: &Working, vertices: impl Iterator<Item = (&'a u32, &'a u32)>) -> PointMap {
    let mut pairs = Vec::new();
    for (&from, &to) in vertices {
        debug_assert_eq!(working.block(from).len(), working.block(to).len(), "blocks of one colour have one size");
        pairs.extend(working.block(from).iter().copied().zip(working.block(to).iter().copied()));
    }
    pairs.sort_unstable();
    pairs
}
