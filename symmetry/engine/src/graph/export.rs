//! Writers for other tools: Graphviz, dreadnaut (nauty and Traces) and GAP.
//!
//! Vertices keep their numbers in DOT and dreadnaut (from zero) and are counted from one in GAP.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Graph;
use crate::permutation::SparsePermutation;

/// Graphviz text; each vertex is labelled with its number and its colour.
#[must_use]
pub fn write_dot(graph: &Graph) -> String {
    let mut text = String::from("graph {\n");
    for v in graph.vertices() {
        writeln!(text, "  {v} [label=\"{v}:{}\"];", graph.colour(v)).expect("writing to a string");
    }
    for (u, v) in graph.edges() {
        writeln!(text, "  {u} -- {v};").expect("writing to a string");
    }
    text.push_str("}\n");
    text
}

/// Input for dreadnaut: the graph, its colour classes in the order of the colours, and the command to run.
#[must_use]
pub fn write_dreadnaut(graph: &Graph) -> String {
    let mut text = format!("n={} $=0 g\n", graph.len());
    for u in graph.vertices() {
        let row = graph.neighbours(u);
        let later = &row[row.partition_point(|&v| v < u)..];
        if !later.is_empty() {
            write!(text, "{u}:").expect("writing to a string");
            for v in later {
                write!(text, " {v}").expect("writing to a string");
            }
            text.push_str(";\n");
        }
    }
    text.push_str(".\n");
    let mut classes: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for v in graph.vertices() {
        classes.entry(graph.colour(v)).or_default().push(v.to_string());
    }
    let classes: Vec<String> = classes.into_values().map(|class| class.join(",")).collect();
    writeln!(text, "f=[{}]\nx", classes.join("|")).expect("writing to a string");
    text
}

/// A GAP group from generators, points counted from one.
#[must_use]
pub fn write_gap(generators: &[SparsePermutation]) -> String {
    if generators.is_empty() {
        return String::from("Group(());\n");
    }
    let cycles: Vec<String> = generators.iter().map(SparsePermutation::to_gap).collect();
    format!("Group({});\n", cycles.join(",\n  "))
}

#[cfg(test)]
mod tests {
    use super::{write_dot, write_dreadnaut, write_gap};
    use crate::graph::parse_dimacs;
    use crate::permutation::SparsePermutation;

    #[test]
    fn texts_for_other_tools() {
        let graph = parse_dimacs("p edge 3 2\nn 2 7\ne 1 2\ne 2 3\n").expect("well formed");
        assert_eq!(
            write_dot(&graph),
            "graph {\n  0 [label=\"0:0\"];\n  1 [label=\"1:7\"];\n  2 [label=\"2:0\"];\n  0 -- 1;\n  1 -- 2;\n}\n"
        );
        assert_eq!(write_dreadnaut(&graph), "n=3 $=0 g\n0: 1;\n1: 2;\n.\nf=[0,2|1]\nx\n");
        let swap = SparsePermutation::from_pairs(vec![(0, 2), (2, 0)]).expect("a bijection");
        assert_eq!(write_gap(&[swap.clone(), swap]), "Group((1,3),\n  (1,3));\n");
        assert_eq!(write_gap(&[]), "Group(());\n");
    }
}
