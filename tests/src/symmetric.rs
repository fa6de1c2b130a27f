//! A permutation against the explicit state space: the slow obvious test of the symmetries that the detectors find
//! and the validator proves.

use std::collections::{BTreeSet, HashMap, HashSet};

use frontend::interpret::{Bounds, FaultClass, State, Stop, evaluate_in_state, starts, successors};
use frontend::model::{Formula, Model, PropertyKind, PropertySet};
use symmetry::ModelPermutation;

/// Bounds that let every step end, or end alike on both sides.
pub const BOUNDS: Bounds = Bounds { max_rebecs: 3, max_statements: 20_000, max_calls: 200, max_work: 200_000 };

/// The steps of a state.
#[derive(PartialEq, Eq)]
struct Behaviour {
    successors: BTreeSet<State>,
    faults: BTreeSet<Option<FaultClass>>,
}

fn behaviour(model: &Model, state: &State) -> Behaviour {
    let mut found = Behaviour { successors: BTreeSet::new(), faults: BTreeSet::new() };
    for step in successors(model, &BOUNDS, state) {
        match step.result {
            Ok(state) => {
                found.successors.insert(state);
            }
            Err(Stop::Fault(fault)) => {
                found.faults.insert(Some(fault.kind.class()));
            }
            Err(Stop::Limit(_)) => {
                found.faults.insert(None);
            }
        }
    }
    found
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
    states: Vec<State>,
    steps: HashMap<State, Behaviour>,
}

impl<'m> Explored<'m> {
    /// Explores breadth-first, when the states are first needed.
    #[must_use]
    pub fn new(model: &'m Model, max: usize) -> Explored<'m> {
        Explored { model, max, states: Vec::new(), steps: HashMap::new() }
    }

    fn explore(&mut self) {
        if !self.states.is_empty() {
            return;
        }
        let mut seen = initial(self.model);
        self.states.extend(seen.iter().cloned());
        self.states.sort_unstable();
        let mut next = 0;
        while next < self.states.len() && self.states.len() < self.max {
            let state = self.states[next].clone();
            self.look_at(&state);
            for state in &self.steps[&state].successors {
                if seen.insert(state.clone()) {
                    self.states.push(state.clone());
                }
            }
            next += 1;
        }
    }

    fn look_at(&mut self, state: &State) {
        if !self.steps.contains_key(state) {
            self.steps.insert(state.clone(), behaviour(self.model, state));
        }
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
        for at in 0..self.states.len() {
            let state = self.states[at].clone();
            let image = permutation.apply(model, &state);
            if undone.apply(model, &image) != state {
                return Err("the inverse does not lead back".to_owned());
            }
            self.look_at(&state);
            self.look_at(&image);
            let (here, there) = (&self.steps[&state], &self.steps[&image]);
            let moved: BTreeSet<State> = here.successors.iter().map(|state| permutation.apply(model, state)).collect();
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
                    if value(&state) != value(&image) {
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
        let states = &self.states;
        if states.len() >= self.max {
            return None;
        }
        let numbers: HashMap<&State, usize> = states.iter().zip(0..).collect();
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
                let image = numbers[&generator.apply(self.model, state)];
                let (one, other) = (root(&mut parents, place), root(&mut parents, image));
                parents[one.max(other)] = one.min(other);
            }
        }
        Some((0..states.len()).filter(|&place| parents[place] == place).count())
    }
}
