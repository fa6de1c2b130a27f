//! The trial of a proved group in states of a search (see [`crate::trial`]), by the reference interpreter of Rebeca.

use frontend::interpret::{Bounds, State, Step, evaluate_in_state, step_results};
use frontend::model::{Expr, Model, PropertySet, RebecId};
use symmetry::validate::agree;
use symmetry::{Certificate, ModelPermutation, ValidatedGroup};

use crate::trial::{Schedule, is_finished};

/// A group that is tried, and what it keeps.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    generators: Vec<ModelPermutation>,
    certificate: Certificate,
    /// The conditions that it keeps.
    claims: Vec<Expr>,
    pub(super) schedule: Schedule,
}

impl Trial {
    /// The trial of a group that keeps these properties.
    pub(super) fn new(group: &ValidatedGroup, properties: &PropertySet) -> Trial {
        let conditions = properties.properties.iter().flat_map(|property| property.kind.conditions());
        let claims = conditions.cloned().collect();
        let (generators, certificate) = (group.generators().to_vec(), group.certificate());
        Trial { generators, certificate, claims, schedule: Schedule::default() }
    }

    /// Tries some generators in a state.
    ///
    /// # Panics
    /// If the reference interpreter contradicts the proof of one of them.
    pub(super) fn run(&mut self, model: &Model, bounds: &Bounds, state: &State) {
        if !is_finished(|| self.compare(model, bounds, state)) {
            self.schedule.give_up();
        }
    }

    fn compare(&self, model: &Model, bounds: &Bounds, state: &State) {
        let truth = |claim: &Expr, state: &State| evaluate_in_state(model, state, claim).ok();
        let rebecs = (0..state.rebecs.len()).map(RebecId::from_index);
        let steps: Vec<_> = rebecs.map(|rebec| (rebec, step_results(model, bounds, state, rebec))).collect();
        for number in self.schedule.generators(self.generators.len()) {
            let generator = &self.generators[number];
            let other = generator.apply(model, state);
            let agrees = |(rebec, steps): &(RebecId, Vec<Step>)| {
                let image = (&other, generator.image(*rebec));
                agree(model, bounds, generator, self.certificate, steps, image) != Some(false)
            };
            assert!(
                steps.iter().all(agrees) && self.claims.iter().all(|claim| truth(claim, state) == truth(claim, &other)),
                "a symmetry was proved, and the reference interpreter contradicts it in a state of the search: {state:?} and {other:?}"
            );
        }
    }
}
