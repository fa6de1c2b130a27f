//! A run of a net that can be repeated for ever and puts more tokens into a place each time.
//!
//! Random runs from the initial marking are compared with their own past: where a marking has at least the tokens of an earlier one in each
//! place, and more in one, the steps in between can be repeated without end. Runs prefer transitions that put tokens into places for which no
//! bound is known.
//!
//! # Soundness
//!
//! A place that is found grows without bound. That none is found proves nothing: the search takes a bounded number of steps.

use super::net::Net;

/// The number of runs.
const RUNS: usize = 48;
/// The steps of the longest runs.
const STEPS: usize = 3000;
/// The most markings of its past that a marking is compared with.
const PAST: usize = 96;
/// The numbers of tokens that are compared or changed in all runs together.
const MAX_WORK: u64 = 1 << 25;

/// A place that grows, and the transitions of a run that leads there and can be repeated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Growth {
    /// The place.
    pub(super) place: usize,
    /// The transitions, in order.
    pub(super) steps: Vec<usize>,
}

/// A marking of a run.
struct Past {
    marking: Vec<i32>,
    /// The number of steps before it.
    steps: usize,
}

/// A place that grows without bound, as far as runs show one.
pub(super) fn growth(net: &Net, bounds: &[Option<i32>]) -> Option<Growth> {
    if bounds.iter().all(Option::is_some) {
        return None;
    }
    let transitions: Vec<usize> = (0..net.transitions.len()).collect();
    let gain = |at: usize| {
        let changes = net.transitions[at].changes.iter().filter(|(place, _)| bounds[*place].is_none());
        changes.map(|&(_, change)| i64::from(change)).sum::<i64>()
    };
    let gains: Vec<i64> = transitions.iter().map(|&at| gain(at)).collect();
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut below = |n: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % n as u64).unwrap_or(0)
    };
    let mut work = 0u64;
    for run in 0..RUNS {
        let mut marking = net.initial();
        let mut past: Vec<Past> = Vec::new();
        let mut steps: Vec<usize> = Vec::new();
        let most = STEPS >> (RUNS - 1 - run).min(5);
        while steps.len() < most && work < MAX_WORK {
            let mut enabled = Vec::new();
            for (at, &transition) in transitions.iter().enumerate() {
                work += 1;
                if Net::is_enabled(&net.transitions[transition], &marking) {
                    enabled.push(at);
                }
            }
            limits::work(transitions.len() as u64);
            if enabled.is_empty() {
                break;
            }
            past.push(Past { marking: marking.clone(), steps: steps.len() });
            if past.len() > PAST {
                // Old markings become rarer: every second one of the older half goes.
                let mut at = 0;
                past.retain(|_| {
                    at += 1;
                    at > PAST / 2 || at % 2 == 1
                });
            }
            // One run in two prefers the better of two transitions.
            let mut chosen = enabled[below(enabled.len())];
            if run % 2 == 1 {
                let other = enabled[below(enabled.len())];
                if gains[other] > gains[chosen] {
                    chosen = other;
                }
            }
            let transition = transitions[chosen];
            steps.push(transition);
            marking = net.fired(&net.transitions[transition], &marking)?;
            for earlier in past.iter().rev() {
                work += 8;
                let covers = marking.iter().zip(&earlier.marking).all(|(now, then)| now >= then);
                if covers && let Some(place) = marking.iter().zip(&earlier.marking).position(|(now, then)| now > then) {
                    debug_assert!(earlier.steps < steps.len(), "a step makes it grow");
                    return Some(Growth { place, steps: steps.split_off(earlier.steps) });
                }
            }
        }
    }
    None
}
