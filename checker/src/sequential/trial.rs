//! The trial of a proved group in states of a search (see [`crate::trial`]), by the reference interpreter of processes.

use ::symmetry::sequential::{Kept, Literals, ValidatedGroup};
use engine::{Group, SparsePermutation};
use frontend::sequential::interpret::{SeqStep, State, evaluate, lacks_room, successors};
use frontend::sequential::{Expr, Property, Sequential};

use super::space::Expansion;
use crate::trial::{Schedule, is_finished};

/// A group that is tried, and what it keeps.
#[derive(Clone, Debug)]
pub(super) struct Trial<'m> {
    model: &'m Sequential,
    literals: Literals,
    generators: Vec<SparsePermutation>,
    /// Whether the generators also permute the processes of weak fairness, as points behind the literals.
    follows: bool,
    kept: Kept,
    /// The conditions that it keeps.
    claims: Vec<Expr>,
    /// The number of instances of all summands.
    instances: u64,
    schedule: Schedule,
}

/// The outcome of a step: its event, the processes that move if they are followed, and the state or whether the fault is a bound of the
/// reading.
type Outcome<'m> = (&'m str, Vec<u32>, Result<State, bool>);

impl<'m> Trial<'m> {
    /// The trial of a group that keeps these properties, with its action on processes if they are followed.
    pub(super) fn new(
        model: &'m Sequential,
        group: &ValidatedGroup,
        properties: &[Property],
        follows: bool,
    ) -> Trial<'m> {
        let acting = group.with_processes().filter(|_| follows);
        let conditions = properties.iter().flat_map(|property| property.kind.conditions());
        let claims = model.ends.iter().chain(conditions).cloned().collect();
        let instances = model.summands.iter().map(|summand| {
            let sizes = summand.parameters.iter().map(|parameter| model.domain(parameter.sort).size() as u64);
            sizes.fold(1, u64::saturating_mul)
        });
        Trial {
            model,
            literals: group.literals().clone(),
            generators: acting.map_or(group.generators(), Group::generators).to_vec(),
            follows: acting.is_some(),
            kept: group.kept(),
            claims,
            instances: instances.fold(0, u64::saturating_add),
            schedule: Schedule::default(),
        }
    }

    /// Whether the group is to be tried in the state that was expanded.
    pub(super) fn is_due(&mut self, expansion: &Expansion) -> bool {
        expansion.executed.iter().for_each(|&part| self.schedule.executed(part as usize));
        // A step that goes on tries all instances after each part.
        let parts = if self.model.hold.is_some() { expansion.executed.len() as u64 + 1 } else { 1 };
        let elements = (expansion.movers.len() + 1) * self.literals.elements();
        self.schedule.is_due(elements, self.instances.saturating_mul(parts))
    }

    /// Tries some generators in a state.
    ///
    /// # Panics
    /// If the reference interpreter contradicts the proof of one of them.
    pub(super) fn run(&mut self, state: &State) {
        if !is_finished(|| self.compare(state)) {
            self.schedule.give_up();
        }
    }

    fn compare(&self, state: &State) {
        let steps = successors(self.model, state);
        for number in self.schedule.generators(self.generators.len()) {
            let generator = &self.generators[number];
            let other = self.literals.apply(generator, state);
            let images = self.outcomes(&steps, Some(generator));
            assert!(
                images == self.outcomes(&successors(self.model, &other), None)
                    && self.claims.iter().all(|claim| self.truth(claim, state) == self.truth(claim, &other)),
                "a symmetry was proved, and the reference interpreter contradicts it in a state of the search: {state:?} and {other:?}"
            );
        }
    }

    fn truth(&self, claim: &Expr, state: &State) -> Option<bool> {
        evaluate(self.model, claim, state, &[]).ok().map(|value| value != 0)
    }

    /// The outcomes of steps, or of the images of steps, in an order that does not depend on that of the steps.
    fn outcomes(&self, steps: &[SeqStep], generator: Option<&SparsePermutation>) -> Vec<Outcome<'m>> {
        let literals = u32::try_from(self.literals.len()).expect("points have 32 bits");
        let process = |number: u32| generator.map_or(number, |moves| moves.image(literals + number) - literals);
        let image =
            |state: &State| generator.map_or_else(|| state.clone(), |generator| self.literals.apply(generator, state));
        let outcomes = steps.iter().map(|step| {
            let movers = if self.follows { self.model.movers(step) } else { Vec::new() };
            let mut movers: Vec<u32> = movers.into_iter().map(process).collect();
            movers.sort_unstable();
            let result = step.result.as_ref().map(image).map_err(|fault| lacks_room(self.model, fault));
            (self.model.summand(step.summand).event.as_str(), movers, result)
        });
        let mut outcomes: Vec<Outcome<'m>> = outcomes.collect();
        outcomes.sort_unstable();
        if self.kept == Kept::Steps {
            outcomes.dedup();
        }
        outcomes
    }
}
