//! Comparison of a restored search with the model, before it continues.
//!
//! The position of a breadth-first search follows from the parents of its states: they ascend, so levels are ranges
//! of numbers, and the next state, the end of its level and the depth belong to each other. This is checked for all
//! states. Then starts are stored once more, and states are expanded once more: at most
//! [`Tuning::computed_again`](crate::tuning::Tuning) of each, evenly spread. This must store nothing new, a state
//! must be among the successors of its parent, and the observer must find nothing that it had not found.
//!
//! Soundness: a search of at most [`Tuning::computed_again`](crate::tuning::Tuning) starts and states is confirmed
//! whole: its states are those that a search reaches, and every visited one has all its successors. For a larger one
//! the check is a sample: it errs by accepting faults in states that were not drawn.
//!
//! Complexity: linear in the states, with [`Tuning::computed_again`](crate::tuning::Tuning) expansions.

use std::ops::ControlFlow;

use super::resume::Restored;
use super::{Expansion, Found, Observer, Search, StateSpace, Tally};
use crate::checkpoint::Damaged;
use crate::report::{Limit, LimitKind};
use crate::states::NO_PARENT;

/// The levels that follow from the parents of all states.
struct Levels {
    /// The number of states without a parent.
    initial: u32,
    /// The first state of each level, and the number of states.
    bounds: Vec<u32>,
}

impl Levels {
    fn depth(&self, number: u32) -> u64 {
        self.bounds.partition_point(|&first| first <= number).saturating_sub(1) as u64
    }

    /// The end of a level.
    fn end(&self, depth: u64) -> Option<u32> {
        self.bounds.get(usize::try_from(depth).ok()? + 1).copied()
    }
}

fn is_true(holds: bool) -> Result<(), Damaged> {
    if holds { Ok(()) } else { Err(Damaged) }
}

impl<S: StateSpace, O: Observer<S>> Search<'_, S, O> {
    /// Compares the restored and recomputed findings with the model.
    ///
    /// # Errors
    /// The search is not one of this model.
    pub(super) fn confirm(&mut self, begun: Restored, found: &Found, tally: Tally) -> Result<(), Damaged> {
        is_true(self.observer.found().places == found.places)?;
        let levels = self.levels()?;
        self.confirm_figures(begun, &levels)?;
        let are_all_starts = self.confirm_starts(begun, levels.initial)?;
        let before = self.observer.found();
        self.space.set_tally(Tally::default());
        let (are_all, transitions) = self.confirm_states(&levels)?;
        let after = self.observer.found();
        is_true(after.places == found.places && (found.faults || !after.faults))?;
        if are_all {
            is_true(transitions == self.transitions && self.space.tally().left_out == tally.left_out)?;
            is_true(after.deadlocks - before.deadlocks == found.deadlocks)?;
            // Starts that fault may come behind the last one that is stored.
            is_true(after.faults == found.faults || begun == Restored::Starting || !are_all_starts)?;
        }
        self.space.set_tally(tally);
        self.observer.keep(found.deadlocks, found.faults);
        Ok(())
    }

    /// The most starts and states that are recomputed.
    fn most_again(&self) -> u32 {
        self.space.store().tuning().computed_again
    }

    /// The levels of a search whose parents ascend.
    fn levels(&self) -> Result<Levels, Damaged> {
        let store = self.space.store();
        let (mut bounds, mut initial, mut last) = (vec![0], 0, 0);
        for (number, parent) in (0..).zip(store.parents()) {
            if parent == NO_PARENT {
                is_true(initial == number)?;
                initial += 1;
                continue;
            }
            is_true(last <= parent && parent < number)?;
            last = parent;
            if bounds.last().is_some_and(|&first| first <= parent) {
                bounds.push(number);
            }
        }
        bounds.push(store.len());
        Ok(Levels { initial, bounds })
    }

    /// Whether the figures belong to each other.
    fn confirm_figures(&self, begun: Restored, levels: &Levels) -> Result<(), Damaged> {
        let position = self.position.ok_or(Damaged)?;
        let len = self.space.store().len();
        if begun == Restored::Starting {
            is_true(levels.initial == len && (position.next, position.level_end, position.depth) == (0, 0, 0))?;
            return is_true((self.transitions, self.expanded, self.depth) == (0, 0, 0));
        }
        let next = position.next;
        is_true(next <= len && levels.initial > 0)?;
        // A visit that found no room is repeated: its state may have children.
        is_true(len == levels.initial || self.space.store().parent(len - 1) <= next)?;
        let is_at = |depth| position.depth == depth && levels.end(depth) == Some(position.level_end);
        is_true(next > 0 && is_at(levels.depth(next - 1)) || next < len && is_at(levels.depth(next)))?;
        is_true(self.depth == levels.depth(len - 1))?;
        let skipped = self.skipped.filter(|limit| limit.kind == LimitKind::Depth);
        is_true(match skipped {
            Some(limit) => self.expanded < u64::from(next) && limit.value <= position.depth,
            None => self.expanded == u64::from(next) || self.skipped.is_some() && self.expanded < u64::from(next),
        })
    }

    /// Stores the starts again, of a search among them those that it has stored; returns whether all were stored.
    fn confirm_starts(&mut self, begun: Restored, initial: u32) -> Result<bool, Damaged> {
        let (mut seen, visits) = (0, self.space.store().tuning().visits);
        let mut starts = self.space.starts();
        let most =
            if begun == Restored::Starting { std::mem::take(&mut self.started) } else { self.most_again() as usize };
        for number in 0..most {
            if begun == Restored::Starting {
                self.started = number;
            }
            // A search that is at a limit ends there.
            if self.clock.is_due(visits, 0) && self.clock.ended().is_some() {
                return Ok(false);
            }
            match starts.next() {
                None => return is_true(seen == initial && begun == Restored::Visiting).map(|()| true),
                Some(Ok(state)) => {
                    let Ok((number, is_new)) = self.space.insert_initial(&state) else { return Ok(false) };
                    is_true(!is_new && number <= seen && number < initial)?;
                    seen += u32::from(number == seen);
                }
                Some(Err(failed)) => {
                    let _: ControlFlow<()> = self.observer.start_failed(self.space, &failed);
                }
            }
        }
        if begun == Restored::Starting {
            is_true(seen == initial)?;
            self.started = most;
        }
        Ok(false)
    }

    /// Expands states again; returns whether all visited ones were expanded, and their number of transitions.
    fn confirm_states(&mut self, levels: &Levels) -> Result<(bool, u64), Damaged> {
        let len = self.space.store().len();
        let next = self.position.map_or(0, |position| position.next);
        // Of the states whose depth was the limit some were visited and not expanded.
        let whole = match self.skipped {
            _ if self.expanded == u64::from(next) => next,
            Some(Limit { kind: LimitKind::Depth, value }) if value > 0 => levels.end(value - 1).unwrap_or(0).min(next),
            _ => 0,
        };
        if len <= self.most_again() {
            let _: ControlFlow<()> = self.observer.stored(self.space, 0..len);
        }
        let step = whole.div_ceil(self.most_again()).max(1);
        let mut transitions = 0;
        for number in (0..whole).step_by(step as usize) {
            // A search that is at a limit ends there.
            if self.clock.ended().is_some() || self.space.expand(number, &mut self.expansion).is_err() {
                return Ok((false, 0));
            }
            is_true(self.space.store().len() == len)?;
            transitions += self.expansion.len() as u64;
            let mut successors: Vec<u32> = self.expansion.successors().collect();
            successors.sort_unstable();
            is_true(self.children(number, len).all(|child| successors.binary_search(&child).is_ok()))?;
            let _: ControlFlow<()> = self.observer.stored(self.space, number..number + 1);
            let _: ControlFlow<()> = self.observer.expanded(self.space, number, &self.expansion);
        }
        Ok((step == 1 && whole == next, transitions))
    }

    /// The states whose parent is a given state: their parents ascend.
    fn children(&self, number: u32, len: u32) -> impl Iterator<Item = u32> {
        let store = self.space.store();
        let (mut low, mut high) = (0, len);
        while low < high {
            let middle = low + (high - low) / 2;
            let parent = store.parent(middle);
            if parent == NO_PARENT || parent < number { low = middle + 1 } else { high = middle }
        }
        (low..len).take_while(move |&child| store.parent(child) == number)
    }
}
