//! `quotient graph`: the automorphism engine by itself, on a coloured graph in DIMACS format.

use std::fmt::Write;
use std::time::Instant;

use engine::{
    AutomorphismReport, DimacsError, Graph, SparsePermutation, Structure, find_automorphisms, parse_dimacs,
    write_dimacs, write_dot, write_dreadnaut, write_gap,
};
use frontend::diagnostics::Diagnostic;
use frontend::source::{Source, Span};
use serde_json::json;

use crate::args::{GraphArgs, GraphTo};
use crate::codes;
use crate::console::Console;
use crate::outcome::{Failure, Outcome, reporting};
use crate::paint::{Paint, count, counted, large_order, time, vertices};
use crate::paths::refuse_overwriting;
use crate::render::json::pretty;
use crate::{io, load};

/// Generators and orbits that the report for people prints at most.
const SHOWN: usize = 20;

/// Points of one cycle list that the report for people prints at most.
const SHOWN_POINTS: usize = 40;

/// The structure is named for groups on at most so many vertices: for larger ones, naming can cost more than the
/// search.
const NAMED_DEGREE: usize = 20_000;

/// The elementary steps of writing one point of a cycle.
const POINT: u64 = 16;

/// The largest graph file that is read, in bytes.
const GRAPH_LIMIT: usize = 2 << 30;

/// The result of the engine.
struct Found {
    graph: Graph,
    report: AutomorphismReport,
    generators: Vec<SparsePermutation>,
    structure: Option<String>,
    seconds: f64,
}

/// Finds the automorphisms of a graph.
pub(crate) fn run(args: &GraphArgs, console: &mut Console) -> Result<Outcome, Failure> {
    io::refuse_unwritable(args.output.as_deref())?;
    refuse_overwriting([&*args.file], args.output.as_deref())?;
    let source = load::read_source_within(&args.file, GRAPH_LIMIT, console)?;
    let graph = match parse_dimacs(&source.text) {
        Ok(graph) => graph,
        Err(error) => {
            console.report_one(malformed(&error, &source), &source);
            return Err(Failure::Reported);
        }
    };
    let text = match args.to {
        Some(GraphTo::Dimacs) => write_dimacs(&graph),
        Some(GraphTo::Dreadnaut) => write_dreadnaut(&graph),
        Some(GraphTo::Dot) => write_dot(&graph),
        Some(GraphTo::Gap) | None => {
            let found = find(graph);
            reporting(|| {
                let text = match args.to {
                    Some(_) => write_gap(&found.generators),
                    None if args.json => pretty(&as_json(&found, args)),
                    None => for_people(&found, &source.name, Paint { on: console.colours_stdout() }),
                };
                io::write(args.output.as_deref(), text.as_bytes())
            })?;
            return Ok(match limits::watch().consult() {
                Err(stopped) if !found.report.complete => Outcome::stopped(stopped),
                _ => Outcome::Done,
            });
        }
    };
    io::write(args.output.as_deref(), text.as_bytes())?;
    Ok(Outcome::Done)
}

fn find(graph: Graph) -> Found {
    let started = Instant::now();
    let automorphisms = find_automorphisms(&graph);
    let seconds = started.elapsed().as_secs_f64();
    let named = automorphisms.report().complete && graph.len() <= NAMED_DEGREE;
    // A name that takes longer than an eighth of the time that is left is the order.
    let structure = named.then(|| {
        let name = limits::share(1, 8, || automorphisms.name());
        name.unwrap_or_else(|_| Structure::Unknown(automorphisms.report().order.clone())).to_string()
    });
    let (report, generators) = (automorphisms.report().clone(), automorphisms.generators().to_vec());
    debug_assert_eq!(report.orbits.len(), graph.len(), "every vertex is in an orbit");
    Found { graph, report, generators, structure, seconds }
}

/// The diagnostic for a malformed line.
fn malformed(error: &DimacsError, source: &Source) -> Diagnostic {
    let offset: usize = source.text.split_inclusive('\n').take(error.line.saturating_sub(1)).map(str::len).sum();
    let line = source.text.get(offset..).unwrap_or("").lines().next().unwrap_or("");
    let place = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    let span = Span::new(place(offset), place(offset + line.len()));
    Diagnostic::error(codes::MALFORMED_GRAPH, span, error.kind.to_string())
}

/// Vertices as the file counts them.
fn cycles(generator: &SparsePermutation) -> Vec<Vec<u32>> {
    let counted_from_one = |cycle: Vec<u32>| {
        limits::work(POINT * cycle.len() as u64);
        cycle.into_iter().map(|point| point + 1).collect()
    };
    generator.cycles().into_iter().map(counted_from_one).collect()
}

/// The orbits of more than one vertex, as the file counts vertices.
fn orbits(report: &AutomorphismReport) -> Vec<Vec<u32>> {
    let mut members: std::collections::BTreeMap<u32, Vec<u32>> = std::collections::BTreeMap::new();
    for (vertex, &least) in (1u32..).zip(&report.orbits) {
        members.entry(least).or_default().push(vertex);
    }
    members.into_values().filter(|orbit| orbit.len() > 1).collect()
}

fn as_json(found: &Found, args: &GraphArgs) -> serde_json::Value {
    let generators: Vec<Vec<Vec<u32>>> = found.generators.iter().map(cycles).collect();
    json!({
        "schema_version": 1,
        "command": "graph",
        "file": io::display(&args.file),
        "vertices": found.graph.len(),
        "edges": found.graph.edge_count(),
        "complete": found.report.complete,
        "order": found.report.order.to_string(),
        "structure": found.structure,
        "generators": generators,
        "orbits": orbits(&found.report),
        "nodes": found.report.nodes,
        "seconds": found.seconds,
    })
}

fn for_people(found: &Found, name: &str, paint: Paint) -> String {
    let report = &found.report;
    let mut out = format!("{}\n", paint.bold(name));
    let edges = found.graph.edge_count() as u64;
    let _ = writeln!(out, "  graph        {}, {}", vertices(found.graph.len()), counted(edges, "edge"));
    let bound = if report.complete { "" } else { "at least " };
    let _ = writeln!(out, "  order        {bound}{}", large_order(&report.order));
    if let Some(structure) = &found.structure {
        let _ = writeln!(out, "  structure    {structure}");
    }
    let _ = writeln!(out, "  generators   {}", count(found.generators.len() as u64));
    for generator in found.generators.iter().take(SHOWN) {
        let _ = writeln!(out, "    {}", cycle_text(&cycles(generator)));
    }
    more(&mut out, found.generators.len(), "generators");
    let moved = orbits(report);
    let _ = writeln!(out, "  orbits       {}", count(report.orbit_count() as u64));
    for orbit in moved.iter().take(SHOWN) {
        let members: Vec<String> = orbit.iter().take(SHOWN_POINTS).map(u32::to_string).collect();
        let dots = if orbit.len() > SHOWN_POINTS { " .." } else { "" };
        let _ = writeln!(out, "    {{{}{dots}}}", members.join(" "));
    }
    more(&mut out, moved.len(), "orbits of more than one vertex");
    let _ = writeln!(out, "\n  {}   {}", counted(report.nodes, "search node"), time(found.seconds));
    if !report.complete {
        out.push_str("  stopped by a limit: the generators are automorphisms, there may be more\n");
    }
    out
}

fn more(out: &mut String, total: usize, what: &str) {
    if total > SHOWN {
        let _ = writeln!(out, "    .. and {} more {what} (--json shows all)", count((total - SHOWN) as u64));
    }
}

fn cycle_text(cycles: &[Vec<u32>]) -> String {
    let mut text = String::new();
    let mut points = 0;
    for cycle in cycles {
        points += cycle.len();
        if points > SHOWN_POINTS {
            text.push_str(" ..");
            break;
        }
        let members: Vec<String> = cycle.iter().map(u32::to_string).collect();
        let _ = write!(text, "({})", members.join(" "));
    }
    text
}
