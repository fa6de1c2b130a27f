//! Saving and restoring a breadth-first search.
//!
//! What the observer has found is not written down but found again: the states in which it was found are looked at, or
//! expanded, once more, which stores nothing new.

use std::ops::ControlFlow;

use super::{Observer, Position, Search, StateSpace};
use crate::checkpoint::{Damaged, Reader, Writer};
use crate::report::{Limit, LimitKind};

/// The bounds that leave something out and do not end a search, by the number they are saved as.
const SKIPPING: [LimitKind; 3] = [LimitKind::Depth, LimitKind::Rebecs, LimitKind::Work];

impl<S: StateSpace, O: Observer<S>> Search<'_, S, O> {
    /// Hands a checkpoint to the control. The search is between two visits.
    pub(super) fn save(&mut self) {
        let Some(position) = self.position else { return };
        let (found, kept) = self.observer.found();
        let (space, skipped) = (&*self.space, self.skipped);
        let counts = [self.transitions, self.expanded, self.depth, kept, position.depth];
        self.pace.control().checkpoint(&mut |bytes| {
            let mut to = Writer(bytes);
            space.save(&mut to)?;
            to.u32(position.next)?;
            to.u32(position.level_end)?;
            counts.iter().try_for_each(|&count| to.u64(count))?;
            let kind = skipped.and_then(|limit| SKIPPING.iter().position(|&kind| kind == limit.kind));
            to.len(kind.map_or(0, |kind| kind + 1))?;
            to.u64(skipped.map_or(0, |limit| limit.value))?;
            to.len(found.len())?;
            for &(state, by_expanding) in &found {
                to.u64(state.map_or(u64::MAX, u64::from))?;
                to.byte(u8::from(by_expanding))?;
            }
            Ok(())
        });
    }

    /// Goes on from a checkpoint.
    pub(super) fn restore(&mut self, saved: Vec<u8>) -> Result<(), Damaged> {
        let mut from = Reader(&saved);
        self.space.restore(&mut from)?;
        let len = self.space.store().len();
        let (next, level_end) = (from.u32()?, from.u32()?);
        let mut counts = [0; 5];
        for count in &mut counts {
            *count = from.u64()?;
        }
        let [transitions, expanded, depth, kept, at_depth] = counts;
        if next > len || level_end > len {
            return Err(Damaged);
        }
        let (kind, value) = (from.u64()?, from.u64()?);
        let kind = usize::try_from(kind).map_err(|_| Damaged)?;
        let skipped = kind.checked_sub(1).map(|at| SKIPPING.get(at).copied().ok_or(Damaged)).transpose()?;
        let mut found = Vec::new();
        for _ in 0..from.len(9)? {
            let (state, by_expanding) = (from.u64()?, from.bool()?);
            let state = if state == u64::MAX { None } else { Some(u32::try_from(state).map_err(|_| Damaged)?) };
            if state.is_some_and(|state| state >= len) {
                return Err(Damaged);
            }
            found.push((state, by_expanding));
        }
        from.end()?;
        drop(saved);
        self.find_again(&found)?;
        if self.space.store().len() != len {
            return Err(Damaged);
        }
        self.observer.keep(kept);
        (self.transitions, self.expanded, self.depth) = (transitions, expanded, depth);
        self.skipped = skipped.map(|kind| Limit { kind, value });
        self.position = Some(Position { next, depth: at_depth, level_end });
        Ok(())
    }

    fn find_again(&mut self, found: &[(Option<u32>, bool)]) -> Result<(), Damaged> {
        for &(state, by_expanding) in found {
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
        Ok(())
    }
}
