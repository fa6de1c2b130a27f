//! `detect` on Rebeca models.

use std::time::{Duration, Instant};

use engine::SparsePermutation;
use frontend::model::{Model, PropertySet, RebecId, ScalarSetId};
use symmetry::{
    ChannelDiagram, ConstraintDetection, Detector, KnownRebec, ModelPermutation, Proposal, ScalarSets, Strategy,
    ValidatedGroup, kind, rules,
};

use checker::{GeneratorNames, GroupNames};

use crate::language::detection::{Detection, GraphSize, Rejected, Seconds, gap};

/// Finds and proves the symmetries of a model.
pub(super) fn detect(model: &Model, properties: &PropertySet, strategy: Strategy) -> Detection {
    let (mut lower, mut opaque, mut as_written) = (Duration::ZERO, Vec::new(), Vec::new());
    let Proposal { candidates, vertices, edges, order, graph, search } = match strategy {
        Strategy::KnownRebec => KnownRebec.propose(model),
        Strategy::ScalarSet => ScalarSets.propose(model),
        Strategy::ChannelDiagram => ChannelDiagram.propose(model),
        Strategy::Constraint => {
            let found = symmetry::detect::constraint(model, properties);
            (lower, opaque, as_written) = (found.lower, found.opaque, found.as_written);
            let ConstraintDetection { candidates, vertices, edges, order, graph, search, .. } = found;
            Proposal { candidates, vertices, edges, order, graph, search }
        }
    };
    let started = Instant::now();
    let group = ValidatedGroup::new(model, properties, candidates);
    let validate = started.elapsed().as_secs_f64();
    let GroupNames { structure, generators, orbits } = names(model, &group);
    let rejected = group.rejected().iter().map(|rejected| Rejected {
        cycles: cycles(model, &rejected.permutation),
        witness: rejected.reason.witness(model),
    });
    let embedded: Vec<SparsePermutation> =
        group.generators().iter().map(|generator| group.points().embed(generator)).collect();
    Detection {
        order: group.order().to_string(),
        model_order: group.model_order().to_string(),
        structure,
        exact: group.is_exact(),
        generators,
        orbits,
        graph: GraphSize { vertices, edges, order: order.to_string() },
        rejected: rejected.collect(),
        opaque,
        parametric: Vec::new(),
        as_written,
        seconds: Seconds {
            lower: lower.as_secs_f64(),
            graph: graph.as_secs_f64(),
            search: search.as_secs_f64(),
            validate,
        },
        gap: gap(&embedded, &|point| group.points().name(model, point)),
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
        structure: group.group().name().to_string(),
        generators: generators.collect(),
        orbits: group.orbits(model),
    }
}

/// The cycles of rebecs, then those of the values of scalar sets that turn, `rebec.set=value`, then those of elements, values and
/// servers that do more than follow their rebecs.
fn cycles(model: &Model, permutation: &ModelPermutation) -> Vec<Vec<String>> {
    let rebecs = permutation.cycles().into_iter();
    let mut cycles: Vec<Vec<String>> =
        rebecs.map(|cycle| cycle.into_iter().map(|rebec| model.rebec_name(rebec)).collect()).collect();
    let mut seen = std::collections::BTreeSet::new();
    for rebec in (0..model.instances.len()).map(RebecId::from_index) {
        for set in (0..model.scalar_sets.len()).map(ScalarSetId::from_index) {
            for value in 0..model.scalar_set(set).size() {
                let cycle = value_cycle(model, permutation, (rebec, set, value));
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
    (rebec, set, value): (RebecId, ScalarSetId, u32),
) -> Vec<(RebecId, u32)> {
    let size = model.scalar_set(set).size();
    let mut cycle = vec![(rebec, value)];
    loop {
        let (at, value) = cycle[cycle.len() - 1];
        let next = (permutation.image(at), (value + permutation.rotation(at, set)) % size);
        if next == cycle[0] {
            return cycle;
        }
        cycle.push(next);
    }
}
