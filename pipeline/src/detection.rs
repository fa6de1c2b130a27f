//! The findings of a strategy, in the names of the model, for every language.

use checker::GeneratorNames as Generator;
use limits::{Cause, Stopped};

/// Proved symmetries.
pub struct Detection {
    /// The order of the group, decimal.
    pub order: String,
    /// The order of the group before it was restricted to those symmetries that fix the properties, decimal.
    pub model_order: String,
    /// The name of the group.
    pub structure: String,
    /// Whether the group contains every symmetry that the accepted candidates generate and that fixes the properties.
    pub exact: bool,
    /// Whether its elements permute the instances of summands, or the servers of rebecs; otherwise they keep the steps of each label as sets.
    pub keeps_instances: bool,
    /// Generators.
    pub generators: Vec<Generator>,
    /// The orbits with more than one element.
    pub orbits: Vec<Vec<String>>,
    /// The graph from which the candidates were read.
    pub graph: GraphSize,
    /// The candidates that are not in the group.
    pub rejected: Vec<Rejected>,
    /// The parts of the model that the graph does not show: they are mapped to themselves.
    pub opaque: Vec<String>,
    /// The parts with so many instances that the graph shows them as one.
    pub parametric: Vec<String>,
    /// The parts whose conditions are too large for a form that is independent of their text.
    pub as_written: Vec<String>,
    /// Wall time.
    pub seconds: Seconds,
    /// The group for GAP.
    pub gap: String,
    /// The reason why the search for further symmetries ended.
    pub stopped: Option<Stopped>,
}

impl Detection {
    /// A detection without symmetries: the computation stopped before one was proved.
    pub fn nothing(stopped: Stopped) -> Detection {
        let one = || "1".to_owned();
        Detection {
            order: one(),
            model_order: one(),
            structure: one(),
            exact: false,
            keeps_instances: true,
            generators: Vec::new(),
            orbits: Vec::new(),
            graph: GraphSize { vertices: 0, edges: 0, order: one() },
            rejected: Vec::new(),
            opaque: Vec::new(),
            parametric: Vec::new(),
            as_written: Vec::new(),
            seconds: Seconds::default(),
            gap: gap(&[], &|_| String::new()),
            stopped: Some(stopped),
        }
    }
}

/// The reason why a search is incomplete: a limit or a signal, or else the time of a share that was used up.
pub fn cut_off(complete: bool) -> Option<Stopped> {
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
}

/// The size of a graph and of its group.
pub struct GraphSize {
    /// Vertices.
    pub vertices: usize,
    /// Edges.
    pub edges: usize,
    /// The number of automorphisms, decimal.
    pub order: String,
}

/// Wall time by stage, in seconds.
#[derive(Clone, Copy, Default)]
pub struct Seconds {
    /// From the model to its constraints.
    pub lower: f64,
    /// From the constraints to the graph.
    pub graph: f64,
    /// The automorphisms of the graph.
    pub search: f64,
    /// The proofs.
    pub validate: f64,
}

/// The reason why no symmetry was found.
pub enum Undetected {
    /// The strategy does not apply to the language.
    NotApplicable(String),
    /// A limit.
    TooLarge(String),
}

/// A group for GAP, with a comment for each moved point.
pub fn gap(generators: &[engine::SparsePermutation], name: &dyn Fn(u32) -> String) -> String {
    let mut points: Vec<u32> = generators.iter().flat_map(engine::SparsePermutation::support).collect();
    points.sort_unstable();
    points.dedup();
    let legend: String = points.iter().map(|&point| format!("# {}: {}\n", point + 1, name(point))).collect();
    legend + &engine::write_gap(generators)
}
