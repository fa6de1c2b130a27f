//! Formulas of branching and of linear time, decided at the initial marking on as much of the graph of markings as they need.
//!
//! All formulas share the [`graph`]. They take turns, each with four times the steps of its last turn, so that those that are decided near the
//! start do not wait for others. Each turn begins anew; of `branching` formulas what is known of markings stays known.
//!
//! # Soundness
//!
//! A turn that is over, or that finds no room for a marking or for a number of tokens, decides nothing. [`branching`] and [`linear`] say why the others
//! are right.

mod branching;
mod graph;
mod linear;
mod parts;
#[cfg(test)]
mod tests;

use explore::question::Limits;
use explore::report::Control;
use frontend::pnml::Net;
use ltl::Formula;

use self::branching::Branching;
use self::graph::{Graph, Stop};
use self::linear::Violating;
use self::parts::PartId;
use super::conditions::Condition;
use super::running::Incidence;
use crate::tuning::TUNING;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub struct Wrong {
        /// A run that ends is no run.
        ends_forgotten,
        /// A marking that is left leads to no goal, even if it leads back to one that is open.
        components_forgotten,
        /// Complete components stay open.
        components_kept,
        /// No second search begins at an accepting node that the first search leaves.
        second_forgotten,
        /// A second search goes through no node that the first search has left.
        left_forgotten,
    }
}

/// A formula in the form that is decided.
enum Asked {
    Branching(PartId),
    Linear(Violating),
}

/// Decides whether formulas hold at the initial marking of a net within its bounds, those of linear time of all runs, as far as time and memory allow.
/// What is decided before the watch stops is in `answers`.
///
/// # Panics
/// If there is not one answer for each formula.
pub fn decide(
    net: &Net,
    bounds: &[Option<i32>],
    formulas: &[Formula<Condition>],
    limits: &Limits,
    control: &mut dyn Control,
    answers: &mut [Option<bool>],
) {
    decide_with(net, bounds, formulas, limits, control, answers, Wrong::default());
}

/// As [`decide`], with known faults.
fn decide_with(
    net: &Net,
    bounds: &[Option<i32>],
    formulas: &[Formula<Condition>],
    limits: &Limits,
    control: &mut dyn Control,
    answers: &mut [Option<bool>],
    wrong: Wrong,
) {
    assert_eq!(formulas.len(), answers.len(), "an answer for each formula");
    // A graph that is made as it is asked for has no depths.
    if limits.max_depth.is_some() {
        return;
    }
    let mut branching = Branching::new(wrong);
    let asked = |formula: &Formula<Condition>| match formula.is_branching() {
        true => branching.add(formula).map(Asked::Branching),
        false => Violating::of(formula, wrong).map(Asked::Linear),
    };
    let asked: Vec<Option<Asked>> = formulas.iter().map(asked).collect();
    let arcs = Incidence::new(net);
    let Some(mut graph) = Graph::new(&arcs, bounds, limits, control, wrong) else { return };
    let mut open: Vec<usize> = (0..answers.len()).filter(|&at| answers[at].is_none()).collect();
    for turn in 0.. {
        if open.is_empty() {
            break;
        }
        open.retain(|&at| {
            graph.begin(turn, TUNING.first_turn.saturating_mul(4u64.saturating_pow(turn)));
            let found = match &asked[at] {
                Some(Asked::Branching(part)) => branching.holds(&mut graph, *part),
                Some(Asked::Linear(violating)) => violating.holds(&mut graph, &formulas[at]),
                None => Err(Stop::Open),
            };
            answers[at] = found.ok();
            found == Err(Stop::Turn)
        });
    }
}
