//! The trial of a permutation that was proved on the behaviour of the servers: steps of states that are reached, and their images, by the reference interpreter.
//!
//! A pseudo-random run from each of a few starts gives the states. A rebec and its image must both have no step, or have steps
//! that lead to states that are images of each other, and that fault alike.
//!
//! # Soundness
//!
//! The proof does not rely on the trial: a contradiction is an error of this program. The trial shares nothing with the constraints
//! from which permutations are proposed and proved, so it catches an error in those. Steps that reach a bound of the interpreter show
//! nothing: rounds in another order may reach it earlier.
//!
//! # Complexity
//!
//! Per permutation at most [`MOST_PAIRS`] steps with their images, and so few that about [`MOST_REBECS`] local states are copied; for one
//! validator, until [`ALL_REBECS`] are.

use std::collections::BTreeSet;

use engine::RandomSource;
use frontend::interpret::{Bounds, FaultClass, FaultKind, State, Step, Stop, starts, step_results};
use frontend::model::{Model, RebecId};
use rustc_hash::FxHashSet;

use super::Certificate;
use crate::permutation::ModelPermutation;

/// The starts from which runs begin.
const STARTS: usize = 3;
/// The steps of a run.
const LENGTH: usize = 12;
/// The most steps that are compared with their images, for one permutation.
const MOST_PAIRS: usize = 48;
/// The local states that are copied for one permutation, about.
const MOST_REBECS: usize = 1 << 14;
/// The local states that are copied for all permutations of a model.
const ALL_REBECS: usize = 1 << 19;

/// A state that is reached, and a rebec that has a message.
struct Sample {
    state: usize,
    rebec: RebecId,
    steps: Vec<Step>,
}

/// The results of a step: states, and classes of faults.
struct After {
    states: FxHashSet<State>,
    faults: BTreeSet<FaultClass>,
}

/// States that are reached, with steps of theirs; made when they are first needed.
pub(super) struct Tries<'m> {
    model: &'m Model,
    states: Vec<State>,
    samples: Option<Vec<Sample>>,
    /// The local states that were copied.
    copied: usize,
}

impl<'m> Tries<'m> {
    pub(super) fn new(model: &'m Model) -> Tries<'m> {
        Tries { model, states: Vec::new(), samples: None, copied: 0 }
    }

    /// Tries a proved permutation.
    ///
    /// # Panics
    /// If the reference interpreter contradicts the proof.
    pub(super) fn agree(&mut self, permutation: &ModelPermutation, certificate: Certificate) {
        if self.copied >= ALL_REBECS {
            return;
        }
        if self.samples.is_none() {
            self.samples = Some(self.samples());
        }
        let samples = self.samples.as_deref().unwrap_or_default();
        let model = self.model;
        let bounds = Bounds::default();
        let mut image: Option<(usize, State)> = None;
        for sample in samples {
            self.copied += (sample.steps.len() + 1) * self.states[sample.state].rebecs.len();
            let image = match &mut image {
                Some((of, image)) if *of == sample.state => &*image,
                image => &image.insert((sample.state, permutation.apply(model, &self.states[sample.state]))).1,
            };
            let rebec = permutation.image(sample.rebec);
            assert!(
                agree(model, &bounds, permutation, certificate, &sample.steps, (image, rebec)) != Some(false),
                "a symmetry was proved, and the reference interpreter contradicts it: {} and {} in {:?}, under {}",
                model.rebec_name(sample.rebec),
                model.rebec_name(rebec),
                self.states[sample.state],
                permutation.text(model),
            );
        }
    }

    /// Runs from a few starts.
    fn samples(&mut self) -> Vec<Sample> {
        let (model, bounds) = (self.model, Bounds::default());
        let mut random = RandomSource::new(1);
        let mut samples = Vec::new();
        let firsts = starts(model, &bounds).filter_map(|start| start.result.ok()).take(STARTS);
        for first in firsts {
            let most = (MOST_REBECS / first.rebecs.len().max(1)).clamp(STARTS, MOST_PAIRS) / STARTS;
            let mut state = first;
            for _ in 0..most.min(LENGTH) {
                let enabled: Vec<RebecId> = state.enabled().collect();
                if enabled.is_empty() {
                    break;
                }
                let rebec = enabled[random.below(enabled.len())];
                let steps = step_results(model, &bounds, &state, rebec);
                let following: Vec<&State> = steps.iter().filter_map(|step| step.result.as_ref().ok()).collect();
                let next = (!following.is_empty()).then(|| following[random.below(following.len())].clone());
                samples.push(Sample { state: self.states.len(), rebec, steps });
                self.states.push(state);
                match next {
                    Some(next) => state = next,
                    None => break,
                }
            }
        }
        samples
    }
}

/// Whether the steps of a rebec in a state are the images of these; `None` where one of them reaches a bound, which tells nothing.
pub fn agree(
    model: &Model,
    bounds: &Bounds,
    permutation: &ModelPermutation,
    certificate: Certificate,
    steps: &[Step],
    (state, rebec): (&State, RebecId),
) -> Option<bool> {
    let own = after(steps, |state| permutation.apply(model, state))?;
    let other = after(&step_results(model, bounds, state, rebec), State::clone)?;
    let faults_agree = match certificate.keeps_fault_classes {
        true => own.faults == other.faults,
        false => own.faults.is_empty() == other.faults.is_empty(),
    };
    Some(own.states == other.states && faults_agree)
}

/// The states and faults after steps; `None` where one of them reached a bound.
fn after(steps: &[Step], map: impl Fn(&State) -> State) -> Option<After> {
    let mut after = After { states: FxHashSet::default(), faults: BTreeSet::new() };
    for step in steps {
        match &step.result {
            Ok(state) => {
                after.states.insert(map(state));
            }
            Err(Stop::Fault(fault)) if matches!(fault.kind, FaultKind::Endless | FaultKind::TooDeep) => return None,
            Err(Stop::Fault(fault)) => {
                after.faults.insert(fault.kind.class());
            }
            Err(Stop::Limit(_)) => return None,
        }
    }
    Some(after)
}
