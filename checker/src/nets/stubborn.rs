//! Stubborn sets of a net: enough of the enabled transitions for a deadlock, or for a marking in which a condition holds.
//!
//! A set of transitions is closed if
//!
//! 1. for each enabled one it has every transition that takes tokens from a place that this one needs, and every transition that needs tokens
//!    of a place from which this one takes some;
//! 2. for each disabled one there is a place with too few tokens of which it has every transition that raises it.
//!
//! # Soundness
//!
//! Let the first transition `t` of a closed set on a path come after the transitions `s`, none of which is in the set. If `t` is disabled at
//! the beginning, nothing in `s` raises the place of 2, so `t` would still be disabled: `t` is enabled. By 1 nothing in `s` takes tokens
//! that `t` needs, and `t` takes none that `s` needs: `t` can come first, and the same marking is reached.
//!
//! For deadlocks the set has an enabled transition: it stays enabled along transitions outside of the set, so a path to a deadlock has one of
//! the set. For a condition that is false now the set has all transitions that can change it towards true (`needs`): of a false comparison
//! those that lower its sum, of a false conjunction those of one false part, of a false disjunction those of all parts. A path to a marking in
//! which the condition holds has one of them. In both cases the path that is left is shorter by one step, so no proviso for cycles is
//! needed.
//!
//! # Source
//!
//! Valmari (1990); for conditions Schmidt, *Stubborn sets for standard properties* (1999).

use super::Wrong;
use super::conditions::{Condition, Linear, value};
use super::running::{Incidence, Running};

/// The enabled transitions from which closed sets are grown for deadlocks.
const SEEDS: usize = 8;

/// The choice of transitions, with its buffers.
#[derive(Clone, Debug)]
pub(super) struct Stubborn {
    inside: Vec<bool>,
    members: Vec<u32>,
    best: Vec<u32>,
    wrong: Wrong,
}

impl Stubborn {
    pub(super) fn new(arcs: &Incidence<'_>, wrong: Wrong) -> Stubborn {
        Stubborn { inside: vec![false; arcs.net.transitions.len()], members: Vec::new(), best: Vec::new(), wrong }
    }

    fn clear(&mut self) {
        for at in self.members.drain(..) {
            self.inside[at as usize] = false;
        }
    }

    fn add(&mut self, transition: u32) {
        if !std::mem::replace(&mut self.inside[transition as usize], true) {
            self.members.push(transition);
        }
    }

    /// Keeps those of the enabled transitions that a deadlock needs.
    pub(super) fn for_deadlock(&mut self, arcs: &Incidence<'_>, now: &Running, enabled: &mut Vec<u32>) {
        let mut least = enabled.len();
        if least < 2 {
            return;
        }
        self.best.clear();
        let apart = enabled.len().div_ceil(SEEDS);
        for seed in (0..enabled.len()).step_by(apart) {
            self.clear();
            self.add(enabled[seed]);
            if let Some(count) = self.close(arcs, now, least) {
                least = count;
                self.best.clear();
                self.best.extend(enabled.iter().filter(|&&at| self.inside[at as usize]));
                if least == 1 {
                    break;
                }
            }
        }
        if !self.best.is_empty() {
            std::mem::swap(enabled, &mut self.best);
        }
        assert!(!enabled.is_empty(), "a stubborn set for deadlocks has an enabled transition");
    }

    /// Keeps those of the enabled transitions that are needed for some of the conditions, all of which are false now: none if no marking in
    /// which one holds can be reached.
    pub(super) fn for_conditions<'c>(
        &mut self,
        arcs: &Incidence<'_>,
        now: &Running,
        conditions: impl Iterator<Item = &'c Condition>,
        enabled: &mut Vec<u32>,
    ) {
        self.clear();
        if self.wrong.needs_forgotten() {
            self.add(enabled[0]);
        } else {
            conditions.for_each(|condition| self.needs(arcs, now, condition));
        }
        if self.close(arcs, now, enabled.len()).is_some() {
            enabled.retain(|&at| self.inside[at as usize]);
        }
    }

    /// Adds the transitions one of which fires before a condition holds that is false now.
    fn needs(&mut self, arcs: &Incidence<'_>, now: &Running, condition: &Condition) {
        let tokens = |place: usize| i64::from(now.tokens[place]);
        debug_assert!(!condition.holds(&tokens), "a step is needed for what is false");
        match condition {
            Condition::Constant(_) => {}
            Condition::AtMost(weights, _) => self.lowering(arcs, weights),
            Condition::Any(list) => list.iter().for_each(|part| self.needs(arcs, now, part)),
            Condition::All(list) => {
                let is_false = |part: &&Condition| !part.holds(&tokens);
                let part = list.iter().filter(is_false).min_by_key(|part| cost(arcs, now, part));
                part.into_iter().for_each(|part| self.needs(arcs, now, part));
            }
        }
    }

    /// Adds the transitions that lower a sum.
    fn lowering(&mut self, arcs: &Incidence<'_>, weights: &Linear) {
        for &(place, weight) in weights {
            let list = if weight > 0 { &arcs.lowering[place] } else { &arcs.raising[place] };
            for &transition in list {
                if !self.inside[transition as usize] && effect(arcs, transition, weights) < 0 {
                    self.add(transition);
                }
            }
        }
    }

    /// Closes the set; the number of its enabled transitions, if they are fewer than `most`.
    fn close(&mut self, arcs: &Incidence<'_>, now: &Running, most: usize) -> Option<usize> {
        let (mut done, mut found) = (0, 0);
        while let Some(&at) = self.members.get(done) {
            done += 1;
            let transition = arcs.transition(at);
            limits::work(1 + transition.inputs.len() as u64);
            if now.is_enabled(at) {
                found += 1;
                if found >= most {
                    return None;
                }
                if self.wrong.conflicts_forgotten() {
                    continue;
                }
                for &(place, _) in &transition.inputs {
                    arcs.lowering[place].iter().for_each(|&other| self.add(other));
                }
                for &(place, _) in transition.changes.iter().filter(|(_, change)| *change < 0) {
                    arcs.needed[place].iter().for_each(|&(_, other)| self.add(other));
                }
            } else if !self.wrong.enabling_forgotten() {
                let lacks = |&&(place, number): &&(usize, i32)| now.tokens[place] < number;
                let new = |&&(place, _): &&(usize, i32)| {
                    enabled_and_all(now, arcs.raising[place].iter().filter(|&&other| !self.inside[other as usize]))
                };
                let place = transition.inputs.iter().filter(lacks).min_by_key(new);
                assert!(place.is_some(), "a disabled transition lacks tokens somewhere");
                place.into_iter().for_each(|&(place, _)| {
                    arcs.raising[place].iter().for_each(|&other| self.add(other));
                });
            }
        }
        Some(found)
    }
}

/// The number of enabled transitions in a list, and that of all of them. Compared in this order: disabled ones cost nothing by themselves.
fn enabled_and_all<'t>(now: &Running, transitions: impl Iterator<Item = &'t u32>) -> [usize; 2] {
    transitions.fold([0; 2], |[enabled, all], &at| [enabled + usize::from(now.is_enabled(at)), all + 1])
}

/// The numbers of transitions that may change a condition, roughly: those that are enabled, and all.
fn cost(arcs: &Incidence<'_>, now: &Running, condition: &Condition) -> [usize; 2] {
    match condition {
        Condition::Constant(_) => [0; 2],
        Condition::AtMost(weights, _) => {
            let list =
                |&(place, weight): &(usize, i64)| if weight > 0 { &arcs.lowering[place] } else { &arcs.raising[place] };
            enabled_and_all(now, weights.iter().flat_map(list))
        }
        Condition::All(list) => list.iter().map(|part| cost(arcs, now, part)).min().unwrap_or_default(),
        Condition::Any(list) => {
            let costs = list.iter().map(|part| cost(arcs, now, part));
            costs.fold([0; 2], |[enabled, all], part| [enabled + part[0], all + part[1]])
        }
    }
}

/// The change of a sum by a transition.
fn effect(arcs: &Incidence<'_>, transition: u32, weights: &Linear) -> i64 {
    let changes = &arcs.transition(transition).changes;
    let change = |place: usize| {
        changes.binary_search_by_key(&place, |&(place, _)| place).map_or(0, |at| i64::from(changes[at].1))
    };
    value(weights, &change)
}
