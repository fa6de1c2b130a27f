//! The constraints of a process some symmetries of which the text proves: the lowering to the graph evaluates one instance of each orbit.

use csp::csp::Csp;
use csp::ground::{Known, TooLarge, constraints_of_orbits};
use frontend::sequential::{Property, Sequential};

use super::equivariance::Equivariance;
use super::group::Candidate;

/// The constraints of a process with the atoms of these properties. Instances that the candidates map to each other, where the text proves them, are evaluated once.
///
/// # Errors
/// When a limit of the lowering is hit.
pub fn constraints(model: &Sequential, properties: &[&Property], proved: &[Candidate]) -> Result<Csp, TooLarge> {
    let text = Equivariance::new(model, &[]);
    let actions = text.actions(proved.iter().map(Candidate::permutation));
    let known = actions.iter().map(|(symmetry, literals)| Known { symmetry: &**symmetry, literals });
    constraints_of_orbits(model, &csp::forms(model), properties, &known.collect::<Vec<Known<'_>>>())
}
