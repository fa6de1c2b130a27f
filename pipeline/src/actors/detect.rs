//! `detect` on Rebeca models.

use std::time::{Duration, Instant};

use engine::SparsePermutation;
use frontend::model::{Model, PropertySet, RebecId, ScalarSetId};
use symmetry::{
    ChannelDiagram, ConstraintDetection, Detector, KnownRebec, ModelPermutation, Proposal, ScalarSets, Strategy,
    ValidatedGroup, kind, rules,
};

use checker::{GeneratorNames, GroupNames};

use crate::detection::{Detection, GraphSize, Rejected, Seconds, cut_off, gap};
use crate::line::GRACE;

/// Finds and proves the symmetries of a model.
pub(super) fn detect(model: &Model, properties: &PropertySet, strategy: Strategy) -> Detection {
    let found = limits::watch().run(|| {
        let (proposal, parts) = proposed(model, properties, strategy);
        let started = Instant::now();
        let group = ValidatedGroup::new(model, properties, proposal.candidates.clone());
        Proved { proposal, parts, group, validate: started.elapsed() }
    });
    let describing = || found.map(|found| describe(model, found));
    limits::watch().or_afterwards(GRACE).run(describing).flatten().unwrap_or_else(Detection::nothing)
}

/// The proposal of a strategy.
fn proposed(model: &Model, properties: &PropertySet, strategy: Strategy) -> (Proposal, Parts) {
    let mut parts = Parts::default();
    let proposal = match strategy {
        Strategy::KnownRebec => KnownRebec.propose(model),
        Strategy::ScalarSet => ScalarSets.propose(model),
        Strategy::ChannelDiagram => ChannelDiagram.propose(model),
        Strategy::Constraint => {
            let found = symmetry::detect::constraint(model, properties);
            parts = Parts { lower: found.lower, opaque: found.opaque, as_written: found.as_written };
            let ConstraintDetection { candidates, vertices, edges, order, complete, graph, search, .. } = found;
            Proposal { candidates, vertices, edges, order, complete, graph, search }
        }
    };
    (proposal, parts)
}

/// The description of the constraints of a model in a detection.
#[derive(Default)]
struct Parts {
    lower: Duration,
    opaque: Vec<String>,
    as_written: Vec<String>,
}

/// A proposal with the group of its proved symmetries.
struct Proved {
    proposal: Proposal,
    parts: Parts,
    group: ValidatedGroup,
    validate: Duration,
}

/// The findings, in the names of the model.
fn describe(model: &Model, Proved { proposal, parts, group, validate }: Proved) -> Detection {
    let Proposal { vertices, edges, order, complete, graph, search, .. } = proposal;
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
        exact: group.is_exact() && complete,
        generators,
        orbits,
        graph: GraphSize { vertices, edges, order: order.to_string() },
        rejected: rejected.collect(),
        opaque: parts.opaque,
        parametric: Vec::new(),
        as_written: parts.as_written,
        seconds: Seconds {
            lower: parts.lower.as_secs_f64(),
            graph: graph.as_secs_f64(),
            search: search.as_secs_f64(),
            validate: validate.as_secs_f64(),
        },
        gap: gap(&embedded, &|point| group.points().name(model, point)),
        stopped: cut_off(complete && group.stopped().is_none()),
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
        cycle.push(next);
    }
}
