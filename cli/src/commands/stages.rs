//! The stages between a sequential process and its symmetries, as text: `convert --to ssa`, `csp` and `graph`.

use std::fmt::Write;

use csp::{ColouredGraph, Csp, Ties, ground, ssa};
use engine::{write_dimacs, write_dot, write_dreadnaut};
use frontend::diagnostics::{Diagnostic, codes};
use frontend::sequential::Sequential;
use frontend::source::Span;

use crate::args::{ConvertArgs, ConvertTo, GraphFormat};
use crate::console::say;
use crate::io;
use crate::outcome::Failure;

/// A stage as text; nothing over a limit.
pub(crate) fn stage(model: &Sequential, args: &ConvertArgs) -> Result<Option<String>, Failure> {
    let forms = csp::forms(model);
    if args.to == ConvertTo::Ssa {
        let bodies = model.summands.iter().zip(&forms);
        let bodies: Vec<String> = bodies.map(|(summand, form)| ssa::print(model, summand, form)).collect();
        return Ok(Some(bodies.join("\n")));
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
    Ok(Some(match args.graph_format {
        GraphFormat::Dimacs => write_dimacs(&graph.graph),
        GraphFormat::Dot => write_dot(&graph.graph),
        GraphFormat::Dreadnaut => write_dreadnaut(&graph.graph),
    }))
}

/// What each vertex stands for, a line each, numbered as the format numbers vertices.
fn map(model: &Sequential, csp: &Csp, graph: &ColouredGraph, format: GraphFormat) -> String {
    let first = usize::from(format == GraphFormat::Dimacs);
    let mut out = String::new();
    for (number, vertex) in (first..).zip(&graph.vertices) {
        let _ = writeln!(out, "{number} {}", vertex.name(model, csp));
    }
    out
}

/// Why Rebeca models have no such stages.
pub(crate) fn refused() -> Failure {
    let message = "`--to ssa`, `--to csp` and `--to graph` are for sequential processes in this version";
    Failure::usage(Diagnostic::error(codes::NOT_AVAILABLE, Span::NONE, message))
}
