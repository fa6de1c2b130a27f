//! The DIMACS edge format with vertex colours: reader and writer.
//!
//! `p edge N M` comes first, then `n V C` (vertex `V`, counted from one, has colour `C`; unnamed vertices have colour 0) and `e U V` in
//! any order; `c ...` and empty lines are comments. The reader stops at the first malformed line and reports it; the number of edges must
//! be the announced number.

use std::fmt;
use std::fmt::Write;

use super::{Graph, GraphBuilder, Vertex};

/// The most vertices that a text may announce, so that a short line cannot exhaust the memory.
const MAX_VERTICES: u32 = 1 << 27;

/// A malformed line of a DIMACS text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DimacsError {
    /// Line, counted from one; the line after the last when something is missing at the end.
    pub line: usize,
    /// The fault of the line.
    pub kind: DimacsErrorKind,
}

/// The faults of a DIMACS text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DimacsErrorKind {
    /// The text has no `p edge` line.
    MissingHeader,
    /// A second `p` line.
    RepeatedHeader,
    /// A vertex or edge line precedes the `p` line.
    BeforeHeader,
    /// The `p` line announces more vertices than the reader accepts.
    TooLarge {
        /// The number announced.
        vertices: u32,
    },
    /// The `p` line contains neither `edge` nor `col`.
    UnknownProblem(String),
    /// The line starts with none of `c`, `p`, `n`, `e`.
    UnknownLine(String),
    /// The line has too few or too many fields.
    FieldCount {
        /// The number of fields that the line needs after the letter.
        expected: usize,
        /// Fields found.
        found: usize,
    },
    /// A field is not an unsigned number of 32 bits.
    NotANumber(String),
    /// A vertex is zero or above the number announced.
    VertexOutOfRange {
        /// The vertex as written.
        vertex: u32,
        /// Number of vertices announced.
        vertices: u32,
    },
    /// A vertex is coloured twice.
    RepeatedColour(u32),
    /// An edge joins a vertex to itself.
    Loop(u32),
    /// The header announces another number of edge lines.
    EdgeCount {
        /// Edges announced.
        announced: u32,
        /// Edge lines found.
        found: usize,
    },
}

impl fmt::Display for DimacsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.kind)
    }
}

impl fmt::Display for DimacsErrorKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DimacsErrorKind::MissingHeader => write!(out, "no `p edge` line"),
            DimacsErrorKind::RepeatedHeader => write!(out, "a second `p` line"),
            DimacsErrorKind::BeforeHeader => write!(out, "vertices and edges must follow the `p edge` line"),
            DimacsErrorKind::TooLarge { vertices } => {
                write!(out, "{vertices} vertices announced, at most {MAX_VERTICES} are read")
            }
            DimacsErrorKind::UnknownProblem(word) => write!(out, "expected `p edge`, found `p {word}`"),
            DimacsErrorKind::UnknownLine(word) => write!(out, "expected `c`, `p`, `n` or `e`, found `{word}`"),
            DimacsErrorKind::FieldCount { expected, found } => {
                write!(out, "expected {expected} fields after the letter, found {found}")
            }
            DimacsErrorKind::NotANumber(word) => write!(out, "`{word}` is not a number below 2^32"),
            DimacsErrorKind::VertexOutOfRange { vertex, vertices } => {
                write!(out, "vertex {vertex} is outside 1..={vertices}")
            }
            DimacsErrorKind::RepeatedColour(vertex) => write!(out, "vertex {vertex} already has a colour"),
            DimacsErrorKind::Loop(vertex) => write!(out, "vertex {vertex} is joined to itself"),
            DimacsErrorKind::EdgeCount { announced, found } => {
                write!(out, "{announced} edges announced, {found} found")
            }
        }
    }
}

impl std::error::Error for DimacsError {}

/// The numbers of the header, with the graph under construction.
struct Reader {
    builder: GraphBuilder,
    coloured: Vec<bool>,
    announced: u32,
    found: usize,
}

/// Reads a graph.
///
/// # Errors
///
/// The first malformed line, or a count of edges that differs from the one announced.
pub fn parse_dimacs(text: &str) -> Result<Graph, DimacsError> {
    let mut reader = None;
    let mut lines = 0;
    for (number, line) in text.lines().enumerate() {
        lines = number + 1;
        limits::work(line.len() as u64);
        read_line(line, &mut reader).map_err(|kind| DimacsError { line: lines, kind })?;
    }
    let end = |kind| DimacsError { line: lines + 1, kind };
    let reader = reader.ok_or_else(|| end(DimacsErrorKind::MissingHeader))?;
    if reader.found != reader.announced as usize {
        return Err(end(DimacsErrorKind::EdgeCount { announced: reader.announced, found: reader.found }));
    }
    Ok(reader.builder.build().expect("every line was checked"))
}

fn read_line(line: &str, reader: &mut Option<Reader>) -> Result<(), DimacsErrorKind> {
    let mut fields = line.split_ascii_whitespace();
    let Some(letter) = fields.next() else { return Ok(()) };
    match (letter, reader) {
        ("c", _) => Ok(()),
        ("p", Some(_)) => Err(DimacsErrorKind::RepeatedHeader),
        ("p", reader) => {
            let word = fields.next().unwrap_or_default();
            if word != "edge" && word != "col" {
                return Err(DimacsErrorKind::UnknownProblem(word.to_owned()));
            }
            let [vertices, announced] = numbers(fields)?;
            if vertices > MAX_VERTICES {
                return Err(DimacsErrorKind::TooLarge { vertices });
            }
            let mut builder = GraphBuilder::new();
            builder.add_vertices(vertices as usize, 0);
            *reader = Some(Reader { builder, coloured: vec![false; vertices as usize], announced, found: 0 });
            Ok(())
        }
        ("n" | "e", None) => Err(DimacsErrorKind::BeforeHeader),
        ("n", Some(reader)) => {
            let [vertex, colour] = numbers(fields)?;
            let v = reader.vertex(vertex)?;
            if std::mem::replace(&mut reader.coloured[v as usize], true) {
                return Err(DimacsErrorKind::RepeatedColour(vertex));
            }
            reader.builder.set_colour(Vertex::new(v), colour);
            Ok(())
        }
        ("e", Some(reader)) => {
            let [from, to] = numbers(fields)?;
            let (u, v) = (reader.vertex(from)?, reader.vertex(to)?);
            if u == v {
                return Err(DimacsErrorKind::Loop(from));
            }
            reader.builder.add_edge(Vertex::new(u), Vertex::new(v));
            reader.found += 1;
            Ok(())
        }
        (word, _) => Err(DimacsErrorKind::UnknownLine(word.to_owned())),
    }
}

impl Reader {
    /// The vertex written as `number`.
    fn vertex(&self, number: u32) -> Result<u32, DimacsErrorKind> {
        if number == 0 || number as usize > self.coloured.len() {
            let vertices = super::index(self.coloured.len());
            return Err(DimacsErrorKind::VertexOutOfRange { vertex: number, vertices });
        }
        Ok(number - 1)
    }
}

/// Exactly `N` numbers.
fn numbers<'a, const N: usize>(fields: impl Iterator<Item = &'a str>) -> Result<[u32; N], DimacsErrorKind> {
    let mut values = [0; N];
    let mut found = 0;
    for field in fields {
        if let Some(value) = values.get_mut(found) {
            *value = field.parse().map_err(|_| DimacsErrorKind::NotANumber(field.to_owned()))?;
        }
        found += 1;
    }
    if found == N { Ok(values) } else { Err(DimacsErrorKind::FieldCount { expected: N, found }) }
}

/// The DIMACS text of `graph`; [`parse_dimacs`] reads it back to an equal graph.
#[must_use]
pub fn write_dimacs(graph: &Graph) -> String {
    let mut text = format!("p edge {} {}\n", graph.len(), graph.edge_count());
    for (v, &colour) in graph.colours().iter().enumerate() {
        if colour != 0 {
            writeln!(text, "n {} {colour}", v + 1).expect("writing to a string");
        }
    }
    for (u, v) in graph.edges() {
        writeln!(text, "e {} {}", u + 1, v + 1).expect("writing to a string");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{parse_dimacs, write_dimacs};

    #[test]
    fn a_text_round_trips() {
        let text = "p edge 4 2\nn 2 7\nn 4 1\ne 1 3\ne 2 4\n";
        let graph = parse_dimacs(text).expect("well formed");
        assert_eq!(write_dimacs(&graph), text);
    }

    #[test]
    fn comments_blank_lines_and_col_are_accepted() {
        let graph = parse_dimacs("c hello\n\np col 2 1\n  e 2 1\n").expect("well formed");
        assert_eq!(graph.edge_count(), 1);
    }

    #[test]
    fn every_malformed_line_is_named() {
        let cases = [
            ("", "line 1: no `p edge` line"),
            ("e 1 2\n", "line 1: vertices and edges must follow the `p edge` line"),
            ("p edge 2 0\np edge 2 0\n", "line 2: a second `p` line"),
            ("p cnf 2 0\n", "line 1: expected `p edge`, found `p cnf`"),
            ("p edge 2\n", "line 1: expected 2 fields after the letter, found 1"),
            ("p edge 4294967295 0\n", "line 1: 4294967295 vertices announced, at most 134217728 are read"),
            ("p edge 2 0\nx 1\n", "line 2: expected `c`, `p`, `n` or `e`, found `x`"),
            ("p edge 2 1\ne 1 -2\n", "line 2: `-2` is not a number below 2^32"),
            ("p edge 2 1\ne 1 3\n", "line 2: vertex 3 is outside 1..=2"),
            ("p edge 2 1\n\ne 0 1\n", "line 3: vertex 0 is outside 1..=2"),
            ("p edge 2 0\nn 1 4\nn 1 4\n", "line 3: vertex 1 already has a colour"),
            ("p edge 2 1\ne 2 2\n", "line 2: vertex 2 is joined to itself"),
            ("p edge 2 1\ne 1 2 3\n", "line 2: expected 2 fields after the letter, found 3"),
            ("p edge 2 2\ne 1 2\n", "line 3: 2 edges announced, 1 found"),
        ];
        for (text, message) in cases {
            assert_eq!(parse_dimacs(text).expect_err(text).to_string(), message);
        }
    }
}
