//! Whether an evaluation depends on the order of the values of some sorts.
//!
//! Rounds of a loop or quantifier over such a sort are performed one after the other, in the order of the values. Where no
//! round reads or writes what another one writes, none ends the loop early and none faults, any order gives the same result;
//! and so does a quantifier all of whose rounds are evaluated, unless some decide it and others fault. Everything else that
//! an expression or statement does with a value of a scalar set (copying, comparing for equality, indexing) commutes with
//! permutations of its members; `clear` alone names one.
//!
//! Soundness: [`Independence::is_broken`] errs on the side of dependence. What is not broken in a state is not broken in its
//! images either, whose evaluations are the images of the evaluations.

use rustc_hash::FxHashMap;

use crate::murphi::program::{Program, SortId, TypeId, TypeKind};

/// The mark of a cell that several rounds read.
const SEVERAL: u32 = u32::MAX;

/// Notes the order of values that shows.
#[derive(Debug)]
pub(super) struct Independence<'s> {
    sorts: &'s [SortId],
    /// The loops in progress, outermost first.
    loops: Vec<Rounds>,
    /// Whether the order may show.
    pub(super) is_broken: bool,
}

/// The rounds of one loop.
#[derive(Debug)]
struct Rounds {
    round: u32,
    /// Cells from here on belong to calls inside of a round.
    limit: usize,
    /// Whether nothing may be written: all rounds of a quantifier are evaluated here, and in steps only some.
    is_pure: bool,
    reads: FxHashMap<usize, u32>,
    writes: FxHashMap<usize, u32>,
}

impl<'s> Independence<'s> {
    /// Of these sorts.
    pub(super) fn new(sorts: &'s [SortId]) -> Independence<'s> {
        Independence { sorts, loops: Vec::new(), is_broken: false }
    }

    /// The same for another evaluation.
    pub(super) fn again(&self) -> Independence<'s> {
        Independence { is_broken: self.is_broken, ..Independence::new(self.sorts) }
    }

    /// Whether values of a type have no order of their own.
    pub(super) fn is_over(&self, program: &Program, of: TypeId) -> bool {
        matches!(program.types.kind(of), TypeKind::Names(sorts) if sorts.iter().any(|sort| self.sorts.contains(sort)))
    }

    /// Whether a value is a member of one of the sorts.
    pub(super) fn names(&self, program: &Program, of: TypeId, value: i32) -> bool {
        self.is_over(program, of) && self.sorts.iter().any(|&sort| program.types.sort(sort).contains(value))
    }

    pub(super) fn begin(&mut self, limit: usize, is_pure: bool) {
        let (reads, writes) = (FxHashMap::default(), FxHashMap::default());
        self.loops.push(Rounds { round: 0, limit, is_pure, reads, writes });
    }

    pub(super) fn next(&mut self) {
        self.loops.last_mut().expect("a loop is in progress").round += 1;
    }

    pub(super) fn end(&mut self) {
        self.loops.pop();
    }

    pub(super) fn read(&mut self, cells: std::ops::Range<usize>) {
        for rounds in &mut self.loops {
            for at in cells.start..cells.end.min(rounds.limit) {
                self.is_broken |= rounds.writes.get(&at).is_some_and(|&by| by != rounds.round);
                let by = rounds.reads.entry(at).or_insert(rounds.round);
                if *by != rounds.round {
                    *by = SEVERAL;
                }
            }
        }
    }

    pub(super) fn write(&mut self, cells: std::ops::Range<usize>) {
        for rounds in &mut self.loops {
            for at in cells.start..cells.end.min(rounds.limit) {
                let is_other = |by: &u32| *by != rounds.round;
                self.is_broken |= rounds.is_pure || rounds.reads.get(&at).is_some_and(is_other);
                self.is_broken |= *rounds.writes.entry(at).or_insert(rounds.round) != rounds.round;
            }
        }
    }
}
