//! Runs of a model of Murphi: the conditions of formulas, and executions that return to a state.
//!
//! A state without enabled rules ends a run, which then stays there for ever, and so does a step that faults. A state all of whose
//! steps stay needs no rule of its own: its run goes on in it. There are no processes, so no fairness is assumed.

use crate::confirmed::{closed, unconfirmed};
use explore::report::InternalError;
use explore::temporal::{Lasso, Literal, MOST_UNROLLED, NOBODY, Runs, unrolled};
use frontend::murphi::interpret::{State, evaluate, successors};
use frontend::murphi::trace::{Trace, replay};

use super::expansion::Expansion;
use super::space::Space;
use super::watched::{Fault, Invariant};

impl<'m> Runs for Space<'m> {
    fn plain(&condition: &usize) -> Literal<usize> {
        Literal { condition, is_positive: true }
    }

    fn value(&self, condition: &mut Invariant<'m>, number: u32) -> Option<bool> {
        self.truth(condition, number)
    }

    fn has_processes(&self) -> bool {
        false
    }

    fn movers(expansion: &Expansion) -> impl Iterator<Item = u32> {
        std::iter::repeat_n(NOBODY, explore::search::Expansion::len(expansion))
    }

    fn enabled(&self, _: u32, _: &Expansion, _: &mut Vec<u64>) {}

    fn follows(&self) -> bool {
        false
    }

    fn moves(_: &Expansion) -> &[u32] {
        &[]
    }

    fn moved(&self, _: u32, process: u32) -> u32 {
        process
    }

    fn processes(&self) -> usize {
        0
    }

    fn lasso(&mut self, run: &Lasso, fault: Option<&Fault>) -> Result<Trace, InternalError> {
        let is_cycle = run.cycle_from + 1 < run.states.len();
        let (trace, cycle_from) = if self.symmetry.is_some() && is_cycle {
            let mut execution = |path: &[u32]| -> Result<Vec<State>, InternalError> {
                Ok(self.execution(path, None)?.trace.states().cloned().collect())
            };
            let (states, cycle_from) = unrolled(run, MOST_UNROLLED, &mut execution)?;
            let trace = replay(self.program, &states, None).map_err(unconfirmed)?;
            (trace, cycle_from)
        } else {
            (self.execution(&run.states, fault)?.trace, run.cycle_from)
        };
        closed(trace, cycle_from, |state| successors(self.program, state).is_empty())
    }

    fn reference_value(&self, &condition: &usize, trace: &Trace, at: usize) -> Option<bool> {
        let truths = evaluate(self.program, &self.program.properties[condition], trace.state(at)?);
        truths.into_iter().try_fold(true, |all, truth| Some(all & truth.holds.ok()?))
    }

    fn cycle_from(trace: &Trace) -> Option<usize> {
        trace.cycle_from
    }

    fn states(trace: &Trace) -> usize {
        trace.states().count()
    }

    fn starved(&self, _: &Trace) -> Option<String> {
        None
    }
}
