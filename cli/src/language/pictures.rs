//! The parts of a model that reports draw, as plain data.

use engine::Graph;

/// The rebecs and their known rebecs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Topology {
    /// Names and classes of the rebecs.
    pub(crate) nodes: Vec<(String, String)>,
    /// From, to, and the names under which the one knows the other.
    pub(crate) edges: Vec<(usize, usize, Vec<String>)>,
}

/// A coloured graph with the meaning of its vertices.
#[derive(Clone, Debug)]
pub(crate) struct NamedGraph {
    /// The graph.
    pub(crate) graph: Graph,
    /// By vertex.
    pub(crate) names: Vec<String>,
}
