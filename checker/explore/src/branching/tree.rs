//! The executions of a tree of reasons.
//!
//! Each run of the tree begins at a start of the model, shares the states before its branch with the run that it branches off, and is replayed by the reference
//! semantics; in a quotient it goes through the orbits of the stored states, always in the same way behind the same states. Then the reference semantics
//! evaluates the conditions that the run is said to show.
//!
//! There are at most [`MOST_STATES`] states in the runs that branch off: in a quotient each costs a search for the step to it.
//!
//! A run whose cycle may return to no state, as where created rebecs are renumbered, is left out.

use ltl::Formula;

use super::reasons::{Reason, Shown};
use crate::report::{Branch, InternalError, Note};
use crate::temporal::{Lasso, Runs, last_fault};

/// The most states of the executions of a tree beside its first one.
const MOST_STATES: usize = 1 << 12;

/// What makes executions of reasons.
pub(super) struct Tree<'t, S: Runs> {
    space: &'t mut S,
    formula: &'t Formula<S::Condition>,
    /// The states that further executions may have; unbounded for the first one.
    left: Option<usize>,
    /// Whether a run was left out.
    pub(super) is_cut: bool,
}

impl<'t, S: Runs> Tree<'t, S> {
    pub(super) fn new(space: &'t mut S, formula: &'t Formula<S::Condition>) -> Self {
        Tree { space, formula, left: None, is_cut: false }
    }

    /// The execution of a reason behind the states from a start to its first state, with those that branch off; nothing if there are too many.
    pub(super) fn branch(&mut self, before: &[u32], reason: Reason) -> Result<Option<Branch<S::Trace>>, InternalError> {
        assert!(!before.is_empty(), "a run branches off a state");
        let from = before.len() - 1;
        let mut states = before.to_vec();
        let (mut back, mut next) = (None, Some(reason));
        let (mut notes, mut conditions, mut later) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(Reason { part, holds, path, back: end, conditions: shown, inner }) = next.take() {
            let first = states.len() - 1;
            notes.push(Note { at: first, part, holds, text: String::new() });
            if end.is_some_and(|end| end < path.len()) && self.space.may_not_close() {
                self.is_cut = true;
                break;
            }
            let last = path.len();
            states.extend(path);
            back = end.map(|end| first + end);
            conditions.extend(shown.iter().map(|one| (one.behind(first), end.is_some())));
            for (index, reason) in inner {
                let at = first + index;
                if reason.is_shown_by_its_state() {
                    conditions.extend(reason.conditions.iter().map(|one| (one.behind(at), false)));
                    notes.push(Note { at, part: reason.part, holds: reason.holds, text: String::new() });
                } else if index == last && back.is_none() && next.is_none() {
                    // The run goes on with the first reason of its last state.
                    next = Some(reason);
                } else {
                    later.push((at, reason));
                }
            }
        }
        let left = self.left.map_or(Some(MOST_STATES), |left| left.checked_sub(states.len()));
        self.is_cut |= left.is_none();
        self.left = Some(left.unwrap_or(0));
        if left.is_none() {
            return Ok(None);
        }
        let trace = self.execution(&states, back)?;
        for (shown, is_cycle) in &conditions {
            self.judge(shown, *is_cycle, &trace)?;
        }
        let mut branches = Vec::new();
        for (at, reason) in later {
            branches.extend(self.branch(&states[..=at], reason)?);
        }
        Ok(Some(Branch { from, notes, trace, branches }))
    }

    /// The execution along stored states that ends, or goes back to the state of an index.
    fn execution(&mut self, states: &[u32], back: Option<usize>) -> Result<S::Trace, InternalError> {
        let Some(cycle_from) = back else { return Ok(self.space.replayed(states, None)?.trace) };
        let mut fault = None;
        if cycle_from + 1 == states.len() {
            fault = last_fault(self.space, states[cycle_from]).map_err(|error| InternalError(error.to_owned()))?;
        }
        self.space.lasso(
            &Lasso { states: states.to_vec(), movers: Vec::new(), inside: Vec::new(), cycle_from },
            fault.as_ref(),
        )
    }

    /// Evaluates a condition in the states that are said to show it. In a quotient the cycle of an execution may be longer than that of representatives.
    fn judge(&self, shown: &Shown, is_cycle: bool, trace: &S::Trace) -> Result<(), InternalError> {
        let condition = self.formula.part(&shown.part);
        let end = if is_cycle { S::states(trace) } else { shown.states.end };
        for at in shown.states.start..end {
            let mut value = |atom: &S::Condition, _: usize| self.space.reference_value(atom, trace, at);
            if ltl::holds(condition, 1, 0, &mut value) != Some(shown.holds) {
                return Err(InternalError(format!("state {at} of a run of a formula does not show its condition")));
            }
        }
        Ok(())
    }
}
