//! `detect` on sequential processes.

use std::time::{Duration, Instant};

use csp::Detected;
use csp::csp::Part;
use frontend::sequential::{Property, Sequential};
use symmetry::Strategy;
use symmetry::sequential::{Names, ValidatedGroup, rules};

use checker::{GeneratorNames, GroupNames};

use crate::detection::{Detection, GraphSize, Rejected, Seconds, Undetected, cut_off, gap};
use crate::line::GRACE;

use super::candidates::candidates;

/// Finds and proves the symmetries of a process.
pub(super) fn detect(model: &Sequential, properties: &[Property], strategy: Strategy) -> Result<Detection, Undetected> {
    if strategy != Strategy::Constraint {
        let message =
            format!("`{strategy}` reads the topology of Rebeca models, and the model is a sequential process");
        return Err(Undetected::NotApplicable(message));
    }
    // Candidates preserve each atom of a formula; they also preserve an assertion as a whole.
    let found = limits::watch().run(|| {
        let found = candidates(model, properties).map_err(|large| Undetected::TooLarge(large.to_string()))?;
        let started = Instant::now();
        let group = ValidatedGroup::with_moves(model, properties, found.generators.clone(), &found.moves);
        Ok((found, group, started.elapsed()))
    });
    let (found, group, validate) = match found {
        Ok(found) => found?,
        Err(stopped) => return Ok(Detection::nothing(stopped)),
    };
    let describing = || detection_of(model, &found, &group, validate);
    Ok(limits::watch().or_afterwards(GRACE).run(describing).unwrap_or_else(Detection::nothing))
}

/// The findings, in the names of the process.
fn detection_of(model: &Sequential, found: &Detected, group: &ValidatedGroup, validate: Duration) -> Detection {
    let names = Names::new(model, group);
    let GroupNames { structure, generators, orbits } = self::names(model, group);
    let rejected = group.rejected().iter().map(|rejected| Rejected {
        cycles: names.describe(&rejected.permutation).cycles,
        witness: rejected.reason.to_string(),
    });
    Detection {
        order: group.order().to_string(),
        model_order: group.model_order().to_string(),
        structure,
        exact: group.is_exact() && found.report.complete && found.has_graph(),
        generators,
        orbits,
        graph: GraphSize {
            vertices: found.graph.graph.len(),
            edges: found.graph.graph.edge_count(),
            order: found.report.order.to_string(),
        },
        rejected: rejected.collect(),
        opaque: found.csp.opaque.iter().map(|opaque| opaque.part.name(model)).collect(),
        parametric: found.moves.summands.iter().map(|&id| Part::Summand(id).name(model)).collect(),
        as_written: found.csp.as_written.iter().map(|part| part.name(model)).collect(),
        seconds: Seconds {
            lower: found.seconds.lower.as_secs_f64(),
            graph: found.seconds.graph.as_secs_f64(),
            search: (found.seconds.search + found.seconds.project).as_secs_f64(),
            validate: validate.as_secs_f64(),
        },
        gap: gap(group.generators(), &|point| names.point(point)),
        stopped: cut_off(found.report.complete && group.stopped().is_none()),
    }
}

/// A group in the names of the process.
pub(super) fn names(model: &Sequential, group: &ValidatedGroup) -> GroupNames {
    let names = Names::new(model, group);
    let generators = group.generators().iter().map(|generator| {
        let described = names.describe(generator);
        let rules = rules(model, &described);
        GeneratorNames { cycles: described.cycles, kind: described.kind.name(), rules }
    });
    GroupNames {
        structure: names.structure(group).to_string(),
        generators: generators.collect(),
        orbits: names.orbits(group),
    }
}
