//! The stages of detection that sequential processes have of their own: candidates of the graph, and symmetries of the steps of each label.

use checker::{GeneratorNames, GroupNames};
use csp::{Automorphisms, ColouredGraph, Csp};
use frontend::sequential::{Property, Sequential};
use symmetry::sequential::{Candidate, Kept, Names, Rejection, ValidatedGroup, rules};

use crate::detection::{Coverage, GraphSize, Proof, Proposal, Proved, Rejected, gap};

/// The most vertices of the graph of the instances next to which the graph of the steps of each label is drawn.
const MAX_VERTICES: usize = 1 << 11;

/// Permutations of literals that may be symmetries.
pub struct Candidates {
    pub(super) list: Vec<Candidate>,
    /// For each element of the state the values that it may have, by the lowering to the graph; empty without a graph, where all count.
    pub(super) live: Vec<Vec<i32>>,
}

/// The candidates of the graph.
pub(super) fn candidates(
    model: &Sequential,
    csp: &Csp,
    graph: &ColouredGraph,
    found: &Automorphisms,
) -> Proposal<Candidates> {
    let list = csp::candidates(model, csp, graph, found).into_iter().map(Candidate::from).collect();
    let live = csp.elements.iter().map(|element| element.values.clone()).collect();
    let coverage = Coverage {
        graph: Some(GraphSize::new(&graph.graph, &found.report.order)),
        complete: found.report.complete,
        undecided: false,
        opaque: csp.opaque.iter().map(|opaque| opaque.part.name(model)).collect(),
        watched: Vec::new(),
        as_written: csp.as_written.iter().map(|part| part.name(model)).collect(),
    };
    Proposal { candidates: Candidates { list, live }, coverage }
}

/// A group together with the symmetries that only the steps of each label show, where their graph is small.
pub(super) fn extended(
    model: &Sequential,
    properties: &[Property],
    Proved { group, mut coverage }: Proved<ValidatedGroup>,
) -> Proved<ValidatedGroup> {
    let is_large = coverage.graph.as_ref().is_none_or(|graph| graph.vertices > MAX_VERTICES);
    if is_large || group.stopped().is_some() || !coverage.opaque.is_empty() {
        return Proved { group, coverage };
    }
    let requested: Vec<&Property> = properties.iter().collect();
    let more = || {
        csp::detect_relation(model, &requested)
            .map(|(more, complete)| (group.clone().extended(model, properties, more), complete))
    };
    let (group, complete) = match limits::share(1, 2, more) {
        Ok(Some(extended)) => extended,
        Ok(None) => (group, true),
        Err(_) => (group, false),
    };
    coverage.complete &= complete;
    Proved { group, coverage }
}

/// The proof of a group, in the names of the process.
pub(super) fn proof(model: &Sequential, group: &ValidatedGroup) -> Proof {
    let names = Names::new(model, group);
    let rejected = group.rejected().iter().map(|rejected| Rejected {
        cycles: names.describe(&rejected.permutation).cycles,
        witness: rejected.reason.to_string(),
        is_open: matches!(rejected.reason, Rejection::NotDecided(_)),
    });
    Proof {
        model_order: group.model_order().to_string(),
        exact: group.is_exact(),
        keeps_instances: group.kept() == Kept::Instances,
        rejected: rejected.collect(),
        gap: gap(group.generators(), &|point| names.point(point)),
        stopped: group.stopped(),
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
