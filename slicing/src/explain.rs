//! Explanations why a node stays or was removed, as a chain of dependences to the question.

use frontend::model::Model;
use frontend::source::{Source, Span};
use petgraph::graph::NodeIndex;

use crate::graph::{DependenceGraph, NodeKind};
use crate::reduce::{Criterion, Query, Slice, graph_of};

/// The greatest length of a chain in an explanation.
const MOST_LINKS: usize = 24;

/// For each node on a line of the text: its description, and the reason why it stays or was removed. Empty if the line
/// has no node.
pub fn why(model: &Model, source: &Source, slice: &Slice, line: usize) -> Vec<String> {
    let graph = graph_of(model);
    let mut out: Vec<String> = Vec::new();
    for node in graph.graph.node_indices() {
        let found = graph.graph[node];
        let describe_node = !matches!(found.kind, NodeKind::Body(_) | NodeKind::Class | NodeKind::Actual(..));
        if describe_node && line_of(source, found.span) == Some(line) {
            for text in one(&graph, source, slice, node) {
                if !out.contains(&text) || text.starts_with(' ') {
                    out.push(text);
                }
            }
        }
    }
    out
}

fn line_of(source: &Source, span: Span) -> Option<usize> {
    (!span.is_none()).then(|| source.position(span.start).line)
}

fn describe_node(graph: &DependenceGraph<'_>, source: &Source, node: NodeIndex) -> String {
    let found = &graph.graph[node];
    let label = crate::graph::label(graph.model, found, source);
    match line_of(source, found.span) {
        Some(line) => format!("{} `{label}` (line {line})", crate::graph::kind(found)),
        None => format!("{} `{label}`", crate::graph::kind(found)),
    }
}

fn one(graph: &DependenceGraph<'_>, source: &Source, slice: &Slice, node: NodeIndex) -> Vec<String> {
    let name = describe_node(graph, source, node);
    if !slice.trail.reached[node.index()] {
        return vec![format!("{name} was removed: no criterion depends on it")];
    }
    let mut out = vec![format!("{name} stays")];
    let mut at = node;
    for _ in 0..MOST_LINKS {
        let Some(edge) = slice.trail.by[at.index()] else { break };
        let Some((_, next)) = graph.graph.edge_endpoints(edge) else { break };
        out.push(format!("  {}: {}", graph.graph[edge].name(), describe_node(graph, source, next)));
        at = next;
    }
    let reason = slice.trail.criteria.iter().find(|criterion| criterion.node == at);
    out.extend(reason.map(|Criterion { reason, .. }| format!("  criterion: {reason}")));
    out
}

/// The question, in one line.
pub fn describe_query(query: &Query) -> String {
    let mut parts: Vec<String> = Vec::new();
    let built_in = [(query.deadlock, "deadlock"), (query.assertions, "assertion"), (query.faults, "error")];
    parts.extend(built_in.iter().filter(|(requested, _)| *requested).map(|(_, name)| (*name).to_owned()));
    parts.extend(query.properties.properties.iter().map(|property| property.name.clone()));
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}
