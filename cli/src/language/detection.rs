//! What a strategy finds, in the names of the model, whatever the language.

use std::time::Duration;

use checker::GeneratorNames as Generator;
use limits::{Cause, Stopped};

/// How long it may take to tell of what was found before a limit or a signal came.
pub(crate) const GRACE: Duration = Duration::from_secs(1);

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
    /// What ended the search for more.
    pub(crate) stopped: Option<Stopped>,
}

impl Detection {
    /// Nothing was proved before this.
    pub(crate) fn nothing(stopped: Stopped) -> Detection {
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
pub(crate) fn cut_off(complete: bool) -> Option<Stopped> {
    let watch = limits::watch();
    let cause = Cause::Time(watch.timeout().unwrap_or_default());
    let share = Stopped { cause, phase: "finding automorphisms", is_share: true };
    (!complete).then(|| watch.consult().err().unwrap_or(share))
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
