//! Graphs as saucy reads them: the numbers of vertices, edges and colours, the first vertex of each colour but the first, and the edges.
//! Vertices are numbered from zero by colour.

use std::fmt::Write;

use engine::Graph;

/// The graph as text.
pub(super) fn text(graph: &Graph) -> String {
    let mut by_colour: Vec<u32> = graph.vertices().collect();
    by_colour.sort_by_key(|&vertex| graph.colour(vertex));
    let mut number = vec![0usize; graph.len()];
    let mut firsts = Vec::new();
    for (at, &vertex) in by_colour.iter().enumerate() {
        number[vertex as usize] = at;
        if at > 0 && graph.colour(by_colour[at - 1]) != graph.colour(vertex) {
            firsts.push(at.to_string());
        }
    }
    let mut text = format!("{} {} {}", graph.len(), graph.edge_count(), firsts.len() + 1);
    for first in firsts {
        text.push(' ');
        text.push_str(&first);
    }
    text.push('\n');
    debug_assert_eq!(graph.edges().count(), graph.edge_count(), "each edge is written once");
    for (one, other) in graph.edges() {
        let _ = writeln!(text, "{} {}", number[one as usize], number[other as usize]);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn vertices_are_numbered_by_colour() {
        let graph = engine::parse_dimacs("p edge 4 2\nn 1 5\nn 3 5\ne 1 2\ne 3 4\n").expect("a graph");
        assert_eq!(super::text(&graph), "4 2 2 2\n2 0\n3 1\n");
    }
}
