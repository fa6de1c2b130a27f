//! Prints the size and the order of the graph of Rebeca models.

use frontend::diagnostics::Diagnostics;
use frontend::lower::{LowerOptions, lower};
use frontend::model::PropertySet;
use frontend::syntax::parse_model;

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("a file");
        let mut diagnostics = Diagnostics::new();
        let program = parse_model(&text, &mut diagnostics);
        let Some(model) = lower(&program, &LowerOptions::default(), &mut diagnostics) else { continue };
        let start = std::time::Instant::now();
        match csp::actors::Actors::new(&model, &PropertySet::default()) {
            Err(error) => println!("{path}: {}", error.0),
            Ok(actors) => {
                let lowered = start.elapsed();
                if std::env::var("PRINT").is_ok() {
                    println!("{}", actors.print());
                }
                let graph = csp::actors::ActorGraph::new(&actors);
                let drawn = start.elapsed() - lowered;
                assert!(graph.verify(&actors).is_empty() && actors.verify().is_empty());
                let report = engine::automorphisms(&graph.graph, &mut |generator| {
                    if std::env::var("PRINT").is_ok() {
                        for &(a, b) in generator.pairs() {
                            println!("  {} -> {}", actors.vertex_name(graph.vertices[a as usize]), actors.vertex_name(graph.vertices[b as usize]));
                        }
                        println!("--");
                    }
                });
                println!(
                    "{path}: {} vertices, {} edges, order {} {:?} {:?} {:?} opaque {:?}",
                    graph.graph.len(),
                    graph.graph.edge_count(),
                    report.order,
                    lowered,
                    drawn,
                    start.elapsed() - drawn - lowered,
                    actors.opaque()
                );
            }
        }
    }
}
