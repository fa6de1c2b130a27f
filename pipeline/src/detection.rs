//! What a strategy finds, in the names of the model, whatever the language.

use checker::GeneratorNames as Generator;
use limits::{Cause, Stopped};

/// Proved symmetries.
pub struct Detection {
    /// The order of the group, decimal.
    pub order: String,
    /// The order of the group before it was cut to the properties, decimal.
    pub model_order: String,
    /// The name of the group.
    pub structure: String,
    /// Whether nothing that the accepted candidates generate and that fixes the properties is missing.
    pub exact: bool,
    /// Generators.
    pub generators: Vec<Generator>,
    /// The orbits of more than one thing.
    pub orbits: Vec<Vec<String>>,
    /// The graph that the candidates were read from.
    pub graph: GraphSize,
    /// The candidates that are not in the group.
    pub rejected: Vec<Rejected>,
    /// The parts of the model that the graph does not show: they are mapped to themselves.
    pub opaque: Vec<String>,
    /// The parts with so many instances that they are taken as one.
    pub parametric: Vec<String>,
    /// The parts whose conditions are too large for a form that does not depend on how they are written.
    pub as_written: Vec<String>,
    /// Wall time.
    pub seconds: Seconds,
    /// The group for GAP.
    pub gap: String,
    /// What ended the search for more.
    pub stopped: Option<Stopped>,
}

impl Detection {
    /// Nothing was proved before this.
    pub fn nothing(stopped: Stopped) -> Detection {
        let one = || "1".to_owned();
        Detection {
            order: one(),
            model_order: one(),
            structure: one(),
            exact: false,
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

/// What ended a search that is not complete: the limit on time, where a share of it was used up.
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
    /// Why.
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

/// Why nothing was found.
pub enum Undetected {
    /// The strategy does not apply to the language.
    NotApplicable(String),
    /// A limit.
    TooLarge(String),
}

/// A group for GAP, with a comment for each point that moves.
pub fn gap(generators: &[engine::SparsePermutation], name: &dyn Fn(u32) -> String) -> String {
    let mut points: Vec<u32> = generators.iter().flat_map(engine::SparsePermutation::support).collect();
    points.sort_unstable();
    points.dedup();
    let legend: String = points.iter().map(|&point| format!("# {}: {}\n", point + 1, name(point))).collect();
    legend + &engine::write_gap(generators)
}
