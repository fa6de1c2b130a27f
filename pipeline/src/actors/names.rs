//! Groups of Rebeca models in the names of the model.

use checker::{GeneratorNames, GroupNames};
use engine::SparsePermutation;
use frontend::model::{Model, RebecId, ScalarSetId};
use symmetry::{ModelPermutation, ValidatedGroup, kind, rules};

use crate::detection::{Proof, Rejected, gap};

/// The proof of a group.
pub(super) fn proof(model: &Model, group: &ValidatedGroup) -> Proof {
    let rejected = group.rejected().iter().map(|rejected| Rejected {
        cycles: cycles(model, &rejected.permutation),
        witness: rejected.reason.witness(model),
        is_open: rejected.reason.is_undecided(),
    });
    let embedded: Vec<SparsePermutation> =
        group.generators().iter().map(|generator| group.points().embed(generator)).collect();
    Proof {
        model_order: group.model_order().to_string(),
        exact: group.is_exact(),
        keeps_instances: true,
        rejected: rejected.collect(),
        gap: gap(&embedded, &|point| group.points().name(model, point)),
        stopped: group.stopped(),
    }
}

/// A group in the names of the model.
pub(super) fn names(model: &Model, group: &ValidatedGroup) -> GroupNames {
    let generators = group.generators().iter().map(|generator| GeneratorNames {
        cycles: cycles(model, generator),
        kind: kind(generator).name(),
        rules: rules(model, generator).into_iter().map(symmetry::Rule::name).collect(),
    });
    GroupNames {
        structure: symmetry::group::name(group.group()).to_string(),
        generators: generators.collect(),
        orbits: group.orbits(model),
    }
}

/// The cycles of rebecs, then the rotations of scalar sets as cycles of their values, `rebec.set=value`, then the
/// cycles of elements, values and servers that do not follow from the cycles of their rebecs.
fn cycles(model: &Model, permutation: &ModelPermutation) -> Vec<Vec<String>> {
    let rebecs = permutation.cycles().into_iter();
    let mut cycles: Vec<Vec<String>> =
        rebecs.map(|cycle| cycle.into_iter().map(|rebec| model.rebec_name(rebec)).collect()).collect();
    let mut seen = std::collections::BTreeSet::new();
    for rebec in (0..model.instances.len()).map(RebecId::from_index) {
        for set in (0..model.scalar_sets.len()).map(ScalarSetId::from_index) {
            for value in 0..model.scalar_set(set).size() {
                let cycle = value_cycle(model, permutation, rebec, set, value);
                let turns = cycle.iter().any(|&(at, _)| permutation.rotation(at, set) != 0);
                if turns && cycle.iter().all(|&(at, value)| seen.insert((at, set, value))) {
                    let scalar = model.scalar_set(set);
                    let name = |(at, value): (RebecId, u32)| {
                        let value = i64::from(scalar.low) + i64::from(value);
                        format!("{}.{}={value}", model.rebec_name(at), scalar.name)
                    };
                    cycles.push(cycle.into_iter().map(name).collect());
                }
            }
        }
    }
    cycles.extend(permutation.data_cycles(model));
    cycles
}

/// The cycle of a value of a scalar set of a rebec.
fn value_cycle(
    model: &Model,
    permutation: &ModelPermutation,
    rebec: RebecId,
    set: ScalarSetId,
    value: u32,
) -> Vec<(RebecId, u32)> {
    let size = model.scalar_set(set).size();
    let mut cycle = vec![(rebec, value)];
    loop {
        let (at, value) = cycle[cycle.len() - 1];
        let next = (permutation.image(at), (value + permutation.rotation(at, set)) % size);
        if next == cycle[0] {
            return cycle;
        }
        assert!(cycle.len() < model.instances.len() * size as usize, "a value comes back by a permutation");
        cycle.push(next);
    }
}
