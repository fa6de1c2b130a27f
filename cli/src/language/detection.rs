//! What a strategy finds, in the names of the model, whatever the language.

use checker::GeneratorNames as Generator;

/// Proved symmetries.
pub(crate) struct Detection {
    /// The order of the group, decimal.
    pub(crate) order: String,
    /// The order of the group before it was cut to the properties, decimal.
    pub(crate) model_order: String,
    /// The name of the group.
    pub(crate) structure: String,
    /// Whether nothing that the accepted candidates generate and that fixes the properties is missing.
    pub(crate) exact: bool,
    /// Generators.
    pub(crate) generators: Vec<Generator>,
    /// The orbits of more than one thing.
    pub(crate) orbits: Vec<Vec<String>>,
    /// The graph that the candidates were read from.
    pub(crate) graph: GraphSize,
    /// The candidates that are not in the group.
    pub(crate) rejected: Vec<Rejected>,
    /// The parts of the model that the graph does not show: they are mapped to themselves.
    pub(crate) opaque: Vec<String>,
    /// The parts with so many instances that they are taken as one.
    pub(crate) parametric: Vec<String>,
    /// The parts whose conditions are too large for a form that does not depend on how they are written.
    pub(crate) as_written: Vec<String>,
    /// Wall time.
    pub(crate) seconds: Seconds,
    /// The group for GAP.
    pub(crate) gap: String,
}

/// A candidate that is not in the group.
pub(crate) struct Rejected {
    /// Its cycles.
    pub(crate) cycles: Vec<Vec<String>>,
    /// Why.
    pub(crate) witness: String,
}

/// The size of a graph and of its group.
pub(crate) struct GraphSize {
    pub(crate) vertices: usize,
    pub(crate) edges: usize,
    /// The number of automorphisms, decimal.
    pub(crate) order: String,
}

/// Wall time by stage, in seconds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seconds {
    pub(crate) lower: f64,
    pub(crate) graph: f64,
    pub(crate) search: f64,
    pub(crate) validate: f64,
}

/// Why nothing was found.
pub(crate) enum Undetected {
    /// The strategy does not apply to the language.
    NotApplicable(String),
    /// A limit.
    TooLarge(String),
}

/// A group for GAP, with a comment for each point that moves.
pub(crate) fn gap(generators: &[engine::SparsePermutation], name: &dyn Fn(u32) -> String) -> String {
    let mut points: Vec<u32> = generators.iter().flat_map(engine::SparsePermutation::support).collect();
    points.sort_unstable();
    points.dedup();
    let legend: String = points.iter().map(|&point| format!("# {}: {}\n", point + 1, name(point))).collect();
    legend + &engine::write_gap(generators)
}
