//! From a stored state back to an initial one, then forward by the reference interpreter.
//!
//! Soundness: what is reported is the replayed execution, never the packed one. A state that the reference interpreter
//! does not reach is a fault of the checker and is reported as such.

use frontend::interpret::trace::{Trace, replay};
use frontend::interpret::{Fault, State};
use frontend::model::RebecId;

use crate::report::InternalError;
use crate::states::{NO_PARENT, Space};

/// The states from an initial one to the given one, along the parents.
fn path(space: &Space<'_>, number: u32) -> Vec<State> {
    let mut numbers = vec![number];
    let mut at = number;
    while space.store.parent(at) != NO_PARENT {
        at = space.store.parent(at);
        numbers.push(at);
    }
    numbers.iter().rev().map(|&number| space.state(number)).collect()
}

/// The execution to a state (to no state: none), and the fault of a last step (with no state: of a constructor).
///
/// # Errors
/// The reference interpreter does not confirm it.
pub(super) fn counterexample(
    space: &Space<'_>,
    state: Option<u32>,
    last: Option<(RebecId, &Fault)>,
) -> Result<Trace, InternalError> {
    let states = state.map_or_else(Vec::new, |number| path(space, number));
    replay(space.model(), space.bounds(), &states, last)
        .map_err(|error| InternalError(format!("a counterexample is not confirmed: {error}")))
}
