//! The table of hard and of model-shaped graphs: sizes, orders, and the time to find all automorphisms.
//!
//! `cargo bench -p quotient-engine` prints it; every graph is relabelled at random before, and its order is compared with the
//! closed form. Words after `--` choose rows by the beginnings of their names; `write=FOLDER` writes the graphs for other engines
//! instead (`benches/peers.sh` runs those that are installed). Times are of the processor where the system shows them, so that
//! other programs do not disturb them much.

#[path = "../tests/graphs/support/mod.rs"]
mod support;

use std::time::Instant;

use num_bigint::BigUint;
use quotient_engine::{Graph, automorphisms, write_dimacs, write_dreadnaut};
use support::{Random, combinatorial, gadgets, graph};

/// A row: its name, its graph, and its order if there is a closed form.
struct Row {
    name: &'static str,
    graph: fn() -> Graph,
    order: Option<BigUint>,
}

fn factorial(n: u32) -> BigUint {
    (1..=n).map(BigUint::from).product()
}

fn number(n: u32) -> BigUint {
    BigUint::from(n)
}

fn rigid() -> Graph {
    let n = 100_000;
    graph(&vec![0; n as usize], &combinatorial::random_regular(n, 3, 1))
}

fn twisted() -> Graph {
    gadgets::cfi(&combinatorial::random_regular(1000, 3, 1), false)
}

fn rows() -> Vec<Row> {
    let row = |name, graph, order| Row { name, graph, order };
    vec![
        row("complete-12", || gadgets::leader_complete(12, 5), Some(factorial(12))),
        row("complete-15", || gadgets::leader_complete(15, 5), Some(factorial(15))),
        row("ring-12", || gadgets::leader_ring(12, 4), Some(number(12))),
        row("hypercube-6", || gadgets::hypercube_processes(6, 180), Some(factorial(6) << 6)),
        row("hypercube-10", || gadgets::hypercube_processes(10, 180), Some(factorial(10) << 10)),
        row("peterson-80", || gadgets::peterson_processes(80, 28), Some(factorial(80))),
        row("tier-100x100", || gadgets::tiers(&[100; 100], 20), Some(factorial(100).pow(101))),
        row("dining-4000", || gadgets::dining(4000, 54), Some(number(4000))),
        row("gadgets-20000", || gadgets::pentagons(20_000), Some(number(10).pow(20_000) * factorial(20_000))),
        row("cfi-1000", twisted, None),
        row("mz-50", || gadgets::cfi(&gadgets::miyazaki_base(50), false), None),
        row("latin-30", || combinatorial::latin_square(&combinatorial::random_square(30, 1)), None),
        row("random-100k", rigid, None),
    ]
}

/// Nanoseconds that this process has had on a processor; nothing where the system does not say.
fn processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

fn measure(row: &Row, graph: &Graph) {
    let (start, before) = (Instant::now(), processor());
    let mut generators = 0usize;
    let report = automorphisms(graph, &mut |_| generators += 1);
    let wall = start.elapsed().as_secs_f64() * 1000.0;
    let milliseconds = before.zip(processor()).map_or(wall, |(before, after)| (after - before) / 1e6);
    if let Some(order) = &row.order {
        assert_eq!(&report.order, order, "{}", row.name);
    }
    let order = match report.order.to_string() {
        digits if digits.len() > 12 => format!("10^{}", digits.len() - 1),
        digits => digits,
    };
    let (vertices, edges) = (graph.len(), graph.edge_count());
    println!("| {} | {vertices} | {edges} | {order} | {generators} | {milliseconds:.0} |", row.name);
}

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let folder = words.iter().find_map(|word| word.strip_prefix("write=")).map(std::path::PathBuf::from);
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with("write=")).collect();
    if folder.is_none() {
        println!("| graph | vertices | edges | order | generators | ms |\n|---|---|---|---|---|---|");
    }
    for row in rows() {
        if !wanted.is_empty() && wanted.iter().all(|word| !row.name.starts_with(word.as_str())) {
            continue;
        }
        let plain = (row.graph)();
        let graph = plain.relabelled(&Random::new(3).permutation(plain.len()));
        match &folder {
            None => measure(&row, &graph),
            Some(folder) => {
                std::fs::create_dir_all(folder)?;
                std::fs::write(folder.join(row.name).with_extension("dimacs"), write_dimacs(&graph))?;
                std::fs::write(folder.join(row.name).with_extension("dre"), write_dreadnaut(&graph))?;
            }
        }
    }
    Ok(())
}
