//! Prints order, orbits, generators and time of a graph: `cargo bench -p quotient-benches --bench graph_order -- FILE.dimacs`.

use std::time::Instant;

fn main() {
    for path in std::env::args().skip(1).filter(|word| word != "--bench") {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let graph = match engine::parse_dimacs(&text) {
            Ok(graph) => graph,
            Err(error) => {
                eprintln!("{path}: {error}");
                continue;
            }
        };
        let begin = Instant::now();
        let mut support = 0;
        let report = engine::automorphisms(&graph, &mut |generator| support += generator.pairs().len());
        let time = begin.elapsed();
        let digits = report.order.to_string();
        let order = if digits.len() > 40 { format!("about 10^{}", digits.len() - 1) } else { digits };
        println!(
            "{path}: order {order}, {} orbits, {} generators (support {support}), base {}, {} nodes, {:.1} ms",
            report.orbit_count(),
            report.generators,
            report.base.len(),
            report.nodes,
            time.as_secs_f64() * 1000.0
        );
    }
}
