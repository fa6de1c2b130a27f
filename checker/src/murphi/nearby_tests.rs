//! The least image found from another state is the one that a trial of all elements finds.

use std::collections::BTreeSet;

use ::symmetry::murphi::ValidatedGroup;
use explore::question::Limits;
use frontend::diagnostics::Diagnostics;
use frontend::murphi::interpret::State;
use frontend::murphi::{Options, parse};

use super::explore_graph;
use super::nearby::{Known, Nearby, Successor};
use super::packing::value;
use super::symmetry::{Symmetry, Wrong};
use super::tests::twins;

/// The least image of a state, found from another one.
fn from_another(nearby: &Nearby, [from, state]: [&[i64]; 2], known: &mut Known, wrong: Wrong) -> Vec<i64> {
    let mut found = state.to_vec();
    let successor = Successor { from, state, changed: 0..state.len() };
    if let Some(element) = nearby.least(successor, known, wrong) {
        nearby.differences(element, state, |at, value| found[at] = value);
    }
    found
}

/// A group of 24 elements, and cells with as many owners as there may be.
const MEETINGS: &str = "type pid: scalarset(4); var met: array [pid] of array [pid] of 0 .. 1; last: pid; n: 0 .. 3;
    startstate begin for p: pid do for q: pid do met[p][q] := 0; end; end; n := 0; end;
    ruleset p: pid; q: pid do rule n < 3 & met[p][q] = 0 ==> begin met[p][q] := 1; last := q; n := n + 1; end; end;
    ruleset p: pid do rule n > 1 & met[p][p] = 0 ==> begin undefine last; end; end;";

/// Comparisons and differences on the states of random models, each found from others of its model.
fn differences(count: usize, wrong: Wrong) -> [usize; 2] {
    let (mut compared, mut differ) = (0, 0);
    for text in twins::random_texts(count).into_iter().chain([MEETINGS.to_owned()]) {
        let Some(program) = parse(&text, &Options::default(), &mut Diagnostics::new()).program else { continue };
        let limits = Limits { max_states: Some(5_000), ..Limits::default() };
        let graph = explore_graph(&program, &limits);
        if !graph.complete {
            continue;
        }
        let group = ValidatedGroup::of(&program, &program.claims(), false);
        let Some(symmetry) = Symmetry::new(&program, &group, &BTreeSet::new()) else { continue };
        let Some(nearby) = symmetry.nearby() else { continue };
        let values = |state: &State| -> Vec<i64> { state.iter().copied().map(value).collect() };
        let least: Vec<State> = graph.states.iter().map(|state| symmetry.least_state(&program, state)).collect();
        let mut known = Known::default();
        let some = graph.states.iter().zip(&least).enumerate().step_by(1 + least.len() / 400);
        for (at, (state, expected)) in some {
            let near = [at.saturating_sub(1), at / 2, at * 7 % least.len(), at * 3 / 4];
            for from in near.into_iter().flat_map(|other| [&least[other], &graph.states[other]]) {
                known.forget();
                // What is known of a state is used for many successors.
                for (state, expected) in [(state, expected), (&graph.states[at / 3], &least[at / 3])] {
                    let found = from_another(nearby, [&values(from), &values(state)], &mut known, wrong);
                    compared += 1;
                    differ += usize::from(found != values(expected));
                }
            }
        }
    }
    [compared, differ]
}

#[test]
fn images_found_from_another_state_are_the_least() {
    let [compared, differ] = differences(twins::count(200), Wrong::default());
    assert!(compared > 10_000, "{compared} comparisons");
    assert_eq!(differ, 0);
    let [_, differ] = differences(20, Wrong { ignores_changes: true, ..Wrong::default() });
    assert!(differ > 0, "a wrong choice is caught");
}
