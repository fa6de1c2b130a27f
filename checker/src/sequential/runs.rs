//! Runs of a process in sequential form: processes of fairness are values of the sort declared `fair`, or have numbers.

use std::collections::BTreeSet;

use frontend::promela::FAILED_ASSERTION;
use frontend::sequential::interpret::{SeqStep, State};
use frontend::sequential::interpret::{evaluate, successors};
use frontend::sequential::spans::expression_without_spans;
use frontend::sequential::trace::{Trace, replay_where};
use frontend::sequential::{Expr, ExprKind, Origin};

use super::inside::Inside;
use super::space::{Expansion, Space};
use super::symmetry::{Execution, FaultingStep};
use super::watched::Invariant;
use crate::confirmed::{closed, unconfirmed};
use explore::quotient::Representatives;
use explore::report::InternalError;
use explore::temporal::{Lasso, Literal, MOST_UNROLLED, NOBODY, Runs, set_bit, unrolled};
use ltl::Bits;

impl<'m> Runs for Space<'m> {
    fn plain(condition: &Expr) -> Literal<Expr> {
        match &condition.kind {
            ExprKind::Not(inner) => {
                let Literal { condition, is_positive } = Self::plain(inner);
                Literal { condition, is_positive: !is_positive }
            }
            _ => Literal { condition: expression_without_spans(condition), is_positive: true },
        }
    }

    fn value(&self, condition: &mut Invariant<'m>, number: u32) -> Option<bool> {
        condition.value(self, number)
    }

    fn counts_inside(&self, name: &str) -> bool {
        self.model.inside.as_deref() == Some(name)
    }

    fn note_inside(&mut self, conditions: &[Expr]) {
        self.inside = conditions.iter().map(|condition| Inside::new(self.model, condition)).collect();
    }

    fn inside(expansion: &Expansion) -> &[Bits] {
        &expansion.inside
    }

    /// A step between states of the model may have another one next to it with the same representatives, inside of which less holds.
    fn may_not_close(&self) -> bool {
        !self.inside.is_empty() && self.symmetry.is_some()
    }

    fn has_processes(&self) -> bool {
        self.model.has_processes()
    }

    fn movers(expansion: &Expansion) -> impl Iterator<Item = u32> {
        expansion.movers.iter().copied()
    }

    fn enabled(&self, _: u32, expansion: &Expansion, processes: &mut Vec<u64>) {
        expansion.able.iter().for_each(|&process| set_bit(processes, process));
    }

    /// A failed assertion of Promela does not end a run: the process goes on by another summand.
    fn ends_with(&self, expansion: &Expansion, at: usize) -> bool {
        let is_assertion = self.model.summand(expansion.faults[at].0).event == FAILED_ASSERTION;
        !(is_assertion && self.model.origin == Origin::Promela)
    }

    fn follows(&self) -> bool {
        self.symmetry.as_ref().is_some_and(Representatives::follows)
    }

    fn moves(expansion: &Expansion) -> &[u32] {
        &expansion.moves
    }

    fn moved(&self, moves: u32, process: u32) -> u32 {
        let moves = self.symmetry.as_ref().and_then(|symmetry| symmetry.moves_of(moves));
        debug_assert!(moves.is_none_or(|moves| (process as usize) < moves.len()), "a way takes every process");
        moves.and_then(|moves| moves.get(process as usize).copied()).unwrap_or(process)
    }

    fn processes(&self) -> usize {
        self.model.process_count()
    }

    fn lasso(&mut self, run: &Lasso, fault: Option<&FaultingStep>) -> Result<Trace, InternalError> {
        let Execution { mut states, fault: mut last } = self.execution(&run.states, fault)?;
        let mut cycle_from = run.cycle_from;
        let mut movers: Vec<u32> = run.movers.clone();
        if self.owners.is_empty() {
            movers.clear();
        }
        if self.symmetry.is_some() {
            // The mover differs between a state and its representative.
            movers.clear();
            if cycle_from + 1 < run.states.len() {
                let mut execution = |path: &[u32]| self.execution(path, None).map(|execution| execution.states);
                (states, cycle_from) = unrolled(run, MOST_UNROLLED, &mut execution)?;
                last = None;
            }
        }
        let inside_at = |index: usize| {
            // A cycle that was followed several times has the steps of one round.
            let round = run.inside.len() - run.cycle_from;
            let at = if index < run.inside.len() { index } else { run.cycle_from + (index - run.cycle_from) % round };
            run.inside[at]
        };
        let is_wanted = |index: usize, step: &SeqStep| {
            let moved = self.model.movers(step);
            let is_mover = movers.get(index).is_none_or(|&mover| match mover {
                NOBODY => moved.is_empty(),
                mover => moved.contains(&mover),
            });
            is_mover && (self.inside.is_empty() || self.holds_inside(step) == inside_at(index))
        };
        let trace = replay_where(self.model, &states, &is_wanted, last.as_ref().map(|last| &last.instance))
            .map_err(unconfirmed)?;
        closed(trace, cycle_from, |state| successors(self.model, state).is_empty())
    }

    fn reference_value(&self, condition: &Expr, trace: &Trace, at: usize) -> Option<bool> {
        let value =
            |condition: &Expr, state: &State| evaluate(self.model, condition, state, &[]).ok().map(|value| value != 0);
        if self.inside.is_empty() {
            return value(condition, trace.state(at)?);
        }
        // The formula counts inside of steps: the condition without the negations around it holds where it holds in a state inside, too.
        let Literal { condition, is_positive } = Self::plain(condition);
        let is_inside = |step: &SeqStep| states_inside(step).any(|state| value(&condition, state) == Some(true));
        let holds = value(&condition, trace.state(at)?)? || trace.steps.get(at).is_some_and(is_inside);
        Some(holds == is_positive)
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
        let mut waiting: Option<BTreeSet<u32>> = None;
        for at in from..trace.steps.len() {
            let steps = successors(self.model, trace.state(at)?);
            let enabled = steps.iter().flat_map(|step| self.model.able(step)).collect();
            waiting = Some(waiting.map_or_else(|| BTreeSet::clone(&enabled), |waiting| &waiting & &enabled));
        }
        let mut waiting = waiting?;
        for step in cycle {
            for process in self.model.movers(step) {
                waiting.remove(&process);
            }
        }
        Some(self.model.process_name(*waiting.first()?))
    }
}

impl Space<'_> {
    /// The noted conditions that hold inside of a step, by the reference semantics.
    fn holds_inside(&self, step: &SeqStep) -> Bits {
        let holds = |inside: &Inside<'_>| {
            let value = |state: &State| evaluate(self.model, &inside.condition, state, &[]);
            states_inside(step).any(|state| value(state).is_ok_and(|value| value != 0))
        };
        let holding = self.inside.iter().enumerate().filter(|(_, inside)| holds(inside));
        holding.fold(0, |bits, (number, _)| bits | 1 << number)
    }
}

/// The states inside of a step with a successor.
fn states_inside(step: &SeqStep) -> impl Iterator<Item = &State> {
    let parts = if step.result.is_ok() { &step.parts[..] } else { &[] };
    let before_the_last = parts.len().saturating_sub(1);
    parts[..before_the_last].iter().filter_map(|part| part.result.as_ref().ok())
}
