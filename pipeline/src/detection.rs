//! The findings of a strategy, for every language: proposals, and proved groups in the names of the model.

use std::fmt;

use checker::GroupNames;
use engine::Graph;
use frontend::source::Span;
use limits::{Cause, Stopped};
use symmetry::Strategy;

use crate::explain::{Answer, Cycles, Family, NearSymmetry, ProvedBy, Why};
use crate::language::Language;
use crate::line::{self, Detected, GRACE};

/// The permutations that a strategy proposes; each is to be proved.
pub struct Proposal<C> {
    /// The permutations.
    pub candidates: C,
    /// The part of the model of which they are the symmetries.
    pub coverage: Coverage,
}

/// The effort of a detection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// The symmetries that keep the properties are looked for wherever they may show.
    Whole,
    /// The graph and the proofs of its candidates are bounded, too, where the text proves symmetries of the steps that move the properties: the symmetries of the steps
    /// are enough for invariants that are checked at images.
    Brief,
}

/// Permutations that the text of a model proves, without a graph.
pub struct ByText<C> {
    /// The proposal.
    pub proposal: Proposal<C>,
    /// The most steps for a graph next to it; `None` for no graph.
    pub graph_steps: Option<u64>,
    /// Whether only a brief detection bounds the graph and its proofs.
    pub is_brief: bool,
}

/// A group of proved symmetries.
pub struct Proved<G> {
    /// The group.
    pub group: G,
    /// The extent to which it has the symmetries of the model.
    pub coverage: Coverage,
}

/// The extent to which a proposal shows the symmetries of a model.
#[derive(Clone, Default)]
pub struct Coverage {
    /// The graph from which the candidates were read; `None` where the text proved them.
    pub graph: Option<GraphSize>,
    /// Whether the time sufficed for all candidates.
    pub complete: bool,
    /// Whether candidates of the graph were left undecided, next to those that the text proves.
    pub undecided: bool,
    /// The parts of the model that the graph does not show: they are mapped to themselves.
    pub opaque: Vec<String>,
    /// The names of the loops and quantifiers whose order is not proved to be hidden: each search watches them.
    pub watched: Vec<Span>,
    /// The parts whose conditions are too large for a form that is independent of their text.
    pub as_written: Vec<String>,
}

impl Coverage {
    /// Whether the candidates are all that there can be: none was left undecided, and no part of the model may hide one.
    pub fn is_whole(&self) -> bool {
        let Coverage { graph, complete, undecided, opaque, as_written, watched: _ } = self;
        graph.is_some() && *complete && !undecided && opaque.is_empty() && as_written.is_empty()
    }
}

/// The proof of a group, in the names of the model.
pub struct Proof {
    /// The order of the group before it was restricted to those symmetries that fix the properties, decimal.
    pub model_order: String,
    /// Whether the group contains every symmetry that the accepted candidates generate and that fixes the properties.
    pub exact: bool,
    /// Whether its elements permute the instances of summands, or the servers of rebecs; otherwise they keep the steps of each label as sets.
    pub keeps_instances: bool,
    /// The candidates that are not in the group.
    pub rejected: Vec<Rejected>,
    /// The group for GAP.
    pub gap: String,
    /// The reason why the proofs ended early.
    pub stopped: Option<Stopped>,
}

/// Proved symmetries in the names of the model.
pub struct Detection {
    /// The order of the group, decimal.
    pub order: String,
    /// The group.
    pub names: GroupNames,
    /// Its proof. It is exact if the candidates are all that there can be, too, and stopped if the search for them was.
    pub proof: Proof,
    /// The extent of the candidates.
    pub coverage: Coverage,
    /// The proof of each generator; empty where a limit came first.
    pub proofs: Vec<ProvedBy>,
    /// Permutations that would be in the group but for few places of the text.
    pub near: Vec<NearSymmetry>,
    /// The answers about single permutations.
    pub why: Vec<Why>,
    /// The part of the group that the text proves for every value of the constants, or the reason why nothing is said of it.
    pub family: Result<Family, &'static str>,
    /// Wall time.
    pub seconds: Seconds,
}

/// The answer to a question that a limit or a signal left open.
const LEFT_OPEN: &str = "left open: a limit or a signal came first";

/// The answer to a question about a family of models in a language that has none.
const NOT_OFFERED: &str = "not offered for this language";

/// The most steps of the search for near symmetries.
const NEAR_STEPS: u64 = 1 << 22;

/// Finds and proves the symmetries of a model that fix these properties, and answers whether permutations with these cycles are such.
///
/// # Errors
/// The reason why the strategy finds none, or a cycle with a name that the model does not have.
pub fn detect<L: Language>(
    model: &L,
    properties: &L::Properties,
    strategy: Strategy,
    permutations: &[Cycles],
) -> Result<Detection, Undetected> {
    let watch = limits::watch();
    let found = match watch.run(|| line::detect(model, properties, strategy)) {
        Ok(found) => found?,
        Err(stopped) => return Ok(Detection::nothing(stopped, permutations)),
    };
    // Facts that take no time are reported after a limit, too.
    let explain = |cycles: &Cycles| {
        let answer = watch.run(|| model.why(properties, &found.group, cycles));
        answer.unwrap_or_else(|_| Ok(left_open(cycles)))
    };
    let why = permutations.iter().map(explain).collect::<Result<Vec<Why>, String>>();
    let why = why.map_err(Undetected::NoPermutation)?;
    let near = || model.near(properties, &found.group);
    let near = watch.share(1, 4).at_most(NEAR_STEPS).run(near).unwrap_or_default();
    let proofs = watch.share(1, 4).run(|| model.proofs(properties, &found.group)).unwrap_or_default();
    let family = watch.share(1, 4).run(|| model.family(properties));
    let family = family.map_or(Err(LEFT_OPEN), |family| family.ok_or(NOT_OFFERED));
    debug_assert!(near.iter().all(|near| !near.broken_by.is_empty()), "some place breaks a near symmetry");
    let describing = || {
        let detection = Detection { proofs, family, near, why, ..Detection::new(model, found) };
        let (proofs, generators) = (detection.proofs.len(), detection.names.generators.len());
        assert!(proofs == 0 || proofs == generators, "each generator has its proof");
        detection
    };
    let nothing = |stopped| Detection::nothing(stopped, permutations);
    Ok(watch.or_afterwards(GRACE).run(describing).unwrap_or_else(nothing))
}

/// No answer about a permutation.
fn left_open(cycles: &Cycles) -> Why {
    let answer = Answer::Not { is_open: true, broken_by: Vec::new(), witness: Some(LEFT_OPEN.to_owned()) };
    Why { cycles: cycles.clone(), answer }
}

impl Detection {
    fn new<L: Language>(model: &L, found: Detected<L>) -> Detection {
        let Detected { group, coverage, seconds, is_cut_short: _ } = found;
        let mut proof = model.proof(&group);
        proof.exact &= coverage.is_whole();
        proof.stopped = cut_off(coverage.complete && proof.stopped.as_ref().is_none_or(Stopped::is_of_steps));
        Detection {
            order: L::engine_group(&group).order().to_string(),
            names: model.names(&group),
            proof,
            coverage,
            proofs: Vec::new(),
            near: Vec::new(),
            why: Vec::new(),
            family: Err(LEFT_OPEN),
            seconds,
        }
    }

    /// A detection without symmetries: the computation stopped before one was proved.
    fn nothing(stopped: Stopped, permutations: &[Cycles]) -> Detection {
        let one = || "1".to_owned();
        let proof = Proof {
            model_order: one(),
            exact: false,
            keeps_instances: true,
            rejected: Vec::new(),
            gap: gap(&[], &|_| String::new()),
            stopped: Some(stopped),
        };
        let names = GroupNames { structure: one(), ..GroupNames::default() };
        let (coverage, seconds) = (Coverage::default(), Seconds::default());
        let why = permutations.iter().map(left_open).collect();
        let (proofs, near, family) = (Vec::new(), Vec::new(), Err(LEFT_OPEN));
        Detection { order: one(), names, proof, coverage, proofs, near, why, family, seconds }
    }
}

/// The reason why a search is incomplete: a limit or a signal, or else the time of a share that was used up.
fn cut_off(complete: bool) -> Option<Stopped> {
    let watch = limits::watch();
    let cause = Cause::Time(watch.timeout().unwrap_or_default());
    let share = Stopped { cause, phase: "finding automorphisms", is_share: true };
    (!complete).then(|| watch.consult().err().unwrap_or(share))
}

/// A candidate that is not in the group.
pub struct Rejected {
    /// Its cycles.
    pub cycles: Vec<Vec<String>>,
    /// The reason of the rejection.
    pub witness: String,
    /// Whether the candidate was neither proved nor refuted.
    pub is_open: bool,
}

/// The size of a graph and of its group.
#[derive(Clone)]
pub struct GraphSize {
    /// Vertices.
    pub vertices: usize,
    /// Edges.
    pub edges: usize,
    /// The number of automorphisms, decimal.
    pub order: String,
}

impl Default for GraphSize {
    /// No graph.
    fn default() -> GraphSize {
        GraphSize { vertices: 0, edges: 0, order: "1".to_owned() }
    }
}

impl GraphSize {
    pub(crate) fn new(graph: &Graph, order: &impl ToString) -> GraphSize {
        GraphSize { vertices: graph.len(), edges: graph.edge_count(), order: order.to_string() }
    }
}

/// Wall time by stage, in seconds.
#[derive(Clone, Copy, Default)]
pub struct Seconds {
    /// From the model to its constraints.
    pub lower: f64,
    /// From the constraints to the graph.
    pub graph: f64,
    /// The automorphisms of the graph, and the candidates.
    pub search: f64,
    /// The proofs.
    pub validate: f64,
}

/// The reason why no symmetry was found.
pub enum Undetected {
    /// The strategy does not apply to the language.
    NotApplicable(Strategy),
    /// The model cannot be written as constraints.
    TooLarge(csp::TooLarge),
    /// Cycles of names are no permutation of the model; a message about the name.
    NoPermutation(String),
}

impl fmt::Display for Undetected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undetected::NotApplicable(strategy) => {
                write!(f, "`{strategy}` reads the topology of Rebeca models, and the model has none")
            }
            Undetected::TooLarge(large) => large.fmt(f),
            Undetected::NoPermutation(message) => f.write_str(message),
        }
    }
}

/// A group for GAP, with a comment for each moved point.
pub(crate) fn gap(generators: &[engine::SparsePermutation], name: &dyn Fn(u32) -> String) -> String {
    let mut points: Vec<u32> = generators.iter().flat_map(engine::SparsePermutation::support).collect();
    points.sort_unstable();
    points.dedup();
    let legend: String = points.iter().map(|&point| format!("# {}: {}\n", point + 1, name(point))).collect();
    legend + &engine::write_gap(generators)
}
