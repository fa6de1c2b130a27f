//! Reductions: making a graph smaller without losing automorphisms, until only hard cores remain for the search.
//!
//! A loop collapses twins, refines, drops fixed vertices and complete joins, and contracts matchings, until nothing changes; colours by
//! the shapes of balls or by common neighbours of pairs may start it again. Large graphs are numbered along a breadth-first search before.
//! Then the components are solved separately. One representative of each isomorphism class of
//! components is solved in turn, its generators are conjugated to the copies, and neighbouring copies are exchanged. A connected graph
//! that no reduction makes smaller is searched.
//!
//! # Soundness
//!
//! Every step keeps the equation: the group of the original graph is the group of the working graph, lifted through blocks, times the
//! factors collected so far. The remaining vertices fix the removed ones, or these move with their blocks.
//!
//! # Complexity
//!
//! Components that were refined within a larger graph only become smaller by a constant factor at each nesting, so the nesting is
//! logarithmic and the reductions cost `O((n + m) log^2 n)` in all. Nesting is kept on an explicit stack.

mod balls;
mod components;
mod fixed;
mod isomorphism;
mod locality;
mod matchings;
mod pairs;
mod twins;
mod working;

use crate::automorphisms::{Emitter, Order};
use crate::graph::{Graph, index};
use crate::search::{Budget, Certifier, RecordedPath, search_stabilisers};

use components::{ComponentClass, classify};
use working::Working;

/// Rounds of recolouring by balls before a graph is split or searched.
const MAX_RECOLOURINGS: usize = 4;

/// The shared data of reductions: the output of generators, the order so far, the budget, scratch space.
pub(crate) struct Context<'a, 'e> {
    pub(crate) emitter: &'a mut Emitter<'e>,
    pub(crate) order: &'a mut Order,
    pub(crate) budget: &'a mut Budget,
    pub(crate) certifier: Certifier,
}

/// A remaining step.
enum Task {
    /// Record the generators that the next task emits.
    Record,
    /// Solve this graph, of which the original has `times` copies.
    Solve { working: Working, times: u64 },
    /// A representative is solved: carry its generators over to the copies and exchange the copies.
    Copy { class: ComponentClass },
}

/// Emits generators of the automorphism group of `graph` and collects its order.
pub(crate) fn solve(graph: &Graph, emitter: &mut Emitter<'_>, order: &mut Order, budget: &mut Budget) {
    let certifier = Certifier::new(graph.len());
    let context = &mut Context { emitter, order, budget, certifier };
    let mut tasks = vec![Task::Solve { working: Working::new(graph.clone()), times: 1 }];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Record => context.emitter.start_recording(),
            Task::Solve { working, times } => solve_one(working, times, context, &mut tasks),
            Task::Copy { class } => {
                let has_base = context.emitter.end_recording(&class.copies);
                class.exchange_copies(context.emitter, !has_base);
            }
        }
    }
}

/// Reduces one graph as far as possible, then splits it into components or searches it.
fn solve_one(mut working: Working, times: u64, context: &mut Context<'_, '_>, tasks: &mut Vec<Task>) {
    simplify(&mut working, context, times);
    working = locality::localised(working);
    for _ in 0..MAX_RECOLOURINGS {
        if working.graph.is_empty() || !(balls::recolour(&mut working) || pairs::recolour(&mut working)) {
            break;
        }
        simplify(&mut working, context, times);
    }
    if working.graph.is_empty() {
        return;
    }
    match classify(&working, context) {
        Some(classes) => classes.into_iter().for_each(|class| schedule(class, times, context, tasks)),
        None => search(&working, times, context),
    }
}

/// Plans the work on one class of isomorphic components.
fn schedule(mut class: ComponentClass, times: u64, context: &mut Context<'_, '_>, tasks: &mut Vec<Task>) {
    let members = class.copies.len() + 1;
    let copies = u64::try_from(members).expect("sizes fit in 64 bits");
    assert!(times > 0, "a class occurs in the original");
    context.order.multiply_factorial(index(members), times);
    match (class.representative.take(), members) {
        (None, _) => class.exchange_copies(context.emitter, true),
        (Some(working), 1) => tasks.push(Task::Solve { working, times }),
        (Some(working), _) => {
            tasks.push(Task::Copy { class });
            tasks.push(Task::Solve { working, times: times * copies });
            tasks.push(Task::Record);
        }
    }
}

/// Repeats the local reductions until none applies; the colours are equitable afterwards.
fn simplify(working: &mut Working, context: &mut Context<'_, '_>, times: u64) {
    loop {
        let mut has_changed = twins::collapse(working, context, times);
        if !working.is_equitable {
            working.refine();
        }
        has_changed |= fixed::drop(working);
        has_changed |= matchings::contract(working);
        if !has_changed {
            return;
        }
    }
}

/// Searches a graph that no reduction makes smaller.
fn search(working: &Working, times: u64, context: &mut Context<'_, '_>) {
    let graph = &working.graph;
    assert!(working.is_equitable, "the search begins with equitable colours");
    let mut recorded = RecordedPath::new(graph);
    let Context { emitter, order, budget, .. } = context;
    search_stabilisers(graph, &mut recorded, budget, &mut |pairs| emitter.offer(working.lift(pairs)));
    for level in &recorded.path.levels {
        assert!(0 < level.orbit && level.orbit <= level.length, "an orbit is within its target cell");
        order.multiply(level.orbit, times);
        emitter.emit_base(working.block(level.base)[0]);
    }
}
