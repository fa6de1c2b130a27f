//! Kept steps of states: a state is expanded once, however many nodes it has.
//!
//! A list begins with the number of successors, and whether a run may end in the state; the successors follow.
//! Movers, and the ways that processes are taken, lie at the same places of separate lists, only as far as they are
//! requested. Before the first mover stands the number of the set of processes with a step: there are few different
//! ones.
//!
//! Invariants: a list is whole or absent; without room the next ones are not kept, and states are expanded again.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::runs::NOBODY;
use crate::memory::bytes_of;
use ltl::Bits;

const NONE: u32 = u32::MAX;

/// The kept part of each step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Keeps {
    /// Nothing.
    Nothing,
    /// Its target.
    Targets,
    /// Its mover, too.
    Movers,
    /// And the way that processes are taken.
    Moves,
}

/// A kept list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct List {
    /// Its first step.
    pub first: usize,
    /// The number of steps.
    pub len: u32,
    /// Whether a run may end here.
    pub ends: bool,
}

/// A successor in a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Successor {
    /// The number of the state.
    pub state: u32,
    /// The process that takes it.
    pub mover: u32,
    /// The way that processes are taken.
    pub moves: u32,
    /// The noted conditions that hold inside of the step; never kept.
    pub inside: Bits,
}

/// Lists of steps by state.
#[derive(Debug)]
pub(super) struct Kept {
    keeps: Keeps,
    /// The bytes that they may take.
    most: u64,
    /// The place of the list of each state.
    at: Vec<u32>,
    targets: Vec<u32>,
    movers: Vec<u32>,
    moves: Vec<u32>,
    /// Sets of processes with a step.
    sets: IndexSet<Vec<u64>, FxBuildHasher>,
}

impl Kept {
    /// No lists yet; all of them together may take so many bytes.
    pub(super) fn new(keeps: Keeps, most: u64) -> Kept {
        Kept {
            keeps,
            most,
            at: Vec::new(),
            targets: Vec::new(),
            movers: Vec::new(),
            moves: Vec::new(),
            sets: IndexSet::default(),
        }
    }

    /// The list of a state, if it is kept.
    #[inline]
    pub(super) fn list(&self, state: u32) -> Option<List> {
        let at = self.at.get(state as usize).copied().filter(|&at| at != NONE)? as usize;
        let head = self.targets[at];
        Some(List { first: at + 1, len: head >> 1, ends: head & 1 == 1 })
    }

    /// A step; the parts that are not kept are those of nobody.
    #[inline]
    pub(super) fn step(&self, at: usize) -> Successor {
        let mover = if self.keeps >= Keeps::Movers { self.movers[at] } else { NOBODY };
        let moves = if self.keeps >= Keeps::Moves { self.moves[at] } else { 0 };
        Successor { state: self.targets[at], mover, moves, inside: 0 }
    }

    /// The processes with a step in the state of a list.
    #[inline]
    pub(super) fn enabled(&self, list: List) -> &[u64] {
        if self.keeps < Keeps::Movers {
            return &[];
        }
        &self.sets[self.movers[list.first - 1] as usize]
    }

    /// Keeps the steps of a state, the processes that have one, and whether a run may end in it.
    pub(super) fn keep(&mut self, state: u32, steps: &[Successor], ends: bool, enabled: &[u64]) {
        let (first, len) = (self.targets.len(), steps.len());
        let room = first + len < NONE as usize && len < 1 << 30;
        if self.keeps == Keeps::Nothing || !room || !self.has_room(state as usize, len + 1) {
            return;
        }
        if self.at.len() <= state as usize {
            self.at.resize(state as usize + 1, NONE);
        }
        assert_eq!(self.at[state as usize], NONE, "the steps of a state are kept once");
        self.at[state as usize] = u32::try_from(first).unwrap_or(NONE);
        self.targets.push(u32::try_from(len).unwrap_or(NONE) << 1 | u32::from(ends));
        self.targets.extend(steps.iter().map(|step| step.state));
        if self.keeps >= Keeps::Movers {
            let set = match self.sets.get_index_of(enabled) {
                Some(known) => known,
                None => self.sets.insert_full(enabled.to_vec()).0,
            };
            self.movers.push(u32::try_from(set).unwrap_or(NONE));
            self.movers.extend(steps.iter().map(|step| step.mover));
        }
        if self.keeps >= Keeps::Moves {
            self.moves.push(0);
            self.moves.extend(steps.iter().map(|step| step.moves));
        }
        let is_beside = |list: &[u32], kept| list.len() == if self.keeps >= kept { self.targets.len() } else { 0 };
        assert!(is_beside(&self.movers, Keeps::Movers), "every kept step has its mover");
        assert!(is_beside(&self.moves, Keeps::Moves), "every kept step has its way of processes");
    }

    /// Whether the lists may grow to hold one more.
    #[inline]
    fn has_room(&self, state: usize, len: usize) -> bool {
        let grows = self.targets.len() + len > self.targets.capacity() || state >= self.at.capacity();
        !grows || self.bytes().saturating_mul(2) <= self.most
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        let words = self.sets.iter().next().map_or(0, Vec::len) as u64 * 8;
        let lists = self.at.capacity() + self.targets.capacity() + self.movers.capacity() + self.moves.capacity();
        bytes_of::<u32>(lists) + self.sets.len() as u64 * (words + 64)
    }
}
