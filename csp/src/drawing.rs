//! [`Drawn`]: a coloured graph with the meaning of each vertex, and the drawing of one.
//!
//! Both graphs of this crate are drawn this way. A meaning is a vertex once only, and a colour is a value, numbered when it is first used.
//!
//! # Invariants
//!
//! No two vertices have the same meaning; edges join vertices that exist ([`Drawn::problems`]).

use std::fmt::Debug;
use std::hash::Hash;

use engine::{Graph, GraphBuilder, Vertex};
use rustc_hash::FxHashMap;

/// The elementary steps in which a vertex is added.
const WORK_OF_VERTEX: u64 = 4;

/// A graph with the meanings of its vertices.
#[derive(Clone, Debug)]
pub struct Drawn<V> {
    /// The graph.
    pub graph: Graph,
    /// The meaning of each vertex.
    pub vertices: Vec<V>,
    index: FxHashMap<V, Vertex>,
}

impl<V> AsRef<Graph> for Drawn<V> {
    fn as_ref(&self) -> &Graph {
        &self.graph
    }
}

impl<V: Copy + Eq + Hash + Debug> Drawn<V> {
    /// The vertex with a meaning, if there is one.
    pub fn vertex(&self, vertex: V) -> Option<u32> {
        self.index.get(&vertex).map(|vertex| vertex.number())
    }

    /// Lists the broken invariants; an empty list means that the graph is valid. Each vertex that has an owner is joined to it.
    pub(crate) fn problems(&self, owner: impl Fn(V) -> Option<V>) -> Vec<String> {
        let mut problems = Vec::new();
        if self.graph.len() != self.vertices.len() {
            problems.push(format!("{} vertices, {} of them known", self.graph.len(), self.vertices.len()));
        }
        if self.index.len() != self.vertices.len() {
            problems.push("two vertices stand for the same".into());
        }
        for (vertex, &meaning) in (0..).zip(&self.vertices) {
            let Some(owner) = owner(meaning) else { continue };
            if self.vertex(owner).is_none_or(|owner| !self.graph.has_edge(owner, vertex)) {
                problems.push(format!("{meaning:?} has no owner"));
            }
        }
        problems
    }
}

/// A graph that is being drawn: vertices with meanings `V` and colours `C`.
pub(crate) struct Canvas<V, C> {
    builder: GraphBuilder,
    vertices: Vec<V>,
    index: FxHashMap<V, Vertex>,
    colours: FxHashMap<C, u32>,
}

impl<V, C> Default for Canvas<V, C> {
    fn default() -> Canvas<V, C> {
        let (index, colours) = (FxHashMap::default(), FxHashMap::default());
        Canvas { builder: GraphBuilder::new(), vertices: Vec::new(), index, colours }
    }
}

impl<V: Copy + Eq + Hash, C: Eq + Hash> Canvas<V, C> {
    /// Adds a vertex.
    pub(crate) fn add(&mut self, vertex: V, colour: C) -> Vertex {
        limits::work(WORK_OF_VERTEX);
        limits::reserve_in_list(&self.vertices);
        limits::reserve_in_table(&self.index);
        let next = u32::try_from(self.colours.len()).expect("the number of colours is bounded");
        let colour = *self.colours.entry(colour).or_insert(next);
        let number = self.builder.add_vertex(colour);
        self.vertices.push(vertex);
        let known = self.index.insert(vertex, number);
        assert!(known.is_none(), "a meaning has one vertex");
        number
    }

    /// The vertex with a meaning, if it is drawn.
    pub(crate) fn vertex(&self, vertex: V) -> Option<Vertex> {
        self.index.get(&vertex).copied()
    }

    /// Joins two vertices.
    pub(crate) fn edge(&mut self, one: Vertex, other: Vertex) {
        self.builder.add_edge(one, other);
    }

    /// Joins a vertex to the one with a meaning, which is drawn.
    pub(crate) fn join(&mut self, vertex: Vertex, other: V) {
        let other = self.index[&other];
        self.builder.add_edge(vertex, other);
    }

    /// The graph.
    pub(crate) fn finish(self) -> Drawn<V> {
        let graph = self.builder.build().expect("edges join different vertices that exist");
        assert_eq!(graph.len(), self.vertices.len(), "every vertex has a meaning");
        Drawn { graph, vertices: self.vertices, index: self.index }
    }
}
