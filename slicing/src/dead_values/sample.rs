//! A part of the states of a model, and the cells of each whose values are read later, as far as the part shows.
//!
//! First breadth first, then walks that take pseudo-random steps. A cell is live in a state if a guard, property or step of it reads
//! the cell before writing it, or if the cell is live after a step that does not write it.

use frontend::murphi::interpret::{Cells, State, observe};
use frontend::murphi::program::Program;
use rustc_hash::FxHashMap;

/// The most instances of rules whose guards are evaluated.
const MOST_INSTANCES: usize = 20_000;
/// The part of them that is for the search breadth first: one of so many.
const BREADTH: usize = 4;
/// The most steps of a walk.
const WALK: usize = 200;

/// A state with what is known of it.
struct Seen {
    /// The steps, by the numbers of the states afterwards, with the cells that they write; `None` before they were looked at.
    steps: Option<Vec<(usize, Cells)>>,
    live: Cells,
}

/// The states that were met.
pub(super) struct Sample<'p> {
    program: &'p Program,
    states: Vec<State>,
    seen: Vec<Seen>,
    numbers: FxHashMap<State, usize>,
    instances: usize,
    starts: Vec<usize>,
}

impl<'p> Sample<'p> {
    /// No state but the starts.
    pub(super) fn new(program: &'p Program) -> Sample<'p> {
        let (states, seen, numbers) = (Vec::new(), Vec::new(), FxHashMap::default());
        Sample { program, states, seen, numbers, instances: 0, starts: Vec::new() }
    }

    /// Explores from the starts until the budget is used up.
    pub(super) fn explore(&mut self) {
        let starts = observe(self.program, None);
        self.instances += starts.instances;
        self.starts = starts.steps.into_iter().map(|(state, _)| self.number(state)).collect();
        let mut next = 0;
        while next < self.states.len() && self.instances < MOST_INSTANCES / BREADTH {
            self.expand(next);
            next += 1;
        }
        let mut random = Random(1);
        while next < self.states.len() && self.instances < MOST_INSTANCES {
            self.walk(&mut random);
            while self.seen.get(next).is_some_and(|seen| seen.steps.is_some()) {
                next += 1;
            }
        }
        self.spread();
    }

    /// Adds the states of an execution.
    pub(super) fn add(&mut self, states: impl Iterator<Item = State>) {
        for state in states {
            let number = self.number(state);
            self.expand(number);
        }
        self.spread();
    }

    /// The states whose steps are known, each with its live cells.
    pub(super) fn expanded(&self) -> impl Iterator<Item = (&State, &Cells)> {
        let known = self.states.iter().zip(&self.seen).filter(|(_, seen)| seen.steps.is_some());
        known.map(|(state, seen)| (state, &seen.live))
    }

    /// All states.
    pub(super) fn states(&self) -> &[State] {
        &self.states
    }

    /// The numbers of the starts.
    pub(super) fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The steps of a state, by the numbers of the states afterwards, with the cells that they write; none if they are not known.
    pub(super) fn steps(&self, number: usize) -> &[(usize, Cells)] {
        self.seen[number].steps.as_deref().unwrap_or_default()
    }

    fn number(&mut self, state: State) -> usize {
        if let Some(&known) = self.numbers.get(&state) {
            return known;
        }
        let number = self.states.len();
        self.numbers.insert(state.clone(), number);
        self.seen.push(Seen { steps: None, live: Cells::none(state.len()) });
        self.states.push(state);
        debug_assert!([self.seen.len(), self.numbers.len()] == [self.states.len(); 2], "every state has one number");
        number
    }

    fn expand(&mut self, number: usize) {
        if self.seen[number].steps.is_some() {
            return;
        }
        let found = observe(self.program, Some(&self.states[number]));
        // A walk ends even where there is no rule.
        self.instances += found.instances + 1;
        let steps = found.steps.into_iter().map(|(state, writes)| (self.number(state), writes)).collect();
        self.seen[number] = Seen { steps: Some(steps), live: found.reads };
    }

    fn walk(&mut self, random: &mut Random) {
        let Some(&start) = random.choose(&self.starts) else { return };
        let mut at = start;
        for _ in 0..WALK {
            self.instances += 1;
            self.expand(at);
            let steps = self.seen[at].steps.as_deref().unwrap_or_default();
            let Some((to, _)) = random.choose(steps) else { return };
            at = *to;
        }
    }

    /// Carries what is live against the steps until nothing changes.
    fn spread(&mut self) {
        let mut changes = true;
        while std::mem::take(&mut changes) {
            for number in (0..self.seen.len()).rev() {
                let Some(steps) = self.seen[number].steps.take() else { continue };
                limits::work(1);
                let mut live = std::mem::take(&mut self.seen[number].live);
                for (to, writes) in steps.iter().filter(|(to, _)| *to != number) {
                    changes |= live.add_without(&self.seen[*to].live, writes);
                }
                self.seen[number] = Seen { steps: Some(steps), live };
            }
        }
    }
}

/// Pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn choose<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let count = u64::try_from(list.len()).ok().filter(|&count| count > 0)?;
        list.get(usize::try_from((self.0 >> 33) % count).ok()?)
    }
}
