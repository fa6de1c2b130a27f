//! Counterexamples that the reference semantics confirms; one that it does not confirm is a fault of the checker.

use explore::report::InternalError;
use frontend::execution::{Outcome, ReplayError, Trace};

/// A counterexample that is no execution.
pub(crate) fn unconfirmed(error: ReplayError) -> InternalError {
    InternalError(format!("a counterexample is not confirmed: {error}"))
}

/// An execution that returns to the state of an index, or has ended there.
///
/// # Errors
/// It does not.
pub(crate) fn closed<Start: Outcome, Step: Outcome<State = Start::State>>(
    mut trace: Trace<Start, Step>,
    cycle_from: usize,
    is_end: impl FnOnce(&Start::State) -> bool,
) -> Result<Trace<Start, Step>, InternalError> {
    let closes = trace.close(cycle_from, is_end);
    let fault = || InternalError("the run of a counterexample does not close".to_owned());
    closes.then_some(trace).ok_or_else(fault)
}
