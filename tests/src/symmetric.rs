//! A permutation against the explicit state space: the slow obvious test of the symmetries that the detectors find
//! and the validator proves.

use std::collections::{BTreeSet, HashSet};

use frontend::interpret::{Bounds, FaultClass, State, Stop, evaluate_in_state, starts, successors};
use frontend::model::{Formula, Model, PropertyKind, PropertySet};
use rustc_hash::FxHashMap;
use symmetry::ModelPermutation;

/// Bounds that let every step end, or end alike on both sides.
pub const BOUNDS: Bounds = Bounds { max_rebecs: 3, max_statements: 20_000, max_calls: 200, max_work: 200_000 };

/// The steps of a state.
struct Behaviour {
    /// The numbers of the successors, ascending.
    successors: Vec<usize>,
    faults: BTreeSet<Option<FaultClass>>,
}

/// The initial states.
pub fn initial(model: &Model) -> HashSet<State> {
    starts(model, &BOUNDS).filter_map(|start| start.result.ok()).collect()
}

/// Every reachable state, up to a bound.
pub fn reachable(model: &Model, max: usize) -> Vec<State> {
    let mut explored = Explored::new(model, max);
    explored.explore();
    explored.states
}

/// The reachable states of a model, up to a bound, with the steps of each state that was looked at: candidates and properties are many,
/// and the reference interpreter is slow.
pub struct Explored<'m> {
    model: &'m Model,
    max: usize,
    /// The reachable states first, then those that were only looked at.
    states: Vec<State>,
    numbers: FxHashMap<State, usize>,
    steps: Vec<Option<Behaviour>>,
    reachable: usize,
}

impl<'m> Explored<'m> {
    /// Explores breadth-first, when the states are first needed.
    #[must_use]
    pub fn new(model: &'m Model, max: usize) -> Explored<'m> {
        Explored { model, max, states: Vec::new(), numbers: FxHashMap::default(), steps: Vec::new(), reachable: 0 }
    }

    fn explore(&mut self) {
        if self.reachable > 0 {
            return;
        }
        BTreeSet::from_iter(initial(self.model)).into_iter().for_each(|state| _ = self.number(state));
        let mut next = 0;
        while next < self.states.len() && self.states.len() < self.max {
            self.look_at(next);
            next += 1;
        }
        self.reachable = self.states.len();
    }

    fn number(&mut self, state: State) -> usize {
        *self.numbers.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            self.steps.push(None);
            self.states.len() - 1
        })
    }

    fn look_at(&mut self, number: usize) {
        if self.steps[number].is_some() {
            return;
        }
        let (mut after, mut faults) = (BTreeSet::new(), BTreeSet::new());
        for step in successors(self.model, &BOUNDS, &self.states[number]) {
            match step.result {
                Ok(state) => _ = after.insert(state),
                Err(Stop::Fault(fault)) => _ = faults.insert(Some(fault.kind.class())),
                Err(Stop::Limit(_)) => _ = faults.insert(None),
            }
        }
        let mut successors: Vec<usize> = after.into_iter().map(|state| self.number(state)).collect();
        successors.sort_unstable();
        self.steps[number] = Some(Behaviour { successors, faults });
    }

    /// The number of the image of a state.
    fn image(&mut self, permutation: &ModelPermutation, number: usize, images: &mut FxHashMap<usize, usize>) -> usize {
        *images.entry(number).or_insert_with(|| self.number(permutation.apply(self.model, &self.states[number])))
    }

    /// Compares a permutation with the transitions of the states; `classes` says whether faults have to be of one class.
    ///
    /// # Errors
    /// The first transition that is not kept.
    pub fn keeps(
        &mut self,
        properties: &PropertySet,
        permutation: &ModelPermutation,
        classes: bool,
    ) -> Result<(), String> {
        self.explore();
        let model = self.model;
        let first = initial(model);
        if !first.iter().all(|state| first.contains(&permutation.apply(model, state))) {
            return Err("an initial state has an image that is none".to_owned());
        }
        let undone = permutation.inverse();
        let mut images = FxHashMap::default();
        for at in 0..self.reachable {
            let image = self.image(permutation, at, &mut images);
            if undone.apply(model, &self.states[image]) != self.states[at] {
                return Err("the inverse does not lead back".to_owned());
            }
            self.look_at(at);
            self.look_at(image);
            let after = self.steps[at].as_ref().map_or(Vec::new(), |steps| steps.successors.clone());
            let mut moved: Vec<usize> =
                after.into_iter().map(|state| self.image(permutation, state, &mut images)).collect();
            moved.sort_unstable();
            let (state, image_state) = (&self.states[at], &self.states[image]);
            let [Some(here), Some(there)] = [at, image].map(|number| &self.steps[number]) else {
                unreachable!("looked at")
            };
            if moved != there.successors {
                return Err(format!("successors of {state:?}"));
            }
            let same =
                if classes { here.faults == there.faults } else { here.faults.is_empty() == there.faults.is_empty() };
            if !same {
                return Err(format!("faults of {state:?}: {:?}, {:?}", here.faults, there.faults));
            }
            for property in &properties.properties {
                let atoms = match &property.kind {
                    PropertyKind::Invariant(condition) | PropertyKind::End(condition) => vec![condition],
                    PropertyKind::Ltl(formula) => Formula::atoms(formula),
                };
                for atom in atoms {
                    let value = |state: &State| evaluate_in_state(model, state, atom).ok();
                    if value(state) != value(image_state) {
                        return Err(format!("{} in {state:?}", property.name));
                    }
                }
            }
        }
        Ok(())
    }

    /// The number of orbits of a group on all reachable states, by joining each with its images; `None` if there are more states than
    /// the bound.
    ///
    /// # Panics
    /// If an image is not reachable.
    #[must_use]
    pub fn orbits(&mut self, generators: &[ModelPermutation]) -> Option<usize> {
        self.explore();
        let states = &self.states[..self.reachable];
        if states.len() >= self.max {
            return None;
        }
        let mut parents: Vec<usize> = (0..states.len()).collect();
        fn root(parents: &mut [usize], mut place: usize) -> usize {
            while parents[place] != place {
                parents[place] = parents[parents[place]];
                place = parents[place];
            }
            place
        }
        for generator in generators {
            for (place, state) in states.iter().enumerate() {
                let image = self.numbers[&generator.apply(self.model, state)];
                assert!(image < states.len(), "an image is not reachable");
                let (one, other) = (root(&mut parents, place), root(&mut parents, image));
                parents[one.max(other)] = one.min(other);
            }
        }
        Some((0..states.len()).filter(|&place| parents[place] == place).count())
    }
}
