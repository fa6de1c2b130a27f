//! The construction of an execution of the model from a line of representatives.
//!
//! If `r'` is the representative of a successor of `r`, then every state of the orbit of `r` has a successor in the
//! orbit of `r'`. So an execution is found forwards: a start in the orbit of the first representative, then
//! repeatedly a successor in the orbit of the next one, recognised by comparing representatives. It ends in the orbit
//! of the last one.
//!
//! A fault of the last representative is a fault of the reached state, in the image of the rebec. It is of the same
//! kind unless the group may change kinds; then the execution that ends in the representative itself is searched for.
//!
//! The same holds where created rebecs are renumbered: states are compared up to renumbering. The execution has the
//! identities that the model gives, and keeps rebecs that no rebec reaches.
//!
//! Soundness: only states of the reference semantics are taken; the execution is replayed after that.

use frontend::interpret::{Bounds, Fault, State, Stop, starts, successors};
use frontend::model::RebecId;

use super::space::Space;
use explore::memory::Halt;
use explore::report::InternalError;

/// The most states that are followed where the last state is given.
const MOST_STATES: usize = 1 << 18;

/// The fault of a step of a rebec.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ActorFault {
    /// The rebec.
    pub rebec: RebecId,
    /// The fault.
    pub fault: Fault,
}

/// An execution, and the fault that ends it.
pub(super) struct Execution {
    pub(super) states: Vec<State>,
    pub(super) fault: Option<ActorFault>,
}

impl Space<'_> {
    /// The execution along stored states that ends in a fault if one is given.
    ///
    /// # Errors
    /// There is no such execution: the quotient is wrong.
    pub(super) fn execution(&mut self, path: &[u32], last: Option<&ActorFault>) -> Result<Execution, InternalError> {
        let stored: Vec<State> = path.iter().map(|&number| self.state(number)).collect();
        if !self.is_reduced() || stored.is_empty() {
            return Ok(Execution { states: stored, fault: last.cloned() });
        }
        let states = self.forwards(&stored)?;
        let Some(fault) = last else { return Ok(Execution { states, fault: None }) };
        match states.last().and_then(|state| self.same_fault(state, fault)) {
            Some(found) => Ok(Execution { states, fault: Some(found) }),
            None => Ok(Execution { states: self.reach_the_last(&stored)?, fault: last.cloned() }),
        }
    }

    /// One execution, greedily.
    fn forwards(&mut self, stored: &[State]) -> Result<Vec<State>, InternalError> {
        let mut found: Vec<State> = Vec::new();
        for wanted in stored {
            let next = self.step_towards(found.last(), wanted)?.into_iter().next();
            found.push(next.ok_or_else(|| lost(found.len()))?);
        }
        Ok(found)
    }

    /// An execution whose last state is the last stored one.
    fn reach_the_last(&mut self, stored: &[State]) -> Result<Vec<State>, InternalError> {
        let mut layers: Vec<Vec<(State, usize)>> = Vec::new();
        for (depth, wanted) in stored.iter().enumerate() {
            let mut layer: Vec<(State, usize)> = Vec::new();
            let mut known = rustc_hash::FxHashSet::default();
            let parents = layers.last().map_or(1, Vec::len);
            for parent in 0..parents {
                let before = layers.last().map(|layer| layer[parent].0.clone());
                for state in self.step_towards(before.as_ref(), wanted)? {
                    if known.insert(state.clone()) {
                        layer.push((state, parent));
                    }
                }
                if layer.len() > MOST_STATES {
                    return Err(lost(depth));
                }
            }
            layers.push(layer);
        }
        let wanted = stored.last().ok_or_else(|| lost(0))?;
        let last = layers.last().and_then(|layer| layer.iter().position(|(state, _)| state == wanted));
        let mut at = last.ok_or_else(|| lost(stored.len()))?;
        let mut states = Vec::with_capacity(layers.len());
        for layer in layers.iter().rev() {
            let (state, parent) = &layer[at];
            states.push(state.clone());
            at = *parent;
        }
        states.reverse();
        Ok(states)
    }

    /// The successors of a state, or the initial states, in the orbit of another state.
    fn step_towards(&mut self, from: Option<&State>, wanted: &State) -> Result<Vec<State>, InternalError> {
        let bounds = self.bounds_at(from);
        for bounds in bounds {
            let found = self.step_within(&bounds, from, wanted)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    fn step_within(
        &mut self,
        bounds: &Bounds,
        from: Option<&State>,
        wanted: &State,
    ) -> Result<Vec<State>, InternalError> {
        let model = self.model();
        let states: Vec<State> = match from {
            Some(from) => successors(model, bounds, from).into_iter().filter_map(|step| step.result.ok()).collect(),
            None => starts(model, bounds).filter_map(|start| start.result.ok()).collect(),
        };
        let wanted_locals = self.representative(wanted).map_err(no_room)?;
        let mut found = Vec::new();
        for state in states {
            if state.features != wanted.features {
                continue;
            }
            if self.representative(&state).map_err(no_room)? == wanted_locals {
                found.push(state);
            }
        }
        Ok(found)
    }

    /// The bounds under which the steps of a state are searched for, in turn. Where unreachable rebecs are collected,
    /// the bound is on those that exist at the same time; an execution of the model keeps them all. The given bound
    /// comes first: with a higher one, a step that creates for ever may end as too much work.
    pub(super) fn bounds_at(&self, state: Option<&State>) -> Vec<Bounds> {
        let bounds = *self.bounds();
        let Some(state) = state.filter(|_| self.heap.is_some()) else { return vec![bounds] };
        let most = state.heap(self.model()).created.into_iter().max().unwrap_or(0);
        let higher = [most, most.saturating_add(bounds.max_rebecs)].map(|max_rebecs| Bounds { max_rebecs, ..bounds });
        std::iter::once(bounds)
            .chain(higher.into_iter().filter(|higher| higher.max_rebecs > bounds.max_rebecs))
            .collect()
    }

    /// A fault of a state of the same class as a given one, preferably by the same statement.
    fn same_fault(&self, state: &State, wanted: &ActorFault) -> Option<ActorFault> {
        self.bounds_at(Some(state)).iter().find_map(|bounds| self.same_fault_within(bounds, state, wanted))
    }

    fn same_fault_within(&self, bounds: &Bounds, state: &State, wanted: &ActorFault) -> Option<ActorFault> {
        let steps = successors(self.model(), bounds, state).into_iter();
        let class = wanted.fault.kind.class();
        let faults: Vec<ActorFault> = steps
            .filter_map(|step| match step.result {
                Err(Stop::Fault(fault)) if fault.kind.class() == class => Some(ActorFault { rebec: step.rebec, fault }),
                _ => None,
            })
            .collect();
        let same = faults.iter().position(|one| one.fault.span == wanted.fault.span).unwrap_or(0);
        faults.into_iter().nth(same)
    }
}

fn lost(index: usize) -> InternalError {
    InternalError(format!("entry {index} of a line of representatives is no step of the model"))
}

fn no_room(_: Halt) -> InternalError {
    InternalError("no room to find an execution along representatives".to_owned())
}
