//! The part of a round that counts: everything up to the first event that ends the search.
//!
//! An event is a violation, or where the search keeps going the one by which all questions are decided, or a bound. Each event has
//! the time at which a search on one thread would have met it ([`Time`]); the earliest one ends the search there, with the totals of
//! that time.

use std::sync::Arc;

use super::driver::Driver;
use super::merge::{below, key, parts};
use super::messages::{Done, Fresh};
use crate::memory::Halt;
use crate::report::Limit;
use crate::search::{End, Handover, Sharded, limit_of};
use crate::watch::{STORED, Time, TimedViolation, Watched};

/// All events and new states of a round.
pub(super) struct RoundEvents<F> {
    pub(super) done: Vec<Vec<Done>>,
    pub(super) found: Vec<TimedViolation<F>>,
    /// The keys of the new states, by worker.
    pub(super) keys: Vec<Arc<Vec<u64>>>,
    /// The number of deadlocks that were expanded.
    pub(super) deadlocks: u64,
    skipped: Option<(u32, Limit)>,
    failed: Option<(u64, Halt)>,
}

impl<F> Default for RoundEvents<F> {
    fn default() -> RoundEvents<F> {
        RoundEvents { done: Vec::new(), found: Vec::new(), keys: Vec::new(), deadlocks: 0, skipped: None, failed: None }
    }
}

impl<F> RoundEvents<F> {
    /// Adds the events of the next round.
    pub(super) fn append(&mut self, mut next: RoundEvents<F>) {
        self.done.append(&mut next.done);
        self.found.append(&mut next.found);
        self.deadlocks += next.deadlocks;
        self.skip(next.skipped);
        self.fail(next.failed);
        self.keys.resize_with(self.keys.len().max(next.keys.len()), Arc::default);
        for (keys, more) in self.keys.iter_mut().zip(next.keys) {
            if keys.is_empty() {
                *keys = more;
            } else if !more.is_empty() {
                Arc::make_mut(keys).extend_from_slice(&more);
            }
        }
    }

    /// Whether each of so many states was expanded once, or a bound kept some from it.
    fn are_of(&self, states: u32) -> bool {
        let done: usize = self.done.iter().map(Vec::len).sum();
        done == states as usize || done < states as usize && (self.skipped.is_some() || self.failed.is_some())
    }

    /// Whether an event ends a search that does not keep going.
    pub(super) fn ends(&self, keeps_going: bool) -> bool {
        !self.found.is_empty() && !keeps_going || self.failed.is_some()
    }

    /// Whether memory is short before any event that ends the search.
    pub(super) fn is_short(&self, keeps_going: bool) -> bool {
        let is_first = |key| keeps_going || self.found.iter().all(|violation| violation.time >= parts(key));
        self.failed.is_some_and(|(key, cause)| cause == Halt::Memory && is_first(key))
    }

    /// Keeps the first bound that left out a state or a step.
    pub(super) fn skip(&mut self, skipped: Option<(u32, Limit)>) {
        let is_first = |&(number, _): &(u32, Limit)| self.skipped.is_none_or(|(first, _)| number < first);
        self.skipped = skipped.filter(is_first).or(self.skipped);
    }

    /// Keeps the first failure.
    pub(super) fn fail(&mut self, failed: Option<(u64, Halt)>) {
        let is_first = |&(key, _): &(u64, Halt)| self.failed.is_none_or(|(first, _)| key < first);
        self.failed = failed.filter(is_first).or(self.failed);
    }
}

impl<S: Watched + Sharded> Driver<'_, '_, S> {
    /// Adds a round to the totals; returns the event that ends the search.
    pub(super) fn account(&mut self, mut events: RoundEvents<S::Fault>, to: u32) -> Option<End> {
        assert!(events.are_of(to - self.totals.handover.next), "each state of a round is expanded once");
        debug_assert!(events.keys.iter().all(|keys| keys.is_sorted()), "the keys of new states ascend");
        self.deadlocks += events.deadlocks;
        let bound = self.bound(&events);
        let bound_key = bound.map_or(u64::MAX, |(key, _)| key);
        let mut found = std::mem::take(&mut events.found);
        found.retain(|violation| violation.time < parts(bound_key));
        let first = match self.keeps_going {
            true => self.decided(&found),
            false => found.iter().map(|violation| violation.time).min(),
        };
        let (time, stored, end) = match first {
            Some(time) => {
                // The questions about one stored state are decided together, those about faults one by one.
                let together = |other: Time| other == time || other.0 == time.0 && other.1.max(time.1) < STORED;
                found.retain(|violation| violation.time <= time || together(violation.time));
                (time, bound_key.min(key(time.0 + 1, 0)), Some(End::Observer))
            }
            None => (parts(bound_key), bound_key, bound.map(|(_, limit)| End::Limit(limit))),
        };
        self.add(&events, to, time, stored);
        for violation in found {
            match self.seen.iter_mut().find(|seen| seen.query == violation.query) {
                Some(seen) if seen.time <= violation.time => {}
                Some(seen) => *seen = violation,
                None => self.seen.push(violation),
            }
        }
        // The buffers of the workers come first.
        self.spare_done.append(&mut events.done);
        self.spare_done.truncate(events.keys.len());
        end
    }

    /// The time at which the last of the questions that end the search together is violated, if all are.
    fn decided(&self, found: &[TimedViolation<S::Fault>]) -> Option<Time> {
        let first = |query: &usize| match self.seen.iter().any(|seen| seen.query == *query) {
            true => Some((0, 0)),
            false => found.iter().filter(|one| one.query == *query).map(|violation| violation.time).min(),
        };
        let times: Option<Vec<Time>> = self.undecided.as_ref()?.iter().map(first).collect();
        times?.into_iter().max()
    }

    /// The bound behind a refusal of a store.
    pub(super) fn limit_of(&self, cause: Halt) -> Limit {
        limit_of(self.space, self.clock.watch(), cause)
    }

    /// The first bound, and the key of the state at which it is met.
    fn bound(&self, events: &RoundEvents<S::Fault>) -> Option<(u64, Limit)> {
        let failed = events.failed.map(|(key, cause)| (key, self.limit_of(cause)));
        let most = (self.space.store().most() - self.totals.states) as usize;
        let mut keys: Vec<u64> = Vec::new();
        if events.keys.iter().map(|keys| keys.len()).sum::<usize>() > most {
            keys.extend(events.keys.iter().flat_map(|keys| keys.iter()));
            keys.select_nth_unstable(most);
        }
        let full = keys.get(most).map(|&key| (key, self.limit_of(Halt::States)));
        failed.into_iter().chain(full).min_by_key(|&(key, _)| key)
    }

    /// Adds the events before a time, and the new states below a key.
    fn add(&mut self, events: &RoundEvents<S::Fault>, to: u32, time: Time, stored: u64) {
        let counts = |number: u32| (number, STORED - 1) < time;
        // The steps of the state at which the search ends were taken; they do not count as transitions yet.
        for done in events.done.iter().flatten().filter(|done| done.number <= time.0) {
            self.totals.left_out += u64::from(done.leaves_out);
            if counts(done.number) {
                self.totals.handover.transitions += u64::from(done.transitions);
            }
        }
        let handover = &mut self.totals.handover;
        let skipped = events.skipped.filter(|&(number, _)| counts(number));
        handover.skipped = handover.skipped.or(skipped.map(|(_, limit)| limit));
        let last = |keys: &Arc<Vec<u64>>| keys[..keys.partition_point(|&key| key < stored)].last().copied();
        if let Some(last) = events.keys.iter().filter_map(last).max() {
            let deeper = u64::from(parts(last).0 >= handover.level_end);
            handover.depth = handover.depth.max(handover.at_depth + deeper + 1);
        }
        let before = |key| u32::try_from(below(&events.keys, key)).expect("numbers of states have 32 bits");
        let first = self.totals.states;
        if to > handover.level_end {
            handover.level_end = first + before(key(handover.level_end, 0));
            handover.at_depth += 1;
        }
        assert!(to <= first && to <= handover.level_end, "a round ends before the states without numbers");
        self.totals.states += before(stored);
        handover.next = to;
        self.unsent.push(Fresh { keys: events.keys.clone(), first });
    }
}

/// The position of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    pub(super) handover: Handover,
    pub(super) states: u32,
    pub(super) left_out: u64,
}
