//! Formulas of branching time, decided at the initial marking on as much of the graph of markings as they need.
//!
//! A run for `E f U g` or `EG f` is searched depth-first on the graph that all formulas share ([`graph`](super::graph)), the steps nearest to
//! what is sought first, and what it says of the markings that were visited is kept: each pair of an operator and a marking is decided once.
//!
//! # Soundness
//!
//! The markings of the search are those that the first part of the formula allows, and no goal. A goal decides all markings that still lead to the one that is being expanded: those
//! whose strongly connected component is not complete. Where a component is complete and no step leads from it to a goal, none of its
//! markings reaches one. For `EG` a run for ever is a cycle, so that a step to an open marking is what is sought, and no component has two markings. The last
//! marking of a run that ends is repeated. A formula is not decided where memory ends or a number of tokens leaves its range. Time: steps of
//! the graph times operators. The tests compare with sets of markings computed to a fixed point.
//!
//! # Source
//!
//! Vergauwen and Lewi (1993), a linear local algorithm for CTL; components by Gabow (2000).

mod formulas;
#[cfg(test)]
pub(super) mod tests;

use explore::memory::bytes_of;
use explore::question::Limits;
use explore::report::Control;
use frontend::pnml::Net;
use rustc_hash::FxHashMap;

pub use formulas::Formulas;
use formulas::{Node, NodeId};

use super::conditions::Condition;
use super::graph::{Graph, INITIAL, Stop, in_turns};
use super::running::Incidence;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub struct Wrong {
        /// A marking that is left leads to no goal, even if it leads back to one that is open.
        components_forgotten,
        /// A run that ends is no run for ever.
        ends_forgotten,
        /// A goal decides all markings that the search has visited.
        left_lead_to_goals,
    }
}

/// The truth of one operator in the markings: two bits each.
#[derive(Clone, Default, Debug)]
struct Known(Vec<u64>);

impl Known {
    fn get(&self, marking: u32) -> Option<bool> {
        let bits = self.0.get(marking as usize / 32)? >> (marking % 32 * 2);
        (bits & 1 == 1).then_some(bits & 2 == 2)
    }

    fn set(&mut self, marking: u32, value: bool) {
        let word = marking as usize / 32;
        if word >= self.0.len() {
            let length = (word + 1).next_power_of_two();
            limits::reserve(bytes_of::<u64>(length - self.0.len()));
            self.0.resize(length, 0);
        }
        self.0[word] |= (1 | u64::from(value) << 1) << (marking % 32 * 2);
    }
}

struct Decider<'a, 'n, 'c> {
    graph: Graph<'n, 'c>,
    formulas: &'a Formulas,
    known: Vec<Known>,
    wrong: Wrong,
}

impl Decider<'_, '_, '_> {
    /// The truth of a part in a marking.
    fn value(&mut self, id: NodeId, marking: u32) -> Result<bool, Stop> {
        let formulas = self.formulas;
        match formulas.node(id) {
            Node::Atom(Condition::Constant(value)) => Ok(*value),
            Node::Atom(condition) => Ok(condition.holds(&self.graph.tokens(marking))),
            Node::Not(inner) => Ok(!self.value(*inner, marking)?),
            Node::All(list) | Node::Any(list) => {
                let is_conjunction = matches!(formulas.node(id), Node::All(_));
                for &part in list {
                    if self.value(part, marking)? != is_conjunction {
                        return Ok(!is_conjunction);
                    }
                }
                Ok(is_conjunction)
            }
            Node::Next(inner) => self.next(id, *inner, marking),
            &Node::Until(stays, goal) => self.run(id, stays, Some(goal), marking),
            &Node::Always(stays) => self.run(id, stays, None, marking),
        }
    }

    fn next(&mut self, id: NodeId, inner: NodeId, marking: u32) -> Result<bool, Stop> {
        if let Some(value) = self.known[id as usize].get(marking) {
            return Ok(value);
        }
        let mut list = Vec::new();
        self.graph.ahead(marking, self.formulas.hint(inner), &mut list)?;
        let mut is_found = false;
        while let (Some(successor), false) = (list.pop(), is_found) {
            is_found = self.value(inner, successor)?;
        }
        self.known[id as usize].set(marking, is_found);
        Ok(is_found)
    }

    /// Whether a marking has, or certainly has not, the run that is sought; nothing if its successors say.
    fn arrive(&mut self, id: NodeId, stays: NodeId, goal: Option<NodeId>, marking: u32) -> Result<Option<bool>, Stop> {
        if let Some(value) = self.known[id as usize].get(marking) {
            return Ok(Some(value));
        }
        let value = match goal {
            Some(goal) if self.value(goal, marking)? => true,
            _ if !self.value(stays, marking)? => false,
            _ => return Ok(None),
        };
        self.known[id as usize].set(marking, value);
        Ok(Some(value))
    }

    /// Whether a run stays in a part until a goal, or for ever.
    fn run(&mut self, id: NodeId, stays: NodeId, goal: Option<NodeId>, start: u32) -> Result<bool, Stop> {
        // Markings that are not decided, with their place; where their components begin; those that are being expanded, with the place of
        // their first successor in `ahead`.
        let (mut open, mut place) = (Vec::new(), FxHashMap::default());
        let mut components: Vec<usize> = Vec::new();
        let mut path: Vec<(usize, usize)> = Vec::new();
        let mut ahead: Vec<u32> = Vec::new();
        let mut left: Vec<u32> = Vec::new();
        let near = self.formulas.hint(goal.unwrap_or(stays));
        let mut next = Some(start);
        let is_found = loop {
            if let Some(marking) = next.take() {
                match self.arrive(id, stays, goal, marking)? {
                    Some(true) => break true,
                    Some(false) => {}
                    None => {
                        place.insert(marking, open.len());
                        components.push(open.len());
                        path.push((open.len(), ahead.len()));
                        open.push(marking);
                        let first = ahead.len();
                        self.graph.ahead(marking, near, &mut ahead)?;
                        // A step back is looked for before any other is followed.
                        if goal.is_none() && ahead[first..].iter().any(|next| place.contains_key(next)) {
                            break true;
                        }
                    }
                }
            }
            let Some(&(own, first)) = path.last() else { break false };
            if ahead.len() > first {
                let successor = ahead.pop().expect("it is longer");
                match place.get(&successor) {
                    Some(_) if goal.is_none() => break true,
                    Some(_) if self.wrong.components_forgotten() => {}
                    Some(&at) => {
                        while components.last().is_some_and(|&last| last > at) {
                            components.pop();
                        }
                    }
                    None => next = Some(successor),
                }
                continue;
            }
            path.pop();
            if components.last() == Some(&own) {
                components.pop();
                for marking in open.drain(own..) {
                    place.remove(&marking);
                    if self.wrong.left_lead_to_goals() {
                        left.push(marking);
                    } else {
                        self.known[id as usize].set(marking, false);
                    }
                }
            }
        };
        left.into_iter().for_each(|marking| self.known[id as usize].set(marking, is_found));
        if is_found {
            open.into_iter().for_each(|marking| self.known[id as usize].set(marking, true));
        }
        Ok(is_found)
    }
}

/// Decides formulas at the initial marking of a net within its bounds, as far as time and memory allow. What is decided before the watch stops
/// is in `answers`.
pub fn decide(
    net: &Net,
    bounds: &[Option<i32>],
    formulas: &Formulas,
    limits: &Limits,
    control: &mut dyn Control,
    answers: &mut [Option<bool>],
) {
    decide_with(net, bounds, formulas, limits, control, answers, Wrong::default());
}

/// As [`decide`], with known faults.
pub(super) fn decide_with(
    net: &Net,
    bounds: &[Option<i32>],
    formulas: &Formulas,
    limits: &Limits,
    control: &mut dyn Control,
    answers: &mut [Option<bool>],
    wrong: Wrong,
) {
    assert_eq!(formulas.len(), answers.len(), "an answer for each formula");
    if limits.max_depth.is_some() {
        return;
    }
    let arcs = Incidence::new(net);
    let Some(graph) = Graph::new(&arcs, bounds, limits, control, wrong.ends_forgotten()) else { return };
    let known = vec![Known::default(); formulas.size()];
    let mut decider = Decider { graph, formulas, known, wrong };
    in_turns(answers, |at, turn| {
        decider.graph.turn = turn;
        decider.value(formulas.root(at), INITIAL)
    });
}
