//! What reports draw of a model, as plain data.

use engine::Graph;

/// Who knows whom.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Topology {
    /// Names and classes of the rebecs.
    pub(crate) nodes: Vec<(String, String)>,
    /// From, to, and the names under which the one knows the other.
    pub(crate) edges: Vec<(usize, usize, Vec<String>)>,
}

/// A coloured graph with what its vertices stand for.
#[derive(Clone, Debug)]
pub(crate) struct NamedGraph {
    /// The graph.
    pub(crate) graph: Graph,
    /// By vertex.
    pub(crate) names: Vec<String>,
}
