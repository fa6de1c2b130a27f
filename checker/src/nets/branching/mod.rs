//! Formulas of branching time, decided at the initial marking on as much of the graph of markings as they need.
//!
//! Markings are numbered and expanded as formulas ask for them, and are shared by all formulas. A run for `E f U g` or `EG f` is searched
//! depth-first, the steps nearest to what is sought first, and what it says of the markings that were visited is kept: each pair of an operator and
//! a marking is decided once. Formulas take turns, each with four times the steps of its last turn, so that those that are decided near the
//! start do not wait for others.
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
mod tests;

use explore::memory::bytes_of;
use explore::question::Limits;
use explore::report::{Control, Progress};
use explore::search::{Clock, StateSpace};
use frontend::pnml::Net;
use rustc_hash::FxHashMap;

pub use formulas::Formulas;
use formulas::{Node, NodeId};

use super::conditions::Condition;
use super::running::Incidence;
use super::search::{Space, Steps};
use crate::tuning::TUNING;

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

/// Expansions between two looks at the clock.
const VISITS: u32 = 1 << 10;
/// A marking without known steps.
const UNKNOWN: u64 = u64::MAX;

/// Why a formula was not decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stop {
    /// Its turn is over.
    Turn,
    /// There is no room for more markings, or for a number of tokens.
    Room,
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

/// The part of the graph of markings that is known.
struct Graph<'n, 'c> {
    space: Space<'n>,
    steps: Steps,
    /// Where the successors of each marking begin, behind their number.
    first: Vec<u64>,
    successors: Vec<u32>,
    /// A marking that is looked at.
    words: Vec<u64>,
    clock: Clock<'c>,
    expanded: u64,
    wrong: Wrong,
}

impl Graph<'_, '_> {
    fn tokens(&mut self, marking: u32) -> impl Fn(usize) -> i64 {
        self.words.clear();
        self.space.store.read(marking, &mut self.words);
        |place| i64::from(self.space.layout.get(&self.words, place))
    }

    fn show(&mut self) {
        // What the watch says is heard by `limits::work`.
        let _ = self.clock.ended();
        if self.clock.is_showing() {
            let (states, transitions) = (self.space.store.len().into(), self.successors.len() as u64);
            let memory = self.space.footprint().total;
            let frontier = states - self.expanded;
            self.clock.show(Progress { states, transitions, frontier, depth: 0, memory, seconds: 0.0 });
        }
    }

    /// The markings after one step; the marking itself where there is none.
    fn successors(&mut self, marking: u32) -> Result<&[u32], Stop> {
        let at = marking as usize;
        if self.first.len() <= at {
            let length = (at + 1).next_power_of_two();
            limits::reserve(bytes_of::<u64>(length - self.first.len()));
            self.first.resize(length, UNKNOWN);
        }
        if self.first[at] == UNKNOWN {
            self.space.expand(marking, &mut self.steps).map_err(|_| Stop::Room)?;
            if self.space.overflows {
                return Err(Stop::Room);
            }
            self.expanded += 1;
            if self.clock.is_due(VISITS, self.space.layout.stride()) {
                self.show();
            }
            let list = &mut self.steps.numbers;
            if list.is_empty() && !self.wrong.ends_forgotten() {
                list.push(marking);
            }
            let count = u32::try_from(list.len()).expect("transitions have 32 bits");
            if self.successors.capacity() - self.successors.len() <= list.len() {
                limits::reserve(bytes_of::<u32>(self.successors.len() + list.len()));
            }
            self.first[at] = self.successors.len() as u64;
            self.successors.push(count);
            self.successors.extend_from_slice(list);
        }
        let begin = usize::try_from(self.first[at]).expect("in memory") + 1;
        let count = self.successors[begin - 1] as usize;
        Ok(&self.successors[begin..begin + count])
    }
}

struct Decider<'a, 'n, 'c> {
    graph: Graph<'n, 'c>,
    formulas: &'a Formulas,
    known: Vec<Known>,
    /// Steps that are left of the turn.
    left: u64,
    turn: u32,
}

impl Decider<'_, '_, '_> {
    fn pay(&mut self, steps: usize) -> Result<(), Stop> {
        limits::work(1 + steps as u64);
        self.left = self.left.checked_sub(1 + steps as u64).ok_or(Stop::Turn)?;
        Ok(())
    }

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
        self.ahead(inner, marking, &mut list)?;
        let mut is_found = false;
        while let (Some(successor), false) = (list.pop(), is_found) {
            is_found = self.value(inner, successor)?;
        }
        self.known[id as usize].set(marking, is_found);
        Ok(is_found)
    }

    /// Adds the markings after one step to a list, the last of them the nearest to where a part is likely to hold.
    fn ahead(&mut self, part: NodeId, marking: u32, list: &mut Vec<u32>) -> Result<(), Stop> {
        let first = list.len();
        list.extend_from_slice(self.graph.successors(marking)?);
        let added = list.len() - first;
        self.pay(added)?;
        match self.formulas.hint(part).filter(|_| self.turn.is_multiple_of(2)) {
            Some(hint) if added > 1 => {
                let graph = &mut self.graph;
                list[first..].sort_by_cached_key(|&one| std::cmp::Reverse(hint.distance(&graph.tokens(one))));
            }
            _ if self.turn % 4 == 1 => list[first..].reverse(),
            _ => {}
        }
        Ok(())
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
                        self.ahead(goal.unwrap_or(stays), marking, &mut ahead)?;
                    }
                }
            }
            let Some(&(own, first)) = path.last() else { break false };
            if ahead.len() > first {
                let successor = ahead.pop().expect("it is longer");
                match place.get(&successor) {
                    Some(_) if goal.is_none() => break true,
                    Some(_) if self.graph.wrong.components_forgotten() => {}
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
                    if self.graph.wrong.left_lead_to_goals() {
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
    let mut space = Space::new(&arcs, bounds, limits);
    let Ok((start, _)) = space.insert_initial(&()) else { return };
    let graph = Graph {
        space,
        steps: Steps::default(),
        first: Vec::new(),
        successors: Vec::new(),
        words: Vec::new(),
        clock: Clock::new(control),
        expanded: 0,
        wrong,
    };
    let known = vec![Known::default(); formulas.size()];
    let mut decider = Decider { graph, formulas, known, left: 0, turn: 0 };
    let mut open: Vec<usize> = (0..formulas.len()).filter(|&at| answers[at].is_none()).collect();
    while !open.is_empty() {
        let steps = TUNING.first_turn.saturating_mul(4u64.saturating_pow(decider.turn));
        open.retain(|&at| {
            decider.left = steps;
            match decider.value(formulas.root(at), start) {
                Ok(value) => answers[at] = Some(value),
                Err(Stop::Turn) => return true,
                Err(Stop::Room) => decider.graph.space.overflows = false,
            }
            false
        });
        decider.turn += 1;
    }
}
