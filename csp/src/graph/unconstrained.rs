//! Elements that no constraint mentions, and the choice of those among them that the graph draws.
//!
//! An unconstrained element keeps one value for ever, so any permutation of unconstrained elements is a symmetry, and none of them carries information.
//! An unconstrained element moves only where other elements determine its image: a diagonal of a matrix moves with the rows and columns, an array
//! that no guard reads moves with the processes that index it, whatever different constants it holds: the value moves with the element, but
//! that of a wide one stays the same. Such an element is drawn, joined to its indices; all others are left out
//! and stay fixed.
//!
//! # Soundness
//!
//! The image of an element that is drawn is a function of the images of the elements that constraints mention. In an array of several
//! dimensions each of its indices is joined to an element of the same array that is constrained, whose image determines that of the index;
//! elements with the same indices are the same. In an array of one dimension its index is the argument of an event, joined to an element
//! of another array that is constrained, and its colour names its array. So no symmetry is counted twice because unconstrained elements move in
//! two ways. The decision whether a candidate is a symmetry does not use the graph.

use frontend::sequential::{ExprKind, Sequential, SortId, Variable};
use rustc_hash::FxHashSet;

use super::Ties;
use crate::csp::Csp;

/// The treatment of an element in the drawing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Treatment {
    /// A constraint mentions it.
    Constrained,
    /// It moves with its indices.
    Moved,
    /// It moves with its index, within its array, given by position.
    MovedWithin(usize),
    /// It stays fixed.
    Unconstrained,
}

/// The treatment of each element. Without ties there are no vertices for indices, and with those of arrays none for arguments.
pub(super) fn treatments(model: &Sequential, csp: &Csp, used: &FxHashSet<usize>, ties: Ties) -> Vec<Treatment> {
    let constrained: Vec<bool> =
        (csp.elements.iter().enumerate()).map(|(at, element)| element.values.len() > 1 || used.contains(&at)).collect();
    let treatment = |constrained: &bool| if *constrained { Treatment::Constrained } else { Treatment::Unconstrained };
    let mut treatments: Vec<Treatment> = constrained.iter().map(treatment).collect();
    assert_eq!(treatments.len(), model.state_len(), "the constraints have every element");
    if ties == Ties::None {
        return treatments;
    }
    let sorts = if ties == Ties::Names { argument_sorts(model, csp) } else { Vec::new() };
    // The values of sorts of arguments that an element distinguishes.
    let mut distinguished: FxHashSet<(SortId, i32)> = FxHashSet::default();
    for variable in &model.variables {
        let places: Vec<(usize, Vec<i32>)> =
            (variable.offset..variable.offset + model.len_of(variable)).map(|at| (at, model.element(at).1)).collect();
        let mut anchored: Vec<FxHashSet<i32>> = vec![FxHashSet::default(); variable.indices.len()];
        for (_, indices) in places.iter().filter(|(at, _)| constrained[*at]) {
            indices.iter().zip(&mut anchored).for_each(|(&index, anchored)| {
                anchored.insert(index);
            });
        }
        for (&sort, values) in variable.indices.iter().zip(&anchored).filter(|(sort, _)| sorts.contains(sort)) {
            distinguished.extend(values.iter().map(|&value| (sort, value)));
        }
        if variable.indices.len() > 1 {
            let is_moved =
                |indices: &[i32]| indices.iter().zip(&anchored).all(|(index, anchored)| anchored.contains(index));
            for (at, _) in places.iter().filter(|(at, indices)| !constrained[*at] && is_moved(indices)) {
                treatments[*at] = Treatment::Moved;
            }
        }
    }
    let is_row = |variable: &&Variable| variable.indices.len() == 1;
    for (place, variable) in model.variables.iter().enumerate().filter(|(_, variable)| is_row(variable)) {
        let sort = variable.indices[0];
        for (value, at) in model.domain(sort).values().zip(variable.offset..) {
            if !constrained[at] && distinguished.contains(&(sort, value)) {
                treatments[at] = Treatment::MovedWithin(place);
            }
        }
    }
    treatments
}

/// The sorts of parameters that are arguments of events.
pub(super) fn argument_sorts(model: &Sequential, csp: &Csp) -> Vec<SortId> {
    let mut sorts: Vec<SortId> = Vec::new();
    for instance in &csp.instances {
        let summand = model.summand(instance.summand);
        for argument in &summand.arguments {
            let ExprKind::Parameter(id) = argument.kind else { continue };
            let sort = summand.parameters[id.index()].sort;
            if !sorts.contains(&sort) {
                sorts.push(sort);
            }
        }
    }
    sorts
}
