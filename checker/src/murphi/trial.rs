//! The trial of a proved group in the states of a search, by the reference interpreter.
//!
//! When a group is proved it is tried on states near the starts. A rule that is first enabled after many steps is not met there, but a search meets it.
//! So a search in a quotient tries the group again in the first states in which a rule or none is enabled, and in others at growing distances: the steps of
//! the image of a state are the images of its steps, and what is claimed has the same truth.
//!
//! # Soundness
//!
//! No proof relies on a trial: a contradiction is an error of this program, which ends without a verdict.
//!
//! # Complexity
//!
//! As many trials as there are rules, those of [`FIRST`], and one for every [`PER_TRIAL`] visits.

use ::symmetry::murphi::agrees;
use frontend::murphi::interpret::{State, successors_in_any_order};
use frontend::murphi::program::Program;

use super::packing::{cell, value};
use super::symmetry::Symmetry;

/// Trials that are always made.
const FIRST: u64 = 8;
/// Visits for each further trial.
const PER_TRIAL: u64 = 1 << 12;
/// Generators that are tried in one state.
const GENERATORS: usize = 2;

/// The choice of states.
#[derive(Clone, Default, Debug)]
pub(super) struct Trial {
    /// How often no rule was enabled, and how often each.
    enabled: Vec<u32>,
    /// Whether a rule is enabled in the state that is visited.
    is_enabled: bool,
    visits: u64,
    trials: u64,
    /// Whether a rule is enabled for the first time, or again after many times, in the state that is visited.
    is_new: bool,
    is_again: bool,
}

impl Trial {
    /// Notes that a rule is enabled in the state that is visited.
    #[inline]
    pub(super) fn enabled(&mut self, rule: usize) {
        self.is_enabled = true;
        self.count(rule + 1);
    }

    #[inline]
    fn count(&mut self, at: usize) {
        if at >= self.enabled.len() {
            self.enabled.resize(at + 1, 0);
        }
        let count = &mut self.enabled[at];
        *count = count.saturating_add(1);
        self.is_new |= *count == 1;
        self.is_again |= count.is_power_of_two();
    }

    /// Whether the group is to be tried in the state that was visited.
    #[inline]
    pub(super) fn is_due(&mut self) -> bool {
        self.visits += 1;
        if !std::mem::take(&mut self.is_enabled) {
            self.count(0);
        }
        let is_again = std::mem::take(&mut self.is_again) || self.visits.is_power_of_two();
        let is_due = std::mem::take(&mut self.is_new)
            || is_again && (self.trials < FIRST || self.trials * PER_TRIAL < self.visits);
        self.trials += u64::from(is_due);
        is_due
    }

    /// Tries some generators in a state.
    ///
    /// # Panics
    /// If the reference interpreter contradicts the proof of one of them.
    pub(super) fn run(&self, program: &Program, symmetry: &Symmetry, claimed: &[usize], state: &State) {
        let (steps, shown) = successors_in_any_order(program, state, &symmetry.watched);
        if !shown.is_empty() {
            return;
        }
        let first = usize::try_from(self.trials).unwrap_or(0) * GENERATORS;
        let packed = |state: &State| state.iter().copied().map(value).collect::<Vec<i64>>();
        let count = symmetry.generators();
        for number in (first..first + GENERATORS.min(count)).map(|number| number % count) {
            let image = |state: &State| -> State {
                symmetry.image_under(program, number, &packed(state)).into_iter().map(cell).collect()
            };
            let agrees = agrees(program, claimed, &symmetry.watched, (state, &steps), &image);
            assert!(
                agrees != Some(false),
                "a symmetry was proved by text, and the reference interpreter contradicts it in a state of the search: {state:?} and {:?}",
                image(state)
            );
        }
    }
}
