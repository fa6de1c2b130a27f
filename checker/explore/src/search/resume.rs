//! Saving and restoring a breadth-first search.
//!
//! The findings of the observer are not saved but found again: the states of the findings are observed, or expanded,
//! once more, which stores nothing new. The restored search is then compared with the model
//! ([`confirm`](super::confirm)).
//!
//! A search that ended while it stored the initial states has visited none: it continues with the starts behind those
//! that it has stored.

use std::ops::ControlFlow;

use super::{Found, Observer, Position, Search, StateSpace, Tally};
use crate::checkpoint::{Damaged, Reader, Writer};
use crate::report::{Limit, LimitKind};

/// The bounds that leave out states or steps and do not end a search, by the number they are saved as.
const SKIPPING: [LimitKind; 4] = [LimitKind::Depth, LimitKind::Rebecs, LimitKind::Work, LimitKind::Processes];

/// The progress of a restored search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Restored {
    /// It was storing the initial states.
    Starting,
    /// It was visiting states.
    Visiting,
}

impl<S: StateSpace, O: Observer<S>> Search<'_, S, O> {
    /// Passes a checkpoint to the control. The search is between two visits, or between two initial states.
    pub(super) fn save(&mut self) {
        let is_visiting = self.position.is_some();
        let position = self.position.unwrap_or(Position { next: 0, depth: 0, level_end: 0 });
        let Found { places, deadlocks, faults } = self.observer.found();
        let (space, skipped) = (&*self.space, self.skipped);
        assert!(position.next <= space.store().len(), "visited states are stored");
        assert!(
            position.next <= position.level_end && position.level_end <= space.store().len(),
            "a level ends behind its visits"
        );
        let Tally { left_out, inexact } = space.tally();
        let started = if is_visiting { 0 } else { self.started as u64 };
        let counts =
            [self.transitions, self.expanded, self.depth, position.depth, deadlocks, left_out, inexact, started];
        self.clock.control().checkpoint(&mut |bytes| {
            let mut to = Writer(bytes);
            space.save(&mut to)?;
            to.byte(u8::from(is_visiting))?;
            to.u32(position.next)?;
            to.u32(position.level_end)?;
            counts.iter().try_for_each(|&count| to.u64(count))?;
            to.byte(u8::from(faults))?;
            let kind = skipped.and_then(|limit| SKIPPING.iter().position(|&kind| kind == limit.kind));
            to.len(kind.map_or(0, |kind| kind + 1))?;
            to.u64(skipped.map_or(0, |limit| limit.value))?;
            to.len(places.len())?;
            for &(state, by_expanding) in &places {
                to.u64(state.map_or(u64::MAX, u64::from))?;
                to.byte(u8::from(by_expanding))?;
            }
            Ok(())
        });
    }

    /// Continues from a checkpoint.
    pub(super) fn restore(&mut self, saved: Vec<u8>) -> Result<Restored, Damaged> {
        let mut from = Reader(&saved);
        self.space.restore(&mut from)?;
        let len = self.space.store().len();
        let begun = if from.bool()? { Restored::Visiting } else { Restored::Starting };
        let (next, level_end) = (from.u32()?, from.u32()?);
        let mut counts = [0; 8];
        for count in &mut counts {
            *count = from.u64()?;
        }
        let [transitions, expanded, depth, at_depth, deadlocks, left_out, inexact, started] = counts;
        let (faults, kind, value) = (from.bool()?, from.u64()?, from.u64()?);
        let kind = usize::try_from(kind).map_err(|_| Damaged)?;
        let skipped = kind.checked_sub(1).map(|at| SKIPPING.get(at).copied().ok_or(Damaged)).transpose()?;
        let mut places = Vec::new();
        for _ in 0..from.len(9)? {
            let (state, by_expanding) = (from.u64()?, from.bool()?);
            let state = if state == u64::MAX { None } else { Some(u32::try_from(state).map_err(|_| Damaged)?) };
            if state.is_some_and(|state| state >= if by_expanding { next } else { len }) {
                return Err(Damaged);
            }
            places.push((state, by_expanding));
        }
        from.end()?;
        drop(saved);
        (self.transitions, self.expanded, self.depth) = (transitions, expanded, depth);
        self.skipped = skipped.map(|kind| Limit { kind, value });
        self.started =
            usize::try_from(started).ok().filter(|_| begun == Restored::Starting || started == 0).ok_or(Damaged)?;
        self.position = Some(Position { next, depth: at_depth, level_end });
        self.observed = len;
        let found = Found { places, deadlocks, faults };
        self.find_again(&found.places)?;
        self.confirm(begun, &found, Tally { left_out, inexact })?;
        if begun == Restored::Starting {
            self.position = None;
        }
        Ok(begun)
    }

    fn find_again(&mut self, places: &[(Option<u32>, bool)]) -> Result<(), Damaged> {
        let len = self.space.store().len();
        for &(state, by_expanding) in places {
            let Some(number) = state else {
                for failed in self.space.starts().filter_map(Result::err) {
                    let _: ControlFlow<()> = self.observer.start_failed(self.space, &failed);
                }
                continue;
            };
            if by_expanding {
                self.space.expand(number, &mut self.expansion).map_err(|_| Damaged)?;
                let _: ControlFlow<()> = self.observer.expanded(self.space, number, &self.expansion);
            } else {
                let _: ControlFlow<()> = self.observer.stored(self.space, number..number + 1);
            }
        }
        if self.space.store().len() == len { Ok(()) } else { Err(Damaged) }
    }
}
