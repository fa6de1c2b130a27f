//! The parts of the static topology that a permutation has to keep: known rebecs, arguments and first values.
//!
//! The functions give the parts that are not kept, so that a rejection can name them.
//!
//! Source: \[Jag10\] Definitions 11, 12 and 14, Lemmas 1 and 2.

use std::collections::BTreeSet;

use frontend::model::display::element_name;
use frontend::model::{Dimension, Model, RebecId, ScalarSetId, Value, Variable};

use crate::permutation::{ModelPermutation, rebecs};

/// The members of a known-rebec variable.
type Members<'m> = &'m [Option<RebecId>];

/// The known rebecs of a rebec of `main`, variable by variable, with their elements.
pub(crate) fn known(model: &Model, rebec: RebecId) -> impl Iterator<Item = (&Variable, Members<'_>)> {
    let instance = &model.instances[rebec.index()];
    let count: usize = model.class(instance.class).known().map(Variable::len).sum();
    debug_assert_eq!(instance.known.len(), count, "a binding for each element of known rebecs");
    let mut start = 0;
    model.class(instance.class).known().map(move |variable| {
        let first = start;
        start += variable.len();
        (variable, &instance.known[first..start])
    })
}

/// The known rebecs that the images do not keep: for each the rebec of `main` that should know another one, and the element.
pub(crate) fn moved_known(model: &Model, permutation: &ModelPermutation) -> impl Iterator<Item = (RebecId, String)> {
    rebecs(model).flat_map(move |rebec| {
        let image = permutation.image(rebec);
        known(model, rebec).zip(known(model, image)).flat_map(move |((variable, here), (_, there))| {
            here.iter().enumerate().filter_map(move |(position, target)| {
                let wanted = target.map(|target| permutation.image(target));
                let moved = permutation.position(model, rebec, variable, position);
                let element = || element_name(model, model.class_of(image), variable.offset as usize + moved);
                (there[moved] != wanted).then(|| (image, element()))
            })
        })
    })
}

/// The arguments in `main` that are not kept: for each the image of its rebec, and the parameter.
pub(crate) fn moved_arguments(
    model: &Model,
    permutation: &ModelPermutation,
) -> impl Iterator<Item = (RebecId, String)> {
    rebecs(model).flat_map(move |rebec| {
        let image = permutation.image(rebec);
        let class = model.class(model.class_of(rebec));
        let (here, there) = (&model.instances[rebec.index()].arguments, &model.instances[image.index()].arguments);
        let parameters = class.creation_parameters(model.dialect);
        debug_assert!([here.len(), there.len()] == [parameters.len(); 2], "an argument for each parameter");
        parameters.iter().zip(here).zip(there).filter_map(move |((parameter, here), there)| {
            let moved = here.iter().map(|&value| permutation.value(model, rebec, parameter.sort, value));
            let is_kept = moved.collect::<BTreeSet<Value>>() == there.iter().copied().collect();
            (!is_kept).then(|| (image, parameter.name.clone()))
        })
    })
}

/// A variable whose first values a rotation does not keep.
pub(crate) fn moved_initial(model: &Model, permutation: &ModelPermutation) -> Option<(RebecId, String)> {
    for rebec in rebecs(model).filter(|&rebec| permutation.rotated(rebec).next().is_some()) {
        let class = model.class_of(rebec);
        for variable in &model.class(class).variables {
            for (position, &value) in variable.initial.iter().enumerate() {
                let moved = permutation.position(model, rebec, variable, position);
                if variable.initial[moved] != permutation.value(model, rebec, variable.sort, value) {
                    return Some((rebec, element_name(model, class, variable.offset as usize + moved)));
                }
            }
        }
    }
    None
}

/// Whether the permutation keeps the sets of known rebecs, without positions, and the arguments.
pub(crate) fn keeps_channels(model: &Model, permutation: &ModelPermutation) -> bool {
    let channels = |rebec: RebecId| {
        let targets = model.instances[rebec.index()].known.iter().copied().flatten();
        targets.collect::<BTreeSet<RebecId>>()
    };
    let moved = |rebec: RebecId| channels(rebec).into_iter().map(|target| permutation.image(target)).collect();
    let kept = rebecs(model).all(|rebec| channels(permutation.image(rebec)) == moved(rebec));
    kept && moved_arguments(model, permutation).next().is_none()
}

/// Sets the rotations of a rebec over the given sets to the least ones under which the known rebecs grouped by each set and no other fit.
/// A set without such a rotation is not changed.
pub(crate) fn fit_rotations(model: &Model, permutation: &mut ModelPermutation, rebec: RebecId, sets: &[ScalarSetId]) {
    for &set in sets {
        let image = permutation.image(rebec);
        let lists: Vec<(Members<'_>, Members<'_>)> = known(model, rebec)
            .zip(known(model, image))
            .filter(|((variable, _), _)| variable.dimensions == [Dimension::Scalar(set)])
            .map(|((_, here), (_, there))| (here, there))
            .collect();
        let fits = |amount: usize| {
            lists.iter().all(|(here, there)| {
                let image = |target: &Option<RebecId>| target.map(|target| permutation.image(target));
                here.iter().enumerate().all(|(at, target)| there[(at + amount) % there.len()] == image(target))
            })
        };
        let found = (0..model.scalar_set(set).size()).find(|&amount| fits(amount as usize));
        if let Some(amount) = found {
            permutation.set_rotation(rebec, set, amount);
        }
    }
}
