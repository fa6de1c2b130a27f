//! The kernels of a search: `cargo bench -p quotient-benches --bench kernels`, or `.. -- insert` for one of them.
//!
//! A model with four philosophers and one of a load balancer give states; what they are does not matter much.

#![allow(missing_docs, reason = "criterion writes the functions")]

use std::hint::black_box;
use std::path::{Path, PathBuf};

use checker::kernels;
use criterion::Criterion;
use frontend::diagnostics::Diagnostics;
use frontend::lower::{LowerOptions, lower};
use frontend::model::{Model, PropertySet};
use frontend::sequential::{Options, Sequential, parse};
use frontend::syntax::parse_model;
use symmetry::{Strategy::KnownRebec, ValidatedGroup};

/// States that give the kernels something to do.
const STATES: u64 = 20_000;

fn fixture(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn actors(name: &str) -> Model {
    let mut sink = Diagnostics::new();
    let program = parse_model(&fixture(name), &mut sink);
    lower(&program, &LowerOptions::default(), &mut sink).expect("a fixture is a model")
}

fn process(name: &str) -> Sequential {
    parse(&fixture(name), &Options::default(), &mut Diagnostics::new()).model.expect("a fixture is a model")
}

fn all(bench: &mut Criterion) {
    let philosophers = actors("rebeca/philosophers/phil4_fig2.rebeca");
    let balancer = actors("rebeca/load_balancer/lb4_2.rebeca");
    let filter = process("lpe/locks/filter.lpe");
    let mut run = |name: &str, kernel: &mut dyn FnMut() -> u32| {
        bench.bench_function(name, |bencher| bencher.iter(|| black_box(kernel())));
    };
    run("step/philosophers", &mut kernels::steps_of_actors(&philosophers, STATES));
    run("step/balancer", &mut kernels::steps_of_actors(&balancer, STATES));
    run("step/filter", &mut kernels::steps_of_processes(&filter, STATES));
    run("delivery/balancer", &mut kernels::delivery(&balancer, STATES));
    run("insert/small", &mut kernels::insert(1 << 12));
    run("insert/large", &mut kernels::insert(1 << 22));
    for (name, model) in [("philosophers", &philosophers), ("balancer", &balancer)] {
        let group = ValidatedGroup::new(model, &PropertySet::default(), KnownRebec.candidates(model));
        if let Some(mut kernel) = kernels::canonical(model, &group, STATES) {
            run(&format!("canonical/{name}"), &mut kernel);
        }
    }
}

fn main() {
    let mut bench = Criterion::default().configure_from_args();
    all(&mut bench);
    bench.final_summary();
}
