//! The trial of proved symmetries on pseudo-random states, by the reference interpreter.
//!
//! A walk takes steps from a start state, and from time to time gives defined parts of the state other values of their
//! types. The steps of the image of each state must be the images of its steps, and the properties that are claimed must
//! have the same truth. On the way the interpreter watches the loops and quantifiers whose order is not proved to be hidden:
//! where it shows in a state that is reached, the values that they take are not exchanged.
//!
//! # Soundness
//!
//! The proof does not rely on the trial: a contradiction is an error of this program.

use std::collections::BTreeSet;

use engine::RandomSource;
use frontend::murphi::interpret::{
    FaultKind, State, Step, Watched, evaluate, parts, sort_multisets, starts_in_any_order, successors_in_any_order,
};
use frontend::murphi::program::{Claim, ClaimKind, CoverId, Program, RuleId, TypeId};
use frontend::source::Span;

use super::action::{Cells, Renaming, cells, image};
use super::roles::Roles;

/// The most states of a trial.
const MOST_STATES: usize = 24;
/// The states that are always tried.
const LEAST_STATES: usize = 6;
/// The most steps of the other states.
const MOST_STEPS: usize = 1_000;
/// A walk begins anew after this many states.
const WALK: usize = 12;
/// A state is disturbed, next to being tried as it is, once in this many trials.
const DISTURBED: usize = 3;

/// A step without the names of its instance: its state, or whether it fails an assertion.
type Outcome = (RuleId, Vec<CoverId>, Result<State, bool>);

/// The model, the group and the claims of a trial.
pub(super) struct Trial<'p> {
    pub(super) program: &'p Program,
    /// The properties that are claimed.
    pub(super) claims: &'p [Claim],
    /// The classes of its places.
    pub(super) roles: &'p Roles,
    /// Renamings that generate the group.
    pub(super) generators: &'p [Renaming],
    /// The binders whose order is not proved to be hidden.
    pub(super) watched: &'p Watched,
}

impl Trial<'_> {
    /// Tries the renamings; the binders whose order shows in states that are reached.
    ///
    /// # Errors
    /// A state that contradicts one of the renamings.
    pub(super) fn run(&self) -> Result<BTreeSet<Span>, String> {
        let moves: Vec<Cells> =
            self.generators.iter().map(|renaming| cells(self.program, self.roles, renaming)).collect();
        let kinds: Vec<Option<TypeId>> = parts(self.program).into_iter().map(|part| part.of).collect();
        assert_eq!(kinds.len(), self.program.cells(), "every cell has a type");
        let mut random = RandomSource::new(1);
        let (starts, mut broken) = starts_in_any_order(self.program, self.watched);
        if broken.is_empty() {
            for (renaming, cells) in self.generators.iter().zip(&moves) {
                self.compare(None, &starts, &starts, renaming, cells)?;
            }
        }
        let starts: Vec<State> = starts.into_iter().filter_map(|start| start.result.ok()).collect();
        let (mut state, mut seen) = (None, 0);
        for number in 0..if starts.is_empty() { 0 } else { MOST_STATES } {
            if number >= LEAST_STATES && seen > MOST_STEPS {
                break;
            }
            let current = state
                .take()
                .filter(|_| number % WALK != 0)
                .unwrap_or_else(|| starts[random.below(starts.len())].clone());
            let (steps, shown) = successors_in_any_order(self.program, &current, self.watched);
            if shown.is_empty() {
                self.agree(&current, &steps, &moves)?;
            }
            broken.extend(shown);
            seen += steps.len() * (moves.len() + 1);
            if random.below(DISTURBED) == 0 {
                let other = self.disturbed(&kinds, &current, &mut random);
                let (steps, shown) = successors_in_any_order(self.program, &other, self.watched);
                if shown.is_empty() {
                    self.agree(&other, &steps, &moves)?;
                }
            }
            let mut next: Vec<State> = steps.into_iter().filter_map(|step| step.result.ok()).collect();
            state = (!next.is_empty()).then(|| next.swap_remove(random.below(next.len())));
        }
        Ok(broken)
    }

    /// Some defined parts of a state get other values of their types.
    fn disturbed(&self, kinds: &[Option<TypeId>], state: &State, random: &mut RandomSource) -> State {
        let mut state = state.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(state.len().max(1));
            if let (Some(Some(_)), Some(&Some(of))) = (state.get(at), kinds.get(at)) {
                let ranges = self.program.types.values(of);
                let range = &ranges[random.below(ranges.len())];
                let size = i64::from(*range.end()) - i64::from(*range.start()) + 1;
                let step = random.below(usize::try_from(size).unwrap_or(usize::MAX));
                let value = i64::from(*range.start()) + i64::try_from(step).unwrap_or(0);
                state[at] = Some(i32::try_from(value).unwrap_or(*range.start()));
            }
        }
        sort_multisets(self.program, &mut state, None);
        state
    }

    /// The steps and truths of the images of a state are the images of its own.
    fn agree(&self, state: &State, steps: &[Step], moves: &[Cells]) -> Result<(), String> {
        for (renaming, cells) in self.generators.iter().zip(moves) {
            let other = image(self.program, cells, renaming, state);
            let (its, shown) = successors_in_any_order(self.program, &other, self.watched);
            if shown.is_empty() {
                self.compare(Some(state), steps, &its, renaming, cells)?;
            }
            for claim in self.claims {
                // That each instance is reached again is not told by the truths of a state.
                let is_of_state = !matches!(claim.kind, ClaimKind::Liveness(_));
                let numbers = 0..self.program.properties.len();
                for number in numbers.filter(|&number| is_of_state && claim.kind.is_about(number)) {
                    let truths = |state: &State| {
                        let property = &self.program.properties[number];
                        let mut truths: Vec<Option<bool>> =
                            evaluate(self.program, property, state).into_iter().map(|truth| truth.holds.ok()).collect();
                        truths.sort_unstable();
                        truths
                    };
                    let is_watched = !self.watched.is_empty();
                    if !is_watched && truths(state) != truths(&other) {
                        return Err(format!("`{}` in {state:?} and in its image", claim.name));
                    }
                }
            }
        }
        Ok(())
    }

    /// The images of the outcomes of steps are the outcomes of others. Of starts (without a state) it matters which states there are, and not which
    /// of the texts gives them, or how often.
    fn compare(
        &self,
        state: Option<&State>,
        steps: &[Step],
        others: &[Step],
        renaming: &Renaming,
        cells: &Cells,
    ) -> Result<(), String> {
        let list = |steps: &[Step], map: &dyn Fn(&State) -> State| {
            let outcome = |step: &Step| -> Outcome {
                let result = step.result.as_ref().map(map);
                let result = result.map_err(|fault| matches!(fault.kind, FaultKind::Assertion(_)));
                if state.is_none() {
                    return (RuleId::from_index(0), Vec::new(), result);
                }
                let mut covers = step.covers.clone();
                covers.sort_unstable();
                (step.rule, covers, result)
            };
            let mut list: Vec<Outcome> = steps.iter().map(outcome).collect();
            list.sort_unstable();
            if state.is_none() {
                list.dedup();
            }
            list
        };
        let own = list(steps, &|state| image(self.program, cells, renaming, state));
        if own == list(others, &State::clone) {
            return Ok(());
        }
        Err(format!("the steps of {state:?} under {renaming:?}"))
    }
}
