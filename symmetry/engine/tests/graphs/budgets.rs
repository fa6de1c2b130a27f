//! Computations with groups stop when their budget says so, and give the same answers when it does not.

use std::cell::Cell;

use engine::{Budget, BudgetExhausted, Graph, Group, Structure, automorphism_group};
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

/// Runs a computation that is interrupted at its first, second, fourth, .. consultation: each but the last ends without a result.
fn interrupted<T>(compute: impl Fn(&mut Budget<'_>) -> Result<T, BudgetExhausted>) -> T {
    let mut at = 1_u64;
    loop {
        let consultations = Cell::new(0_u64);
        let interrupt = || {
            consultations.set(consultations.get() + 1);
            consultations.get() >= at
        };
        let mut budget = Budget::unlimited().with_interrupt(&interrupt);
        match compute(&mut budget) {
            Ok(result) => return result,
            Err(BudgetExhausted) => {
                assert!(budget.is_exhausted());
                assert_eq!(consultations.get(), at, "nobody goes on after an interrupt");
            }
        }
        at *= 2;
    }
}

#[test]
fn interrupted_computations_end_at_once_and_whole_ones_are_the_same() {
    for graph in graphs() {
        let whole = group(&graph);
        assert_eq!(interrupted(|budget| group(&graph).order_within(budget)), whole.order());
        assert_eq!(interrupted(|budget| group(&graph).structure_within(budget)), whole.structure());
        let strong = interrupted(|budget| group(&graph).strong_generators_within(&[1], budget));
        assert_eq!(strong.order(), whole.order());
        let stabiliser = interrupted(|budget| group(&graph).stabiliser_within(0, budget));
        assert_eq!(stabiliser.order() * whole.orbit(0).len(), whole.order());
        let wreath = interrupted(|budget| group(&graph).wreath_within(budget));
        assert_eq!(wreath.is_some(), whole.wreath().is_some());
        let prepared = group(&graph);
        interrupted(|budget| prepared.prepare(budget));
        assert_eq!(prepared.order(), whole.order());
        for generator in whole.generators() {
            assert!(interrupted(|budget| group(&graph).contains_within(generator, budget)));
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
fn between_two_consultations_there_is_little_work() {
    // The clock stands still but for the steps that are counted: consultations must not be rarer than promised.
    for graph in graphs() {
        let consultations = Cell::new(0_u64);
        let interrupt = || {
            consultations.set(consultations.get() + 1);
            false
        };
        let mut budget = Budget::unlimited().with_interrupt(&interrupt);
        let own = group(&graph);
        own.prepare(&mut budget).expect("no limit");
        own.strong_generators_within(&[], &mut budget).expect("no limit");
        assert!(consultations.get() > budget.steps() / (1 << 17), "{} steps", budget.steps());
    }
}
