//! The action of symmetries of a process on its states, and the executions of its quotient.
//!
//! A slot is an element of the state, a value the distance from the least value of its sort. Elements of the group permute literals:
//! pairs of a slot and a value. The key of a literal is the orbit of its image. The slot of a wide sort moves as a whole and keeps
//! its value.
//!
//! Executions are found forwards, as for actors: from a start in the orbit of the first representative, repeatedly a
//! successor in the orbit of the next one. Instances that fault are permuted like all others, so the last state of
//! the execution has a fault if the last representative has.
//!
//! Soundness: only states of the reference semantics are taken, and the execution is replayed after that.

use crate::tuning::TUNING;
use frontend::sequential::SummandId;
use frontend::sequential::interpret::{SeqStep, State, initial_states, lacks_room, successors};
use frontend::sequential::trace::Faulting;
use num_bigint::BigUint;
use symmetry::sequential::ValidatedGroup;

use super::packing::Packing;
use super::space::Space;
use explore::quotient::{Points, Representatives};
use explore::reductions::Representative;
use explore::report::InternalError;
use explore::search::StateSpace;

/// The representatives of the packed states of a process; `None` if the group is too large to be used, or does not take slots to slots. With a
/// number of processes their ways are followed; `None` if they are not known.
pub(super) fn representatives(
    group: &ValidatedGroup,
    method: Representative,
    packing: &Packing,
    processes: Option<usize>,
) -> Option<Representatives> {
    let lows = &packing.lows;
    let literals = group.literals();
    assert_eq!(literals.elements(), lows.len(), "a group of this process moves its elements");
    if !group.generators().iter().all(|generator| literals.respects_elements(generator)) {
        return None;
    }
    let acting = if processes.is_some() { group.with_processes()? } else { group.group() };
    let points = Points {
        layout: packing.layout.clone(),
        starts: lows.iter().enumerate().map(|(slot, &low)| literals.point(slot, low)).collect(),
        wide: (0..lows.len()).map(|slot| literals.is_wide(slot)).collect(),
        count: literals.len(),
        normal: None,
    };
    Representatives::new(group.group(), acting, points, method, processes, TUNING.search)
}

/// The fault of an instance of a summand in a state.
#[derive(Clone, Debug)]
pub(crate) struct FaultingStep {
    /// The state.
    pub state: State,
    /// The instance.
    pub instance: Faulting,
}

/// An execution, and the fault that ends it.
pub(super) struct Execution {
    pub(super) states: Vec<State>,
    pub(super) fault: Option<FaultingStep>,
}

impl Space<'_> {
    /// The size of the orbit of a stored state, if it is known.
    pub(super) fn orbit_size(&mut self, number: u32) -> Option<BigUint> {
        let mut words = self.store().state(number).to_vec();
        self.symmetry.as_mut()?.orbit_size(&mut words)
    }

    /// The execution through the orbits of stored states that ends in a fault if one is given.
    ///
    /// # Errors
    /// There is no such execution: the quotient is wrong.
    pub(super) fn execution(&mut self, path: &[u32], last: Option<&FaultingStep>) -> Result<Execution, InternalError> {
        let mut states: Vec<State> = path.iter().map(|&number| self.state(number)).collect();
        if self.symmetry.is_none() {
            return Ok(Execution { states, fault: last.cloned() });
        }
        for at in 0..states.len() {
            let wanted = self.representative(&states[at])?;
            let found = match at.checked_sub(1) {
                None => self.first_in(&wanted, initial_states(self.model))?,
                Some(before) => {
                    let next = successors(self.model, &states[before]).into_iter();
                    self.first_in(&wanted, next.filter_map(|step| step.result.ok()))?
                }
            };
            states[at] = found.ok_or_else(|| {
                InternalError(format!("entry {at} of a line of representatives is no step of the process"))
            })?;
        }
        let (Some(last), Some(state)) = (last, states.last()) else {
            return Ok(Execution { states, fault: None });
        };
        // The group keeps events, and bounds of the tool are no faults of the model.
        let event = |summand: SummandId| self.model.summand(summand).event.as_str();
        let is_like = |step: &SeqStep| {
            let is_fault = step.result.as_ref().is_err_and(|fault| !lacks_room(self.model, fault));
            is_fault && event(step.summand) == event(last.instance.summand)
        };
        let faulting = successors(self.model, state).into_iter().find(is_like);
        let last = faulting.map(|step| FaultingStep {
            state: state.clone(),
            instance: Faulting { summand: step.summand, parameters: step.parameters },
        });
        match last {
            Some(_) => Ok(Execution { states, fault: last }),
            None => Err(InternalError("a state of an orbit with a fault has none".to_owned())),
        }
    }

    /// The first state with this representative.
    fn first_in(
        &mut self,
        wanted: &[u64],
        states: impl Iterator<Item = State>,
    ) -> Result<Option<State>, InternalError> {
        for state in states {
            if self.representative(&state)? == wanted {
                return Ok(Some(state));
            }
        }
        Ok(None)
    }

    fn representative(&mut self, state: &[i32]) -> Result<Vec<u64>, InternalError> {
        let mut words = self.packing.pack(state);
        let symmetry = self.symmetry.as_mut();
        symmetry
            .map_or(Ok(()), |symmetry| symmetry.canonicalise(&mut words))
            .map_err(|_| InternalError("no room to find an execution along representatives".to_owned()))?;
        Ok(words)
    }
}
