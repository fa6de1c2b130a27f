//! The graph of the markings of a net, made as far as questions ask for it and shared by all of them.
//!
//! Markings are numbered and expanded once.
//!
//! # Invariants
//!
//! The last marking of a run that ends is its own successor. A marking whose steps do not all fit, in memory or in the ranges of places, has
//! no known successors: what needs them stops.

use explore::memory::bytes_of;
use explore::question::Limits;
use explore::report::{Control, Progress};
use explore::search::{Clock, StateSpace};
use rustc_hash::FxHashMap;

use super::Wrong;
use crate::nets::conditions::Condition;
use crate::nets::running::Incidence;
use crate::nets::search::{Space, Steps};

/// Expansions between two looks at the clock.
const VISITS: u32 = 1 << 10;
/// The number of the initial marking.
pub(super) const INITIAL: u32 = 0;
/// A marking without known steps.
const UNKNOWN: u64 = u64::MAX;

/// Why a question was not decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// Its turn is over.
    Turn,
    /// It stays open: there is no room for more markings or for a number of tokens, or the formula has no form that is decided here.
    Open,
}

/// The part of the graph of markings that is known.
pub(super) struct Graph<'n, 'c> {
    space: Space<'n>,
    steps: Steps,
    /// Where the successors of each marking begin, behind their number.
    first: Vec<u64>,
    successors: Vec<u32>,
    /// A marking that is looked at.
    words: Vec<u64>,
    clock: Clock<'c>,
    expanded: u64,
    /// The number of the turn, and the steps that are left of it.
    turn: u32,
    left: u64,
    wrong: Wrong,
}

impl<'n, 'c> Graph<'n, 'c> {
    /// The graph with the initial marking, [`INITIAL`]; nothing if there is no room for it.
    pub(super) fn new(
        arcs: &'n Incidence<'n>,
        bounds: &[Option<i32>],
        limits: &Limits,
        control: &'c mut dyn Control,
        wrong: Wrong,
    ) -> Option<Graph<'n, 'c>> {
        let mut space = Space::new(arcs, bounds, limits);
        let (initial, _) = space.insert_initial(&()).ok()?;
        assert_eq!(initial, INITIAL, "the initial marking is the first");
        Some(Graph {
            space,
            steps: Steps::default(),
            first: Vec::new(),
            successors: Vec::new(),
            words: Vec::new(),
            clock: Clock::new(control),
            expanded: 0,
            turn: 0,
            left: 0,
            wrong,
        })
    }

    /// Begins a turn of so many steps.
    pub(super) fn begin(&mut self, turn: u32, steps: u64) {
        (self.turn, self.left) = (turn, steps);
    }

    /// The tokens of the places in a marking.
    pub(super) fn tokens(&mut self, marking: u32) -> impl Fn(usize) -> i64 {
        self.words.clear();
        self.space.store.read(marking, &mut self.words);
        |place| i64::from(self.space.layout.get(&self.words, place))
    }

    /// Takes steps from what is left of the turn.
    pub(super) fn pay(&mut self, steps: usize) -> Result<(), Stop> {
        limits::work(1 + steps as u64);
        self.left = self.left.checked_sub(1 + steps as u64).ok_or(Stop::Turn)?;
        Ok(())
    }

    fn show(&mut self) {
        // What the watch says is heard by `limits::work`.
        let _ = self.clock.ended();
        if self.clock.is_showing() {
            let (states, transitions) = (self.space.store.len().into(), self.successors.len() as u64);
            let memory = self.space.footprint().total;
            let frontier = states - self.expanded;
            self.clock.show(Progress { states, transitions, frontier, depth: 0, memory, seconds: 0.0 });
        }
    }

    /// The markings after one step; the marking itself where there is none.
    fn successors(&mut self, marking: u32) -> Result<&[u32], Stop> {
        let at = marking as usize;
        if self.first.len() <= at {
            let length = (at + 1).next_power_of_two();
            limits::reserve(bytes_of::<u64>(length - self.first.len()));
            self.first.resize(length, UNKNOWN);
        }
        if self.first[at] == UNKNOWN {
            let expanded = self.space.expand(marking, &mut self.steps);
            if std::mem::take(&mut self.space.overflows) || expanded.is_err() {
                return Err(Stop::Open);
            }
            self.expanded += 1;
            let states = self.space.store.len();
            debug_assert!(self.expanded <= states.into(), "a marking is expanded once");
            debug_assert!(self.steps.numbers.iter().all(|&to| to < states), "every successor is stored");
            if self.clock.is_due(VISITS, self.space.layout.stride()) {
                self.show();
            }
            let list = &mut self.steps.numbers;
            if list.is_empty() && !self.wrong.ends_forgotten() {
                list.push(marking);
            }
            let count = u32::try_from(list.len()).expect("transitions have 32 bits");
            if self.successors.capacity() - self.successors.len() <= list.len() {
                limits::reserve(bytes_of::<u32>(self.successors.len() + list.len()));
            }
            self.first[at] = self.successors.len() as u64;
            self.successors.push(count);
            self.successors.extend_from_slice(list);
        }
        let begin = usize::try_from(self.first[at]).expect("in memory") + 1;
        let count = self.successors[begin - 1] as usize;
        Ok(&self.successors[begin..begin + count])
    }

    /// Adds the markings after one step to a list. In every second turn the last of them is the nearest to a condition, if one is given; other
    /// turns have the order of the transitions backwards, or any order.
    pub(super) fn ahead(&mut self, marking: u32, near: Option<&Condition>, list: &mut Vec<u32>) -> Result<(), Stop> {
        let first = list.len();
        list.extend_from_slice(self.successors(marking)?);
        let added = list.len() - first;
        self.pay(added)?;
        match near.filter(|_| self.turn.is_multiple_of(2)) {
            Some(near) if added > 1 => {
                list[first..].sort_by_cached_key(|&one| std::cmp::Reverse(near.distance(&self.tokens(one))));
            }
            _ if self.turn % 4 == 1 => list[first..].reverse(),
            _ if self.turn % 4 == 3 => {
                let turn = self.turn;
                list[first..].sort_by_key(|&one| (one ^ turn << 16).wrapping_mul(0x9e37_79b1));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Asks for the memory of a map that is about to grow.
pub(super) fn reserve<K, V>(map: &FxHashMap<K, V>) {
    if map.len() == map.capacity() {
        limits::reserve(bytes_of::<(K, V)>(2 * map.capacity()));
    }
}
