//! Whether an evaluation depends on the order in which some loops and quantifiers take the values of a type.
//!
//! Rounds are performed one after the other, in the order of the values. Where no round reads or writes what another one
//! writes, none ends the loop early and none faults, any order gives the same result; and so does a quantifier all of whose
//! rounds are evaluated, unless some decide it and others fault. Elements that several rounds add to one multiset are sorted
//! after the step; the first cell of the multiset stands for all that is known of its slots.
//!
//! Soundness: [`Independence::broken`] errs on the side of dependence. An independence that a state does not break is not broken in its
//! images either, whose evaluations are the images of the evaluations.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::Span;

/// The mark of a cell that several rounds read.
const SEVERAL: u32 = u32::MAX;

/// Notes the order of values that shows.
#[derive(Debug)]
pub(super) struct Independence<'s> {
    /// The names of the binders.
    binders: &'s FxHashSet<Span>,
    /// The loops in progress, outermost first.
    loops: Vec<Rounds>,
    /// The binders whose order may show.
    pub(super) broken: BTreeSet<Span>,
}

/// The rounds of one loop.
#[derive(Debug)]
struct Rounds {
    /// The name of its binder.
    binder: Span,
    round: u32,
    /// Cells from here on belong to calls inside of a round.
    limit: usize,
    /// Whether nothing may be written: all rounds of a quantifier are evaluated here, and in steps only some.
    is_pure: bool,
    reads: FxHashMap<usize, u32>,
    writes: FxHashMap<usize, u32>,
    /// The multisets that elements are added to, by their first cells.
    adds: FxHashMap<usize, u32>,
}

/// Notes that a round accesses a cell; whether another one did, too.
fn mark(cells: &mut FxHashMap<usize, u32>, at: usize, round: u32) -> bool {
    let by = cells.entry(at).or_insert(round);
    let is_other = *by != round;
    if is_other {
        *by = SEVERAL;
    }
    is_other
}

impl Rounds {
    fn is_of_other(&self, cells: &FxHashMap<usize, u32>, at: usize) -> bool {
        cells.get(&at).is_some_and(|&by| by != self.round)
    }
}

impl<'s> Independence<'s> {
    /// Of these binders.
    pub(super) fn new(binders: &'s FxHashSet<Span>) -> Independence<'s> {
        Independence { binders, loops: Vec::new(), broken: BTreeSet::new() }
    }

    /// The same for another evaluation.
    pub(super) fn again(&self) -> Independence<'s> {
        Independence { broken: self.broken.clone(), ..Independence::new(self.binders) }
    }

    /// Whether the order of a binder is watched.
    pub(super) fn is_over(&self, binder: Span) -> bool {
        self.binders.contains(&binder)
    }

    /// Notes that the order of the innermost loop may show.
    pub(super) fn breaks(&mut self) {
        let innermost = self.loops.last().expect("a loop is in progress");
        self.broken.insert(innermost.binder);
    }

    pub(super) fn begin(&mut self, binder: Span, limit: usize, is_pure: bool) {
        let (reads, writes, adds) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        self.loops.push(Rounds { binder, round: 0, limit, is_pure, reads, writes, adds });
    }

    pub(super) fn next(&mut self) {
        self.loops.last_mut().expect("a loop is in progress").round += 1;
    }

    pub(super) fn end(&mut self) {
        let ended = self.loops.pop();
        debug_assert!(ended.is_some(), "a loop is in progress");
    }

    pub(super) fn read(&mut self, cells: std::ops::Range<usize>) {
        for rounds in &mut self.loops {
            for at in cells.start..cells.end.min(rounds.limit) {
                let is_broken = rounds.is_of_other(&rounds.writes, at) || rounds.is_of_other(&rounds.adds, at);
                mark(&mut rounds.reads, at, rounds.round);
                if is_broken {
                    self.broken.insert(rounds.binder);
                }
            }
        }
    }

    pub(super) fn write(&mut self, cells: std::ops::Range<usize>) {
        for rounds in &mut self.loops {
            for at in cells.start..cells.end.min(rounds.limit) {
                let mut is_broken = rounds.is_pure || rounds.is_of_other(&rounds.reads, at);
                is_broken |= rounds.is_of_other(&rounds.adds, at);
                is_broken |= mark(&mut rounds.writes, at, rounds.round);
                if is_broken {
                    self.broken.insert(rounds.binder);
                }
            }
        }
    }

    /// Notes that a cover is met: in steps only some rounds of a quantifier are evaluated.
    pub(super) fn cover(&mut self) {
        let pure = self.loops.iter().filter(|rounds| rounds.is_pure);
        self.broken.extend(pure.map(|rounds| rounds.binder));
    }

    /// Notes that an element is added to the multiset at an address.
    pub(super) fn add(&mut self, at: usize) {
        for rounds in self.loops.iter_mut().filter(|rounds| at < rounds.limit) {
            let is_broken =
                rounds.is_pure || rounds.is_of_other(&rounds.reads, at) || rounds.is_of_other(&rounds.writes, at);
            mark(&mut rounds.adds, at, rounds.round);
            if is_broken {
                self.broken.insert(rounds.binder);
            }
        }
    }
}
