//! Formulas of branching time.
//!
//! A run for `E f U g` or `EG f` is searched depth-first, the steps nearest to what is sought first, and what the search says of the markings that it
//! visited is kept: each pair of an operator and a marking is decided once. Time: steps of the graph, for each operator.
//!
//! # Soundness
//!
//! The search visits markings in which `f` holds and `g` does not. Those whose strongly connected component is not complete lead to the marking that
//! is being expanded, so that a goal behind it decides all of them. Where a component is complete and no step leads from it to a goal, none of its
//! markings reaches one. For `EG` a run for ever is a cycle: a step to an open marking is what is sought, and no component has two
//! markings.
//!
//! # Source
//!
//! Vergauwen and Lewi (1993), a linear local algorithm for CTL; components by Gabow (2000).

use explore::memory::bytes_of;
use ltl::Formula;
use rustc_hash::FxHashMap;

use super::Wrong;
use super::graph::{Graph, INITIAL, Stop, reserve};
use super::parts::{Part, PartId, Parts};
use crate::nets::conditions::Condition;

/// The truth of one operator in the markings: two bits each.
#[derive(Clone, Default, Debug)]
struct Known(Vec<u64>);

impl Known {
    fn get(&self, marking: u32) -> Option<bool> {
        let bits = self.0.get(marking as usize / 32)? >> (marking % 32 * 2);
        (bits & 1 == 1).then_some(bits & 2 == 2)
    }

    fn set(&mut self, marking: u32, value: bool) {
        debug_assert_ne!(self.get(marking), Some(!value), "an operator has one truth in a marking");
        let word = marking as usize / 32;
        if word >= self.0.len() {
            let length = (word + 1).next_power_of_two();
            limits::reserve(bytes_of::<u64>(length - self.0.len()));
            self.0.resize(length, 0);
        }
        self.0[word] |= (1 | u64::from(value) << 1) << (marking % 32 * 2);
    }
}

/// Formulas, and what is known of their truth.
pub(super) struct Branching {
    parts: Parts,
    known: Vec<Known>,
    wrong: Wrong,
}

impl Branching {
    /// No formulas.
    pub(super) fn new(wrong: Wrong) -> Branching {
        Branching { parts: Parts::default(), known: Vec::new(), wrong }
    }

    /// Adds a formula; nothing if it has operators that are not decided here.
    pub(super) fn add(&mut self, formula: &Formula<Condition>) -> Option<PartId> {
        let part = self.parts.state(formula, true);
        self.known.resize(self.parts.len(), Known::default());
        part
    }

    /// Whether a formula holds at the initial marking.
    pub(super) fn holds(&mut self, graph: &mut Graph<'_, '_>, formula: PartId) -> Result<bool, Stop> {
        Decider { graph, parts: &self.parts, known: &mut self.known, wrong: self.wrong }.value(formula, INITIAL)
    }
}

struct Decider<'a, 'n, 'c> {
    graph: &'a mut Graph<'n, 'c>,
    parts: &'a Parts,
    known: &'a mut [Known],
    wrong: Wrong,
}

impl Decider<'_, '_, '_> {
    /// The truth of a part in a marking.
    fn value(&mut self, id: PartId, marking: u32) -> Result<bool, Stop> {
        let parts = self.parts;
        match parts.part(id) {
            Part::Atom(Condition::Constant(value)) => Ok(*value),
            Part::Atom(condition) => {
                limits::work(parts.size(id));
                Ok(condition.holds(&self.graph.tokens(marking)))
            }
            Part::Not(inner) => Ok(!self.value(*inner, marking)?),
            Part::All(list) | Part::Any(list) => {
                let is_conjunction = matches!(parts.part(id), Part::All(_));
                for &part in list {
                    if self.value(part, marking)? != is_conjunction {
                        return Ok(!is_conjunction);
                    }
                }
                Ok(is_conjunction)
            }
            Part::Next(inner) => self.next(id, *inner, marking),
            &Part::Until(stays, goal) => self.run(id, stays, Some(goal), marking),
            &Part::Always(stays) => self.run(id, stays, None, marking),
        }
    }

    fn next(&mut self, id: PartId, inner: PartId, marking: u32) -> Result<bool, Stop> {
        if let Some(value) = self.known[id as usize].get(marking) {
            return Ok(value);
        }
        let mut list = Vec::new();
        self.graph.ahead(marking, self.parts.hint(inner), &mut list)?;
        let mut is_found = false;
        while let (Some(successor), false) = (list.pop(), is_found) {
            is_found = self.value(inner, successor)?;
        }
        self.known[id as usize].set(marking, is_found);
        Ok(is_found)
    }

    /// Whether a marking has, or certainly has not, the run that is sought; nothing if its successors say.
    fn arrive(&mut self, id: PartId, stays: PartId, goal: Option<PartId>, marking: u32) -> Result<Option<bool>, Stop> {
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
    fn run(&mut self, id: PartId, stays: PartId, goal: Option<PartId>, start: u32) -> Result<bool, Stop> {
        // Markings that are not decided, with their place; where their components begin; those that are being expanded, with the place of
        // their first successor in `ahead`.
        let (mut open, mut place) = (Vec::new(), FxHashMap::default());
        let mut components: Vec<usize> = Vec::new();
        let mut path: Vec<(usize, usize)> = Vec::new();
        let mut ahead: Vec<u32> = Vec::new();
        let near = self.parts.hint(goal.unwrap_or(stays));
        let mut next = Some(start);
        let is_found = loop {
            if let Some(marking) = next.take() {
                match self.arrive(id, stays, goal, marking)? {
                    Some(true) => break true,
                    Some(false) => {}
                    None => {
                        reserve(&place);
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
            if components.last() == Some(&own) && !self.wrong.components_kept() {
                components.pop();
                for marking in open.drain(own..) {
                    place.remove(&marking);
                    self.known[id as usize].set(marking, false);
                }
            }
        };
        debug_assert!(
            is_found || open.is_empty() || self.wrong.components_kept(),
            "every marking without a run is known"
        );
        if is_found {
            open.into_iter().for_each(|marking| self.known[id as usize].set(marking, true));
        }
        Ok(is_found)
    }
}
