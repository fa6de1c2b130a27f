//! Computations with groups stop when their budget says so, and give the same answers when it does not.

use std::sync::Arc;
use std::time::Duration;

use engine::{Budget, BudgetExhausted, Graph, Group, Structure, automorphism_group};
use limits::{Counting, QUANTUM, Watch, World};
use num_bigint::BigUint;

use crate::support::combinatorial as families;
use crate::support::gadgets;

/// The group of a graph, without its order.
fn group(graph: &Graph) -> Group {
    let (_, group) = automorphism_group(graph);
    Group::from_generators(graph.len(), group.generators().to_vec()).expect("in range")
}

fn graphs() -> Vec<Graph> {
    vec![
        families::hypercube(4),
        families::petersen(),
        families::projective_plane(3),
        gadgets::tiers(&[3, 3, 2], 3),
        gadgets::leader_ring(7, 2),
        gadgets::peterson_processes(5, 4),
    ]
}

/// Runs a computation whose watch stops at its first, second, fourth, .. look: each run but the last ends without a result.
fn interrupted<T>(compute: impl Fn(&mut Budget) -> Result<T, BudgetExhausted>) -> T {
    let mut at = 1_u64;
    loop {
        let world = Arc::new(Counting::default());
        let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, Some(Duration::from_secs(at)), None);
        match watch.run(|| compute(&mut Budget::unlimited())) {
            Ok(result) => return result.expect("no budget"),
            // The clock is read when the watch is made, too.
            Err(_) => assert_eq!(world.looks(), at + 1, "nobody goes on after a stop"),
        }
        at *= 2;
    }
}

#[test]
fn interrupted_computations_end_at_once_and_whole_ones_are_the_same() {
    for graph in graphs() {
        let unprepared = group(&graph);
        let (fresh, whole) = (|| unprepared.clone(), unprepared.clone());
        assert_eq!(interrupted(|budget| fresh().order_within(budget)), whole.order());
        assert_eq!(interrupted(|budget| fresh().structure_within(budget)), whole.structure());
        let strong = interrupted(|budget| fresh().strong_generators_within(&[1], budget));
        assert_eq!(strong.order(), whole.order());
        let stabiliser = interrupted(|budget| fresh().stabiliser_within(0, budget));
        assert_eq!(stabiliser.order() * whole.orbit(0).len(), whole.order());
        let wreath = interrupted(|budget| fresh().wreath_within(budget));
        assert_eq!(wreath.is_some(), whole.wreath().is_some());
        let prepared = fresh();
        interrupted(|budget| prepared.prepare(budget));
        assert_eq!(prepared.order(), whole.order());
        for generator in whole.generators() {
            assert!(interrupted(|budget| fresh().contains_within(generator, budget)));
        }
    }
}

#[test]
fn a_name_that_is_cut_off_is_the_order() {
    let graph = families::hypercube(5);
    let (report, found) = automorphism_group(&graph);
    let known = Group::with_known_order(graph.len(), found.generators().to_vec(), &report.order).expect("in range");
    let mut budget = Budget::unlimited().with_max_steps(1_000);
    assert_eq!(known.name_within(&mut budget), Ok(Structure::Unknown(BigUint::from(3840_u32))));
    assert!(budget.steps() <= 2_000, "steps are counted where they were taken");
    let unknown = Group::from_generators(graph.len(), found.generators().to_vec()).expect("in range");
    let mut budget = Budget::unlimited().with_max_steps(1_000);
    assert_eq!(unknown.name_within(&mut budget), Err(BudgetExhausted));
    assert_eq!(known.name().to_string(), "S2 wr S5");
}

#[test]
fn between_two_looks_there_is_little_work() {
    for graph in graphs() {
        let world = Arc::new(Counting::default());
        let watch = Watch::new(Arc::clone(&world) as Arc<dyn World>, None, None);
        let mut budget = Budget::unlimited();
        let own = group(&graph);
        let steps = watch.run(|| {
            own.prepare(&mut budget).expect("no limit");
            own.strong_generators_within(&[], &mut budget).expect("no limit");
            budget.steps()
        });
        let steps = steps.expect("no limit");
        assert!(world.looks() > steps / (2 * QUANTUM), "{steps} steps");
    }
}
