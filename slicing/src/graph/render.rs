//! The graph as text: for Graphviz, or as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use frontend::model::{ClassId, Model};
use frontend::source::{Source, Span};
use petgraph::graph::{EdgeReference, NodeIndex};
use petgraph::visit::EdgeRef;

use super::{BodyRef, Dependence, DependenceGraph, Node, NodeKind};

/// The description of a node, in the names of the model.
pub(crate) fn label(model: &Model, node: &Node, source: &Source) -> String {
    let class = &model.class(node.class).name;
    let member = |body: BodyRef| format!("{class}.{}", body.name(model));
    let text = || excerpt(source, node.span);
    match node.kind {
        NodeKind::Class => class.clone(),
        NodeKind::Variable(id) => format!("{class}.{}", model.class(node.class).variables[id.index()].name),
        NodeKind::Entry(body) => member(body),
        NodeKind::Body(body) => format!("{} {{..}}", member(body)),
        NodeKind::Formal(body, index) => format!("{}({})", member(body), body.of(model).locals[index].name),
        NodeKind::Statement(..) => text(),
        NodeKind::Actual(_, _, index) => format!("argument {}: {}", index + 1, text()),
    }
}

/// The first line of a text.
pub(crate) fn excerpt(source: &Source, span: Span) -> String {
    if span == Span::NONE {
        return "..".to_owned();
    }
    let line = source.slice(span).lines().next().unwrap_or_default();
    line.trim_end_matches(['{', ' ', ';']).to_owned()
}

/// The kind of a node.
pub(crate) fn kind(node: &Node) -> &'static str {
    match node.kind {
        NodeKind::Class => "class",
        NodeKind::Variable(_) => "variable",
        NodeKind::Entry(_) => "entry",
        NodeKind::Body(_) => "body",
        NodeKind::Formal(..) => "formal-in",
        NodeKind::Statement(..) => "statement",
        NodeKind::Actual(..) => "actual-in",
    }
}

pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The drawn part: the whole graph, or one class with the nodes of other classes that are adjacent to its nodes.
struct Part<'a> {
    graph: &'a DependenceGraph<'a>,
    only: Option<ClassId>,
}

impl Part<'_> {
    fn is_own(&self, node: NodeIndex) -> bool {
        self.only.is_none_or(|class| self.graph.graph[node].class == class)
    }

    fn edges(&self) -> impl Iterator<Item = EdgeReference<'_, Dependence>> {
        let own = |edge: &EdgeReference<'_, Dependence>| self.is_own(edge.source()) || self.is_own(edge.target());
        self.graph.graph.edge_references().filter(own)
    }

    /// The nodes, ascending, each with whether it is of the class.
    fn nodes(&self) -> BTreeMap<NodeIndex, bool> {
        let own = self.graph.graph.node_indices().filter(|&node| self.is_own(node));
        let ends = self.edges().flat_map(|edge| [edge.source(), edge.target()]);
        own.chain(ends).map(|node| (node, self.is_own(node))).collect()
    }
}

/// The graph for Graphviz, with one cluster per class. If it is restricted to one class, the adjacent nodes of other
/// classes are dashed.
pub fn dot(graph: &DependenceGraph<'_>, source: &Source, only: Option<ClassId>) -> String {
    let part = Part { graph, only };
    let nodes = part.nodes();
    let mut out = String::from("digraph dependence {\n  rankdir=LR;\n  node [shape=box, fontsize=10];\n");
    for (index, class) in graph.model.classes.iter().enumerate() {
        let own: Vec<_> = nodes.iter().filter(|(node, _)| graph.graph[**node].class.index() == index).collect();
        if own.is_empty() && only.is_some() {
            continue;
        }
        let _ = writeln!(out, "  subgraph cluster_{index} {{\n    label={};", quoted(&class.name));
        for (node, is_own) in own {
            let text = quoted(&label(graph.model, &graph.graph[*node], source));
            let style = if *is_own { "" } else { ", style=dashed" };
            let _ = writeln!(out, "    n{} [label={text}{style}];", node.index());
        }
        out.push_str("  }\n");
    }
    for edge in part.edges() {
        let (from, to) = (edge.source().index(), edge.target().index());
        let _ = writeln!(out, "  n{from} -> n{to} [label={}];", quoted(edge.weight().name()));
    }
    out.push_str("}\n");
    out
}

/// The graph as JSON: nodes with class, kind, label and place, edges with their dependence. If it is restricted to one
/// class, the adjacent nodes of other classes are included, with their own classes.
pub fn json(graph: &DependenceGraph<'_>, source: &Source, only: Option<ClassId>) -> String {
    let part = Part { graph, only };
    let mut out = String::from("{\n  \"schema_version\": 1,\n  \"nodes\": [\n");
    let nodes: Vec<String> = part.nodes().into_keys().map(|node| one_node(graph, source, node)).collect();
    let _ = write!(out, "{}\n  ],\n  \"edges\": [\n", nodes.join(",\n"));
    let edges = part.edges().map(|edge| {
        let (from, to) = (edge.source().index(), edge.target().index());
        format!("    {{\"from\": {from}, \"to\": {to}, \"dependence\": {}}}", quoted(edge.weight().name()))
    });
    let _ = write!(out, "{}\n  ]\n}}\n", edges.collect::<Vec<_>>().join(",\n"));
    out
}

fn one_node(graph: &DependenceGraph<'_>, source: &Source, node: NodeIndex) -> String {
    let found = &graph.graph[node];
    let place = place(source, found.span);
    format!(
        "    {{\"id\": {}, \"class\": {}, \"kind\": {}, \"label\": {}, \"place\": {place}}}",
        node.index(),
        quoted(&graph.model.class(found.class).name),
        quoted(kind(found)),
        quoted(&label(graph.model, found, source)),
    )
}

/// The place of a span in the text, as JSON.
pub(super) fn place(source: &Source, span: Span) -> String {
    if span == Span::NONE {
        return "null".to_owned();
    }
    let position = source.position(span.start);
    format!("{{\"line\": {}, \"column\": {}}}", position.line, position.column)
}
