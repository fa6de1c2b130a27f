//! The trial of a proved group in states of a search (see [`crate::trial`]), by the reference interpreter of Rebeca.

use frontend::interpret::{Bounds, State, evaluate_in_state, step_results};
use frontend::model::{Expr, Model, PropertyKind, PropertySet, RebecId};
use symmetry::validate::agree;
use symmetry::{Certificate, ModelPermutation, ValidatedGroup};

use crate::trial::Schedule;

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
        let mut claims: Vec<Expr> = Vec::new();
        for property in &properties.properties {
            match &property.kind {
                PropertyKind::Invariant(condition) | PropertyKind::End(condition) => claims.push(condition.clone()),
                PropertyKind::Ltl(formula) => claims.extend(formula.atoms().into_iter().cloned()),
            }
        }
        let (generators, certificate) = (group.generators().to_vec(), group.certificate());
        Trial { generators, certificate, claims, schedule: Schedule::default() }
    }

    /// Tries some generators in a state.
    ///
    /// # Panics
    /// If the reference interpreter contradicts the proof of one of them.
    pub(super) fn run(&self, model: &Model, bounds: &Bounds, state: &State) {
        let truth = |claim: &Expr, state: &State| evaluate_in_state(model, state, claim).ok();
        for number in self.schedule.generators(self.generators.len()) {
            let generator = &self.generators[number];
            let other = generator.apply(model, state);
            let agrees = |rebec: RebecId| {
                let steps = step_results(model, bounds, state, rebec);
                let image = (&other, generator.image(rebec));
                agree(model, bounds, generator, self.certificate, &steps, image) != Some(false)
            };
            assert!(
                (0..state.rebecs.len()).map(RebecId::from_index).all(agrees)
                    && self.claims.iter().all(|claim| truth(claim, state) == truth(claim, &other)),
                "a symmetry was proved, and the reference interpreter contradicts it in a state of the search: {state:?} and {other:?}"
            );
        }
    }
}
