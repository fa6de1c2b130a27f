//! Runs of actor models: a rebec is a process, and has a step as long as it has a message.

use frontend::execution::ReplayError;
use frontend::interpret::trace::{Trace, replay_moves};
use frontend::interpret::{State, evaluate_in_state};
use frontend::model::spans::expression_without_spans;
use frontend::model::{Expr, ExprKind, RebecId, UnaryOp, Value};

use super::execution::{ActorFault, Execution};
use super::expand::Expansion;
use super::invariant::Invariant;
use super::slot::IDLE;
use super::space::Space;
use super::symmetry::Symmetry;
use crate::confirmed::{closed, unconfirmed};
use explore::report::InternalError;
use explore::temporal::{Lasso, Literal, MOST_UNROLLED, Runs, set_bit, unrolled};

/// The most states of an execution that is followed until it closes where created rebecs are renumbered.
const MOST_WITH_HEAP: usize = 1 << 8;

impl Runs for Space<'_> {
    fn plain(condition: &Expr) -> Literal<Expr> {
        match &condition.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let Literal { condition, is_positive } = Self::plain(inner);
                Literal { condition, is_positive: !is_positive }
            }
            _ => Literal { condition: expression_without_spans(condition), is_positive: true },
        }
    }

    fn value(&self, condition: &mut Invariant, number: u32) -> Option<bool> {
        condition.value(self, number)
    }

    fn has_processes(&self) -> bool {
        true
    }

    fn movers(expansion: &Expansion) -> impl Iterator<Item = u32> {
        expansion.successors.iter().map(|&(slot, _)| slot)
    }

    fn enabled(&self, number: u32, _: &Expansion, processes: &mut Vec<u64>) {
        let words = self.store.state(number);
        for slot in 0..self.slots() {
            if self.tables.step(slot, self.get(&words, slot)) != IDLE {
                set_bit(processes, u32::try_from(slot).expect("identities have 32 bits"));
            }
        }
    }

    fn follows(&self) -> bool {
        self.symmetry.as_ref().is_some_and(Symmetry::follows)
    }

    fn moves(expansion: &Expansion) -> &[u32] {
        &expansion.moves
    }

    fn moved(&self, moves: u32, process: u32) -> u32 {
        let moves = self.symmetry.as_ref().and_then(|symmetry| symmetry.moves_of(moves));
        moves.and_then(|moves| moves.get(process as usize).copied()).unwrap_or(process)
    }

    fn processes(&self) -> usize {
        self.model().instances.len()
    }

    fn lasso(&mut self, run: &Lasso, fault: Option<&ActorFault>) -> Result<Trace, InternalError> {
        let Execution { mut states, fault: mut last } = self.execution(&run.states, fault)?;
        let mut movers: Vec<RebecId> = run.movers.iter().map(|&slot| RebecId(slot)).collect();
        let mut cycle_from = run.cycle_from;
        if self.is_reduced() {
            // The mover differs between a state and its representative.
            movers.clear();
            if cycle_from + 1 < run.states.len() {
                // Where rebecs are made and dropped for ever no state returns.
                let most = if self.heap.is_some() { MOST_WITH_HEAP } else { MOST_UNROLLED };
                let mut execution = |path: &[u32]| self.execution(path, None).map(|execution| execution.states);
                (states, cycle_from) = unrolled(run, most, &mut execution)?;
                last = None;
            }
        }
        let last = last.as_ref().map(|last| (last.rebec, &last.fault));
        let mut replayed = Err(ReplayError { index: 0 });
        for bounds in self.bounds_at(states.last()) {
            replayed = replayed.or_else(|_| replay_moves(self.model(), &bounds, &states, &movers, last));
        }
        let trace = replayed.map_err(unconfirmed)?;
        closed(trace, cycle_from, State::is_deadlock)
    }

    fn may_not_close(&self) -> bool {
        self.heap.is_some()
    }

    fn reference_value(&self, condition: &Expr, trace: &Trace, at: usize) -> Option<bool> {
        match evaluate_in_state(self.model(), trace.state(at)?, condition) {
            Ok(Value::Bool(value)) => Some(value),
            _ => None,
        }
    }

    fn cycle_from(trace: &Trace) -> Option<usize> {
        trace.cycle_from
    }

    fn states(trace: &Trace) -> usize {
        trace.states().count()
    }

    fn starved(&self, trace: &Trace) -> Option<String> {
        let from = trace.cycle_from?;
        // A run that has ended owes nothing.
        let cycle = trace.steps.get(from..).filter(|cycle| cycle.iter().all(|step| step.result.is_ok()))?;
        let waits = |rebec: &RebecId| {
            let idles = (from..trace.steps.len()).any(|at| trace.state(at).is_none_or(|state| is_idle(state, *rebec)));
            !idles && cycle.iter().all(|step| step.rebec != *rebec)
        };
        let starved = trace.state(from)?.identities().find(waits).filter(|_| !cycle.is_empty())?;
        Some(self.model().rebec_name(starved))
    }
}

/// Whether a rebec does not exist or has no message.
fn is_idle(state: &State, rebec: RebecId) -> bool {
    state.rebec(rebec).is_none_or(|rebec| rebec.queue.is_empty())
}
