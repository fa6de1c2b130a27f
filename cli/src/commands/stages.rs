//! The stages between a model and its symmetries, as text: `convert --to ssa`, `csp` and `graph`.

use std::fmt::Write;

use csp::actors::{ActorGraph, Actors, Switches};
use csp::{ColouredGraph, Csp, Ties, ground, ssa};
use engine::{Graph, write_dimacs, write_dot, write_dreadnaut};
use frontend::model::{Model, PropertySet};
use frontend::sequential::Sequential;

use crate::args::{ConvertArgs, ConvertTo, GraphFormat};
use crate::console::say;
use crate::io;
use crate::outcome::Failure;

/// A stage as text; nothing above a limit.
pub(crate) fn stage(model: &Sequential, args: &ConvertArgs) -> Result<Option<String>, Failure> {
    let forms = csp::forms(model);
    if args.to == ConvertTo::Ssa {
        return Ok(Some(ssa::print(model, &forms)));
    }
    let csp = match ground::constraints(model, &forms, &[]) {
        Ok(csp) => csp,
        Err(large) => {
            say(&format!("inconclusive: {large}; nothing is written"));
            return Ok(None);
        }
    };
    let graph = ColouredGraph::new(model, &csp, Ties::default());
    if let Some(problem) = csp::verify(model, &csp, &graph).first() {
        return Err(Failure::Internal(format!("a stage is not well formed: {problem}")));
    }
    if args.to == ConvertTo::Csp {
        return Ok(Some(csp.print(model)));
    }
    if let Some(path) = &args.map {
        io::write(Some(path), map(model, &csp, &graph, args.graph_format).as_bytes())?;
    }
    Ok(Some(drawn(&graph.graph, args.graph_format)))
}

/// The meaning of each vertex, one line per vertex, numbered as the format numbers vertices.
fn map(model: &Sequential, csp: &Csp, graph: &ColouredGraph, format: GraphFormat) -> String {
    let first = usize::from(format == GraphFormat::Dimacs);
    let mut out = String::new();
    for (number, vertex) in (first..).zip(&graph.vertices) {
        let _ = writeln!(out, "{number} {}", vertex.name(model, csp));
    }
    out
}

/// A stage of a Rebeca model as text; nothing where it cannot be represented.
pub(crate) fn stage_of_actors(model: &Model, args: &ConvertArgs) -> Result<Option<String>, Failure> {
    let actors = match Actors::new(model, &PropertySet::default()) {
        Ok(actors) => actors,
        Err(large) => {
            say(&format!("inconclusive: {}; nothing is written", large.0));
            return Ok(None);
        }
    };
    if let Some(problem) = actors.verify().first() {
        return Err(Failure::Internal(format!("a stage is not well formed: {problem}")));
    }
    match args.to {
        ConvertTo::Ssa => return Ok(Some(actors.print_paths())),
        ConvertTo::Csp => return Ok(Some(actors.print())),
        _ => {}
    }
    let graph = ActorGraph::with(&actors, Switches::default());
    if let Some(path) = &args.map {
        let first = usize::from(args.graph_format == GraphFormat::Dimacs);
        let lines = (first..).zip(&graph.vertices).map(|(number, &vertex)| (number, actors.vertex_name(vertex)));
        let text: String = lines.map(|(number, name)| format!("{number} {name}\n")).collect();
        io::write(Some(path), text.as_bytes())?;
    }
    Ok(Some(drawn(&graph.graph, args.graph_format)))
}

fn drawn(graph: &Graph, format: GraphFormat) -> String {
    match format {
        GraphFormat::Dimacs => write_dimacs(graph),
        GraphFormat::Dot => write_dot(graph),
        GraphFormat::Dreadnaut => write_dreadnaut(graph),
    }
}
