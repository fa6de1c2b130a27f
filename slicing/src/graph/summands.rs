//! The dependence graph of a sequential process, at the grain of its summands: variables, summands, and their
//! dependences.
//!
//! A summand depends on the variables that its guard reads (`guard`), and on those that its arguments and its body read
//! (`data`). A variable depends on the summands that write it (`write`). Locals are internal to their summand. A slice
//! for a property is made by statements ([`sequential`](crate::sequential)), so it may be smaller than the set of nodes
//! reached backwards here, never larger.
//!
//! Complexity: the text of the process.

use std::collections::BTreeSet;
use std::fmt::Write;

use frontend::sequential::{Sequential, Stmt, StmtKind, VariableId};
use frontend::source::{Source, Span};

use super::render::{place, quoted};

/// An edge: source, target, and dependence.
type Edge = (usize, usize, &'static str);

/// The graph of a process.
struct Graph {
    /// The kind, the name and the place of each node: variables, then summands.
    nodes: Vec<(&'static str, String, Span)>,
    edges: Vec<Edge>,
}

impl Graph {
    fn of(model: &Sequential) -> Graph {
        let variables = model.variables.iter().map(|one| ("variable", one.name.clone(), one.span));
        let summands = model.summands.iter().map(|one| ("summand", one.event.clone(), one.span));
        let mut edges = Vec::new();
        for (number, summand) in (model.variables.len()..).zip(&model.summands) {
            let (mut guard, mut data, mut written) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
            summand.guard.add_variables(&mut guard);
            summand.arguments.iter().for_each(|argument| argument.add_variables(&mut data));
            body(&summand.body, &mut data, &mut written);
            let own = |set: BTreeSet<VariableId>| {
                set.into_iter().map(VariableId::index).filter(|&index| index < model.variables.len())
            };
            edges.extend(own(guard).map(|variable| (variable, number, "guard")));
            edges.extend(own(data).map(|variable| (variable, number, "data")));
            edges.extend(own(written).map(|variable| (number, variable, "write")));
        }
        let nodes: Vec<_> = variables.chain(summands).collect();
        assert!(edges.iter().all(|&(from, to, _)| from.max(to) < nodes.len()), "edges join nodes");
        Graph { nodes, edges }
    }
}

/// The variables that the statements of a body read and write.
fn body(statements: &[Stmt], data: &mut BTreeSet<VariableId>, written: &mut BTreeSet<VariableId>) {
    let mut add = |statement: &Stmt| {
        if let StmtKind::Assign(place, _) = &statement.kind {
            written.insert(place.variable);
        }
        statement.expressions().into_iter().for_each(|expr| expr.add_variables(data));
    };
    statements.iter().for_each(|statement| statement.visit(&mut add));
}

/// The graph of a process for Graphviz; variables are round.
pub fn process_dot(model: &Sequential) -> String {
    let graph = Graph::of(model);
    let mut out = String::from("digraph dependence {\n  rankdir=LR;\n  node [shape=box, fontsize=10];\n");
    for (number, (kind, name, _)) in graph.nodes.iter().enumerate() {
        let shape = if *kind == "variable" { ", shape=ellipse" } else { "" };
        let _ = writeln!(out, "  n{number} [label={}{shape}];", quoted(name));
    }
    for (from, to, dependence) in graph.edges {
        let _ = writeln!(out, "  n{from} -> n{to} [label={}];", quoted(dependence));
    }
    out.push_str("}\n");
    out
}

/// The graph of a process as JSON: nodes with kind, label and place, edges with their dependence.
pub fn process_json(model: &Sequential, source: &Source) -> String {
    let graph = Graph::of(model);
    let node = |(number, (kind, name, span)): (usize, &(&str, String, Span))| {
        let (kind, label, place) = (quoted(kind), quoted(name), place(source, *span));
        format!("    {{\"id\": {number}, \"class\": null, \"kind\": {kind}, \"label\": {label}, \"place\": {place}}}")
    };
    let edge = |(from, to, dependence): Edge| {
        format!("    {{\"from\": {from}, \"to\": {to}, \"dependence\": {}}}", quoted(dependence))
    };
    let nodes: Vec<String> = graph.nodes.iter().enumerate().map(node).collect();
    let edges: Vec<String> = graph.edges.into_iter().map(edge).collect();
    let (nodes, edges) = (nodes.join(",\n"), edges.join(",\n"));
    format!("{{\n  \"schema_version\": 1,\n  \"nodes\": [\n{nodes}\n  ],\n  \"edges\": [\n{edges}\n  ]\n}}\n")
}
