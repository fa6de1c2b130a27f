//! `detect` on sequential processes.

use std::time::{Duration, Instant};

use csp::Detected;
use csp::csp::Part;
use frontend::sequential::{Property, Sequential};
use symmetry::Strategy;
use symmetry::sequential::{Kept, Names, ValidatedGroup, rules};

use checker::{GeneratorNames, GroupNames};

use crate::detection::{Detection, GraphSize, Rejected, Seconds, Undetected, cut_off, gap};
use crate::line::GRACE;

use super::candidates::{Candidates, Steps, candidates, group, is_of_work};

/// The most vertices of the graph of the instances next to which the graph of the steps of each label is drawn.
const MAX_VERTICES: usize = 1 << 11;

/// Finds and proves the symmetries of a process.
pub(super) fn detect(model: &Sequential, properties: &[Property], strategy: Strategy) -> Result<Detection, Undetected> {
    if strategy != Strategy::Constraint {
        let message =
            format!("`{strategy}` reads the topology of Rebeca models, and the model is a sequential process");
        return Err(Undetected::NotApplicable(message));
    }
    // Candidates preserve each atom of a formula; they also preserve an assertion as a whole.
    let found = limits::watch().run(|| {
        let found =
            candidates(model, properties, Steps::default()).map_err(|large| Undetected::TooLarge(large.to_string()))?;
        let started = Instant::now();
        let proved = proved(model, properties, &found);
        Ok((found.found, proved, started.elapsed()))
    });
    let (found, proved, validate) = match found {
        Ok(found) => found?,
        Err(stopped) => return Ok(Detection::nothing(stopped)),
    };
    let describing = || detection_of(model, &found, &proved, validate);
    Ok(limits::watch().or_afterwards(GRACE).run(describing).unwrap_or_else(Detection::nothing))
}

/// The proved group of a process.
pub(super) struct Proved {
    pub(super) group: ValidatedGroup,
    /// Whether all candidates that only the steps of each label show were looked for.
    is_complete: bool,
    /// Whether all candidates of the graph were decided within the limit on steps.
    is_decided: bool,
}

/// The proved group of the candidates, together with those that only the steps of each label show.
pub(super) fn proved(model: &Sequential, properties: &[Property], candidates: &Candidates) -> Proved {
    let found = &candidates.found;
    let (group, is_decided) = group(model, properties, candidates);
    let is_large = !found.has_graph() || found.graph.vertices.len() > MAX_VERTICES;
    if is_large || group.stopped().is_some() || !found.csp.opaque.is_empty() || !found.moves.summands.is_empty() {
        return Proved { group, is_complete: true, is_decided };
    }
    let requested: Vec<&Property> = properties.iter().collect();
    let more = || {
        csp::detect_relation(model, &requested)
            .map(|(more, is_complete)| (group.clone().extended(model, properties, more), is_complete))
    };
    let (group, is_complete) = match limits::share(1, 2, more) {
        Ok(Some(extended)) => extended,
        Ok(None) => (group, true),
        Err(_) => (group, false),
    };
    Proved { group, is_complete, is_decided }
}

/// The findings, in the names of the process.
fn detection_of(model: &Sequential, found: &Detected, proved: &Proved, validate: Duration) -> Detection {
    let group = &proved.group;
    let complete = found.report.complete && proved.is_complete;
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
        exact: group.is_exact() && complete && proved.is_decided && found.has_graph(),
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
        stopped: cut_off(complete && group.stopped().is_none_or(|stopped| is_of_work(&stopped))),
        keeps_instances: group.kept() == Kept::Instances,
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
