//! Random runs of a net: markings in which conditions hold, deadlocks, and the greatest numbers of tokens that were seen.
//!
//! Runs alternate: one in two takes any enabled transition, the others take of a few enabled ones the one after which an open condition
//! lacks the fewest tokens, or after which a sum is greatest. A run begins again at the initial marking.
//!
//! # Complexity
//!
//! A choice reads the goal for each of the steps that are compared. Together choices read at most [`MOST_READ`] weighted places; later steps are any.
//!
//! # Soundness
//!
//! All that is found is reached by enabled transitions. That something is not found proves nothing.

use frontend::pnml::Net;

use super::conditions::{Condition, Linear, value};
use super::running::{Incidence, Running};

/// The steps of the longest runs.
const STEPS: usize = 6000;
/// The enabled transitions that are compared.
const SAMPLE: usize = 6;
/// Runs that find nothing new, after which the search ends.
const IDLE: u32 = 12;

/// The most weighted places that choices read together.
const MOST_READ: u64 = 1 << 27;

/// What random runs found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walked {
    /// Whether each condition holds in a marking that was reached.
    pub reached: Vec<bool>,
    /// The greatest value of each sum.
    pub greatest: Vec<i64>,
    /// Whether a deadlock was reached.
    pub deadlock: bool,
}

/// The goal of a run.
#[derive(Clone, Copy)]
enum Goal {
    None,
    Condition(usize),
    Sum(usize),
}

struct Walk<'a> {
    goals: &'a [Condition],
    sums: &'a [Linear],
    found: Walked,
    random: u64,
    is_new: bool,
    /// The weighted places of each condition.
    sizes: Vec<u64>,
    /// The weighted places that choices may still read.
    left: u64,
}

impl Walk<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random % n as u64).unwrap_or(0)
    }

    fn see(&mut self, running: &Running) {
        let tokens = |place: usize| i64::from(running.tokens[place]);
        for (goal, reached) in self.goals.iter().zip(&mut self.found.reached) {
            if !*reached && goal.holds(&tokens) {
                *reached = true;
                self.is_new = true;
            }
        }
        for (sum, greatest) in self.sums.iter().zip(&mut self.found.greatest) {
            let value = value(sum, &tokens);
            if value > *greatest {
                *greatest = value;
                self.is_new = true;
            }
        }
        if running.enabled.is_empty() && !self.found.deadlock {
            self.found.deadlock = true;
            self.is_new = true;
        }
    }

    /// A goal for a run of a number.
    fn goal(&mut self, run: u32) -> Goal {
        let open: Vec<usize> = (0..self.goals.len()).filter(|&at| !self.found.reached[at]).collect();
        let count = open.len() + self.sums.len();
        if run.is_multiple_of(2) || count == 0 {
            return Goal::None;
        }
        let chosen = self.below(count);
        open.get(chosen).map_or_else(|| Goal::Sum(chosen - open.len()), |&at| Goal::Condition(at))
    }

    /// One of the enabled transitions.
    fn step(&mut self, arcs: &Incidence<'_>, running: &Running, goal: Goal) -> u32 {
        let mut best = (i64::MAX, running.enabled[self.below(running.enabled.len())]);
        let size = match goal {
            Goal::None => return best.1,
            Goal::Condition(at) => self.sizes[at],
            Goal::Sum(at) => self.sums[at].len() as u64,
        };
        let Some(left) = self.left.checked_sub(SAMPLE.min(running.enabled.len()) as u64 * size) else { return best.1 };
        self.left = left;
        for _ in 0..SAMPLE.min(running.enabled.len()) {
            let transition = running.enabled[self.below(running.enabled.len())];
            let changes = &arcs.transition(transition).changes;
            let tokens = |place: usize| {
                let change = changes.binary_search_by_key(&place, |&(place, _)| place).map_or(0, |at| changes[at].1);
                i64::from(running.tokens[place]) + i64::from(change)
            };
            let cost = match goal {
                Goal::None => 0,
                Goal::Condition(at) => self.goals[at].distance(&tokens),
                Goal::Sum(at) => -value(&self.sums[at], &tokens),
            };
            if cost < best.0 {
                best = (cost, transition);
            }
        }
        best.1
    }
}

/// Walks for as long as something new is found, until all conditions are reached, or until the watch stops; `enough` are the values that sums
/// are known not to pass. With `for_deadlock` a deadlock is a goal too.
pub fn walk(net: &Net, goals: &[Condition], sums: &[(Linear, Option<i64>)], for_deadlock: bool) -> Walked {
    walked(net, goals, sums, for_deadlock, MOST_READ).0
}

/// As [`walk`], with the most weighted places that choices read; also returns how many they did not read.
fn walked(
    net: &Net,
    goals: &[Condition],
    sums: &[(Linear, Option<i64>)],
    for_deadlock: bool,
    most: u64,
) -> (Walked, u64) {
    let arcs = Incidence::new(net);
    let start = Running::new(&arcs);
    let linear: Vec<Linear> = sums.iter().map(|(sum, _)| sum.clone()).collect();
    let found = Walked { reached: vec![false; goals.len()], greatest: vec![i64::MIN; sums.len()], deadlock: false };
    let sizes = goals.iter().map(|goal| goal.size() as u64).collect();
    let random = 0x9e37_79b9_7f4a_7c15;
    let mut walk = Walk { goals, sums: &linear, found, random, is_new: false, sizes, left: most };
    walk.see(&start);
    let mut idle = 0;
    for run in 0u32.. {
        let mut running = start.clone();
        let steps = STEPS >> (8u32.saturating_sub(run / 2)).min(6);
        let goal = walk.goal(run);
        walk.is_new = false;
        for _ in 0..steps {
            if running.enabled.is_empty() {
                break;
            }
            // One step in eight is any.
            let kind = if walk.below(8) == 0 { Goal::None } else { goal };
            let left = walk.left;
            let transition = walk.step(&arcs, &running, kind);
            if !running.fire(&arcs, transition) {
                break;
            }
            walk.see(&running);
            if limits::poll(1 + goals.len() as u64 + (left - walk.left)).is_err() {
                return (walk.found, walk.left);
            }
        }
        idle = if walk.is_new { 0 } else { idle + 1 };
        let is_enough =
            |((_, enough), greatest): (&(Linear, Option<i64>), &i64)| enough.is_some_and(|most| *greatest >= most);
        let is_over = walk.found.reached.iter().all(|&reached| reached)
            && sums.iter().zip(&walk.found.greatest).all(is_enough)
            && (walk.found.deadlock || !for_deadlock);
        if is_over || (idle > IDLE && run > 16) {
            break;
        }
    }
    (walk.found, walk.left)
}

#[cfg(test)]
mod tests {
    use frontend::pnml::{Net, Place, Transition};
    use frontend::source::Span;

    use super::{MOST_READ, SAMPLE, walked};
    use crate::nets::Condition;

    /// A token that goes around.
    fn ring(count: usize) -> Net {
        let mut net = Net::default();
        net.places = (0..count)
            .map(|at| Place { name: format!("p{at}"), initial: i32::from(at == 0), span: Span::NONE })
            .collect();
        net.transitions = (0..count)
            .map(|at| {
                let next = (at + 1) % count;
                let mut changes = vec![(at, -1), (next, 1)];
                changes.sort_unstable();
                Transition { label: format!("t{at}"), inputs: vec![(at, 1)], changes, span: Span::NONE }
            })
            .collect();
        net
    }

    /// Nothing is enabled in no marking of a ring, and the condition has as many places as the ring.
    #[test]
    fn choices_read_a_bounded_number_of_places() {
        let count = 200;
        let net = ring(count);
        let dead = Condition::all((0..count).map(|at| Condition::at_most(vec![(at, 1)], 0)).collect());
        let far = Condition::at_least(vec![(count - 1, 1)], 1);
        let goals = [dead, far];
        let (found, left) = walked(&net, &goals, &[], true, MOST_READ);
        assert!(found.reached == [false, true] && MOST_READ - left > 1 << 20, "{left}");
        let most = 1 << 16;
        let (found, left) = walked(&net, &goals, &[], true, most);
        assert!(found.reached == [false, true] && left < (SAMPLE * count) as u64, "{left}");
    }
}
