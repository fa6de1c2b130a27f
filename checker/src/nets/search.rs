//! The search of the reachable markings of a net, packed, for conditions, deadlocks and greatest sums.
//!
//! A marking is a row of bits, as wide for each place as its bound needs. The enabled transitions of the next marking follow from those of the
//! last one: only the fields whose bits differ are compared with the needs of transitions ([`running`](super::running)).
//!
//! # Soundness
//!
//! Exact where `complete`. With [`Strategy::Stubborn`] the markings are those that the open conditions, or deadlocks, need
//! ([`stubborn`](super::stubborn)); sums are then those of the markings that were visited. A number of tokens that does not fit ends the search.

use std::io;
use std::ops::{ControlFlow, Range};

use explore::checkpoint::{Damaged, Reader, Saved, Writer};
use explore::memory::{Footprint, Halt, bytes_of};
use explore::question::{Limits, SearchOrder};
use explore::report::Control;
use explore::search::{self, Clock, Observer, StateSpace, explore};
use explore::states::{Layout, NO_PARENT, Store, bits};
use frontend::pnml::Net;

use super::Wrong;
use super::conditions::{Condition, Linear, value};
use super::running::{Incidence, Running};
use super::stubborn::Stubborn;
use crate::tuning::TUNING;

/// What is searched for.
#[derive(Clone, Debug, Default)]
pub struct Aim {
    /// The conditions for which a marking is wanted.
    pub conditions: Vec<Condition>,
    /// Whether a deadlock is wanted.
    pub deadlock: bool,
    /// Sums whose greatest values are wanted, with the values that they are known not to pass.
    pub sums: Vec<(Linear, Option<i64>)>,
}

/// The transitions that are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// All that are enabled.
    All,
    /// Those of a stubborn set: for the deadlock if there are no conditions, else for the conditions. Greatest sums are not found so.
    Stubborn,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Searched {
    /// Whether all markings were visited that the strategy follows.
    pub complete: bool,
    /// For each condition the transitions of a run to a marking in which it holds, if one was found.
    pub reached: Vec<Option<Vec<usize>>>,
    /// The transitions of a run to a deadlock, if one was found.
    pub deadlock: Option<Vec<usize>>,
    /// The greatest values that were seen.
    pub greatest: Vec<i64>,
    /// The markings that were stored.
    pub states: u64,
}

/// Searches a net within its bounds. The search ends where everything that is wanted was found.
pub fn search(
    net: &Net,
    bounds: &[Option<i32>],
    aim: &Aim,
    strategy: Strategy,
    limits: &Limits,
    control: &mut dyn Control,
) -> Searched {
    search_with(net, bounds, aim, strategy, limits, control, Wrong::default())
}

/// As [`search`], with known faults.
pub(super) fn search_with(
    net: &Net,
    bounds: &[Option<i32>],
    aim: &Aim,
    strategy: Strategy,
    limits: &Limits,
    control: &mut dyn Control,
    wrong: Wrong,
) -> Searched {
    let arcs = Incidence::new(net);
    let mut space = Space::new(&arcs, bounds, limits);
    if strategy == Strategy::Stubborn {
        assert!(
            aim.sums.is_empty() && (aim.conditions.is_empty() || !aim.deadlock),
            "a stubborn set is for one kind of aim"
        );
        space.stubborn = Some(Stubborn::new(&arcs, wrong));
        space.conditions.clone_from(&aim.conditions);
    }
    space.store.spill_to(control.spilling());
    let mut gauge = Gauge {
        aim,
        reached: vec![None; aim.conditions.len()],
        deadlock: None,
        greatest: vec![i64::MIN; aim.sums.len()],
    };
    let summary = explore(&mut space, &mut gauge, Clock::new(control), limits, SearchOrder::BreadthFirst);
    let summary = summary.expect("a search that resumes no checkpoint");
    let complete = summary.complete && !space.overflows && space.store.is_whole().is_ok();
    let run = |number: Option<u32>| number.map(|number| space.run_to(number));
    Searched {
        complete,
        reached: gauge.reached.iter().map(|&number| run(number)).collect(),
        deadlock: run(gauge.deadlock),
        greatest: gauge.greatest,
        states: summary.states,
    }
}

/// The state space of a net.
pub(super) struct Space<'n> {
    arcs: &'n Incidence<'n>,
    /// Where the tokens of each place are in a packed marking.
    pub(super) layout: Layout,
    /// For each bit of a packed marking its place.
    place_of: Vec<u32>,
    /// The greatest number of tokens that each field holds.
    most: Vec<i64>,
    /// The markings.
    pub(super) store: Store,
    most_bytes: u64,
    running: Running,
    /// The packed form of the marking of `running`.
    current: Vec<u64>,
    stubborn: Option<Stubborn>,
    /// The conditions that are open, for stubborn sets.
    conditions: Vec<Condition>,
    /// Whether a step left the range of a place.
    pub(super) overflows: bool,
}

/// The steps of one marking.
#[derive(Default)]
pub(super) struct Steps {
    enabled: Vec<u32>,
    /// The markings that they lead to.
    pub(super) numbers: Vec<u32>,
    words: Vec<u64>,
}

impl<'n> Space<'n> {
    /// The space of a net within its bounds.
    pub(super) fn new(arcs: &'n Incidence<'n>, bounds: &[Option<i32>], limits: &Limits) -> Space<'n> {
        let high =
            |(place, bound): (&frontend::pnml::Place, &Option<i32>)| bound.unwrap_or(i32::MAX).max(place.initial);
        assert_eq!(bounds.len(), arcs.net.places.len(), "each place has its bound, or none");
        let highs: Vec<i32> = arcs.net.places.iter().zip(bounds).map(high).collect();
        let layout = Layout::new(highs.iter().map(|&high| bits(high.cast_unsigned())).collect());
        let mut place_of = vec![u32::MAX; layout.stride() * 64];
        for place in 0..highs.len() {
            let field = layout.place(place);
            for bit in 0..64 {
                if field.mask << field.shift >> bit & 1 == 1 {
                    place_of[field.word as usize * 64 + bit] = u32::try_from(place).expect("places have 32 bits");
                }
            }
        }
        let running = Running::new(arcs);
        let mut current = vec![0; layout.stride()];
        for (place, &tokens) in running.tokens.iter().enumerate() {
            layout.set(&mut current, place, tokens.cast_unsigned());
        }
        Space {
            arcs,
            store: Store::new(layout.bytes(), limits.max_states.unwrap_or(u64::MAX), TUNING.search),
            layout,
            place_of,
            most: highs.into_iter().map(i64::from).collect(),
            most_bytes: limits.max_memory.unwrap_or(u64::MAX),
            running,
            current,
            stubborn: None,
            conditions: Vec::new(),
            overflows: false,
        }
    }

    /// Goes to a packed marking.
    fn go(&mut self, words: &[u64]) {
        for (at, &word) in words.iter().enumerate() {
            let mut differs = self.current[at] ^ word;
            while differs != 0 {
                let place = self.place_of[at * 64 + differs.trailing_zeros() as usize] as usize;
                let field = self.layout.place(place);
                differs &= !(field.mask << field.shift);
                self.running.set(self.arcs, place, self.layout.get(words, place).cast_signed());
            }
        }
        self.current.copy_from_slice(words);
    }

    /// Whether these are the transitions that are enabled now.
    fn are_all(&self, enabled: &[u32]) -> bool {
        let is_enabled = |&at: &u32| Net::is_enabled(self.arcs.transition(at), &self.running.tokens);
        (0..).take(self.arcs.net.transitions.len()).filter(is_enabled).eq(enabled.iter().copied())
    }

    /// The transitions of a run to a stored marking.
    fn run_to(&self, number: u32) -> Vec<usize> {
        let path = self.store.path(number);
        let markings: Vec<Vec<i32>> = path.iter().map(|&number| self.marking(number)).collect();
        let step = |pair: &[Vec<i32>]| {
            let leads = |transition: &frontend::pnml::Transition| {
                self.arcs.net.fired(transition, &pair[0]).as_ref() == Some(&pair[1])
            };
            self.arcs.net.transitions.iter().position(leads).expect("a step of the search")
        };
        markings.windows(2).map(step).collect()
    }

    fn marking(&self, number: u32) -> Vec<i32> {
        let words = self.store.state(number);
        (0..self.layout.len()).map(|place| self.layout.get(&words, place).cast_signed()).collect()
    }
}

impl Saved for Space<'_> {
    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        self.store.save(to)
    }

    fn restore(&mut self, _: &mut Reader<'_>) -> Result<(), Damaged> {
        Err(Damaged)
    }
}

impl search::Expansion for Steps {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn successors(&self) -> impl Iterator<Item = u32> {
        self.numbers.iter().copied()
    }

    fn is_enabled(&self) -> bool {
        !self.enabled.is_empty()
    }

    fn clear(&mut self) {
        self.numbers.clear();
    }

    fn bytes(&self) -> u64 {
        bytes_of::<u32>(self.enabled.capacity() + self.numbers.capacity()) + bytes_of::<u64>(self.words.capacity())
    }
}

impl StateSpace for Space<'_> {
    type Initial = ();
    type FailedStart = std::convert::Infallible;
    type Starts = std::iter::Once<Result<(), std::convert::Infallible>>;
    type Expansion = Steps;

    fn store(&self) -> &Store {
        &self.store
    }

    fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    fn starts(&self) -> Self::Starts {
        std::iter::once(Ok(()))
    }

    fn insert_initial(&mut self, (): &()) -> Result<(u32, bool), Halt> {
        self.store.insert(&self.current, NO_PARENT)
    }

    fn expand(&mut self, number: u32, steps: &mut Steps) -> Result<(), Halt> {
        steps.words.clear();
        self.store.read(number, &mut steps.words);
        self.store.is_whole()?;
        self.go(&steps.words);
        steps.numbers.clear();
        steps.enabled.clear();
        steps.enabled.extend(&self.running.enabled);
        steps.enabled.sort_unstable();
        debug_assert!(!number.is_multiple_of(64) || self.are_all(&steps.enabled), "the enabled transitions are known");
        if let (Some(stubborn), false) = (&mut self.stubborn, steps.enabled.is_empty()) {
            if self.conditions.is_empty() {
                stubborn.for_deadlock(self.arcs, &self.running, &mut steps.enabled);
            } else {
                let tokens = |place: usize| i64::from(self.running.tokens[place]);
                let open = self.conditions.iter().filter(|condition| !condition.holds(&tokens));
                stubborn.for_conditions(self.arcs, &self.running, open, &mut steps.enabled);
            }
        }
        for &transition in &steps.enabled {
            let changes = &self.arcs.transition(transition).changes;
            let after = |&(place, change): &(usize, i32)| i64::from(self.running.tokens[place]) + i64::from(change);
            if changes.iter().any(|change| after(change) > self.most[change.0]) {
                self.overflows = true;
                continue;
            }
            steps.words.copy_from_slice(&self.current);
            for &(place, change) in changes {
                self.layout.set(&mut steps.words, place, (self.running.tokens[place] + change).cast_unsigned());
            }
            limits::work(1 + steps.words.len() as u64 / 8);
            let (successor, _) = self.store.insert(&steps.words, number)?;
            steps.numbers.push(successor);
        }
        Ok(())
    }

    fn is_deadlock(&self, number: u32) -> bool {
        let marking = self.marking(number);
        !self.arcs.net.transitions.iter().any(|transition| Net::is_enabled(transition, &marking))
    }

    fn footprint(&self) -> Footprint {
        let transitions = self.arcs.net.transitions.len();
        let own = bytes_of::<u64>(self.place_of.len() + self.most.len() + 4 * transitions);
        Footprint { total: own, largest: 0 }
    }

    fn most_bytes(&self) -> u64 {
        self.most_bytes
    }
}

/// Looks at the markings that are stored.
struct Gauge<'a> {
    aim: &'a Aim,
    reached: Vec<Option<u32>>,
    deadlock: Option<u32>,
    greatest: Vec<i64>,
}

impl Gauge<'_> {
    fn is_over(&self) -> ControlFlow<()> {
        let is_enough =
            |((_, enough), greatest): (&(Linear, Option<i64>), &i64)| enough.is_some_and(|most| *greatest >= most);
        let is_over = self.reached.iter().all(Option::is_some)
            && (self.deadlock.is_some() || !self.aim.deadlock)
            && self.aim.sums.iter().zip(&self.greatest).all(is_enough);
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<'n> Observer<Space<'n>> for Gauge<'_> {
    fn stored(&mut self, space: &Space<'n>, numbers: Range<u32>) -> ControlFlow<()> {
        for number in numbers {
            let words = space.store.state(number);
            let tokens = |place: usize| i64::from(space.layout.get(&words, place));
            for (condition, reached) in self.aim.conditions.iter().zip(&mut self.reached) {
                if reached.is_none() && condition.holds(&tokens) {
                    *reached = Some(number);
                }
            }
            for ((sum, _), greatest) in self.aim.sums.iter().zip(&mut self.greatest) {
                *greatest = value(sum, &tokens).max(*greatest);
            }
        }
        self.is_over()
    }

    fn expanded(&mut self, _: &Space<'n>, number: u32, steps: &Steps) -> ControlFlow<()> {
        // With stubborn sets for conditions no transition may be left over where some are enabled.
        if self.aim.deadlock && self.deadlock.is_none() && steps.enabled.is_empty() {
            self.deadlock = Some(number);
            return self.is_over();
        }
        ControlFlow::Continue(())
    }
}
