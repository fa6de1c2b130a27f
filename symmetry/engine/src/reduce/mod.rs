//! Reductions.

use crate::automorphisms::{Emitter, Order};
use crate::graph::{Graph, index};
use crate::partition::{Partition, Refiner, Trace};
use crate::search::{Budget, RecordedPath, search_stabilisers};

/// Solves.
pub(crate) fn solve(graph: &Graph, emitter: &mut Emitter<'_>, order: &mut Order, budget: &mut Budget<'_>) {
    let t = std::time::Instant::now();
    let mut partition = Partition::by_colours(graph.colours());
    let mut refiner = Refiner::new(graph.len());
    refiner.refine_all(graph, &mut partition, &mut Trace::default());
    eprintln!("refined {:?} cells {}", t.elapsed(), partition.cell_count());
    let mut g = graph.clone();
    g.set_colours((0..index(graph.len())).map(|v| partition.cell_of(v)).collect());
    let mut recorded = RecordedPath::new(&g);
    eprintln!("path {:?} levels {}", t.elapsed(), recorded.path.levels.len());
    let mut certifier = crate::search::Certifier::new(graph.len());
    search_stabilisers(&g, &mut recorded, &mut certifier, budget, &mut |pairs| emitter.emit(pairs.to_vec()));
    eprintln!("search {:?}", t.elapsed());
    for level in &recorded.path.levels {
        order.multiply(level.orbit, 1);
        emitter.emit_base(level.base);
    }
}
