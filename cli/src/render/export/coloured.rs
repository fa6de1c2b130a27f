//! The coloured graph of a small model as a drawing: vertices that some automorphism exchanges have one colour, fixed
//! vertices are grey. The title of a vertex gives its meaning.
//!
//! The layout combines springs along edges with a repulsion between all pairs, for a fixed number of rounds from
//! places that depend on the number of a vertex only. Only sums, products, quotients and roots are used, which are
//! the same on every machine; positions are rounded to tenths.
//!
//! Invariant: every text is escaped.
//!
//! Complexity: rounds times pairs of vertices; larger graphs are not drawn.

use std::fmt::Write;

use engine::{Graph, automorphism_group};
use serde::Serialize;

use super::escape::xml;
use super::graph::COLOURS;
use crate::language::pictures::NamedGraph;
use crate::paint::clean;

/// The largest graph that is drawn.
const MOST_VERTICES: usize = 300;
/// The most edges of one.
const MOST_EDGES: usize = 1_000;
/// The most orbits that the key names.
const MOST_NAMED: usize = 24;
/// The most members of an orbit that the key names.
const MOST_MEMBERS: usize = 12;
const ROUNDS: usize = 250;

/// A graph with the meaning of its vertices.
#[derive(Clone, Default, Debug)]
pub(crate) struct Coloured {
    /// By vertex.
    names: Vec<String>,
    /// By vertex: the colour that automorphisms keep.
    colours: Vec<u32>,
    /// By vertex: the number of its orbit, if that has more than one member.
    orbits: Vec<Option<usize>>,
    edges: Vec<(usize, usize)>,
}

/// A drawing with its key.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct Drawing {
    /// The drawing; markup.
    svg: String,
    vertices: usize,
    edges: usize,
    /// The orbits of more than one vertex: number, colour, members in words.
    key: Vec<(usize, usize, String)>,
    /// Orbits that the key leaves out.
    more: usize,
}

impl Coloured {
    /// A graph, if it is small enough to be drawn and its orbits are found in half of the remaining time.
    pub(crate) fn of(named: &NamedGraph) -> Option<Coloured> {
        let find = || Coloured::new(&named.graph, &|vertex| named.names[vertex].clone());
        limits::share(1, 2, find).ok().flatten()
    }

    /// The graph, if it is small enough to be drawn.
    fn new(graph: &Graph, name: &dyn Fn(usize) -> String) -> Option<Coloured> {
        if graph.is_empty() || graph.len() > MOST_VERTICES || graph.edge_count() > MOST_EDGES {
            return None;
        }
        let (report, _) = automorphism_group(graph);
        let least = &report.orbits;
        debug_assert_eq!(least.len(), graph.len(), "every vertex is in an orbit");
        let mut numbers: Vec<u32> = Vec::new();
        for (vertex, &first) in least.iter().enumerate() {
            if vertex != first as usize && !numbers.contains(&first) {
                numbers.push(first);
            }
        }
        numbers.sort_unstable();
        Some(Coloured {
            names: (0..graph.len()).map(|vertex| clean(&name(vertex))).collect(),
            colours: graph.colours().to_vec(),
            orbits: least.iter().map(|first| numbers.iter().position(|known| known == first)).collect(),
            edges: graph.edges().map(|(from, to)| (from as usize, to as usize)).collect(),
        })
    }

    /// The drawing.
    pub(crate) fn draw(&self) -> Drawing {
        let count = self.orbits.iter().flatten().max().map_or(0, |most| most + 1);
        let vertices = [self.colours.len(), self.orbits.len()];
        assert!(vertices == [self.names.len(); 2], "every vertex has a name, a colour, and an orbit or none");
        let members = |orbit: usize| {
            let all: Vec<&str> =
                (0..self.names.len()).filter(|&v| self.orbits[v] == Some(orbit)).map(|v| &*self.names[v]).collect();
            let more = all.len().saturating_sub(MOST_MEMBERS);
            let listed = all[..all.len() - more].join(", ");
            if more == 0 { listed } else { format!("{listed} and {more} more") }
        };
        Drawing {
            svg: self.svg(),
            vertices: self.names.len(),
            edges: self.edges.len(),
            key: (0..count.min(MOST_NAMED)).map(|orbit| (orbit + 1, orbit % COLOURS, members(orbit))).collect(),
            more: count.saturating_sub(MOST_NAMED),
        }
    }

    #[expect(clippy::cast_precision_loss)]
    fn svg(&self) -> String {
        let places = self.layout();
        let size = 120.0 + 46.0 * (self.names.len() as f64).sqrt();
        let margin = 14.0;
        let (low, high) = places.iter().fold(((f64::MAX, f64::MAX), (f64::MIN, f64::MIN)), |(low, high), at| {
            ((low.0.min(at.0), low.1.min(at.1)), (high.0.max(at.0), high.1.max(at.1)))
        });
        let span = (high.0 - low.0).max(high.1 - low.1).max(1e-9);
        let scale = (size - 2.0 * margin) / span;
        let place = |v: usize| (margin + (places[v].0 - low.0) * scale, margin + (places[v].1 - low.1) * scale);
        let (width, height) = ((high.0 - low.0) * scale + 2.0 * margin, (high.1 - low.1) * scale + 2.0 * margin);
        let mut out = format!(
            "<svg class=\"graph\" role=\"img\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n<title>coloured graph</title>\n"
        );
        for &(from, to) in &self.edges {
            let ((x, y), (u, v)) = (place(from), place(to));
            let _ = writeln!(out, "<path class=\"edge\" d=\"M{x:.1} {y:.1} L{u:.1} {v:.1}\"/>");
        }
        for (vertex, name) in self.names.iter().enumerate() {
            let (x, y) = place(vertex);
            let (class, text) = match self.orbits[vertex] {
                Some(orbit) => (format!("node c{}", orbit % COLOURS), format!("orbit {}", orbit + 1)),
                None => ("node fixed".to_owned(), "fixed".to_owned()),
            };
            let title = xml(&format!("{name} (colour {}, {text})", self.colours[vertex]));
            let radius = if self.orbits[vertex].is_some() { 6 } else { 4 };
            let _ = writeln!(
                out,
                "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"><title>{title}</title></circle>"
            );
        }
        out.push_str("</svg>\n");
        out
    }

    #[expect(clippy::cast_precision_loss)]
    fn layout(&self) -> Vec<(f64, f64)> {
        let count = self.names.len();
        // The places of a lattice that fills the square evenly, whatever the number of vertices.
        let (one, other) = (0.754_877_666_246_692_7, 0.569_840_290_998_053_2);
        let mut places: Vec<(f64, f64)> =
            (1..=count).map(|v| ((v as f64 * one).fract(), (v as f64 * other).fract())).collect();
        let ideal = (1.0 / count as f64).sqrt();
        for round in 0..ROUNDS {
            let heat = 0.1 * (ROUNDS - round) as f64 / ROUNDS as f64;
            let mut moves = vec![(0.0, 0.0); count];
            for v in 0..count {
                for u in 0..v {
                    let (dx, dy) = (places[v].0 - places[u].0, places[v].1 - places[u].1);
                    let square = (dx * dx + dy * dy).max(1e-6);
                    let push = ideal * ideal / square;
                    moves[v] = (moves[v].0 + dx * push, moves[v].1 + dy * push);
                    moves[u] = (moves[u].0 - dx * push, moves[u].1 - dy * push);
                }
                // A pull to the middle keeps parts that no edge joins together.
                let (dx, dy) = (0.5 - places[v].0, 0.5 - places[v].1);
                moves[v] = (moves[v].0 + 1.5 * dx, moves[v].1 + 1.5 * dy);
            }
            for &(u, v) in &self.edges {
                let (dx, dy) = (places[v].0 - places[u].0, places[v].1 - places[u].1);
                let pull = (dx * dx + dy * dy).sqrt() / ideal;
                moves[v] = (moves[v].0 - dx * pull, moves[v].1 - dy * pull);
                moves[u] = (moves[u].0 + dx * pull, moves[u].1 + dy * pull);
            }
            for (place, step) in places.iter_mut().zip(moves) {
                let length = (step.0 * step.0 + step.1 * step.1).sqrt().max(1e-12);
                let factor = length.min(heat) / length;
                *place = (place.0 + step.0 * factor, place.1 + step.1 * factor);
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::GraphBuilder;

    fn star() -> Graph {
        let mut builder = GraphBuilder::new();
        let middle = builder.add_vertex(0);
        for _ in 0..3 {
            let leaf = builder.add_vertex(1);
            builder.add_edge(middle, leaf);
        }
        builder.build().expect("a graph")
    }

    #[test]
    fn orbits_have_colours_and_names_are_escaped() {
        let coloured = Coloured::new(&star(), &|vertex| format!("<v{vertex}>")).expect("small enough");
        let drawing = coloured.draw();
        assert_eq!(drawing.key, [(1, 0, "<v1>, <v2>, <v3>".to_owned())]);
        assert_eq!(drawing.svg.matches("node c0").count(), 3);
        assert_eq!(drawing.svg.matches("node fixed").count(), 1);
        assert!(drawing.svg.contains("&lt;v0&gt;") && !drawing.svg.contains("<v0>"));
    }

    #[test]
    fn a_drawing_is_the_same_again() {
        let draw = || Coloured::new(&star(), &|vertex| vertex.to_string()).expect("small enough").draw().svg;
        assert_eq!(draw(), draw());
        assert!(!draw().contains("NaN"));
    }
}
