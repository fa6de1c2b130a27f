//! A breadth-first search on one thread whose index is on the disk.
//!
//! A round lasts as long as there is room for waiting successors (`states`, `delayed`), or until no numbered state is
//! left. The round expands its states, then looks all successors up together; the new ones get the numbers that a
//! search with an index in memory would give them, in the order of (expanded state, place). The part of a round that
//! counts is determined as for several threads (`account`): everything up to the first event that ends the search.
//!
//! Soundness: a round whose successors cannot all be looked up does not count.

use std::sync::Arc;

use super::account::RoundEvents;
use super::account::Totals;
use super::driver::Driver;
use super::merge::{key, parts};
use super::messages::Done;
use crate::memory::Halt;
use crate::report::{Limit, LimitKind};
use crate::search::{End, Expansion as _, Sharded};
use crate::watch::Watched;

/// A round has at most one state per so many successors that may wait.
pub(super) const WAITING_PER_STATE: usize = 4;

impl<S: Watched + Sharded> Driver<'_, '_, S> {
    /// Moves the index to the disk and goes through all rounds; returns the event that ended the search early.
    pub(super) fn run_with_index_on_disk(&mut self, max_depth: Option<u64>) -> Option<End> {
        // There is too little room: that is why the index moves to the disk.
        let _: Result<(), Halt> = self.settle(0);
        if let Err(cause) = self.space.store_mut().delay() {
            return Some(End::Limit(self.limit_of(cause)));
        }
        let mut ended = None;
        while ended.is_none() && self.begins_round() {
            self.look();
            ended = match self.round(max_depth) {
                _ if self.stopped.is_some() => self.stopped.map(End::Limit),
                Ok((events, to)) => self.account(events, to),
                Err(cause) => Some(End::Limit(self.limit_of(cause))),
            };
            // No worker needs the numbers: those of all states are those of the store.
            let drained = self.unsent.drain(..).flat_map(|fresh| fresh.keys).filter_map(Arc::into_inner);
            self.spare_keys.extend(drained);
            self.weigh(self.expansion.bytes());
            self.show();
        }
        ended
    }

    /// Whether there is another round; it begins a level if the last one ended one.
    fn begins_round(&mut self) -> bool {
        let Totals { handover, states, .. } = &mut self.totals;
        if handover.next == handover.level_end && handover.next < *states {
            handover.level_end = *states;
            handover.at_depth += 1;
        }
        handover.next < *states
    }

    /// Passes to the store how much memory is left to it.
    fn settle(&mut self, own: u64) -> Result<(), Halt> {
        self.space.settle(own + self.expansion.bytes(), self.totals.handover.held)
    }

    /// Expands the next states and stores their successors; returns the events, and the state behind the last one.
    fn round(&mut self, max_depth: Option<u64>) -> Result<(RoundEvents<S::Fault>, u32), Halt> {
        let Totals { handover, states, .. } = self.totals;
        let mut events = RoundEvents::default();
        let mut done = self.spare_done.pop().unwrap_or_default();
        done.clear();
        let mut keys = self.spare_keys.pop().unwrap_or_default();
        keys.clear();
        self.space.store_mut().return_keys(keys);
        self.settle(0)?;
        done.reserve_exact(self.space.store().room_to_wait() / WAITING_PER_STATE);
        let (mut settled, mut current) = (self.space.growth(), Vec::new());
        let mut number = handover.next;
        while number < states {
            let depth = handover.at_depth + u64::from(number >= handover.level_end);
            let is_deepest = max_depth.is_some_and(|most| depth >= most);
            if is_deepest && !self.space.is_deadlock(number) {
                events.skip(Some((number, Limit { kind: LimitKind::Depth, value: depth })));
            } else if let Err(cause) = self.visit(number, &mut current, &mut done, &mut events) {
                self.space.store().is_whole()?;
                events.fail(Some((key(number, 0), cause)));
                break;
            }
            number += 1;
            if self.space.growth() != settled {
                settled = self.space.growth();
                self.settle(0)?;
            }
            if number.is_multiple_of(self.space.store().tuning().visits) {
                self.look();
            }
            let store = self.space.store();
            let is_over = !self.keeps_going && !self.own.found.is_empty() || self.stopped.is_some();
            if is_over || store.is_due() || done.len() * WAITING_PER_STATE >= store.room_to_wait() {
                break;
            }
        }
        let keys = self.stored()?;
        events.keys.push(Arc::new(keys));
        events.done.push(done);
        events.found.append(&mut self.own.found);
        Ok((events, number))
    }

    /// Expands a state, and lets its successors wait.
    #[inline]
    fn visit(
        &mut self,
        number: u32,
        current: &mut Vec<u64>,
        done: &mut Vec<Done>,
        events: &mut RoundEvents<S::Fault>,
    ) -> Result<(), Halt> {
        let Driver { space, expansion, own, .. } = self;
        current.clear();
        space.store().read(number, current);
        space.store().is_whole()?;
        let transitions = space.steps(current, expansion)?;
        space.store_mut().wait_all(S::packed(expansion), |place| key(number, place))?;
        done.push(Done { number, transitions, leaves_out: S::leaves_out(expansion) });
        events.skip(space.bound_of(expansion).map(|limit| (number, limit)));
        own.expanded(space, number, (0, number), expansion);
        Ok(())
    }

    /// Stores the waiting successors and checks the new states; returns their keys.
    fn stored(&mut self) -> Result<Vec<u64>, Halt> {
        let Driver { space, own, totals, .. } = self;
        let mut keys = Vec::new();
        space.store_mut().resolve()?;
        space.store_mut().take_fresh(&mut keys)?;
        for (number, &key) in (totals.states..).zip(&keys) {
            own.stored(space, number, parts(key), 0);
        }
        space.store().is_whole()?;
        debug_assert!(keys.is_sorted_by(|one, next| one < next), "new states are numbered in the order of their keys");
        debug_assert_eq!(space.store().len() as usize, totals.states as usize + keys.len(), "each new state has a key");
        Ok(keys)
    }
}
