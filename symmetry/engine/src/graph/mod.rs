//! Simple undirected graphs with a colour on every vertex.
//!
//! Compressed sparse rows: the neighbours of `v` are `neighbours[offsets[v]..offsets[v + 1]]`, ascending. Loops
//! and directed edges are encoded by the caller (a colour, or a path of two coloured vertices).
//!
//! # Invariants
//!
//! `offsets.len() == colours.len() + 1`; every row is strictly ascending and free of its own vertex; `v` is in the
//! row of `u` if and only if `u` is in the row of `v`. Established by [`GraphBuilder::build`], never broken after.
//!
//! # Complexity
//!
//! Building is linear in vertices and edges: rows come out sorted because they are filled by transposing twice.

mod dimacs;
mod export;

use std::fmt;
use std::ops::Add;

pub use dimacs::{DimacsError, DimacsErrorKind, parse_dimacs, write_dimacs};
pub use export::{write_dot, write_dreadnaut, write_gap};

/// Number of vertices or edge slots as an index of 32 bits.
///
/// # Panics
///
/// When the graph is larger than the declared limit of 2^32 - 1 vertices or edge slots.
pub(crate) fn index(value: usize) -> u32 {
    u32::try_from(value).expect("graphs have fewer than 2^32 vertices and edge slots")
}

/// A vertex that a [`GraphBuilder`] added: a number that is no colour and no count. In rows, generators and orbits of the finished graph
/// it is the point of this [number](Vertex::number).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Vertex(u32);

impl Vertex {
    /// The vertex that is added after so many others.
    #[must_use]
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number of vertices that were added before it.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Vertex {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// The vertex that was added so many places later, as within [`GraphBuilder::add_vertices`].
impl Add<u32> for Vertex {
    type Output = Self;

    fn add(self, later: u32) -> Self {
        Self(self.0 + later)
    }
}

/// A simple undirected graph with coloured vertices `0..len`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Graph {
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
    colours: Vec<u32>,
}

impl Graph {
    /// Number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.colours.len()
    }

    /// Whether the graph has no vertex.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.colours.is_empty()
    }

    /// Number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// Neighbours of `vertex`, ascending.
    #[must_use]
    #[inline]
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.neighbours[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }

    /// Number of neighbours of `vertex`.
    #[must_use]
    #[inline]
    pub fn degree(&self, vertex: u32) -> u32 {
        self.offsets[vertex as usize + 1] - self.offsets[vertex as usize]
    }

    /// Colour of `vertex`.
    #[must_use]
    #[inline]
    pub fn colour(&self, vertex: u32) -> u32 {
        self.colours[vertex as usize]
    }

    /// Colour of every vertex.
    #[must_use]
    pub fn colours(&self) -> &[u32] {
        &self.colours
    }

    /// Whether `u` and `v` are joined by an edge.
    #[must_use]
    pub fn has_edge(&self, u: u32, v: u32) -> bool {
        let (few, other) = if self.degree(u) <= self.degree(v) { (u, v) } else { (v, u) };
        self.neighbours(few).binary_search(&other).is_ok()
    }

    /// All vertices, ascending.
    pub fn vertices(&self) -> impl Iterator<Item = u32> + use<> {
        0..index(self.len())
    }

    /// All edges `(u, v)` with `u < v`, ascending.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.vertices().flat_map(move |u| {
            let row = self.neighbours(u);
            row[row.partition_point(|&v| v < u)..].iter().map(move |&v| (u, v))
        })
    }

    /// The graph in which vertex `images[v]` has the colour and the edges of `v`.
    ///
    /// # Panics
    ///
    /// When `images` is not a permutation of the vertices.
    #[must_use]
    pub fn relabelled(&self, images: &[u32]) -> Self {
        assert_eq!(images.len(), self.len(), "one image a vertex");
        let mut colours = vec![None; self.len()];
        for (v, &image) in images.iter().enumerate() {
            let place = &mut colours[image as usize];
            assert!(place.is_none(), "images are distinct");
            *place = Some(self.colours[v]);
        }
        let edges = self.edges().map(|(u, v)| (images[u as usize], images[v as usize])).collect();
        let colours = colours.into_iter().map(|colour| colour.expect("images cover all vertices")).collect();
        from_parts(colours, edges)
    }

    /// Assembles a graph from rows that already satisfy the invariants of the module.
    pub(crate) fn from_rows(offsets: Vec<u32>, neighbours: Vec<u32>, colours: Vec<u32>) -> Self {
        debug_assert_eq!(offsets.len(), colours.len() + 1, "one row a vertex");
        assert_eq!(offsets.last().map(|&end| end as usize), Some(neighbours.len()), "rows cover all edge slots");
        debug_assert!(offsets.is_sorted(), "rows follow each other");
        debug_assert!(neighbours.iter().all(|&v| (v as usize) < colours.len()), "neighbours are vertices");
        assert!(neighbours.len().is_multiple_of(2), "every edge has two ends");
        Self { offsets, neighbours, colours }
    }

    /// The same graph under other colours.
    pub(crate) fn set_colours(&mut self, colours: Vec<u32>) {
        assert_eq!(colours.len(), self.colours.len(), "one colour a vertex");
        self.colours = colours;
    }
}

/// The reason why a [`GraphBuilder`] holds no simple graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// An edge names a vertex that was never added.
    UnknownVertex {
        /// The vertex named.
        vertex: Vertex,
        /// Number of vertices added.
        vertices: u32,
    },
    /// An edge joins a vertex to itself.
    Loop {
        /// The vertex.
        vertex: Vertex,
    },
}

impl fmt::Display for GraphError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownVertex { vertex, vertices } => {
                write!(out, "edge to vertex {vertex}, but there are only {vertices} vertices")
            }
            Self::Loop { vertex } => write!(out, "vertex {vertex} is joined to itself"),
        }
    }
}

impl std::error::Error for GraphError {}

/// Collects vertices and edges in any order.
#[derive(Clone, Debug, Default)]
pub struct GraphBuilder {
    colours: Vec<u32>,
    edges: Vec<(u32, u32)>,
}

impl GraphBuilder {
    /// A builder without vertices.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of vertices added so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.colours.len()
    }

    /// Whether no vertex was added yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.colours.is_empty()
    }

    /// Adds a vertex.
    pub fn add_vertex(&mut self, colour: u32) -> Vertex {
        limits::reserve_in_list(&self.colours);
        self.colours.push(colour);
        Vertex(index(self.colours.len() - 1))
    }

    /// Adds `count` vertices of one colour and returns the first; their numbers are consecutive.
    pub fn add_vertices(&mut self, count: usize, colour: u32) -> Vertex {
        let first = index(self.colours.len());
        self.colours.resize(self.colours.len() + count, colour);
        Vertex(first)
    }

    /// Changes the colour of a vertex added before.
    ///
    /// # Panics
    ///
    /// When the vertex was not added.
    pub fn set_colour(&mut self, vertex: Vertex, colour: u32) {
        let place = self.colours.get_mut(vertex.0 as usize);
        *place.expect("the vertex was added") = colour;
    }

    /// Joins two vertices; repeated edges count once.
    pub fn add_edge(&mut self, u: Vertex, v: Vertex) {
        limits::work(1);
        limits::reserve_in_list(&self.edges);
        self.edges.push((u.0, v.0));
    }

    /// The graph of all added vertices and edges.
    ///
    /// # Errors
    ///
    /// When an edge is a loop or names an unknown vertex.
    pub fn build(self) -> Result<Graph, GraphError> {
        let vertices = index(self.colours.len());
        for &(u, v) in &self.edges {
            let vertex = Vertex(u.max(v));
            if vertex.0 >= vertices {
                return Err(GraphError::UnknownVertex { vertex, vertices });
            }
            if u == v {
                return Err(GraphError::Loop { vertex });
            }
        }
        Ok(from_parts(self.colours, self.edges))
    }
}

/// Rows from a list of valid edges, by transposing twice and dropping repetitions.
pub(crate) fn from_parts(colours: Vec<u32>, edges: Vec<(u32, u32)>) -> Graph {
    let n = colours.len();
    limits::work((n + 4 * edges.len()) as u64);
    // Starts and cursors, and all rows twice; the edges are gone when the second rows are made.
    limits::reserve((size_of::<u32>() * (2 * n + 2 * edges.len())) as u64);
    let mut starts = vec![0_u32; n + 1];
    for &(u, v) in &edges {
        starts[u as usize + 1] += 1;
        starts[v as usize + 1] += 1;
    }
    index(2 * edges.len());
    for v in 0..n {
        starts[v + 1] += starts[v];
    }
    let mut rows = vec![0_u32; 2 * edges.len()];
    let mut cursor = starts.clone();
    let mut put = |rows: &mut Vec<u32>, at: u32, value: u32| {
        let slot = &mut cursor[at as usize];
        rows[*slot as usize] = value;
        *slot += 1;
    };
    for &(u, v) in &edges {
        put(&mut rows, u, v);
        put(&mut rows, v, u);
    }
    drop(edges);
    let mut sorted = vec![0_u32; rows.len()];
    let mut cursor = starts.clone();
    for u in 0..n {
        for &v in &rows[starts[u] as usize..starts[u + 1] as usize] {
            let slot = &mut cursor[v as usize];
            sorted[*slot as usize] = index(u);
            *slot += 1;
        }
    }
    drop_repetitions(colours, starts, sorted)
}

/// Compacts sorted rows in place.
fn drop_repetitions(colours: Vec<u32>, mut starts: Vec<u32>, mut rows: Vec<u32>) -> Graph {
    let mut write = 0;
    let mut begin = 0;
    for v in 0..colours.len() {
        let end = starts[v + 1] as usize;
        let row_start = write;
        for read in begin..end {
            if write == row_start || rows[write - 1] != rows[read] {
                rows[write] = rows[read];
                write += 1;
            }
        }
        begin = end;
        starts[v + 1] = index(write);
    }
    rows.truncate(write);
    Graph::from_rows(starts, rows, colours)
}

#[cfg(test)]
mod tests {
    use super::{GraphBuilder, GraphError, Vertex};

    #[test]
    fn rows_are_sorted_and_free_of_repetitions() {
        let mut builder = GraphBuilder::new();
        builder.add_vertices(4, 0);
        for (u, v) in [(3, 0), (0, 1), (1, 0), (2, 3), (0, 3)] {
            builder.add_edge(Vertex(u), Vertex(v));
        }
        let graph = builder.build().expect("simple");
        assert_eq!(graph.neighbours(0), [1, 3]);
        assert_eq!(graph.neighbours(3), [0, 2]);
        assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 1), (0, 3), (2, 3)]);
        assert!(graph.has_edge(3, 2) && !graph.has_edge(1, 2));
    }

    #[test]
    fn loops_and_strangers_are_refused() {
        let mut builder = GraphBuilder::new();
        let vertex = builder.add_vertex(0);
        builder.add_edge(vertex, vertex);
        assert_eq!(builder.build(), Err(GraphError::Loop { vertex }));
        let mut other = GraphBuilder::new();
        let (known, vertex) = (other.add_vertex(0), Vertex(7));
        other.add_edge(known, vertex);
        assert_eq!(other.build(), Err(GraphError::UnknownVertex { vertex, vertices: 1 }));
    }

    #[test]
    fn relabelling_moves_colours_and_edges() {
        let mut builder = GraphBuilder::new();
        for colour in [5, 6, 7] {
            builder.add_vertex(colour);
        }
        builder.add_edge(Vertex(0), Vertex(1));
        let graph = builder.build().expect("simple").relabelled(&[2, 0, 1]);
        assert_eq!(graph.colours(), [6, 7, 5]);
        assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 2)]);
    }
}
